"""member: who is a member of which federation, from when to when."""

from __future__ import annotations

from datetime import date

import click

from palmares.cli.app import Lazy
from palmares.cli.journal.acting import Held, holding
from palmares.cli.options import DAY, writing
from palmares.cli.sources import known_at

SUBCOMMANDS = {
    "add": ("palmares.cli.journal.decisions:add_member", "State a membership."),
    "end": ("palmares.cli.journal.decisions:end_member", "State the last day of a membership."),
    "list": ("palmares.cli.journal.member:members", "Who is a member."),
}


@click.group(cls=Lazy, subcommands=SUBCOMMANDS)
def member() -> None:
    """Who is a member of which federation, in a journal."""


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

    from palmares.facts.schema import FILE, WITHHELD
    from palmares.journal.projection.snapshots import known
    from palmares.render.tables import Column, emit

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
