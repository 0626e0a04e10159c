"""``palmares vp``: IMPs to victory points by the WBF scales, and back."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import command
from palmares.cli.options import Output, printing
from palmares.cli.sources import warn
from palmares.cli.types import Typed, count_of, pattern
from palmares.core.errors import Location, Problem, Refused
from palmares.render.tables import Column, write_whole

if TYPE_CHECKING:
    from palmares.bridge.vp import Range, Scale, Score

SCALES = ("continuous", "discrete", "half-match", "half-match-discrete")
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
WHOLE = Typed("whole number", pattern(r"([+-]?\d{1,12})", int), "{} is not a whole number.")
_DECIMAL = pattern(r"([+-]?\d{1,6}(?:\.\d{1,9})?)", Decimal)
POINTS = Typed("number of VPs", _DECIMAL, "{} is not a number of VPs.")


@command()
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
    default=SCALES[0],
    show_default=True,
    help="half-match: a half of a triangular match, --boards counting those of the half.",
)
@printing
def vp(*, boards: int, margin: int | None, points: Decimal | None, scale: str, out: Output) -> None:
    """Convert IMPs to victory points by the WBF scales.

    Without --margin or --points, the whole table; -o table.pdf makes a page to print and post.
    A negative margin is the same match seen from the loser's side: the row keeps it, and winner
    and loser stay who they are.

    \b
    Examples:
        palmares vp --boards 16 --margin 7
        palmares vp --boards 16 --points 15 --scale discrete
        palmares vp --boards 16 -o table.pdf
    """
    from palmares.bridge.vp import checked_margin, scale_of

    if margin is not None and points is not None:
        raise click.UsageError("Ask for --margin or for --points.")
    table = scale_of(boards, scale)
    if points is not None:
        margin = table.margin_for(points)
    score = None if margin is None else table.score(checked_margin(margin))
    if out.output and Path(out.output).suffix.lower() == ".pdf":
        from palmares.render import pdf, vp_sheet

        if score:
            raise Refused("A PDF holds the table of all margins: omit --margin and --points.")
        write_whole(Path(out.output), pdf.compiled(vp_sheet.page(table)))
        return
    notices = range_violations(table, score)
    notes = [] if score else [corrected(table)]
    if out.is_printed:
        notes += [f"{notice.where}: {notice.what} [{notice.clause}]" for notice in notices]
    else:
        warn(notices)
    title = f"WBF VP scale, {table.name}, {count_of(boards, 'board')}"
    if score or not table.is_discrete:
        rows = [_cells(score) for score in ([score] if score else table.scores())]
        out.emit(rows, SCORE, title=title, notes=notes)
        return
    ranges = [{"from": part.first, "to": part.last, **_cells(part)} for part in table.ranges()]
    out.emit(ranges, RANGE, title=title, notes=notes)


def _cells(value: Score | Range) -> dict[str, Any]:
    """A value as cells; VPs are text, with their decimals."""
    cells = asdict(value)
    return {key: str(cell) if isinstance(cell, Decimal) else cell for key, cell in cells.items()}


def corrected(scale: Scale) -> str:
    """How many violations of concavity there were, and what was corrected."""
    violations = f"{count_of(scale.boards, 'board')}: {count_of(scale.violations, 'violation')}"
    if scale.is_discrete:
        return f"{violations}, {count_of(scale.changes, 'IMP')} moved to the next score"
    cells = count_of(len(scale.corrections), "cell")
    return f"{violations}, {count_of(scale.changes, 'raise')} of 0.01 in {cells}"


def range_violations(scale: Scale, score: Score | None = None) -> list[Problem]:
    """The range violations of a discrete scale, or those of one score."""
    return [
        Problem(
            at=Location(count_of(scale.boards, "board")),
            what=f"{violation.score} VPs are {violation.first} to {violation.last} IMPs, and the"
            f" curve reaches {violation.score} VPs at {violation.imps:.2f} IMPs",
            clause="wbf-vp eq15, reading V5",
            remedy="The scale is kept as the text has it; nothing needs to be done.",
        )
        for violation in scale.range_violations
        if score is None or violation.score in {score.winner, score.loser}
    ]
