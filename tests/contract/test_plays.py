"""A few choices of every behaviour, computed by hand; those of greedy and logit stand elsewhere."""

from __future__ import annotations

import math

import pytest

from tests.contract.arena import Crowd, Scripted

HALF_AND_QUARTER = [(0, 0.5), (1, 0.25)]


def test_drifted_feedback_adds_to_a_report_what_the_slope_says():
    """Paid 0.4 with slope 0.5, a customer tells 0.2 more than she got; for nothing, the truth."""
    crowd = Crowd(2, behaviour="drifted-feedback", slope=0.5)
    assert crowd.tell(0.3, 0.0) == 0.3
    assert crowd.tell(0.3, 0.4) == 0.5
    assert crowd.tell(1.0, 0.4) == 1.2


def test_drifted_feedback_stops_at_its_ceiling():
    """The drift under a ceiling of 0.2 is half of it where slope c = 0.2 ln 2."""
    crowd = Crowd(2, behaviour="drifted-feedback", slope=1.0, ceiling=0.2)
    assert crowd.tell(0.5, 0.2 * math.log(2)) == pytest.approx(0.6)
    assert crowd.tell(0.5, 100.0) == pytest.approx(0.7)


def test_drifted_feedback_can_be_cut_at_one():
    """Where reports cannot exceed 1 they do not."""
    crowd = Crowd(2, behaviour="drifted-feedback", slope=0.5, clip=True)
    assert [crowd.tell(reward, 0.4) for reward in (0.3, 0.9, 1.0)] == [0.5, 1.0, 1.0]


def test_drifted_feedback_chooses_as_greedy_does():
    """She takes the least offer, and for less the leader."""
    crowd = Crowd(2, behaviour="drifted-feedback").hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(1), crowd.takes(1, 0.2)] == [1, 0]


def test_outside_option_leaves_when_nothing_is_good_enough():
    """Means 0.5 and 0.25 against 0.625 elsewhere: only an offer of 0.125 or 0.375 keeps her."""
    crowd = Crowd(2, behaviour="outside-option", worth=0.625).hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(0, offer) for offer in (0.0, 0.12, 0.125, 0.2)] == [-1, -1, 0, 0]
    assert [crowd.takes(1, offer) for offer in (None, 0.37, 0.375)] == [-1, -1, 1]


def test_outside_option_that_equals_the_leader_keeps_her():
    """Indifferent between market and elsewhere she stays, also for the least offer."""
    crowd = Crowd(2, behaviour="outside-option", worth=0.5).hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(0, 0.0), crowd.takes(1), crowd.takes(1, 0.2)] == [0, 1, 0]


def test_tastes_move_the_leader():
    """Biases of -0.1 and +0.1 turn means 0.5 and 0.45 round; she must be paid 0.15 for arm 0."""
    crowd = Crowd(2, behaviour="tastes", spread=0.1).hear_all([(0, 0.5), (1, 0.45)])
    assert crowd.takes(0, 0.0, normals=[-1.0, 1.0]) == 1
    assert crowd.takes(0, 0.14, normals=[-1.0, 1.0]) == 1
    assert crowd.takes(0, 0.16, normals=[-1.0, 1.0]) == 0
    assert crowd.takes(1, normals=[1.0, 0.0]) == 0


def test_tastes_for_money_decide_what_an_offer_is_worth():
    """To whom money is worth half, the least offer must be doubled."""
    crowd = Crowd(2, behaviour="tastes", spread=0.0, money=0.5).hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(1, offer) for offer in (None, 0.49, 0.5)] == [0, 0, 1]


def test_tastes_for_money_vary_around_their_mean():
    """With sigma = 1 the value of money is 1 for a draw of 1/2, and exp(-1/2) for a draw of 0."""
    crowd = Crowd(2, behaviour="tastes", spread=0.0, money_spread=1.0).hear_all(HALF_AND_QUARTER)
    assert crowd.takes(1, normals=[0.5]) == 1
    assert crowd.takes(1, normals=[0.0]) == 0
    needed = 0.25 * math.exp(0.5)
    assert crowd.takes(1, needed * 0.999, normals=[0.0]) == 0
    assert crowd.takes(1, needed * 1.001, normals=[0.0]) == 1


