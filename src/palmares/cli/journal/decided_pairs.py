"""Pairs of players who may be one, as an officer decided on them in a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from palmares.core.errors import FactsRejected, Location, brief
from palmares.core.messages import msg

if TYPE_CHECKING:
    from palmares.facts.decoding import Findings
    from palmares.journal.commands.reviews import DecidedPair

COLUMNS = ("decision", "player_id", "player", "other_id", "other")
"""What is read of such a spreadsheet; the other columns are for whoever decides."""

CLAUSE = "pairs"
_ARMED = re.compile(r"^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")
"""What a writer puts before a text that a spreadsheet would take for a formula."""


def read(content: bytes, file: str, encoding: str | None = None) -> list[DecidedPair]:
    """Read the pairs of a CSV or Excel file.

    Args:
        content: the file as it is.
        file: its name as the user knows it.
        encoding: of a CSV file, if it is not UTF-8.

    Raises:
        FactsRejected: it is no such file, or a decision is none; carries every problem.
    """
    from palmares.facts.decoding import Findings

    found = Findings(file)
    rows = _rows(content, found, encoding)
    pairs = [] if rows is None else list(_pairs(rows, found))
    if found.raw.problems:
        raise FactsRejected(found.raw.problems, so=msg("nothing was recorded"))
    return pairs


def _rows(
    content: bytes, found: Findings, encoding: str | None
) -> Sequence[tuple[int, list[str]]] | None:
    """The rows with their numbers, the header row first."""
    from palmares.facts.csv import BrokenRow, numbered_rows
    from palmares.facts.decoding import decoded
    from palmares.formats.workbook.sandbox import is_workbook, open_sheet

    if is_workbook(content):
        sheet = open_sheet(content, found)
        return None if sheet is None else list(enumerate(sheet.rows, sheet.first))
    text = decoded(content, found, encoding)
    if text is None:
        return None
    first = text.partition("\n")[0]
    try:
        return list(numbered_rows(text, max(",;\t", key=first.count), strict=False))
    except BrokenRow as error:
        found.problem(error.line, f"this is not CSV: {error}", CLAUSE, "Check its quotes.")
        return None


def _pairs(rows: Sequence[tuple[int, list[str]]], found: Findings) -> Iterator[DecidedPair]:
    from palmares.facts.text import shown, squeezed
    from palmares.journal.commands.reviews import DIFFERENT, LATER, SAME, DecidedPair

    (line, header), *below = rows or [(1, [])]
    names = [squeezed(cell).lower().replace(" ", "_") for cell in header]
    at = {name: place for place, name in enumerate(names)}
    missing = [column for column in COLUMNS if column not in at]
    if missing:
        found.problem(
            line,
            f"there is no column {', '.join(missing)}",
            CLAUSE,
            "Use the file as it was written; fill in its column decision alone.",
        )
        return
    if doubled := [column for column in COLUMNS if names.count(column) > 1]:
        found.problem(
            line,
            f"there is more than one column {', '.join(doubled)}",
            CLAUSE,
            "Leave the column that counts.",
        )
        return
    for line, row in below:
        cells = {
            column: row[at[column]].strip() if at[column] < len(row) else "" for column in COLUMNS
        }
        cells = {one: _ARMED.sub("", cell) for one, cell in cells.items()}
        decision = cells.pop("decision").lower() or LATER
        if not any(cells.values()) and decision == LATER:
            continue
        if decision not in (SAME, DIFFERENT, LATER):
            found.problem(
                line,
                f"'{shown(brief(decision))}' is no decision",
                CLAUSE,
                "Write same, different or later; an empty cell means later.",
            )
            continue
        yield DecidedPair(where=Location(found.file, line), decision=decision, **cells)
