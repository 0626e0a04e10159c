"""
The pages of the reference that docstrings make.

    python_api      functions and classes that a program may use
    error_pages     every kind of error
"""

from __future__ import annotations

import dataclasses
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from textwrap import dedent
from typing import Any

import palmares
from docs.markdown import code, words
from palmares.core import errors

API = (
    ("palmares", None),
    ("palmares.vp", ("continuous", "discrete", "scale_of", "vps", "margin_for", "convert", "imps",
                     "match_imps", "Scale", "Score", "Range", "Correction")),
    ("palmares.bridge.standings", ("standings", "Standings", "Standing", "crosstable", "running",
                            "vp_text")),
    ("palmares.bridge.results", ("Result",)),
    ("palmares.bridge.tiebreaks", ("Tie", "Step")),
    ("palmares.points.explain", ("Explanation", "Entry", "Line")),
    ("palmares.points.summary", ("Summary",)),
    ("palmares.library.lists", ("PublishResult",)),
    ("palmares.lists.publication.verify", ("Verification", "Part")),
    ("palmares.lists.compare", ("Comparison",)),
    ("palmares.lists.compare.rows", ("Row",)),
    ("palmares.facts", ("Facts",)),
)  # fmt: skip


def python_api() -> str:
    """What a program may call."""
    parts = [
        "# Python",
        (
            "Points are floats with at most nine decimals; sums are made on whole numbers before."
            " Notices are issued as `PalmaresWarning`, problems raise a"
            " [`PalmaresError`](errors.md)."
        ),
    ]
    for module_name, names in API:
        module = pkgutil.resolve_name(module_name)
        told = names or [
            one for one in palmares.__all__ if inspect.isfunction(getattr(module, one))
        ]
        parts.append(f"## {module_name}")
        for name in told:
            parts += documented(f"{module_name}.{name}", getattr(module, name))
    return "\n\n".join(parts)


def documented(name: str, thing: Any) -> Iterator[str]:
    """One function or class: its signature, its docstring, its public methods."""
    yield f"### {name}"
    if inspect.isclass(thing) and dataclasses.is_dataclass(thing):
        told = "".join(f"\n    {one.name}: {one.type}" for one in dataclasses.fields(thing))
        yield f"```py\nclass {thing.__name__}:{told}\n```"
    else:
        yield f"```py\n{signature(thing)}\n```"
    yield from docstring(inspect.getdoc(thing) or "")
    if inspect.isclass(thing):
        for method, found in vars(thing).items():
            function = found.__func__ if isinstance(found, classmethod) else found
            if inspect.isfunction(function) and not method.startswith("_"):
                yield f"```py\n{signature(function)}\n```"
                yield from docstring(inspect.getdoc(function) or "")


def signature(function: Callable[..., Any]) -> str:
    """A function's head, on lines of their own if it is long."""
    held = inspect.signature(function)
    given = [one for one in held.parameters.values() if one.name not in {"self", "cls"}]
    terms = [term(one) for one in given]
    kinds = [one.kind for one in given]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        terms.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    result = held.return_annotation
    line = f"{function.__name__}({', '.join(terms)}) -> {result}"
    if len(line) <= 80:
        return line
    return f"{function.__name__}(\n    " + ",\n    ".join(terms) + f",\n) -> {result}"


def term(given: inspect.Parameter) -> str:
    """One parameter as it is written in the source."""
    star = "*" * (given.kind is inspect.Parameter.VAR_POSITIONAL)
    default = "" if given.default is inspect.Parameter.empty else f" = {given.default!r}"
    return f"{star}{given.name}: {given.annotation}{default}"


def docstring(text: str) -> Iterator[str]:
    """A docstring's paragraphs; its sections as lists."""
    for block in text.split("\n\n"):
        head, _, body = block.partition("\n")
        if head in {"Args:", "Returns:", "Raises:", "Source:"}:
            yield f"*{head[:-1]}*\n\n{section(head, inspect.cleandoc(body))}"
        else:
            yield words(block)


def section(head: str, body: str) -> str:
    """A section's entries, one a line that is not indented; what is returned is a sentence."""
    if head == "Returns:":
        return words(body)
    entries = re.split(r"\n(?=\S)", body)
    told = []
    for entry in entries:
        name, _, meaning = entry.partition(": ")
        told.append(f"* {code(name)}: {words(meaning)}")
    return "\n".join(told)


def error_pages() -> str:
    """Every kind of error."""
    tree = inspect.getdoc(errors) or ""
    parts = [
        "# Errors",
        (
            "A message says what is wrong, where, by which clause, and what to do. Reading"
            " collects every problem before it stops; nothing is computed from facts that have one,"
            " and no file is left half-written."
            " [How to mend the commonest problems](../how-to/problems.md)."
        ),
        "```text\n" + dedent(tree.split("\n\n")[1]) + "\n```",
    ]
    for name, found in vars(errors).items():
        if inspect.isclass(found) and found.__module__ == errors.__name__:
            parts += [f"## {name}", *docstring(inspect.getdoc(found) or "")]
            if name == "Problem":
                fields = [code(one.name) for one in dataclasses.fields(errors.Problem)]
                parts.append(f"Its parts: {', '.join(fields)}.")
    return "\n\n".join(parts)
