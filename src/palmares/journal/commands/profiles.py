"""
Decisions of officers that add and edit players.

An earlier name stays known: a report that uses it still means the same player.
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
    """Add a player.

    Args:
        transaction: where it is recorded.
        name: as it is written.
        nation: as in a table of players.
        withheld: whether the name is withheld, as in a table of players.
        ids: their ids elsewhere: {"usbgf": "12345"}.

    Raises, when it is done:
        FactsRejected: the name is empty, or the nation unknown.
    """
    row = checked_player({"name": name, "nation": nation, "withheld": withheld})
    register = transaction.register
    person = Person(name=row["name"], ids=_ids(ids or {}))
    player = record_new_player(transaction, row, person)
    new = NewPlayer(player, Form(row["name"], row["nation"]), person.ids)
    transaction.notices += [
        Problem(
            at=Location(f"new player {pair.player}"),
            what=pair.text,
            clause=POSSIBLE_DUPLICATES,
            remedy=msg("If they are one player, do not add them."),
        )
        for pair in limit_per_player(possible_duplicates(register, [new]))
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
    """Change a player's name, nation or ids.

    Args:
        transaction: where it is recorded.
        player: their id, or a name that no other player has.
        name: a new name.
        nation: a new nation, as in a table of players; an empty one removes it.
        withheld: whether the name is withheld, as in a table of players.
        ids: new or changed ids elsewhere; an empty one is removed.

    Raises, when it is done:
        Refused: the name was erased, and ids are given without a name.
        FactsRejected: the nation is unknown.
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
        all_ids = {**person.ids, **_ids(ids or {})}
        all_ids = {scheme: id_ for scheme, id_ in all_ids.items() if id_}
        now = Person(name=row["name"], ids=all_ids, more=person.more)
    elif name is not None:
        now = Person(name=row["name"], ids={k: v for k, v in _ids(ids or {}).items() if v})
    elif ids:
        raise Refused(
            hint(
                "ids-need-a-name",
                "The name of %(player)s was erased. Give a name with the ids.",
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
    """Ids elsewhere, normalized.

    Raises:
        FactsRejected: one of them has invisible characters.
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
    """A row of the table of players, checked, but for its id.

    Raises:
        FactsRejected: a cell is wrong.
    """
    given = {"name": None, "nation": None, "withheld": None, **cells}
    return checked_row("players", {"player_id": "P", **given}, title="player")


def record_new_player(transaction: Transaction, row: Mapping[str, Any], person: Person) -> str:
    """Record a new player and return the id."""
    player, sealed = f"P{transaction.register.next_number()}", seal(person)
    withheld = bool(row["withheld"])
    body = Player(
        player_id=player, nation=row["nation"], withheld=withheld, person=sealed.commitment
    )
    transaction.add(player, body, [sealed])
    return player


def main_record(register: Register, wanted: str) -> str:
    """The record, not a merged one, of a player given by id or name.

    Raises:
        Refused: no player fits, or several do, or the record was merged.
    """
    player = find_player_id(register.projection, wanted)
    main = register.canonical_id(player)
    if main != player:
        raise Refused(
            hint(
                "name-the-whole",
                "%(player)s was merged into %(whole)s. Name %(whole)s instead, or undo the merge"
                " first.",
                player=shown(player),
                whole=shown(main),
                id=player,
            )
        )
    return player
