"""
Statements that tests record, in one line each, and what a journal makes of them.

    player, report, override, merge, undo, ...   what is stated  ->  Draft
    tables          placings in short  ->  the tables of a report
    seen_by_all     placings  ->  tables of a tournament that every regulation looks at
    reported        tables  ->  the report that has them
    with_a_snapshot  a path -> a journal that has one entry more than makes a snapshot
    as_rows         a projection  ->  its tables as sets of rows, wherever they come from
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from palmares.facts.schema import FILE, LINE
from palmares.journal.projection.bodies import content_digest
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import SNAPSHOT_EVERY
from palmares.journal.store.entries import Actor, Draft, PersonalData, seal
from palmares.journal.store.journal import Journal, create_journal

OFFICER = Actor("Rita Officer", "officer")

Ranks = Mapping[str, int]


def player(
    player_id: str, name: str | None = None, nation: str | None = None, *, withheld: bool = False
) -> Draft:
    """A player, by default named after their id."""
    sealed = seal(PersonalData(name=name or f"Player {player_id}"))
    body = {"player_id": player_id, "nation": nation, "withheld": withheld}
    return Draft(
        kind="player",
        subject=player_id,
        body={**body, "person": sealed.commitment},
        sealed=(sealed,),
    )


def tables(tournament: str, ranks: Ranks, day: str = "2019-11-15", fee: str = "100") -> Any:
    """A championship of backgammon in which some players were placed."""
    event = f"{tournament}/main"
    return {
        "tournaments": {
            "tournament_id": [tournament],
            "name": [f"{tournament} Open"],
            "discipline": ["backgammon"],
            "end_date": [day],
        },
        "events": {
            "event_id": [event],
            "tournament_id": [tournament],
            "name": ["Main"],
            "kind": ["championship"],
            "entrants": [max(len(ranks), *ranks.values())],
            "entry_fee": [fee],
        },
        "placings": {
            "event_id": [event] * len(ranks),
            "player_id": list(ranks),
            "rank": list(ranks.values()),
        },
    }


def seen_by_all(
    tournament: str, ranks: Ranks, day: str, fee: str | None = "100", rounds: int = 3
) -> Any:
    """A Main of eight, of Level 3, in some rounds: every regulation looks at it."""
    found = tables(tournament, ranks, day)
    del found["tournaments"]["discipline"]
    more = {"entrants": 8, "entry_fee": fee, "rounds": rounds, "event_level": 3}
    found["events"] |= {name: [value] for name, value in more.items()} | {"division_rank": ["1"]}
    return found


def report(tournament: str, ranks: Ranks, **more: str) -> Draft:
    """A report of one championship."""
    return reported(tournament, tables(tournament, ranks, **more))


def reported(tournament: str, of_it: Any, source: str | None = None) -> Draft:
    """A report with these tables."""
    body = {
        "content_sha256": content_digest(of_it),
        "source": source,
        "replaces": None,
        "tables": of_it,
    }
    return Draft(kind="report", subject=tournament, body=body)


def withdrawal(tournament: str) -> Draft:
    """A tournament that counts no longer."""
    return Draft(kind="withdrawal", subject=tournament, body={"reason": "never played"})


def override(tournament: str, **cells: Any) -> Draft:
    """What an officer sets in the tournament's only event."""
    body = {"table": "events", "row": {"event_id": f"{tournament}/main"}, "set": cells}
    return Draft(kind="override", subject=tournament, body={**body, "reason": "a slip"})


def instead(tournament: str, before: str, after: str) -> Draft:
    """Another player in somebody's place."""
    body = {"player": {"from": before, "to": after}, "reason": "another one"}
    return Draft(kind="override", subject=tournament, body=body)


def merge(player_id: str, into: str) -> Draft:
    """Two records that are one player's."""
    body = {"player_id": player_id, "into": into, "reason": "married"}
    return Draft(kind="merge", subject=player_id, body=body)


def membership(player_id: str, start: str, end: str | None = None) -> Draft:
    """A member of the usbgf."""
    body = {"player_id": player_id, "federation": "usbgf", "level": "Basic"}
    return Draft(kind="membership", subject=player_id, body={**body, "start": start, "end": end})


def rate(currency: str, day: str, eur: str) -> Draft:
    """An exchange rate."""
    body = {
        "currency": currency, "date": day, "eur_per_unit": eur, "units_per_eur": None,
        "source": "ECB", "published_on": None,
    }  # fmt: skip
    return Draft(kind="rate", subject=currency, body=body)


def undo(sequence: int) -> Draft:
    """An entry that counts no longer."""
    return Draft(kind="undo", subject=str(sequence), body={"undoes": sequence, "reason": "wrong"})


def with_a_snapshot(path: Path) -> Journal:
    """So many players, and a report of two of them: one entry more than makes a snapshot."""
    journal = create_journal(str(path))
    journal.record([player(f"P{number}") for number in range(1, SNAPSHOT_EVERY + 1)], OFFICER)
    journal.record([report("T", {"P1": 1, "P2": 2})], OFFICER)
    return journal


def as_rows(projection: Projection) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table, in an order of their own."""
    return {name: sorted(table.iter_rows(), key=repr) for name, table in projection.tables.items()}


def placed(projection: Projection) -> Sequence[tuple[Any, ...]]:
    """Event, player and rank of every placing."""
    found = projection.tables["placings"].select("event_id", "player_id", "rank")
    return sorted(found.iter_rows())


def entry_of(projection: Projection, table: str, **key: str) -> str:
    """The entry that one row comes from, with its place in the table."""
    found = projection.tables[table].filter(**key).select(pl.format("{}:{}", FILE, LINE))
    return str(found.item())
