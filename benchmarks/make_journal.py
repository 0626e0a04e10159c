"""
A journal as large as wanted, the same each time.

    big(url, tournaments)   a Championship of 50 each, over three years, with one and a half times
                            as many players as tournaments
    people                  how many players that is
    told(number, ...)       the report of one of them, as a draft

Players come first, then reports in the order of time, straight through the journal's own writer.

Usage: python benchmarks/make_journal.py FILE TOURNAMENTS
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import chain, islice
from typing import Any

import numpy as np
from make_big import NATIONS, SEED, bracket, field_of

from palmares.journal.projection.bodies import content_digest
from palmares.journal.store.entries import Actor, Draft, PersonalData, Sealed
from palmares.journal.store.journal import Journal, create_journal

FIELD = 50
FIRST_DAY, DAYS = date(2019, 1, 1), 3 * 365
AT_ONCE = 5_000
BY = Actor("Benchmark", "officer")
RANKS = bracket(np.arange(FIELD)).tolist()


def big(url: str, tournaments: int) -> Journal:
    """Write the journal; nobody may have written to it before."""
    rng, many = np.random.default_rng(SEED), people(tournaments)
    fields = field_of(rng, np.full(tournaments, FIELD), many).reshape(-1, FIELD)
    fees = rng.integers(2, 40, tournaments) * 10
    journal = create_journal(url, clock=lambda: datetime(2022, 1, 1, tzinfo=UTC))
    with journal.writing(BY) as writer:
        drafts = chain(map(player, range(many)), reports(fields, fees))
        while some := list(islice(drafts, AT_ONCE)):
            writer.extend(some)
    return journal


def people(tournaments: int) -> int:
    """How many players a journal has."""
    return max(tournaments * 3 // 2, 1_000)


def player(number: int) -> Draft:
    """A player; the salt of his seal is as made up as his name."""
    record = PersonalData(name=f"Player {number}").record()
    salt = sha256(f"salt {number}".encode()).hexdigest()
    seal = sha256(bytes.fromhex(salt) + record.encode()).hexdigest()
    body = {
        "player_id": f"P{number + 1}",
        "nation": NATIONS[number % len(NATIONS)],
        "withheld": False,
        "person": seal,
    }
    sealed = (Sealed(seal, salt, record),)
    return Draft(kind="player", subject=body["player_id"], body=body, sealed=sealed)


def reports(fields: np.ndarray, fees: np.ndarray) -> Iterator[Draft]:
    """Every tournament's report, in the order of time."""
    many = len(fields)
    for number, (field, fee) in enumerate(zip(fields.tolist(), fees.tolist(), strict=True)):
        yield told(number, FIRST_DAY + timedelta(days=number * DAYS // many), field, fee)


def told(number: int, day: date, field: Sequence[int], fee: int) -> Draft:
    """A report as an entry has it."""
    tournament, event = f"t{number:08}", f"e{number:08}"
    tables: dict[str, dict[str, list[Any]]] = {
        "tournaments": {
            "tournament_id": [tournament],
            "name": [f"Open {number}"],
            "discipline": ["backgammon"],
            "start_date": [str(day - timedelta(days=2))],
            "end_date": [str(day)],
            "setting": ["live"],
            "currency": ["EUR"],
        },
        "events": {
            "event_id": [event],
            "tournament_id": [tournament],
            "name": ["Championship"],
            "kind": ["championship"],
            "entrants": [FIELD],
            "entry_fee": [str(fee)],
            "rounds": [6],
        },
        "flights": {"event_id": [event], "flight": ["main"], "entrants": [FIELD]},
        "placings": {
            "event_id": [event] * FIELD,
            "flight": ["main"] * FIELD,
            "player_id": [f"P{one + 1}" for one in field],
            "rank": RANKS,
        },
    }
    body = {
        "tables": tables,
        "content_sha256": content_digest(tables),
        "source": None,
        "replaces": None,
    }
    return Draft(kind="report", subject=tournament, body=body)


if __name__ == "__main__":
    where, wanted = sys.argv[1:]
    big(where, int(wanted.replace(",", "").replace("_", ""))).close()
