"""Controllers and arms, changed one by one."""

from __future__ import annotations

import pytest

from kcmab_abm.errors import ScenarioError
from kcmab_abm.lab import arm_settings, controllers
from kcmab_abm.lab.controllers import LEFT, RIGHT
from kcmab_abm.lab.desk import Desk, make_lab_scenario, starting_desk

MIXED = {
    "arms": [
        {"law": "bernoulli", "means": [0.9, 0.8]},
        {"law": "uniform", "low": [0.0], "high": [0.5]},
        {"law": "discrete", "values": [0.0, 0.5, 1.0], "probabilities": [[0.2, 0.3, 0.5]] * 2},
        {"law": "beta", "means": [0.3], "concentration": 5.0},
    ]
}


def labels(desk):
    """The controllers that are shown."""
    return [choice.label for choice in desk.policies]


def test_a_controller_of_the_scenario_is_found_by_its_label():
    """Choosing one of the scenario's own policies replaces none of them."""
    desk = controllers.choose(starting_desk(), LEFT, "modified-ts")
    assert labels(desk) == ["modified-ts"]
    assert len(desk.scenario.policies) == 2


def test_another_controller_takes_the_place_of_the_one_shown():
    """Choosing a policy from the catalogue replaces the one on that side."""
    desk = controllers.set_beside(starting_desk(), True)
    desk = controllers.choose(desk, RIGHT, "epsilon-greedy")
    assert labels(desk) == ["ucb", "epsilon-greedy"]
    assert [each.label for each in desk.scenario.policies] == ["ucb", "epsilon-greedy"]


def test_the_same_policy_on_both_sides_has_two_names():
    """One policy twice, with parameters of their own, is called by two labels."""
    desk = controllers.set_beside(starting_desk(), True)
    desk = controllers.choose(desk, RIGHT, "ucb")
    assert labels(desk) == ["ucb", "ucb 2"]
    desk = controllers.choose(desk, LEFT, "modified-epsilon-greedy")
    desk = controllers.choose(desk, RIGHT, "modified-epsilon-greedy")
    desk = controllers.set_parameter(desk, RIGHT, "epsilon", 5.0)
    assert len(set(labels(desk))) == 2
    assert [choice.params.epsilon for choice in desk.policies][1] == 5.0


def test_a_label_that_spoke_of_another_parameter_goes():
    """`eps = 20` is not what a policy is called after its epsilon was changed."""
    table = {"name": "modified-epsilon-greedy", "label": "eps = 20", "epsilon": 20.0}
    desk = starting_desk().change(policy=[table])
    desk = controllers.set_parameter(desk, LEFT, "epsilon", 7.0)
    assert labels(desk) == ["modified-epsilon-greedy"]


def test_a_single_controller_gets_company():
    """Where the scenario has one policy, the second market has another one."""
    alone = starting_desk().change(policy=[{"name": "modified-ts"}])
    assert labels(controllers.set_beside(alone, True)) == ["modified-ts", "ucb"]
    assert labels(controllers.set_beside(controllers.set_beside(alone, True), False)) == [
        "modified-ts"
    ]


@pytest.mark.parametrize("side", [LEFT, RIGHT])
def test_every_name_offered_can_be_chosen(side):
    """Whatever the list offers leads to a desk that shows it, and names are offered once."""
    desk = controllers.set_beside(starting_desk(), True)
    names = controllers.names_for(desk, side)
    assert len(names) == len(set(names))
    for name in names:
        chosen = controllers.choose(desk, side, name)
        assert chosen.policies[side].label.startswith(name)


def test_arms_of_all_laws_are_counted():
    """Every arm has its law and, if the law is told by means, its mean."""
    assert arm_settings.means(MIXED) == [
        ("bernoulli", 0.9),
        ("bernoulli", 0.8),
        ("uniform", None),
        ("discrete", None),
        ("discrete", None),
        ("beta", 0.3),
    ]


def test_arms_are_changed_where_they_stand():
    """A mean is moved, an arm is added and one is removed in its own table, and in no other."""
    moved = arm_settings.with_mean(MIXED, 5, 0.4)
    assert moved["arms"][3]["means"] == [0.4]
    assert moved["arms"][:3] == MIXED["arms"][:3]
    more = arm_settings.with_arm(MIXED)
    assert more["arms"][3]["means"] == [0.3, arm_settings.NEW_MEAN]
    less = arm_settings.without_arm(arm_settings.without_arm(MIXED, 0), 0)
    assert [group["law"] for group in less["arms"]] == ["uniform", "discrete", "beta"]
    assert MIXED["arms"][0]["means"] == [0.9, 0.8], "the market asked about is left alone"


def test_the_last_arm_cannot_go():
    """A market without arms is refused in the scenario's own words."""
    desk = Desk(
        make_lab_scenario(
            {
                "horizon": 5,
                "market": {"arms": {"law": "bernoulli", "means": [0.5]}},
                "policy": [{"name": "ucb"}],
            }
        )
    )
    with pytest.raises(ScenarioError, match="arms"):
        desk.change(market=arm_settings.without_arm(desk.settings["market"], 0))


def test_laws_without_means_get_no_arm():
    """Where no law is told by its means there is nothing to add to."""
    assert arm_settings.with_arm({"arms": {"law": "uniform", "low": [0.1], "high": [0.2]}}) is None
