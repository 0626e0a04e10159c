"""
Writes the pages of the reference that only repeat what the code says: ``python -m docs.generate``.

    pages       every generated page: its path below docs/  ->  its text
    main        writes them, and removes pages that nothing makes any more

A test compares the pages on disk with these and fails when one is stale.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.testing import CliRunner

from docs.api_page import api_page
from docs.edition_pages import edition_pages, regulations_index
from docs.markdown import cell, code, table
from docs.rights_page import rights_page
from docs.rooms import picture
from palmares.cli import cli
from palmares.core.settings import SETTINGS
from palmares.facts.schema import TABLES, Column
from palmares.formats.toml.read import KEYS
from palmares.web.regulations.glossary import GLOSSARY

DOCS = Path(__file__).parent
MARK = "<!-- Written by docs/generate.py. Do not edit. -->"
FOLDERS = ("reference", "reference/regulations")
READ_ON = {
    "facts": "[Their columns](facts.md).",
    "feed": "[How events are played](formats.md).",
    "edition": "[All editions](regulations/index.md).",
    "streaming fund": "[How to keep it](../how-to/streaming-fund.md).",
}
"""Pages of the documentation about a word of the glossary."""


def pages() -> dict[str, str]:
    """Every generated page by its path below ``docs/``."""
    made = {
        "reference/cli.md": command_line(),
        "reference/facts.md": facts_tables(),
        "reference/glossary.md": glossary(),
        "reference/report-keys.md": report_keys(),
        "reference/rights.md": rights_page(),
        "reference/settings.md": settings(),
        "reference/api.md": api_page(),
        "reference/regulations/index.md": regulations_index(),
        "explanation/architecture.svg": picture(),
    }
    made |= edition_pages()
    return {path: f"{MARK}\n\n{text.strip()}\n" for path, text in made.items()}


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


# ── The command line ─────────────────────────────────────────────────────────────────────────────


def command_line() -> str:
    """The help of every command."""
    parts = [
        "# Command line",
        (
            "`PATH` is a report file, a package of tables, or a directory of either; several are"
            " read as one. A directory of reports is read for `.toml` and `.txt` files; a CSV or"
            " Excel sheet is read when it is named."
        ),
        table(
            ("exit status", "means"),
            [
                ("0", "done; warnings, if any, are on standard error"),
                ("1", "something must be mended; the message says what, where and how"),
                ("2", "the command was not typed as it must be"),
            ],
        ),
        help_text(),
    ]
    for name in cli.places:
        parts.append(f"## {name}\n\n{help_text(name)}")
        parts += [f"### {name} {one}\n\n{help_text(name, one)}" for one in subcommands(name)]
    return "\n\n".join(parts)


def glossary() -> str:
    """The glossary of the site, with what to read on."""
    parts = ["# Glossary", "Words that have one meaning here: in messages, pages, help and code."]
    for heading, words in GLOSSARY.items():
        lines = [
            f"* **{word}**: {meaning} {READ_ON.get(word, '')}".rstrip()
            for word, meaning in words.items()
        ]
        parts.append(f"## {heading}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def settings() -> str:
    """Every setting, its variable and what holds without it."""
    rows = [
        (code(one.name), code(one.variable), code(one.default) if one.default else one.otherwise,
         cell(one.means))
        for one in SETTINGS.values()
    ]  # fmt: skip
    return "\n\n".join([
        "# Settings",
        (
            "Set a variable in the environment of the command or the site. Where a command has an"
            " option of that name, the option counts before the variable. An empty variable says"
            " nothing. `palmares settings` prints what is in force on your machine, and from where."
        ),
        table(("name", "environment", "default", "meaning"), rows),
        (
            "Everything else that the site needs to know, people set on its pages: accounts, roles,"
            " memberships, rates. [Behind a proxy](../how-to/proxy.md) shows the settings of a site"
            " on the internet."
        ),
    ])  # fmt: skip


def subcommands(name: str) -> list[str]:
    """The commands in a group; none where a command stands alone."""
    command = cli.get_command(click.Context(cli), name)
    return command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []


def help_text(*names: str) -> str:
    """What ``--help`` prints, in a block."""
    os.environ["COLUMNS"] = "80"
    typed = [*names, "--help"]
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
        "board_results": "lines of boards, instead of IMPs: board, points of home, points of away",
        "placings": "lines of placings",
        "placings_file": "a CSV or Excel file beside the report, instead of lines",
        "matches": "lines of matches",
        "team_matches": "lines of matches of teams",
        "players": "lines of names: everybody who took part",
        "player": "who: a name of this report, or an id in square brackets",
        "origin": "what stood in the brackets and is no nation; no regulation reads it",
    }
    parts = [
        "# Keys of a TOML report",
        (
            "Every key that a report may have. Dates are written bare (`2019-11-15`), money as a"
            " number without a currency sign. The [notation of a report](report.md) shows them"
            " at work."
        ),
    ]
    for heading, keys, name in (
        ("[tournament]", KEYS["tournament"], "tournaments"),
        ("[[event]]", (*KEYS["event"], "matches", "team_matches"), "events"),
        ("[event.main], [event.consolation], [event.last_chance]", KEYS["flight"], "flights"),
        ("[[player]]", KEYS["player"], "players"),
        ("[[member]]", KEYS["member"], "memberships"),
        ("[[rate]]", KEYS["rate"], "rates"),
        ("[[event.team_match]]", KEYS["team_match"], "team_matches"),
        ("[[event.teams]]", KEYS["teams"], "teams"),
    ):
        columns = {**TABLES[name], "id": TABLES[name].get(f"{name[:-1]}_id")}
        if "match_id" in columns:
            columns["id"] = columns["match_id"]
        rows = [
            (code(key), limits(column) if (column := columns.get(key)) else of_lines.get(key, ""))
            for key in keys
        ]
        title = " ".join(code(one) for one in heading.split(", "))
        parts.append(f"## {title}\n\n" + table(("key", "meaning"), rows))
    parts.append(
        '## `[members]`\n\nOne key a federation: `usbgf = "all"`,'
        ' `usbgf = ["Ada Novak (CZE)"]`, or a table with the keys '
        + ", ".join(map(code, KEYS["members"]))
        + ". The level is `Basic` and the days are those of the tournament unless it says so."
    )  # fmt: skip
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
