"""player suggestions, player review: possible duplicates, one by one or in a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.journal.acting import Acting, Held, acting, holding
from palmares.cli.journal.confirm import Deciding, decided, deciding
from palmares.cli.options import writing
from palmares.cli.sources import encoding

if TYPE_CHECKING:
    from palmares.journal.identity.duplicates import Lookalike
    from palmares.journal.identity.register import Last, Register
    from palmares.render.tables import Column

FIRST = 20
"""Pairs that are printed without --most; a file has all of them."""
LATEST = 5
"""Tournaments that are named of each player."""


@click.command()
@holding
@click.option(
    "--min",
    "least",
    type=click.IntRange(0, 100),
    metavar="SCORE",
    help="Only pairs this much alike, from 0 to 100 (default: 85).",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Rows (default: {FIRST}; in a file, all).",
)
@writing
def suggestions(
    held: Held,
    least: int | None,
    most: int | None,
    format: str,  # noqa: A002
    output: str | None,
) -> None:
    """Pairs of players who may be one, with what speaks for it and how to decide.

    With -o FILE, fill in its column 'decision' (same, different or later) and record it with
    'palmares player review FILE'. A pair that was merged, or is kept apart, is not shown again,
    until that is undone. Two who met in one event are never shown.

    \b
    Examples:
        palmares player suggestions --min 90 --journal federation.db
        palmares player suggestions -o pairs.xlsx --journal federation.db
    """
    from palmares.journal.identity.duplicates import LEAST
    from palmares.journal.identity.duplicates import suggestions as queue
    from palmares.journal.identity.register import Register
    from palmares.journal.projection.snapshots import known
    from palmares.render.tables import emit

    with held.opened() as journal:
        projection = known(journal)
        with journal.reading() as reader:
            register = Register.of(projection, reader)
            found = queue(register, LEAST if least is None else least)
            rows = _pairs(register, found[: most or (FIRST if output is None else None)])
    if not rows and format == "table" and output is None:
        click.echo("There is nobody to decide on.")
        return
    notes = [f"{row['number']}  {row[what]}" for row in rows for what in ("merge", "apart")]
    left = len(found) - len(rows)
    notes += [f"… and {left:,} more pairs; --most shows them."] if left else []
    emit(
        rows,
        _columns(to_fill=output is not None),
        format=format,
        output=output,
        notes=notes if output is None else (),
    )


def _columns(*, to_fill: bool) -> list[Column]:
    """The columns of pairs: of a file, with a place for the decision; else with the commands."""
    from palmares.render.tables import Column

    evidence = [
        Column("score", kind="number"),
        Column("player_id", "id"),
        Column("player"),
        Column("last", "last played", "date"),
        Column("tournaments", hidden=not to_fill),
        Column("other_id", "id"),
        Column("other"),
        Column("other_last", "last played", "date"),
        Column("other_tournaments", hidden=not to_fill),
        Column("why"),
    ]
    if to_fill:
        return [Column("decision"), *evidence]
    commands = [Column("merge", hidden=True), Column("apart", hidden=True)]
    return [Column("number", "no.", "number"), *evidence, *commands]


def _pairs(register: Register, found: Sequence[Lookalike]) -> list[dict[str, Any]]:
    """Pairs as rows, the older record first; the newer one goes if they are one."""
    played = register.played({one for pair in found for one in (pair.player, pair.other)})
    rows = []
    for number, one in enumerate(found, 1):
        stays, goes = one.player, one.other
        pair = f"{quote(goes)} {quote(stays)} --reason ..."
        rows.append(
            {
                "decision": "",
                "number": number,
                "score": one.score,
                "player_id": stays,
                "player": str(one.form),
                "last": played[stays][-1].day if stays in played else None,
                "tournaments": _listed(played.get(stays, ())),
                "other_id": goes,
                "other": str(one.other_form),
                "other_last": played[goes][-1].day if goes in played else None,
                "other_tournaments": _listed(played.get(goes, ())),
                "why": one.why,
                "merge": f"palmares player merge {pair}",
                "apart": f"palmares player apart {pair}",
            }
        )
    return rows


def _listed(played: Sequence[Last]) -> str:
    """The latest tournaments of a player, and how many more there are."""
    latest = [f"{one.tournament}, {one.day}" for one in reversed(played[-LATEST:])]
    more = len(played) - len(latest)
    return "; ".join([*latest, *([f"{more} more"] if more else [])])


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why; it is kept (default: reviewed in FILE).",
)
@encoding
@acting
@deciding
def review(
    file: str, reason: str | None, encoding: str | None, acting: Acting, deciding: Deciding
) -> None:
    """Record what was decided in FILE, which 'palmares player suggestions -o FILE' wrote.

    Of each row, the column 'decision' counts: same (one player: the newer record is merged into
    the older one), different (two players, who are not suggested again), later or nothing. All of
    it is recorded together. A row whose players are not what they were is named, with the reason,
    and nothing is recorded.

    \b
    Example:
        palmares player review pairs.xlsx --journal federation.db
    """
    from palmares.cli.journal import decided_pairs
    from palmares.core.errors import Refused
    from palmares.facts.text import shown
    from palmares.journal.commands import reviews

    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file}: cannot be read ({error.strerror}).") from None
    pairs = decided_pairs.read(content, file, encoding)
    why = reason or f"reviewed in {shown(Path(file).name)}"
    decided(acting, reviews.review(pairs, why), deciding)
