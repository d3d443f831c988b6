"""Functions of careless users: each goes wrong, or looks as if it did, for some customer.

`FAILING` raise in Python, most of them long after the first customers, for whom both engines are
tried before a run; `WORKING` do not raise, and have to do the same compiled.
"""

from __future__ import annotations

import math

import numpy as np

from kcmab_abm import Parameter, behaviour, policy

FAILING = {}
WORKING = {}


def entry(table, words=None):
    """Register a policy under its function's name, which some of its words go with."""

    def keep(function):
        name = "nasty-" + function.__name__.replace("_", "-")
        policy(name, memory={"kept": "arms"}, eps=Parameter(0.1, "a number"))(function)
        table[name] = words
        return function

    return keep


def report(reward, payment, memory, params, rng):
    """Thanks for every payment a hundredfold."""
    return reward + 100.0 * payment


@behaviour("nasty-grateful", report=report)
def take(t, book, board, memory, params, rng):
    """Takes what is promoted."""
    return board.target


@entry(FAILING, "float division by zero")
def divides(t, book, memory, params, rng):
    """Divides by zero for customer 200."""
    return int(1.0 / (200.0 - t)) * 0


@entry(FAILING, "by zero")
def divides_wholes(t, book, memory, params, rng):
    """Divides whole numbers by zero for customer 200."""
    return (t // (200 - t)) * 0


@entry(FAILING, "by zero")
def takes_the_rest(t, book, memory, params, rng):
    """Takes the rest of a division by zero for customer 200."""
    return (t % (200 - t)) * 0


@entry(FAILING, "cannot be raised to a negative power")
def raises_zero(t, book, memory, params, rng):
    """Raises 0.0 to the power of -1 for customer 200."""
    return 0 if (200.0 - t) ** -1.0 < 2.0 else 1


@entry(FAILING, "math domain error")
def takes_a_logarithm(t, book, memory, params, rng):
    """Takes the logarithm of zero for customer 200."""
    return 0 if math.log(max(0.0, 200.0 - t)) < 2.0 else 1


@entry(FAILING, "math domain error")
def takes_a_root(t, book, memory, params, rng):
    """Takes the root of a negative number for customer 201."""
    return 0 if math.sqrt(200.0 - t) < 2.0 else 1


@entry(FAILING, "math range error")
def takes_an_exponential(t, book, memory, params, rng):
    """Lets an exponential overflow for customer 200."""
    return 0 if math.exp(t * 3.56) > 1.0 else 1


@entry(FAILING, "divide by zero encountered in log")
def takes_logarithms(t, book, memory, params, rng):
    """Takes the logarithm of an array of zeros for customer 200."""
    return 0 if np.log(memory.kept + max(0, 200 - t))[0] < 1.0 else 1


@entry(FAILING, "invalid value encountered")
def divides_arrays(t, book, memory, params, rng):
    """Divides an array of zeros by itself for customer 200."""
    memory.kept[:] = 200 - t
    memory.kept[:] = memory.kept / memory.kept
    return 0


@entry(FAILING, "cannot convert float NaN to integer")
def rounds_nothing(t, book, memory, params, rng):
    """Lets two numbers grow beyond all floats, and makes a whole number of their difference."""
    memory.kept[0] = float(memory.kept[0]) * 100.0 + 1.0
    memory.kept[1] = float(memory.kept[1]) * 100.0 + 2.0
    if t < 200:
        return 0
    return int(float(memory.kept[0]) - float(memory.kept[1])) % 9


@entry(FAILING, "cannot convert float infinity to integer")
def rounds_the_infinite(t, book, memory, params, rng):
    """Makes a whole number of what has grown beyond all floats for customer 200."""
    memory.kept[0] = float(memory.kept[0]) * 100.0 + 1.0
    return int(float(memory.kept[0])) % 9 if t >= 200 else 0


@entry(FAILING, "is out of bounds")
def leaves_the_array(t, book, memory, params, rng):
    """Reads behind the end of the book for customer 200."""
    return 0 if book.means[max(0, t - 191)] < 2.0 else 1


@entry(FAILING, "chose arm 1099511627776 for")
def goes_far(t, book, memory, params, rng):
    """Promotes an arm with a very large number to customer 200."""
    return 2**40 if t == 200 else 0


@entry(FAILING, "chose arm 1.0 for")
def promotes_a_float(t, book, memory, params, rng):
    """Promotes arm 1.0."""
    return 1.0


@entry(FAILING, "chose arm 0.0 for")
def promotes_an_entry(t, book, memory, params, rng):
    """Promotes what it finds in an array of floats."""
    return memory.kept[0]


@entry(FAILING, "chose arm None for")
def forgets_to_return(t, book, memory, params, rng):
    """Returns nothing."""
    memory.kept[0] = 1.0


@entry(FAILING, "is read-only: book, board")
def writes_to_the_book(t, book, memory, params, rng):
    """Writes to the book for customer 200."""
    if t == 200:
        book.means[0] = 1.0
    return 0


@entry(FAILING, "is read-only: book, board")
def sorts_the_book(t, book, memory, params, rng):
    """Sorts the book in place."""
    book.means.sort()
    return 0


@entry(FAILING, "maximum recursion depth exceeded")
def calls_itself(t, book, memory, params, rng):
    """Never stops calling itself, for customer 200."""
    return 0 if t != 200 else calls_itself(t, book, memory, params, rng)


@entry(FAILING, "params has no 'epz'; it has: eps. Did you mean 'eps'?")
def misspells(t, book, memory, params, rng):
    """Hands its parameters to a helper that misspells one."""
    return helper_that_misspells(params)


def helper_that_misspells(params):
    """Reads what is not there."""
    return 0 if params.epz > 1.0 else 1


@entry(FAILING, "AssertionError")
def asserts(t, book, memory, params, rng):
    """Asserts what does not hold for customer 200."""
    assert t != 200
    return 0


@entry(FAILING, "b <= 0")
def draws_from_no_law(t, book, memory, params, rng):
    """Draws from a Beta distribution that does not exist."""
    return 0 if rng.beta(1.0, -1.0) < 2.0 else 1


@entry(WORKING)
def promotes_truth(t, book, memory, params, rng):
    """Promotes True."""
    return t > 50


@entry(WORKING)
def promotes_numpys_truth(t, book, memory, params, rng):
    """Promotes a comparison of NumPy's numbers."""
    return book.means[0] > book.means[1]


@entry(WORKING)
def counts_from_the_end(t, book, memory, params, rng):
    """Uses negative indices."""
    memory.kept[-1] += book.means[-2]
    return 1 if memory.kept[-1] > 3.0 else 0


@entry(WORKING)
def multiplies_beyond_64_bits(t, book, memory, params, rng):
    """Multiplies whole numbers beyond what 64 bits hold, for the first customers on."""
    product = t
    for _ in range(40):
        product = product * 3 + 1
    return product % 9


@entry(WORKING)
def adds_up_an_array(t, book, memory, params, rng):
    """Adds up an array, which rounds differently in compiled code."""
    memory.kept[:] = book.means / 3.0 + 1.0 / t
    return 0 if (memory.kept.sum() * 2.0**52) % 2.0 == 0.0 else 1


@entry(WORKING)
def underflows(t, book, memory, params, rng):
    """Lets an exponential underflow to zero, which is fine."""
    return 0 if math.exp(-1000.0 * t) + np.exp(-1000.0 * t) > 0.0 else 1


@entry(WORKING)
def looks_before_it_divides(t, book, memory, params, rng):
    """Divides only where it may; the compiler may divide everywhere."""
    for arm in range(len(book.means)):
        memory.kept[arm] = 1.0 / book.means[arm] if book.means[arm] > 0.0 else 0.0
    return 0 if memory.kept[0] > memory.kept[1] else 1


@entry(WORKING)
def grows_a_list(t, book, memory, params, rng):
    """Grows a list."""
    seen = [0]
    while len(seen) < 1 + t % 5:
        seen.append(seen[-1] + 1)
    return seen[-1]
