"""The catalogue as pages: what each entry does, its settings, where it is from, its source."""

import inspect
import sys
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

from kcmab_abm.catalogue.entries import LARGEST_WHOLE
from kcmab_abm.catalogue.registry import (
    BEHAVIOURS,
    DECISIONS,
    DISCLOSURES,
    LAWS,
    MEASURES,
    POLICIES,
    PRICING,
)
from kcmab_abm.scenario.schema import json_schema

KINDS = {
    "policies": POLICIES,
    "behaviours": BEHAVIOURS,
    "decisions": DECISIONS,
    "pricing": PRICING,
    "disclosures": DISCLOSURES,
    "measures": MEASURES,
    "laws": LAWS,
}
KEYS = {"name", "label", "behaviour", "rule", "measure", "law"}  # what every entry has
LIMITS = {"exclusiveMinimum": ">", "minimum": ">=", "exclusiveMaximum": "<", "maximum": "<="}


class CataloguePage(SphinxDirective):
    """All entries of one kind, as in `{catalogue} policies`."""

    required_arguments = 1

    def run(self):
        """Read the entries as if they stood on the page, in Markdown."""
        catalogue = KINDS[self.arguments[0]]
        tables = {}
        for table in json_schema()["$defs"].values():
            fields = table.get("properties", {})
            if "weight" not in fields:  # or it is one kind of a mixture
                tables[table["title"]] = fields
        text = [
            line
            for entry in catalogue.values()
            for line in self.lines(entry, tables[f"{getattr(entry, 'kind', 'law')} {entry.name}"])
        ]
        return self.parse_text_to_nodes("\n".join(text), allow_section_headings=True)

    def lines(self, entry, fields):
        """Write one entry, line by line."""
        module = sys.modules[entry.module]
        self.env.note_dependency(inspect.getfile(module))
        yield from [f"## `{entry.name}`", "", plain(entry.about), ""]
        if entry.cites:
            yield from [f"From: {plain(entry.cites)}.", ""]
        if pages := ", ".join(f"[](/theory/{page.name})" for page in self.theory(entry)):
            yield from [f"The theory: {pages}.", ""]
        yield from settings_table(fields)
        yield from ["", f"`{entry.module.replace('.', '/')}.py`:", ""]
        yield from ["````python", inspect.getsource(module).rstrip(), "````", ""]

    def theory(self, entry):
        """Find the pages that show the code of an entry, the one of its own name first."""
        file = f"{entry.module.replace('.', '/')}.py"
        pages = sorted(Path(self.env.srcdir, "theory").glob("*.md"))
        shown = [page for page in pages if file in page.read_text(encoding="utf-8")]
        return sorted(shown, key=lambda page: page.stem != entry.name)


def settings_table(fields):
    """List what can be set: default, range, meaning."""
    rows = [
        f"| `{name}` | {default(field)} | {allowed(field)} | {plain(field['description'])} |"
        for name, field in fields.items()
        if name not in KEYS
    ]
    if not rows:
        return ["There is nothing to set."]
    return ["| setting | default | allowed | meaning |", "|---|---|---|---|", *rows]


def default(field):
    """Show a default as a scenario file writes it."""
    value = field.get("default")
    if value is None:
        return ""
    return f"`{value:g}`" if type(value) is float else f"`{value}`".replace("'", '"').lower()


def allowed(field):
    """Say in words what a JSON Schema lets through."""
    if "anyOf" in field:
        return allowed(field["anyOf"][0])  # the other is null: not given
    if "oneOf" in field:
        return "a table"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return (
            f"list of {allowed(field['items'])}" if "type" in field["items"] else "list of tables"
        )
    if field.get("type") == "boolean":
        return "true or false"
    limits = " and ".join(
        f"{sign} {field[word]:g}"
        for word, sign in LIMITS.items()
        if word in field and field[word] != LARGEST_WHOLE
    )
    kind = "whole number" if field["type"] == "integer" else field["type"]
    return plain(f"{kind} {limits}".strip())


def plain(text):
    """Escape what Markdown would format, code apart."""
    for sign in r"*_|<>":
        text = text.replace(sign, f"\\{sign}")
    return text


def setup(app):
    """Register the directive."""
    app.add_directive("catalogue", CataloguePage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
