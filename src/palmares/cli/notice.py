"""``palmares notice``: what players may know of an event before they enter, and its prizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import Lazy, command
from palmares.cli.options import Output, acting, in_journal, printing
from palmares.cli.sources import content_of, encoding, opened
from palmares.core.errors import Refused, brief
from palmares.render.tables import Column

if TYPE_CHECKING:
    from palmares.facts import Facts
    from palmares.journal.store.entries import Actor, Entry
    from palmares.lists.stakes import Stakes
    from palmares.tournaments.notice import Stated

SUBCOMMANDS = {  # name: (module and function, one line of help)
    "check": (
        "palmares.cli.notice:check",
        "Check the file of a notice, and see the points at stake.",
    ),
    "record": ("palmares.cli.notice:record", "Publish a notice, or a change of it with a reason."),
    "show": ("palmares.cli.notice:show", "The notices of an event, the latest first."),
    "prizes": ("palmares.cli.notice:prizes", "The prizes by the notice's rule, each explained."),
}
STAKES = (
    Column("regulation"),
    Column("division"),
    Column("entrants", kind="number"),
    Column("flight", priority=2),
    Column("kind", priority=2),
    Column("for"),
    Column("points", kind="points", priority=0),
)
CHANGES = (
    Column("entry", kind="number"),
    Column("recorded_at", kind="moment"),
    Column("author"),
    Column("sha256", hidden=True),
    Column("reason"),
)
_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False))


@click.group(cls=Lazy, sections={"Commands": SUBCOMMANDS})
def notice() -> None:
    """The notice of an event: format, divisions, fees, prizes, and the points at stake.

    \b
    Example, in order:
        palmares notice check riga.toml
        palmares notice record riga.toml --journal federation.db
        palmares notice prizes riga.toml result.toml
    """


def _read(file: str) -> Stated:
    from palmares.lists.stakes import check_regulations
    from palmares.tournaments.notice import read

    stated = read(content_of(file), file)
    check_regulations(stated.notice)
    return stated


@command()
@_FILE
@click.option(
    "--entrants",
    type=click.IntRange(2, 512),
    multiple=True,
    help="Size of a field to show the points of; may be repeated. Default: 8, 16, 32 and 64.",
)
@printing
def check(file: str, entrants: tuple[int, ...], out: Output) -> None:
    """Check the notice in FILE, and show the points at stake and the rule of the prizes.

    The points are what the regulations award to made-up fields of the event as it is announced.

    \b
    Example:
        palmares notice check riga.toml --entrants 32
    """
    from palmares.lists.stakes import SIZES, stakes
    from palmares.tournaments.prizes import rule_in_words

    stated = _read(file)
    at_stake = stakes(stated.notice, entrants or SIZES)
    for problem in at_stake.problems:
        click.echo(f"Warning: {problem}", err=True)
    notes = [*rule_in_words(stated.notice), f"Hash of the notice: {stated.sha256}"]
    out.emit(list(_stake_rows(at_stake)), STAKES, title=stated.notice.name, notes=notes)


def _stake_rows(at_stake: Stakes) -> Iterator[dict[str, Any]]:
    for row in at_stake.rows:
        places = str(row.first) if row.first == row.last else f"{row.first}–{row.last}"
        yield {
            "regulation": row.regulation,
            "division": row.division,
            "entrants": row.entrants,
            "flight": row.flight,
            "kind": row.kind,
            "for": f"a match to {row.length}" if row.length else f"place {places}",
            "points": row.nanopoints,
        }


@command()
@_FILE
@click.option("--reason", default="", help="Why the notice changes; needed for every change.")
@acting
def record(file: str, reason: str, journal: str, actor: Actor) -> None:
    """Publish the notice in FILE: record it in --journal, where the site shows it.

    A notice that was recorded stays. A changed one takes its place, with a reason.

    \b
    Example:
        palmares notice record riga.toml --journal federation.db
        palmares notice record riga.toml --journal federation.db --reason "Later start"
    """
    from palmares.cli.sources import warn
    from palmares.journal.commands.announcements import publish_notice
    from palmares.journal.commands.transaction import record_entries

    stated = _read(file)
    event = stated.notice.event
    publishing = publish_notice(event, stated.text, stated.sha256, reason=reason)
    with opened(journal) as store:
        done = record_entries(store, actor, publishing)
    warn(done.notices)
    for entry in done.entries:
        click.echo(f"Recorded as entry {entry.sequence}: notice of {event} {stated.sha256[:12]}.")


@command()
@click.argument("event")
@in_journal
@printing
def show(event: str, journal: str, out: Output) -> None:
    """Show every notice of EVENT that a journal has, the latest first, with why it changed.

    \b
    Example:
        palmares notice show riga-open-2027 --journal federation.db
    """
    from palmares.facts.text import printable
    from palmares.journal.log import LogQuery, newest_entries

    with opened(journal) as store, store.reading() as reader:
        entries = list(newest_entries(reader, LogQuery(kind="notice", subject=event)))
    if not entries:
        raise Refused(f"{printable(journal)} has no notice of {brief(printable(event))}.")
    out.emit(list(map(_change, entries)), CHANGES, title=f"Notices of {printable(event)}")


def _change(entry: Entry) -> dict[str, Any]:
    body = entry.read()
    return {
        "entry": entry.sequence,
        "recorded_at": f"{entry.recorded_at[:19]}Z",
        "author": entry.author,
        "sha256": body["sha256"],
        "reason": body["reason"] or "first notice",
    }


@command()
@_FILE
@click.argument("placings", type=click.Path(exists=True))
@click.option("--division", default="", help="Of the notice, where it has several.")
@click.option("--event", default="", help="Id or name, where PLACINGS has several events.")
@click.option("--entrants", type=click.IntRange(1), help="Who paid, where PLACINGS does not say.")
@click.option(
    "--agreed",
    multiple=True,
    metavar="PLAYER=AMOUNT",
    help="A split that players agreed on; once for each of them.",
)
@encoding
@printing
def prizes(
    *,
    file: str,
    placings: str,
    division: str,
    event: str,
    entrants: int | None,
    agreed: tuple[str, ...],
    encoding: str | None,
    out: Output,
) -> None:
    """Reckon the prizes by the notice in FILE for the report PLACINGS: who is paid what, and why.

    They sum exactly to the pool. -o writes the list of payments, as .xlsx, .csv or .pdf.

    \b
    Examples:
        palmares notice prizes riga.toml result.toml -o payments.pdf
        palmares notice prizes riga.toml result.toml --agreed "Ada Novak=900" --agreed "Bo Lund=700"
    """
    from palmares.formats.load import gathered
    from palmares.render.payments import payment_list
    from palmares.tournaments.notice import read
    from palmares.tournaments.prizes import pay_out, reported

    announced = read(content_of(file), file).notice
    if announced.prizes is None:
        raise Refused(f"{file}: this notice has no rule of prizes. Add [prizes] with shares.")
    facts = gathered(placings, encoding=encoding)
    finishers, fields = reported(facts, _event(facts, event, placings))
    paying = entrants or fields["main"]
    fields["main"] = fields["main"] or paying
    names = dict(facts["players"].select("player_id", "name").iter_rows())
    chosen = announced.division(division)
    payout = pay_out(announced, chosen, paying, finishers, fields, _agreed(agreed, names))
    table = payment_list(payout, names)
    out.emit(table.rows, table.columns, title=table.title, notes=table.notes)


def _event(facts: Facts, wanted: str, file: str) -> str:
    """The id of the event that is meant."""
    from palmares.facts.text import printable

    events: dict[str, str] = dict(facts["events"].select("event_id", "name").iter_rows())
    matching = [id_ for id_, name in events.items() if wanted in ("", id_, name)]
    if len(matching) != 1:
        raise Refused(
            f"{file} has {len(events)} events. Name one of them with --event:"
            f" {', '.join(printable(name) for name in events.values())}."
        )
    return matching[0]


def _agreed(given: Sequence[str], names: dict[str, str]) -> dict[str, int]:
    """Cents by player id."""
    from palmares.tournaments.notice import hundredths, is_money

    agreed = {}
    for text in given:
        player, _, amount = text.rpartition("=")
        ids = [id_ for id_, name in names.items() if player in (id_, name)]
        if len(ids) != 1 or not is_money(amount):
            raise Refused(
                f'--agreed {brief(text)}: write a player of the report and an amount, such as "Ada'
                ' Novak=900.50".'
            )
        agreed[ids[0]] = hundredths(amount)
    return agreed
