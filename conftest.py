"""Pages of the documentation are tests too: `pytest docs/howto/ledger.md` runs its examples."""

from tests.docs.collecting import pytest_collect_file

pytest_plugins = ["tests.lab.controls"]

__all__ = ["pytest_collect_file"]

collect_ignore = ["docs/conf.py", "docs/_ext", "docs/_build"]
