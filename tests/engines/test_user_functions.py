"""A user's own policies, behaviours and laws run as the package's do, in both engines."""

from __future__ import annotations

import math
import types
from fractions import Fraction

import numpy as np
import pytest

from kcmab_abm import (
    LawSettings,
    MarketError,
    Parameter,
    behaviour,
    highest,
    law,
    leader,
    make_scenario,
    play,
    policy,
    pricing,
    simulate,
)
from kcmab_abm.errors import EngineError, PlayError
from tests.markets import NINE_ARMS, assert_same

STRIDE = 2


def scenario_of(policies, customers="greedy", arms=None, **changes):
    """A small market of nine arms under the policies named; names may come with parameters."""
    market = {
        "arms": arms or {"law": "bernoulli", "means": NINE_ARMS},
        "customers": {"behaviour": customers} if isinstance(customers, str) else customers,
    }
    shape = {"horizon": 80, "replications": 6, "seed": 3}
    table = [{"name": each} if isinstance(each, str) else each for each in policies]
    return make_scenario({**shape, **changes, "market": market, "policy": table})


def engines_agree(scenario):
    """The trajectory of the first policy, after comparing the engines."""
    market, batch = (play(scenario, engine=engine) for engine in ("market", "batch"))
    assert_same(market, batch)
    return batch


def stride(customer, arms):
    """A helper of the policy below, in the same module."""
    return (customer * STRIDE) % arms


@policy("test-strider")
def choose_by_helper(t, book, memory, params, rng):
    """Promotes every other arm."""
    return stride(t, len(book.means))


@policy("test-vectorised")
def choose_vectorised(t, book, memory, params, rng):
    """Promotes by upper confidence bounds, written with whole arrays."""
    return np.argmax(book.means + np.sqrt(2 * np.log(t) / book.pulls))


def remember(arm, reward, book, memory, params, rng):
    """Keep a discounted score of every arm."""
    memory.score[arm] = params.discount * memory.score[arm] + reward
    memory.heard[0] += 1.0


@policy(
    "test-discounted",
    learn=remember,
    memory={"score": "arms", "noisy": "arms", "heard": 1, "window": "width"},
    discount=Parameter(0.9, "weight of the past", ge=0.0, le=1.0),
    width=Parameter(4, "length of the window", ge=1),
)
def choose_discounted(t, book, memory, params, rng):
    """Promotes the arm with the best discounted score, with some noise."""
    memory.window[t % params.width] = memory.heard[0]
    for arm in range(len(book.means)):
        memory.noisy[arm] = memory.score[arm] + rng.standard_normal() + memory.window[0]
    return highest(memory.noisy, book, rng)


@behaviour("test-stubborn", memory={"last": 1})
def take_stubbornly(t, book, board, memory, params, rng):
    """Takes the leader, unless the offer is above what the last customer was offered."""
    before = memory.last[0]
    memory.last[0] = board.offers[board.target]
    return board.target if memory.last[0] > before else leader(book, rng)


@behaviour(
    "my-customer",
    arm=Parameter(-1, "what some customers take"),
    every=Parameter(3, "how far they are apart", gt=0),
)
def take_otherwise(t, book, board, memory, params, rng):
    """Takes an arm of her own now and then, else the target."""
    return params.arm if t % params.every == 0 else board.target


class RootSettings(LawSettings):
    """Arms that pay the square root of a uniform, scaled."""

    scales: list[float]

    def rows(self):
        """One number an arm."""
        return [(scale,) for scale in self.scales]


@law(
    "test-root",
    settings=RootSettings,
    mean=lambda row: row[0] * 2.0 / 3.0,
    variance=lambda row: row[0] ** 2 / 18.0,
)
def root_reward(u, row):
    """Pays the square root of a uniform, scaled."""
    return row[0] * math.sqrt(u)


@policy("test-fractions")
def choose_by_fractions(t, book, memory, params, rng):
    """Does what the compiler cannot: exact fractions."""
    return int(Fraction(t, 2)) % 2


@policy("my-rule", arm=Parameter(9, "what customer 41 gets"))
def choose_wrongly(t, book, memory, params, rng):
    """Promotes an arm that may not exist to customer 41."""
    return params.arm if t == 41 else 0


@policy(
    "test-trespasser",
    memory={"small": 1, "other": 1},
    written=Parameter(0, "the entry of the memory that is written to"),
    read=Parameter(0, "the entry of the book that is read"),
)
def choose_and_trespass(t, book, memory, params, rng):
    """Writes and reads wherever it is told to."""
    memory.small[params.written] = book.means[params.read]
    return 0


