"""Many markets as one vector environment of Gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kcmab_abm.errors import MarketError
from kcmab_abm.gym.episodes import Episodes, Observations
from kcmab_abm.gym.markets import Ended, Floats

Flags = NDArray[np.bool_]


class MarketVectorEnv(VectorEnv[Observations, Any, Any]):
    """Markets of one scenario that are stepped together; made by `make_vec`.

    All episodes have the same length. The step after the last customer ignores its actions and
    begins the next replications (`AutoresetMode.NEXT_STEP`).

    Attributes
    ----------
    scenario : Scenario
        The scenario that is played.
    engine : str
        "batch" if the markets run in compiled code, else "market".
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, episodes: Episodes) -> None:
        self._episodes = episodes
        self.num_envs = episodes.count
        self.scenario, self.engine = episodes.scenario, episodes.engine
        self.single_observation_space = episodes.observation_space
        self.single_action_space = episodes.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ended = False  # whether the last step was the last of its episode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin the next replications, or those from 0 on with another seed.

        Parameters
        ----------
        seed : int, optional
            Replaces the scenario's seed from now on. Market i plays replication i.
        options : dict, optional
            `{"replication": r}` begins with this replication in the first market.

        Returns
        -------
        tuple
            The first observations, and the `seed` and `replication` that each market plays.
        """
        if seed is not None and not isinstance(seed, int):
            raise MarketError(
                f"seed {seed!r}: must be one number; the markets play different replications"
            )
        super().reset(seed=seed)
        self._ended = False
        found = self._episodes.begin(seed, options)
        seeds = np.full(self.num_envs, self._episodes.seed, np.uint64)
        return found, self._masked({"seed": seeds, "replication": self._episodes.opened})

    def step(self, actions: Any) -> tuple[Observations, Floats, Flags, Flags, dict[str, Any]]:
        """Let the next customer of every market choose.

        Parameters
        ----------
        actions
            An element of `action_space`.

        Returns
        -------
        tuple
            As for `MarketEnv.step`, with an array of each; in the last part, the array `_word`
            says for which markets `word` is known.
        """
        count = self.num_envs
        never = np.zeros(count, np.bool_)
        if self._ended:
            found, infos = self.reset()
            return found, np.zeros(count), never, never.copy(), infos
        t = self._episodes.t
        found, rewards, ended = self._episodes.step(actions)
        self._ended = self._episodes.is_over
        infos = self._infos(ended, t)
        return found, rewards, np.full(count, self._ended), never, infos

    def _infos(self, ended: Ended, t: int) -> dict[str, Any]:
        """The customers of this step, except those who are still in the market."""
        columns = {word: column for word, column in ended._asdict().items() if word != "place"}
        now = ended.t == t
        if len(now) == self.num_envs and now.all():
            return self._masked(columns)
        known = np.zeros(self.num_envs, np.bool_)
        known[ended.place[now]] = True
        infos = {word: np.zeros(self.num_envs, each.dtype) for word, each in columns.items()}
        for word, column in columns.items():
            infos[word][known] = column[now]
        return self._masked(infos, known)

    def _masked(self, infos: dict[str, Any], known: Flags | None = None) -> dict[str, Any]:
        """The information with a mask for each word, as Gymnasium wants it."""
        if known is None:
            known = np.ones(self.num_envs, np.bool_)
        return infos | {f"_{word}": known.copy() for word in infos}
