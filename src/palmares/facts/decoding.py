"""
Decode files, and collect what a reader finds in them: cells of text with file and line.

A reader never converts or repairs. `palmares.facts.cells` turns text into values and reports wrong
cells, `palmares.facts.checks` reports rows that contradict each other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from palmares.core.errors import Location, Problem, brief
from palmares.core.messages import changed, hint, msg
from palmares.facts.problems import Cell
from palmares.facts.schema import FILE, LINE
from palmares.facts.text import as_id, visible

Cells = Mapping[str, str | None]
"""Cells of a row as text, by column."""
TextRow = dict[str, Any]
"""The cells of a row; in `FILE` and `LINE` where it comes from."""


def letters(number: int) -> str:
    """The name of a column of a sheet by its number: 3 is C, 28 is AB."""
    more, last = divmod(number - 1, 26)
    return (letters(more) if more else "") + chr(ord("A") + last)


def column_number(name: str) -> int:
    """The number of a column of a sheet by its name: C is 3, AB is 28."""
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


class SourceMap(Struct):
    """Where cells of the facts come from in a file: the cell of a workbook, the line of a key.

    Problems are known by the cell of the facts that they are about, or else by their clause.
    """

    places: dict[str, tuple[int, str]] = field(default_factory=dict)  # line, 0: its own; column
    keys: dict[tuple[int, str], int] = field(default_factory=dict)  # line of a table, key -> line

    rows: dict[int, list[str]] = field(default_factory=dict)  # from column *left* on
    left: int = 1  # the number of the first column

    def spot(self, at: Location, clause: str) -> Location:
        """Where a problem with a row is seen: at ``list.xlsx:C7``, or in the line of a key."""
        if not at.line or at.column:
            return at
        line, column = self.places.get(at.cell or clause, (0, ""))
        return replace(at, line=line or self.keys.get((at.line, at.key), at.line), column=column)


class ReportTables(Struct):
    """The result of one reader: tables, problems and notices of a file."""

    file: str = ""  # where rows, problems and notices are, as the user named it
    tables: dict[str, list[TextRow]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)  # stop the work
    notices: list[Problem] = field(default_factory=list)  # are shown, and stop nothing
    seen: dict[str, SourceMap] = field(default_factory=dict)  # sheets of workbooks, by file
    attached: list[str] = field(default_factory=list)  # sheets that a report names, read with it
    title: str = ""  # a line above the placings that was taken for the tournament's name
    sheets: tuple[str, ...] = ()  # all there are in a workbook
    sheet: str = ""  # the one that was read
    form: str = ""  # what the file was read as, such as "CSV sheet"

    def table(self, name: str) -> list[TextRow]:
        """The rows of the table of that name."""
        return self.tables.setdefault(name, [])

    @property
    def source(self) -> SourceMap:
        """Where cells of the facts come from in this file."""
        return self.seen.setdefault(self.file, SourceMap())

    def add(self, name: str, cells: Cells, line: int, file: str = "") -> None:
        """Append a row to a table; columns that it does not name are empty in it."""
        filled = {column: cell or None for column, cell in cells.items()}
        self.table(name).append({**filled, FILE: file or self.file, LINE: line})

    def problem(
        self,
        line: int,
        what: str,
        rule: str | Cell,
        remedy: str,
        *,
        column: str = "",
        code: str = "",
    ) -> None:
        """Something that stops the work, at a line, or at a cell of a workbook; 0: all of it."""
        self.problems.append(self._problem(line, what, rule, remedy, column, code))

    def notice(
        self, line: int, what: str, rule: str | Cell, remedy: str, *, column: str = ""
    ) -> None:
        """Something to be looked at; the work goes on."""
        self.notices.append(self._problem(line, what, rule, remedy, column))

    def _problem(
        self, line: int, what: str, rule: str | Cell, remedy: str, column: str, code: str = ""
    ) -> Problem:
        cell = rule if isinstance(rule, Cell) else Cell("", "")
        return Problem(
            at=Location(self.file, line, column, cell.table, cell.key),
            what=changed(what, echoed),
            clause=rule if isinstance(rule, str) else rule.clause,
            remedy=changed(remedy, _visible),
            code=code,
        )


ENCODED = "report encoding"
"""The clause of a text that cannot be read as letters."""
LONGEST = 200
"""Letters of a report's text that a message shows."""
MIB = 2**20
CANDIDATES = ("cp1252", "iso8859_15", "cp1250", "cp850", "mac_roman", "utf_16")


