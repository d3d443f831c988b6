"""The examples of the pages are run, and a page that lies is found out."""

from __future__ import annotations

import re
import time

import pytest

from tests.docs import services
from tests.docs.blocks import ROOT, PageError, blocks_of, blocks_run_by, pages
from tests.docs.running import LeftOut, run_page
from tests.extras import leave_out

SCENARIO = """
```toml mine.toml
horizon = 10
[market]
arms = { law = "bernoulli", means = [0.9, 0.1] }
[[policy]]
name = "ucb"
```
"""

LIES = {
    "a doctest": ("```python\n>>> 1 + 1\n3\n```", ":2: ", "Expected:"),
    "printed by Python": ("```python\nprint(1 + 1)\n```\n\n```output\n3\n```", ":6: ", "2"),
    "printed by a command": ("```sh\necho two\n```\n\n```output\nthree\n```", ":6: ", "two"),
    "a command that fails": ("```sh\nfalse | true\n```", ":2: ", "exit code 1"),
    "an error in Python": ("text\n\n```python\n1 / 0\n```", ":4: ", "ZeroDivisionError"),
    "output of nothing": ("```output\n3\n```", ":2: ", "no python or sh block"),
    "output that was compared": (
        "```sh\necho 1\n```\n\n```output\n1\n```\n\n```output\n2\n```",
        ":10: ",
        "no python or sh block",
    ),
    "a kind nobody runs": ("```console\n$ true\n```", ":2: ", "kind 'console'"),
    "an indented block": ("text\n\n    1 + 1\n", ":3: ", "no kind"),
    "a directive that hides code": ("```{code-block} python\n1 / 0\n```", ":2: ", "{code-block}"),
    "a part that does not fit": (SCENARIO + "\n```toml\nhorizon = 0\n```", ":11: ", "horizon"),
    "other words for nothing": (
        "<!-- with: HOST = 127.0.0.1 -->\n```sh\ntrue\n```",
        ":3: ",
        "there is no 'HOST' in it",
    ),
}


def write_page(home, text):
    """A page, and where it is to be run."""
    home.mkdir(exist_ok=True)
    page = home / "page.md"
    page.write_text(text, encoding="utf-8")
    return page, home


@pytest.mark.parametrize("lie", LIES)
def test_a_page_that_lies_fails(lie, tmp_path):
    """What is wrong on a page is found, with the page's name, the line, and what was found."""
    text, line, found = LIES[lie]
    page, home = write_page(tmp_path, text)
    with pytest.raises(PageError) as error:
        run_page(page, home)
    assert str(error.value).startswith(f"{page}{line}")
    assert found in str(error.value)


TRUE = """
```python hello.py
print("hello")
```

<!-- with: LETTER = j -->
```sh
python hello.py | tr h LETTER
ls scenarios/figure1.toml
export WHO=me
```

```output
jello
...figure1.toml
```

```toml
[market]
seeding_cost = 0.5
```

```python
numbers = list(range(100))
print(numbers)
```

```output
[0, 1, ..., 99]
```

```python
>>> sum(numbers)
4950
```

```text
never run
```

<!-- not run: it would fail -->
```sh
false
```

```sh
echo $WHO
```

```output
me
```
"""


def test_a_page_that_is_true_passes(tmp_path):
    """Files, names and variables last from block to block; `...` stands for anything."""
    folder = run_page(*write_page(tmp_path, SCENARIO + TRUE))
    assert (folder / "mine.toml").exists()


def test_what_a_block_leaves_running_is_ended(tmp_path):
    """A server in the background neither stops the page nor stays."""
    page, home = write_page(tmp_path, "```sh\nsleep 60 &\necho done\n```\n")
    begin = time.monotonic()
    run_page(page, home)
    assert time.monotonic() - begin < 30


INSTALLS = """
```sh
pip install --help > help.txt
ls pyproject.toml
```

```python
import sys

print(sys.prefix)
```

```output
...here/.venv
```
"""


@pytest.mark.slow  # it makes an environment
def test_a_page_that_installs_has_an_environment_of_its_own(tmp_path):
    """It is followed in a copy of the repository, by the Python that it installs into."""
    folder = run_page(*write_page(tmp_path, INSTALLS))
    assert (folder / "kcmab_abm" / "errors.py").exists()


NEEDS = """
<!-- needs: slurm -->
```sh
no-such-command
```

```output
never printed
```

```sh
touch reached
```
"""


def test_a_page_says_what_it_lacks(tmp_path, monkeypatch):
    """What needs a program that is not here is left out, which is told after all the rest ran."""
    monkeypatch.setitem(services.PROGRAMS, "slurm", ("no-such-program",))
    with pytest.raises(LeftOut, match="not installed: no-such-program"):
        run_page(*write_page(tmp_path, NEEDS))
    assert (tmp_path / "here" / "reached").exists()


def test_a_page_names_the_library_that_it_lacks(tmp_path):
    """A block may need a library just as well as a service."""
    with pytest.raises(LeftOut, match="not installed: no_such_library"):
        run_page(*write_page(tmp_path, NEEDS.replace("slurm", "no_such_library")))
    there = NEEDS.replace("slurm", "json").replace("no-such-command", "echo never printed")
    run_page(*write_page(tmp_path / "again", there))


@pytest.mark.parametrize(
    ("where", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)]
)
def test_nothing_is_left_out_by_continuous_integration(where, outcome, monkeypatch):
    """A page that lacks something is skipped, but fails where CI is set."""
    monkeypatch.setenv("CI", where)
    with pytest.raises(outcome, match="because"):
        leave_out("because")


def test_others_run_what_they_are_said_to_run():
    """Blocks that a page's own test leaves to somebody else are these."""
    every = [block for page in pages() for block in blocks_of(page) if "run by" in block.marks]
    assert [(str(block.page.relative_to(ROOT)), block.marks["run by"]) for block in every] == [
        ("README.md", ".ci/run"),
        ("docs/published-tables.md", "tests/scenarios/test_pages.py"),
        ("docs/research-note.md", "tests/scenarios/test_pages.py"),
        ("docs/writing.md", "tests/docs/test_site.py"),
        ("docs/writing.md", "tests/docs/test_generated.py"),
    ]


def test_what_nobody_runs_is_counted():
    """A block is left unrun only where the tests would need a service nobody can give them."""
    every = [block for page in pages() for block in blocks_of(page) if "not run" in block.marks]
    assert [(str(block.page.relative_to(ROOT)), block.text.strip()) for block in every] == [
        ("docs/howto/clusters.md", "kubectl apply -f cluster.json"),
    ]


def test_continuous_integration_runs_the_test_command_of_the_readme():
    """The script finds that command in the README, and runs both of its halves."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"readme=\$\(grep -F '(.+)' README.md\)", script)[1]
    readme = ROOT / "README.md"
    (block,) = blocks_run_by(readme, ".ci/run")
    lines = readme.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if pattern in line] == block.text.splitlines()
    assert all(f'eval "${{{half}//' in script for half in ("install", "pytest"))
