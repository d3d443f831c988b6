"""The market tab in a real browser: every control, and its numbers against `kcmab.play`."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import kcmab_abm as kcmab
from tests.lab.conftest import number, serve
from tests.lab.market_page import (
    SMALL,
    SPEEDS,
    assert_as_played,
    at,
    choose,
    press,
    set_number,
    setup_of,
    shown,
    switch,
)


@pytest.fixture
def page(visit):
    """A visitor with a small market."""
    return at(visit, setup_of())


def test_one_customer_after_another(page):
    """The page shows what `play` did; undo goes one step back, reset to the start."""
    for customers in range(1, 9):
        press(page, "One customer")
        shown(page, customers)
        assert_as_played(page, SMALL, customers)
    for customers in (7, 6):
        press(page, "Undo")
        shown(page, customers)
        assert_as_played(page, SMALL, customers)
    press(page, "Reset")
    shown(page, 0)
    expect(page.get_by_test_id("did-0")).to_have_text("No customer has come yet.")
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_next_payment(page):
    """The button plays to the next customer who is paid."""
    run = kcmab.play(kcmab.make_scenario(SMALL), engine="market")
    paid = [n for n, payment in enumerate(run.payments, 1) if payment > 0]
    for customers in paid[:2]:
        press(page, "Next payment")
        shown(page, customers)
        assert_as_played(page, SMALL, customers)
        badge = page.get_by_text(f"paid {run.payments[customers - 1]:.3f}", exact=True)
        expect(badge).to_be_visible()


def test_play_to_the_end_at_top_speed(page):
    """Playing stops after the last customer with the totals of the whole run."""
    choose(page, "Speed", "top speed")
    press(page, "Play")
    shown(page, 120)
    assert_as_played(page, SMALL, 120)
    expect(page.get_by_test_id("sees-0")).to_have_text("All 120 customers have come and gone.")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_disabled()


def test_pause_stops_the_clock(page):
    """After a pause no further customer comes."""
    choose(page, "Speed", "30 per second")
    press(page, "Play")
    page.wait_for_function("document.querySelector('[data-testid=place]').dataset.value > 3")
    press(page, "Pause")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    customers = int(number(page, "place"))
    page.wait_for_timeout(300)
    assert number(page, "place") == customers
    assert_as_played(page, SMALL, customers)


def test_keys_do_what_buttons_do(page):
    """Every shortcut works, except while typing."""
    page.keyboard.press("ArrowRight")
    page.keyboard.press("n")
    shown(page, 2)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("u")
    shown(page, 0)
    page.keyboard.press("p")
    page.wait_for_function("document.querySelector('[data-testid=paid-0]').dataset.value == 1")
    page.keyboard.press("r")
    shown(page, 0)
    page.keyboard.press("t")
    expect(page.get_by_test_id("arm-0-0-true")).to_have_attribute("data-value", "0.9")
    page.keyboard.press("t")
    expect(page.get_by_test_id("arm-0-0-true")).to_have_count(0)
    for place, words in enumerate(SPEEDS, 1):
        page.keyboard.press(str(place))
        expect(page.get_by_test_id("speed")).to_contain_text(words)
    page.keyboard.press("Space")
    shown(page, 120)
    page.get_by_label("seed", exact=True).press("u")
    page.wait_for_timeout(200)
    shown(page, 120)
    page.get_by_role("heading", name="Settings").click()
    page.keyboard.press("?")
    expect(page.get_by_text("help: keys and terms")).to_be_visible()


def test_the_true_means_stay_hidden_until_revealed(page):
    """While hidden, true means are nowhere in the page, nor is regret, which depends on them."""
    press(page, "One customer")
    shown(page, 1)
    assert "0.6" not in page.get_by_test_id("arm-0-1-row").evaluate("row => row.outerHTML")
    for arm in range(3):
        press(page, "One customer")
        shown(page, arm + 2)
    assert page.get_by_test_id("regret-0").get_attribute("data-value") is None
    expect(page.get_by_test_id("regret-0")).to_have_text("hidden")
    expect(page.get_by_text("regret, ucb")).to_have_count(0)
    switch(page, "Show the paper's bounds")
    expect(page.get_by_test_id("hidden")).to_contain_text("would give away")
    expect(page.get_by_text("asymptotic slope")).to_have_count(0)
    switch(page, "True means")
    expect(page.get_by_text("regret, ucb")).to_have_count(1)
    expect(page.get_by_text("asymptotic slope").first).to_be_visible()


def test_arms_to_be_guessed_are_not_in_order(page):
    """Arms that are listed from the best to the worst are shuffled before one has to guess."""
    press(page, "One customer")
    shown(page, 1)
    switch(page, "Guess the means")
    shown(page, 0)
    page.get_by_label("your guess for arm 1").fill("0.5")
    switch(page, "True means")
    means = [number(page, f"arm-0-{arm}-true") for arm in range(3)]
    assert sorted(means) == [0.3, 0.6, 0.9]
    assert means != [0.9, 0.6, 0.3]
    off = 0.5 - means[1]
    sign = "+" if off > 0 else "\N{MINUS SIGN}"
    expect(page.get_by_test_id("arm-0-1-row")).to_contain_text(f"0.50, {sign}{abs(off):.2f}")


def test_same_world_another_controller(page):
    """Two markets with the same rewards in store stay in step, each as `play` says."""
    switch(page, "Compare with another controller")
    expect(page.get_by_test_id("did-1")).to_be_visible()
    for customers in range(1, 13):
        press(page, "One customer")
        shown(page, customers)
    assert_as_played(page, SMALL, 12, side=0, place=0)
    assert_as_played(page, SMALL, 12, side=1, place=1)
    choose(page, "another controller", "modified-epsilon-greedy")
    set_number(page, "epsilon", 5)
    expect(page.get_by_test_id("sees-1")).to_contain_text("Customer 1 ")
    press(page, "One customer")
    for customers in range(2, 11):
        page.keyboard.press("n")
        shown(page, customers)
    changed = [{"name": "ucb"}, {"name": "modified-epsilon-greedy", "epsilon": 5.0}]
    assert_as_played(page, SMALL | {"policy": changed}, 10, side=1, place=1)
    switch(page, "Compare with another controller")
    expect(page.get_by_test_id("did-1")).to_be_hidden()


def test_settings_lead_to_the_market_they_describe(page):
    """Policy, behaviour, pricing rule, seed and horizon, each changed on the page."""
    choose(page, "controller", "epsilon-greedy")
    set_number(page, "epsilon", 0.3)
    choose(page, "behaviour", "logit")
    set_number(page, "tau", 0.2)
    choose(page, "pricing rule", "fixed-margin")
    set_number(page, "margin", 0.05)
    set_number(page, "seed", 5)
    set_number(page, "horizon", 80)
    expect(page.get_by_test_id("place")).to_contain_text("of 80")
    settings = SMALL | {
        "horizon": 80,
        "seed": 5,
        "market": SMALL["market"] | {"customers": {"behaviour": "logit", "tau": 0.2}},
        "purse": {"offer": {"rule": "fixed-margin", "margin": 0.05}},
        "policy": [{"name": "epsilon-greedy", "epsilon": 0.3}],
    }
    choose(page, "Speed", "top speed")
    press(page, "Play")
    shown(page, 80)
    assert_as_played(page, settings, 80)


@pytest.mark.parametrize(
    ("label", "value", "words"),
    [
        ("horizon", 0, "horizon: must be >= 1"),
        ("horizon", 10**9, "100,000 customers"),
        ("seed", -1, "seed: must be >= 0"),
        ("seed", 1.5, "seed"),
    ],
)
def test_bad_numbers_change_nothing(page, label, value, words):
    """An invalid number gets a message, and the field shows its old value."""
    press(page, "One customer")
    shown(page, 1)
    before = page.get_by_label(label, exact=True).input_value()
    set_number(page, label, value)
    expect(page.get_by_role("alert")).to_contain_text(words)
    expect(page.get_by_label(label, exact=True)).to_have_value(before)
    shown(page, 1)
    assert_as_played(page, SMALL, 1)


def test_arms_come_and_go_and_their_means_are_dragged(page):
    """Arms are added, removed and moved by keyboard; the market follows."""
    switch(page, "True means")
    press(page, "Add an arm")
    expect(page.get_by_test_id("arm-0-3-true")).to_have_attribute("data-value", "0.5")
    press(page, "Remove arm 1")
    expect(page.get_by_test_id("arm-0-3-row")).to_have_count(0)
    slider = page.get_by_role("slider", name="mean of arm 0").locator("[tabindex='0']")
    slider.press("ArrowLeft")
    slider.press("ArrowLeft")
    expect(page.get_by_test_id("arm-0-0-true")).to_have_attribute("data-value", "0.88")
    arms = {"law": "bernoulli", "means": [0.88, 0.3, 0.5]}
    press(page, "Next payment")
    page.wait_for_function("document.querySelector('[data-testid=paid-0]').dataset.value == 1")
    customers = int(number(page, "place"))
    assert_as_played(page, SMALL | {"market": {"arms": arms}}, customers)


def test_markets_with_a_clock_tell_the_time(visit):
    """With Poisson arrivals the page says when the customer arrives."""
    market = SMALL["market"] | {"arrivals": {"process": "poisson", "rate": 2.0}}
    settings = SMALL | {"market": market}
    page = at(visit, setup_of(settings, shown=10))
    run = kcmab.play(kcmab.make_scenario(settings), engine="market")
    expect(page.get_by_text(f"She arrives at time {run.clock[10]:.3f}.")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1024, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_fits(visit, width, scheme):
    """Two markets with all columns and bounds fit on a phone and on a projector."""
    page = at(
        visit,
        setup_of(right=1, revealed=True),
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
    )
    switch(page, "Show the paper's bounds")
    press(page, "One customer")
    shown(page, 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in page.locator("header").get_by_role("button").all():
        assert control.evaluate("part => part.getBoundingClientRect().right") <= width
    tables = page.locator(".lab-market")
    for table in tables.all():
        assert table.evaluate("part => part.scrollWidth <= part.clientWidth + 1")
    dark = page.evaluate("document.body.classList.contains('body--dark')")
    assert dark == (scheme == "dark")


BROKEN = '''
from kcmab_abm import policy


@policy("gives-up")
def choose(t, book, memory, params, rng):
    """Fails for customer 10."""
    return 99 if t == 10 else 0
'''


def test_a_policy_that_breaks_the_rules_is_told(visit, tmp_path):
    """If a visitor's policy fails, there is a message, the market stops, the page works on."""
    own = tmp_path / "own.py"
    own.write_text(BROKEN)
    with serve(tmp_path, "--with", str(own)) as lab:
        page = visit(lab=lab)
        choose(page, "controller", "gives-up")
        choose(page, "Speed", "top speed")
        press(page, "Play")
        expect(page.get_by_role("alert")).to_contain_text("chose arm 99 for customer 10")
        shown(page, 8)
        choose(page, "controller", "greedy")
        press(page, "One customer")
        shown(page, 1)
        page.goto("about:blank")  # she leaves before the server does, or her console would tell
