"""What one correction of a report moved: the list before it and the list after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from palmares.core.rounding import Nanopoints
from palmares.facts.merge import subset
from palmares.facts.schema import FILE, KEYS, LINE
from palmares.journal.projection.bodies import key_cell
from palmares.journal.projection.project import Projection, State, apply_entries
from palmares.journal.projection.snapshots import from_snapshot
from palmares.journal.store.journal import Reader
from palmares.lists import live
from palmares.lists.figures.players import day_totals, number_of
from palmares.points.awards import Question
from palmares.points.history import Fading

CORRECTED = ("tournaments", "events", "flights", "placings")
"""The tables whose rows are compared before and after a correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMove:
    """A player's rank and points before and after a correction."""

    rank_before: int | None  # none: not on the list
    rank: int | None
    nanopoints_before: Nanopoints
    nanopoints: Nanopoints

    @property
    def gained(self) -> int:
        """How many nanopoints more."""
        return self.nanopoints - self.nanopoints_before


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRow:
    """A row of a report with other cells; no cells before: it was added, none after: removed."""

    table: str
    key: Mapping[str, Any]
    before: Mapping[str, Any]  # the cells that differ
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrectionImpact:
    """What one entry about a tournament changed on the list of the day on which it was recorded."""

    day: date  # or a later one, on which all of the tournament counts
    moves: Mapping[str, PlayerMove]  # of the players with points in the tournament, before or after
    rows: tuple[ChangedRow, ...]
    expired: frozenset[str]  # players whose results in the tournament all had expired by that day


def correction_impact(
    reader: Reader, question: Question, tournament: str, entry: int, now: State
) -> CorrectionImpact:
    """What one entry changed: the same list, known up to the entry before it and up to the entry.

    Args:
        reader: the journal.
        question: the regulation of the list.
        tournament: that the entry is about.
        entry: its number.
        now: the latest state at hand.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: the journal cannot be read.
    """
    before = live.awards_at(question, from_snapshot(reader, entry - 1, since=now))
    delta = apply_entries(before.projection, reader, entry)
    after = live.apply_delta(before, delta)
    rows = [live.of_tournament(given, tournament) for given in (before, after)]
    recorded = date.fromisoformat(delta.after.state.recorded_at[:10])
    day = max([recorded, *(each for frame in rows for each in frame["effective"])])
    players = sorted({each for frame in rows for each in frame["player_id"]})
    old, new = (
        {player: totals.place(number_of(given, player)) or (None, 0) for player in players}
        for given, totals in ((given, day_totals(given, day)) for given in (before, after))
    )
    fades = Fading(question)
    counting = {
        player
        for frame in rows
        for player, *since in frame["player_id", "effective", "edition"].iter_rows()
        if fades.left(*since, day)[0] > 0
    }
    return CorrectionImpact(
        day=day,
        moves={
            player: PlayerMove(
                rank_before=old[player][0],
                rank=new[player][0],
                nanopoints_before=old[player][1],
                nanopoints=new[player][1],
            )
            for player in players
        },
        expired=frozenset(players) - counting,
        rows=tuple(_rows_that_differ(before.projection, delta.after, tournament)),
    )


def _rows_that_differ(
    before: Projection, after: Projection, tournament: str
) -> Iterator[ChangedRow]:
    """The rows of a tournament that one entry changed, added or removed."""
    old, new = (subset(projection.tables, {tournament}) for projection in (before, after))
    for table in CORRECTED:
        key = KEYS[table]
        were, are = (
            {
                tuple(key_cell(name, row[name]) for name in key): row
                for row in tables[table].iter_rows(named=True)
            }
            for tables in (old, new)
        )
        for at in dict.fromkeys((*were, *are)):
            was, now = were.get(at, {}), are.get(at, {})
            cells = [name for name in was or now
                     if name not in (FILE, LINE) and was.get(name) != now.get(name)]  # fmt: skip
            if cells:
                yield ChangedRow(
                    table=table,
                    key=dict(zip(key, at, strict=True)),
                    before={name: was[name] for name in cells if was},
                    after={name: now[name] for name in cells if now},
                )
