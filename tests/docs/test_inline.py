"""Commands in the middle of a sentence exist as they are written, with their options and files."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from markdown_it import MarkdownIt

from kcmab_abm.catalogue.user_files import bring
from kcmab_abm.cli.main import commands
from tests.docs.blocks import ROOT, blocks_of, pages
from tests.extras import leave_out
from tests.registry import own_catalogue

ENDINGS = (".md", ".py", ".toml")  # of files that a command reads
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
OTHERS = {"sphinx": "docs"}  # modules of other packages, and the extras that bring them
EXTRA = re.compile(r"(?:\.|kcmab-abm)\[([\w,-]+)\]")

every_page = pytest.mark.parametrize(
    "page", pages(), ids=lambda page: str(page.relative_to(ROOT)).removesuffix(".md")
)


def code_of(text):
    """What stands between single backticks."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    parts = [part for token in tokens for part in token.children or []]
    return [part.content for part in parts if part.type == "code_inline"]


def commands_of(page, beginning):
    """The commands of a page's sentences that begin so, word by word, up to where output goes."""
    found = [
        code for code in code_of(page.read_text(encoding="utf-8")) if code.startswith(beginning)
    ]
    return [shlex.split(code.partition(" > ")[0]) for code in found]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the scenarios, and with what FILE, FILE.py and DIR may stand for."""
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios")
    shutil.copy(ROOT / "scenarios" / "figure1.toml", tmp_path / "FILE")
    (tmp_path / "FILE.py").touch()
    (tmp_path / "DIR").mkdir()
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    bring(())


def parse(name, *words):
    """Read the words of a command as `kcmab` does, but run nothing."""
    if not name.startswith("-"):
        # Below the program: a command remembers the names of its help from where it first ran.
        above = click.Context(commands, info_name="kcmab", **commands.context_settings)
        # An argument or a value may be left to the reader.
        with contextlib.suppress(click.MissingParameter, click.BadOptionUsage):
            commands.commands[name].make_context(name, list(words), parent=above)


def absent(words):
    """The files among the words that are not there."""
    return [word for word in words if word.endswith(ENDINGS) and not Path(word).exists()]


@every_page
def test_commands_of_ours_are_understood(page, folder):
    """Command, options and values are `kcmab`'s; its files are on the page or in the repository."""
    for block in blocks_of(page):
        if block.name:
            Path(block.name).write_text(block.text, encoding="utf-8")
    for words in commands_of(page, "kcmab "):
        with own_catalogue():
            parse(*words[1:])
        assert absent(words) == [], words


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["rum", "FILE"], KeyError),
        (["run", "FILE", "--resum"], click.NoSuchOption),
        (["run", "FILE", "--replications", "few"], click.BadParameter),
        (["list", "policy"], click.BadParameter),
    ],
)
def test_commands_that_do_not_exist_are_found(words, error, folder):
    """A misspelt command, option or value is no command of ours."""
    with pytest.raises(error):
        parse(*words)


@every_page
def test_files_of_tests_exist(page):
    """Files after `pytest` are those of the repository."""
    with contextlib.chdir(ROOT):
        assert [absent(words) for words in commands_of(page, "pytest ") if absent(words)] == []


@every_page
def test_modules_can_be_run(page):
    """`python -m` names something that runs; with options, it understands them."""
    for _, _, module, *options in commands_of(page, "python -m "):
        found = importlib.util.find_spec(module)
        if found is None and module in OTHERS:
            leave_out(f"needs {module}: install the extra {OTHERS[module]!r}")
        assert found is not None, module
        if found.submodule_search_locations is not None:
            assert importlib.util.find_spec(f"{module}.__main__"), module
        if options:
            ask = [sys.executable, "-m", module, *options, "--help"]
            subprocess.run(ask, cwd=ROOT, check=True, capture_output=True)


@every_page
def test_extras_exist(page):
    """What is installed in brackets is an extra of the package."""
    text = page.read_text(encoding="utf-8")
    named = {extra for extras in EXTRA.findall(text) for extra in extras.split(",")}
    assert named <= set(EXTRAS)


@every_page
def test_options_exist(page):
    """An option on its own is one of `kcmab`, of the measurements, or of a command on the page."""
    text = page.read_text(encoding="utf-8")
    known = {name for each in commands.commands.values() for o in each.params for name in o.opts}
    known |= set(re.findall(r"--[\w-]+", (ROOT / "bench" / "__main__.py").read_text()))
    known |= {word for block in blocks_of(page) for word in re.findall(r"--[\w-]+", block.text)}
    alone = [code.split()[0] for code in code_of(text) if code.startswith("--")]
    assert [option for option in alone if option not in known | {"--help"}] == []


def test_there_are_commands_to_check():
    """Commands are found in sentences and in tables, or all this would mean little."""
    assert ["kcmab", "list"] in commands_of(ROOT / "README.md", "kcmab ")
    assert ["kcmab", "check"] in commands_of(ROOT / "docs" / "writing.md", "kcmab ")
