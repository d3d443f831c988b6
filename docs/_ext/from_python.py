"""Public Python names in Markdown: signatures, and docstrings in NumPy's style."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

from pages_text import cell, plain, table

INHERITED = {"count", "index"}  # of every tuple
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ENTRIES = {"Parameters", "Attributes", "Raises", "Returns"}
INDENTED = re.compile(r"^ {4}\S", re.MULTILINE)
LONGEST = 88  # letters of a signature on one line


def module(name: str) -> Iterator[str]:
    """The public names of a module, but for the modules among them."""
    every = importlib.import_module(name).__all__
    yield from names(*(f"{name}.{word}" for word in sorted(every, key=str.lower)))


def names(*paths: str) -> Iterator[str]:
    """These names with an overview: "kcmab_abm.model.book.Book" and so on."""
    places = [path.rpartition(".") for path in paths]
    every = {word: getattr(importlib.import_module(home), word) for home, _, word in places}
    found = {word: thing for word, thing in every.items() if not inspect.ismodule(thing)}
    yield from table(
        ("name", "purpose"),
        ((f"[`{word}`](#{_anchor(word)})", cell(first_line(each))) for word, each in found.items()),
    )
    yield ""
    for word, thing in found.items():
        yield from described(word, thing)


def described(name: str, thing: Any) -> Iterator[str]:
    """One name: its signature, its docstring and, if it is a class, its methods."""
    yield from [f"### {name}", ""]
    if inspect.isclass(thing):
        doc = inspect.getdoc(thing) or ""
        if not issubclass(thing, Exception):
            yield from _signature(name, thing)
        yield from _docstring(doc)
        for word, method in _methods(thing):
            yield from _method(name, word, method)
    else:
        yield from _signature(name, thing)
        yield from _docstring(inspect.getdoc(thing) or "")


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())


def _anchor(name: str) -> str:
    """The anchor that code hosts and the site give to a heading."""
    return re.sub(r"[^\w-]", "", name.lower())


def _methods(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of the package defines, in its order."""
    for base in reversed(thing.__mro__):
        if not base.__module__.startswith("kcmab_abm"):
            continue
        for word, each in vars(base).items():
            is_public = not word.startswith("_") and word not in INHERITED
            if is_public and vars(thing).get(word, each) is each and _is_documented(each):
                yield word, each


def _is_documented(thing: Any) -> bool:
    what = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
    is_method = inspect.isfunction(what) or hasattr(what, "fget") or hasattr(what, "func")
    return bool(is_method and inspect.getdoc(what))


def _method(owner: str, name: str, method: Any) -> Iterator[str]:
    yield from [f"#### {owner}.{name}", ""]
    if isinstance(method, classmethod | staticmethod):
        method = method.__func__
    if inspect.isfunction(method):
        yield from _signature(f"{owner}.{name}", method, bound=True)
    else:
        yield from ["*A property.*", ""]
    yield from _docstring(inspect.getdoc(method) or "")


def _signature(name: str, thing: Any, bound: bool = False) -> Iterator[str]:
    """How it is called, with one parameter per line if one line is too short."""
    try:
        signature = inspect.signature(thing)
    except ValueError:  # of a class that is not meant to be called
        return
    words = list(_words(list(signature.parameters.values())[bound:]))
    returned = signature.return_annotation
    is_told = returned is not signature.empty and not inspect.isclass(thing)
    end = f") -> {_type(returned)}" if is_told else ")"
    line = f"{name}({', '.join(words)}{end}"
    if len(line) > LONGEST:
        line = "\n".join([f"{name}(", *(f"    {word}," for word in words), end])
    yield from ["```python", line, "```", ""]


def _words(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """The parameters as they are written in a definition."""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    starred = False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        kind = "" if each.annotation is each.empty else f": {_type(each.annotation)}"
        default = "" if each.default is each.empty else f" = {_shown(each.default)}"
        yield f"{marks.get(each.kind, '')}{each.name}{kind}{default}"


def _type(annotation: Any) -> str:
    """A type as it is written, without the modules of its classes."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    text = getattr(annotation, "__forward_arg__", None) or str(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text)


def _shown(default: Any) -> str:
    """A default value, unless only an address could be shown."""
    text = repr(default)
    return "..." if " at 0x" in text or text.startswith("<") else text


def _docstring(doc: str) -> Iterator[str]:
    """A docstring in NumPy's style as paragraphs and lists."""
    first, *rest = SECTION.split(doc)
    yield from _paragraphs(first)
    for title, text in zip(rest[::2], rest[1::2], strict=True):
        yield from [f"**{title}**", ""]
        if title in ENTRIES and INDENTED.search(text):
            yield from _entries(text)
        else:
            yield from _paragraphs(text)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, in which prompts and indented lines are code."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if not part.strip():
            continue
        if part.startswith(">>>"):
            yield from ["```python", part, "```", ""]
        elif all(line.startswith("    ") for line in part.split("\n")):
            yield from ["```text", inspect.cleandoc(part), "```", ""]
        elif part.startswith("- "):
            yield from [*re.sub(r"\n  +", " ", part).split("\n"), ""]
        else:
            yield from [plain(part), ""]


def _entries(text: str) -> Iterator[str]:
    """Parameters and the like: a name, perhaps a type, and an indented explanation."""
    entry: list[str] = []
    for line in [*text.strip("\n").split("\n"), ""]:
        if line.startswith((" ", "\t")):
            entry.append(line.strip())
            continue
        if entry:
            head, _, kind = entry[0].partition(" : ")
            words = f" ({plain(kind)})" if kind else ""
            yield f"- `{head}`{words}: {plain(' '.join(entry[1:]))}"
        entry = [line] if line.strip() else []
    yield ""
