"""A scale as one A4 page to print and post."""

from __future__ import annotations

from math import ceil

from palmares.bridge.vp import Scale, edition
from palmares.core.errors import Refused
from palmares.render import pdf

HEIGHT, WIDTH = 640.0, 505.0  # what table and notes may take of the page, in points
NOTE, LETTERS = 14.0, 110  # height of a line of the notes, and letters on it
LARGEST, SMALLEST = 24.0, 5.0  # its letters, in points; the sizes below are in such letters
LINE = 1.5  # height of a row
DIGIT = 0.65  # height of a digit
MARGIN, RANGE, GAP = 2.9, 4.3, 2.0  # width of the first column, and between blocks
SCORES, WHOLE = 5.9, 5.0  # width of both sides' scores, with two decimals or none
LISTED = 12  # corrected cells that are named one by one

Row = tuple[str, ...]


def page(scale: Scale) -> pdf.Content:
    """A scale as the template takes it.

    Raises:
        Refused: the table is too long to be read on one page.
    """
    rows = _ranges(scale) if scale.is_discrete else _margins(scale)
    width = RANGE + WHOLE if scale.is_discrete else MARGIN + SCORES
    notes = tuple(_notes(scale))
    height = HEIGHT - NOTE * sum(ceil(len(note) / LETTERS) for note in notes)
    count, size = _laid_out(len(rows), width, height)
    if size < SMALLEST:
        raise Refused(
            f"A table of {len(rows)} rows is too long for one page. Write .xlsx or .html instead."
        )
    each = ceil(len(rows) / count)
    return {
        "title": f"{scale.boards} board{'s' * (scale.boards != 1)}",
        "subtitle": f"WBF victory points, {scale.name} scale",
        "flipped": False,
        "tables": [
            {
                "caption": "",
                "groups": [],
                "heads": ("IMPs", "winner", "loser"),
                "align": ["c", "r", "r"],
                "strong": 0,
                "blocks": [rows[at : at + each] for at in range(0, len(rows), each)],
                "size": size,  # of the table's letters, in points
                "space": (LINE - DIGIT) / 2 * size,  # above and below them
                "gap": GAP * size,  # between the blocks
            }
        ],
        "notes": notes,
        **pdf.cites(pdf.cited([edition().edition])),
    }


def _ranges(scale: Scale) -> list[Row]:
    """A row for each range of margins."""
    rows: list[Row] = []
    for part in scale.ranges():
        last = "+" if part.last is None else "" if part.last == part.first else f"–{part.last}"
        rows.append((f"{part.first}{last}", str(part.winner), str(part.loser)))
    return rows


def _margins(scale: Scale) -> list[Row]:
    """A row for each margin; the last one stands for all beyond."""
    *scores, last = scale.scores()
    rows = [(str(score.margin), str(score.winner), str(score.loser)) for score in scores]
    return [*rows, (f"{last.margin}+", str(last.winner), str(last.loser))]


def _laid_out(rows: int, width: float, height: float) -> tuple[int, float]:
    """Into how many blocks so many rows go, and how large the letters can be."""

    def size(blocks: int) -> float:
        lines = ceil(rows / blocks) + 1
        wide = blocks * width + GAP * (blocks - 1)
        return min(LARGEST, height / lines / LINE, WIDTH / wide)

    best = max(range(1, rows + 1), key=lambda blocks: (size(blocks), -blocks))
    return best, size(best)


def _notes(scale: Scale) -> list[str]:
    """What was corrected, and what the text asks to report."""
    if not scale.corrections:
        corrected = "no entry"
    elif len(scale.corrections) > LISTED:
        most = max(correction.after - correction.before for correction in scale.corrections)
        corrected = (
            f"{len(scale.corrections)} entries of {len(scale.cells)}, each by at most {most}"
        )
    else:
        corrected = ", ".join(
            f"{correction.margin} IMP{'s' * (correction.margin != 1)}"
            f" from {correction.before} to {correction.after}"
            for correction in scale.corrections
        )
    return [f"Corrected for concavity: {corrected}."] + [
        f"{violation.score} VPs are {violation.first} to {violation.last} IMPs, and the curve"
        f" reaches them at {violation.imps:.2f}; the text lets such variations stand (Eq. 15)."
        for violation in scale.range_violations
    ]
