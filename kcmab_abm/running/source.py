"""Open a scenario to replay: from its file or from a results folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kcmab_abm.errors import ScenarioError
from kcmab_abm.running.manifest import MANIFEST, read_manifest
from kcmab_abm.scenario.reading import files_named, read_settings
from kcmab_abm.scenario.scenario import Scenario, make_scenario


def open_scenario(source: str | Path, **changes: Any) -> Scenario:
    """Open the scenario of a file or of a folder that `kcmab run --out` wrote.

    A scenario that runs until precise is replayed with the replications that are given or were run.

    Parameters
    ----------
    source
        A scenario file or a results folder.
    changes
        Top-level settings that override the scenario's values; None leaves a value unchanged.

    Returns
    -------
    Scenario
        The scenario.

    Raises
    ------
    ScenarioError
        If the settings are invalid, or a file that it reads is missing from the folder.

    Examples
    --------
    >>> open_scenario("scenarios/figure1.toml", replications=5).replications
    5
    """
    path = Path(source)
    given = {word: value for word, value in changes.items() if value is not None}
    if "replications" in given:
        given["precision"] = None
    if not path.is_dir():
        settings = {**read_settings(path), **given}
        return make_scenario(settings, folder=path.parent, source=f"{source}: ")
    settings = {**_recorded(path), **given}
    _check_files(settings, path)
    return make_scenario(settings, folder=path, source=f"{path / MANIFEST}: ")


def _recorded(folder: Path) -> dict[str, Any]:
    """The settings of recorded results, with the number of replications that were run."""
    manifest = read_manifest(folder)
    settings: dict[str, Any] = manifest["scenario"]
    if "precision" in settings and "sweep" not in settings:
        settings |= {"replications": manifest.get("replications"), "precision": None}
    return settings


def _check_files(settings: dict[str, Any], folder: Path) -> None:
    """Raise an error if a file that the scenario reads is missing: results do not contain it."""
    for name in files_named(settings.get("market")):
        if "\0" not in name and not (folder / name).exists():
            raise ScenarioError(
                [
                    f"{folder / MANIFEST}: market: {str(folder / name)!r}: no such file; results "
                    "do not contain the files that a scenario reads: copy it there, or give the "
                    "scenario file instead"
                ]
            )