def test_features_are_weighed_by_her_own_weights():
    """Arm 0 gives outcome 0, arm 1 outcome 1; weights 0 and 0.3 turn 0.5 and 0.25 round."""
    crowd = Crowd(
        2, behaviour="features", features=2, spread=1.0, outcomes=[[1.0, 0.0], [0.0, 1.0]]
    )
    for arm, told in HALF_AND_QUARTER:
        crowd.hear(arm, told, Scripted([0.99, 0.0]))
    assert crowd.takes(0, 0.0, normals=[0.0, 0.3]) == 1
    assert crowd.takes(1, 0.0, normals=[0.0, 0.2]) == 0
    assert crowd.takes(1, 0.0, normals=[-0.3, 0.0]) == 1


def test_features_are_averages_of_what_was_seen():
    """An outcome of chance 0.4 that came once in two reports counts one half."""
    crowd = Crowd(2, behaviour="features", features=1, spread=1.0, outcomes=[[0.4], [0.0]])
    crowd.hear(0, 0.5, Scripted([0.39]))
    crowd.hear(0, 0.5, Scripted([0.4]))
    crowd.hear(1, 0.75, Scripted([0.0]))
    assert crowd.takes(0, 0.0, normals=[0.49]) == 1
    assert crowd.takes(1, 0.0, normals=[0.51]) == 0


def test_recency_forgets_what_left_the_window():
    """Reports 1, 1, 0, 0 are worth 0 to a memory of two; the book says 1/2."""
    crowd = Crowd(2, behaviour="recency", window=2).hear_all([(1, 0.25), (0, 1.0), (0, 1.0)])
    assert crowd.takes(0, 0.0) == 0
    crowd.hear_all([(0, 0.0), (0, 0.0)])
    assert crowd.takes(0, 0.0) == 1
    assert [crowd.takes(0, offer) for offer in (0.24, 0.25)] == [1, 0]


def test_recency_discounts_by_age():
    """With a discount of 1/2, reports 1 and then 0 are worth 1/3, 0 and then 1 are worth 2/3."""
    for first, worth in ((1.0, 1 / 3), (0.0, 2 / 3)):
        crowd = Crowd(2, behaviour="recency", window=0, discount=0.5)
        crowd.hear_all([(0, first), (0, 1.0 - first), (1, 1.0)])
        assert crowd.takes(0, 1.0 - worth - 1e-9) == 1
        assert crowd.takes(0, 1.0 - worth + 1e-9) == 0


def test_optimists_try_what_few_have_tried():
    """Means 0.6 and 0.3 of 100 and 4 reports: 0.7 and 0.8 to an optimist, else 0.5 and -0.2."""
    reports = [(0, 0.6)] * 100 + [(1, 0.3)] * 4
    assert Crowd(2, behaviour="optimism", kappa=1.0).hear_all(reports).takes(0, 0.0) == 1
    pessimist = Crowd(2, behaviour="optimism", kappa=-1.0).hear_all(reports)
    assert [pessimist.takes(1, offer) for offer in (None, 0.69, 0.71)] == [0, 0, 1]


def test_risk_averse_customers_prefer_what_is_sure():
    """1, 0, 1, 0 has mean 1/2 and variance 1/4: worth 1/4 with aversion 1, less than a sure 0.4."""
    reports = [(0, 1.0), (1, 0.4), (0, 0.0), (0, 1.0), (0, 0.0), (1, 0.4)]
    averse = Crowd(2, behaviour="risk-averse", aversion=1.0).hear_all(reports)
    assert [averse.takes(0, offer) for offer in (0.0, 0.149, 0.151)] == [1, 1, 0]
    gambler = Crowd(2, behaviour="risk-averse", aversion=-1.0).hear_all(reports)
    assert gambler.takes(1, 0.34) == 0
    assert gambler.takes(1, 0.36) == 1


def test_social_customers_hear_from_neighbours_only():
    """On the path 0 - 1 - 2 - 3 the news of person 0 reaches 0 and 1, not 2 and 3.

    Person 1 reports 0.3 of arm 1; an arm without news is worth 0.4.
    """
    path = [[0, 1], [1, 2], [2, 3]]
    crowd = Crowd(2, behaviour="social", people=4, graph="edges", edges=path, prior=0.4)
    crowd.hear_all([(0, 0.9), (1, 0.3)])
    leaders = []
    for crowd.number in (1, 2, 3, 4):
        leaders.append(crowd.takes(0, 0.0))
    assert leaders == [0, 0, 0, 0]
    crowd.number = 3  # who knows arm 1, and of arm 0 nothing
    assert [crowd.takes(1, offer) for offer in (0.09, 0.11)] == [0, 1]
    crowd.number = 4  # who knows nothing, and is indifferent
    assert [crowd.takes(0, 0.0), crowd.takes(1, 0.0)] == [0, 1]
    crowd.number = 5  # person 0 again, who knows both
    assert [crowd.takes(1, offer) for offer in (0.59, 0.61)] == [0, 1]


