"""
The keys of a TOML report and their values as cells of text, each with its line.

Where a text is not TOML, `complaint` explains which line is wrong and how to write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time
from typing import Any

from msgspec import Struct

from palmares.core.messages import msg
from palmares.facts.decoding import Findings, meant
from palmares.facts.schema import cell_columns
from palmares.facts.text import squeezed

CLAUSE = "report"
MOST_BITS = 10_000  # of a number that Python prints in decimals
Path = tuple[str | int, ...]
Table = Mapping[str, Any]
Lines = list[tuple[int, str]]

_NAME = r"""(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))"""
_KEY_PART = re.compile(_NAME)
_KEY = re.compile(rf"\s*{_NAME}(?:\s*\.\s*{_NAME})*")
TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"""|\'\'\''
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\"'\#\[\]{}\n]+"
    r"|.",
    re.DOTALL,
)
"""A part of a TOML text; a quotation mark that stands alone is never closed."""
BLOCK = "\n"
_BLOCK = re.compile(r"""\s*=[ \t]*(?:\"{3}|'{3})\n""")


def positions(text: str) -> dict[Path, int]:
    """The line of every key and table header of a sound text, counted from 1.

    Where the lines of a block of text begin has the path of its key, and `BLOCK`.
    """
    positions: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    line = 1
    for statement in _statements(text):
        content = statement.lstrip()
        bracketed = len(content) - len(content.lstrip("["))
        key = _KEY.match(content, bracketed)
        parts = [max(names) for names in _KEY_PART.findall(key[0])] if key else []
        if bracketed:
            table = _header(parts, counts, in_array=bracketed > 1)
            positions.setdefault(table, line)
        elif key:
            path = (*table, *parts)
            positions.setdefault(path, line)
            if _BLOCK.match(content, key.end()):
                positions[*path, BLOCK] = line + 1
        line += statement.count("\n") + 1
    return positions


def _statements(text: str) -> Iterator[str]:
    """Each header and each key with its value: what ends with a line, outside of brackets."""
    begin = depth = 0
    for token in TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == "\n" and depth == 0:
            yield text[begin : token.start()]
            begin = token.end()
    yield text[begin:]


def _header(parts: list[str], counts: dict[Path, int], *, in_array: bool) -> Path:
    """The path a table header opens; tables in arrays get the number of the latest one."""
    path: Path = ()
    for number, part in enumerate(parts, start=1):
        path = (*path, part)
        if in_array and number == len(parts):
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


class Cells(Struct):
    """A parsed report and the line of each of its keys."""

    document: Table
    positions: Mapping[Path, int]
    findings: Findings

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest thing around it."""
        ends = (path[:end] for end in range(len(path), 0, -1))
        return next((self.positions[end] for end in ends if end in self.positions), 1)

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
            path = (*at, name, number)
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
        self, parent: Table, name: str, at: Path, keys: Mapping[str, str]
    ) -> Iterator[tuple[Path, Table, int, dict[str, str | None]]]:
        """The tables of an array of tables: path, table, line and cells of each."""
        for path, table in self.tables(parent, name, at):
            yield path, table, self.line(*path), self.row(table, keys, path)

    def row(
        self, table: Table, keys: Mapping[str, str], at: Path, others: Iterable[str] = ()
    ) -> dict[str, str | None]:
        """The cells of a table by their column; a key that it cannot have is a problem.

        Args:
            table: as it was parsed.
            keys: what it may have, with the column of each; an empty one is no cell.
            at: the path of the table.
            others: more keys that it may have, which are no cells.
        """
        self.check_keys(table, (*keys, *others), at)
        line, row = self.line(*at), {}
        for key, column in keys.items():
            if column and key in table:
                row[column] = self.cell(table, at, key)
                self.findings.seen.keys[line, column] = self.line(*at, key)
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


def heading(path: Path) -> str:
    """A path as the heading of a table writes it."""
    return ".".join(part for part in path if isinstance(part, str))


_POSITION = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_SETTING = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*=\s*(.*?)\s*")
_QUOTES = frozenset({'"""', "'''", '"', "'"})
_NO_END = (
    msg("what begins here with '%(mark)s' has no end"),
    msg("Close it, or send the report again: its end may be missing."),
)
_VALUES = (
    (
        r"\d{4}-\d{2}-\d{2}(?:[T ].*)?",
        msg("%(column)s is '%(text)s', which is not a day in the calendar"),
        msg("Write a day that the calendar has."),
    ),
    (
        r"\d{1,4}\s*[./-]\s*\d{1,2}\s*[./-]\s*\d{1,4}",
        msg("%(column)s is '%(text)s', not a date"),
        msg("Write year, month and day, such as 2019-11-15."),
    ),
    (
        r"[+-]?\d+,\d+",
        msg("%(column)s is '%(text)s', not a number"),
        msg("Write %(number)s with a point, or leave the comma out."),
    ),
    (
        r"[\u2018-\u201f\u00ab\u00bb].*",
        msg("%(column)s is %(text)s, in curly quotes"),
        msg("Write straight quotes: %(straight)s."),
    ),
    (r"\"[^\"]*|'[^']*", *_NO_END),
    (
        r"[^\W\d_][^\"'\[\]{}#=]*",
        msg("%(column)s is '%(text)s', a text without quotes"),
        msg("Write %(example)s."),
    ),
)
"""Ways in which people write values, what is wrong with them, and what to do."""

