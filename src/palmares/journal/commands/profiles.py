"""
Players as officers put them down: new ones, and what is known of one corrected.

A name that was mended stays known: a report that uses the old one still means the same player.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import hint, msg
from palmares.facts.text import shown
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.journal.commands.transaction import Transaction, action, already_recorded, checked_row
from palmares.journal.identity.duplicates import (
    NewPlayer,
    limit_per_player,
    possible_duplicates,
)
from palmares.journal.identity.register import Form, Register
from palmares.journal.identity.search import find_player_id
from palmares.journal.identity.updates import next_version
from palmares.journal.store.kinds import Player
from palmares.journal.store.persons import Person, seal


@action
def add_player(
    transaction: Transaction,
    name: str = "",
    *,
    nation: str | None = None,
    withheld: str | None = None,
    ids: Mapping[str, str] | None = None,
) -> None:
    """Add a player nobody has reported yet.

    Args:
        transaction: where it is recorded.
        name: as it is written.
        nation: as a table of players has it.
        withheld: whether the name is not shown, as a table of players has it.
        ids: their ids elsewhere: {"usbgf": "12345"}.

    Raises, when it is done:
        FactsRejected: there is no name, or no such nation.
    """
    row = checked_player({"name": name, "nation": nation, "withheld": withheld})
    register = transaction.register
    person = Person(name=row["name"], ids=_ids(ids or {}))
    player = record_new_player(transaction, register, row, person)
    new = NewPlayer(player, Form(row["name"], row["nation"]), person.ids)
    transaction.notices += [
        Problem(
            at=Location(f"new player {lookalike.player}"),
            what=lookalike.text,
            clause=POSSIBLE_DUPLICATES,
            remedy=msg("If they are one player, nobody need be added."),
        )
        for lookalike in limit_per_player(possible_duplicates(register, [new]))
    ]


@action
def edit_player(
    transaction: Transaction,
    player: str,
    *,
    name: str | None = None,
    nation: str | None = None,
    withheld: str | None = None,
    ids: Mapping[str, str] | None = None,
) -> None:
    """Change what is known of a player.

    Args:
        transaction: where it is recorded.
        player: who.
        name: another one.
        nation: another one, as a table of players has it; an empty one is none.
        withheld: whether the name is not shown, as a table of players has it.
        ids: their ids elsewhere that are new or others; an empty one is taken away.

    Raises, when it is done:
        Refused: the name was erased and none is given.
        FactsRejected: there is no such nation.
    """
    register = transaction.register
    record = main_record(register, player)
    current = register.in_force(record)
    person = register.persons([record]).get(record)
    if current is None:
        raise Refused(msg("There is no player %(player)s in this journal.", player=shown(record)))
    body = current.body
    row = checked_player(
        {
            "name": name if name is not None else person.name if person is not None else record,
            "nation": body.nation if nation is None else nation,
            "withheld": str(body.withheld).lower() if withheld is None else withheld,
        }
    )
    now = None
    if person is not None:
        others = {**person.ids, **_ids(ids or {})}
        kept = {one: value for one, value in others.items() if value}
        now = Person(name=row["name"], ids=kept, more=person.more)
    elif name is not None:
        now = Person(name=row["name"], ids={k: v for k, v in _ids(ids or {}).items() if v})
    elif ids:
        raise Refused(
            hint(
                "ids-need-a-name",
                "The name of %(player)s was erased; ids need a name: say it, too.",
                player=shown(record),
            )
        )
    is_withheld = bool(row["withheld"])
    later = next_version(body, person, nation=row["nation"], withheld=is_withheld, now=now)
    if later is None:
        transaction.notices.append(already_recorded(current.sequence, f"record of {shown(record)}"))
    else:
        transaction.extend([later])


def _ids(ids: Mapping[str, str]) -> dict[str, str]:
    """Ids elsewhere in one spelling.

    Raises:
        FactsRejected: something in one of them cannot be seen.
    """
    found = {}
    for scheme, value in ids.items():
        name, text = (
            "" if not one.strip() else str(checked_player({"name": one})["name"])
            for one in (scheme, value)
        )
        found[name] = text
    return found


def checked_player(cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row of the table of players, checked; its id is not looked at.

    Raises:
        FactsRejected: a cell is wrong.
    """
    given = {"name": None, "nation": None, "withheld": None, **cells}
    return checked_row("players", {"player_id": "P", **given}, title="player")


def record_new_player(
    transaction: Transaction, register: Register, row: Mapping[str, Any], person: Person
) -> str:
    """Put a new player down."""
    player, sealed = f"P{register.next_number()}", seal(person)
    withheld = bool(row["withheld"])
    body = Player(
        player_id=player, nation=row["nation"], withheld=withheld, person=sealed.commitment
    )
    transaction.add(player, body, [sealed])
    return player


def main_record(register: Register, wanted: str) -> str:
    """The record of a player given by id or by name, which is part of no other one.

    Raises:
        Refused: nobody goes by it, or more than one; it is part of another one.
    """
    player = find_player_id(register.projection, wanted)
    whole = register.canonical_id(player)
    if whole != player:
        raise Refused(
            hint(
                "name-the-whole",
                "%(player)s is part of %(whole)s. Name %(whole)s instead, or undo the merge first.",
                player=shown(player),
                whole=shown(whole),
                id=player,
            )
        )
    return player
