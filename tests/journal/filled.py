"""
Journals with something in them.

    DIRECTOR, OFFICER   who records
    report              a report that a director hands in, with its players, as drafts
    filled              a database  ->  a journal with every kind of name: there, erased, said again
    dumped              a journal  ->  every row of its tables
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from palmares.journal.store.entries import Actor, Draft, PersonalData, Sealed, seal
from palmares.journal.store.journal import ENTRIES, PERSONS, Journal, create_journal

DIRECTOR = Actor("Dita Ředitelka", "director")
OFFICER = Actor("Otto Officer", "officer")
ADMINISTRATOR = Actor("Ada Admin", "administrator")


RATE = {"currency": "USD", "date": "2019-12-31", "eur_per_unit": "1.125", "rate": 1.125}
"""With a number, which can be spelt in more than one way."""


def player(player_id: str, name: str, nation: str = "CZE") -> Draft:
    """A player whose name is sealed."""
    sealed = seal(PersonalData(name=name, ids={"usbgf": f"u-{player_id}"}))
    return Draft(kind="player", subject=player_id, body=player_body(player_id, sealed, nation),
                 sealed=(sealed,))  # fmt: skip


def player_body(player_id: str, sealed: Sealed, nation: str) -> dict[str, Any]:
    """What an entry says of a player."""
    return {
        "player_id": player_id,
        "nation": nation,
        "withheld": False,
        "person": sealed.commitment,
    }


def report(number: int, players: Sequence[str] = ("a", "b")) -> list[Draft]:
    """A report and the players it brings: one transaction."""
    tournament = f"T{number}"
    tables = {
        "placings": {
            "player_id": [f"{tournament}-{one}" for one in players],
            "rank": list(range(1, len(players) + 1)),
            "points": ["12.5"] * len(players),
        }
    }
    body = {"tables": tables, "name": 'Пражский Open 𝔓 \u2028 "quoted" \\ \t'}
    return [
        *(player(f"{tournament}-{one}", f"Ünal {one} of {number}") for one in players),
        Draft(kind="report", subject=tournament, body=body, key=f"report {number}"),
    ]


def filled(url: str) -> Journal:
    """Ten entries: players, reports, a rate; one name erased, one said again for another nation."""
    journal = create_journal(url)
    first = journal.record(report(1), DIRECTOR)
    with journal.reading() as reader:
        names = dict(reader.sealed())
    again = names[first[1].sequence]
    gone = names[first[0].sequence].commitment
    journal.record(
        [
            Draft(kind="rate", subject="USD", body=RATE),
            Draft(kind="player", subject="T1-b", body=player_body("T1-b", again, "GER")),
        ],
        OFFICER,
    )
    journal.record(report(2, ("a", "b", "c")), DIRECTOR)
    with journal.writing(ADMINISTRATOR) as writer:
        writer.extend(
            [Draft(kind="erasure", subject="T1-a", body={"reason": "asked", "persons": [gone]})]
        )
        writer.erase([gone])
    return journal


def dumped(connection: sa.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the two tables."""
    found = {}
    for table, key in ((ENTRIES, ENTRIES.c.sequence), (PERSONS, PERSONS.c.commitment)):
        rows = connection.execute(sa.select(table).order_by(key))
        found[table.name] = [tuple(row) for row in rows]
    return found
