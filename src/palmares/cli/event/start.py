"""``palmares event start``: an event begins, from a file or a recorded draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from palmares.cli.app import command
from palmares.cli.draw import document
from palmares.cli.event.common import author_option
from palmares.cli.options import in_journal
from palmares.cli.sources import opened
from palmares.cli.types import Typed, count_of, pair

if TYPE_CHECKING:
    from palmares.journal.store.journal import Journal
    from palmares.tournaments.formats.matches import AnySetup


def _lengths(text: str) -> tuple[str, list[int]]:
    flight, points = pair(text, empty=False)
    return flight, [int(number) for number in points.split(",")]


LENGTHS = Typed("lengths", _lengths, "{} is no flight with lengths, such as main=7,7,9.")


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
@author_option
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
    from palmares.tournaments.typed_results import read_setup

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
    from palmares.journal.commands.announcements import recorded_draw
    from palmares.journal.projection.snapshots import load_projection
    from palmares.tournaments.draw.draw import run
    from palmares.tournaments.typed_results import setup_of_draw

    state = load_projection(store).state
    with store.reading() as reader:
        recorded = recorded_draw(state, reader, draw)
    drawn = run(recorded.announcement.encode(), recorded.recorded_at, recorded.randomness)
    return setup_of_draw(drawn, recorded.bracket, lengths, rounds)
