"""vp, standings: IMPs to victory points, matches of teams to standings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from palmares.cli.app import Typed, command, pattern, to_mapping
from palmares.cli.options import (
    EngineChoice,
    Output,
    chart_option,
    printing,
    reading_option,
    running,
    sourced,
    write_chart,
)
from palmares.cli.sources import Source, every_warning, warn, warn_first
from palmares.cli.terminal import count_of
from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import english
from palmares.render import pdf
from palmares.render.explanation import clause_lines, wrapped
from palmares.render.tables import OutputColumn, terminal_width, write_atomically

if TYPE_CHECKING:
    import polars as pl

    from palmares.bridge.explain import TeamExplanation
    from palmares.bridge.standings import Standings
    from palmares.bridge.vp import Scale, Score
    from palmares.engines import Engine
    from palmares.facts import Facts


NAMES = {
    "continuous": ("continuous",),
    "discrete": ("discrete",),
    "both": ("continuous", "discrete"),
    "half-match": ("half-match",),
    "half-match-discrete": ("half-match-discrete",),
    "half-match-both": ("half-match", "half-match-discrete"),
}
"""The scales that each word of --scale asks for."""

MOST_RULED = 100

SCORE = (
    OutputColumn("boards", kind="number"),
    OutputColumn("scale"),
    OutputColumn("margin", "IMPs", "number"),
    OutputColumn("winner", kind="number"),
    OutputColumn("loser", kind="number"),
)
RULING = (
    OutputColumn("boards", kind="number"),
    OutputColumn("scale"),
    OutputColumn("ruling", "ruling, IMPs", "number"),
    OutputColumn("margin", "IMPs", "number"),
    OutputColumn("ours", "this side", "number"),
    OutputColumn("theirs", "other side", "number"),
    OutputColumn("change", kind="number"),
)
TWO_SCALES = (
    OutputColumn("boards", kind="number", hidden=True),
    OutputColumn("margin", "IMPs", "number"),
    OutputColumn("continuous_winner", "winner", "number"),
    OutputColumn("continuous_loser", "loser", "number"),
    OutputColumn("discrete_winner", "winner, discrete", "number"),
    OutputColumn("discrete_loser", "loser, discrete", "number"),
)
RANGE = (
    OutputColumn("from", "from IMPs", "number"),
    OutputColumn("to", "to IMPs", "number"),
    OutputColumn("winner", kind="number"),
    OutputColumn("loser", kind="number"),
)
CORRECTION = (
    OutputColumn("boards", kind="number"),
    OutputColumn("scale"),
    OutputColumn("margin", "IMPs", "number"),
    OutputColumn("before", kind="number"),
    OutputColumn("after", kind="number"),
)


INTEGER = Typed("whole number", pattern(r"([+-]?\d{1,100})", int), "{} is not a whole number.")
_DECIMAL = pattern(r"([+-]?\d{1,6}(?:\.\d{1,9})?)", Decimal)
POINTS = Typed("number of VPs", _DECIMAL, "{} is not a number of VPs.")
IMPS = Typed("number of IMPs", _DECIMAL, "{} is not a number of IMPs.")


@command()
@click.option("--boards", type=INTEGER, metavar="N", help="Boards played in the match.")
@click.option(
    "--matches",
    multiple=True,
    metavar="PATH",
    help="Convert every match of teams at PATH, instead of --boards; may be repeated.",
)
@click.option("--margin", type=INTEGER, metavar="IMPS", help="IMPs won by; negative: IMPs lost by.")
@click.option(
    "--ruling",
    type=INTEGER,
    metavar="IMPS",
    help="With --margin: the VPs for up to so many IMPs more or less.",
)
@click.option(
    "--points", type=POINTS, metavar="VP", help="Show the smallest margin that reaches these VPs."
)
@click.option(
    "--scale",
    type=click.Choice(list(NAMES)),
    default="continuous",
    show_default=True,
    help="half-match: a half of a triangular match, --boards counting those of the half.",
)
@click.option("--draw-vp", type=POINTS, metavar="VP", help="V0, the VPs of a drawn match.")
@click.option("--blitz", type=IMPS, metavar="IMPS", help="X, the margin of a maximum win.")
@click.option("--corrections", is_flag=True, help="List what the concavity correction changed.")
@chart_option("Draw the curve and the steps over it: .svg or .png.")
@running
@every_warning
@printing
def vp(
    *,
    boards: int | None,
    matches: tuple[str, ...],
    run: EngineChoice,
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
    A negative margin is that of the losing side. --ruling shows the VPs of this side, for each
    margin that a ruling can leave.

    \b
    Examples:
        palmares vp --boards 16 --margin 7
        palmares vp --boards 16 --margin 7 --ruling 3
        palmares vp --boards 16 --points 15 --scale discrete
        palmares vp --boards 16 --scale both -o table.pdf
        palmares vp --matches examples/bridge --scale discrete
    """
    from palmares.bridge.vp import scale_of

    if boards is None or matches or run.engine:
        of_a_table = (boards, margin, ruling, points, draw_vp, blitz, chart, corrections or None)
        _convert_matches(matches, of_a_table, NAMES[scale], run, out)
        return
    if sum((margin is not None, points is not None, corrections, chart is not None)) > 1:
        raise click.UsageError("Ask for one of --margin, --points, --corrections and --chart.")
    if ruling is not None and margin is None:
        raise click.UsageError("A ruling changes a margin: give --margin too.")
    parts = NAMES["half-match-both" if scale.startswith("half-match") else "both"]
    names = parts if chart else NAMES[scale]
    scales = [scale_of(boards, name, draw=draw_vp, blitz=blitz) for name in names]
    if chart:
        _draw_scale(scales, chart, out)
        return
    scores = _scores(scales, margin, points)
    if out.output and Path(out.output).suffix.lower() == ".pdf":
        _post(scales, Path(out.output), is_table=not (scores or corrections))
        return
    _write_scales(scales, scores, ruling, out, corrections=corrections)


