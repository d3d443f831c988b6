"""The examples of the pages are run, and a page that lies is found out."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from tests.docs.blocks import ROOT, PageError, blocks_of, pages
from tests.docs.running import run_page

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
}


def write_page(folder, text):
    """A page of its own folder, so that it does not see what it writes."""
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    (folder / "run").mkdir()
    return page, folder / "run"


@pytest.mark.parametrize("lie", LIES)
def test_a_page_that_lies_fails(lie, tmp_path):
    """What is wrong on a page is found, with the page's name, the line, and what was found."""
    text, line, found = LIES[lie]
    page, folder = write_page(tmp_path, text)
    with pytest.raises(PageError) as error:
        run_page(page, folder)
    assert str(error.value).startswith(f"{page}{line}")
    assert found in str(error.value)


TRUE = """
```python hello.py
print("hello")
```

```sh
python hello.py | tr h j
ls scenarios/figure1.toml
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
"""


def test_a_page_that_is_true_passes(tmp_path):
    """Files, names and folder are shared from block to block; `...` stands for anything."""
    page, folder = write_page(tmp_path, SCENARIO + TRUE)
    assert run_page(page, folder) == 9
    assert (folder / "mine.toml").exists()


def test_what_is_not_run_is_still_read(tmp_path):
    """A block marked as not run must be well-formed code."""
    page, folder = write_page(tmp_path, "<!-- not run: why -->\n```python\n1 +\n```\n")
    with pytest.raises(PageError, match="md:3: "):
        run_page(page, folder)


def test_what_a_block_leaves_running_is_ended(tmp_path):
    """A server in the background neither stops the page nor stays."""
    page, folder = write_page(tmp_path, "```sh\nsleep 60 &\necho done\n```\n")
    begin = time.monotonic()
    run_page(page, folder)
    assert time.monotonic() - begin < 30


def test_few_blocks_are_not_run():
    """Which blocks are not run, and how many of them, changes on purpose only."""
    left = Counter(
        str(page.relative_to(ROOT)) for page in pages() for b in blocks_of(page) if b.not_run
    )
    assert left == {
        "README.md": 4,  # installation and the lab, which bench/newcomer does, and the tests
        "docs/howto/class.md": 1,  # a server that stays up
        "docs/howto/clusters.md": 6,  # other machines, SLURM, Kubernetes
        "docs/howto/lab.md": 2,  # a server that stays up
        "docs/notebooks/index.md": 1,  # a server that stays up
        "docs/performance.md": 1,  # twenty minutes of measuring
        "docs/tutorial.md": 3,  # installation, and the server
        "docs/writing.md": 1,  # the build, which test_site.py does
    }
