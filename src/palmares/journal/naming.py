"""
Players as officers put them down: new ones, and what is known of one corrected.

    added       a player nobody has reported yet
    edited      another name, nation or id elsewhere; the name withheld, or shown again
    row_of      cells of the table of players  ->  a row, checked
    put         a new player  ->  his id; the entry is at the desk
    whole_of    a record  ->  the same, or a refusal if it is part of another one

A name that was mended stays known: a report that uses the old one still means the same player.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from palmares.errors import FactsRejected, Problem, Refused
from palmares.facts.cells import typed_frames
from palmares.facts.tables import FILE, LINE
from palmares.facts.texts import shown
from palmares.journal.arrivals import ALIKE
from palmares.journal.entries import Draft
from palmares.journal.finding import find
from palmares.journal.lookalikes import Somebody, beside, few, looks_like
from palmares.journal.people import Person, seal
from palmares.journal.recording import Action, Desk
from palmares.journal.register import Form, Register
from palmares.journal.repeats import unchanged
from palmares.journal.versions import version
from palmares.sentences import either, said


def added(cells: Mapping[str, str], ids: Mapping[str, str] | None = None) -> Action:
    """Add a player nobody has reported yet.

    Args:
        cells: his name, nation, and whether it is withheld, as a table of players has them.
        ids: his ids elsewhere: {"usbgf": "12345"}.

    Raises, when it is done:
        FactsRejected: there is no name, or no such nation.
    """

    def act(desk: Desk) -> None:
        row = row_of(cells)
        register = Register.of(desk.projection, desk.writer)
        person = Person(name=row["name"], ids=_ids(ids or {}))
        player = put(desk, register, row, person)
        new = Somebody(player, Form(row["name"], row["nation"]), person.ids)
        desk.notices += [
            Problem(
                where=f"new player {one.player}",
                what=looks_like(one),
                clause=ALIKE,
                remedy=said("If they are one player, he need not be added."),
            )
            for one in few(beside(register, [new]))
        ]

    return act


def edited(
    player: str, cells: Mapping[str, str], ids: Mapping[str, str] | None = None
) -> Action:  # fmt: skip
    """Change what is known of a player.

    Args:
        player: who.
        cells: what shall stand there: name, nation, withheld, as a table of players has them; an
            empty nation is none.
        ids: his ids elsewhere that are new or others; an empty one is taken away.

    Raises, when it is done:
        Refused: the name was erased and none is given.
        FactsRejected: there is no such nation.
    """

    def act(desk: Desk) -> None:
        register = Register.of(desk.projection, desk.writer)
        record = whole_of(register, find(desk.projection, player))
        standing = register.standing(record)
        person = register.persons([record]).get(record)
        if standing is None:
            raise Refused(
                said("There is no player %(player)s in this journal.", player=shown(record))
            )
        body = standing.body
        name = person.name if person is not None else record
        held = {"name": name, "nation": body["nation"], "withheld": str(body["withheld"]).lower()}
        row = row_of({**held, **cells})
        now = None
        if person is not None:
            others = {**person.ids, **_ids(ids or {})}
            kept = {one: value for one, value in others.items() if value}
            now = Person(name=row["name"], ids=kept, more=person.more)
        elif "name" in cells:
            now = Person(name=row["name"], ids={k: v for k, v in _ids(ids or {}).items() if v})
        elif ids:
            raise Refused(
                either(
                    f"The name of {shown(record)} was erased; ids need a name: --name.",
                    said(
                        "The name of %(player)s was erased; ids need a name: say it, too.",
                        player=shown(record),
                    ),
                )
            )
        draft = version(
            body, person, nation=row["nation"], withheld=bool(row["withheld"]), now=now
        )  # fmt: skip
        if draft is None:
            desk.notices.append(unchanged(standing.sequence, f"record of {shown(record)}"))
            return
        desk.add(draft)

    return act


def _ids(ids: Mapping[str, str]) -> dict[str, str]:
    """Ids elsewhere in one spelling.

    Raises:
        FactsRejected: something in one of them cannot be seen.
    """
    found = {}
    for scheme, value in ids.items():
        name, text = (
            "" if not one.strip() else str(row_of({"name": one})["name"]) for one in (scheme, value)
        )
        found[name] = text
    return found


def row_of(cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row of the table of players, checked; its id is not looked at.

    Raises:
        FactsRejected: a cell is wrong.
    """
    given = {"player_id": "P", "name": None, "nation": None, "withheld": None, **cells}
    plain = {name: value.strip() or None if value else None for name, value in given.items()}
    frame = pl.DataFrame(
        {**{name: [text] for name, text in plain.items()}, FILE: ["player"], LINE: [1]},
        schema={**dict.fromkeys(given, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = typed_frames({"players": frame})
    if draft.problems:
        raise FactsRejected(draft.problems, so=said("nothing was recorded"))
    return draft.facts["players"].row(0, named=True)


def put(desk: Desk, register: Register, row: Mapping[str, Any], person: Person) -> str:
    """Put a new player down."""
    player, sealed = f"P{register.next_number()}", seal(person)
    body = {
        "player_id": player,
        "nation": row["nation"],
        "withheld": bool(row["withheld"]),
        "person": sealed.commitment,
    }
    desk.add(Draft(kind="player", subject=player, body=body, sealed=(sealed,)))
    return player


def whole_of(register: Register, player: str) -> str:
    """A record that is part of no other one.

    Raises:
        Refused: it is.
    """
    whole = register.whole(player)
    if whole != player:
        raise Refused(
            either(
                f"{shown(player)} is part of {shown(whole)}. Name {shown(whole)} instead, or let it"
                f" be somebody of his own again: palmares player split {player}.",
                said(
                    "%(player)s is part of %(whole)s. Name %(whole)s instead, or undo the merge"
                    " first.",
                    player=shown(player),
                    whole=shown(whole),
                ),
            )
        )
    return player
