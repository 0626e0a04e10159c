"""standings: matches of teams to a list that a director can post."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.bridge.tiebreaks import TIE_BREAKS, checked
from palmares.bridge.vp import CONTINUOUS, SCALES
from palmares.cli import options
from palmares.cli.bridge.vp import POINTS
from palmares.cli.charts import ChartFile, write_chart
from palmares.cli.options import Choice, Output, printing
from palmares.core.errors import Refused
from palmares.render.tables import write_whole

if TYPE_CHECKING:
    from palmares.bridge.standings import Standings
    from palmares.cli.sources import Source


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
@click.option("--chart", type=ChartFile(), help="Totals round by round: .svg or .png.")
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
    """The standings of a bridge event for teams, from its matches in IMPs.

    \b
    Examples:
        palmares standings league.toml
        palmares standings league.toml --round 3 --tie-breaks vps-among,quotient,wins
        palmares standings league.toml -o standings.html
    """
    from palmares.bridge.results import desk
    from palmares.bridge.standings import ranked

    held = desk(
        source.facts(),
        event,
        scale=scale,
        bye_vp=None if bye_vp is None else Fraction(bye_vp),
        chosen=dict(readings),
    )
    made = ranked(held, tuple(TIE_BREAKS) if tie_breaks is None else tie_breaks, until_round)
    if chart:
        _draw(made, chart)
    if team:
        from palmares.bridge.explain import explained
        from palmares.cli.bridge import standings_why

        standings_why.write(explained(held, made, team), out)
        return
    _write(made, out, crosstable=crosstable)


def _draw(made: Standings, chart: Path) -> None:
    """Draw the running totals into a file.

    Raises:
        Refused: there are no rounds, or more teams than one can tell apart.
    """
    from palmares.render.charts.standings import MOST_TEAMS, running_chart
    from palmares.render.charts.style import ENGLISH

    teams = sum(not team.withdrawn for team in made.teams)
    if not 1 <= teams <= MOST_TEAMS or not made.rounds:
        raise Refused(
            f"A picture shows 1 to {MOST_TEAMS} teams and at least one round; here are"
            f" {teams} teams and {len(made.rounds)} rounds."
        )
    write_chart(chart, running_chart(made, "light", ENGLISH, is_file=True))


def _write(made: Standings, out: Output, *, crosstable: bool) -> None:
    """The list, or the crosstable, in the format that was asked for."""
    from palmares.render import standings as rendered

    if out.kind == "html":
        page = rendered.fragment(made).encode("ascii", "xmlcharrefreplace")
        if out.output:
            write_whole(Path(out.output), page)
        else:
            click.echo(page, nl=False)
        return
    if crosstable:
        columns, rows = rendered.crosstable_rows(made, out.kind)
        below = rendered.words
    else:
        columns, rows = rendered.list_rows(made, out.kind)
        below = rendered.below
    notes = list(below(made)) if out.kind == "table" else []
    out.emit(rows, columns, title=rendered.title(made), notes=notes)
