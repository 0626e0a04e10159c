"""Read the spreadsheet of possible duplicates in which an officer wrote decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from palmares.core.errors import FactsRejected, Location, brief
from palmares.core.messages import msg

if TYPE_CHECKING:
    from palmares.facts.decoding import Findings
    from palmares.journal.commands.players import DecidedPair

COLUMNS = ("decision", "player_id", "player", "other_id", "other")
"""The columns that are read; the others help whoever decides."""

CLAUSE = "pairs"
_NEUTRALIZED = re.compile(r"^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])")
"""The apostrophe that we put before a text that a spreadsheet would take for a formula."""

Rows = Sequence[tuple[int, list[str]]]  # with their line numbers


def read(content: bytes, file: str, encoding: str | None = None) -> list[DecidedPair]:
    """Read the pairs of a CSV or Excel file.

    Args:
        content: of the file.
        file: its name, for messages.
        encoding: of a CSV file that is not UTF-8.

    Raises:
        FactsRejected: the file cannot be read, or a decision is unknown; carries every problem.
    """
    from palmares.facts.decoding import Findings

    findings = Findings(file)
    pairs = list(_pairs(_rows(content, findings, encoding), findings))
    if findings.raw.problems:
        raise FactsRejected(findings.raw.problems, so=msg("nothing was recorded"))
    return pairs


def _rows(content: bytes, findings: Findings, encoding: str | None) -> Rows:
    """The rows, the header row first; none where the file cannot be read."""
    from palmares.facts.csv import BrokenRow, numbered_rows
    from palmares.facts.decoding import decoded
    from palmares.formats.workbook.sandbox import is_workbook, open_sheet

    if is_workbook(content):
        sheet = open_sheet(content, findings)
        return list(enumerate(sheet.rows, sheet.first)) if sheet else []
    text = decoded(content, findings, encoding) or ""
    header = text.partition("\n")[0]
    try:
        return list(numbered_rows(text, max(",;\t", key=header.count), strict=False))
    except BrokenRow as error:
        findings.problem(error.line, f"this is not CSV: {error}", CLAUSE, "Check its quotes.")
        return []


def _pairs(rows: Rows, findings: Findings) -> Iterator[DecidedPair]:
    from palmares.facts.text import shown, squeezed
    from palmares.journal.commands.players import DIFFERENT, LATER, SAME, DecidedPair

    if findings.raw.problems:
        return
    (line, header), *below = rows or [(1, [])]
    names = [squeezed(cell).lower().replace(" ", "_") for cell in header]
    if wrong := [column for column in COLUMNS if names.count(column) != 1]:
        what = f"there must be exactly one column {', one column '.join(wrong)}"
        remedy = "Use the file as it was written; fill in its column decision alone."
        findings.problem(line, what, CLAUSE, remedy)
        return
    for line, row in below:
        texts = dict(zip(names, row, strict=False))
        cells = {name: _NEUTRALIZED.sub("", texts.get(name, "").strip()) for name in COLUMNS}
        decision = cells.pop("decision").lower() or LATER
        if decision in (SAME, DIFFERENT, LATER):
            if any(cells.values()) or decision != LATER:
                yield DecidedPair(where=Location(findings.file, line), decision=decision, **cells)
        else:
            what = f"'{shown(brief(decision))}' is no decision"
            remedy = "Write same, different or later; an empty cell means later."
            findings.problem(line, what, CLAUSE, remedy)
