"""``palmares event``: run an event, from the first match to the report."""

from __future__ import annotations

import click

from palmares.cli.app import Lazy

SUBCOMMANDS = {  # heading: {name: (module and function, one line of help)}
    "Playing": {
        "start": ("palmares.cli.event.start:start", "Start an event, from a file or a draw."),
        "list": ("palmares.cli.event.show:list_events", "All events of a journal."),
        "show": ("palmares.cli.event.show:show", "Who plays next, all matches, placings."),
        "bracket": ("palmares.cli.event.show:bracket", "Bracket or cross table, to print."),
        "result": ("palmares.cli.event.results:result", "Enter the result of a match."),
        "enter": ("palmares.cli.event.results:enter", "Enter the results of a sheet."),
        "correct": ("palmares.cli.event.results:correct", "Correct a result."),
        "withdraw": ("palmares.cli.event.results:withdraw", "A player leaves, or comes back."),
        "next-round": ("palmares.cli.event.results:next_round", "Pair the next round of a Swiss."),
        "lot": ("palmares.cli.event.results:lot", "Record a lot among tied players of a group."),
        "name": ("palmares.cli.event.results:name", "Change or erase the name of an entrant."),
    },
    "At the end": {
        "prizes": ("palmares.cli.event.closing:prizes", "Who is paid what, and why."),
        "split": ("palmares.cli.event.closing:split", "Record a split that players agreed on."),
        "report": ("palmares.cli.event.closing:report", "Write the report of a finished event."),
        "verify": ("palmares.cli.event.closing:verify", "Check that no record was changed."),
    },
}


@click.group(cls=Lazy, sections=SUBCOMMANDS)
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
