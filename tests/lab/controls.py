"""Whether the walks through the page use every control that they come by.

No list is kept by hand: each visitor's page tells which controls were before her and which of them
she used (`controls.js`). A run of all walks in which every one passed must have used them all, or
it fails and names those that nobody touched. A selection of walks proves nothing and is left alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

SCRIPT = Path(__file__).with_name("controls.js")
RECORD = pytest.StashKey["Record"]()
OUTPUT = "controls"  # of a worker
_KEYS = {"Space": " ", "→": "ArrowRight", "←": "ArrowLeft"}  # as the browser calls them


class Control(NamedTuple):
    """A control on the page: where it is, its role and its name."""

    place: str
    role: str
    name: str


@dataclass
class Record:
    """The controls that visitors saw and those that they used."""

    seen: set[Control] = field(default_factory=set)
    used: set[Control] = field(default_factory=set)

    def follow(self, context):
        """A page of this browser profile that reports its controls from now on."""
        context.add_init_script(path=SCRIPT)
        page = context.new_page()
        line = context.new_cdp_session(page)
        line.on("Runtime.bindingCalled", lambda call: self._hear(call["payload"]))
        line.send("Runtime.enable")
        line.send("Runtime.addBinding", {"name": "tellControl"})
        return page

    def _hear(self, message):
        kind, control = json.loads(message)
        getattr(self, kind).add(Control(*control))

    @property
    def unused(self):
        """The controls that somebody saw and nobody used."""
        return sorted(self.seen - self.used)


def shortcuts(table):
    """The keys in the table of the page's help, one by one."""
    for words in table:
        keys = words.split()
        if "…" in keys:
            keys = map(str, range(int(keys[0]), int(keys[-1]) + 1))
        yield from (Control("", "key", _KEYS.get(key, key)) for key in keys)


def last_look(page):
    """Record what is on the page before it is closed."""
    if not page.is_closed():
        page.evaluate("window.lookAtControls()")


class Walks:
    """Which walks were run, whether that was all of them, and which passed."""

    def __init__(self, config):
        self.config = config
        self.record = config.stash[RECORD] = Record()
        self.files = set()
        self.walks = set()
        self.passed = set()
        self.left_out = any("::" in word for word in config.args)

    def pytest_itemcollected(self, item):
        """Record which files have tests."""
        self.files.add(item.path)

    def pytest_deselected(self, items):
        """If a walk is deselected, the run is only a selection."""
        self.left_out |= any(map(_is_walk, items))

    def pytest_collection_finish(self, session):
        """Record the walks of this run; if one of their files is missing, it is a selection."""
        walks = [item for item in session.items if _is_walk(item)]
        self.walks |= {item.nodeid for item in walks}
        folders = {item.path.parent for item in walks}
        self.left_out |= any(not self.files.issuperset(each.glob("test_*.py")) for each in folders)

    def pytest_runtest_logreport(self, report):
        """Record that a walk passed."""
        if report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        """Add a worker's record; if the worker died, nothing is known."""
        told = getattr(node, "workeroutput", {}).get(OUTPUT)
        self.left_out |= told is None or told["left_out"]
        if told:
            self.walks |= set(told["walks"])
            self.record.seen |= {Control(*each) for each in told["seen"]}
            self.record.used |= {Control(*each) for each in told["used"]}

    def pytest_sessionfinish(self, session, exitstatus):
        """Send the record to the main process, or fail there."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[OUTPUT] = {
                "walks": list(self.walks),
                "left_out": self.left_out,
                "seen": list(map(tuple, self.record.seen)),
                "used": list(map(tuple, self.record.used)),
            }
        elif exitstatus == pytest.ExitCode.OK and self.complaints():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """List the controls that nobody used."""
        complaints = self.complaints()
        if complaints:
            terminalreporter.section("controls of the page that no walk uses", red=True)
            terminalreporter.write("\n".join([*complaints, ""]))

    def complaints(self):
        """One line per control that nobody used; none if some walks did not pass."""
        if self.left_out or not self.walks or not self.walks <= self.passed:
            return []
        return [
            f"{each.role} {each.name!r} ({each.place or 'the page'})" for each in self.record.unused
        ]


def _is_walk(item):
    return "visit" in getattr(item, "fixturenames", ()) and item.get_closest_marker("slow")


def pytest_configure(config):
    """Start a record."""
    config.pluginmanager.register(Walks(config), "walks")
