"""add, and the decisions of officers: what is recorded is shown first."""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from palmares.cli.acting import Acting, EntryNumber, acting
from palmares.cli.deciding import Deciding, decided, deciding
from palmares.cli.options import DAY
from palmares.cli.sources import encoding


class Who(click.ParamType[tuple[str, str]]):
    """Who somebody is: NAME=ID."""

    name = "name=id"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Name and id, or a usage error."""
        if isinstance(value, tuple):
            return value
        name, sign, found = (one.strip() for one in value.rpartition("="))
        if not (name and sign and found):
            self.fail(f"{value!r} is nobody; write it like 'Ada Novak (CZE)=P17'.", param, ctx)
        return name, found


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
    type=Who(),
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
    from palmares.journal.arrivals import report
    from palmares.journal.repeats import sources_of
    from palmares.reading import gathered

    facts = gathered(*path, encoding=encoding)
    sources = sources_of(facts) if encoding is None else {}
    action = report(facts, replaces=replaces, key=key, chosen=dict(chosen), sources=sources)
    decided(acting, action, deciding)


# ── decisions ────────────────────────────────────────────────────────────────────────────────────


class Cell(click.ParamType[tuple[str, str]]):
    """A cell: COLUMN=VALUE."""

    name = "column=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Column and value, or a usage error."""
        if isinstance(value, tuple):
            return value
        name, sign, text = value.partition("=")
        if not (name.strip() and sign):
            self.fail(f"{value!r} is no cell; write it like rank=3.", param, ctx)
        return name.strip(), text.strip()


reason = click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept.")


@click.command()
@click.argument("sequence", metavar="ENTRY", type=EntryNumber())
@reason
@acting
@deciding
def undo(sequence: int, reason: str, acting: Acting, deciding: Deciding) -> None:
    """Let ENTRY count no longer; what it had replaced counts again.

    An undo is an entry too: undo that one, and ENTRY counts again.

    \b
    Example:
        palmares journal undo 57 --reason "wrong file" --journal federation.db
    """
    from palmares.journal import decisions

    decided(acting, decisions.undo(sequence, reason), deciding)


@click.command()
@click.argument("tournament")
@reason
@acting
@deciding
def withdraw(tournament: str, reason: str, acting: Acting, deciding: Deciding) -> None:
    """Let the report of TOURNAMENT count no longer; it may be reported anew.

    \b
    Example:
        palmares journal withdraw prague-open-2019-11-15 --reason "not sanctioned"
    """
    from palmares.journal import decisions

    decided(acting, decisions.withdraw(tournament, reason), deciding)


@click.command()
@click.argument("tournament")
@click.argument("table")
@click.option(
    "--row",
    type=Cell(),
    multiple=True,
    required=True,
    metavar="COLUMN=VALUE",
    help="By what exactly one row is found; may be repeated.",
)
@click.option(
    "--set",
    "cells",
    type=Cell(),
    multiple=True,
    required=True,
    metavar="COLUMN=VALUE",
    help="What shall stand there, or nothing to empty a cell; may be repeated.",
)
@reason
@acting
@deciding
def override(
    tournament: str,
    table: str,
    row: tuple[tuple[str, str], ...],
    cells: tuple[tuple[str, str], ...],
    reason: str,
    acting: Acting,
    deciding: Deciding,
) -> None:
    """Set cells in one row of a TABLE of a TOURNAMENT's report.

    It stays in force when the tournament is reported again. Players may be given by name.

    \b
    Examples:
        palmares journal override prague-open-2019-11-15 events \\
            --row name=Main --set entry_fee=120 --reason "as announced"
        palmares journal override prague-open-2019-11-15 placings \\
            --row player_id="Ada Novak" --set rank=2 --set tied=2 --reason "protest upheld"
    """
    from palmares.journal import overriding

    action = overriding.override(tournament, table, dict(row), dict(cells), reason)
    decided(acting, action, deciding)


@click.command()
@click.argument("currency")
@click.argument("day", metavar="DATE", type=DAY)
@click.argument("eur_per_unit")
@click.option("--source", default="", metavar="TEXT", help="Whose rate it is.")
@acting
@deciding
def rate(
    currency: str,
    day: date,
    eur_per_unit: str,
    source: str,
    acting: Acting,
    deciding: Deciding,
) -> None:
    """State what one unit of CURRENCY was worth in euro on DATE.

    \b
    Example:
        palmares journal rate XAF 2019-05-30 0.00152449 --source "our bank"
    """
    from palmares.journal import decisions

    decided(acting, decisions.rate(currency, day, eur_per_unit, source), deciding)


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
    from palmares.journal.rates import from_bank

    decided(acting, from_bank(bank.read(file)), deciding)


FINAL = """This cannot be undone. The name is thrown away; rank, place and points stay, with the id.
Copies, exports and lists made before still have the name."""


@click.command()
@click.argument("player")
@reason
@acting
@deciding
def erase(player: str, reason: str, acting: Acting, deciding: Deciding) -> None:
    """Throw away the name of PLAYER, for good; rank, place and points stay.

    PLAYER is an id, or a name that is only one player's. Records that were merged with it are
    erased too, and the texts of reports on the site in which he stands, once they are decided. The
    reason is kept: do not write the name into it.

    \b
    Example:
        palmares journal erase P17 --reason "asked to be forgotten, 2026-11-02"
    """
    from palmares.journal import decisions
    from palmares.web.forgetting import forget

    action = decisions.of_player(player, lambda one: decisions.erase(one, reason, forget))
    decided(acting, action, deciding, FINAL)
