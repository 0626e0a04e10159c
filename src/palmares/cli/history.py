"""history: players' points and ranks over time, and how they will fade."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli import completion
from palmares.cli.app import command
from palmares.cli.options import Output, asking, chart_option, cited, printing, today, write_chart
from palmares.cli.sources import Source, warn
from palmares.cli.types import DAY
from palmares.render.explanation import headed
from palmares.render.tables import FOR_PEOPLE, Column

if TYPE_CHECKING:
    from palmares.points import history as histories
    from palmares.points.awards import Question

MOST_NAMES = 3  # in a title


@command()
@asking
@click.option(
    "--player",
    "players",
    required=True,
    multiple=True,
    metavar="ID_OR_NAME",
    shell_complete=completion.players,
    help="Whose points; may be repeated.",
)
@click.option(
    "--every",
    type=click.Choice(["day", "week", "month", "result"]),
    help="A row for each; result: for each day on which results change the points, and by how much"
    " (default: month; of a rating, as a table: result).",
)
@click.option("--since", type=DAY, help="First day (default: the first result).")
@click.option("--until", type=DAY, help="Last day (default: today, UTC).")
@click.option("--ahead", type=DAY, help="Continue to this day, as if no one played any more.")
@click.option(
    "--expiries", is_flag=True, help="Instead: which results stop counting when, after --until."
)
@chart_option("Draw it, too: FILE.svg or .png.")
@printing
def history(
    source: Source,
    question: Question,
    players: tuple[str, ...],
    every: str | None,
    since: date | None,
    until: date | None,
    ahead: date | None,
    expiries: bool,  # noqa: FBT001
    chart: Path | None,
    out: Output,
) -> None:
    """Points and rank of PLAYER over time, on the last day of each step, with what changed them.

    A rating stays until the next event: its table shows each change.

    \b
    Examples:
        palmares history dptr examples/diplomacy --player "Andy BARTALONE" --until 2019-12-31
        palmares history dptr examples/diplomacy --player "Tom KOBRIN" --chart kobrin.svg
        palmares history wbgf examples/backgammon --player "Phil Simborg" --until 2006-12-31
            --ahead 2009-12-31 --expiries
    """
    from palmares.cli.points import rows
    from palmares.points import history as histories
    from palmares.render.charts.history import players_chart, refuse_too_many

    if chart:
        refuse_too_many(len(dict.fromkeys(players)))
    if every is None:
        is_read = out.kind in FOR_PEOPLE and not expiries  # for scripts steps stay months
        every = "result" if is_read and question.aggregate.latest else "month"
    period = histories.Period(every=every, since=since, until=until or today(), ahead=ahead)
    careers = histories.careers(question, source.facts(), players, period)
    warn(careers.notices, careers.waiting)
    timeline = histories.history(careers) if chart or not expiries else None
    if timeline and chart:
        write_chart(chart, players_chart(timeline))
    frame = timeline.frame if timeline and not expiries else histories.expiries(careers)
    keys = histories.CHANGE_KEYS if every == histories.RESULT else histories.KEYS
    reason = histories.nothing_expires(careers) if expiries or ahead else None
    if reason:
        click.echo(f"Note: {reason}", err=True)
    out.emit(
        rows(histories.worded(frame)),
        _columns(careers, histories.EXPIRY_KEYS if expiries else keys),
        title=headed(_title(careers, expiries=expiries), careers.waiting),
        source=cited(question, period.last),
    )


def _columns(careers: histories.Careers, keys: Sequence[str]) -> list[Column]:
    """What to write; people see neither ids nor what is the same in every row."""
    from palmares.points import history as histories

    fades = histories.lasting(careers.question) is None
    hidden = {
        "player_id": True,
        "player": len(careers.people) == 1,
        "faded": not fades,
        "expired": not fades,
        "projected": not careers.period.ahead,
    }
    kinds = {"day": "date", "rank": "number"}
    kinds |= dict.fromkeys(("faded", "change", "points"), "points")
    heads = (
        {"faded": "faded before", "change": "change that day"} if fades and "faded" in keys else {}
    )
    return [
        Column(key, heads.get(key, ""), kinds.get(key, "text"), hidden.get(key, False))
        for key in keys
    ]


def _title(careers: histories.Careers, *, expiries: bool) -> str:
    """Whose points these are, under what, and by which steps or from which day."""
    names = [*careers.people.values()]
    who = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} players"
    what = careers.question.get_regulation().title
    if not expiries:
        return f"{who}: {what} by {careers.period.every}"
    return f"{who}: {what}, what expires after {careers.period.until} if nobody plays"