def content_of(path: Path, findings: ReportTables, most: int | None = None) -> bytes | None:
    """The bytes of a file, or None and a problem.

    Args:
        path: the file.
        findings: where a problem goes.
        most: how many bytes are read.
    """
    try:
        size = path.stat().st_size
        if most is None or size <= most:
            return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is none that a file can have"
        findings.problem(0, f"the file cannot be read: {reason}", "report", "Check the path.")
        return None
    findings.problem(
        0,
        f"the file has {size // MIB} MiB, and {most // MIB} are read",
        "report",
        "Keep one tournament in one report; hand over more as a package of tables.",
    )
    return None


def echoed(text: str) -> str:
    """Text cut to what a message may show, invisible characters by their codes."""
    return _visible(brief(text, LONGEST))


def _visible(text: str) -> str:
    return visible(text, keep="\n")


def decoded(content: bytes, findings: ReportTables, encoding: str | None = None) -> str | None:
    """The bytes as text with plain line ends, or None and a problem.

    Args:
        content: the file as it is.
        findings: where a problem goes.
        encoding: what the file was written in; without it UTF-8, nothing is guessed.
    """
    if not content.lstrip(b"\xef\xbb\xbf\r\n\t \x00"):
        findings.problem(
            0, msg("the file is empty"), "report", msg("Send the file again, with its contents.")
        )
        return None
    try:
        text = content.decode(encoding or "utf-8")
        # of plain letters in UTF-16 every other byte is zero
        is_utf_16 = "\0" in text and content.count(b"\0") > len(content) // 4
        wrong = content.find(b"\0") if is_utf_16 else -1
    except LookupError:
        findings.problem(
            0,
            msg("there is no encoding %(encoding)s", encoding=encoding),
            "report",
            msg("Try utf-8, cp1252 or iso8859-15."),
        )
        return None
    except UnicodeError as error:
        wrong = getattr(error, "start", 0)
    if wrong >= 0:
        findings.problem(
            content.count(b"\n", 0, wrong) + 1,
            msg("this is not %(encoding)s text", encoding=encoding or "UTF-8"),
            ENCODED,
            _candidates(content),
        )
        return None
    if "\0" in text:
        findings.problem(
            text.count("\n", 0, text.index("\0")) + 1,
            msg("this line holds a zero byte, which no text file has"),
            "report",
            msg("Export the file again: a sheet as CSV in UTF-8, or as an Excel workbook (.xlsx)."),
        )
        return None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _candidates(content: bytes) -> str:
    """What to do with text that is not UTF-8."""
    names: dict[str, list[str]] = {}
    for name, reading in possible_encodings(content):
        names.setdefault(reading, []).append(name)
    if not names:
        return msg("Save the file as UTF-8.")
    return hint(
        "choose-encoding",
        "Choose how it was written, or save it as UTF-8.",
        readings="; ".join(
            f"{' or '.join(those)} reads '{reading}'" for reading, those in names.items()
        ),
    )


def possible_encodings(content: bytes) -> list[tuple[str, str]]:
    """Encodings that the bytes may be in, each with what the first odd line would read as."""
    lines = [line for line in content.split(b"\n") if not line.isascii()]
    odd = (lines or [content])[0].strip()[:60]
    readings = []
    for name in CANDIDATES:
        if name == "utf_16" and b"\0" not in content:
            continue  # commas and line ends have one in it
        try:
            text = (content if name == "utf_16" else odd).decode(name)
        except UnicodeError:
            continue
        reading = text.strip().partition("\n")[0][:60].strip()
        if reading.isprintable():
            readings.append((name, reading))
    return readings


def slug(text: str) -> str:
    """Text as part of an id: lower case, without accents, words joined by hyphens."""
    bare = "".join(
        char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)
    )
    return re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", bare).casefold()).strip("-")


def tournament_id_of(name: str | None, end_date: str | None) -> str:
    """The id of a tournament that states none: ``graz-open-2024-05-05``."""
    return as_id("-".join(slug(part) for part in (name, end_date) if part))


def event_id_of(tournament_id: str, name: str | None) -> str:
    """The id of an event that states none: ``graz-open-2024-05-05/championship``."""
    return as_id(f"{tournament_id}/{slug(name or '')}")


def meant(word: str, candidates: list[str]) -> str:
    """A suggestion for an unknown word: ``Did you mean 'entrants'?``, or what there is."""
    close = get_close_matches(word, candidates, n=1)
    if close:
        return msg("Did you mean %(word)s?", word=close[0])
    return msg("Known here: %(words)s.", words=", ".join(candidates))
