"""
``palmares standings``: matches of teams to a list that a director can post.

    the list            one row a team, with how ties were broken; JSON has its matches too
    --crosstable        each team against each other
    --explain TEAM      clause by clause, how a team's total came about
    --chart FILE        totals round by round, as a picture
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli import options
from palmares.cli.options import Choice, writing
from palmares.cli.vp import POINTS
from palmares.output import Column, emit, format_of, write_whole
from palmares.tiebreaks import TIE_BREAKS, checked, shown_cells
from palmares.vp import CONTINUOUS, SCALES

if TYPE_CHECKING:
    from palmares.cli.sources import Source
    from palmares.standings import Standing, Standings
    from palmares.team_results import Result

WIDEST = 12
"""Teams up to which the crosstable is shown unasked: on a terminal of a hundred columns."""

LIST = (
    Column("rank", kind="number"),
    Column("team"),
    Column("points", "VP", "number"),
    Column("played", kind="number"),
    Column("won", kind="number"),
    Column("drawn", kind="number"),
    Column("lost", kind="number"),
    Column("imps_for", "IMPs for", "number"),
    Column("imps_against", "against", "number"),
)
COLUMNS = (
    Column("match_points", "matches", "number"),
    Column("adjustments", "adjusted", "number"),
    Column("carried", kind="number"),
)
VPS_AS: Mapping[str, Callable[[str], Any]] = {"json": str, "xlsx": float}
"""What VPs are in a format; elsewhere decimal numbers, which a spreadsheet takes for numbers."""
PEOPLE = ("table", "md", "html")
"""Formats that people read; in the others a row is found by what its matches name the team."""
TIE_BREAK = Column("tie_break", hidden=True)
ROUNDS = Column("rounds", hidden=True)


class Names(click.ParamType[tuple[str, ...]]):
    """Tie-breaks in order, with commas between them."""

    name = "a,b,c"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The names; none of them at all is a list too."""
        del param, ctx
        return checked([one for one in map(str.strip, value.split(",")) if one])


@click.command()
@options.sourced
@click.option("--event", metavar="ID", help="Id or name; needed where there are several.")
@click.option("--scale", type=click.Choice(SCALES), default=CONTINUOUS, show_default=True)
@click.option(
    "--tie-breaks",
    type=Names(),
    metavar="A,B,C",
    help=f"In order; all of them: {','.join(TIE_BREAKS)}.",
)
@click.option(
    "--bye-vp", type=POINTS, metavar="VP", help="What a bye is worth (default: 12 of 20)."
)
@click.option("--round", "until_round", metavar="N", help="The list after this round.")
@click.option(
    "--reading",
    "readings",
    type=Choice(),
    multiple=True,
    metavar="ID=CHOICE",
    help="Choose a named alternative, such as S7=continue; may be repeated.",
)
@click.option(
    "--crosstable", is_flag=True, help="Each team against each other, instead of the list."
)
@click.option("--explain", "team", metavar="TEAM", help="How this team's total came about.")
@click.option(
    "--chart", type=click.Path(dir_okay=False), help="Totals round by round: .svg or .png."
)
@writing
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
    chart: str | None,
    format: str,  # noqa: A002
    output: str | None,
) -> None:
    """The standings of a bridge event for teams, from its matches in IMPs.

    \b
    Examples:
        palmares standings league.toml
        palmares standings league.toml --round 3 --tie-breaks vps-among,quotient,wins
        palmares standings league.toml -o standings.html
    """
    from palmares.standings import ranked
    from palmares.team_results import desk

    held = desk(
        source.facts(),
        event,
        scale=scale,
        bye_vp=None if bye_vp is None else Fraction(bye_vp),
        chosen=dict(readings),
    )
    made = ranked(held, tuple(TIE_BREAKS) if tie_breaks is None else tie_breaks, until_round)
    if chart:
        from palmares.running_chart import running_chart

        write_whole(Path(chart), running_chart(made, Path(chart).suffix))
    if team:
        from palmares.cli import standings_why
        from palmares.team_explanations import explained

        standings_why.write(explained(held, made, team), format, output)
        return
    _write(made, format, output, crosstable=crosstable)


