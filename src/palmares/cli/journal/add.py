"""add, journal rates: what is recorded is shown first."""

from __future__ import annotations

import click

from palmares.cli.journal.acting import Acting, EntryNumber, acting
from palmares.cli.journal.confirm import Deciding, decided, deciding
from palmares.cli.sources import encoding
from palmares.cli.types import Pair

WHO = Pair("name=id", "{} is nobody; write it like 'Ada Novak (CZE)=P17'.", last=True, empty=False)


@click.command()
@click.argument("path", nargs=-1, required=True, type=click.Path())
@acting
@click.option(
    "--replaces",
    type=EntryNumber(),
    multiple=True,
    metavar="ENTRY",
    help="The entry in force that this is to replace; may be repeated.",
)
@click.option("--key", metavar="KEY", help="A program's own: sent again, it records nothing more.")
@click.option(
    "--is",
    "chosen",
    type=WHO,
    multiple=True,
    metavar="NAME=ID",
    help="Who somebody is: the id of a player, or 'new'; may be repeated.",
)
@encoding
@deciding
def add(
    path: tuple[str, ...],
    acting: Acting,
    replaces: tuple[int, ...],
    key: str | None,
    chosen: tuple[tuple[str, str], ...],
    encoding: str | None,
    deciding: Deciding,
) -> None:
    """Record the reports at PATH in a journal, after showing what they award.

    What the journal has already is recognised by its content and not recorded again. With
    --format csv or json, standard output has the points alone.

    \b
    Examples:
        palmares add report.toml --journal federation.db
        palmares add season/ --journal federation.db --yes
        palmares add corrected.toml --journal federation.db --replaces 57
    """
    from palmares.formats.load import gathered
    from palmares.journal.commands.reports import report, sources_of

    facts = gathered(*path, encoding=encoding)
    sources = sources_of(facts) if encoding is None else {}
    action = report(facts, replaces=replaces, key=key, chosen=dict(chosen), sources=sources)
    decided(acting, action, deciding)


@click.command()
@click.option(
    "--from",
    "file",
    type=click.Path(),
    required=True,
    metavar="FILE",
    help="The European Central Bank's eurofxref-hist.csv, or the .zip of it.",
)
@acting
@deciding
def rates(file: str, acting: Acting, deciding: Deciding) -> None:
    """Take the exchange rates that tournaments wait for from the bank's published history.

    Only the days on which tournaments ended are recorded, each with the day of the bank's figure.

    \b
    Example:
        palmares journal rates --from eurofxref-hist.zip --journal federation.db
    """
    from palmares.facts import bank
    from palmares.journal.commands.decisions import rates_from

    decided(acting, rates_from(bank.read(file)), deciding)
