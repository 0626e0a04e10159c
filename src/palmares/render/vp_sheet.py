"""A scale as one A4 page to print and post."""

from __future__ import annotations

from collections.abc import Sequence
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


def page(scales: Sequence[Scale]) -> pdf.Content:
    """One scale, or several of the same match side by side, as the template takes it.

    Raises:
        Refused: the table is too long to be read on one page.
    """
    heads, rows = _ranges(scales[0]) if _of_ranges(scales) else _margins(scales)
    width = RANGE if _of_ranges(scales) else MARGIN
    width += sum(WHOLE if scale.is_discrete else SCORES for scale in scales)
    notes = tuple(note for scale in scales for note in _notes(scale, several=len(scales) > 1))
    height = HEIGHT - NOTE * sum(ceil(len(note) / LETTERS) for note in notes)
    count, size = _laid_out(len(rows), len(scales), width, height)
    if size < SMALLEST:
        raise Refused(
            f"A table of {len(rows)} rows is too long for one page. Write .xlsx or .html instead."
        )
    each = ceil(len(rows) / count)
    boards, names = scales[0].boards, " and ".join(scale.name for scale in scales)
    parts = ("WBF victory points", f"{names} scale", scales[0].parameters)
    return {
        "title": f"{boards} board{'s' * (boards != 1)}",
        "subtitle": ", ".join(filter(None, parts)),
        "flipped": False,
        "tables": [
            {
                "caption": "",
                "groups": [scale.name for scale in scales] if len(scales) > 1 else [],
                "heads": heads,
                "align": ["c", *"r" * (len(heads) - 1)],
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


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def _of_ranges(scales: Sequence[Scale]) -> bool:
    return len(scales) == 1 and scales[0].is_discrete


def _ranges(scale: Scale) -> tuple[Row, list[Row]]:
    """A row for each range of margins."""
    rows: list[Row] = []
    for part in scale.ranges():
        last = "+" if part.last is None else "" if part.last == part.first else f"–{part.last}"
        rows.append((f"{part.first}{last}", str(part.winner), str(part.loser)))
    return ("IMPs", "winner", "loser"), rows


def _margins(scales: Sequence[Scale]) -> tuple[Row, list[Row]]:
    """A row for each margin; the last one stands for all beyond."""
    last = max(len(scale.cells) for scale in scales) - 1
    rows = []
    for margin in range(last + 1):
        scores = [scale.score(margin) for scale in scales]
        cells = [str(vps) for score in scores for vps in (score.winner, score.loser)]
        rows.append((f"{margin}{'+' * (margin == last)}", *cells))
    return ("IMPs", *("winner", "loser") * len(scales)), rows


def _laid_out(rows: int, heads: int, width: float, height: float) -> tuple[int, float]:
    """Into how many blocks so many rows go, and how large the letters can be."""

    def size(blocks: int) -> float:
        lines = ceil(rows / blocks) + heads
        wide = blocks * width + GAP * (blocks - 1)
        return min(LARGEST, height / lines / LINE, WIDTH / wide)

    best = max(range(1, rows + 1), key=lambda blocks: (size(blocks), -blocks))
    return best, size(best)


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def _notes(scale: Scale, *, several: bool) -> list[str]:
    """What was corrected, and what the text asks to report."""
    which = f"{scale.name.capitalize()} scale: c" if several else "C"
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
    return [f"{which}orrected for concavity: {corrected}."] + [
        f"{violation.score} VPs are {violation.first} to {violation.last} IMPs, and the curve"
        f" reaches them at {violation.imps:.2f}; the text lets such variations stand (Eq. 15)."
        for violation in scale.range_violations
    ]
