"""
Writes the pages of the reference that only repeat what the code says: ``python docs/generate.py``.

    pages       every generated page: its path below docs/  ->  its text
    main        writes them, and removes pages that nothing makes any more

A test compares the pages on disk with these and fails when one is stale.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from click.testing import CliRunner

import palmares
from palmares import errors
from palmares.cli import COMMANDS, cli
from palmares.cli.why import number
from palmares.editions import Constant, Edition, Reading, editions
from palmares.facts.tables import TABLES, Column
from palmares.regulations import REGULATIONS, Regulation
from palmares.reports import toml_shape

DOCS = Path(__file__).parent
MARK = "<!-- Written by docs/generate.py. Do not edit. -->"
FOLDERS = ("reference", "reference/regulations")

Row = Sequence[str]


def pages() -> dict[str, str]:
    """Every generated page by its path below ``docs/``."""
    made = {
        "reference/cli.md": command_line(),
        "reference/facts.md": facts_tables(),
        "reference/report-keys.md": report_keys(),
        "reference/python.md": python_api(),
        "reference/errors.md": error_pages(),
        "reference/regulations/index.md": regulations_index(),
    }
    for held in REGULATIONS:
        for edition in editions(held.name):
            made[page_of(edition)] = edition_page(held, edition)
    return {path: f"{MARK}\n\n{text.strip()}\n" for path, text in made.items()}


def page_of(edition: Edition) -> str:
    """Where the page of an edition is."""
    return f"reference/regulations/{edition.regulation}-{edition.id}.md"


def generated() -> set[str]:
    """The generated pages that are on disk."""
    found = (path for folder in FOLDERS for path in (DOCS / folder).glob("*.md"))
    return {
        path.relative_to(DOCS).as_posix()
        for path in found
        if path.read_text(encoding="utf-8").startswith(MARK)
    }


def main() -> None:
    """Write every page."""
    made = pages()
    for path in generated() - made.keys():
        (DOCS / path).unlink()
    for path, text in made.items():
        (DOCS / path).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / path).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages written.")


# ── Small pieces of Markdown ─────────────────────────────────────────────────────────────────────


def table(head: Row, rows: Iterator[Row] | Sequence[Row]) -> str:
    """A table; cells are Markdown already."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def cell(text: object) -> str:
    """Words as they are, so that nothing in them is taken for Markdown."""
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", str(text)).replace("\n", " ")


def code(text: object) -> str:
    """Words as code."""
    return f"`{text}`"


def words(text: str) -> str:
    """A docstring's paragraph as Markdown: its double backticks and names in single ones."""
    text = re.sub(r"``(.+?)``", r"`\1`", " ".join(text.split()))
    return re.sub(r"(?<!`)`([^`]+)`(?!`)", r"`\1`", text)


# ── The command line ─────────────────────────────────────────────────────────────────────────────


def command_line() -> str:
    """The help of every command."""
    parts = [
        "# Command line",
        (
            "`PATH` is a report file, a package of tables, or a directory of either; several are read"
            " as one. A directory of reports is read for `.toml` and `.txt` files; a CSV or Excel"
            " sheet is read when it is named."
        ),
        table(
            ("exit status", "means"),
            [
                ("0", "done; warnings, if any, are on standard error"),
                ("1", "something must be mended; the message says what, where and how"),
                ("2", "the command was not typed as it must be"),
            ],
        ),
        help_text(""),
    ]
    parts += [f"## {name}\n\n{help_text(name)}" for name in COMMANDS]
    return "\n\n".join(parts)


def help_text(name: str) -> str:
    """What ``--help`` prints, in a block."""
    os.environ["COLUMNS"] = "80"
    typed = [name, "--help"] if name else ["--help"]
    result = CliRunner().invoke(cli, typed, prog_name="palmares", catch_exceptions=False)
    return f"```text\n$ palmares {' '.join(typed)}\n{result.output.rstrip()}\n```"


# ── Facts and reports ────────────────────────────────────────────────────────────────────────────

KINDS = {
    "id": "id",
    "text": "text",
    "whole": "whole number",
    "decimal": "number",
    "date": "date",
    "flag": "yes or no",
    "choice": "word",
    "nation": "nation",
    "country": "country",
    "currency": "currency",
}


