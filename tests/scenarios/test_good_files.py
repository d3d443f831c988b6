"""Files that can be run: what they mean, what they leave out, what the JSON Schema says of them."""

from __future__ import annotations

import json
import pickle
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from kcmab_abm import ScenarioError, load_scenario, make_scenario, play, simulate
from kcmab_abm.cli.main import run
from kcmab_abm.scenario.scenario import ScenarioSettings
from kcmab_abm.scenario.schema import json_schema, scenario_table
from tests.markets import POLICY_NAMES, experiments

from .broken import CASES, text

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(FOLDER.glob("*.toml"))
DOCUMENTED = """
title = "Three policies"
horizon = 10000
replications = 1000
seed = 2018

[market]
arms = { law = "bernoulli", means = [0.9, 0.8, 0.7] }
customers = { behaviour = "greedy" }          # plus the behaviour's own settings
arrivals = { process = "slots" }              # slots | poisson, rate = ... | trace, file = ...

[[policy]]
name = "modified-epsilon-greedy"
label = "eps = 20"                            # optional, unique
epsilon = 20.0
"""
ARMS = {"law": "bernoulli", "means": [0.9, 0.1]}
SHORT = {"horizon": 20, "market": {"arms": ARMS}, "policy": [{"name": "ucb"}]}


@pytest.fixture(scope="module")
def schema():
    """A validator for the JSON Schema of scenario files."""
    return Draft202012Validator(json_schema())


def with_market(**market):
    """The short scenario with other settings of the market."""
    return make_scenario({**SHORT, "market": {"arms": ARMS, **market}})


def with_policies(*policies):
    """The short scenario with other policies."""
    return make_scenario({**SHORT, "policy": list(policies)})


def test_there_are_scenario_files():
    """The repository has scenario files to try."""
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario_file_runs(path):
    """Every scenario file of the repository runs, here at a reduced size."""
    scenario = load_scenario(path).replace(horizon=40, replications=2, sweep=None, precision=None)
    summary = simulate(scenario, engine="market").summary()
    assert list(summary["policy"]) == [choice.label for choice in scenario.policies]
    assert np.isfinite(summary["regret"]).all()


def test_check_finds_all_scenario_files_fine(capsys):
    """The check command has nothing to say against the files of the repository."""
    assert run(["check", *map(str, FILES)]) == 0
    assert capsys.readouterr().out.count(": fine: ") == len(FILES)


def test_schema_is_a_schema():
    """The JSON Schema obeys the rules for JSON Schemas, and can be written as JSON."""
    Draft202012Validator.check_schema(json_schema())
    assert json.loads(json.dumps(json_schema())) == json_schema()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_schema_accepts_scenario_files(path, schema):
    """The JSON Schema accepts every scenario file of the repository."""
    schema.validate(tomllib.loads(path.read_text(encoding="utf-8")))


@settings(max_examples=25)
@given(settings=experiments(policies=POLICY_NAMES))
def test_schema_accepts_what_loads(settings):
    """Whatever makes a scenario is accepted by the JSON Schema, with and without its defaults."""
    validator = Draft202012Validator(json_schema())
    validator.validate(settings)
    validator.validate(make_scenario(settings).settings)


@pytest.mark.parametrize(
    "broken", [broken for broken in CASES if broken.schema], ids=lambda broken: broken.name
)
def test_schema_rejects_broken_files(broken, schema):
    """The JSON Schema rejects every fault that a schema can see."""
    assert not schema.is_valid(tomllib.loads(broken.data.decode()))


def test_documented_file_means_what_it_says(tmp_path):
    """The example of the documentation loads, and every line of it counts."""
    path = tmp_path / "mine.toml"
    path.write_text(DOCUMENTED)
    scenario = load_scenario(path)
    assert (scenario.title, scenario.seed) == ("Three policies", 2018)
    assert (scenario.horizon, scenario.replications) == (10000, 1000)
    assert scenario.market.means.tolist() == [0.9, 0.8, 0.7]
    [policy] = scenario.policies
    assert (policy.entry.name, policy.label) == ("modified-epsilon-greedy", "eps = 20")
    assert policy.params.epsilon == 20.0


def test_defaults():
    """What a file leaves out is filled in as documented."""
    scenario = make_scenario(SHORT)
    assert (scenario.title, scenario.replications, scenario.seed) == ("", 1000, 0)
    market = scenario.market
    assert market.customers.entry.name == "greedy"
    assert market.arrivals.process == "slots"
    assert (market.ties, market.seeding_cost, market.report_probability) == ("random", 0.0, 1.0)
    assert market.service_time.is_zero
    assert market.report_delay.is_zero
    assert not market.is_timed
    assert market.needs_market == ""


