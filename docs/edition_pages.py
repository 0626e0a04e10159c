"""
The pages of the reference that the edition files make, one an edition.

    regulations_index   every edition we hold
    edition_pages       the page of each edition, by its path below docs/
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docs.markdown import Row, cell, code, table, words
from palmares.core.rounding import number_text
from palmares.regulations import REGULATIONS, Regulation
from palmares.regulations.editions import Constant, Edition, Reading, editions


def edition_pages() -> dict[str, str]:
    """The page of every edition by its path below ``docs/``."""
    return {
        page_of(edition): edition_page(held, edition)
        for held in REGULATIONS
        for edition in editions(held.name)
    }


def page_of(edition: Edition) -> str:
    """Where the page of an edition is."""
    return f"reference/regulations/{edition.regulation}-{edition.id}.md"


def regulations_index() -> str:
    """Every edition we hold."""
    rows = [
        (
            code(held.name),
            f"[{edition.id}]({Path(page_of(edition)).name})",
            str(edition.in_force) if edition.in_force else "every date",
            cell(edition.title),
            ", ".join(held.kinds) or "no points to players",
        )
        for held in REGULATIONS
        for edition in editions(held.name)
    ]
    head = ("regulation", "edition", "in force from", "title", "kinds of points")
    listed = "\n".join(f"{Path(page_of(edition)).stem}" for held in REGULATIONS
                       for edition in editions(held.name))  # fmt: skip
    return (
        "# Regulations\n\nOne page an edition, made from its file: the clauses in the text's own"
        " words, the numbers it fixes, and how we read it where it is silent.\n\n"
        f"{table(head, rows)}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```"
    )


def edition_page(held: Regulation, edition: Edition) -> str:
    """One edition as its file has it."""
    module = import_module(held.module)
    functions = implementing(module)
    force = f"in force from {edition.in_force}" if edition.in_force else "covers every date"
    parts = [
        f"# {edition.regulation}, {edition.id}",
        (
            f"*{cell(edition.title)}*, {cell(edition.author)}; {force}. Selected by:"
            f" {cell(edition.selected_by)}."
        ),
        (
            f"* source: {cell(edition.source)}\n* edition file: `{edition.path}`\n"
            f"* sha256: `{edition.sha256}`\n* module: `{module.__name__}`"
        ),
        (
            "A clause *computes*, *defines* a term, or *explains*. Each clause that computes is one"
            " function of the module."
        ),
        "## Clauses",
    ]
    for clause in edition.clauses.values():
        parts += [f"### {clause.id}", f"**{cell(clause.label)}** ({clause.kind})"]
        parts.append(f"> {cell(clause.says)}")
        found = functions.get(clause.id, ())
        if found:
            parts.append("\n".join(f"* {code(f.__name__)}: {summary(f)}" for f in found))
        numbers = [one for one in edition.constants.values() if one.clause == clause.id]
        if numbers:
            parts.append("\n".join(map(fixed, numbers)))
        parts += [printed(one) for one in edition.tables.values() if one.clause == clause.id]
        cited = [one.id for one in edition.readings.values() if one.clause == clause.id]
        if cited:
            parts.append("Readings: " + ", ".join(f"[{one}](#{one.lower()})" for one in cited))
    parts += ["## Readings", "Where the text is silent, or contradicts itself."]
    for reading in edition.readings.values():
        parts += read(reading)
    return "\n\n".join(parts)


def implementing(module: ModuleType) -> Mapping[str, Sequence[Callable[..., Any]]]:
    """The functions of a module by the clause they are marked with."""
    found: dict[str, list[Callable[..., Any]]] = {}
    for function in vars(module).values():
        name = getattr(function, "clause", None)
        if isinstance(name, str) and function.__module__ == module.__name__:
            found.setdefault(name, []).append(function)
    return found


def summary(function: Callable[..., Any]) -> str:
    """The first sentence of a function's docstring."""
    return words((inspect.getdoc(function) or "").split("\n\n")[0])


def fixed(constant: Constant) -> str:
    """A number of an edition."""
    return f"* `{constant.name}` = **{value(constant.value)}** ({cell(constant.unit)})"


def value(given: Any) -> str:
    """A number as a person writes it: 1/3 rather than its decimals."""
    if isinstance(given, Fraction) and given.denominator == 3:
        return str(given)
    return number_text(given)


def printed(given: Constant) -> str:
    """A table of an edition."""
    rows = list(entries(given.value, ()))
    return f"Table `{given.name}` ({cell(given.unit)}):\n\n" + table(("entry", "value"), rows)


def entries(given: Any, path: tuple[str, ...]) -> Iterator[Row]:
    """The entries of a table within tables, each with its path."""
    if isinstance(given, Mapping):
        for key, inner in given.items():
            yield from entries(inner, (*path, str(key)))
    elif isinstance(given, tuple):
        yield from ((cell(", ".join((*path, str(at)))), value(one)) for at, one in enumerate(given))
    else:
        yield cell(", ".join(path)), value(given)


def read(reading: Reading) -> Iterator[str]:
    """A reading with its options, and how to choose one."""
    yield f"### {reading.id}"
    yield (
        f"{cell(reading.silent)}\n\n* we: {cell(reading.we)}\n* since: {cell(reading.since)}\n"
        f"* clause: [{reading.clause}](#{reading.clause})"
    )
    for option, does in reading.options.items():
        chosen = f"--reading {reading.id}={option}"
        yield f"Option `{chosen}`: {cell(does)}."
