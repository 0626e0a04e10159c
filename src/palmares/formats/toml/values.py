"""The keys of a TOML report and their values as cells of text, each with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from palmares.core.messages import msg
from palmares.core.toml import BLOCK, Document, Path
from palmares.facts.decoding import ReportTables, meant
from palmares.facts.schema import cell_columns
from palmares.facts.text import squeezed

CLAUSE = "report"
MOST_BITS = 10_000  # of a number that Python prints in decimals
Table = Mapping[str, Any]
Lines = list[tuple[int, str]]


class Cells(Struct):
    """A parsed report and the line of each of its keys."""

    document: Document
    findings: ReportTables

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest thing around it."""
        return max(self.document.line(path), 1)

    def take_headings_as_meant(self) -> None:
        """Read misspelt headings, each a problem already, so that no other follows from it."""
        values = self.document.values
        written = _misspelt(values, TOP)
        as_meant = {name: values[key] for name, key in written.items()}
        self.document = replace(self.document, values=as_meant | values, written=written)

    def report(self, path: Path, what: str, remedy: str) -> None:
        """Add a problem with what is at a path."""
        self.findings.problem(self.line(*path), what, CLAUSE, remedy)

    def check_keys(self, table: Table, keys: Iterable[str], at: Path) -> None:
        """Add a problem for every unknown key of a table."""
        expected = list(keys)
        for key in table:
            if key not in expected:
                what = (
                    msg("%(place)s has no %(key)s", place=f"[{heading(at)}]", key=key)
                    if at
                    else msg("a report has no %(key)s", key=key)
                )
                self.report((*at, key), what, meant(key, expected))

    def table(self, path: Path, value: Any) -> Table:
        """The table at a path; anything else there is a problem."""
        if isinstance(value, Mapping):
            return value
        name = heading(path)
        self.report(
            path,
            msg("%(name)s must have a heading", name=name),
            msg("Write %(heading)s above its keys.", heading=f"[{name}]"),
        )
        return {}

    def tables(self, parent: Table, name: str, at: Path) -> Iterator[tuple[Path, Table]]:
        """The tables of an array of tables, each with its path."""
        value = parent.get(name, [])
        for number, table in enumerate(value if isinstance(value, list) else [value]):
            path = (*at, name, number) if isinstance(value, list) else (*at, name)
            if isinstance(table, Mapping):
                yield path, table
            else:
                title = heading(path)
                self.report(
                    path,
                    msg("%(name)s must have headings", name=title),
                    msg("Write %(heading)s above each.", heading=f"[[{title}]]"),
                )

    def rows(
        self, parent: Table, name: str, at: Path
    ) -> Iterator[tuple[Path, Table, int, dict[str, str | None]]]:
        """The tables of an array of tables: path, table, line and cells of each."""
        for path, table in self.tables(parent, name, at):
            yield path, table, self.line(*path), self.row(table, name, path)

    def row(
        self, table: Table, kind: str, at: Path, others: Iterable[str] = ()
    ) -> dict[str, str | None]:
        """The cells of a table by their column; a key that it cannot have is a problem.

        Args:
            table: as it was parsed.
            kind: one of `KEYS`.
            at: the path of the table.
            others: more keys that it may have, which are no cells.
        """
        self.check_keys(table, (*KEYS[kind], *others), at)
        line, row = self.line(*at), {}
        misspelt = _misspelt(table, (*KEYS[kind], *others))
        for name, column in KEYS[kind].items():
            key = misspelt.get(name, name)
            if column and key in table:
                row[column] = self.cell(table, at, key)
                self.findings.source.keys[line, column] = self.line(*at, key)
        return row

    def cell(self, table: Table, at: Path, key: str) -> str | None:
        """One value as text, as it was written."""
        value = table.get(key)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, int):
            return str(value) if value.bit_length() < MOST_BITS else hex(value)
        if value is None or isinstance(value, str):
            return value
        self.report(
            (*at, key),
            msg("%(key)s must be one value", key=key),
            msg("Write %(key)s = followed by one text, number or date.", key=key),
        )
        return None

    def names(self, table: Table, key: str, at: Path) -> list[str]:
        """A list of texts, or the lines of one text."""
        value = table.get(key, [])
        if isinstance(value, str):
            value = [line.strip() for line in value.splitlines() if line.strip()]
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return value
        example = f'{key} = ["Ada Novak (CZE)", "Ben Olsen (DEN)"]'
        self.report(
            (*at, key),
            msg("%(key)s must be a list of names", key=key),
            msg("Write %(example)s.", example=example),
        )
        return []

    def lines(self, table: Table, key: str, at: Path) -> Lines:
        """The lines of a block of text that are not empty, each with its number."""
        value = table.get(key, "")
        if isinstance(value, str):
            lines = enumerate(value.split("\n"), self.line(*at, key, BLOCK))
            return [(number, words) for number, line in lines if (words := squeezed(line))]
        self.report(
            (*at, key),
            msg("%(key)s must be lines of text", key=key),
            msg(
                "Write %(begin)s, a line for each, and %(end)s below them.",
                begin=f'{key} = """',
                end='"""',
            ),
        )
        return []


def _misspelt(table: Table, keys: Sequence[str]) -> dict[str, str]:
    """Keys that a table lacks, each with the unknown key that was meant for it."""
    unknown = [key for key in table if key not in keys]
    close = {key: get_close_matches(key, keys, n=1) for key in unknown}
    return {names[0]: key for key, names in close.items() if names and names[0] not in table}


def heading(path: Path) -> str:
    """A path as the heading of a table writes it."""
    return ".".join(part for part in path if isinstance(part, str))


BLOCKS = ("matches", "team_matches", "team_match", "teams")
TOP = ("tournament", "event", "player", "members", "member", "rate")


def _cells(*columns: str) -> dict[str, str]:
    """Keys that are named as the columns they fill."""
    return {column: column for column in columns}


KEYS: Mapping[str, Mapping[str, str]] = {
    "tournament": {**_cells("id", *cell_columns("tournaments")), "players": ""},
    "event": _cells("id", *cell_columns("events")),
    "flight": {  # the heading says which flight it is
        **_cells(*cell_columns("flights")[1:]),
        "placings": "",
        "placings_file": "",
        "matches": "",
    },
    "player": _cells("id", "name", "nation", "origin", "withheld"),
    "members": {"players": "", "except": "", "level": "level", "start": "start", "end": "end"},
    "member": _cells("player", *cell_columns("memberships")),
    "rate": _cells(*cell_columns("rates")),
    "team_match": {**_cells("id", *cell_columns("team_matches")), "board_results": ""},
    "teams": _cells(*cell_columns("teams")),
}
"""The keys of each kind of table, and the column of the facts that each fills; empty: lines."""
