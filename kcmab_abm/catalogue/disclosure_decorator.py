"""The decorator that puts disclosures into their catalogue."""

from __future__ import annotations

from collections.abc import Callable

from kcmab_abm.catalogue.decorators import Memory, PlainFunction, register
from kcmab_abm.catalogue.entries import Parameter


def disclosure(
    name: str,
    *,
    cites: str = "",
    hear: Callable[..., None] | None = None,
    memory: Memory | None = None,
    **parameters: Parameter,
) -> Callable[[PlainFunction], PlainFunction]:
    """Register a disclosure: a function that fills in what a customer sees of the record.

    It finds a view without reports and fills in `view.pulls`, `view.totals` and `view.means`.

    Parameters
    ----------
    name
        The name in scenario files: lower-case words joined by hyphens.
    cites
        Where the disclosure comes from.
    hear
        Hears what customer t reports; may ask for t, arm, reward, book, memory, params, rng.
    memory
        The float arrays that the functions may write to, as for `policy`.
    parameters
        The settings of the disclosure, each a `Parameter`.

    Returns
    -------
    A decorator for `show`, which may ask for t, book, view, memory, params and rng.

    Examples
    --------
    >>> from kcmab_abm import disclosure
    >>> @disclosure("thumbs")
    ... def show(book, view):
    ...     '''Shows whether most of the reports on an arm are good.'''
    ...     for arm in range(len(view.means)):
    ...         view.pulls[arm] = book.pulls[arm]
    ...         view.means[arm] = 1.0 if book.means[arm] > 0.5 else 0.0
    ...         view.totals[arm] = view.pulls[arm] * view.means[arm]
    """
    return register("disclosure", name, parameters, learn=hear, memory=memory or {}, cites=cites)