def _write_scales(
    scales: Sequence[Scale],
    scores: Sequence[Score],
    ruling: int | None,
    out: Output,
    *,
    corrections: bool,
) -> None:
    """Write the table of scales, and a note on each range that contradicts the text."""
    columns, rows = _table(scales, scores, ruling, corrections=corrections)
    notices = [notice for each in scales for notice in range_violations(each, scores)]
    notes = [] if scores else [corrections_text(each, several=len(scales) > 1) for each in scales]
    if out.is_printed:
        notes += [f"{notice.where}: {notice.what} [{notice.clause}]" for notice in notices]
    else:
        warn(notices)
    out.emit(rows, columns, title=scale_title(scales), notes=notes)


def _scores(scales: Sequence[Scale], margin: int | None, points: Decimal | None) -> list[Score]:
    """The VPs of a margin, or of the smallest margin that reaches some points."""
    from palmares.bridge.vp import checked_margin

    if margin is not None:
        return [scale.score(checked_margin(margin)) for scale in scales]
    if points is not None:
        return [scale.score(scale.margin_for(points)) for scale in scales]
    return []


def _draw_scale(scales: Sequence[Scale], chart: Path, out: Output) -> None:
    """Draw a continuous and a discrete scale into a file."""
    from palmares.render.bridge import scale_chart

    if out.output:
        raise click.UsageError("--chart writes the picture alone: leave out -o.")
    write_chart(chart, scale_chart(scales[0], scales[1]))
    click.echo(f"{chart}: written.", err=True)


def _post(scales: Sequence[Scale], path: Path, *, is_table: bool) -> None:
    """Write the scales as a PDF page."""
    from palmares.render.bridge import scale_page

    if not is_table:
        raise Refused(
            "A PDF holds the whole table: leave out --margin, --points and --corrections."
        )
    write_atomically(path, pdf.compile_pdf(scale_page(scales)))


