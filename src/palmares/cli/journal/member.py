"""member: who is a member of which federation, from when to when."""

from __future__ import annotations

from datetime import date

import click

from palmares.cli.acting import Acting, Held, acting, holding
from palmares.cli.deciding import Deciding, decided, deciding
from palmares.cli.groups import Lazy
from palmares.cli.options import DAY, writing
from palmares.cli.sources import known_at

SUBCOMMANDS = {
    "add": ("palmares.cli.member:add", "State a membership."),
    "end": ("palmares.cli.member:end", "State the last day of a membership."),
    "list": ("palmares.cli.member:members", "Who is a member."),
}


@click.group(cls=Lazy, subcommands=SUBCOMMANDS)
def member() -> None:
    """Who is a member of which federation, in a journal."""


@click.command()
@click.argument("player")
@click.argument("federation")
@click.option("--from", "start", type=DAY, required=True, help="The first day.")
@click.option("--to", "end", type=DAY, help="The last day (default: still a member).")
@click.option("--level", default="", metavar="WORD", help="The level, in the federation's word.")
@acting
@deciding
def add(
    player: str,
    federation: str,
    start: date,
    end: date | None,
    level: str,
    acting: Acting,
    deciding: Deciding,
) -> None:
    """State that PLAYER is a member of FEDERATION from a day on.

    PLAYER is an id, or a name that is only one player's. Stated again with the same first day, the
    later statement counts.

    \b
    Example:
        palmares member add "Ada Novak" usbgf --from 2019-01-01 --level Premium
    """
    from palmares.journal import decisions

    action = decisions.of_player(
        player, lambda one: decisions.membership(one, federation, start, end, level)
    )
    decided(acting, action, deciding)


@click.command()
@click.argument("player")
@click.argument("federation")
@click.option("--to", "day", type=DAY, required=True, help="The last day.")
@acting
@deciding
def end(player: str, federation: str, day: date, acting: Acting, deciding: Deciding) -> None:
    """State the last day of the membership that PLAYER holds of FEDERATION.

    \b
    Example:
        palmares member end "Ada Novak" usbgf --to 2020-12-31
    """
    from palmares.journal import decisions

    action = decisions.of_player(player, lambda one: decisions.ended(one, federation, day))
    decided(acting, action, deciding)


@click.command("list")
@holding
@known_at
@click.option("--federation", metavar="NAME", help="Only members of this one.")
@click.option("--on", "day", type=DAY, help="Only who is a member on this day.")
@writing
def members(
    held: Held,
    known_at: str | None,
    federation: str | None,
    day: date | None,
    format: str,  # noqa: A002
    output: str | None,
) -> None:
    """Who is a member of which federation, from when to when.

    \b
    Example:
        palmares member list --federation usbgf --on 2019-06-01
    """
    import polars as pl

    from palmares.facts.tables import FILE
    from palmares.journal.snapshots import known
    from palmares.output import Column, emit
    from palmares.results import WITHHELD

    with held.opened() as journal:
        tables = known(journal, known_at).tables
    hidden = pl.col("withheld").fill_null(value=False)
    shown = pl.when(hidden).then(pl.lit(WITHHELD)).otherwise("name")
    found = tables["memberships"].join(
        tables["players"].select("player_id", shown.alias("player"), "nation"),
        on="player_id",
        how="left",
    )
    if federation is not None:
        found = found.filter(pl.col("federation") == federation)
    if day is not None:
        still = pl.col("end").is_null() | (pl.col("end") >= day)
        found = found.filter((pl.col("start") <= day) & still)
    rows = found.sort("federation", "player", "player_id", "start").rename({FILE: "stated_in"})
    keys = ("player_id", "player", "nation", "federation", "level", "start", "end", "stated_in")
    emit(
        rows.to_dicts(),
        [Column(one, "", "date" if one in ("start", "end") else "text") for one in keys],
        format=format,
        output=output,
    )
