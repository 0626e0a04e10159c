"""player: its commands, and who somebody is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import Lazy
from palmares.cli.journal.acting import Held, holding
from palmares.cli.options import writing
from palmares.cli.sources import known_at

if TYPE_CHECKING:
    from palmares.render.tables import Column

SUBCOMMANDS = {
    "find": ("palmares.cli.journal.players:find", "Who somebody is, by id, name or part of it."),
    "suggestions": (
        "palmares.cli.journal.reviewing:suggestions",
        "Possible duplicates, to decide on.",
    ),
    "review": (
        "palmares.cli.journal.reviewing:review",
        "Record what was decided on them in a file.",
    ),
    "merge": ("palmares.cli.journal.decisions:merge", "Two records are one player."),
    "apart": ("palmares.cli.journal.decisions:apart", "Two players who look alike are two."),
    "split": ("palmares.cli.journal.decisions:split", "Undo a merge; or somebody else played."),
    "add": ("palmares.cli.journal.decisions:add_player", "A player nobody has reported yet."),
    "edit": (
        "palmares.cli.journal.decisions:edit",
        "Name, nation, ids elsewhere; withhold a name.",
    ),
}


@click.group(cls=Lazy, subcommands=SUBCOMMANDS)
def player() -> None:
    """Players of a journal: find, merge, split, keep apart.

    PLAYER is an id, or a name that is exactly one player's: "Ada Novak", "Ada Novak (CZE)".
    """


@click.command()
@click.argument("text")
@holding
@known_at
@click.option("--most", type=click.IntRange(min=1), default=20, show_default=True, help="Rows.")
@writing
def find(
    text: str,
    held: Held,
    known_at: str | None,
    most: int,
    format: str,  # noqa: A002
    output: str | None,
) -> None:
    """Who TEXT may mean: an id, an id elsewhere, a name, or part of one.

    \b
    Examples:
        palmares player find "Ada Novak" --journal federation.db
        palmares player find nova
        palmares player find usbgf=12345
    """
    from palmares.core.errors import Refused
    from palmares.facts.text import shown
    from palmares.journal.identity.register import Register
    from palmares.journal.identity.search import searched
    from palmares.journal.projection.snapshots import known
    from palmares.render.tables import emit

    if not text.strip():
        raise click.UsageError("Say whom: an id, a name, or part of one.")
    with held.opened() as journal:
        projection = known(journal, known_at)
        with journal.reading() as reader:
            found = searched(Register.of(projection, reader), text, most)
    if not found:
        raise Refused(f"No player has an id or a name like {shown(text)}.")
    rows = [
        {
            "player_id": one.player_id,
            "name": one.name + " (withheld)" * (one.withheld and one.name != "(erased)"),
            "nation": one.nation,
            "ids": ", ".join(f"{scheme}={value}" for scheme, value in sorted(one.ids.items())),
            "tournaments": one.tournaments,
            "first_day": one.first_day,
            "last_day": one.last_day,
            "memberships": "; ".join(one.memberships),
            "merged": ", ".join(one.merged),
            "by": one.by,
        }
        for one in found
    ]
    emit(
        rows,
        _columns(rows),
        format=format,
        output=output,
    )


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[Column]:
    """The columns of players who were found; those in which nobody has anything are not shown."""
    from palmares.render.tables import Column

    return [
        Column("player_id", "id"),
        Column("name"),
        Column("nation"),
        Column("ids", "ids elsewhere", hidden=not any(row["ids"] for row in rows)),
        Column("tournaments", kind="number"),
        Column("first_day", kind="date"),
        Column("last_day", kind="date"),
        Column("memberships", hidden=not any(row["memberships"] for row in rows)),
        Column("merged", "merged from", hidden=not any(row["merged"] for row in rows)),
        Column("by", "found by"),
    ]
