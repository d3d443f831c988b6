"""The newcomer's path: what is read from a page, and what is noticed on the way."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bench.newcomer.__main__ import complaints_of
from bench.newcomer.steps import Type, Write, steps_of
from bench.newcomer.terminal import ROOT, Terminal, environment_of
from bench.newcomer.walk import FIGURE, LESSON, POLICY, Journey, Traveller

PAGE = r"""
# Begin

<!-- not run: it installs -->
```sh
# a remark
python3 -m venv .venv && . .venv/bin/activate

kcmab run mine.toml --with mine.py \
  --out first
python3 -m pytest
```

```output
Written to first.
```

## Write a policy

```python mine.py
@policy("mine")
```

```python
import kcmab_abm
```

```{note} words
```

```sh
kcmab lab
```
"""


def test_a_page_is_read_as_it_stands() -> None:
    """Files and commands come in their order; what is printed, read or tested does not."""
    first, second = "Begin", "Write a policy"
    assert steps_of(PAGE) == [
        Type(first, "python3 -m venv .venv && . .venv/bin/activate"),
        Type(first, "kcmab run mine.toml --with mine.py --out first"),
        Write(second, "mine.py", '@policy("mine")\n'),
        Type(second, "kcmab lab"),
    ]


def test_the_readme_leads_to_a_figure_and_to_a_policy() -> None:
    """It says how to install, has a policy to save, and runs the file in which it is."""
    steps = steps_of((ROOT / "README.md").read_text(encoding="utf-8"))
    typed = [step.command for step in steps if isinstance(step, Type)]
    (mine,) = [step.name for step in steps if isinstance(step, Write) and step.is_policy]
    assert "pip install" in " ".join(typed[:2])
    assert any(f"--with {mine}" in command for command in typed)


@pytest.fixture
def terminal(tmp_path: Path):
    """A terminal in an empty folder."""
    (tmp_path / "clone").mkdir()
    opened = Terminal(tmp_path / "clone", environment_of(tmp_path))
    yield opened
    opened.close()


def test_a_terminal_remembers(terminal: Terminal) -> None:
    """Folder and variables last from line to line; a line that fails does not end it."""
    assert terminal.type("mkdir inner && cd inner && export WHO=me") == (0, "\n")
    assert terminal.type("cat; false")[0] == 1
    code, printed = terminal.type('echo "$WHO in $(basename "$PWD")"')
    assert (code, printed.strip()) == (0, "me in inner")
    assert terminal.type("exit 3")[0] == 1


def test_a_fresh_machine_has_nothing_of_ours(tmp_path: Path, monkeypatch) -> None:
    """The environment that runs the script is out of sight, and so is what it has cached."""
    monkeypatch.setattr(sys, "base_prefix", "elsewhere")
    monkeypatch.setenv("PYTHONPATH", "ours")
    found = environment_of(tmp_path)
    assert "PYTHONPATH" not in found
    assert str(Path(sys.executable).parent) not in found["PATH"].split(os.pathsep)
    assert found["XDG_CACHE_HOME"].startswith(str(tmp_path))


def test_milestones_are_noticed(terminal: Terminal, tmp_path: Path) -> None:
    """A figure counts where it is new and not a library's; a policy when its results are there."""
    (terminal.folder / "old.png").touch()
    traveller = Traveller(terminal, tmp_path)
    library = "mkdir .venv && touch .venv/pyvenv.cfg .venv/icon.png"
    assert traveller.take(Type("", library)) == []
    assert traveller.take(Type("", "mkdir a && touch a/figure.png a/manifest.json")) == [FIGURE]
    assert traveller.take(Write("", "mine.py", "@policy(")) == []
    assert POLICY not in traveller.take(Type("", "cat mine.py"))
    assert POLICY in traveller.take(Type("", "cat mine.py && mkdir b && touch b/manifest.json"))


def test_a_step_that_fails_is_told(terminal: Terminal, tmp_path: Path) -> None:
    """The message has the exit code and what the command said."""
    with pytest.raises(RuntimeError, match=r"exit code 127\n.*no-such-command"):
        Traveller(terminal, tmp_path).take(Type("", "no-such-command"))


def test_pages_are_blamed_for_what_they_leave_out() -> None:
    """A failed step and a milestone that nobody reached count; a missing browser does not."""
    whole = Journey("a", reached={FIGURE: (1.0, 1), POLICY: (2.0, 2)}, unable="no browser")
    assert complaints_of([whole]) == []
    whole.unable = ""
    assert complaints_of([whole]) == [f"no page led to the {LESSON}"]
    assert complaints_of([whole, Journey("b", failure="b: step", unable="no")]) == ["b: step"]
