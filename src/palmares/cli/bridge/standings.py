"""standings: matches of teams to a list that a director can post."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import command
from palmares.cli.bridge.vp import NAMES, POINTS
from palmares.cli.options import Output, chart_option, printing, sourced, write_chart
from palmares.cli.sources import Source, every_warning
from palmares.cli.types import CHOICE, Typed
from palmares.core.errors import Refused
from palmares.core.messages import english
from palmares.render import pdf
from palmares.render.explanation import wrapped
from palmares.render.tables import Column, terminal_width, write_whole

if TYPE_CHECKING:
    from palmares.bridge.explain import TeamExplanation
    from palmares.bridge.standings import Standings

SCALES = [name for name, scales in NAMES.items() if scales == (name,)]
NESTED = tuple(
    map(
        Column,
        ("team", "event", "rank", "points", "tie_break", "summary", "editions", "parts", "total"),
    )
)
FLAT = tuple(map(Column, ("part", "vp", "clause", "label", "says", "inputs", "value")))


def _names(text: str) -> tuple[str, ...]:
    """Tie-breaks in order, with commas between them; none at all is a list too."""
    from palmares.bridge.standings import check_tie_breaks

    return check_tie_breaks([name for name in map(str.strip, text.split(",")) if name])


@command()
@sourced
@every_warning
@click.option("--event", metavar="ID", help="Id or name; needed where there are several.")
@click.option("--scale", type=click.Choice(SCALES), default=SCALES[0], show_default=True)
@click.option(
    "--tie-breaks",
    type=Typed("a,b,c", _names, "{} is no list of tie-breaks."),
    metavar="A,B,C",
    help="In order; all of them: vps-among,imps-among,quotient,common-opponent,wins,lot.",
)
@click.option(
    "--bye-vp", type=POINTS, metavar="VP", help="What a bye is worth (default: 12 of 20)."
)
@click.option("--round", "until_round", metavar="N", help="The list after this round.")
@click.option(
    "--reading",
    "readings",
    type=CHOICE,
    multiple=True,
    metavar="ID=CHOICE",
    help="Choose a named alternative, such as S7=continue; may be repeated.",
)
@click.option(
    "--crosstable", is_flag=True, help="Each team against each other, instead of the list."
)
@click.option("--explain", "team", metavar="TEAM", help="How this team's total came about.")
@chart_option("Totals round by round: .svg or .png.")
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
    from palmares.bridge.explain import explain_team
    from palmares.bridge.results import load_team_event
    from palmares.bridge.standings import TIE_BREAKS, rank_teams
    from palmares.bridge.vp import edition as scale_edition

    team_event = load_team_event(
        source.facts(),
        event,
        scale=scale,
        bye_vp=None if bye_vp is None else Fraction(bye_vp),
        chosen=dict(readings),
    )
    ranked = rank_teams(
        team_event, tuple(TIE_BREAKS) if tie_breaks is None else tie_breaks, until_round
    )
    if chart:
        _draw(ranked, chart)
    editions = pdf.cited([team_event.rules.edition, scale_edition().edition])
    if team:
        why = explain_team(team_event, ranked, team)
        flat = (list(_flat(why)), FLAT)
        out.explain(_explanation(why), ([_as_json(why)], NESTED), flat, why.heading, editions)
        return
    _write(ranked, out, editions, crosstable=crosstable)


def _draw(ranked: Standings, chart: Path) -> None:
    """Draw the running totals into a file.

    Raises:
        Refused: there are no rounds, or more teams than one can tell apart.
    """
    from palmares.render.charts.standings import MOST_TEAMS, running_chart

    teams = sum(not team.withdrawn for team in ranked.teams)
    if not 1 <= teams <= MOST_TEAMS or not ranked.rounds:
        raise Refused(
            f"A picture shows 1 to {MOST_TEAMS} teams and at least one round; here are"
            f" {teams} teams and {len(ranked.rounds)} rounds."
        )
    write_chart(chart, running_chart(ranked))


def _write(ranked: Standings, out: Output, editions: list[pdf.Cited], *, crosstable: bool) -> None:
    """The list, or the crosstable, in the format that was asked for."""
    from palmares.render import standings as rendered

    if out.kind == "html":
        page = rendered.fragment(ranked).encode("ascii", "xmlcharrefreplace")
        if out.output:
            write_whole(Path(out.output), page)
        else:
            click.echo(page, nl=False)
        return
    if out.kind == "pdf" and not crosstable:
        write_whole(Path(str(out.output)), rendered.pdf_page(ranked, editions))
        return
    table = (rendered.crosstable_table if crosstable else rendered.list_table)(ranked, out.kind)
    room = terminal_width() if out.output is None and not out.wide else None
    below = rendered.words(ranked) if crosstable else rendered.below(ranked, room)
    notes = list(below) if out.kind in ("table", "pdf") else []
    out.emit(table.rows, table.columns, title=rendered.title(ranked), notes=notes, source=editions)


# ── --explain ────────────────────────────────────────────────────────────────────────────────────


def _explanation(why: TeamExplanation) -> Iterator[str]:
    """The explanation as text; words of a clause stand where it is first at work."""
    from palmares.bridge.standings import vp_text
    from palmares.render.explanation import clause_lines

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


def _as_json(why: TeamExplanation) -> dict[str, Any]:
    """The explanation as plain values."""
    from palmares.bridge.standings import vp_text
    from palmares.cli.explain import step_values

    return {
        "team": why.standing.team,
        "event": why.event,
        "rank": why.standing.rank,
        "points": vp_text(why.standing.points),
        "tie_break": why.standing.tie_break,
        "summary": why.summary,
        "editions": list(why.editions),
        "parts": [
            {
                "what": english(part.what),
                "vp": vp_text(part.vp),
                "steps": [step_values(line) for line in part.lines],
            }
            for part in why.parts
        ],
        "total": [step_values(line) for line in why.total],
    }


def _flat(why: TeamExplanation) -> Iterator[dict[str, str]]:
    """A row with the sum, then one a clause, for spreadsheets; also for a part without any."""
    from palmares.bridge.standings import vp_text
    from palmares.cli.explain import step_row

    yield {"part": "In short", "vp": vp_text(why.standing.points), "says": why.summary}
    for part in why.parts:
        head = {"part": english(part.what), "vp": vp_text(part.vp)}
        yield from ([head | step_row(line) for line in part.lines] or [head])
    for line in why.total:
        yield {"part": "total", "vp": vp_text(why.standing.points)} | step_row(line)
