"""What commands of an event share: the event of a journal, its names, recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from palmares.cli.options import login, setting

if TYPE_CHECKING:
    from palmares.journal.store.events import EventRecord
    from palmares.journal.store.journal import Journal
    from palmares.tournaments.formats.matches import Match
    from palmares.tournaments.notice import Notice
    from palmares.tournaments.running import Drafts, Running

author_option = setting("author", metavar="NAME", default=login)
event_argument = click.argument("event_id", metavar="EVENT")


def entrant_names(store: Journal, event_id: str) -> tuple[dict[str, str], dict[str, str]]:
    """Names of entrants by id: those that were typed in, and those of the journal's players."""
    from palmares.journal.projection.snapshots import load_projection
    from palmares.journal.store.events import event_names
    from palmares.render.entries import player_names

    with store.reading() as reader:
        typed = event_names(reader, event_id)
    return typed, player_names(load_projection(store))


def running_event(store: Journal, event_id: str) -> Running:
    """An event as its records have it.

    Raises:
        FactsRejected: there is none.
    """
    from palmares.journal.store.events import event_records
    from palmares.tournaments.running import fold

    typed, players = entrant_names(store, event_id)
    with store.reading() as reader:
        records = event_records(reader, event_id)
    return fold(records, {**players, **typed})


def notice_in_force(store: Journal, running: Running) -> Notice | None:
    """The notice of an event.

    Raises:
        Refused: the event names a notice that the journal does not have.
    """
    from palmares.journal.commands.announcements import notice_of
    from palmares.journal.projection.snapshots import load_projection
    from palmares.tournaments.notice import recorded

    setup = running.setup
    text = notice_of(load_projection(store).state, setup.event, setup.notice)
    return None if text is None else recorded(text)


def record(
    store: Journal, event_id: str, author: str, make: Callable[[Running], Drafts]
) -> tuple[list[EventRecord], Running]:
    """Record what *make* gives for the event as it is; what was added, and the event then."""
    from palmares.journal.store.events import record_event
    from palmares.tournaments.running import fold

    typed, players = entrant_names(store, event_id)
    names = {**players, **typed}
    added = record_event(store, event_id, author, lambda records: make(fold(records, names)))
    return added, running_event(store, event_id)


def player_pair(running: Running, match: Match) -> tuple[str, str]:
    """Who plays a match, in words."""
    missing = "bye" if match.state in ("bye", "empty") else "?"
    one, other = (running.name(who) if who else missing for who in match.players)
    return one, other


def print_next(running: Running) -> None:
    """Name the matches that can start."""
    for match in running.next[:5]:
        click.echo(f"Next: {match.id}, {' against '.join(player_pair(running, match))}.")
    if running.is_over:
        click.echo("All matches are played.")
