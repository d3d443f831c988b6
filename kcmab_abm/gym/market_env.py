"""One market as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
from numpy.typing import NDArray

from kcmab_abm.gym.episodes import Episodes
from kcmab_abm.gym.markets import Ended

Observation = dict[str, NDArray[Any]]


class MarketEnv(gymnasium.Env[Any, Any]):
    """A market whose controller acts once per customer; made by `make`.

    Attributes
    ----------
    scenario : Scenario
        The scenario that is played.
    engine : str
        "batch" if the market runs in compiled code, else "market".
    """

    metadata = {"render_modes": []}  # noqa: RUF012 (declared like this by Gymnasium)

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes
        self.scenario, self.engine = episodes.scenario, episodes.engine
        self.observation_space = episodes.observation_space
        self.action_space = episodes.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin the next replication, or replication 0 of the scenario with another seed.

        Parameters
        ----------
        seed : int, optional
            Replaces the scenario's seed from now on.
        options : dict, optional
            `{"replication": r}` begins this replication.

        Returns
        -------
        tuple
            The first observation, and the `seed` and `replication` that are played.
        """
        super().reset(seed=seed)
        found = self._episodes.begin(seed, options)
        info = {"seed": self._episodes.seed, "replication": int(self._episodes.opened[0])}
        return _first(found), info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Let the next customer choose.

        Parameters
        ----------
        action
            An element of `action_space`; not used for a customer who is seeded.

        Returns
        -------
        tuple
            Observation, reward, terminated, truncated (always False), and what an `Event` says of
            the customer if her visit has ended.

        Raises
        ------
        MarketError
            If there is no next customer, or the action is not in the space.
        PlayError
            If a function of the scenario fails or breaks the rules.
        """
        t = self._episodes.t
        found, rewards, ended = self._episodes.step(action)
        over = self._episodes.is_over
        return _first(found), float(rewards[0]), over, False, _info(ended, t)


def _first(found: dict[str, NDArray[Any]]) -> Observation:
    return {word: rows[0] for word, rows in found.items()}


def _info(ended: Ended, t: int) -> dict[str, Any]:
    """The customer of this step, unless she is still in the market."""
    for line, number in enumerate(ended.t.tolist()):
        if number == t:
            columns = ended._asdict().items()
            return {word: column[line].item() for word, column in columns if word != "place"}
    return {}
