"""The folder of results: written whole or not at all."""

from __future__ import annotations

import json
import platform
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from kcmab_abm.errors import OutputError
from kcmab_abm.experiment import Results

MANIFEST = "manifest.json"
_LIBRARIES = ["kcmab-abm", "numba", "numpy", "pandas", "scipy", "simpy"]


def check_folder(folder: Path, force: bool) -> None:
    """Refuse a folder that cannot or must not be written, before any work is done for it."""
    if not folder.name:
        raise OutputError(f"{folder}: not a folder that can be made; give a new name")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(f"{folder}: exists and is not a folder; give another name")
    if folder.exists():
        ours = (folder / MANIFEST).exists() or not any(folder.iterdir())
        if not force:
            raise OutputError(f"{folder}: exists; give another name, or --force to replace it")
        if not ours:
            raise OutputError(
                f"{folder}: exists and does not hold results (no {MANIFEST}), so --force will not "
                "replace it; give another name"
            )
    _stage(folder).rmdir()


def write_results(results: Results, folder: Path, force: bool = False) -> None:
    """Write tables, curves, figure and manifest into a new folder.

    They are written beside it first and moved into place when all are there. With `force`, results
    that are there already are replaced in the same way.
    """
    check_folder(folder, force)
    stage = _stage(folder)
    try:
        _fill(results, stage)
        stage.chmod(0o755)
        _move(stage, folder)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _stage(folder: Path) -> Path:
    """A new folder beside the one wanted, so that moving it there is one step."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        stage = tempfile.mkdtemp(prefix=f".{folder.name}-", suffix=".partial", dir=folder.parent)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{folder}: cannot be written: {reason}") from error
    return Path(stage)


def _move(stage: Path, folder: Path) -> None:
    """Put the new folder in the place of the old one; the old one comes back if that fails."""
    if not folder.exists():
        stage.rename(folder)
        return
    old = _stage(folder)
    folder.rename(old / "old")
    try:
        stage.rename(folder)
    except OSError:
        (old / "old").rename(folder)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _fill(results: Results, folder: Path) -> None:
    # Late, because matplotlib takes half a second to import.
    from kcmab_abm.figures.outcome import draw_outcome
    from kcmab_abm.figures.style import save

    summary = results.summary()
    summary.to_csv(folder / "summary.csv", index=False)
    _write_json(folder / "summary.json", json.loads(summary.to_json(orient="records")))
    results.paired().to_csv(folder / "paired.csv", index=False)
    results.arms().to_csv(folder / "arms.csv", index=False)
    results.curves().to_parquet(folder / "curves.parquet", index=False)
    results.finals().to_parquet(folder / "finals.parquet", index=False)
    save(draw_outcome(results), folder, "figure")
    _write_json(folder / MANIFEST, manifest(results))


def manifest(results: Results) -> dict[str, Any]:
    """What one needs to run it again and to see that it came out the same."""
    engines = {label: used._asdict() for label, used in results.engines.items()}
    return {
        "digest": results.digest(),
        "scenario": results.scenario.settings,
        "seed": results.scenario.seed,
        "engine": results.engine,
        "engines": engines,
        "versions": {
            "python": platform.python_version(),
            **{library: version(library) for library in _LIBRARIES},
        },
        "platform": f"{platform.system()} {platform.machine()}",
    }


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
