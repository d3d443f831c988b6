#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Development tasks, each in its own environment; `nox --list` lists them."""

from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|venv"  # uv, where it is installed, is much faster
nox.options.error_on_missing_interpreters = False
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
VERSION_TESTS = [  # code that reads bytecode, and the digests of results
    "tests/identity",
    "tests/contract/test_registration.py",
    "tests/contract/test_rules.py",
    "tests/engines/test_golden.py",
    "tests/engines/test_user_functions.py",
    "tests/reproducibility",
]
LOWEST_TESTS = [
    "tests/reproducibility",
    "tests/statistics",
    "tests/identity",
    "tests/engines",
    "tests/contract",
    "tests/records",
    "tests/measures",
    "tests/cli",
    "tests/gym",
]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the default suite on every installed Python, or on one with `tests-3.12`."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS[1:])
def interpreters(session: nox.Session) -> None:
    """Run the tests that depend most on the Python version on every installed later one."""
    session.install("-e", ".", "pytest", "pytest-xdist", "hypothesis")
    session.run("pytest", *(session.posargs or VERSION_TESTS))


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """Run much of the default suite with the lowest versions that pyproject.toml allows."""
    libraries = ["pytest", "pytest-xdist", "hypothesis", ".[cluster,gym,video]"]
    session.install("-c", "tests/lowest.txt", *libraries)
    # Old libraries call newer ones in deprecated ways (matplotlib does so with pyparsing).
    quiet = ["-W", "ignore::DeprecationWarning"]
    session.run("pytest", *quiet, *(session.posargs or LOWEST_TESTS))


@nox.session(default=False)
def reproducibility(session: nox.Session) -> None:
    """Run the whole reproducibility matrix with the newest versions."""
    session.install("-e", ".[test,cluster]")
    session.run("pytest", "-n", "0", "-m", "slow or not slow", "tests/reproducibility")


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Fuzz both engines and the scenario parser; failures are written to tests/fuzz/found."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "tests.fuzz", *(session.posargs or ["--minutes", "10"]))


@nox.session(default=False)
def mutation(session: nox.Session) -> None:
    """Run mutation tests on the code that decides payments and choices; print survivors."""
    session.install("-e", ".[test,mutation]")
    session.run("python", "-m", "tests.mutation", *session.posargs)


DEV = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "dev")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, import contracts and repository; `nox -s lint -- --fix` fixes what it can."""
    session.install("-e", ".", "import-linter", *DEV)
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", *([] if session.posargs else ["--check"]))
    session.run("lint-imports")
    session.run("repo-review", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Type-check the package with mypy."""
    session.install("-e", ".[cluster,gym,lab]", *DEV)
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation site in docs/_build/html."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "docs", "docs/_build/html")


@nox.session(default=False)
def paper(session: nox.Session) -> None:
    """Build the paper about this software, docs/joss/paper.md, as docs/_build/joss/paper.pdf."""
    session.install("pypandoc_binary>=1.15", "typst>=0.13")
    session.run("python", "docs/joss/build.py")


@nox.session(default=False)
def everything(session: nox.Session) -> None:
    """Run all tests, slow ones included; those that lack a browser, SLURM or SSH are skipped."""
    session.install("-e", ".[test-all]")
    session.run("pytest", "-m", "slow or not slow", *session.posargs)


POLICY = '''"""{title}.

State the idea, where it is from, and what is known of its regret and compensation. The reference
shows this text; it finds the file by itself, and so do the contract tests.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from kcmab_abm.catalogue.decorators import policy
from kcmab_abm.catalogue.entries import Parameter
from kcmab_abm.model.book import Book, leader


@policy("{name}", cites="", each=Parameter(10, "customers sent to every arm first", ge=1))
def choose(t: int, book: Book, params: Any, rng: Generator) -> int:
    """Sends this many customers to every arm, then promotes the leader."""
    arms = len(book.means)
    if t <= params.each * arms:
        return (t - 1) % arms
    return leader(book, rng)
'''


@nox.session(default=False, venv_backend="none")
def new(session: nox.Session) -> None:
    """Start a policy from a template: `nox -s new -- two-phase`."""
    if len(session.posargs) != 1:
        session.error("give the name of the policy, such as: nox -s new -- two-phase")
    (name,) = session.posargs
    file = Path("kcmab_abm", "entries", "policies", f"{name.replace('-', '_')}.py")
    if file.exists():
        session.error(f"{file} exists already")
    title = name.replace("-", " ").capitalize()
    file.write_text(POLICY.format(name=name, title=title), encoding="utf-8")
    session.log(f"wrote {file}; now run: pytest -n 0 -q tests/contract -k {name}")


if __name__ == "__main__":
    nox.main()