def test_default_parameters():
    """A policy or behaviour without settings takes its own defaults."""
    scenario = with_policies({"name": "modified-epsilon-greedy"}, {"name": "kl-ucb"})
    first, second = (choice.params for choice in scenario.policies)
    assert (first.epsilon, second.c, second.scale) == (20.0, 0.0, 1.0)
    assert with_market(customers={"behaviour": "logit"}).market.customers.values == (0.1,)


def test_whole_numbers_are_numbers():
    """A whole number will do where a number with a point is wanted."""
    scenario = with_policies({"name": "epsilon-greedy", "epsilon": 3})
    [value] = scenario.policies[0].values
    assert isinstance(value, float)
    assert with_market(report_delay=2).market.report_delay.value == 2.0


def test_laws_can_be_mixed():
    """A list of tables makes one market of several laws, arms in the order of the file."""
    arms = [
        {"law": "beta", "alpha": [2.0], "beta": [6.0]},
        ARMS,
        {"law": "beta", "means": [0.6, 0.7], "concentration": 10.0},
        {"law": "uniform", "low": [0.2], "high": [0.4]},
        {"law": "discrete", "values": [0.0, 0.5, 1.0], "probabilities": [[0.2, 0.6, 0.2]]},
    ]
    market = with_market(arms=arms).market
    names = ["beta", "bernoulli", "bernoulli", "beta", "beta", "uniform", "discrete"]
    assert [arm.law.name for arm in market.arms] == names
    np.testing.assert_allclose(market.means, [0.25, 0.9, 0.1, 0.6, 0.7, 0.3, 0.5])
    np.testing.assert_allclose([arm.variance for arm in market.arms][-2:], [0.04 / 12, 0.1])


def test_beta_by_means_equals_beta_by_shapes():
    """Means and concentration are another way to write alpha and beta."""
    by_means = with_market(arms={"law": "beta", "means": [0.25, 0.5], "concentration": 8.0})
    by_shapes = with_market(arms={"law": "beta", "alpha": [2.0, 4.0], "beta": [6.0, 4.0]})
    assert by_means.market.arms == by_shapes.market.arms


def test_one_table_equals_a_list_of_tables():
    """Arms of one law may stand in one table or in several."""
    several = [{"law": "bernoulli", "means": [mean]} for mean in ARMS["means"]]
    assert with_market(arms=several).market == make_scenario(SHORT).market


def test_settings_make_the_same_scenario_again():
    """The settings that a scenario keeps, defaults filled in, make an equal scenario."""
    for path in FILES:
        scenario = load_scenario(path)
        again = make_scenario(scenario.settings, folder=scenario.folder)
        assert again == scenario
        assert again.settings == scenario.settings


@settings(max_examples=25)
@given(settings=experiments(policies=POLICY_NAMES))
def test_any_settings_make_the_same_scenario_again(settings):
    """Settings survive the way through a scenario and through JSON."""
    scenario = make_scenario(settings)
    assert make_scenario(json.loads(json.dumps(scenario.settings))) == scenario


def test_settings_given_are_left_alone():
    """Making a scenario does not change the settings it was made of."""
    before = json.dumps(SHORT)
    make_scenario(SHORT)
    assert json.dumps(SHORT) == before


def test_replace_changes_what_it_is_told():
    """Some settings are replaced, all others stay."""
    scenario = make_scenario(SHORT)
    other = scenario.replace(horizon=5, seed=3)
    assert (other.horizon, other.seed) == (5, 3)
    assert (other.market, other.policies) == (scenario.market, scenario.policies)
    assert other.replace(horizon=20, seed=0) == scenario
    assert scenario.horizon == 20


def test_replace_checks():
    """A replaced setting is checked like any other."""
    with pytest.raises(ScenarioError, match=r"^horizon: must be >= 1, got 0$"):
        make_scenario(SHORT).replace(horizon=0)


