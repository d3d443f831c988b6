"""The errors of the package, each a subclass of the nearest builtin error."""

from __future__ import annotations


class MarketError(Exception):
    """An error that the user can correct, in a setting, a file or a policy."""


class _ListOfProblems(MarketError):
    """An error that lists everything wrong, one line per problem."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[_ListOfProblems], tuple[list[str]]]:
        return type(self), (self.problems,)


class ScenarioError(_ListOfProblems, ValueError):
    """A scenario that cannot be run; `problems` lists everything wrong with it."""


class UnknownNameError(MarketError, KeyError):
    """A name that is not in its catalogue."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


class EngineError(MarketError, RuntimeError):
    """An engine that cannot run the scenario."""


class PlayError(MarketError, RuntimeError):
    """A policy, behaviour or pricing rule that failed or broke the rules while it ran."""


class WorkerError(MarketError, RuntimeError):
    """Workers that were lost, or that differ from this process."""


class OutputError(MarketError, OSError):
    """Results that cannot be written to the given place."""


class DamageError(_ListOfProblems):
    """Results that changed since they were written; `problems` lists every change."""


class BeyondCompiled(EngineError):
    """A value that compiled code cannot handle as Python does; `what` names it and its place."""

    def __init__(self, label: str, what: str) -> None:
        super().__init__(
            f"policy {label!r}: {what}, which compiled code cannot handle as Python does; "
            "use engine 'market'"
        )
        self.label = label
        self.what = what

    def __reduce__(self) -> tuple[type[BeyondCompiled], tuple[str, str]]:
        return type(self), (self.label, self.what)
