"""The command `kcmab verify`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def verify(folder: Path) -> None:
    """Check that results are exactly as they were written.

    Every file is compared with its digest in manifest.json, and the results are recomputed from
    the chunks. All problems are listed. An unfinished run (DIR.partial) can be checked too. Exit
    codes: 0 if nothing differs, 1 if something does, 2 if DIR is not a folder of results.

    \b
    Example:
      kcmab verify results
    """
    from kcmab_abm.errors import DamageError
    from kcmab_abm.running.verify_results import check

    found = check(folder)
    if found.problems:
        raise DamageError(found.problems)
    unfinished = "" if found.is_finished else ", of a run that is not finished"
    click.echo(f"verified: {found.files:,} files{unfinished}")