WORLDS = {
    "a purse with all limits": {
        "purse": {
            "offer": {"rule": "fixed-margin", "margin": 0.1},
            "cap": 1,
            "budget": 10,
            "period": 5,
            "period_budget": 2,
            "when_short": "pay-rest",
            "also": 3,
            "misjudgement": 0.05,
        }
    },
    "an empty purse": {"purse": {"budget": 0, "cap": 0.0}},
    "a purse that says nothing": {"purse": {}},
    "a rule by its name alone": {"purse": {"offer": {"rule": "learned-margin"}}},
    "jumps": {"market": {"change": {"kind": "piecewise", "at": [5], "means": [[0.1, 1]]}}},
    "jumps after the end": {
        "market": {"change": {"kind": "piecewise", "at": [10**6], "means": [[0, 1]]}}
    },
    "a walk": {"market": {"change": {"kind": "random-walk", "step": 0.05, "low": 0.1}}},
    "seasons": {"market": {"change": {"kind": "seasonal", "amplitude": 0.5, "period": 10}}},
    "seasons with phases": {
        "market": {"change": {"kind": "seasonal", "amplitude": 1, "period": 2, "phases": [0, 0.5]}}
    },
    "one place": {"market": {"capacity": 1, "service_time": 2}},
    "places of each arm": {
        "market": {"capacity": [1, 3], "service_time": 2, "when_full": "switch"}
    },
    "hasty customers": {
        "market": {
            "capacity": 1,
            "service_time": {"law": "exponential", "mean": 2},
            "patience": {"law": "uniform", "low": 0, "high": 1},
        }
    },
    "no patience": {"market": {"capacity": 1, "service_time": 3, "patience": 0}},
    "a mixture": {
        "market": {
            "customers": {
                "behaviour": "mixture",
                "of": [{"behaviour": "logit", "tau": 0.2, "weight": 3}, {"behaviour": "stubborn"}],
            }
        }
    },
    "a mixture with a kind left out": {
        "market": {
            "customers": {
                "behaviour": "mixture",
                "of": [{"behaviour": "logit", "weight": 0}, {"behaviour": "greedy", "weight": 2}],
            }
        }
    },
    "friends": {
        "market": {
            "customers": {
                "behaviour": "social",
                "graph": "edges",
                "people": 3,
                "edges": [[0, 1], [2, 2]],
            }
        }
    },
    "strangers": {
        "market": {"customers": {"behaviour": "social", "graph": "edges", "people": 3, "edges": []}}
    },
    "outcomes": {
        "market": {
            "customers": {
                "behaviour": "features",
                "features": 1,
                "outcomes": [[0.5], [1]],
            }
        }
    },
    "clipped reports": {"market": {"customers": {"behaviour": "drifted-feedback", "clip": True}}},
}


def world(name):
    """The short settings with those of one of the worlds above."""
    changes = WORLDS[name]
    market = {**SHORT["market"], **changes.get("market", {})}
    return {**SHORT, "replications": 2, **changes, "market": market}


@pytest.mark.parametrize("name", WORLDS)
def test_worlds_run(name, schema):
    """Every world loads, is accepted by the schema, survives JSON, and runs."""
    schema.validate(world(name))
    scenario = make_scenario(world(name))
    schema.validate(scenario.settings)
    assert make_scenario(json.loads(json.dumps(scenario.settings))) == scenario
    summary = simulate(scenario, engine="market").summary()
    assert np.isfinite(summary["regret"]).all()


def test_defaults_of_purse_change_and_lines():
    """Without a word on them there are no limits, no changes and no lines."""
    scenario = make_scenario(SHORT)
    purse, market = scenario.purse, scenario.market
    assert purse.is_plain
    assert purse.offer.entry.name == "least"
    assert (purse.cap, purse.budget, purse.period_budget) == (np.inf, np.inf, np.inf)
    assert (purse.also, purse.misjudgement) == (0, 0.0)
    assert market.is_steady
    assert (market.capacity, market.when_full, market.patience) == (None, "wait", None)


def test_a_purse_means_what_it_says():
    """Every line of the table counts."""
    purse = make_scenario(world("a purse with all limits")).purse
    assert (purse.offer.entry.name, purse.offer.values) == ("fixed-margin", (0.1,))
    assert (purse.cap, purse.budget, purse.period, purse.period_budget) == (1.0, 10.0, 5, 2.0)
    assert (purse.when_short, purse.also, purse.misjudgement) == ("pay-rest", 3, 0.05)


def test_capacity_means_what_it_says():
    """One number is for all arms, a list has one for each; patience is a time."""
    one, each, hasty = (
        make_scenario(world(name)).market
        for name in ("one place", "places of each arm", "hasty customers")
    )
    assert (one.capacity, one.when_full, one.patience) == ((1, 1), "wait", None)
    assert (each.capacity, each.when_full) == ((1, 3), "switch")
    assert (hasty.patience.law, hasty.patience.low, hasty.patience.high) == ("uniform", 0.0, 1.0)


