"""Pages of the documentation are tests too: `pytest docs/howto/ledger.md` runs its examples."""

import signal

from tests.docs.collecting import pytest_collect_file
from tests.extras import pytest_ignore_collect, pytest_report_header

pytest_plugins = ["tests.lab.controls"]

__all__ = ["pytest_collect_file", "pytest_ignore_collect", "pytest_report_header"]

collect_ignore = ["docs/conf.py", "docs/_ext", "docs/_build", "docs/joss"]


def pytest_configure():
    """Let Ctrl-C reach the programs that tests start, even if a shell runs this in the background.

    Such a shell has its children ignore the signal, and theirs would inherit that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
