"""Where runs to be replayed come from: a scenario file, or a folder of results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kcmab_abm.errors import ScenarioError
from kcmab_abm.folders import MANIFEST
from kcmab_abm.scenario import Scenario, make_scenario, read_settings


def open_scenario(source: str | Path, **changes: Any) -> Scenario:
    """The scenario of a file, or of a folder that `kcmab run --out` wrote.

    Top-level settings given by name replace those found there; None leaves them as they are. Of a
    scenario that runs until it is precise, those replications are meant that are given or were run.
    """
    path = Path(source)
    given = {word: value for word, value in changes.items() if value is not None}
    if "replications" in given:
        given["precision"] = None
    if not path.is_dir():
        settings = {**read_settings(path), **given}
        return make_scenario(settings, folder=path.parent, source=f"{source}: ")
    manifest = path / MANIFEST
    settings = {**_recorded(manifest), **given}
    _check_trace(settings, path)
    return make_scenario(settings, folder=path, source=f"{manifest}: ")


def _recorded(manifest: Path) -> dict[str, Any]:
    """The settings that a manifest holds."""
    if not manifest.exists():
        raise ScenarioError(
            [f"{manifest.parent}: no {MANIFEST} in it; give a folder that `kcmab run --out` wrote"]
        )
    try:
        told = json.loads(manifest.read_bytes())
        settings = told["scenario"]
        whole = {"market", "policy"} <= settings.keys()
        if "precision" in settings and "sweep" not in settings:
            settings |= {"replications": told["replications"], "precision": None}
    except OSError as error:
        reason = f"cannot be read: {error.strerror or error}"
    except (ValueError, RecursionError) as error:
        reason = f"not JSON: {error}"
    except (KeyError, TypeError, AttributeError):
        reason = "holds no scenario"
    else:
        if whole:
            return dict(settings)
        reason = "holds no scenario of a single market"
    raise ScenarioError([f"{manifest}: {reason}; give a folder that `kcmab run --out` wrote"])


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