def test_walls_of_beta_arms_are_drawn_in():
    """Walls are where the file says, or where the law of the arms ends if that is nearer."""
    arms = {"law": "beta", "means": [0.5], "concentration": 2.0}
    market = with_market(arms=arms, change={"kind": "random-walk", "step": 0.1}).market
    assert (market.change.low, market.change.high) == (0.001, 0.999)
    walk = {"kind": "random-walk", "step": 0.1, "low": 0.25, "high": 0.75}
    market = with_market(arms=arms, change=walk).market
    assert (market.change.low, market.change.high) == (0.25, 0.75)


def test_default_labels():
    """A label is the policy's name; with its settings, if several have that name."""
    scenario = with_policies(
        {"name": "ucb"},
        {"name": "modified-epsilon-greedy", "epsilon": 10.0},
        {"name": "modified-epsilon-greedy", "epsilon": 1.5},
        {"name": "epsilon-greedy", "epsilon": 7.0},
        {"name": "modified-epsilon-greedy", "epsilon": 2, "label": "two"},
    )
    assert [choice.label for choice in scenario.policies] == [
        "ucb",
        "modified-epsilon-greedy (epsilon=10)",
        "modified-epsilon-greedy (epsilon=1.5)",
        "epsilon-greedy",
        "two",
    ]


def test_policy_is_found_by_label_or_name():
    """A label finds its policy, a name does if only one policy has it, and a label comes first."""
    scenario = with_policies(
        {"name": "ts", "label": "ucb"},
        {"name": "ucb", "label": "mine"},
        {"name": "greedy", "label": "nobody pays"},
        {"name": "epsilon-greedy", "epsilon": 1.0},
        {"name": "epsilon-greedy", "epsilon": 2.0},
    )
    assert scenario.policy("ucb").entry.name == "ts"
    assert scenario.policy("greedy").label == "nobody pays"
    assert scenario.policy("epsilon-greedy (epsilon=2)").values == (2.0,)
    with pytest.raises(ScenarioError, match=r"no policy labelled 'epsilon-greedy'.*nobody pays"):
        scenario.policy("epsilon-greedy")


