"""A check that users' functions carry nothing over from one replication to the next."""

from __future__ import annotations

from collections.abc import Callable, Collection

from kcmab_abm.catalogue.identity.fingerprint import Opaque, fingerprint
from kcmab_abm.errors import PlayError
from kcmab_abm.model.trajectory import Tally
from kcmab_abm.scenario.scenario import Scenario
from kcmab_abm.scenario.world import Choice

_UNREAD = "unread"  # the state of functions that refer to what has no digest


def outside_state(scenario: Scenario, policy: Choice) -> str:
    """The digest of what users' functions are and refer to, as it is now; '' without any."""
    users = scenario.users(policy)
    try:
        return fingerprint([each.functions for each in users]) if users else ""
    except Opaque:
        return _UNREAD


def refuse_carried_state(
    play: Callable[[int], Tally],
    states: Collection[str],
    scenario: Scenario,
    policy: Choice,
    replication: int,
    found: Tally,
) -> None:
    """Repeat a replication if functions changed what they refer to; it must be as it was.

    A function that fills a list or counts its calls in a global variable may still be repeatable.
    If it is not, its results depend on which replications the same process played before. What
    cannot be read may have changed: then replication 0 is repeated, and no other. It is repeated
    twice, because what goes round, such as every second call, may have come round to where it was.

    Parameters
    ----------
    play
        Plays a replication.
    states
        The states outside of memory before the first replication, after it, and after the last one.
    scenario, policy
        What is run.
    replication, found
        The first replication, and what came out when it was first played.
    """
    if len(set(states)) == 1 and (_UNREAD not in states or replication > 0):
        return
    for _ in range(2):
        again = play(replication)
        if any(one.tobytes() != other.tobytes() for one, other in zip(found, again, strict=True)):
            users = " or ".join(f"{each.kind} {each.name!r}" for each in scenario.users(policy))
            raise PlayError(
                f"{users} gave another result when replication {replication} was repeated: a "
                "function keeps something outside of memory, such as in a global variable, from "
                "one replication to the next; keep it in memory, which every replication begins "
                "anew"
            )
