"""Every setting of every policy, behaviour and pricing rule, each changed in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import kcmab_abm as kcmab
from kcmab_abm.catalogue.registry import BEHAVIOURS, POLICIES, PRICING
from kcmab_abm.lab.widgets.entry_form import settable
from tests.lab.market_page import (
    SMALL,
    assert_accounts,
    at,
    choose,
    press,
    set_number,
    setup_of,
    shown,
)


def another(kind, default):
    """A valid value for a setting that is not its default."""
    if isinstance(kind, list):
        return next(word for word in kind if word != default)
    if isinstance(default, bool):
        return not default
    return default + 2 if isinstance(default, int) else default / 2 or 0.5


def set_all(page, entry):
    """Change every setting on the page and return the new values."""
    given = {}
    for word, kind in settable(entry).items():
        given[word] = value = another(kind, entry.defaults()[word])
        if isinstance(kind, list):
            choose(page, word, value)
        elif isinstance(value, bool):
            page.get_by_role("checkbox", name=word).click()
        else:
            set_number(page, word, value)
    return given


def with_policy(table):
    """A controller with these settings."""
    return {"policy": [table]}


def with_customers(table):
    """Customers with these settings."""
    return {"market": SMALL["market"] | {"customers": table}}


def with_rule(table):
    """A pricing rule with these settings."""
    return {"purse": {"offer": table}}


@pytest.mark.usefixtures("_own_catalogue")  # the server knows nothing of what tests register
@pytest.mark.parametrize(
    ("label", "side", "catalogue", "key", "told"),
    [
        ("controller", 0, POLICIES, "name", with_policy),
        ("another controller", 1, POLICIES, "name", with_policy),
        ("behaviour", 0, BEHAVIOURS, "behaviour", with_customers),
        ("pricing rule", 0, PRICING, "rule", with_rule),
    ],
)
def test_every_setting_reaches_the_market(visit, label, side, catalogue, key, told):
    """With all settings changed, each entry gives the market of `play`."""
    page = at(visit, setup_of(right=1 if side else None))
    choose(page, "Speed", "top speed")
    for entry in catalogue.values():
        if entry.needs or not settable(entry):
            continue
        choose(page, label, entry.name)
        expect(page.get_by_text(entry.about, exact=True)).to_be_visible()
        table = {key: entry.name, **set_all(page, entry)}
        press(page, "Play")
        shown(page, SMALL["horizon"])
        run = kcmab.play(kcmab.make_scenario(SMALL | told(table)), engine="market")
        assert_accounts(page, run, len(run), side)
        for arm in range(3):
            pulls = int((run.arms == arm).sum())
            expect(page.get_by_test_id(f"arm-{side}-{arm}-pulls")).to_have_attribute(
                "data-value", str(pulls)
            )