def test_trace_lies_beside_the_scenario_file(tmp_path, monkeypatch):
    """A trace is found relative to the scenario file, from wherever; blank lines do not count."""
    (tmp_path / "data").mkdir()
    times = [0.5 * (number // 2) for number in range(30)]
    lines = "\n".join(map(str, times)) + "\n\n"
    (tmp_path / "data" / "times.txt").write_text(lines, encoding="utf-8-sig")
    path = tmp_path / "mine.toml"
    path.write_text(text(more='arrivals = { process = "trace", file = "data/times.txt" }'))
    monkeypatch.chdir("/")
    scenario = load_scenario(path)
    assert play(scenario, engine="market").clock.tolist() == times[:20]
    assert scenario.replace(horizon=30).market.arrivals.times == tuple(times)


def test_file_may_begin_with_a_byte_order_mark(tmp_path):
    """A file that an editor began with a byte order mark loads like any other."""
    path = tmp_path / "mine.toml"
    path.write_text(text(), encoding="utf-8-sig")
    assert load_scenario(path) == make_scenario(SHORT)


def test_errors_without_a_file_begin_with_the_place():
    """Settings from Python are named by their place alone, and every fault is in `problems`."""
    with pytest.raises(ScenarioError) as caught:
        make_scenario({**SHORT, "horizon": 0, "seed": -1})
    assert caught.value.problems == ["horizon: must be >= 1, got 0", "seed: must be >= 0, got -1"]
    with pytest.raises(ScenarioError, match=r"^the file: must be a table, got 5$"):
        make_scenario(5)


def test_numbers_of_numpy_are_numbers():
    """NumPy's numbers and arrays, tuples and whole floats mean the same as Python's numbers."""
    given = {
        "horizon": np.float64(20.0),
        "replications": 1e3,
        "seed": np.uint8(0),
        "market": {
            "arms": {"law": "bernoulli", "means": np.array([0.9, 0.1])},
            "customers": {"behaviour": "recency", "window": np.int64(5)},
            "capacity": np.array([1.0, 2.0]),
            "service_time": np.float32(0.5),
        },
        "policy": ({"name": "epsilon-greedy", "epsilon": np.float64(2.0)},),
    }
    scenario = make_scenario(given)
    assert json.loads(json.dumps(scenario.settings)) == scenario.settings
    assert (scenario.horizon, scenario.replications, scenario.market.capacity) == (20, 1000, (1, 2))
    assert all(type(number) is int for number in scenario.market.capacity)
    assert make_scenario(scenario.settings) == scenario


@pytest.mark.parametrize("value", [1.5, True, "10", np.float64(1.5), np.bool_(True), np.array([1])])
def test_other_things_are_not_whole_numbers(value):
    """Fractions, texts, truth values and lists are refused where a whole number is meant."""
    with pytest.raises(ScenarioError, match=r"^horizon: must be a whole number, got "):
        make_scenario({**SHORT, "horizon": value})


def test_whole_numbers_in_a_file_may_have_an_exponent(tmp_path):
    """TOML reads 1e4 as a float; it is as good as 10000."""
    path = tmp_path / "mine.toml"
    path.write_text(text(head="horizon = 1e4\nreplications = 5.0"))
    scenario = load_scenario(path)
    assert (scenario.horizon, scenario.replications) == (10_000, 5)
    assert type(scenario.horizon) is int


def test_at_changes_settings_by_their_paths():
    """Any setting is reached, also one that is left to its default; all others stay."""
    scenario = with_market(customers={"behaviour": "logit"})
    point = {"market.customers.tau": np.float64(0.3), "market.arms.means[1]": 0.2, "horizon": 1e2}
    other = scenario.at(point)
    assert (other.horizon, other.market.customers.params.tau) == (100, 0.3)
    assert other.market.means.tolist() == [0.9, 0.2]
    assert other.at({"market.arms.means": np.array([0.9, 0.1])}).market.arms == scenario.market.arms
    assert scenario.at({}) == scenario
    assert scenario.at({"market.customers.behaviour": "greedy"}) == make_scenario(SHORT)


def test_at_labels_policies_anew():
    """A label made of settings follows them; one that was given stays."""
    scenario = with_policies(
        {"name": "epsilon-greedy", "epsilon": 1.0},
        {"name": "epsilon-greedy", "epsilon": 2.0},
        {"name": "epsilon-greedy", "epsilon": 3.0, "label": "mine"},
    )
    other = scenario.at({"policy[0].epsilon": 7.0, "policy[2].epsilon": 8.0})
    assert [choice.label for choice in other.policies] == [
        "epsilon-greedy (epsilon=7)",
        "epsilon-greedy (epsilon=2)",
        "mine",
    ]


def test_at_keeps_the_sweep():
    """What is swept is swept from the changed settings."""
    swept = make_scenario({**SHORT, "sweep": {"grid": {"seed": [1, 2]}}})
    assert [each.horizon for each in swept.at({"horizon": 7}).points()] == [7, 7]
    assert swept.at({"sweep": None}) == make_scenario(SHORT)


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"horizon": 0}, "horizon: must be >= 1, got 0"),
        ({"market.tie": "first"}, "market.tie: no setting 'tie'. Did you mean 'ties'?"),
        ({"policy[3].name": "ucb"}, "policy[3]: no such entry; policy has [0] to [0]"),
        ({"policy[-1].name": "ucb"}, "'policy[-1].name' is not the path of a setting"),
        ({5: 5}, "5 is not the path of a setting"),
    ],
)
def test_at_checks(point, words):
    """A wrong path or value is refused like one in a file."""
    with pytest.raises(ScenarioError) as caught:
        make_scenario(SHORT).at(point)
    assert words in str(caught.value)


def test_scenarios_show_themselves():
    """In a line, and as a small table in notebooks; titles and labels are no HTML there."""
    scenario = make_scenario({**SHORT, "title": "<b>", "sweep": {"grid": {"seed": [1, 2]}}})
    size = "1 policy, 2 arms, 1,000 x 20 customers, 2 sweep points"
    assert repr(scenario) == f"<Scenario '<b>': {size}>"
    page = scenario._repr_html_()
    assert page.startswith("<table><caption>&lt;b&gt;</caption>")
    assert "<tr><th>policies</th><td>ucb</td></tr>" in page
    assert "<tr><th>sweep</th><td>2 points: seed</td></tr>" in page


def test_scenarios_can_be_sent_to_other_processes():
    """A pickled scenario is the same, and can be changed."""
    scenario = make_scenario({**SHORT, "sweep": {"grid": {"seed": [1, 2]}}})
    again = pickle.loads(pickle.dumps(scenario))
    assert again == scenario
    assert again.settings == scenario.settings
    assert again.points() == scenario.points()
    assert again.at({"horizon": 3}) == scenario.replace(horizon=3)


def test_type_checkers_know_all_settings():
    """What `replace` takes is what a file may say on its first level."""
    assert list(ScenarioSettings.__annotations__) == list(scenario_table().model_fields)