def facts_tables() -> str:
    """Every table of facts, column by column."""
    parts = [
        "# Tables of facts",
        ("A package is a directory with one file for each table: UTF-8 CSV with a header row"
        " (`placings.csv`), or Parquet (`placings.parquet`). A table that is absent is empty. A"
        " column marked * must be filled in; every other cell may be empty. A column that is not"
        " listed here is kept and ignored. [How to import a package](../how-to/packages.md)."),
        "## What a cell may hold",
        table(
            ("kind", "accepts"),
            [
                ("id", "any text of up to 200 characters; it is never taken apart"),
                ("text", "up to 200 characters in any script, nothing invisible among them"),
                ("whole number", "`12`, `+12`, `12.0`"),
                ("number", "`12.50`: up to 15 digits before the point and 12 after it"),
                ("date", "`2019-11-15`, years 1900 to 2200"),
                ("yes or no", "`yes` `true` `1` `x`, `no` `false` `0`; empty: not said"),
                ("word", "one of the words listed, in upper or lower case"),
                ("nation", ("ISO 3166-1 alpha-3, or `ENG` `SCO` `WAL` `NIR` `XKX`; codes of the"
                           " International Olympic Committee are translated")),
                ("country", "the same, a code of two letters, or an English name"),
                ("currency", "ISO 4217, today's or of a currency that is gone"),
            ],
        ),
    ]  # fmt: skip
    for name, columns in TABLES.items():
        rows = [
            (code(one.name) + "*" * one.required, KINDS[one.kind], limits(one))
            for one in columns.values()
        ]
        parts.append(f"## {name}\n\n" + table(("column", "kind", "meaning"), rows))
    return "\n\n".join(parts)


def limits(column: Column) -> str:
    """What a column means, its words and bounds."""
    told = [cell(column.means)]
    if any(word not in column.means for word in column.choices):
        told.append(", ".join(map(code, column.choices)) + ", or another word" * column.others)
    if column.above_zero:
        told.append("above 0")
    if column.maximum is not None:
        told.append(f"{column.minimum} to {column.maximum}")
    elif column.minimum is not None:
        told.append(f"{column.minimum} or more")
    return "; ".join(told)


def report_keys() -> str:
    """Every key of a TOML report."""
    of_lines = {
        "placings": "lines of placings",
        "placings_file": "a CSV or Excel file beside the report, instead of lines",
        "matches": "lines of matches",
        "players": "lines of names: everybody who took part",
        "player": "who: a name of this report, or an id in square brackets",
        "origin": "what stood in the brackets and is no nation; no regulation reads it",
    }
    parts = [
        "# Keys of a TOML report",
        (
            "Every key that a report may have. Dates are written bare (`2019-11-15`), money as a number"
            " without a currency sign. The [notation of a report](report.md) shows them at work."
        ),
    ]
    for heading, keys, name in (
        ("[tournament]", toml_shape.TOURNAMENT, "tournaments"),
        ("[[event]]", toml_shape.EVENT, "events"),
        ("[event.main], [event.consolation], [event.last_chance]", toml_shape.FLIGHT, "flights"),
        ("[[player]]", toml_shape.PLAYER, "players"),
        ("[[member]]", toml_shape.MEMBER, "memberships"),
        ("[[rate]]", toml_shape.RATE, "rates"),
        ("[[event.team_match]]", toml_shape.TEAM_MATCH, "team_matches"),
    ):
        columns = {**TABLES[name], "id": TABLES[name].get(f"{name[:-1]}_id")}
        rows = [
            (code(key), limits(column) if (column := columns.get(key)) else of_lines.get(key, ""))
            for key in keys
        ]
        title = " ".join(code(one) for one in heading.split(", "))
        parts.append(f"## {title}\n\n" + table(("key", "meaning"), rows))
    parts.append(
        '## `[members]`\n\nOne key a federation: `usbgf = "all"`,'
        ' `usbgf = ["Ada Novak (CZE)"]`, or a table with the keys '
        + ", ".join(map(code, toml_shape.MEMBERS))
        + ". The level is `Basic` and the days are those of the tournament unless it says so."
    )  # fmt: skip
    return "\n\n".join(parts)


# ── Python and errors ────────────────────────────────────────────────────────────────────────────

API = (
    ("palmares", None),
    ("palmares.vp", ("continuous", "discrete", "scale_of", "vps", "margin_for", "Scale", "Score",
                     "Range", "Correction")),
    ("palmares.explanations", ("Explanation", "Entry", "Line")),
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
        module = importlib.import_module(module_name)
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
    if inspect.isclass(thing):
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
            "A message says what is wrong, where, by which clause, and what to do. Reading collects"
            " every problem before it stops; nothing is computed from facts that have one, and no file"
            " is left half-written. [How to mend the commonest problems](../how-to/problems.md)."
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


# ── Regulations ──────────────────────────────────────────────────────────────────────────────────


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
        "# Regulations\n\nOne page an edition, made from its sheet: the clauses in the text's own"
        " words, the numbers it fixes, and how we read it where it is silent.\n\n"
        f"{table(head, rows)}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```"
    )


def edition_page(held: Regulation, edition: Edition) -> str:
    """One edition as its sheet has it."""
    module = held.load()
    functions = implementing(module)
    force = f"in force from {edition.in_force}" if edition.in_force else "covers every date"
    parts = [
        f"# {edition.regulation}, {edition.id}",
        (
            f"*{cell(edition.title)}*, {cell(edition.author)}; {force}. Selected by:"
            f" {cell(edition.selected_by)}."
        ),
        (
            f"* source: {cell(edition.source)}\n* sheet: `{edition.path}`\n"
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
    return number(given)


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


if __name__ == "__main__":
    main()
