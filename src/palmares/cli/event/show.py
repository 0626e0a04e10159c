"""Looking at events: all of them, the matches and placings of one, its bracket on paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import command
from palmares.cli.event.common import event_argument, player_pair, running_event
from palmares.cli.options import Output, in_journal, printing
from palmares.cli.sources import opened
from palmares.cli.types import count_of
from palmares.render.tables import Column, write_whole

if TYPE_CHECKING:
    from palmares.render.bracket import Paper
    from palmares.tournaments.formats.matches import Match
    from palmares.tournaments.running import Running

MATCHES = (
    Column("match", priority=0),
    Column("player_1", "player", priority=0),
    Column("player_2", "against", priority=0),
    Column("state", hidden=True),
    Column("length", kind="number", priority=2),
    Column("result"),
    Column("table", priority=2),
    Column("player_1_id", hidden=True),
    Column("player_2_id", hidden=True),
    Column("winner_id", hidden=True),
)
PLACINGS = (
    Column("flight"),
    Column("rank", kind="number"),
    Column("player"),
    Column("player_id", hidden=True),
    Column("rounds_behind", kind="number", hidden=True),
)
EVENTS = (
    Column("event"),
    Column("name"),
    Column("format"),
    Column("entrants", kind="number"),
    Column("played", kind="number"),
    Column("state"),
    Column("started_at", "started", kind="moment", priority=2),
)


@command("list")
@in_journal
@printing
def list_events(journal: str, out: Output) -> None:
    """List all events, the latest first.

    \b
    Example:
        palmares event list --journal federation.db
    """
    from palmares.journal.store.events import event_heads, event_records
    from palmares.tournaments.running import fold

    with opened(journal) as store, store.reading() as reader:
        rows = []
        for head in event_heads(reader):
            running = fold(event_records(reader, head.event))
            rows.append(
                {
                    "event": head.event,
                    "name": running.setup.name,
                    "format": type(running.setup).__name__.lower(),
                    "entrants": len(running.setup.names),
                    "played": len(running.progress.outcomes),
                    "state": running.state,
                    "started_at": head.started_at,
                }
            )
    out.emit(rows, EVENTS)


@command()
@event_argument
@click.option("--all", "every", is_flag=True, help="Every match, flight by flight.")
@click.option("--placings", is_flag=True, help="Who finished where, instead of the matches.")
@in_journal
@printing
def show(*, event_id: str, every: bool, placings: bool, journal: str, out: Output) -> None:
    """Show the matches of EVENT that can start now.

    \b
    Examples:
        palmares event show club-night --journal federation.db
        palmares event show club-night --all
        palmares event show club-night --placings -o placings.csv
    """
    with opened(journal) as store:
        running = running_event(store, event_id)
    name = running.setup.name
    if placings:
        if not running.is_over:
            left = sum(match.state in ("waiting", "ready") for match in running.matches)
            click.echo(
                f"{name} is not over: {count_of(left, 'match', 'matches')} to play. Flights that"
                " are over are final; of groups and of a Swiss this is where players stand now.",
                err=True,
            )
        out.emit(list(_placings(running)), PLACINGS, title=f"{name}: placings")
        return
    matches = running.matches if every else running.next
    title = f"{name}: {'all matches' if every else 'these matches can start'}"
    notes = [] if matches else ["Nothing can start now."]
    if running.is_over:
        notes.append("All matches are played. Write the report: palmares event report.")
    out.emit([_row(running, match) for match in matches], MATCHES, title=title, notes=notes)


def _row(running: Running, match: Match) -> dict[str, Any]:
    from palmares.tournaments.running import describe

    first, second = player_pair(running, match)
    outcome = match.outcome
    return {
        "match": match.id,
        "player_1": first,
        "player_2": second,
        "state": match.state,
        "length": match.length,
        "result": describe(running, outcome) if outcome else "",
        "table": outcome.table if outcome else None,
        "player_1_id": match.players[0],
        "player_2_id": match.players[1],
        "winner_id": match.winner,
    }


def _placings(running: Running) -> Iterator[dict[str, Any]]:
    """Who finished where; in groups and a Swiss that are not over, who stands where now."""
    for place in running.placings or running.standings:
        yield {
            "flight": place.flight,
            "rank": place.rank,
            "player": running.name(place.player),
            "player_id": place.player,
            "rounds_behind": getattr(place, "rounds_behind", None),
        }


@command()
@click.argument("event_id", metavar="EVENT")
@click.option("--paper", type=click.Choice(["A4", "A3"]), default="A4", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True,
              help="The file, such as b.svg; of several pages, b-1.svg and so on.")  # fmt: skip
@in_journal
def bracket(*, event_id: str, paper: Paper, output: Path, journal: str) -> None:
    """Write the bracket, or the cross tables, of EVENT as SVG, 64 lines a page.

    \b
    Example:
        palmares event bracket club-night --paper A3 -o bracket.svg --journal federation.db
    """
    from palmares.render.bracket import bracket_pages

    with opened(journal) as store:
        running = running_event(store, event_id)
    pages = bracket_pages(running.setup, running.matches, paper)
    for number, page in enumerate(pages, 1):
        name = f"{output.stem}-{number}{output.suffix}" if len(pages) > 1 else output.name
        write_whole(output.with_name(name), page.encode())
        click.echo(f"{output.with_name(name)}: written.")
