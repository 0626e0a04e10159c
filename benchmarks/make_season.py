"""
A federation for the benchmark of the site: 20,000 players, 4,000 tournaments of 50 each.

    season(file)    the journal of it, made where there is none yet
    paste(...)      a report of some of its players and some new ones, as a director pastes it
    BEGAN, ENDED    the first day of it, and the last

The same each time. Names are made of syllables, so that many are nearly alike, as people's are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path

import numpy as np
from make_big import NATIONS, SEED, field_of
from make_data import bracket, name
from make_journal import AT_ONCE, BY, FIELD, reports

from palmares.journal.store.entries import Draft, PersonalData, Sealed
from palmares.journal.store.journal import create_journal

PLAYERS, TOURNAMENTS = 20_000, 4_000
BEGAN, ENDED = date(2019, 1, 1), date(2021, 12, 31)


def season(file: Path) -> None:
    """Write the journal; half of one that was broken off is thrown away."""
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(".half")
    half.unlink(missing_ok=True)
    rng = np.random.default_rng(SEED)
    fields = field_of(rng, np.full(TOURNAMENTS, FIELD), PLAYERS).reshape(-1, FIELD)
    fees = rng.integers(2, 40, TOURNAMENTS) * 10
    journal = create_journal(str(half), clock=lambda: datetime(2022, 1, 1, tzinfo=UTC))
    drafts = chain(_players(names(PLAYERS)), reports(fields, fees))
    with journal.writing(BY) as writer:
        while some := list(islice(drafts, AT_ONCE)):
            writer.extend(some)
    journal.close()
    half.rename(file)


def names(many: int) -> list[str]:
    """So many different names, the same each time."""
    rng, found = random.Random(SEED), dict[str, None]()
    while len(found) < many:
        found[name(rng)] = None
    return list(found)


def nation(number: int) -> str:
    """The nation of a player."""
    return NATIONS[number % len(NATIONS)]


def paste(known: int, new: int) -> str:
    """A report in TOML, each place a line: 'known' players of the season and 'new' ones."""
    everybody = names(PLAYERS + new)
    rng = random.Random(SEED)
    who = [(everybody[one], nation(one)) for one in rng.sample(range(PLAYERS), known)]
    who += [(one, "CZE") for one in everybody[PLAYERS:]]
    rng.shuffle(who)
    lines = "\n".join(_lines(who))
    return f"""\
[tournament]
name = "Great Open"
discipline = "backgammon"
end_date = {ENDED}

[[event]]
name = "Championship"
kind = "championship"
entry_fee = 200
rounds = 9

[event.main]
entrants = {len(who)}
placings = \"\"\"
{lines}
\"\"\"
"""


def _lines(who: Sequence[tuple[str, str]]) -> Iterator[str]:
    ranks = bracket(len(who))
    for rank, (called, country) in zip(ranks, who, strict=True):
        yield f"{rank}{'=' * (ranks.count(rank) > 1)} {called} ({country})"


def _players(called: Sequence[str]) -> Iterator[Draft]:
    """Everybody; the salt of a seal is as made up as the name."""
    for number, one in enumerate(called):
        record = PersonalData(name=one).record()
        salt = sha256(f"salt {number}".encode()).hexdigest()
        seal = sha256(bytes.fromhex(salt) + record.encode()).hexdigest()
        player = f"P{number + 1}"
        body = {"player_id": player, "nation": nation(number), "withheld": False, "person": seal}
        yield Draft(kind="player", subject=player, body=body, sealed=(Sealed(seal, salt, record),))
