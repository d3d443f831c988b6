"""Markets as Gymnasium environments, to train controllers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kcmab_abm.errors import MarketError

if TYPE_CHECKING:
    from kcmab_abm.gym.market_env import MarketEnv
    from kcmab_abm.gym.market_vector_env import MarketVectorEnv
    from kcmab_abm.running.options import Engine
    from kcmab_abm.scenario.scenario import Scenario

__all__ = ["make", "make_vec"]


def make(
    scenario: Scenario,
    *,
    action: str = "target",
    reward: str | Callable[..., Any] = "profit",
    price: float | None = None,
    largest_offer: float | None = None,
    engine: Engine = "auto",
) -> MarketEnv:
    """Make an environment in which you are the controller of one market.

    Needs the extra `gym`.

    Parameters
    ----------
    scenario : Scenario
        The scenario to play, without a sweep. Its policies are not used.
    action : {"target", "target-and-offer"}
        What an action says: the arm to promote, or that arm and the offer for it. Otherwise the
        scenario's pricing rule makes the offer.
    reward : {"profit", "regret"} or callable
        What a step is worth: "profit" is the reward of the arm taken less `price` times the
        payment; "regret" is minus the regret and `price` times the payment, which requires the true
        means and is for training only. A function asks by name for columns of the customers whose
        visits ended, `t`, `target`, `offer`, `seeded`, `arm`, `reward`, `payment` and `regret`,
        each an array, or for the `horizon`, and returns one number per customer.
    price : float, optional
        The price of a payment of 1, by default 1.
    largest_offer : float, optional
        The largest offer in the action space, by default 1 or the scenario's cap if that is lower;
        also the largest fee, if the purse allows fees.
    engine : {"auto", "market", "batch"}
        The engine to use; "auto" selects the batch engine wherever it can run the market.

    Returns
    -------
    MarketEnv
        The environment, a `gymnasium.Env`.

    Raises
    ------
    MarketError
        If Gymnasium is missing or a setting makes no sense.
    EngineError
        If the batch engine is asked for and cannot run the market.

    Examples
    --------
    >>> import kcmab_abm as kcmab
    >>> scenario = kcmab.make_scenario({
    ...     "horizon": 100,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.5]}},
    ...     "policy": [{"name": "ucb"}],
    ... })
    >>> env = kcmab.gym.make(scenario, engine="market")
    >>> observation, info = env.reset()
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> observation["pulls"], reward, info["seeded"]
    (array([1, 0]), 1.0, True)
    """
    try:
        from kcmab_abm.gym.market_env import MarketEnv
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    from kcmab_abm.gym.episodes import Episodes

    return MarketEnv(Episodes(scenario, 1, action, reward, price, largest_offer, engine))


def make_vec(
    scenario: Scenario,
    num_envs: int,
    *,
    action: str = "target",
    reward: str | Callable[..., Any] = "profit",
    price: float | None = None,
    largest_offer: float | None = None,
    engine: Engine = "auto",
) -> MarketVectorEnv:
    """Make a vector environment: many markets that are stepped together in compiled code.

    Parameters
    ----------
    scenario : Scenario
        The scenario to play, without a sweep. Its policies are not used.
    num_envs : int
        The number of markets. In the first episode, market i plays replication i.
    action, reward, price, largest_offer, engine
        As for `make`.

    Returns
    -------
    MarketVectorEnv
        The environment, a `gymnasium.vector.VectorEnv`.

    Raises
    ------
    MarketError
        If Gymnasium is missing or a setting makes no sense.
    EngineError
        If the batch engine is asked for and cannot run the markets.

    Examples
    --------
    >>> import kcmab_abm as kcmab
    >>> scenario = kcmab.make_scenario({
    ...     "horizon": 100,
    ...     "market": {"arms": {"law": "bernoulli", "means": [0.9, 0.5]}},
    ...     "policy": [{"name": "ucb"}],
    ... })
    >>> envs = kcmab.gym.make_vec(scenario, num_envs=3, engine="market")
    >>> observations, infos = envs.reset(seed=3)
    >>> observations, rewards, terminated, truncated, infos = envs.step([0, 1, 1])
    >>> rewards
    array([0., 1., 1.])
    """
    try:
        from kcmab_abm.gym.market_vector_env import MarketVectorEnv
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    from kcmab_abm.gym.episodes import Episodes

    if not isinstance(num_envs, int) or num_envs < 1:
        raise MarketError(f"num_envs={num_envs!r}: must be a number >= 1")
    return MarketVectorEnv(
        Episodes(scenario, num_envs, action, reward, price, largest_offer, engine)
    )


def _missing(error: ModuleNotFoundError) -> MarketError:
    library = str(error.name).partition(".")[0]
    return MarketError(
        f'environments need {library}, which is not installed; pip install "kcmab-abm[gym]"'
    )
