"""player: find, merge, split, keep apart, add, edit; `palmares.cli.reviewing` has the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.acting import Acting, Held, acting, holding
from palmares.cli.deciding import Deciding, decided, deciding
from palmares.cli.groups import Lazy
from palmares.cli.options import writing
from palmares.cli.sources import known_at

if TYPE_CHECKING:
    from palmares.output import Column

SUBCOMMANDS = {
    "find": ("palmares.cli.players:find", "Who somebody is, by id, name or part of it."),
    "suggestions": ("palmares.cli.reviewing:suggestions", "Possible duplicates, to decide on."),
    "review": ("palmares.cli.reviewing:review", "Record what was decided on them in a file."),
    "merge": ("palmares.cli.players:merge", "Two records are one player."),
    "apart": ("palmares.cli.players:apart", "Two players who look alike are two."),
    "split": ("palmares.cli.players:split", "Undo a merge; or somebody else played."),
    "add": ("palmares.cli.players:add", "A player nobody has reported yet."),
    "edit": ("palmares.cli.players:edit", "Name, nation, ids elsewhere; withhold a name."),
}


class Elsewhere(click.ParamType[tuple[str, str]]):
    """An id elsewhere: FEDERATION=ID."""

    name = "federation=id"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Federation and id, or a usage error."""
        if isinstance(value, tuple):
            return value
        scheme, sign, text = (one.strip() for one in value.partition("="))
        if not (scheme and sign):
            self.fail(f"{value!r} is no id elsewhere; write it like usbgf=12345.", param, ctx)
        return scheme, text


reason = click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept.")
elsewhere = click.option(
    "--id",
    "ids",
    type=Elsewhere(),
    multiple=True,
    metavar="FEDERATION=ID",
    help="An id elsewhere, such as usbgf=12345; may be repeated.",
)


@click.group(cls=Lazy, subcommands=SUBCOMMANDS)
def player() -> None:
    """Players of a journal: find, merge, split, keep apart.

    PLAYER is an id, or a name that is exactly one player's: "Ada Novak", "Ada Novak (CZE)".
    """


# ── looking ──────────────────────────────────────────────────────────────────────────────────────


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
    from palmares.errors import Refused
    from palmares.facts.texts import shown
    from palmares.journal.finding import searched
    from palmares.journal.register import Register
    from palmares.journal.snapshots import known
    from palmares.output import emit

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
    from palmares.output import Column

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


# ── deciding ─────────────────────────────────────────────────────────────────────────────────────


@click.command()
@click.argument("player")
@click.argument("into")
@reason
@acting
@deciding
def merge(player: str, into: str, reason: str, acting: Acting, deciding: Deciding) -> None:
    """PLAYER is INTO: from now on his results count for INTO, whose name and nation stay.

    'palmares player split PLAYER' undoes it, and leaves no trace of it in any list.

    \b
    Example:
        palmares player merge P4 "Ada Novak" --reason "asked her" --journal federation.db
    """
    from palmares.journal import players

    decided(acting, players.merge(player, into, reason), deciding)


@click.command()
@click.argument("player")
@click.argument("other")
@reason
@acting
@deciding
def apart(player: str, other: str, reason: str, acting: Acting, deciding: Deciding) -> None:
    """PLAYER and OTHER are two, however alike their names are.

    \b
    Example:
        palmares player apart P1 P4 --reason "mother and daughter" --journal federation.db
    """
    from palmares.journal import players

    decided(acting, players.apart(player, other, reason), deciding)


@click.command()
@click.argument("player")
@click.option(
    "--tournament",
    "tournaments",
    multiple=True,
    metavar="ID",
    help="In which somebody else played; may be repeated. Without it, a merge is undone.",
)
@click.option("--into", metavar="PLAYER", help="Who it was, if he is known; else a new player.")
@click.option("--name", metavar="NAME", help="The new player's name, if it is another.")
@click.option("--nation", metavar="CODE", help="The new player's nation, if it is another.")
@reason
@acting
@deciding
def split(
    player: str,
    tournaments: tuple[str, ...],
    into: str | None,
    name: str | None,
    nation: str | None,
    reason: str,
    acting: Acting,
    deciding: Deciding,
) -> None:
    """Make PLAYER, who was merged, somebody of his own again; or part two who share a name.

    With --tournament, somebody else takes PLAYER's place there: a new player, or --into a known
    one. It stays so when the tournament is reported again.

    \b
    Examples:
        palmares player split P4 --reason "they are sisters" --journal federation.db
        palmares player split P1 --tournament prague-2019 --reason "her namesake played"
    """
    from palmares.journal import players

    cells = {key: value for key, value in (("name", name), ("nation", nation)) if value is not None}
    if (into or cells) and not tournaments:
        raise click.UsageError("--into, --name and --nation go with --tournament.")
    if into and cells:
        raise click.UsageError("--name and --nation are a new player's; --into names a known one.")
    if tournaments:
        action = players.split(player, tournaments, reason, into=into, cells=cells)
    else:
        action = players.unmerge(player, reason)
    decided(acting, action, deciding)


# ── records ──────────────────────────────────────────────────────────────────────────────────────


@click.command()
@click.argument("name")
@click.option("--nation", metavar="CODE", help="The nation held now, such as CZE.")
@click.option("--withheld", is_flag=True, help="The name is not shown in lists.")
@elsewhere
@acting
@deciding
def add(
    name: str,
    nation: str | None,
    withheld: bool,  # noqa: FBT001  a command's option
    ids: tuple[tuple[str, str], ...],
    acting: Acting,
    deciding: Deciding,
) -> None:
    """Add a player nobody has reported yet; reports that name him so mean him.

    \b
    Example:
        palmares player add "Ada Novak" --nation CZE --id usbgf=12345 --journal federation.db
    """
    from palmares.journal import naming

    cells = {"name": name, "nation": nation or "", "withheld": "yes" if withheld else ""}
    decided(acting, naming.added(cells, dict(ids)), deciding)


@click.command()
@click.argument("player")
@click.option("--name", metavar="NAME", help="What he is called now; the old name stays known.")
@click.option("--nation", metavar="CODE", help="The nation held now; empty: none.")
@click.option("--withheld/--shown", default=None, help="Whether lists leave the name out.")
@elsewhere
@acting
@deciding
def edit(
    player: str,
    name: str | None,
    nation: str | None,
    withheld: bool | None,  # noqa: FBT001  a command's option
    ids: tuple[tuple[str, str], ...],
    acting: Acting,
    deciding: Deciding,
) -> None:
    """Change what is known of PLAYER. An id elsewhere without a value is taken away.

    \b
    Examples:
        palmares player edit P4 --name "Ada Horvat" --nation HRV --journal federation.db
        palmares player edit P4 --withheld
    """
    from palmares.journal import naming

    said = None if withheld is None else "yes" if withheld else "no"
    given = (("name", name), ("nation", nation), ("withheld", said))
    cells = {key: value for key, value in given if value is not None}
    if not cells and not ids:
        raise click.UsageError("Say what changes: --name, --nation, --withheld, --shown or --id.")
    decided(acting, naming.edited(player, cells, dict(ids)), deciding)
