"""What can go wrong in a market, each error under the nearest builtin."""

from __future__ import annotations


class MarketError(Exception):
    """Something the user can mend: a setting, a file, a policy of her own."""


class ScenarioError(MarketError, ValueError):
    """A scenario that cannot be run; `problems` holds every fault found, one line each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[list[str]]]:
        return type(self), (self.problems,)


class UnknownNameError(MarketError, LookupError):
    """A name that no policy, behaviour or law answers to."""


class EngineError(MarketError, RuntimeError):
    """The engine asked for cannot run this scenario."""


class PlayError(MarketError, RuntimeError):
    """A policy or behaviour broke the rules of the market while it ran."""


class WorkerError(MarketError, RuntimeError):
    """Workers were lost while they ran, or are not what they have to be."""


class OutputError(MarketError, OSError):
    """Results that cannot be written where they were asked to go."""
