"""The first screen's market: what it tells, its goals, and its place in an address."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcmab_abm import play
from kcmab_abm.lab.model.story import (
    FIRST_TOWN,
    GUESTS,
    GUIDES,
    PURSE,
    RESTAURANTS,
    SOON,
    Story,
    Town,
    euros,
    story_from,
    story_word,
)


def served(story, guests):
    """The story after so many guests."""
    while story.session.shown < guests:
        story.session.one_customer()
    return story


def test_the_market_is_that_of_play():
    """Payments and regret are those of the same scenario under `play`."""
    story = served(Story(), GUESTS)
    run = play(story.session.setup.scenario, policy="modified-ts", engine="market")
    assert story.market.totals.compensation == pytest.approx(run.payments.sum(), rel=1e-12)
    assert story.market.totals.regret == pytest.approx(run.regrets.sum(), rel=1e-12)


def test_the_first_town_pays_soon_and_says_why():
    """Within ten guests, somebody is offered money, and the words name the sum and the reason."""
    story = Story()
    while story.market.totals.paid == 0:
        offer = max(arm.offer for arm in story.market.arms())
        told = story.reason()
        story.session.one_customer()
    assert story.session.shown < 10
    assert f"offers {euros(offer)} for" in told
    assert "had only" in told
    assert f"was paid {euros(offer)} for it" in story.happened()


def test_in_the_first_town_nobody_finds_the_best_without_a_guide():
    """The town teaches why anybody pays: without payments, the guests forget the best place."""
    without, paid = (served(Story(Town(guide=name)), GUESTS) for name in ("greedy", "modified-ts"))
    best = Town().best
    assert without.market.taken(best) < 10
    assert paid.market.taken(best) > 150
    assert [goal.reached for goal in paid.goals()] == [True, False, True]
    assert [goal.reached for goal in without.goals()] == [False, False, False]


def test_the_order_of_restaurants_gives_nothing_away():
    """Each restaurant is the best of about a third of the towns."""
    best = [Town(number).best for number in range(1, 301)]
    for place in range(len(RESTAURANTS)):
        assert 70 < best.count(place) < 130


def test_the_best_is_named_once_and_not_too_soon():
    """A name counts after some guests, only once; then the truth is shown."""
    story = Story()
    story.name_best(story.town.best)
    assert story.named is None
    assert story.verdict() == ""
    served(story, SOON)
    assert not story.is_revealed
    assert not story.state().revealed
    wrong = (story.town.best + 1) % 3
    story.name_best(wrong)
    assert story.is_revealed
    assert story.verdict().startswith("No, ")
    assert not story.goals()[1].reached
    story.name_best(story.town.best)
    assert story.named == wrong


@pytest.mark.parametrize("guide", GUIDES)
def test_the_purse_of_the_second_goal_counts(guide):
    """The right name reaches the goal only as long as less than the purse has been paid."""
    story = served(Story(Town(guide=guide)), GUESTS - 1)
    story.name_best(story.town.best)
    assert story.verdict().startswith("Right, ")
    assert story.goals()[1].reached == (story.market.totals.compensation < PURSE)


def test_another_town_begins_anew():
    """Moving keeps the guide and forgets the name."""
    story = served(Story(Town(guide="ucb")), SOON)
    story.name_best(0)
    story.move(story.town.another())
    assert (story.town.number, story.town.guide) == (FIRST_TOWN + 1, "ucb")
    assert (story.session.shown, story.named) == (0, None)


@settings(max_examples=25, deadline=None)
@given(
    number=st.integers(0, 9999),
    guide=st.sampled_from(sorted(GUIDES)),
    guests=st.integers(0, 40),
    named=st.none() | st.integers(0, 2),
)
def test_an_address_brings_the_story_back(number, guide, guests, named):
    """The word in an address restores town, guide, place and name."""
    story = Story(Town(number, guide), guests, named)
    other = story_from(story_word(story))
    assert (other.town, other.named) == (story.town, story.named)
    while other.session.busy:
        other.session.tick(budget=10.0)
    assert other.session.shown == guests


@settings(max_examples=40, deadline=None)
@given(word=st.text(max_size=20) | st.from_regex(r"[0-9]{1,6}\.(ucb|x)\.[0-9]{1,6}(\.[0-9]){0,3}"))
def test_any_address_brings_some_story(word):
    """A damaged word brings the first town, never an error."""
    story = story_from(word)
    assert story.session.setup.scenario.horizon == GUESTS
    assert story.named in (None, 0, 1, 2)
