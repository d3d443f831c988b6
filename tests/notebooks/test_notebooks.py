"""The notebooks say what the code does, and exercises do not give the solutions away."""

from __future__ import annotations

import re

import pytest

from tests.notebooks.executed import NOTEBOOKS, SOLUTIONS, executed, read, texts

HEADING = re.compile(r"^(#+) (.*)$", re.M)
EXERCISE = re.compile(r"^#+ Exercise (\d+): (.*)$", re.M)
LARGEST = 420_000  # bytes: a page that opens at once
PAIRS = list(zip(NOTEBOOKS, SOLUTIONS, strict=True))

every_pair = pytest.mark.parametrize(("notebook", "solutions"), PAIRS, ids=lambda path: path.stem)
every_file = pytest.mark.parametrize(
    "path", [*NOTEBOOKS, *SOLUTIONS], ids=lambda path: f"{path.parent.name}-{path.stem}"
)


def headings(notebook):
    """The headings of the Markdown cells: how deep, and what they say."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return [found for source in cells for found in HEADING.findall(source)]


def exercises(notebook):
    """The exercises that are announced, their titles by number."""
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return dict(found for source in cells for found in EXERCISE.findall(source))


def tagged(notebook, tag):
    """The cells that carry a tag."""
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


@pytest.mark.slow
@every_file
def test_a_notebook_says_what_the_code_does(path, tmp_path):
    """From a fresh kernel it runs without error, and its words are those that are stored."""
    # Words on stderr, such as a warning, would not be among those that are stored: see below.
    assert texts(executed(path, tmp_path)) == texts(read(path))
    assert not list(tmp_path.iterdir())


@every_file
def test_what_is_stored_is_fit_to_show(path):
    """All cells have run once, in order, without warnings; no trace of a machine; not too large."""
    notebook = read(path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    kinds = {kind for outputs in texts(notebook).values() for kind, _ in outputs}
    assert kinds <= {"stdout", "result", "image"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert not re.search(r"/(home|root|tmp|work|Users)/", path.read_text(encoding="utf-8"))
    assert not any(set(cell.metadata) - {"tags"} for cell in notebook.cells)
    assert path.stat().st_size < LARGEST


@every_file
def test_headings_fit_into_the_site(path):
    """The first cell has the only title; all other headings are below it."""
    notebook = read(path)
    assert notebook.cells[0].source.startswith("# ")
    depths = [len(signs) for signs, _ in headings(notebook)]
    assert depths[0] == 1
    assert min(depths[1:]) == 2


@every_pair
def test_every_exercise_has_its_solution(notebook, solutions):
    """Same numbers, same titles, in the same order; each solution asserts what it claims."""
    asked, answered = exercises(read(notebook)), exercises(read(solutions))
    assert notebook.name == solutions.name
    assert list(asked) == [str(number) for number in range(1, len(asked) + 1)]
    assert 4 <= len(asked) <= 6
    assert list(answered.items()) == list(asked.items())
    claims = tagged(read(solutions), "solution")
    assert [cell.id for cell in claims] == [f"solution-{number}" for number in asked]
    assert all("assert " in cell.source for cell in claims)


@every_pair
def test_a_student_gets_no_solution(notebook, solutions):
    """Every exercise has a cell to start from, and no cell is one of the solutions."""
    handed_out = read(notebook)
    starts = tagged(handed_out, "exercise")
    assert [cell.id for cell in starts] == [f"exercise-{n}-start" for n in exercises(handed_out)]
    assert not tagged(handed_out, "solution")
    secrets = {cell.source for cell in tagged(read(solutions), "solution")}
    assert secrets.isdisjoint(cell.source for cell in handed_out.cells)
    assert not any("assert " in cell.source for cell in handed_out.cells)


def test_there_are_three():
    """Three notebooks for the course, numbered in the order in which they are taught."""
    assert [path.name[:2] for path in NOTEBOOKS] == ["1-", "2-", "3-"]