def _convert_matches(
    paths: Sequence[str],
    of_a_table: Sequence[object],
    scales: Sequence[str],
    run: EngineChoice,
    out: Output,
) -> None:
    """Print or write the margin and both sides' VPs of every match."""
    from palmares.bridge.results import SCHEMA

    if not paths:
        raise click.UsageError("Give --boards N for one match, or --matches PATH for many.")
    if any(given is not None for given in of_a_table):
        raise click.UsageError("--matches goes with --scale and --engine alone.")
    if len(scales) > 1:
        raise click.UsageError("--matches takes one scale at a time.")
    with run.on(Source(path=tuple(paths))) as facts:
        parquet = out.output if out.output and out.output.endswith(".parquet") else None
        matches = _vps_of_matches(facts, scales[0], parquet)
    if matches is None:
        return
    vps = ("home_vp", "away_vp")
    numbers = ("boards", "margin", *vps)
    hidden = ("match_id", "event_id", "scale", "status")
    out.emit(
        [
            row | {side: row[side] and Decimal(row[side]) for side in vps}
            for row in matches.to_dicts()
        ],
        [
            OutputColumn(name, kind="number" if name in numbers else "text", hidden=name in hidden)
            for name in SCHEMA
        ],
        title=f"Victory points, {scales[0]} scale",
    )


def _vps_of_matches(facts: Facts | Engine, scale: str, parquet: str | None) -> pl.DataFrame | None:
    """The matches with their VPs; none if they are written to a Parquet file."""
    from palmares.bridge.results import match_vps
    from palmares.engines import queries
    from palmares.engines.shards import write_parquet
    from palmares.library.answers import is_engine

    if is_engine(facts):
        answer = queries.vps(facts, scale)
        warn_first(answer.notices, "palmares check")
        if not parquet:
            return answer.frame
        answer.write(parquet)
    else:
        matches = match_vps(facts, scale).sort("event_id", "match_id")
        warn_first(facts.notices, "palmares check")
        if not parquet:
            return matches
        write_parquet(matches.lazy(), parquet)
    return None


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def _table(
    scales: Sequence[Scale], scores: Sequence[Score], ruling: int | None, *, corrections: bool
) -> tuple[Sequence[OutputColumn], list[dict[str, Any]]]:
    """Columns and rows of some scores, of corrections, or of whole scales."""
    scale, *other = scales
    if ruling is not None:
        pairs = zip(scales, scores, strict=True)
        return RULING, [row for scale, score in pairs for row in ruling_rows(scale, score, ruling)]
    if corrections:
        return CORRECTION, [
            {"boards": scale.boards, "scale": scale.name, **asdict(correction)}
            for scale in scales
            for correction in scale.corrections
        ]
    if scores or not (other or scale.is_discrete):
        return SCORE, [asdict(score) for score in scores or scale.scores()]
    if other:
        return TWO_SCALES, two_scale_rows(scale, *other)
    return RANGE, [{"from": part.first, "to": part.last, **asdict(part)} for part in scale.ranges()]


def ruling_rows(scale: Scale, score: Score, ruling: int) -> list[dict[str, Any]]:
    """The VPs of a side for every margin that a ruling can leave.

    Raises:
        Refused: the ruling is none, or more than any.
    """
    if not 1 <= abs(ruling) <= MOST_RULED:
        raise Refused(f"A ruling is 1 to {MOST_RULED} IMPs either way, not {ruling}.")

    def sides(score: Score) -> tuple[Decimal, Decimal]:
        return (score.loser, score.winner) if score.margin < 0 else (score.winner, score.loser)

    before, _ = sides(score)
    steps = range(-abs(ruling), abs(ruling) + 1)
    after = {step: sides(scale.score(score.margin + step)) for step in steps}
    return [
        {
            "boards": scale.boards,
            "scale": scale.name,
            "ruling": step,
            "margin": score.margin + step,
            "ours": ours,
            "theirs": theirs,
            "change": ours - before,
        }
        for step, (ours, theirs) in after.items()
    ]


