"""``palmares event``: run an event, from the first match to the report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import Lazy, command
from palmares.cli.draw import document
from palmares.cli.options import Output, in_journal, login, printing, setting
from palmares.cli.sources import encoding, opened
from palmares.cli.types import DAY, Typed, count_of, pair
from palmares.core.errors import Refused
from palmares.render.tables import Column, write_whole

if TYPE_CHECKING:
    from palmares.journal.store.events import EventRecord
    from palmares.journal.store.journal import Journal
    from palmares.tournaments.formats.event import Consequences
    from palmares.tournaments.formats.matches import AnySetup, Match
    from palmares.tournaments.running import Change, Drafts, Running

SUBCOMMANDS = {  # name: (module and function, one line of help)
    "start": ("palmares.cli.event:start", "Start an event, from a file or a recorded draw."),
    "list": ("palmares.cli.event:list_events", "All events of a journal."),
    "show": ("palmares.cli.event:show", "Who plays next, all matches, placings."),
    "bracket": ("palmares.cli.event_bracket:bracket", "The bracket as SVG, to print on A4 or A3."),
    "result": ("palmares.cli.event:result", "Enter the result of a match."),
    "enter": ("palmares.cli.event:enter", "Enter the results of a printed bracket from a sheet."),
    "correct": ("palmares.cli.event:correct", "Correct a result, after showing what follows."),
    "withdraw": ("palmares.cli.event:withdraw", "A player plays no more, or plays again."),
    "next-round": ("palmares.cli.event:next_round", "Pair the next round of a Swiss."),
    "lot": ("palmares.cli.event:lot", "Record the lot that orders tied players of a group."),
    "name": ("palmares.cli.event:name", "Change or erase the name of an entrant."),
    "report": ("palmares.cli.event:report", "Write the report of a finished event."),
    "verify": ("palmares.cli.event:verify", "Check that no record of an event was changed."),
}
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


def _lengths(text: str) -> tuple[str, list[int]]:
    flight, points = pair(text, empty=False)
    return flight, [int(number) for number in points.split(",")]


LENGTHS = Typed("lengths", _lengths, "{} is no flight with lengths, such as main=7,7,9.")
CELL = Typed("cell", pair, "{} is no KEY=VALUE, such as entry_fee=50.")
_author = setting("author", metavar="NAME", default=login)
_yes = click.option("--yes", is_flag=True, help="Record without being asked, as scripts do.")
_reason = click.option("--reason", required=True, help="Why; anyone can read it.")
_KINDS = {"walkover": "walkover", "retired": "retired", "no_show": "double_no_show"}


def _of_result(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a match ended."""
    for option in reversed(
        (
            click.option("--score", metavar="POINTS", help="The winner's first, such as 11-7."),
            click.option("--length", metavar="POINTS", help="If it is not that of the flight."),
            click.option("--table", metavar="NAME", help="Where it was played."),
            click.option("--walkover", is_flag=True, help="The opponent did not appear."),
            click.option("--retired", is_flag=True, help="The opponent gave up during the match."),
            click.option("--no-show", is_flag=True, help="Neither player appeared; no WINNER."),
        )
    ):
        function = option(function)
    return function


@click.group(cls=Lazy, sections={"Commands": SUBCOMMANDS})
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


# ── starting ─────────────────────────────────────────────────────────────────────────────────────


