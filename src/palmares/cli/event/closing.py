"""The end of an event: prizes, a split, the report, the check of its chain."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import click

from palmares.cli.app import command
from palmares.cli.event.common import (
    author_option,
    entrant_names,
    event_argument,
    notice_in_force,
    record,
    running_event,
)
from palmares.cli.options import Output, in_journal, printing
from palmares.cli.sources import opened
from palmares.cli.types import DAY, Typed, count_of, pair
from palmares.core.errors import Refused
from palmares.render.tables import write_whole

CELL = Typed("cell", pair, "{} is no KEY=VALUE, such as entry_fee=50.")
AMOUNT = Typed("amount", pair, '{} is no PLAYER=AMOUNT, such as "Ada Novak=900.50".')


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
    from palmares.render.payments import payment_list
    from palmares.tournaments.prizes import event_payout
    from palmares.tournaments.running import check_over

    with opened(journal) as store:
        running = running_event(store, event_id)
        notice = notice_in_force(store, running)
    if notice is None or notice.prizes is None:
        raise Refused(
            f"{event_id} has no notice with prizes. Publish one with the id of the event:"
            " palmares notice record."
        )
    check_over(running)
    table = payment_list(event_payout(running, notice), running.setup.names)
    out.emit(table.rows, table.columns, title=table.title, notes=table.notes)


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
    with opened(journal) as store:
        notice = notice_in_force(store, running_event(store, event_id))
        added, _ = record(
            store, event_id, author, lambda running: prizes.split(running, notice, amounts)
        )
    click.echo("Recorded." if added else "This was recorded already.")


@command()
@click.argument("event_ids", metavar="EVENT...", nargs=-1, required=True)
@click.option("--name", "title", metavar="NAME", help="Of the tournament; default: the event's.")
@click.option("--end-date", type=DAY, help="The last day of the tournament; default: the notice's.")
@click.option("--discipline", default="backgammon", show_default=True, help="What was played.")
@click.option("--set", "more", type=CELL, multiple=True, metavar="KEY=VALUE",
              help="More of every event, such as entry_fee=50; may be repeated.")  # fmt: skip
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
    from palmares.tournaments.prizes import report_defaults
    from palmares.tournaments.report import report as report_of

    played = []
    tournament: dict[str, str] = {}
    with opened(journal) as store:
        for event_id in event_ids:
            running = running_event(store, event_id)
            of_tournament, of_event = report_defaults(
                notice_in_force(store, running), running.setup
            )
            tournament = of_tournament | tournament  # the first event's notice counts
            typed, players = entrant_names(store, event_id)
            ids = {who: who for who in players if who not in typed}
            played.append(running.played(of_event | dict(more), ids))
    tournament = {"name": played[0].setup.name} | tournament | {"discipline": discipline}
    if end_date:
        tournament["end_date"] = end_date.isoformat()
    if title:
        tournament["name"] = title
    if "end_date" not in tournament:
        raise click.UsageError("Name the last day of the tournament: --end-date 2026-11-21.")
    text = write(report_of(tournament, played).tables)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text.encode())
        click.echo(f"{output}: written. Check it: palmares check {output}")


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

    with opened(journal) as store, store.reading() as reader:
        records = event_records(reader, event_id)
        lost = reader.lost_ends(event_id)
    if not records and not lost:
        raise Refused(f"{journal} has no event {event_id}. See 'palmares event list'.")
    for faulty, what in (faults := list(event_faults(records))):
        click.echo(f"Record {faulty.sequence}: {what}")
    for what in lost:
        click.echo(what)
    if faults or lost:
        sys.exit(1)
    click.echo(f"Valid: {count_of(len(records), 'record')}, the last one {records[-1].hash}.")
