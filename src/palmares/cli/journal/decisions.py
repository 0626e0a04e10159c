"""Commands of decisions: each takes what a row of `palmares.journal.commands.catalogue` asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.journal.acting import Acting, EntryNumber, acting
from palmares.cli.journal.confirm import Deciding, decided, deciding
from palmares.cli.options import DAY
from palmares.cli.types import Pair

if TYPE_CHECKING:
    from palmares.journal.commands.transaction import Action


def decision(
    of: str,
    *parameters: Any,
    text: str,
    name: str = "",
) -> click.Command:
    """The command of a decision: its parameters are called as the fields are, or are more."""

    @acting
    @deciding
    def run(acting: Acting, deciding: Deciding, **given: Any) -> None:
        decided(acting, action(of, **given), deciding)

    for one in reversed(parameters):
        run = one(run)
    return click.command(name or of, help=text)(run)


def action(of: str, **given: Any) -> Action:
    """What a decision does."""
    from palmares.journal.commands.catalogue import DECISIONS

    return DECISIONS[of].action(**given)


def _as_mapping(
    ctx: click.Context, param: click.Parameter, value: Sequence[tuple[str, str]]
) -> Mapping[str, str]:
    del ctx, param
    return dict(value)


def _as_cell(ctx: click.Context, param: click.Parameter, value: bool | None) -> str | None:  # noqa: FBT001
    del ctx, param
    return None if value is None else "yes" if value else "no"


CELL = Pair("column=value", "{} is no cell; write it like rank=3.")
ELSEWHERE = Pair("federation=id", "{} is no id elsewhere; write it like usbgf=12345.")
PLAYER = click.argument("player")
TOURNAMENT = click.argument("tournament")
FEDERATION = click.argument("federation")
REASON = click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept.")
IDS = click.option(
    "--id",
    "ids",
    type=ELSEWHERE,
    multiple=True,
    callback=_as_mapping,
    metavar="FEDERATION=ID",
    help="An id elsewhere, such as usbgf=12345; may be repeated.",
)


# ── of the journal ───────────────────────────────────────────────────────────────────────────────

undo = decision(
    "undo",
    click.argument("entry", type=EntryNumber()),
    REASON,
    text="""Let ENTRY count no longer; what it had replaced counts again.

    An undo is an entry too: undo that one, and ENTRY counts again.

    \b
    Example:
        palmares journal undo 57 --reason "wrong file" --journal federation.db
    """,
)

withdraw = decision(
    "withdraw",
    TOURNAMENT,
    REASON,
    text="""Let the report of TOURNAMENT count no longer; it may be reported anew.

    \b
    Example:
        palmares journal withdraw prague-open-2019-11-15 --reason "not sanctioned"
    """,
)

override = decision(
    "override",
    TOURNAMENT,
    click.argument("table"),
    click.option(
        "--row",
        type=CELL,
        multiple=True,
        required=True,
        callback=_as_mapping,
        metavar="COLUMN=VALUE",
        help="By what exactly one row is found; may be repeated.",
    ),
    click.option(
        "--set",
        "cells",
        type=CELL,
        multiple=True,
        required=True,
        callback=_as_mapping,
        metavar="COLUMN=VALUE",
        help="What shall stand there, or nothing to empty a cell; may be repeated.",
    ),
    REASON,
    text="""Set cells in one row of a TABLE of a TOURNAMENT's report.

    It stays in force when the tournament is reported again. Players may be given by name.

    \b
    Examples:
        palmares journal override prague-open-2019-11-15 events \\
            --row name=Main --set entry_fee=120 --reason "as announced"
        palmares journal override prague-open-2019-11-15 placings \\
            --row player_id="Ada Novak" --set rank=2 --set tied=2 --reason "protest upheld"
    """,
)

rate = decision(
    "rate",
    click.argument("currency"),
    click.argument("day", metavar="DATE", type=DAY),
    click.argument("eur_per_unit"),
    click.option("--source", default="", metavar="TEXT", help="Whose rate it is."),
    text="""State what one unit of CURRENCY was worth in euro on DATE.

    \b
    Example:
        palmares journal rate XAF 2019-05-30 0.00152449 --source "our bank"
    """,
)


FINAL = """This cannot be undone. The name is thrown away; rank, place and points stay, with the id.
Copies, exports and lists made before still have the name."""


@click.command()
@PLAYER
@REASON
@acting
@deciding
def erase(acting: Acting, deciding: Deciding, **given: str) -> None:
    """Throw away the name of PLAYER, for good; rank, place and points stay.

    PLAYER is an id, or a name that is only one player's. Records that were merged with it are
    erased too, and the texts of reports on the site in which the name stands, once they are
    decided. The reason is kept: do not write the name into it.

    \b
    Example:
        palmares journal erase P17 --reason "asked to be forgotten, 2026-11-02"
    """
    from palmares.web.submissions.erase import forget

    decided(acting, action("erase", **given, told=forget), deciding, FINAL)


# ── of players ───────────────────────────────────────────────────────────────────────────────────

merge = decision(
    "merge",
    PLAYER,
    click.argument("into"),
    REASON,
    text="""PLAYER is INTO: from now on their results count for INTO, whose name and nation stay.

    'palmares player split PLAYER' undoes it, and leaves no trace of it in any list.

    \b
    Example:
        palmares player merge P4 "Ada Novak" --reason "asked her" --journal federation.db
    """,
)

apart = decision(
    "apart",
    PLAYER,
    click.argument("other"),
    REASON,
    text="""PLAYER and OTHER are two, however alike their names are.

    \b
    Example:
        palmares player apart P1 P4 --reason "mother and daughter" --journal federation.db
    """,
)


@click.command()
@PLAYER
@click.option(
    "--tournament",
    "tournaments",
    multiple=True,
    metavar="ID",
    help="In which somebody else played; may be repeated. Without it, a merge is undone.",
)
@click.option("--into", metavar="PLAYER", help="Who it was, if they are known; else a new player.")
@click.option("--name", metavar="NAME", help="The new player's name, if it is another.")
@click.option("--nation", metavar="CODE", help="The new player's nation, if it is another.")
@REASON
@acting
@deciding
def split(
    acting: Acting,
    deciding: Deciding,
    player: str,
    reason: str,
    tournaments: tuple[str, ...],
    into: str | None,
    **cells: str | None,
) -> None:
    """Make PLAYER, who was merged, a player of their own again; or part two who share a name.

    With --tournament, somebody else takes PLAYER's place there: a new player, or --into a known
    one. It stays so when the tournament is reported again.

    \b
    Examples:
        palmares player split P4 --reason "they are sisters" --journal federation.db
        palmares player split P1 --tournament prague-2019 --reason "her namesake played"
    """
    new = any(one is not None for one in cells.values())
    if (into or new) and not tournaments:
        raise click.UsageError("--into, --name and --nation go with --tournament.")
    if into and new:
        raise click.UsageError("--name and --nation are a new player's; --into names a known one.")
    given: dict[str, Any] = {"player": player, "reason": reason}
    if tournaments:
        given |= {"tournaments": tournaments, "into": into, **cells}
    decided(acting, action("split" if tournaments else "unmerge", **given), deciding)


add_player = decision(
    "player",
    click.argument("name"),
    click.option("--nation", metavar="CODE", help="The nation held now, such as CZE."),
    click.option(
        "--withheld", is_flag=True, callback=_as_cell, help="The name is not shown in lists."
    ),
    IDS,
    name="add",
    text="""Add a player nobody has reported yet; reports that give this name mean them.

    \b
    Example:
        palmares player add "Ada Novak" --nation CZE --id usbgf=12345 --journal federation.db
    """,
)


@click.command()
@PLAYER
@click.option("--name", metavar="NAME", help="What they are called now; the old name stays known.")
@click.option("--nation", metavar="CODE", help="The nation held now; empty: none.")
@click.option(
    "--withheld/--shown",
    default=None,
    callback=_as_cell,
    help="Whether lists leave the name out.",
)
@IDS
@acting
@deciding
def edit(acting: Acting, deciding: Deciding, player: str, **given: Any) -> None:
    """Change what is known of PLAYER. An id elsewhere without a value is taken away.

    \b
    Examples:
        palmares player edit P4 --name "Ada Horvat" --nation HRV --journal federation.db
        palmares player edit P4 --withheld
    """
    if not given["ids"] and all(given[name] is None for name in ("name", "nation", "withheld")):
        raise click.UsageError("Say what changes: --name, --nation, --withheld, --shown or --id.")
    decided(acting, action("edit", player=player, **given), deciding)


# ── of members ───────────────────────────────────────────────────────────────────────────────────

add_member = decision(
    "membership",
    PLAYER,
    FEDERATION,
    click.option("--from", "start", type=DAY, required=True, help="The first day."),
    click.option("--to", "end", type=DAY, help="The last day (default: still a member)."),
    click.option(
        "--level", default="", metavar="WORD", help="The level, in the federation's word."
    ),
    name="add",
    text="""State that PLAYER is a member of FEDERATION from a day on.

    PLAYER is an id, or a name that is only one player's. Stated again with the same first day, the
    later statement counts.

    \b
    Example:
        palmares member add "Ada Novak" usbgf --from 2019-01-01 --level Premium
    """,
)

end_member = decision(
    "ended",
    PLAYER,
    FEDERATION,
    click.option("--to", "day", type=DAY, required=True, help="The last day."),
    name="end",
    text="""State the last day of the membership that PLAYER holds of FEDERATION.

    \b
    Example:
        palmares member end "Ada Novak" usbgf --to 2020-12-31
    """,
)