def test_a_policy_may_call_a_helper():
    """A policy that calls a function of its own module runs the same in both engines."""
    run = engines_agree(scenario_of(["test-strider"]))
    assert run.targets[9:13].tolist() == [2, 4, 6, 8]


@pytest.mark.slow
def test_a_policy_may_be_a_closure():
    """A policy made inside a function carries its enclosing variables along."""
    pace = 4

    @policy("test-closure")
    def choose(t, book, memory, params, rng):
        """Promotes arms at a pace of its own."""
        return (t * pace) % len(book.means)

    assert engines_agree(scenario_of(["test-closure"])).targets[9:12].tolist() == [4, 8, 3]


@pytest.mark.slow
def test_a_policy_may_use_whole_arrays():
    """A policy in vectorised NumPy runs the same in both engines, at its full length."""
    engines_agree(scenario_of(["test-vectorised"], horizon=2000))


@pytest.mark.slow
def test_a_policy_may_learn_and_remember():
    """Memory of every kind, parameters and draws are the same in both engines."""
    engines_agree(scenario_of(["test-discounted"], horizon=300))


def test_a_behaviour_of_ones_own():
    """Customers defined by the user meet the package's policy, the same in both engines."""
    run = engines_agree(scenario_of(["ucb"], "test-stubborn", horizon=300))
    asked = ~run.seeded
    assert 0.0 < (run.arms == run.targets)[asked].mean() < 1.0


@pytest.mark.slow
def test_a_law_of_ones_own():
    """Rewards by the user's own law, mixed with the package's, are the same in both engines."""
    arms = [{"law": "test-root", "scales": [1.0, 0.5]}, {"law": "bernoulli", "means": [0.5]}]
    run = engines_agree(scenario_of(["ts"], arms=arms, horizon=200))
    assert len(set(run.rewards[run.arms == 0])) > 5
    assert run.rewards[run.arms == 1].max() <= 0.5


@pytest.mark.slow
def test_customers_may_leave():
    """Who leaves pulls nothing, is paid nothing, and forgoes the whole best mean."""
    scenario = scenario_of(["round-robin"], "my-customer")
    run = engines_agree(scenario)
    left = ~run.seeded & (np.arange(1, 81) % 3 == 0)
    assert np.all(run.arms[left] == -1)
    assert np.all(run.rewards[left] == 0.0)
    assert np.all(run.payments[left] == 0.0)
    assert np.all(run.regrets[left] == 0.9)
    assert np.all(run.arms[~left] >= 0)
    assert np.any(run.offers[left] > 0.0)


def test_customers_who_leave_are_counted_alike():
    """The sums over customers who leave are the same in both engines."""
    scenario = scenario_of(["round-robin"], "my-customer")
    market, batch = (simulate(scenario, engine=engine) for engine in ("market", "batch"))
    assert market.digest() == batch.digest()
    assert batch.arms().pulls.sum() == 57.0


def test_what_cannot_be_compiled_runs_in_the_market():
    """A policy beyond the compiler runs all the same, and the results say why so slowly."""
    results = simulate(scenario_of(["test-fractions"]))
    used = results.engines["test-fractions"]
    assert used.engine == "market"
    assert used.reason.startswith("numba cannot compile 'test-fractions'")
    assert results.summary().acceptance[0] == 1.0


def test_what_cannot_be_compiled_is_refused_by_the_batch_engine():
    """Asked for by name, the batch engine says that it cannot and what to do instead."""
    with pytest.raises(EngineError, match=r"'test-fractions'.*use engine 'auto' or 'market'"):
        simulate(scenario_of(["test-fractions"]), engine="batch")


def test_one_that_compiles_beside_one_that_does_not():
    """Each policy of a scenario gets the fastest engine that can run it."""
    results = simulate(scenario_of(["ucb", "test-fractions"]))
    assert results.engine == "mixed"
    assert results.engines["ucb"].engine == "batch"
    assert results.engines["test-fractions"].engine == "market"
    assert results.digest() == simulate(results.scenario, engine="market").digest()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("run", [play, simulate])
@pytest.mark.parametrize("arm", [9, -1])
def test_an_arm_that_does_not_exist(engine, run, arm):
    """A policy that promotes an arm out of range is told which, when, and what there is."""
    expected = f"policy 'my-rule' chose arm {arm} for customer 41 of replication 0; arms are 0..8"
    with pytest.raises(PlayError) as caught:
        run(scenario_of([{"name": "my-rule", "arm": arm}]), engine=engine)
    assert str(caught.value) == expected


