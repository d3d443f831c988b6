"""Load results that `run` wrote, as the objects that it returned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kcmab_abm.errors import MarketError, ScenarioError
from kcmab_abm.results.points import axes_table, point_results
from kcmab_abm.results.results import Results, Used
from kcmab_abm.results.statistics import checkpoints
from kcmab_abm.results.sweep_results import SweepResults
from kcmab_abm.running.manifest import WANTED, advice, check_is_folder, read_manifest
from kcmab_abm.running.verify_chunks import Problems, add_up, read_point
from kcmab_abm.scenario.scenario import Scenario, make_scenario


def load_results(folder: str | Path, *, files: str | Path | None = None) -> Results | SweepResults:
    """Load results that `run`, or `kcmab run --out`, wrote into a folder.

    All numbers are computed again from the replications in the folder, and compared with the digest
    that was written with them.

    Parameters
    ----------
    folder : str or Path
        The folder of results.
    files : str or Path, optional
        The folder of the files that the scenario reads, such as observed data, if it reads any; by
        default the folder of results.

    Returns
    -------
    Results or SweepResults
        What `run` returned; a `SweepResults` if the scenario has a sweep.

    Raises
    ------
    MarketError
        If the folder does not hold results of a run, or they changed since they were written.
    ScenarioError
        If its scenario cannot be made: policies and the like of the user's must be registered
        before, by importing the file that defines them.

    Examples
    --------
    >>> load_results("study").summary()  # doctest: +SKIP
    """
    folder = Path(folder)
    reader = reader_of(folder, files)
    scenario, manifest = reader.scenario, reader.manifest
    if scenario.sweep is None:
        results: Results | SweepResults = reader.read(None)
    else:
        points = [point_results(reader.read(number)) for number in range(1, reader.count + 1)]
        axes = axes_table(scenario.sweep, points)
        results = SweepResults(scenario, axes, tuple(points), reader.read)
    if results.digest() != manifest["digest"]:
        raise MarketError(f"{folder}: its replications do not give its digest; {advice(folder)}")
    return results


@dataclass(frozen=True)
class Reader:
    """Reads the points of a run from its folder."""

    folder: Path
    scenario: Scenario
    manifest: dict[str, Any]

    @property
    def count(self) -> int:
        """The number of points."""
        return len(self.manifest["replications"])

    def read(self, point: int | None) -> Results:
        """Return the results of a point, counted from 1; of a plain run, there is only None."""
        scenario, engines = self.scenario, self.manifest["engines"]
        replications = self.manifest["replications"]
        if point is not None:
            scenario = scenario.points()[point - 1]
            engines, replications = engines[point - 1], replications[point - 1]
        problems: Problems = {}
        files = self.manifest.get("files", {})
        # Ledgers, which may be large, are not needed: what the manifest says of them is enough.
        kept = read_point(self.folder, point, lambda name: files.get(name, ""), problems)
        runs = add_up(kept, engines, replications, self.folder, problems, scenario.measures.names)
        if problems or runs is None:
            path, words = next(iter(problems.items()))
            raise MarketError(f"{path}: {words}; {advice(self.folder)}")
        used = {label: Used(**engines[label]) for label in runs}
        return Results(scenario, used, runs, checkpoints(scenario.horizon))


def reader_of(folder: Path, files: str | Path | None = None) -> Reader:
    """Return what reads a folder; raise an error if no run wrote it."""
    check_is_folder(folder)
    manifest = read_manifest(folder)
    if "engines" not in manifest or "replications" not in manifest:
        raise MarketError(f"{folder}: holds results of another command than 'run'; {WANTED}")
    try:
        scenario = make_scenario(manifest["scenario"], folder=folder if files is None else files)
    except ScenarioError as error:
        hint = (
            "what you registered must be registered again: import the file, or give --with; files "
            "that the scenario reads must lie in this folder"
        )
        raise ScenarioError([*(f"{folder}: {each}" for each in error.problems), hint]) from None
    return Reader(folder, scenario, manifest)