@command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@click.option("--draw", metavar="DRAW", help="Instead of FILE: a draw recorded in the journal.")
@click.option(
    "--lengths",
    type=LENGTHS,
    multiple=True,
    metavar="FLIGHT=N,N",
    help="With --draw: points of a match, round by round; may be repeated.",
)
@click.option("--rounds", type=click.IntRange(1, 512), default=5, help="With --draw: of a Swiss.")
@in_journal
@_author
def start(
    *,
    file: str | None,
    draw: str | None,
    lengths: Sequence[tuple[str, list[int]]],
    rounds: int,
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
    from palmares.tournaments.setups import read_setup

    if (file is None) == (draw is None):
        raise click.UsageError("Name a FILE or a --draw: one of them.")
    with opened(journal) as store:
        if file is not None:
            setup, names = read_setup(document(file), file)
        else:
            setup, names = _drawn(store, str(draw), dict(lengths), rounds), {}
        every = {who: names.get(who, who) for who in setup.places if who}
        setup = msgspec.structs.replace(setup, names=every)
        done = record_event(
            store, setup.event, author, lambda records: running.start(records, setup), names=names
        )
    entrants = count_of(len(every), "entrant")
    click.echo(f"{setup.event}: {'started' if done else 'was started already'}, {entrants}.")


def _drawn(store: Journal, draw: str, lengths: dict[str, list[int]], rounds: int) -> AnySetup:
    """The setup of an event on the places of a recorded draw."""
    import json

    from palmares.journal.commands.announcements import recorded_draw
    from palmares.journal.projection.snapshots import load_projection
    from palmares.tournaments.draw.draw import run
    from palmares.tournaments.setups import setup_of_draw

    state = load_projection(store).state
    with store.reading() as reader:
        recorded = recorded_draw(state, reader, draw)
    if recorded.randomness is None:
        raise Refused(
            f"The randomness of {draw} is not recorded yet: 'palmares draw run --record' does it."
        )
    drawn = run(
        recorded.announcement.encode(), recorded.recorded_at, json.loads(recorded.randomness)
    )
    announced = drawn.announced
    return setup_of_draw(announced.content, drawn.places, announced.sha256, lengths, rounds)


# ── looking ──────────────────────────────────────────────────────────────────────────────────────


def _names(store: Journal, event_id: str) -> dict[str, str]:
    """Names of entrants: those typed in, and those of the journal's players."""
    from palmares.journal.projection.snapshots import load_projection
    from palmares.journal.store.events import event_names
    from palmares.render.entries import player_names

    with store.reading() as reader:
        typed = event_names(reader, event_id)
    return {**player_names(load_projection(store)), **typed}


def running_event(store: Journal, event_id: str) -> Running:
    """An event as its records have it; Refused: there is none."""
    from palmares.journal.store.events import event_records
    from palmares.tournaments.running import fold

    with store.reading() as reader:
        records = event_records(reader, event_id)
    return fold(records, _names(store, event_id))


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
                    "format": _format(running.setup),
                    "entrants": len(running.setup.names),
                    "played": len(running.progress.outcomes),
                    "state": running.state,
                    "started_at": head.started_at,
                }
            )
    out.emit(rows, EVENTS)


def _format(setup: AnySetup) -> str:
    return type(setup).__name__.lower()


@command()
@click.argument("event_id", metavar="EVENT")
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

    first, second = _sides(running, match)
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


def _sides(running: Running, match: Match) -> tuple[str, str]:
    """Who plays a match, in words."""
    nobody = "bye" if match.state in ("bye", "empty") else "?"
    one, other = (running.name(who) if who else nobody for who in match.players)
    return one, other


def _placings(running: Running) -> Iterator[dict[str, Any]]:
    for placing in running.placings:
        yield {
            "flight": placing.flight,
            "rank": placing.rank,
            "player": running.name(placing.player),
            "player_id": placing.player,
            "rounds_behind": placing.rounds_behind,
        }


# ── results ──────────────────────────────────────────────────────────────────────────────────────


def _record(
    store: Journal, event_id: str, author: str, make: Callable[[Running], Drafts]
) -> tuple[list[EventRecord], Running]:
    """Record what *make* gives for the event as it is; what was added, and the event then."""
    from palmares.journal.store.events import record_event
    from palmares.tournaments.running import fold

    names = _names(store, event_id)
    done = record_event(store, event_id, author, lambda records: make(fold(records, names)))
    return done, running_event(store, event_id)


