"""From the values of a parsed TOML report to cells of text, each with the line of its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

from palmares.core.messages import msg
from palmares.facts.text import squeezed
from palmares.formats.decoding import Findings, meant

Path = tuple[str | int, ...]

_KEY_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")
_SKIPPED = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\"'\#\[\]{}\n]+"
    r"|.",
    re.DOTALL,
)
_FENCE = re.compile(r"\"\"\"|'''")


@dataclass(slots=True)
class Positions:
    """The line of every key and table header, counted from 1."""

    lines: dict[Path, int] = field(default_factory=dict)
    blocks: dict[Path, int] = field(default_factory=dict)  # first content line of a """ block

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest thing around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1

    def content(self, *path: str | int) -> int:
        """The line on which the text of a value begins."""
        return self.blocks.get(path, self.line(*path))


def positions(text: str) -> Positions:
    """Find every key of a text; the text has been parsed before, so it is sound."""
    found = Positions()
    counts: dict[Path, int] = {}
    here: Path = ()
    at, line = 0, 1
    while at < len(text):
        char = text[at]
        if char in " \t\r\n":
            line += char == "\n"
            at += 1
        elif char == "#":
            at = _end_of_line(text, at)
        elif char == "[":
            double = text.startswith("[[", at)
            parts, at = _key(text, at + 1 + double)
            here = _header(parts, counts, double=double)
            found.lines.setdefault(here, line)
            at = _end_of_line(text, at)
        else:
            parts, at = _key(text, at)
            path = (*here, *parts)
            found.lines.setdefault(path, line)
            end = _value_end(text, at + 1)
            _note_block(found, path, text[at + 1 : end], line)
            line += text.count("\n", at, end)
            at = max(end, at + 1)
    return found


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _key(text: str, at: int) -> tuple[list[str], int]:
    """The dotted key that starts at a place, and where it ends."""
    parts: list[str] = []
    while part := _KEY_PART.match(text, at):
        parts.append(next(group for group in part.groups() if group is not None))
        at = part.end()
        if not text.startswith(".", at):
            break
        at += 1
    return parts, at


def _header(parts: list[str], counts: dict[Path, int], *, double: bool) -> Path:
    """The path a table header opens; tables in arrays get the number of the latest one."""
    path: Path = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if double and number == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _value_end(text: str, at: int) -> int:
    """Where the value that starts at a place ends: a line's end outside strings and brackets."""
    depth = 0
    for piece in _SKIPPED.finditer(text, at):
        word = piece[0]
        if word in "[{":
            depth += 1
        elif word in "]}":
            depth -= 1
        elif word == "\n" and depth <= 0:
            return piece.start()
    return len(text)


def _note_block(found: Positions, path: Path, value: str, line: int) -> None:
    """Remember where the content of a block of text begins."""
    value = value.lstrip(" \t")
    fence = _FENCE.match(value)
    if fence and value[fence.end() :].startswith("\n"):
        found.blocks[path] = line + 1


CLAUSE = "report"


@dataclass(slots=True)
class Cells:
    """A parsed report and the line of each of its keys; with *quiet* nothing is complained of."""

    document: Mapping[str, Any]
    where: Positions
    found: Findings

    def odd(self, path: Path, what: str, remedy: str) -> None:
        """Complain of what stands at a path."""
        self.found.problem(self.where.line(*path), what, CLAUSE, remedy)

    def known(self, table: Mapping[str, Any], keys: Iterable[str], at: Path) -> None:
        """Complain of every key that a table does not have."""
        known = list(keys)
        for key in table:
            if key not in known:
                what = msg("a report has no %(key)s", key=key)
                if at:
                    what = msg("%(place)s has no %(key)s", place=f"[{heading(at)}]", key=key)
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
        what = msg("%(name)s must have a heading", name=name)
        self.odd(path, what, msg("Write %(heading)s above its keys.", heading=f"[{name}]"))

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
                what = msg("%(name)s must have headings", name=title)
                self.odd(path, what, msg("Write %(heading)s above each.", heading=f"[[{title}]]"))
        return found

    def row(
        self, table: Mapping[str, Any], keys: Mapping[str, str], at: Path, *, quiet: bool = False
    ) -> dict[str, str | None]:
        """The cells of a table by their column; keys whose column is empty are no cells."""
        line, row = self.where.line(*at), {}
        for key, column in keys.items():
            if column and key in table:
                row[column] = self.cell(table, at, key, quiet=quiet)
                self.found.seen.keys[line, column] = self.where.line(*at, key)
        return row

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
                msg("%(key)s must be one value", key=key),
                msg("Write %(key)s = followed by one text, number or date.", key=key),
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
        what = msg("%(key)s must be a list of names", key=key)
        self.odd((*at, key), what, msg("Write %(example)s.", example=example))
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
                msg("%(key)s must be lines of text", key=key),
                msg(
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