def test_self_reinforcing_shares_by_hand():
    """Rewards 3 and 1 with theta = 1 and alpha = 2 share customers 16 : 4, without an offer."""
    crowd = Crowd(2, behaviour="self-reinforcing", alpha=2.0, theta=1.0, lift=10.0)
    crowd.hear_all([(0, 1.0), (1, 1.0), (0, 1.0), (0, 1.0)])
    assert [crowd.takes(1, 0.0, [u]) for u in (0.0, 0.79, 0.81, 0.99)] == [0, 0, 1, 1]


def test_self_reinforcing_offers_lift_the_target():
    """An offer of 0.1 with lift 10 is a pull of 1: half of the customers follow it at once."""
    crowd = Crowd(2, behaviour="self-reinforcing", alpha=2.0, theta=1.0, lift=10.0)
    crowd.hear_all([(0, 1.0), (1, 1.0), (0, 1.0), (0, 1.0)])
    assert crowd.takes(1, 0.1, [0.49]) == 1
    assert crowd.takes(1, 0.1, [0.51, 0.79]) == 0
    assert crowd.takes(1, 0.1, [0.51, 0.81]) == 1


def test_self_reinforcing_customers_may_be_few():
    """With a share of 0.3 a coin of 0.29 follows the crowd, and one of 0.3 is greedy."""
    crowd = Crowd(2, behaviour="self-reinforcing", share=0.3).hear_all(HALF_AND_QUARTER)
    assert crowd.takes(0, 0.0, [0.29, 0.99]) == 1
    assert crowd.takes(0, 0.0, [0.3]) == 0
    assert crowd.takes(1, None, [0.3]) == 1


def test_stubborn_customers_ignore_offers():
    """A share of 0.3 goes to the leader whatever is offered; the rest takes the least offer."""
    crowd = Crowd(2, behaviour="stubborn", share=0.3).hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(1, 5.0, [u]) for u in (0.0, 0.29, 0.3, 0.99)] == [0, 0, 1, 1]
    assert [crowd.takes(1, None, [u]) for u in (0.29, 0.3)] == [0, 1]


def test_mixtures_are_drawn_by_their_weights():
    """Weights 3 and 1: three quarters cannot be bought, the rest is greedy; 0 is left out."""
    stubborn, greedy = {"behaviour": "stubborn", "share": 1.0}, {"behaviour": "greedy"}
    nobody = {"behaviour": "outside-option", "worth": 100.0, "weight": 0.0}
    kinds = [nobody, {**stubborn, "weight": 3.0}, {**greedy, "weight": 1.0}]
    crowd = Crowd(2, behaviour="mixture", of=kinds).hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(1, 5.0, [0.0, 0.5]), crowd.takes(1, 5.0, [0.74, 0.5])] == [0, 0]
    assert [crowd.takes(1, 5.0, [0.75]), crowd.takes(1, 5.0, [0.99])] == [1, 1]


def test_mixtures_of_one_kind_draw_nothing():
    """A kind that is alone need not be drawn."""
    crowd = Crowd(2, behaviour="mixture", of=[{"behaviour": "greedy"}]).hear_all(HALF_AND_QUARTER)
    assert [crowd.takes(1), crowd.takes(1, 0.2)] == [1, 0]


def test_mixtures_report_each_kind_in_its_own_way():
    """Only a customer of the drifting kind adds to her report, though both were paid."""
    drifting = {"behaviour": "drifted-feedback", "slope": 0.5}
    kinds = [{"behaviour": "greedy"}, drifting]
    crowd = Crowd(2, behaviour="mixture", of=kinds).hear_all(HALF_AND_QUARTER)
    assert crowd.takes(1, 0.4, [0.49]) == 1
    assert crowd.tell(0.25, 0.4) == 0.25
    assert crowd.takes(1, 0.4, [0.5]) == 1
    assert crowd.tell(0.25, 0.4) == 0.45


def test_mixtures_let_every_kind_hear_every_report():
    """A kind that was never drawn has heard all reports, and remembers them in its own way."""
    memories = [{"behaviour": "recency", "window": 1}, {"behaviour": "recency", "window": 2}]
    crowd = Crowd(2, behaviour="mixture", of=memories).hear_all([(1, 0.6), (0, 1.0), (0, 0.5)])
    assert crowd.takes(0, 0.0, [0.0]) == 1  # 0.5 against 0.6
    assert crowd.takes(0, 0.0, [0.9]) == 0  # 0.75 against 0.6
