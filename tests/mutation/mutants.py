"""The mutants of a source, by cosmic-ray's operators."""

from __future__ import annotations

import ast
import difflib
import random
from typing import NamedTuple


class Mutant(NamedTuple):
    """One change of a source: by which operator, the how-manieth of its places, in which line."""

    operator: str
    occurrence: int
    line: int


def all_mutants(source: str) -> list[Mutant]:
    """Every change that an operator can make, annotations apart: nothing reads them at run time."""
    from cosmic_ray.ast import ast_nodes, get_ast  # an extra of its own, which tests do not need
    from cosmic_ray.plugins import get_operator, operator_names

    tree, hidden, found = get_ast(source), annotations(source), []
    for name in sorted(operator_names()):
        operator = get_operator(name)
        if operator.arguments():  # replaces variables that it has to be told
            continue
        places = (
            start for node in ast_nodes(tree) for start, _ in operator().mutation_positions(node)
        )
        for occurrence, (line, column) in enumerate(places):
            if not any(low <= (line, column) < high for low, high in hidden):
                found.append(Mutant(name, occurrence, line))
    return found


def annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations begin and end."""
    found = []
    for node in ast.walk(ast.parse(source)):
        for name in ("annotation", "returns"):
            part = getattr(node, name, None)
            if part is not None:
                begin, end = (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
                found.append((begin, end))
    return found


def sampled(mutants: list[Mutant], count: int | None, seed: int) -> list[Mutant]:
    """So many of them, drawn without replacement; all of them if there are no more."""
    if count is None or count >= len(mutants):
        return mutants
    return sorted(random.Random(seed).sample(mutants, count), key=lambda each: each.line)


def mutated(source: str, mutant: Mutant) -> str:
    """The source with that change."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    assert changed is not None
    return changed


def difference(source: str, changed: str) -> str:
    """The lines that differ, old and new."""
    lines = difflib.unified_diff(source.splitlines(), changed.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in list(lines)[2:] if not line.startswith("@@"))
