"""
The command line: parse, one call, print.

Commands are imported when they are used, so that ``palmares --help`` answers at once. Our own
errors become one plain message and exit status 1, here and nowhere else; bugs show a traceback.
Work that takes long is shown as it goes on, and may be stopped at any time (exit status 130).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from palmares.cli.app import LazyGroup, refuse_no_text
from palmares.cli.terminal import (
    Stopped,
    failing_as_stopped,
    folded,
    harmless,
    print_stopped,
    showing_progress,
    stoppable,
)
from palmares.core.errors import PalmaresError

COMMANDS = {  # who uses it: {name: (module and function, one line of help)}
    "Start here": {
        "start": (
            "start:start",
            "Set up a federation: journal, results, first list.",
        ),
        "demo": (
            "demo.tour:demo",
            "A tour: rank real reports and explain the points.",
        ),
        "completion": (
            "app:completion",
            "Print the script for completion with the Tab key.",
        ),
    },
    "Players": {
        "rank": ("lists.points:rank", "Rank players or nations as of a day."),
        "explain": (
            "lists.points:explain",
            "Explain a player's points, clause by clause.",
        ),
        "history": (
            "lists.points:history",
            "Show points and ranks over time, and ahead.",
        ),
        "totals": (
            "lists.points:totals",
            "Show master points: four totals, their sum, levels.",
        ),
        "diff": (
            "lists.compare:diff",
            "Show what changed between two lists, and why.",
        ),
        "regulations": (
            "installed:regulations",
            "List regulations: editions, clauses, readings.",
        ),
    },
    "Directors": {
        "check": (
            "files:check",
            "Check reports: each problem with file, line and remedy.",
        ),
        "preview": ("files:preview", "Show how a sheet of placings would be read."),
        "award": (
            "lists.points:award",
            "Show the points that each player gets from reports.",
        ),
        "draw": (
            "events.announcements:draw",
            "Make a draw that anyone can check.",
        ),
        "event": (
            "events.running:event",
            "Run an event: results, next matches, the report.",
        ),
        "notice": (
            "events.announcements:notice",
            "Publish the notice of an event, compute its prizes.",
        ),
        "standings": (
            "bridge:standings",
            "Bridge: rank teams by their matches.",
        ),
        "vp": ("bridge:vp", "Bridge: convert IMPs to victory points, and back."),
    },
    "Officers": {
        "journal": (
            "journal:journal",
            "Make a journal, look at its entries, verify, export.",
        ),
        "add": (
            "journal.decisions:add",
            "Record reports in a journal.",
        ),
        "player": (
            "journal.players:player",
            "Find, merge, split and edit players.",
        ),
        "member": (
            "journal.players:member",
            "List memberships, add and end them.",
        ),
        "fund": (
            "journal.fund:fund",
            "Keep a streaming fund: donations, payments, statements.",
        ),
        "publish": (
            "lists.publications:publish",
            "Publish a ranking that anyone can recompute.",
        ),
        "publication": (
            "lists.publications:publication",
            "Show the official lists of a journal.",
        ),
        "verify": (
            "lists.publications:verify",
            "Recompute an official list and compare.",
        ),
        "compare": (
            "lists.compare:compare",
            "Compare a printed list with ours, and explain differences.",
        ),
    },
    "Administrators and developers": {
        "invite": ("serve:invite", "Give a person an account of the site."),
        "serve": (
            "serve:serve",
            "Run the site: rankings for anyone, pages for officers.",
        ),
        "settings": (
            "installed:settings",
            "Show the settings in force and where each comes from.",
        ),
        "convert": ("files:convert", "Convert reports to tables, and back."),
    },
}

GREETING = "Palmares: the rulebook engine for competition points. Three ways to go on:"
NEXT = (
    ("demo", "see it at work on real reports"),
    ("demo --serve", "a made-up season as a site, in your browser"),
    ("start", "make your own federation of the results you have"),
)
"""What a newcomer may do next: what to type, and what it does."""


class Main(LazyGroup):
    """Turn our own exceptions into one plain message."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed; refuse bytes that are no text."""
        refuse_no_text(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run; our own exceptions become one message and exit status 1.

        What was typed stands in messages; nothing in it moves a cursor or turns letters round.
        """
        try:
            with failing_as_stopped(), showing_progress():
                return super().invoke(ctx)
        except PalmaresError as error:
            from palmares.cli.hints import error_text

            raise click.ClickException(_message(error_text(error))) from error
        except click.exceptions.NoArgsIsHelpError:  # a group alone: its help, as it is
            raise
        except click.UsageError as error:
            message = error.format_message()
            if isinstance(error, click.MissingParameter) and error.param and error.param.envvar:
                message += f" Give it, or set the variable {error.param.envvar}."
            raise click.UsageError(_message(message), error.ctx) from error


def _message(text: str) -> str:
    """A message in lines that fit behind "Error:", without invisible letters."""
    return folded(harmless(f"Error: {text}"), err=True).removeprefix("Error: ")


@click.group(
    cls=Main,
    sections=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(package_name="palmares")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Palmares: the rulebook engine for competition points.

    PATH is a report file, a directory of tables (CSV or Parquet), or a directory of either.
    'palmares COMMAND --help' says what a command takes.

    On a terminal, work of more than two seconds shows how far it is and the time left. Ctrl-C
    stops it at any time (exit status 130); files are written whole or not at all.

    The glossary explains the words: /glossary on the site, docs/reference/glossary.md.
    """
    if ctx.invoked_subcommand is None:
        width = max(len(typed) for typed, _ in NEXT)
        lines = [f"  palmares {typed:{width}}   {does}" for typed, does in NEXT]
        click.echo("\n".join([GREETING, "", *lines, "", "All commands: palmares --help"]))


@contextmanager
def _to_the_end() -> Iterator[None]:
    """Write all output to its end; if the disk is full, say so and give up the rest."""
    try:
        try:
            yield
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EPIPE):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's last flush
        if error.errno != errno.EPIPE:
            what = f"The output cannot be written ({error.strerror}). It is not complete."
            click.echo(f"Error: {what}", err=True)
        sys.exit(1)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        with stoppable(), _to_the_end():
            cli(prog_name="palmares")
    except Stopped as stopped:
        print_stopped()
        sys.exit(stopped.status)