def _write(made: Standings, format: str, output: str | None, *, crosstable: bool) -> None:  # noqa: A002
    """The list, or the crosstable, in the format that was asked for."""
    chosen = format_of(Path(output), format) if output else format
    if chosen == "html":
        from palmares.cli.standings_html import fragment

        page = fragment(made).encode("ascii", "xmlcharrefreplace")
        if output:
            write_whole(Path(output), page)
        else:
            click.echo(page, nl=False)
        return
    if crosstable:
        columns, rows = crosstable_rows(made, chosen)
        notes = list(words(made)) if chosen == "table" else []
    else:
        kind = VPS_AS.get(chosen, Decimal)
        columns = list_columns(made, chosen)
        rows = [row(one, kind) | {"team": called(one, chosen)} for one in made.teams]
        notes = list(below(made)) if chosen == "table" else []
    emit(rows, columns, format=format, output=output, title=title(made), notes=notes)


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def list_columns(made: Standings, chosen: str) -> list[Column]:
    """The columns of the list: for people, only those that say something."""
    told = list(COLUMNS)
    if chosen in PEOPLE:
        told = [one for one in COLUMNS[1:] if any(getattr(team, one.key) for team in made.teams)]
        told = [COLUMNS[0], *told] if told else []
    return [*LIST, *told, TIE_BREAK, *([ROUNDS] if chosen == "json" else [])]


def called(one: Standing, chosen: str) -> str:
    """A team: by its name for people, for programs as its matches name it."""
    return one.name if chosen in PEOPLE else one.team


def row(one: Standing, kind: Callable[[str], Any] = str) -> dict[str, Any]:
    """One team as a row; IMPs are numbers, VPs made of their text by *kind*."""
    return {
        "rank": one.rank,
        "team": one.team,
        "points": kind(shown_cells(one.points)),
        "played": one.played,
        "won": one.won,
        "drawn": one.drawn,
        "lost": one.lost,
        "imps_for": imps(one.imps_for),
        "imps_against": imps(one.imps_against),
        "match_points": kind(shown_cells(one.match_points)),
        "adjustments": kind(shown_cells(one.adjustments)),
        "carried": kind(shown_cells(one.carried)),
        "tie_break": one.tie_break,
        "rounds": list(map(round_row, one.results)),
    }


def round_row(result: Result) -> dict[str, Any]:
    """One match of a team; what a bye or a void match has not is empty."""
    met = result.is_played
    return {
        "round": result.round,
        "opponent": result.opponent,
        "boards": result.boards,
        "imps_for": imps(result.imps_for) if met else None,
        "imps_against": imps(result.imps_against) if met else None,
        "vp": None if result.status == "void" else shown_cells(result.vp),
        "status": result.status,
    }


def imps(value: Fraction) -> int | float:
    """IMPs as a plain number."""
    return value.numerator if value.denominator == 1 else float(value)


def crosstable_rows(made: Standings, chosen: str) -> tuple[list[Column], list[dict[str, Any]]]:
    """Each team against each other; columns are headed by the place in the list."""
    from palmares.standings import crosstable

    places = {one.team: str(place) for place, one in enumerate(made.teams, start=1)}
    table = crosstable(made)
    rows = [
        {
            "place": places[one.team],
            "team": called(one, chosen),
            **{
                places[other]: "x" if other == one.team else joined(met)
                for other, met in table[one.team].items()
            },
            "points": shown_cells(one.points),
        }
        for one in made.teams
    ]
    heads = [Column(place, kind="number") for place in places.values()]
    first = [Column("place", " ", "number"), Column("team")]
    return [*first, *heads, Column("points", "VP", "number")], rows


def joined(met: Sequence[Result]) -> str:
    """The VPs of several meetings."""
    return " / ".join(shown_cells(one.vp) for one in met)


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def title(made: Standings) -> str:
    """What the list is."""
    after = f", after round {made.rounds[-1]}" if made.unfinished else ""
    return f"{made.event}{after}, {made.scale} scale"


def below(made: Standings) -> Iterator[str]:
    """What stands below the list for people: the crosstable if it is not too wide, ties, notes."""
    told = list(words(made))
    if len(made.teams) <= WIDEST:
        columns, rows = crosstable_rows(made, PEOPLE[0])
        yield from aligned(columns, rows)
        yield from [""] if told else []
    yield from told


def words(made: Standings) -> Iterator[str]:
    """How ties were broken, and what became of withdrawn teams."""
    for tie in made.ties:
        yield f"{', '.join(tie.named(tie.teams))}: level on {shown_cells(tie.points)} VPs"
        for step in tie.steps:
            yield f"  {step}"
        for group in tie.groups:
            if len(group) > 1:
                yield f"  {', '.join(tie.named(group))}: share the rank"
    yield from made.notes


def aligned(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Rows as lines of text with aligned columns."""
    grid = [[column.title for column in columns]]
    grid += [[str(row[column.key]) for column in columns] for row in rows]
    widths = [max(map(len, texts)) for texts in zip(*grid, strict=True)]
    for texts in grid:
        cells = [
            text.ljust(width) if column.is_left else text.rjust(width)
            for text, width, column in zip(texts, widths, columns, strict=True)
        ]
        yield "  ".join(cells).rstrip()