Complaint = tuple[int, str, str]


def complaint(text: str, error: Exception) -> Complaint:
    """Where a text stops being TOML.

    Args:
        text: the whole text.
        error: what ``tomllib`` raised.

    Returns:
        The number of the line, or 0; what is wrong; what to do.
    """
    if isinstance(error, RecursionError):
        return 0, msg("brackets within brackets without end"), msg("Write fewer brackets.")
    position = _POSITION.search(str(error))
    words = _POSITION.sub("", str(error))
    unknown = msg("this is not TOML: %(words)s", words=words), msg("Correct this line.")
    if position and position[1] is None:
        return _without_end(text) or (text.rstrip().count("\n") + 1, *unknown)
    line = int(position[1]) if position else 0
    lines = text.split("\n")
    written = _SETTING.fullmatch(lines[line - 1]) if 0 < line <= len(lines) else None
    of_value = _of_value(written[1], written[2]) if written else None
    return (line, *(of_value or unknown))


def _of_value(key: str, value: str) -> tuple[str, str] | None:
    """What is wrong with a value, and how to write it; none if it is of no known kind."""
    for pattern, what, remedy in _VALUES:
        if re.fullmatch(pattern, value):
            example = f'{key} = "{value}"'
            straight = re.sub("[\u2018-\u201f\u00ab\u00bb]", '"', f"{key} = {value}")
            return (
                msg(what, column=key, text=value, mark=value[0]),
                msg(remedy, number=value.replace(",", "."), example=example, straight=straight),
            )
    return None


def _without_end(text: str) -> Complaint | None:
    """The line of a quotation mark or a bracket that is not closed."""
    opened: list[re.Match[str]] = []
    for token in TOKEN.finditer(text):
        if token[0] in _QUOTES:
            opened.insert(0, token)
            break
        if token[0] in "[{":
            opened.append(token)
        elif token[0] in "]}" and opened:
            opened.pop()
    if not opened:
        return None
    what, remedy = _NO_END
    return text.count("\n", 0, opened[0].start()) + 1, msg(what, mark=opened[0][0]), remedy


BLOCKS = ("matches", "match", "team_matches", "team_match", "teams")
TOP = ("tournament", "event", "player", "members", "member", "rate")
MEMBERS = {"players": "", "except": "", "level": "level", "start": "start", "end": "end"}


def _cells(*columns: str) -> dict[str, str]:
    """Keys that are named as the columns they fill."""
    return {column: column for column in columns}


TOURNAMENT = {**_cells("id", *cell_columns("tournaments")), "players": ""}
EVENT = _cells("id", *cell_columns("events"))
FLIGHT = {
    **_cells(*cell_columns("flights")[1:]),  # the heading says which flight it is
    "placings": "",
    "placings_file": "",
    "matches": "",
}
PLAYER = _cells("id", "name", "nation", "origin", "withheld")
MEMBER = _cells("player", *cell_columns("memberships"))
RATE = _cells(*cell_columns("rates"))
MATCH = {
    **_cells("id", *cell_columns("matches")),
    "winner": "winner_id",
    "loser": "loser_id",
}
TEAM_MATCH = {**_cells("id", *cell_columns("team_matches")), "board_results": ""}
TEAM = _cells(*cell_columns("teams"))
