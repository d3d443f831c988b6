"""Changing controllers and arms one at a time."""

from __future__ import annotations

import pytest

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab.model import arm_settings, controller_choice
from kcmab_abm.lab.model.controller_choice import LEFT, RIGHT
from kcmab_abm.lab.model.market_setup import Setup, make_lab_scenario, starting_setup

MIXED = {
    "arms": [
        {"law": "bernoulli", "means": [0.9, 0.8]},
        {"law": "uniform", "low": [0.0], "high": [0.5]},
        {"law": "discrete", "values": [0.0, 0.5, 1.0], "probabilities": [[0.2, 0.3, 0.5]] * 2},
        {"law": "beta", "means": [0.3], "concentration": 5.0},
    ]
}


def labels(setup):
    """The labels of the controllers shown."""
    return [choice.label for choice in setup.policies]


def test_a_controller_of_the_scenario_is_found_by_its_label():
    """Choosing one of the scenario's own policies does not replace any of them."""
    setup = controller_choice.choose(starting_setup(), LEFT, "modified-ts")
    assert labels(setup) == ["modified-ts"]
    assert len(setup.scenario.policies) == 2


def test_another_controller_takes_the_place_of_the_one_shown():
    """Choosing a policy from the catalogue replaces the one on that side."""
    setup = controller_choice.set_comparison(starting_setup(), True)
    setup = controller_choice.choose(setup, RIGHT, "epsilon-greedy")
    assert labels(setup) == ["ucb", "epsilon-greedy"]
    assert [each.label for each in setup.scenario.policies] == ["ucb", "epsilon-greedy"]


def test_the_same_policy_on_both_sides_has_two_names():
    """The same policy with different parameters gets two labels."""
    setup = controller_choice.set_comparison(starting_setup(), True)
    setup = controller_choice.choose(setup, RIGHT, "ucb")
    assert labels(setup) == ["ucb", "ucb 2"]
    setup = controller_choice.choose(setup, LEFT, "modified-epsilon-greedy")
    setup = controller_choice.choose(setup, RIGHT, "modified-epsilon-greedy")
    setup = controller_choice.set_parameter(setup, RIGHT, "epsilon", 5.0)
    assert len(set(labels(setup))) == 2
    assert [choice.params.epsilon for choice in setup.policies][1] == 5.0


def test_a_label_that_spoke_of_another_parameter_goes():
    """A label such as `eps = 20` is dropped when epsilon changes."""
    table = {"name": "modified-epsilon-greedy", "label": "eps = 20", "epsilon": 20.0}
    setup = starting_setup().change(policy=[table])
    setup = controller_choice.set_parameter(setup, LEFT, "epsilon", 7.0)
    assert labels(setup) == ["modified-epsilon-greedy"]


def test_a_single_controller_gets_company():
    """If the scenario has only one policy, the second market gets a different one."""
    alone = starting_setup().change(policy=[{"name": "modified-ts"}])
    assert labels(controller_choice.set_comparison(alone, True)) == ["modified-ts", "ucb"]
    assert labels(
        controller_choice.set_comparison(controller_choice.set_comparison(alone, True), False)
    ) == ["modified-ts"]


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_every_name_offered_can_be_chosen(side):
    """Every choice in the list leads to a setup that shows it, and no name occurs twice."""
    setup = controller_choice.set_comparison(starting_setup(), True)
    names = controller_choice.names_for(setup, side)
    assert len(names) == len(set(names))
    for name in names:
        chosen = controller_choice.choose(setup, side, name)
        assert chosen.policies[side].label.startswith(name)


def test_arms_of_all_laws_are_counted():
    """Every arm has its law and, if the law has a list of means, its mean."""
    assert arm_settings.means(MIXED) == [
        ("bernoulli", 0.9),
        ("bernoulli", 0.8),
        ("uniform", None),
        ("discrete", None),
        ("discrete", None),
        ("beta", 0.3),
    ]


def test_arms_are_changed_where_they_stand():
    """Changing a mean, adding an arm and removing one affects only the arm's own table."""
    moved = arm_settings.with_mean(MIXED, 5, 0.4)
    assert moved["arms"][3]["means"] == [0.4]
    assert moved["arms"][:3] == MIXED["arms"][:3]
    more = arm_settings.with_arm(MIXED)
    assert more["arms"][3]["means"] == [0.3, arm_settings.NEW_MEAN]
    less = arm_settings.without_arm(arm_settings.without_arm(MIXED, 0), 0)
    assert [group["law"] for group in less["arms"]] == ["uniform", "discrete", "beta"]
    assert MIXED["arms"][0]["means"] == [0.9, 0.8], "the market asked about is left alone"


def test_the_last_arm_cannot_go():
    """A market without arms is refused by the scenario's validation."""
    setup = Setup(
        make_lab_scenario(
            {
                "horizon": 5,
                "market": {"arms": {"law": "bernoulli", "means": [0.5]}},
                "policy": [{"name": "ucb"}],
            }
        )
    )
    with pytest.raises(ScenarioError, match="arms"):
        setup.change(market=arm_settings.without_arm(setup.settings["market"], 0))


def test_laws_without_means_get_no_arm():
    """If no law has a list of means, no arm can be added."""
    assert arm_settings.with_arm({"arms": {"law": "uniform", "low": [0.1], "high": [0.2]}}) is None