@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("arm", [9, -2])
def test_a_customer_who_takes_what_does_not_exist(engine, arm):
    """A behaviour that takes an arm out of range is told which, who, and what there is."""
    customers = {"behaviour": "my-customer", "arm": arm, "every": 41}
    expected = (
        f"behaviour 'my-customer' took arm {arm} as customer 41 of replication 0; "
        "arms are 0..8, or -1 to leave"
    )
    with pytest.raises(PlayError) as caught:
        play(scenario_of(["round-robin"], customers), engine=engine)
    assert str(caught.value) == expected


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["market", "batch"])
@pytest.mark.parametrize("place", [{"written": 1}, {"written": -2}, {"read": 9}, {"read": -10}])
def test_who_leaves_an_array_is_stopped(engine, place):
    """Writing or reading outside an array is an error with its line, never a corrupted memory."""
    with pytest.raises(PlayError, match=r"\(test_user_functions.py, line \d+\): .*out of bounds"):
        play(scenario_of([{"name": "test-trespasser", **place}]), engine=engine)


def define_again(what, scale):
    """Define one of the test's functions anew, as when a notebook cell is run again."""
    if what == "policy":

        @policy("test-notebook")
        def choose(t, book, memory, params, rng):
            """Promotes one arm for ever."""
            return scale

    elif what == "behaviour":

        @behaviour("test-notebook")
        def take(t, book, board, memory, params, rng):
            """Takes an arm some places after the target, for ever."""
            return (board.target + scale) % len(book.means)

    else:

        @law(
            "test-notebook",
            settings=RootSettings,
            mean=lambda row: row[0],
            variance=lambda row: 0.0,
        )
        def reward(u, row):
            """Pays always the same."""
            return row[0] / scale


@pytest.mark.slow
def test_what_is_defined_again_replaces_the_first():
    """A notebook cell run again takes effect, for a policy, a behaviour or a law, at once."""
    arms = {"law": "test-notebook", "scales": [1.0] * 9}
    scales = {"policy": 1, "behaviour": 1, "law": 1}
    for what in scales:
        define_again(what, 1)
    for what in ("nothing", *scales):
        if what in scales:
            scales[what] = 2
            define_again(what, 2)
        run = engines_agree(scenario_of(["test-notebook"], "test-notebook", arms))
        assert set(run.targets[9:].tolist()) == {scales["policy"]}
        assert set(run.arms[9:].tolist()) == {scales["policy"] + scales["behaviour"]}
        assert set(run.rewards.tolist()) == {1.0 / scales["law"]}


@pytest.mark.slow
def test_what_helpers_read_may_change():
    """A constant that helpers in a module and in a closure read is read anew by both engines."""
    rules = types.ModuleType("users_rules")
    exec("STRIDE = 1\ndef step(t):\n    return t * STRIDE", vars(rules))
    scope = {"__name__": "users_rules", "STRIDE": 1}
    exec("def more(t):\n    return t * STRIDE", scope)
    more = scope["more"]

    @policy("test-module")
    def choose(t, book, memory, params, rng):
        """Promotes arms by helpers of a module and of a closure."""
        return (rules.step(t) + 2 * more(t)) % len(book.means)

    for in_module, in_closure in ((1, 1), (2, 1), (2, 2)):
        rules.STRIDE, scope["STRIDE"] = in_module, in_closure
        run = engines_agree(scenario_of(["test-module"]))
        assert run.targets[9:].tolist() == [
            t * (in_module + 2 * in_closure) % 9 for t in range(10, 81)
        ]


@pytest.mark.parametrize(
    ("register", "name"),
    [
        (policy, "ucb"),
        (behaviour, "greedy"),
        (
            lambda name: law(name, settings=RootSettings, mean=abs, variance=abs),
            "bernoulli",
        ),
    ],
)
def test_the_names_of_the_package_are_taken(register, name):
    """Nobody can put a function of her own under a name that the package uses."""
    with pytest.raises(MarketError, match=f"'{name}' is already in the catalogue"):
        register(name)(root_reward)


@pytest.mark.parametrize(
    ("register", "word"),
    [
        (policy, "label"),
        (behaviour, "weight"),
        (behaviour, "behaviour"),
        (pricing, "rule"),
    ],
)
def test_the_words_of_scenario_files_are_taken(register, word):
    """A parameter that could not be told from another key of the file is refused by name."""
    with pytest.raises(MarketError, match=f"parameter '{word}' has another meaning"):
        register("my-rule", **{word: Parameter(1.0, "a number")})


@pytest.mark.parametrize("name", ["MyRule", "my_rule", "my rule", "-rule", "2-rules", ""])
def test_names_are_lower_case_and_hyphenated(name):
    """A name that could not be written in a scenario file like the others is refused."""
    with pytest.raises(MarketError, match="lower-case words joined by hyphens"):
        policy(name)(choose_by_helper)
