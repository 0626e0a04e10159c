"""
One CSV file: its rows as text, each with the line it starts on.

Python's own csv module reads, in its strict mode: it knows the true line of every row, also
after quoted line breaks, and says where a file breaks off.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.messages import hint
from palmares.core.progress import Step, task
from palmares.facts.schema import FILE, LINE
from palmares.facts.text import shown

MOST = 100  # rows of a wrong length told of one by one
LONGEST_CELL = 131_072  # letters, as Python's csv has it
MOST_COLUMNS = 512
_BATCH = 50_000  # rows turned into columns at a time, to keep memory low
_CANDIDATES = ("utf-16", "cp1252", "cp1250", "latin-1")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_FORMULA = r"^(?:'*[=+\-@\t\r])"
CLAUSE = "facts package"


@dataclass(slots=True)
class Sheet:
    """What one file held."""

    frame: pl.DataFrame | None  # none: nothing of it could be read
    problems: list[Problem] = field(default_factory=list)


def armed(text: pl.Expr) -> pl.Expr:
    """Text that no spreadsheet takes for a formula: ``=1`` becomes ``'=1``."""
    return pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text)


def disarmed(text: pl.Expr) -> pl.Expr:
    """The text before `armed`: of ``'=1``, ``=1``; an apostrophe before anything else stays."""
    return pl.when(text.str.contains(r"^'+[=+\-@\t\r]")).then(text.str.slice(1)).otherwise(text)


# ── bytes into text ──────────────────────────────────────────────────────────────────────────────


def decoded(data: bytes, name: str, encoding: str | None = None) -> str | Problem:
    """The text of a file: UTF-8 with or without byte order mark, or the encoding asked for."""
    try:
        text = data.decode(encoding or "utf-8-sig")
    except LookupError:
        return Problem(
            at=Location(name),
            what=f"there is no encoding '{shown(encoding)}'",
            clause=CLAUSE,
            remedy=hint(
                "name-an-encoding", "Name one that is, such as cp1252, cp1250, utf-16 or latin-1."
            ),
        )
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        return _undecodable(data, name, encoding or "utf-8", at)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return Problem(
            at=Location(name, line),
            what="there is a NUL character, which no text has",
            clause=CLAUSE,
            remedy=hint(
                "save-or-name-utf-16",
                "Save the file again as CSV UTF-8; if it is UTF-16, name that encoding.",
            ),
        )
    return text.removeprefix("\ufeff")


def _undecodable(data: bytes, name: str, encoding: str, at: int) -> Problem:
    start = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    line_number = data.count(b"\n", 0, at) + 1
    line = data[start : end if end >= 0 else len(data)].rstrip(b"\r")
    if data.startswith(_BYTE_ORDER_MARKS):
        likely, meant = "utf-16", "It begins as UTF-16 does."
    else:
        readings = {one: _attempt(line, one) for one in _CANDIDATES[1:]}
        shows = [f"{one} '{text}'" for one, text in readings.items() if text]
        likely, meant = "cp1252", "The line would read, in " + ", in ".join(shows) + "."
    return Problem(
        at=Location(name, line_number),
        what=f"byte {at} (0x{data[at]:02X}) is not {encoding}" if data else "the file is empty",
        clause=CLAUSE,
        remedy=hint(
            "save-or-name-encoding",
            "%(meant)s Save it as UTF-8, or name its encoding: %(likely)s or whichever is right.",
            meant=meant,
            likely=likely,
        ),
    )


def _attempt(line: bytes, encoding: str) -> str:
    try:
        return shown(line.decode(encoding))
    except UnicodeError:
        return ""


# ── text into rows ───────────────────────────────────────────────────────────────────────────────


def read_sheet(path: Path, name: str, known: Iterable[str], encoding: str | None = None) -> Sheet:
    """The rows of a CSV file with a header.

    Args:
        path: the file.
        name: the file as the user named it.
        known: the columns of its table; a header in capitals or with spaces is taken for them.
        encoding: of the file, if it is not UTF-8.
    """
    try:
        text = decoded(path.read_bytes(), name, encoding)
    except OSError as error:
        return Sheet(None, [_unreadable(name, error)])
    if isinstance(text, Problem):
        return Sheet(None, [text])
    rows = ((line, row) for line, row in numbered_rows(text) if row)
    try:
        _, header = next(rows)
    except StopIteration:
        return Sheet(None, [_problem(name, 1, "the file is empty", "Give it a header row.")])
    except csv.Error as error:
        return Sheet(None, [_broken(name, 1, error)])
    columns, problems = _header(header, name, frozenset(known))
    if problems:
        return Sheet(None, problems)
    with task(f"lines of {path.name}", text.count("\n")) as step:
        return _body(rows, columns, name, step)


def _unreadable(name: str, error: OSError) -> Problem:
    return Problem(
        at=Location(name),
        what=f"the file cannot be read: {error.strerror}",
        clause=CLAUSE,
        remedy="Look whether it is there and whether you may read it.",
    )


def _problem(name: str, line: int, what: str, remedy: str) -> Problem:
    return Problem(at=Location(name, line), what=what, clause=CLAUSE, remedy=remedy)


class BrokenRow(csv.Error):
    """A csv.Error that knows the line on which its row began, and where it was given up."""

    def __init__(self, line: int, reached: int, error: csv.Error) -> None:
        super().__init__(str(error))
        self.line = line
        self.reached = reached