def two_scale_rows(continuous: Scale, discrete: Scale) -> list[dict[str, Any]]:
    """Two scales side by side, a row for each margin up to the end of the longer one."""
    scores = [
        (continuous.score(margin), discrete.score(margin))
        for margin in range(max(len(continuous.table), len(discrete.table)))
    ]
    return [
        {
            "boards": continuous.boards,
            "margin": score.margin,
            "continuous_winner": score.winner,
            "continuous_loser": score.loser,
            "discrete_winner": rounded.winner,
            "discrete_loser": rounded.loser,
        }
        for score, rounded in scores
    ]


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def scale_title(scales: Sequence[Scale]) -> str:
    """The title of a table of scales."""
    scale = scales[0]
    names = " and ".join(each.name for each in scales)
    words = (f"WBF VP scale, {names}", scale.parameters, count_of(scale.boards, "board"))
    return ", ".join(filter(None, words))


def corrections_text(scale: Scale, *, several: bool = False) -> str:
    """How many violations of concavity there were, and what was corrected."""
    which = f", {scale.name}" if several else ""
    violations = (
        f"{count_of(scale.boards, 'board')}{which}: {count_of(scale.violations, 'violation')}"
    )
    if scale.is_discrete:
        return f"{violations}, {count_of(scale.changes, 'IMP')} moved to the next score"
    cells = count_of(len(scale.corrections), "cell")
    return f"{violations}, {count_of(scale.changes, 'raise')} of 0.01 in {cells}"


def range_violations(scale: Scale, only: Sequence[Score] = ()) -> list[Problem]:
    """The range violations of a discrete scale, or those of some scores."""
    return [
        Problem(
            at=Location(count_of(scale.boards, "board")),
            what=f"{violation.score} VPs are {violation.first} to {violation.last} IMPs, and the"
            f" curve reaches {violation.score} VPs at {violation.imps:.2f} IMPs",
            clause="wbf-vp eq15, reading V5",
            remedy="The scale is kept as the text has it; nothing needs to be done.",
        )
        for violation in scale.range_violations
        if not only or violation.score in {score.winner for score in only}
    ]


SCALES = [name for name, scales in NAMES.items() if scales == (name,)]
CLAUSES = tuple(map(OutputColumn, ("part", "vp", "clause", "label", "says", "inputs", "value")))


def _tie_breaks(text: str) -> tuple[str, ...]:
    """Read tie-breaks in order, with commas between them; an empty text is an empty list."""
    from palmares.bridge.standings import check_tie_breaks

    return check_tie_breaks([name for name in map(str.strip, text.split(",")) if name])


@command()
@sourced
@every_warning
@click.option("--event", metavar="ID", help="Id or name; needed where there are several.")
@click.option("--scale", type=click.Choice(SCALES), default=SCALES[0], show_default=True)
@click.option(
    "--tie-breaks",
    type=Typed("a,b,c", _tie_breaks, "{} is no list of tie-breaks."),
    metavar="A,B,C",
    help="In order; all of them: vps-among,imps-among,quotient,common-opponent,wins,lot.",
)
@click.option("--bye-vp", type=POINTS, metavar="VP", help="The VPs of a bye (default: 12 of 20).")
@click.option("--round", "until_round", metavar="N", help="The standings after this round.")
@reading_option
@click.option("--crosstable", is_flag=True, help="A table of each team against each other.")
@click.option("--explain", "team", metavar="TEAM", help="Explain the total of this team.")
@chart_option("Draw the totals round by round: .svg or .png.")
@printing
def standings(
    *,
    source: Source,
    event: str | None,
    scale: str,
    tie_breaks: tuple[str, ...] | None,
    bye_vp: Decimal | None,
    until_round: str | None,
    readings: tuple[tuple[str, str], ...],
    crosstable: bool,
    team: str | None,
    chart: Path | None,
    out: Output,
) -> None:
    """Rank the teams of a bridge event by their matches in IMPs.

    \b
    Examples:
        palmares standings league.toml
        palmares standings league.toml --round 3 --tie-breaks vps-among,quotient,wins
        palmares standings league.toml -o standings.html
    """
    if team and crosstable:
        raise click.UsageError("Ask for --crosstable or --explain, one of them.")
    from palmares.bridge.explain import explain_team
    from palmares.bridge.results import load_team_event
    from palmares.bridge.standings import TIE_BREAKS, rank_teams
    from palmares.bridge.vp import edition as scale_edition

    team_event = load_team_event(
        source.facts(),
        event,
        scale=scale,
        bye_vp=None if bye_vp is None else Fraction(bye_vp),
        chosen=to_mapping(readings),
    )
    ranked = rank_teams(
        team_event, tuple(TIE_BREAKS) if tie_breaks is None else tie_breaks, until_round
    )
    if chart:
        _draw_totals(ranked, chart)
    editions = pdf.cited([team_event.rules.edition, scale_edition().edition])
    if team:
        _write_explanation(explain_team(team_event, ranked, team), out, editions)
    else:
        _write_standings(ranked, out, editions, crosstable=crosstable)


