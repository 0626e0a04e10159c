"""From the values of a parsed TOML report to cells of text; every odd shape is a problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from palmares.reports.texts import Found, meant, squeezed
from palmares.reports.toml_lines import Path, Positions
from palmares.sentences import said

CLAUSE = "report"


@dataclass(slots=True)
class Cells:
    """A parsed report and the line of each of its keys; with *quiet* nothing is complained of."""

    document: Mapping[str, Any]
    where: Positions
    found: Found

    def odd(self, path: Path, what: str, remedy: str) -> None:
        """Complain of what stands at a path."""
        self.found.problem(self.where.line(*path), what, CLAUSE, remedy)

    def known(self, table: Mapping[str, Any], keys: Iterable[str], at: Path) -> None:
        """Complain of every key that a table does not have."""
        known = list(keys)
        for key in table:
            if key not in known:
                what = said("a report has no %(key)s", key=key)
                if at:
                    what = said("%(place)s has no %(key)s", place=f"[{heading(at)}]", key=key)
                self.odd((*at, key), what, meant(key, known))

    def table(self, name: str) -> Mapping[str, Any] | None:
        """A table of the document, or None; something else in its place is a problem."""
        value = self.document.get(name)
        if value is None or isinstance(value, Mapping):
            return value
        self.not_a_table((name,))
        return {}

    def not_a_table(self, path: Path) -> None:
        """Complain of something that stands where a table must be."""
        name = heading(path)
        what = said("%(name)s must be a table", name=name)
        self.odd(path, what, said("Write %(heading)s above its keys.", heading=f"[{name}]"))

    def tables(
        self, parent: Mapping[str, Any], name: str, at: Path, *, quiet: bool = False
    ) -> list[tuple[Path, Mapping[str, Any]]]:
        """The tables of an array of tables, each with its path."""
        value = parent.get(name, [])
        found = []
        for number, one in enumerate(value if isinstance(value, list) else [value]):
            path = (*at, name, number)
            if isinstance(one, Mapping):
                found.append((path, one))
            elif not quiet:
                title = heading(path)
                what = said("%(name)s must be tables", name=title)
                self.odd(path, what, said("Write %(heading)s above each.", heading=f"[[{title}]]"))
        return found

    def row(
        self, table: Mapping[str, Any], keys: Mapping[str, str], at: Path, *, quiet: bool = False
    ) -> dict[str, str | None]:
        """The cells of a table by their column; keys whose column is empty are no cells."""
        return {
            column: self.cell(table, at, key, quiet=quiet)
            for key, column in keys.items()
            if column and key in table
        }

    def cell(
        self, table: Mapping[str, Any], at: Path, key: str, *, quiet: bool = False
    ) -> str | None:
        """One value as text, as it was written."""
        value = table.get(key)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, date | time):
            return value.isoformat()
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int):
            return digits(value)
        if not quiet:
            self.odd(
                (*at, key),
                said("%(key)s must be one value, not a list or a table", key=key),
                said("Write %(key)s = followed by one text, number or date.", key=key),
            )
        return None

    def words(self, table: Mapping[str, Any], key: str, at: Path) -> list[str]:
        """A list of texts, or the lines of one text."""
        value = table.get(key, [])
        if isinstance(value, str):
            value = [line.strip() for line in value.splitlines() if line.strip()]
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
        example = f'{key} = ["Ada Novak (CZE)", "Ben Olsen (DEN)"]'
        what = said("%(key)s must be a list of names", key=key)
        self.odd((*at, key), what, said("Write %(example)s.", example=example))
        return []

    def block(
        self, table: Mapping[str, Any], key: str, at: Path, *, quiet: bool = False
    ) -> list[tuple[int, str]]:
        """The lines of a block of text that are not empty, each with its number."""
        value = table.get(key)
        if isinstance(value, str):
            first = self.where.content(*at, key)
            lines = enumerate(value.split("\n"), first)
            return [(number, words) for number, line in lines if (words := squeezed(line))]
        if value is not None and not quiet:
            self.odd(
                (*at, key),
                said("%(key)s must be lines of text", key=key),
                said(
                    "Write %(begin)s, a line for each, and %(end)s below them.",
                    begin=f'{key} = """',
                    end='"""',
                ),
            )
        return []


def heading(path: Path) -> str:
    """A path as the heading of a table writes it."""
    return ".".join(part for part in path if isinstance(part, str))


def digits(value: int) -> str:
    """A whole number as text; one too long to print is told by its hexadecimal form."""
    try:
        return str(value)
    except ValueError:
        return hex(value)
