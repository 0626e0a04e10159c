"""event: start it, see who plays next, and close it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from palmares.cli.app import AMOUNT, CELL, DAY, LazyGroup, Typed, command, pair, to_mapping
from palmares.cli.options import Output, in_journal, login, printing, setting
from palmares.cli.sources import opened, warn
from palmares.cli.terminal import count_of
from palmares.core.errors import FactsRejected, Refused
from palmares.render.tables import OutputColumn, write_atomically
from palmares.tournaments.draw.announcement import parse_document
from palmares.tournaments.notice import Notice, recorded
from palmares.tournaments.systems.matches import MOST_IN_ALL, AnySetup, Match, Swiss

if TYPE_CHECKING:
    from palmares.journal.store.events import EventRecord
    from palmares.journal.store.journal import Journal
    from palmares.render.event import Paper
    from palmares.tournaments.running import Drafts, Running


SUBCOMMANDS = {  # heading: {name: (module and function, one line of help)}
    "Playing": {
        "start": ("events.running:start", "Start an event, from a file or a draw."),
        "list": ("events.running:list_events", "List the events of a journal."),
        "show": (
            "events.running:show",
            "Show who plays next, all matches, or placings.",
        ),
        "bracket": (
            "events.running:bracket",
            "Write the bracket or cross table, to print.",
        ),
        "result": ("events.results:result", "Enter the result of a match."),
        "enter": ("events.results:enter", "Enter the results of a sheet."),
        "correct": ("events.results:correct", "Correct a result."),
        "withdraw": (
            "events.results:withdraw",
            "Withdraw a player, or let them come back.",
        ),
        "next-round": ("events.results:next_round", "Pair the next round of a Swiss."),
        "lot": ("events.results:lot", "Record a lot among tied players of a group."),
        "name": ("events.results:name", "Change or erase the name of an entrant."),
    },
    "At the end": {
        "prizes": ("events.running:prizes", "Compute who is paid what, and why."),
        "split": ("events.running:split", "Record a split that players agreed on."),
        "report": ("events.running:report", "Write the report of a finished event."),
        "verify": ("events.running:verify", "Check that no record was changed."),
    },
}


@click.group(cls=LazyGroup, sections=SUBCOMMANDS)
def event() -> None:
    """Run an event: each result is on disk before it is confirmed.

    EVENT is the id of the event; MATCH is flight, round and number, such as main:2:1; players are
    named by id or name.

    \b
    Example, in order:
        palmares event start club-night.toml --journal federation.db
        palmares event show club-night
        palmares event result club-night main:1:1 "Ada Novak" --score 7-3
        palmares event report club-night -o report.toml
    """


_STORE = "palmares.store"
author_option = setting("author", metavar="NAME", default=login)
event_argument = click.argument("event_id", metavar="EVENT")


def store_of(journal: str) -> Journal:
    """The journal of a command: opened once, closed when the command ends."""
    context = click.get_current_context()
    if _STORE not in context.meta:
        context.meta[_STORE] = context.with_resource(opened(journal))
    return cast("Journal", context.meta[_STORE])


def running_event(journal: str, event_id: str, *, hide: bool = False) -> Running:
    """An event as its records have it, with names from the journal or typed in at the event.

    Args:
        journal: its URL.
        event_id: which event.
        hide: show no names that are withheld, as anyone may see the event.

    Raises:
        Refused: there is none.
    """
    from palmares.journal.identity.register import Register
    from palmares.journal.projection.snapshots import from_snapshot
    from palmares.journal.store.events import event_names, event_records
    from palmares.render.entries import player_names
    from palmares.tournaments.running import fold

    with store_of(journal).reading() as reader:
        projection = from_snapshot(reader).delta.after
        typed, players = event_names(reader, event_id), player_names(projection)
        names = {**players, **typed}
        if hide:
            names |= Register.of(projection, reader).withheld().entrants(typed, players)
        records = event_records(reader, event_id)
    if not records:
        raise _no_event(event_id)
    return fold(records, names)


def _no_event(event_id: str) -> Refused:
    from palmares.facts.text import printable

    return Refused(f"The journal has no event {printable(event_id)}. See 'palmares event list'.")


def notice_in_force(journal: str, running: Running) -> Notice | None:
    """The notice of an event.

    Raises:
        Refused: the event names a notice that the journal does not have.
    """
    from palmares.journal.commands.announcements import notice_of
    from palmares.journal.projection.snapshots import load_projection

    setup = running.setup
    text = notice_of(load_projection(store_of(journal)).state, setup.event, setup.notice)
    return None if text is None else recorded(text)


def record(
    journal: str, event_id: str, author: str, make: Callable[[Running], Drafts]
) -> tuple[list[EventRecord], Running]:
    """Record what *make* returns for an event; return the added records and the new state."""
    from palmares.journal.store.events import record_event
    from palmares.tournaments.running import fold

    names = running_event(journal, event_id).setup.names
    added = record_event(
        store_of(journal), event_id, author, lambda records: make(fold(records, names))
    )
    return added, running_event(journal, event_id)


def player_pair(running: Running, match: Match) -> tuple[str, str]:
    """Who plays a match, in words."""
    missing = "bye" if match.state in ("bye", "empty") else "?"
    first, second = (running.name(who) if who else missing for who in match.players)
    return first, second


def print_next(running: Running) -> None:
    """Name the matches that can start."""
    for match in running.next[:5]:
        click.echo(f"Next: {match.id}, {' against '.join(player_pair(running, match))}.")
    if running.is_over:
        click.echo("All matches are played.")


def _lengths(text: str) -> tuple[str, list[int]]:
    flight, points = pair(text, empty=False)
    lengths = [int(number) for number in points.split(",")]
    if not all(0 < length <= MOST_IN_ALL for length in lengths):
        raise ValueError(text)
    return flight, lengths


ROUNDS = 5
"""Rounds of a Swiss without --rounds."""
LENGTHS = Typed("lengths", _lengths, "{} is no flight with lengths, such as main=7,7,9.")


@command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--draw", metavar="DRAW", help="A draw recorded in the journal, instead of FILE.")
@click.option(
    "--lengths",
    type=LENGTHS,
    multiple=True,
    metavar="FLIGHT=N,N",
    help="With --draw: points of a match, round by round; may be repeated.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 512),
    help="With --draw: the rounds of a Swiss (default: 5).",
)
@in_journal
@author_option
def start(
    *,
    file: str | None,
    draw: str | None,
    lengths: Sequence[tuple[str, list[int]]],
    rounds: int | None,
    journal: str,
    author: str,
) -> None:
    """Start the event in FILE (TOML or JSON), or the event of a recorded draw.

    FILE has 'event' (an id), 'name', 'format' (knockout, groups, swiss), and 'entrants': names in
    the order of the bracket, "-" for a bye. For the flights: [[flights]] with 'name' and 'lengths'.

    \b
    Examples:
        palmares event start club-night.toml --journal federation.db
        palmares event start --draw masters-8 --lengths main=9,11 --lengths consolation=5
    """
    import msgspec

    from palmares.journal.store.events import record_event
    from palmares.tournaments import running
    from palmares.tournaments.typed_results import read_setup

    if (file is None) == (draw is None):
        raise click.UsageError("Name a FILE or a --draw: one of them.")
    if file is not None and (lengths or rounds is not None):
        raise click.UsageError("--lengths and --rounds go with --draw; FILE has its own.")
    if file is not None:
        document = parse_document(Path(file).read_bytes(), file)
        setup, names = read_setup(document.values, file, document.text)
    else:
        setup, names = _drawn(journal, str(draw), dict(lengths), rounds or ROUNDS), {}
        if rounds is not None and not isinstance(setup, Swiss):
            raise click.UsageError(f"--rounds is for a Swiss, and the draw {draw} is not one.")
    every = {who: names.get(who, who) for who in setup.places if who}
    setup = msgspec.structs.replace(setup, names=every)
    done = record_event(
        store_of(journal),
        setup.event,
        author,
        lambda records: running.start(records, setup),
        names=names,
    )
    entrants = count_of(len(every), "entrant")
    click.echo(f"{setup.event}: {'started' if done else 'was started already'}, {entrants}.")


def _drawn(journal: str, draw: str, lengths: dict[str, list[int]], rounds: int) -> AnySetup:
    """The setup of an event on the places of a recorded draw."""
    from palmares.journal.commands.announcements import recorded_draw
    from palmares.journal.projection.snapshots import load_projection
    from palmares.tournaments.typed_results import setup_of_draw

    state = load_projection(store_of(journal)).state
    with store_of(journal).reading() as reader:
        recorded = recorded_draw(state, reader, draw)
    return setup_of_draw(**asdict(recorded), lengths=lengths, rounds=rounds)


MATCHES = (
    OutputColumn("match", priority=0),
    OutputColumn("player_1", "player", priority=0),
    OutputColumn("player_2", "against", priority=0),
    OutputColumn("state", hidden=True),
    OutputColumn("length", kind="number", priority=2),
    OutputColumn("result"),
    OutputColumn("table", priority=2),
    OutputColumn("player_1_id", hidden=True),
    OutputColumn("player_2_id", hidden=True),
    OutputColumn("winner_id", hidden=True),
)
PLACINGS = (
    OutputColumn("flight"),
    OutputColumn("rank", kind="number"),
    OutputColumn("player"),
    OutputColumn("player_id", hidden=True),
    OutputColumn("rounds_behind", kind="number", hidden=True),
)
EVENTS = (
    OutputColumn("event"),
    OutputColumn("name"),
    OutputColumn("format"),
    OutputColumn("entrants", kind="number"),
    OutputColumn("played", kind="number"),
    OutputColumn("state"),
    OutputColumn("started_at", "started", kind="moment", priority=2),
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
    from palmares.journal.store.events import event_ids, event_records
    from palmares.tournaments.running import fold

    with store_of(journal).reading() as reader:
        rows = list[dict[str, Any]]()
        for event_id in event_ids(reader):
            records = event_records(reader, event_id)
            try:
                running = fold(records)
            except FactsRejected as rejected:  # one that a later palmares recorded hides no other
                warn(rejected.problems)
                rows.append(
                    {
                        "event": event_id,
                        "state": "unreadable",
                        "started_at": records[0].recorded_at,
                    }
                )
                continue
            rows.append(
                {
                    "event": event_id,
                    "name": running.setup.name,
                    "format": type(running.setup).__name__.lower(),
                    "entrants": len(running.setup.names),
                    "played": len(running.progress.outcomes),
                    "state": running.state,
                    "started_at": records[0].recorded_at,
                }
            )
    out.emit(rows, EVENTS, notes=[] if rows else ["No event was started yet."])


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
    if every and placings:
        raise click.UsageError("Ask for --all or for --placings, not for both.")
    running = running_event(journal, event_id, hide=True)
    name = running.setup.name
    if placings:
        if not running.is_over:
            left = sum(match.state in ("waiting", "ready") for match in running.matches)
            click.echo(
                f"{name} is not over: {count_of(left, 'match', 'matches')} to play. Flights that"
                " are over are final; of groups and of a Swiss this is where players stand now.",
                err=True,
            )
        rows = [  # of groups and of a Swiss that are not over, where players stand now
            {
                "flight": place.flight,
                "rank": place.rank,
                "player": running.name(place.player),
                "player_id": place.player,
                "rounds_behind": getattr(place, "rounds_behind", None),
            }
            for place in running.placings or running.standings
        ]
        out.emit(rows, PLACINGS, title=f"{name}: placings")
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
    from palmares.render.event import bracket_pages

    if output.suffix.lower() != ".svg":
        raise click.UsageError(f"{output}: a bracket is a file .svg, such as {output.stem}.svg.")
    running = running_event(journal, event_id, hide=True)
    pages = bracket_pages(running.setup, running.matches, paper)
    for number, page in enumerate(pages, 1):
        name = f"{output.stem}-{number}{output.suffix}" if len(pages) > 1 else output.name
        write_atomically(output.with_name(name), page.encode())
        click.echo(f"{output.with_name(name)}: written.")


@command()
@event_argument
@in_journal
@printing
def prizes(event_id: str, journal: str, out: Output) -> None:
    """Compute the prizes of EVENT by the rule of its notice, and a split that players agreed on.

    They sum exactly to the pool. -o writes the list of payments, as .xlsx, .csv or .pdf.

    \b
    Example:
        palmares event prizes club-night -o payments.pdf --journal federation.db
    """
    from palmares.render.event import payment_list
    from palmares.tournaments.prizes import event_payout
    from palmares.tournaments.running import check_over

    running = running_event(journal, event_id)
    notice = notice_in_force(journal, running)
    if notice is None or notice.prizes is None:
        raise Refused(
            f"{event_id} has no notice with prizes. Publish one with the id of the event:"
            " palmares notice record."
        )
    check_over(running)
    out.write(payment_list(event_payout(running, notice), running.setup.names))


@command()
@event_argument
@click.argument("amounts", metavar="PLAYER=AMOUNT...", nargs=-1, type=AMOUNT)
@click.option("--cancel", is_flag=True, help="Pay by the rule of the notice again; no AMOUNT.")
@in_journal
@author_option
def split(
    *,
    event_id: str,
    amounts: Sequence[tuple[str, str]],
    cancel: bool,
    journal: str,
    author: str,
) -> None:
    """Record the split that players of EVENT agreed on, in place of their prizes by the rule.

    Their amounts sum to their prizes by the rule. A later split replaces an earlier one.

    \b
    Examples:
        palmares event split club-night "Ada Novak=900" "Ben Ost=700" --journal federation.db
        palmares event split club-night --cancel
    """
    from palmares.tournaments import prizes

    if bool(amounts) == cancel:
        raise click.UsageError("Name each player with an AMOUNT, or --cancel the split.")
    notice = notice_in_force(journal, running_event(journal, event_id))
    added, _ = record(
        journal, event_id, author, lambda running: prizes.split(running, notice, amounts)
    )
    click.echo("Recorded." if added else "This was recorded already.")


@command()
@click.argument("event_ids", metavar="EVENT...", nargs=-1, required=True)
@click.option(
    "--name", "title", metavar="NAME", help="The name of the tournament (default: the event's)."
)
@click.option(
    "--end-date", type=DAY, help="The last day of the tournament (default: the notice's)."
)
@click.option("--discipline", default="backgammon", show_default=True, help="What was played.")
@click.option("--set", "more", type=CELL, multiple=True, metavar="KEY=VALUE",
              help="A cell of every event, such as entry_fee=50; may be repeated.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file.")
@in_journal
def report(
    *,
    event_ids: tuple[str, ...],
    title: str | None,
    end_date: date | None,
    discipline: str,
    more: Sequence[tuple[str, str]],
    output: Path | None,
    journal: str,
) -> None:
    """Write the report of one tournament with each EVENT, in TOML.

    Every EVENT must be over. What its notice says of days, fees and kind is in the report. Check
    the report, then record it: palmares add report.toml.

    \b
    Example:
        palmares event report club-night --end-date 2026-11-21 --set entry_fee=20 -o report.toml
    """
    from palmares.formats.toml.write import write
    from palmares.tournaments import report as reports
    from palmares.tournaments.prizes import report_defaults

    played = []
    tournament: dict[str, str] = {}
    for event_id in event_ids:
        running = running_event(journal, event_id)
        of_tournament, of_event = report_defaults(notice_in_force(journal, running), running.setup)
        tournament = of_tournament | tournament  # the first event's notice counts
        cells, ids = of_event | to_mapping(more), _recorded_ids(journal, event_id)
        played.append(reports.PlayedEvent(running=running, cells=cells, ids=ids))
    tournament = {"name": played[0].running.setup.name} | tournament | {"discipline": discipline}
    if end_date:
        tournament["end_date"] = end_date.isoformat()
    if title:
        tournament["name"] = title
    if "end_date" not in tournament:
        raise click.UsageError("Name the last day of the tournament: --end-date 2026-11-21.")
    text = write(reports.report(tournament, played).tables)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_atomically(output, text.encode())
        click.echo(f"{output}: written. Check it: palmares check {output}")


def _recorded_ids(journal: str, event_id: str) -> dict[str, str]:
    """The ids of players of the journal, without entrants whose names were typed in."""
    from palmares.journal.projection.snapshots import load_projection
    from palmares.journal.store.events import event_names

    with store_of(journal).reading() as reader:
        typed = event_names(reader, event_id)
    players = load_projection(store_of(journal)).tables["players"]["player_id"]
    return {player: player for player in players if player not in typed}


@command()
@event_argument
@in_journal
def verify(event_id: str, journal: str) -> None:
    """Check the chain of EVENT; exit status 1 if a record was changed or is missing.

    \b
    Example:
        palmares event verify club-night --journal federation.db
    """
    from palmares.journal.store.events import event_faults, event_records

    with store_of(journal).reading() as reader:
        records = event_records(reader, event_id)
        lost = reader.lost_ends(event_id)
    if not records and not lost:
        raise _no_event(event_id)
    for faulty, what in (faults := list(event_faults(records))):
        click.echo(f"Record {faulty.sequence}: {what}")
    for what in lost:
        click.echo(what)
    if faults or lost:
        sys.exit(1)
    click.echo(f"Valid: {count_of(len(records), 'record')}, the last one {records[-1].hash}.")