def _draw_totals(ranked: Standings, chart: Path) -> None:
    """Draw the running totals into a file.

    Raises:
        Refused: there are no rounds, or more teams than one can tell apart.
    """
    from palmares.render.bridge import MOST_TEAMS, running_chart

    teams = sum(not team.withdrawn for team in ranked.teams)
    if not 1 <= teams <= MOST_TEAMS or not ranked.rounds:
        raise Refused(
            f"A picture shows 1 to {MOST_TEAMS} teams and at least one round; here are"
            f" {teams} teams and {len(ranked.rounds)} rounds."
        )
    write_chart(chart, running_chart(ranked))


def _write_standings(
    ranked: Standings, out: Output, editions: list[pdf.Cited], *, crosstable: bool
) -> None:
    """Write the list, or the crosstable."""
    from palmares.render import bridge as rendered

    if out.kind == "html":
        page = rendered.standings_html(ranked).encode("ascii", "xmlcharrefreplace")
        if out.output:
            write_atomically(Path(out.output), page)
        else:
            click.echo(page, nl=False)
        return
    if out.kind == "pdf" and not crosstable:
        write_atomically(Path(str(out.output)), rendered.standings_pdf(ranked, editions))
        return
    table = (rendered.crosstable_table if crosstable else rendered.list_table)(ranked, out.kind)
    room = terminal_width() if out.output is None and not out.wide else None
    below = rendered.tie_lines(ranked) if crosstable else rendered.lines_below(ranked, room)
    notes = list(below) if out.kind in ("table", "pdf") else []
    title = rendered.standings_title(ranked)
    out.write(replace(table, title=title, notes=notes, source=editions))


# ── --explain ────────────────────────────────────────────────────────────────────────────────────


def _write_explanation(why: TeamExplanation, out: Output, editions: list[pdf.Cited]) -> None:
    """Write the explanation as text, or a row for each clause."""
    if out.kind == "table":
        out.print(_explanation(why))
    else:
        out.emit(list(_flat_parts(why)), CLAUSES, title=why.heading, source=editions)


def _explanation(why: TeamExplanation) -> Iterator[str]:
    """The explanation as text; a clause is quoted where it is first used."""
    from palmares.bridge.standings import vp_text

    yield from wrapped(why.heading, "", "    ")
    yield from wrapped(why.summary, "    ", "    ")
    yield f"under {' and '.join(why.editions)}; clauses count hundredths of a VP"
    quoted: set[str] = set()
    for number, part in enumerate(why.parts, start=1):
        yield ""
        yield f"{number}. {part.what}: {vp_text(part.vp)}"
        for line in part.lines:
            yield from clause_lines(line, quoted)
    yield ""
    for line in why.total:
        yield from clause_lines(line, quoted)
    yield ""
    yield "Sum"
    for part in why.parts:
        yield f"   {vp_text(part.vp):>8}  {part.what}"
    yield f"   {vp_text(why.standing.points):>8}  total"


def _flat_parts(why: TeamExplanation) -> Iterator[dict[str, str]]:
    """A row with the sum, then a row for each clause; a part without clauses has one row."""
    from palmares.bridge.standings import vp_text
    from palmares.cli.lists.points import step_row

    yield {"part": "In short", "vp": vp_text(why.standing.points), "says": why.summary}
    for part in why.parts:
        head = {"part": english(part.what), "vp": vp_text(part.vp)}
        yield from ([head | step_row(line) for line in part.lines] or [head])
    for line in why.total:
        yield {"part": "total", "vp": vp_text(why.standing.points)} | step_row(line)