def numbered_rows(
    text: str, delimiter: str = ",", *, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Every row with the line it starts on.

    Raises:
        BrokenRow: it is no CSV from there on.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise BrokenRow(line, reader.line_num, error) from error
        if row is None:
            return
        yield line, row
        line = reader.line_num + 1


def _broken(name: str, line: int, error: csv.Error) -> Problem:
    line = getattr(error, "line", line)
    words = str(error)
    if "field larger" in words:
        what = (
            "a quotation mark opens here and is never closed, or a cell has more than"
            f" {LONGEST_CELL:,} letters"
        )
        remedy = 'Double the mark ("") if it belongs to the text; else shorten the text.'
    elif "unexpected end of data" in words:
        what = "a quotation mark opens here and is never closed: the file breaks off"
        remedy = 'Get the whole file again, or double the mark ("") if it belongs to the text.'
    else:
        what = "a closing quotation mark is followed by more text"
        remedy = 'Within quotation marks, write the mark twice: "".'
    return _problem(name, line, what, remedy)


def _header(
    header: Sequence[str], name: str, known: frozenset[str]
) -> tuple[list[str], list[Problem]]:
    """The names of the columns, ours in our spelling, or why they cannot be used."""
    for sign, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            return [], [
                _problem(
                    name,
                    1,
                    f"the columns are separated by {word}, not by commas",
                    "Save the file with commas (in a spreadsheet: CSV UTF-8, comma delimited).",
                )
            ]
    if len(header) > MOST_COLUMNS:
        what = f"the header has {len(header):,} columns, and {MOST_COLUMNS} are read"
        return [], [_problem(name, 1, what, "Leave out those that are not needed.")]
    columns = []
    for given in header:
        cell = re.sub(r"^'(?='*[=+\-@])", "", given.strip())
        plain = cell.lower().replace(" ", "_").replace("-", "_")
        columns.append(plain if plain in known else cell)
    problems = [
        _problem(
            name,
            1,
            f"the column '{shown(one)}' is there {columns.count(one)} times",
            "Keep one of them.",
        )
        for one in dict.fromkeys(columns)
        if one and columns.count(one) > 1
    ]
    problems += [
        _problem(name, 1, f"the name {one} is our own", "Give the column another name.")
        for one in (FILE, LINE)
        if one in columns
    ]
    return columns, problems


def _body(
    rows: Iterator[tuple[int, list[str]]], columns: list[str], name: str, step: Step
) -> Sheet:
    """All rows below the header, in batches."""
    problems: list[Problem] = []
    frames = []
    wrong = 0
    batch: list[list[str]] = []
    lines: list[int] = []
    try:
        for line, row in rows:
            if len(row) == len(columns):
                batch.append(row)
                lines.append(line)
            elif any(row):
                wrong += 1
                if wrong <= MOST:
                    problems.append(_misfit(name, line, row, columns))
            if len(batch) == _BATCH:
                frames.append(_frame(batch, lines, columns, name))
                batch, lines = [], []
                step(_BATCH)
    except csv.Error as error:
        problems.append(_broken(name, 1, error))
    frames.append(_frame(batch, lines, columns, name))
    if wrong > MOST:
        problems.append(
            _problem(
                name,
                1,
                f"{wrong} rows in all do not have {len(columns)} cells",
                "Mend them in the same way.",
            )
        )
    frame = pl.concat(frames, rechunk=True)
    return _named(frame, columns, name, problems)


def _misfit(name: str, line: int, row: Sequence[str], columns: Sequence[str]) -> Problem:
    if len(row) < len(columns):
        missing = ", ".join(shown(one) for one in columns[len(row) :])
        what = f"the row has {len(row)} cells, the header {len(columns)}: {missing} missing"
        remedy = "If the file breaks off here, get it again; else add the missing commas."
    else:
        what = f"the row has {len(row)} cells, the header only {len(columns)}"
        remedy = "Put quotation marks around a text that has a comma in it."
    return _problem(name, line, what, remedy)


def _frame(
    batch: list[list[str]], lines: list[int], columns: Sequence[str], name: str
) -> pl.DataFrame:
    """Rows as columns of text; a row of empty cells, as spreadsheets leave them, is dropped."""
    cells = zip(*batch, strict=True) if batch else ([] for _ in columns)
    series = [
        pl.Series(f"column_{number}", values, dtype=pl.String)
        for number, values in enumerate(cells)
    ]
    frame = pl.DataFrame(series).with_columns(disarmed(pl.col(pl.String).replace("", None)))
    place = pl.Series(LINE, lines, dtype=pl.UInt32)
    return frame.with_columns(pl.lit(name, dtype=pl.String).alias(FILE), place).filter(
        ~pl.all_horizontal(pl.col(f"column_{number}").is_null() for number in range(len(columns)))
    )


def _named(
    frame: pl.DataFrame, columns: Sequence[str], name: str, problems: list[Problem]
) -> Sheet:
    """The columns under their names; one without a name may only be empty."""
    for number, column in enumerate(columns):
        given = f"column_{number}"
        if column:
            continue
        if frame[given].null_count() < frame.height:
            line = frame.filter(pl.col(given).is_not_null())[LINE][0]
            problems.append(
                _problem(
                    name,
                    line,
                    f"column {number + 1} has cells but no name in the header",
                    "Name the column, or delete its cells.",
                )
            )
        frame = frame.drop(given)
    names = {f"column_{number}": column for number, column in enumerate(columns) if column}
    return Sheet(frame.rename(names), problems)
