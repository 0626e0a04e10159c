"""
``palmares vp``: IMPs to victory points by the WBF scales, and back.

    one row for a margin or for points      boards, scale, margin, winner, loser
    the whole continuous table              a list of those rows
    the whole discrete table                from, to, winner, loser
    the corrections                         boards, scale, margin, before, after
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import click

from palmares.cli.options import warn, writing
from palmares.errors import Problem
from palmares.output import Column, emit
from palmares.vp import CONTINUOUS, SCALES, Scale, Score, scale_of, vps

SCORE = (
    Column("boards", kind="number"),
    Column("scale"),
    Column("margin", "IMPs", "number"),
    Column("winner", kind="number"),
    Column("loser", kind="number"),
)
RANGE = (
    Column("from", "from IMPs", "number"),
    Column("to", "to IMPs", "number"),
    Column("winner", kind="number"),
    Column("loser", kind="number"),
)
CORRECTION = (
    Column("boards", kind="number"),
    Column("scale"),
    Column("margin", "IMPs", "number"),
    Column("before", kind="number"),
    Column("after", kind="number"),
)


class Written(click.ParamType[Any]):
    """A number written in a few plain digits; anything longer never reaches arithmetic."""

    def __init__(self, name: str, pattern: str, number: Callable[[str], Any]) -> None:
        self.name = name
        self._pattern = re.compile(pattern, re.ASCII)
        self._number = number

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a usage error that quotes what was typed."""
        text = str(value)
        if not self._pattern.fullmatch(text):
            quoted = repr(text if len(text) <= 40 else f"{text[:37]}…")  # noqa: PLR2004
            self.fail(f"{quoted} is not a {self.name}.", param, ctx)
        return self._number(text)


WHOLE = Written("whole number", r"[+-]?\d{1,12}", int)
POINTS = Written("number of VPs", r"[+-]?\d{1,6}(\.\d{1,9})?", Decimal)


@click.command()
@click.option(
    "--boards", type=WHOLE, required=True, metavar="N", help="Boards played in the match."
)
@click.option("--margin", type=WHOLE, metavar="IMPS", help="IMPs won by; negative: IMPs lost by.")
@click.option(
    "--points", type=POINTS, metavar="VP", help="VPs to reach: shows the smallest margin that does."
)
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default=CONTINUOUS,
    show_default=True,
    help="half-match: a half of a triangular match, --boards counting those of the half.",
)
@click.option("--corrections", is_flag=True, help="List what the concavity correction changed.")
@writing
def vp(
    *,
    boards: int,
    margin: int | None,
    points: Decimal | None,
    scale: str,
    corrections: bool,
    format: str,  # noqa: A002  (the name users type)
    output: str | None,
) -> None:
    """Convert IMPs to victory points by the WBF scales.

    Without --margin or --points, the whole table. A negative margin is the same match seen from
    the loser's side: the row keeps it, and winner and loser stay who they are.

    \b
    Examples:
        palmares vp --boards 16 --margin 7
        palmares vp --boards 16 --points 15 --scale discrete
    """
    if sum((margin is not None, points is not None, corrections)) > 1:
        raise click.UsageError("Ask for one of --margin, --points and --corrections.")
    held = scale_of(boards, scale)
    score = None
    if margin is not None:
        score = vps(boards, margin, scale)
    elif points is not None:
        score = held.score(held.margin_for(points))
    notices = range_violations(held, score)
    for_people = format == "table" and output is None
    columns, rows = asked_for(held, score, corrections=corrections)
    notes = [] if score else [corrected(held)]
    if for_people:
        notes += [f"{one.where}: {one.what} [{one.clause}]" for one in notices]
    else:
        warn(notices)
    emit(rows, columns, format=format, output=output, title=title(held), notes=notes)


def asked_for(
    held: Scale, score: Score | None, *, corrections: bool
) -> tuple[Sequence[Column], list[dict[str, Any]]]:
    """Columns and rows: one score, the corrections, or the whole table."""
    if score:
        return SCORE, [score_row(score)]
    if corrections:
        return CORRECTION, correction_rows(held)
    if held.is_discrete:
        return RANGE, range_rows(held)
    return SCORE, [score_row(one) for one in held.scores()]


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def score_row(score: Score) -> dict[str, Any]:
    """One margin as a row."""
    return {
        "boards": score.boards,
        "scale": score.scale,
        "margin": score.margin,
        "winner": str(score.winner),
        "loser": str(score.loser),
    }


def range_rows(held: Scale) -> list[dict[str, Any]]:
    """The ranges of a discrete scale as rows; the last has no end."""
    return [
        {"from": one.first, "to": one.last, "winner": str(one.winner), "loser": str(one.loser)}
        for one in held.ranges()
    ]


def correction_rows(held: Scale) -> list[dict[str, Any]]:
    """The margins whose VPs the correction changed, as rows."""
    return [
        {
            "boards": held.boards,
            "scale": held.name,
            "margin": one.margin,
            "before": str(one.before),
            "after": str(one.after),
        }
        for one in held.corrections
    ]


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def title(held: Scale) -> str:
    """What the table is."""
    return f"WBF VP scale, {held.name}, {counted(held.boards, 'board')}"


def corrected(held: Scale) -> str:
    """What the concavity correction found and did."""
    found = f"{counted(held.boards, 'board')}: {counted(held.violations, 'violation')}"
    if held.is_discrete:
        return f"{found}, {counted(held.changes, 'IMP')} moved to the next score"
    cells = counted(len(held.corrections), "cell")
    return f"{found}, {counted(held.changes, 'raise')} of 0.01 in {cells}"


def range_violations(held: Scale, only: Score | None = None) -> list[Problem]:
    """The range violations of a discrete scale, or those of one score."""
    return [
        Problem(
            where=counted(held.boards, "board"),
            what=f"{one.score} VPs are {one.first} to {one.last} IMPs, and the curve reaches "
            f"{one.score} VPs at {one.imps:.2f} IMPs",
            clause="wbf-vp eq15, reading V5",
            remedy="The scale is kept as the text has it; nothing needs to be done.",
        )
        for one in held.range_violations
        if only is None or one.score == only.winner
    ]


def counted(number: int, noun: str) -> str:
    """``1 board``, ``8 boards``."""
    return f"{number} {noun}{'s' * (number != 1)}"