def _say_next(running: Running) -> None:
    """Name the matches that can start."""
    for match in running.next[:5]:
        one, other = map(running.name, match.players)
        click.echo(f"Next: {match.id}, {one} against {other}.")
    if running.is_over:
        click.echo("All matches are played.")


@command()
@click.argument("event_id", metavar="EVENT")
@click.argument("match")
@click.argument("winner", required=False)
@_of_result
@in_journal
@_author
def result(
    event_id: str, match: str, winner: str | None, journal: str, author: str, **how: Any
) -> None:
    """Enter that WINNER won MATCH of EVENT.

    \b
    Examples:
        palmares event result club-night main:1:1 "Ada Novak" --journal federation.db
        palmares event result club-night main:1:2 ben --score 7-3 --table 4
        palmares event result club-night main:1:3 --no-show
    """
    from palmares.tournaments import running as events
    from palmares.tournaments.typed_results import read_result

    typed = _typed(match, winner, how)
    with opened(journal) as store:
        done, running = _record(
            store,
            event_id,
            author,
            lambda running: events.result(running, match, read_result(running, typed)),
        )
    outcome = running.match(match).outcome
    already = "" if done else " It was recorded already."
    click.echo(f"{match}: {events.describe(running, outcome) if outcome else ''}.{already}")
    _say_next(running)


def _typed(match: str, winner: str | None, how: dict[str, Any]) -> Any:
    """What was typed of a result."""
    from palmares.tournaments.typed_results import TypedResult

    kinds = [kind for option, kind in _KINDS.items() if how[option]]
    if len(kinds) > 1:
        raise click.UsageError("--walkover, --retired and --no-show exclude each other.")
    if (winner is None) != how["no_show"]:
        raise click.UsageError("Name the WINNER; with --no-show there is none.")
    texts = [how[name] or "" for name in ("length", "table")]
    return TypedResult(match, winner or "", how["score"] or "", "".join(kinds), *texts)


