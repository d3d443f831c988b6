"""The commands in Markdown, from the help that they print."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
from pages_text import cell, plain, table

from kcmab_abm.cli.main import commands

KEPT = "\b"  # click prints what follows line by line


def every_command() -> Iterator[str]:
    """All commands in alphabetical order."""
    above = click.Context(commands, info_name="kcmab", **commands.context_settings)
    names = commands.list_commands(above)
    found = {name: commands.get_command(above, name) for name in names}
    yield from table(
        ("command", "purpose"),
        (
            (f"[`kcmab {name}`](#kcmab-{name})", cell(_help(each).partition("\n\n")[0]))
            for name, each in found.items()
            if each is not None
        ),
    )
    yield ""
    for name, each in found.items():
        assert each is not None
        yield from _command(name, each, above)


def _help(command: click.Command) -> str:
    return inspect.cleandoc(command.help or "")


def _command(name: str, command: click.Command, above: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=above)
    usage = " ".join(["kcmab", name, *command.collect_usage_pieces(context)])
    yield from [f"## kcmab {name}", "", "```text", usage, "```", ""]
    for part in re.split(r"\n\s*\n", _help(command)):
        if part.startswith(KEPT):
            lines = part.removeprefix(KEPT).strip("\n").split("\n")
            title, *rest = [line for line in lines if line.strip()]
            yield from [plain(title), "", "```text", inspect.cleandoc("\n".join(rest)), "```", ""]
        else:
            yield from [plain(part), ""]
    records = [each.get_help_record(context) for each in command.get_params(context)]
    rows = [
        (f"`{option}`".replace("|", "\\|"), cell(text))
        for option, text in filter(None, records)
        if text  # that of an argument is in the description
    ]
    yield from [*table(("option", "meaning"), rows), ""]
