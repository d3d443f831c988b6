"""Where runs to be replayed come from: a scenario file, or a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kcmab_abm.errors import ScenarioError
from kcmab_abm.folders import MANIFEST, read_manifest
from kcmab_abm.scenario import Scenario, make_scenario, read_settings


def open_scenario(source: str | Path, **changes: Any) -> Scenario:
    """The scenario of a file, or of a folder that `kcmab run --out` wrote.

    Top-level settings given by name replace those found there; None leaves them as they are.
    """
    path = Path(source)
    given = {word: value for word, value in changes.items() if value is not None}
    if not path.is_dir():
        settings = {**read_settings(path), **given}
        return make_scenario(settings, folder=path.parent, source=f"{source}: ")
    settings = {**read_manifest(path)["scenario"], **given}
    _check_trace(settings, path)
    return make_scenario(settings, folder=path, source=f"{path / MANIFEST}: ")


def _check_trace(settings: dict[str, Any], folder: Path) -> None:
    """Results do not hold the trace file that they were made with."""
    try:
        name = settings["market"]["arrivals"]["file"]
        missing = not (folder / name).exists()
    except (KeyError, TypeError, ValueError):  # no trace, or nonsense that is explained later
        return
    if missing:
        raise ScenarioError(
            [
                f"{folder / MANIFEST}: market.arrivals.file: {str(folder / name)!r}: no such file; "
                "results do not hold the trace: copy it there, or give the scenario file instead"
            ]
        )