@command()
@click.argument("event_id", metavar="EVENT")
@click.argument("sheet", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@encoding
@in_journal
@_author
def enter(event_id: str, sheet: Path, encoding: str | None, journal: str, author: str) -> None:
    """Enter the results in SHEET, a CSV file typed in from a printed bracket.

    Its columns are match, winner, score, how (played, walkover, retired, double_no_show), length,
    table; only the first two are needed. All results are recorded, or none.

    \b
    Example:
        palmares event enter club-night bracket.csv --journal federation.db
    """
    from palmares.tournaments.typed_results import enter_sheet, read_sheet

    rows = read_sheet(sheet, encoding)
    with opened(journal) as store:
        done, running = _record(store, event_id, author, lambda running: enter_sheet(running, rows))
    known = len(rows) - len(done)
    also = f" {count_of(known, 'result')} recorded already." if known else ""
    click.echo(f"Recorded {count_of(len(done), 'result')}.{also}")
    _say_next(running)


# ── corrections ──────────────────────────────────────────────────────────────────────────────────


@command()
@click.argument("event_id", metavar="EVENT")
@click.argument("match")
@click.argument("winner", required=False)
@_of_result
@click.option("--clear", is_flag=True, help="The match has not ended; no WINNER.")
@_reason
@_yes
@in_journal
@_author
def correct(
    *,
    event_id: str,
    match: str,
    winner: str | None,
    clear: bool,
    reason: str,
    yes: bool,
    journal: str,
    author: str,
    **how: Any,
) -> None:
    """Correct the result of MATCH: what follows is shown, and recorded once you agree.

    \b
    Examples:
        palmares event correct club-night main:1:1 "Ben Ost" --reason "tapped the wrong player"
        palmares event correct club-night main:1:1 --clear --reason "not played yet" --yes
    """
    from palmares.tournaments.running import Correction
    from palmares.tournaments.typed_results import read_result

    typed = None if clear else _typed(match, winner, how)
    with opened(journal) as store:
        running = running_event(store, event_id)
        outcome = None if typed is None else read_result(running, typed)
        _change(
            store,
            running,
            Correction(match=match, outcome=outcome, reason=reason),
            author=author,
            yes=yes,
        )


@command()
@click.argument("event_id", metavar="EVENT")
@click.argument("player")
@click.option("--back", is_flag=True, help="It was a mistake: the player plays again.")
@_reason
@_yes
@in_journal
@_author
def withdraw(
    *, event_id: str, player: str, back: bool, reason: str, yes: bool, journal: str, author: str
) -> None:
    """Let PLAYER play no more: their opponents win by walkover.

    \b
    Example:
        palmares event withdraw club-night "Ada Novak" --reason "ill" --journal federation.db
    """
    from palmares.tournaments.running import Return, Withdrawal

    with opened(journal) as store:
        running = running_event(store, event_id)
        body = (Return if back else Withdrawal)(player=running.player(player), reason=reason)
        _change(store, running, body, author=author, yes=yes)


def _change(store: Journal, running: Running, body: Change, *, author: str, yes: bool) -> None:
    """Show what follows from a change; record it if the user agrees."""
    from palmares.tournaments import running as events

    events.check_change(running, body)
    following = events.consequences(running, body)
    for line in _following(running, following):
        click.echo(line)
    if not yes:
        if not sys.stdin.isatty():
            raise Refused(
                "Nothing was recorded: this needs a yes, and input is not a terminal. Add --yes to"
                " record it."
            )
        if not click.confirm("Record it?", default=False, err=True):
            raise Refused("Nothing was recorded.")
    accepted = events.fingerprint(following)
    done, running = _record(
        store, running.setup.event, author, lambda now: events.change(now, body, accepted)
    )
    click.echo("Recorded." if done else "This was so already; nothing was recorded.")
    _say_next(running)


def _following(running: Running, following: Consequences) -> Iterator[str]:
    from palmares.tournaments.running import describe

    then = replace(running, progress=following.progress)
    yield from (lines := list(_walkovers(running, then)))
    if not following.changed and not lines:
        yield "No other match changes."
    for change in following.changed:
        now, before = (
            " against ".join(_sides(event, event.match(change.id))) for event in (then, running)
        )
        dropped = ""
        if change.dropped:
            dropped = f" The result '{describe(running, change.dropped)}' is removed."
        yield f"{change.id}: {now}, before {before}.{dropped}"


def _walkovers(running: Running, then: Running) -> Iterator[str]:
    from palmares.tournaments.running import decided_matches, describe

    for match in decided_matches(running, then):
        what = describe(then, match.outcome) if match.outcome else "to be played"
        yield f"{match.id}: {' against '.join(_sides(then, match))}: {what}."


# ── rounds, names, the report, the chain ─────────────────────────────────────────────────────────


@command()
@click.argument("event_id", metavar="EVENT")
@in_journal
@_author
def next_round(event_id: str, journal: str, author: str) -> None:
    """Pair the next round of a Swiss; the pairings are recorded as they were computed.

    \b
    Example:
        palmares event next-round club-swiss --journal federation.db
    """
    from palmares.tournaments.running import pair_round

    with opened(journal) as store:
        number = running_event(store, event_id).matches[-1].round + 1
        _, running = _record(store, event_id, author, lambda now: pair_round(now, number))
    click.echo(f"Round {number}:")
    for match in running.matches:
        if match.round == number:
            one, other = (running.name(who) or "bye" for who in match.players)
            click.echo(f"  {match.id}: {one} against {other}")


@command()
@click.argument("event_id", metavar="EVENT")
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@in_journal
@_author
def lot(event_id: str, players: tuple[str, ...], journal: str, author: str) -> None:
    """Record the order that a lot gave the tied players of a group, the first one first.

    \b
    Example:
        palmares event lot club-groups "Ada Novak" "Ben Ost" --journal federation.db
    """
    from palmares.tournaments import running as events

    with opened(journal) as store:
        done, running = _record(
            store, event_id, author, lambda running: events.lot(running, players)
        )
    click.echo("Recorded." if done else "This was recorded already.")
    _say_next(running)


@command()
@click.argument("event_id", metavar="EVENT")
@click.argument("player")
@click.argument("new_name", metavar="NAME", required=False)
@click.option("--erase", is_flag=True, help="Show the id instead of the name; no NAME.")
@in_journal
def name(*, event_id: str, player: str, new_name: str | None, erase: bool, journal: str) -> None:
    """Show PLAYER of EVENT under the name NAME. Names are not part of the chain.

    \b
    Examples:
        palmares event name club-night 7 "Ada Novák" --journal federation.db
        palmares event name club-night 7 --erase
    """
    from palmares.journal.store.events import rename_entrant

    if (new_name is None) != erase:
        raise click.UsageError("Give the NAME, or --erase.")
    with opened(journal) as store:
        player_id = running_event(store, event_id).player(player)
        rename_entrant(store, event_id, player_id, new_name)
    click.echo(f"{player_id}: {new_name or 'the name was erased'}.")


@command()
@click.argument("event_ids", metavar="EVENT...", nargs=-1, required=True)
@click.option("--name", "title", metavar="NAME", help="Of the tournament; default: the event's.")
@click.option("--end-date", type=DAY, required=True, help="The last day of the tournament.")
@click.option("--discipline", default="backgammon", show_default=True, help="What was played.")
@click.option("--set", "more", type=CELL, multiple=True, metavar="KEY=VALUE",
              help="More of every event, such as entry_fee=50; may be repeated.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file.")
@in_journal
def report(
    *,
    event_ids: tuple[str, ...],
    title: str | None,
    end_date: date,
    discipline: str,
    more: Sequence[tuple[str, str]],
    output: Path | None,
    journal: str,
) -> None:
    """Write the report of one tournament with each EVENT, in TOML.

    Every EVENT must be over. Check the report, then record it: palmares add report.toml.

    \b
    Example:
        palmares event report club-night --end-date 2026-11-21 --set entry_fee=20 -o report.toml
    """
    from palmares.formats.toml.write import write
    from palmares.tournaments.report import report as report_of

    played = []
    with opened(journal) as store:
        for event_id in event_ids:
            running, ids = running_event(store, event_id), _player_ids(store, event_id)
            played.append(running.played(dict(more), ids))
    tournament = {
        "name": title or played[0].setup.name,
        "end_date": end_date.isoformat(),
        "discipline": discipline,
    }
    text = write(report_of(tournament, played).tables)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text.encode())
        click.echo(f"{output}: written. Check it: palmares check {output}")


def _player_ids(store: Journal, event_id: str) -> dict[str, str]:
    """Entrants who are players of the journal: those without a name of their own."""
    from palmares.journal.store.events import event_names

    with store.reading() as reader:
        typed = event_names(reader, event_id)
    return {who: who for who in _names(store, event_id) if who not in typed}


@command()
@click.argument("event_id", metavar="EVENT")
@in_journal
def verify(event_id: str, journal: str) -> None:
    """Check the chain of EVENT; exit status 1 if a record was changed or is missing.

    \b
    Example:
        palmares event verify club-night --journal federation.db
    """
    from palmares.journal.store.events import event_faults, event_records

    with opened(journal) as store, store.reading() as reader:
        records = event_records(reader, event_id)
    if not records:
        raise Refused(f"{journal} has no event {event_id}. See 'palmares event list'.")
    for record, what in (faults := list(event_faults(records))):
        click.echo(f"Record {record.sequence}: {what}")
    if faults:
        sys.exit(1)
    click.echo(f"Valid: {count_of(len(records), 'record')}, the last one {records[-1].hash}.")
