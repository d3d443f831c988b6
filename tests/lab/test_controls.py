"""The record of used controls, tested on pages and in runs of its own."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.lab.controls import Record, last_look, shortcuts

ROOT = Path(__file__).parents[2]


@pytest.fixture
def record():
    """A record that no test run evaluates."""
    return Record()


@pytest.fixture
def show(browser, record):
    """Call it with the body of a page to open that page."""
    context = browser.new_context()
    page = record.follow(context)

    def _show(body):
        page.goto(f"data:text/html;charset=utf-8,{quote(body)}")
        return page

    yield _show
    context.close()


@pytest.fixture
def unused(record):
    """Call it for the controls that have not been used on the page."""

    def _unused(page):
        last_look(page)
        return record.unused

    return _unused


def test_the_button_that_nobody_presses_is_named(show, unused):
    """Of two buttons one is pressed; the other is unused, even after the page has closed."""
    page = show("<button>One</button><button>Two</button>")
    page.get_by_role("button", name="One").click()
    page.goto("about:blank")
    assert unused(page) == [("", "button", "Two")]


def test_a_control_is_known_by_its_place_its_role_and_its_name(show, unused):
    """Names come from labels, fields and text, but not from numbers, icons or disabled controls."""
    page = show("""
        <header><a href="#x"><i aria-hidden="true">icon</i> Skip</a></header>
        <main>
        <div role="tab" tabindex="0" aria-selected="true">Market</div>
        <section aria-label="Arms"><button aria-label="Remove arm 1"></button>
          <button>Remove arm 2</button><div role="slider" aria-label="mean of arm 3">
          <div tabindex="0"></div></div></section>
        <section aria-label="Question"><p id="ask">Which of 1,000?</p>
          <div role="radiogroup" aria-labelledby="ask"><div role="radio" tabindex="0">A</div>
          <div role="radio" tabindex="-1">B</div></div></section>
        </main>
        <div role="dialog"><h2>Keys</h2><label>Link <input></label><input type="file"></div>
        <button disabled>Off</button><button hidden>Gone</button><p tabindex="-1">Words</p>
    """)
    assert unused(page) == [
        ("Keys", "textbox", "Link"),
        ("Keys", "upload", ""),
        ("Market", "tab", "Market"),
        ("Market, Arms", "button", "Remove arm #"),
        ("Market, Arms", "slider", "mean of arm #"),
        ("Market, Question", "radiogroup", "Which of #?"),
        ("header", "link", "Skip"),
    ]


def test_a_control_that_comes_and_goes_is_remembered(show, unused):
    """A control that was only briefly on the page is recorded."""
    page = show("<p>Nothing</p>")
    page.evaluate("document.body.innerHTML = '<button>Now</button>'")
    page.wait_for_timeout(600)  # the page is looked at twice in that time
    page.evaluate("document.body.innerHTML = ''")
    assert unused(page) == [("", "button", "Now")]


def test_a_field_is_used_when_something_is_typed(show, unused):
    """Clicking into a field does not count as using it, unless it is read-only."""
    page = show('<input aria-label="seed"><input aria-label="link" readonly>')
    page.get_by_label("seed").click()
    page.get_by_label("link").click()
    assert unused(page) == [("", "textbox", "seed")]
    page.get_by_label("seed").fill("7")
    assert unused(page) == []


def test_a_list_is_used_when_something_is_chosen(show, unused):
    """A list that was only opened does not count as used."""
    page = show("""
        <input role="combobox" aria-label="speed" aria-controls="all" aria-expanded="true">
        <div role="listbox" id="all"><div role="option" tabindex="0">fast</div></div>
    """)
    page.get_by_role("combobox").click()
    assert unused(page) == [("", "combobox", "speed")]
    page.get_by_role("option").click()
    assert unused(page) == []


def test_what_a_script_does_is_not_what_a_visitor_does(show, unused):
    """Only genuine user events count."""
    page = show("<button>One</button>")
    page.get_by_role("button").dispatch_event("click")
    page.evaluate("document.querySelector('button').click()")
    assert unused(page) == [("", "button", "One")]


def test_keys_count_where_the_page_hears_them(show, unused, record):
    """A shortcut counts as used; an unknown key or one typed into a field does not."""
    page = show("""
        <input aria-label="seed">
        <script>document.onkeydown = (event) => event.key !== "n"</script>
    """)
    page.get_by_label("seed").fill("7")
    record.seen.update(shortcuts(["n u"]))
    page.get_by_label("seed").press("n")
    page.get_by_label("seed").blur()
    page.keyboard.press("u")
    assert unused(page) == [("", "key", "n"), ("", "key", "u")]
    page.keyboard.press("n")
    assert unused(page) == [("", "key", "u")]


def test_the_help_is_read_key_by_key():
    """Named keys get the browser's names, and a range of keys is expanded."""
    keys = [control.name for control in shortcuts(["Space", "→ n", "1 … 3", "?"])]
    assert keys == [" ", "ArrowRight", "n", "1", "2", "3", "?"]


PLUGIN = """
import pytest
from tests.lab.controls import RECORD, Control

@pytest.fixture
def visit(pytestconfig):
    record = pytestconfig.stash[RECORD]
    record.seen |= {Control("Market", "button", "One"), Control("Market", "button", "Two")}
    return lambda name: record.used.add(Control("Market", "button", name))
"""
WALKS = """
import pytest

def test_page(visit):
    visit("nothing")

@pytest.mark.slow
def test_walk(visit):
    visit({name!r})
    assert {name!r} != "wrong"
"""
MESSAGE = "button 'Two' (Market)"


def run_walks(folder, buttons, *options):
    """Run a folder of test files, each with a walk that uses one button."""
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (folder / "conftest.py").write_text(PLUGIN)
    for place, name in enumerate(buttons):
        (folder / f"test_{place}.py").write_text(WALKS.format(name=name))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.lab.controls", *options],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("options", ["-n 0", "-n 2", "-n 0 -m slow", "-n 2 -m slow"])
def test_a_run_of_all_walks_fails_for_a_control_that_none_uses(tmp_path, options):
    """With and without workers, the run fails although all tests pass, and says why."""
    status, told = run_walks(tmp_path, ["One", "One"], *options.split())
    assert status == pytest.ExitCode.TESTS_FAILED
    assert MESSAGE in told
    assert "button 'One'" not in told
    assert " failed" not in told


@pytest.mark.slow
def test_a_run_of_walks_that_use_everything_passes(tmp_path):
    """A control unused by one worker may be used by another."""
    status, told = run_walks(tmp_path, ["One", "Two"], "-n", "2", "--dist", "loadfile")
    assert status == pytest.ExitCode.OK
    assert "no walk uses" not in told


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", ["-k test_0", "test_0.py", "test_0.py::test_walk test_1.py", "-m 'not slow'"]
)
def test_a_selection_of_walks_proves_nothing(tmp_path, options):
    """A run of selected walks does not report controls."""
    status, told = run_walks(tmp_path, ["One", "One"], *shlex.split(options))
    assert status == pytest.ExitCode.OK
    assert MESSAGE not in told


@pytest.mark.slow
def test_a_walk_that_fails_is_enough_to_say(tmp_path):
    """If a walk fails, unused controls are not reported."""
    status, told = run_walks(tmp_path, ["One", "wrong"])
    assert status == pytest.ExitCode.TESTS_FAILED
    assert MESSAGE not in told
