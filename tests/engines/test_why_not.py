"""A run leaves the batch engine for one reason: numba cannot compile what it is given."""

from __future__ import annotations

import errno
from types import ModuleType, SimpleNamespace

import pytest

from kcmab_abm import make_scenario
from kcmab_abm.batch import ready, run
from kcmab_abm.running.engine_choice import choose_engine


@pytest.fixture
def scenario():
    """Any scenario: its kernel is replaced."""
    arms = {"law": "bernoulli", "means": [0.9, 0.5]}
    return make_scenario({"horizon": 9, "market": {"arms": arms}, "policy": [{"name": "ucb"}]})


def compile_with(monkeypatch, error):
    """Let the compilation of a kernel that was never looked at end with this error."""

    def fail(_):
        raise error

    kernel = ModuleType("kernel")
    kernel.advance = SimpleNamespace(get_compile_result=fail)
    for module in (ready, run):
        monkeypatch.setattr(module, "kernel_of", lambda *_: kernel)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError(errno.EACCES, "Permission denied"),
        MemoryError("no more"),
        KeyboardInterrupt(),
        RuntimeWarning("turned into an error"),
    ],
    ids=repr,
)
def test_trouble_is_no_reason_for_another_engine(scenario, monkeypatch, error):
    """Disk and memory are nobody's code: the error comes through, the first time and the next."""
    compile_with(monkeypatch, error)
    for _ in range(2):
        with pytest.raises(type(error)):
            choose_engine(scenario, scenario.policies[0], "auto")


def test_a_fault_of_the_engine_is_no_reason_for_another(scenario, monkeypatch):
    """An error of the package's own is an error."""
    compile_with(monkeypatch, NotImplementedError("never asked"))
    monkeypatch.setattr(ready, "link", lambda *_: {}["missing"])
    with pytest.raises(KeyError):
        choose_engine(scenario, scenario.policies[0], "auto")


@pytest.mark.parametrize(
    "error", [TypeError("unhashable type: 'list'"), NotImplementedError("cell variable")], ids=repr
)
def test_numba_refuses_in_many_ways(scenario, monkeypatch, error):
    """Whatever numba raises about the code, the market runs it and the results say why."""
    compile_with(monkeypatch, error)
    used = choose_engine(scenario, scenario.policies[0], "auto")
    assert used.engine == "market"
    assert str(error) in used.reason
