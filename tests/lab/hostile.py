"""Hostile scenario files, and the message that each of them gets."""

from __future__ import annotations

ARMS = 'arms = { law = "bernoulli", means = [0.9, 0.1] }\n'
POLICY = '[[policy]]\nname = "ucb"\n'
HORIZON = "horizon = 100\n"


def _file(market=ARMS, policy=POLICY, top=HORIZON):
    return f"{top}[market]\n{market}{policy}"


def _customers(table):
    return _file(f"{ARMS}customers = {{ {table} }}\n")


FILES = {
    "a billion people": (
        _customers('behaviour = "social", people = 1000000000'),
        "at most 100,000 links",
    ),
    "everybody knows everybody": (
        _customers('behaviour = "social", people = 4000, graph = "complete"'),
        "at most 100,000 links between people, got 16,000,000",
    ),
    "whole numbers with a fraction of nothing": (
        _customers('behaviour = "social", people = 1e4, neighbours = 40.0'),
        "at most 100,000 links between people, got 400,000",
    ),
    "twenty networks": (
        _customers(
            'behaviour = "mixture", of = ['
            + '{ behaviour = "social", people = 3000, neighbours = 1000 }, ' * 20
            + "]"
        ),
        "at most 100,000 links between people, got 60,000,000",
    ),
    "sixty thousand arms": (
        _file(f'arms = {{ law = "bernoulli", means = [{"0.1," * 60_000}] }}\n'),
        "60,009 values",
    ),
    "twenty-one arms": (
        _file(f'arms = {{ law = "bernoulli", means = [{"0.1," * 21}] }}\n'),
        "at most 20 arms, got 21",
    ),
    "ten thousand policies": (_file(policy=POLICY * 10_000), "at most 20 policies"),
    "a long memory": (
        _file(policy='[[policy]]\nname = "sliding-window-ucb"\nwindow = 1000000\n'),
        "at most 1,000,000 remembered numbers",
    ),
    "thousands of faults": (
        _file(f'arms = {{ law = "bernoulli", means = [{"7," * 5000}] }}\n'),
        "and 4,988 more",
    ),
    "a key of 120 000 parts": ("a" + ".a" * 120_000 + " = 1", "more than 20 parts"),
    "a quoted key of 40 000 parts": ('"a b"' + " . 'a'" * 40_000 + " = 1", "more than 20 parts"),
    "a table of 120 000 parts": ("[" + "a." * 120_000 + "a]", "more than 20 parts"),
    "lists in lists": ("a = " + "[" * 120_000, "nested too deeply"),
    "tables in tables": ("a = " + "{ a = " * 40_000, "nested too deeply"),
    "a number of 250 000 digits": ("horizon = " + "9" * 250_000, "thousands of digits"),
    "not TOML": ("horizon = = 3", "not TOML"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "not UTF-8 text (byte 0)"),
    "nothing": ("", "horizon: required"),
    "an empty sweep": (_file(top=HORIZON + "sweep = {}\n"), "sweep: varies nothing"),
    "ten thousand points": (
        _file(
            top=f"{HORIZON}sweep = {{ grid = {{ seed = [{', '.join(map(str, range(9999)))}] }} }}\n"
        ),
        "at most 2,000 points, got 9,999",
    ),
    "a sweep over a billion people": (
        _file(
            f'{ARMS}customers = {{ behaviour = "social" }}\n',
            policy=f'{POLICY}[sweep.grid]\n"market.customers.people" = [1000000000]\n',
        ),
        "at most 100,000 links",
    ),
    "a precision of nothing": (_file(top=HORIZON + "precision = 7\n"), "precision: "),
    "another's file": (
        _file(f'{ARMS}arrivals = {{ process = "trace", file = "/etc/passwd" }}\n'),
        "the lab reads no further files",
    ),
    "a script for a name": (
        _file(policy='[[policy]]\nname = "<img src=x onerror=alert(1)>"\n'),
        "no policy '<img src=x onerror=alert(1)>'",
    ),
}


def data(content):
    """The contents of the file as bytes."""
    return content if isinstance(content, bytes) else content.encode()
