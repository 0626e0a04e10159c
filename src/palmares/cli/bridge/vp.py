"""
``palmares vp``: IMPs to victory points by the WBF scales, and back.

    one row for a margin or for points      boards, scale, margin, winner, loser
    the effect of a ruling                  boards, scale, ruling, margin, ours, theirs, change
    the whole continuous table              a list of rows as for a margin
    the whole discrete table                from, to, winner, loser
    both side by side                       boards, margin, then winner and loser of each
    the corrections                         boards, scale, margin, before, after

A whole table may also be a PDF to post, or a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from palmares.bridge.vp import (
    CONTINUOUS,
    DISCRETE,
    HALF_MATCH,
    HALF_MATCH_DISCRETE,
    Scale,
    Score,
    checked_margin,
    scale_of,
)
from palmares.cli.charts import ChartFile, write_chart
from palmares.cli.options import Output, Running, printing, running
from palmares.cli.sources import Source, warn, warn_first
from palmares.cli.types import count_of
from palmares.core.errors import Location, Problem, Refused
from palmares.render.tables import Column, write_whole

NAMES = {
    CONTINUOUS: (CONTINUOUS,),
    DISCRETE: (DISCRETE,),
    "both": (CONTINUOUS, DISCRETE),
    HALF_MATCH: (HALF_MATCH,),
    HALF_MATCH_DISCRETE: (HALF_MATCH_DISCRETE,),
    "half-match-both": (HALF_MATCH, HALF_MATCH_DISCRETE),
}
"""The scales that each word of --scale asks for."""

MOST_RULED = 100

SCORE = (
    Column("boards", kind="number"),
    Column("scale"),
    Column("margin", "IMPs", "number"),
    Column("winner", kind="number"),
    Column("loser", kind="number"),
)
RULING = (
    Column("boards", kind="number"),
    Column("scale"),
    Column("ruling", "ruling, IMPs", "number"),
    Column("margin", "IMPs", "number"),
    Column("ours", "this side", "number"),
    Column("theirs", "other side", "number"),
    Column("change", kind="number"),
)
BOTH = (
    Column("boards", kind="number", hidden=True),
    Column("margin", "IMPs", "number"),
    Column("continuous_winner", "winner", "number"),
    Column("continuous_loser", "loser", "number"),
    Column("discrete_winner", "winner, discrete", "number"),
    Column("discrete_loser", "loser, discrete", "number"),
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
IMPS = Written("number of IMPs", r"[+-]?\d{1,6}(\.\d{1,9})?", Decimal)


@click.command()
@click.option("--boards", type=WHOLE, metavar="N", help="Boards played in the match.")
@click.option(
    "--matches",
    multiple=True,
    metavar="PATH",
    help="Instead of --boards: every match of teams there is at PATH; may be repeated.",
)
@click.option("--margin", type=WHOLE, metavar="IMPS", help="IMPs won by; negative: IMPs lost by.")
@click.option(
    "--ruling", type=WHOLE, metavar="IMPS", help="With --margin: what so many IMPs more or less do."
)
@click.option(
    "--points", type=POINTS, metavar="VP", help="VPs to reach: shows the smallest margin that does."
)
@click.option(
    "--scale",
    type=click.Choice(list(NAMES)),
    default=CONTINUOUS,
    show_default=True,
    help="half-match: a half of a triangular match, --boards counting those of the half.",
)
@click.option("--draw-vp", type=POINTS, metavar="VP", help="V0, the VPs of a drawn match.")
@click.option("--blitz", type=IMPS, metavar="IMPS", help="X, the margin of a maximum win.")
@click.option("--corrections", is_flag=True, help="List what the concavity correction changed.")
@click.option(
    "--chart",
    type=ChartFile(),
    metavar="FILE",
    help="Draw the curve and the steps over it: .svg or .png.",
)
@running
@printing
def vp(
    *,
    boards: int | None,
    matches: tuple[str, ...],
    run: Running,
    margin: int | None,
    ruling: int | None,
    points: Decimal | None,
    scale: str,
    draw_vp: Decimal | None,
    blitz: Decimal | None,
    corrections: bool,
    chart: Path | None,
    out: Output,
) -> None:
    """Convert IMPs to victory points by the WBF scales.

    Without --margin or --points, the whole table; -o table.pdf makes a page to print and post.
    A negative margin is the same match seen from the loser's side: the row keeps it, and winner
    and loser stay who they are. --ruling shows this side's VPs, step by step.

    \b
    Examples:
        palmares vp --boards 16 --margin 7
        palmares vp --boards 16 --margin 7 --ruling 3
        palmares vp --boards 16 --points 15 --scale discrete
        palmares vp --boards 16 --scale both -o table.pdf
        palmares vp --matches examples/bridge --scale discrete
    """
    if boards is None or matches or run.engine:
        of_a_table = (boards, margin, ruling, points, draw_vp, blitz, chart, corrections or None)
        _refuse_a_mixture(matches, of_a_table)
        _convert_matches(matches, NAMES[scale], run, out)
        return
    if sum((margin is not None, points is not None, corrections, chart is not None)) > 1:
        raise click.UsageError("Ask for one of --margin, --points, --corrections and --chart.")
    if ruling is not None and margin is None:
        raise click.UsageError("A ruling changes a margin: give --margin too.")
    parts = NAMES["half-match-both" if scale.startswith(HALF_MATCH) else "both"]
    names = parts if chart else NAMES[scale]
    scales = [scale_of(boards, name, draw=draw_vp, blitz=blitz) for name in names]
    if chart:
        from palmares.render.charts.scale import scale_chart

        write_chart(chart, scale_chart(scales[0], scales[1]))
        return
    asked = Asked(margin=margin, ruling=ruling, points=points, corrections=corrections)
    if out.output and Path(out.output).suffix.lower() == ".pdf":
        post(scales, Path(out.output), whole=asked == Asked())
        return
    columns, rows, scores = asked_for(scales, asked)
    notices = [one for held in scales for one in range_violations(held, scores)]
    notes = [] if scores else [corrected(held, several=len(scales) > 1) for held in scales]
    if out.is_printed:
        notes += [f"{one.where}: {one.what} [{one.clause}]" for one in notices]
    else:
        warn(notices)
    out.emit(rows, columns, title=title(scales), notes=notes)


def _refuse_a_mixture(matches: Sequence[str], of_a_table: Sequence[object]) -> None:
    """Refuse what asks for a table and for matches at once, or for neither."""
    if not matches:
        raise click.UsageError("Give --boards N for one match, or --matches PATH for many.")
    if any(one is not None for one in of_a_table):
        raise click.UsageError("--matches goes with --scale and --engine alone.")


def _convert_matches(
    paths: Sequence[str],
    scales: Sequence[str],
    run: Running,
    out: Output,
) -> None:
    """Print or write the margin and both sides' VPs of every match."""
    from palmares.bridge import match_vps
    from palmares.engines import queries

    if len(scales) > 1:
        raise click.UsageError("--matches takes one scale at a time.")
    with run.on(Source(path=tuple(paths))) as engine:
        rows = queries.vps(engine, scales[0])
        warn_first(engine.notices(), "palmares check")
        if out.output and out.output.endswith(".parquet"):
            engine.write(rows, out.output)
            return
        found = engine.collect(rows)
    numbers = ("boards", "margin", "home_vp", "away_vp")
    hidden = ("match_id", "event_id", "scale", "status")
    out.emit(
        found.to_dicts(),
        [
            Column(name, kind="number" if name in numbers else "text", hidden=name in hidden)
            for name in match_vps.SCHEMA
        ],
        title=f"Victory points, {scales[0]} scale",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of the scales; nothing: the whole table."""

    margin: int | None = None
    ruling: int | None = None
    points: Decimal | None = None
    corrections: bool = False


def asked_for(
    scales: Sequence[Scale], asked: Asked
) -> tuple[Sequence[Column], list[dict[str, Any]], list[Score]]:
    """Columns, rows, and the scores that were asked for by name."""
    if asked.corrections:
        return CORRECTION, [row for held in scales for row in correction_rows(held)], []
    if asked.margin is not None:
        margin = checked_margin(asked.margin)
        scores = [held.score(margin) for held in scales]
        if asked.ruling is not None:
            rows = [row for held in scales for row in ruling_rows(held, margin, asked.ruling)]
            return RULING, rows, scores
        return SCORE, [score_row(one) for one in scores], scores
    if asked.points is not None:
        scores = [held.score(held.margin_for(asked.points)) for held in scales]
        return SCORE, [score_row(one) for one in scores], scores
    return *whole_table(scales), []


def whole_table(scales: Sequence[Scale]) -> tuple[Sequence[Column], list[dict[str, Any]]]:
    """Columns and rows of one scale, or of two side by side."""
    if len(scales) > 1:
        return BOTH, both_rows(*scales)
    if scales[0].is_discrete:
        return RANGE, range_rows(scales[0])
    return SCORE, [score_row(one) for one in scales[0].scores()]


def post(scales: Sequence[Scale], path: Path, *, whole: bool) -> None:
    """Write the page to print and post.

    Raises:
        Refused: something else than a whole table was asked for, or the page cannot hold it.
    """
    if not whole:
        raise Refused("A PDF holds a whole table: leave --margin, --points, --corrections out.")
    from palmares.render import vp_sheet

    write_whole(path, vp_sheet.pdf(vp_sheet.page(scales)))


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


def ruling_rows(held: Scale, margin: int, ruling: int) -> list[dict[str, Any]]:
    """A side's VPs for every margin that a ruling of so many IMPs, either way, can leave.

    Raises:
        Refused: the ruling is none, or more than any.
    """
    if not 1 <= abs(ruling) <= MOST_RULED:
        raise Refused(f"A ruling is 1 to {MOST_RULED} IMPs either way, not {ruling}.")

    def sides(won_by: int) -> tuple[Decimal, Decimal]:
        score = held.score(won_by)
        return (score.loser, score.winner) if won_by < 0 else (score.winner, score.loser)

    before, _ = sides(margin)
    rows = []
    for step in range(-abs(ruling), abs(ruling) + 1):
        ours, theirs = sides(margin + step)
        rows.append(
            {
                "boards": held.boards,
                "scale": held.name,
                "ruling": step,
                "margin": margin + step,
                "ours": str(ours),
                "theirs": str(theirs),
                "change": ours - before,
            }
        )
    return rows


def both_rows(one: Scale, other: Scale) -> list[dict[str, Any]]:
    """Two scales side by side, a row for each margin up to the end of the longer one."""
    rows = []
    for margin in range(max(len(one.cells), len(other.cells))):
        score, whole = one.score(margin), other.score(margin)
        rows.append(
            {
                "boards": one.boards,
                "margin": margin,
                "continuous_winner": str(score.winner),
                "continuous_loser": str(score.loser),
                "discrete_winner": str(whole.winner),
                "discrete_loser": str(whole.loser),
            }
        )
    return rows


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


def title(scales: Sequence[Scale]) -> str:
    """What the table is."""
    held = scales[0]
    names = " and ".join(one.name for one in scales)
    words = (f"WBF VP scale, {names}", held.parameters, count_of(held.boards, "board"))
    return ", ".join(filter(None, words))


def corrected(held: Scale, *, several: bool = False) -> str:
    """What the concavity correction found and did."""
    which = f", {held.name}" if several else ""
    found = f"{count_of(held.boards, 'board')}{which}: {count_of(held.violations, 'violation')}"
    if held.is_discrete:
        return f"{found}, {count_of(held.changes, 'IMP')} moved to the next score"
    cells = count_of(len(held.corrections), "cell")
    return f"{found}, {count_of(held.changes, 'raise')} of 0.01 in {cells}"


def range_violations(held: Scale, only: Sequence[Score] = ()) -> list[Problem]:
    """The range violations of a discrete scale, or those of some scores."""
    return [
        Problem(
            at=Location(count_of(held.boards, "board")),
            what=f"{one.score} VPs are {one.first} to {one.last} IMPs, and the curve reaches "
            f"{one.score} VPs at {one.imps:.2f} IMPs",
            clause="wbf-vp eq15, reading V5",
            remedy="The scale is kept as the text has it; nothing needs to be done.",
        )
        for one in held.range_violations
        if not only or one.score in {score.winner for score in only}
    ]
