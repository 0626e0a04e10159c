"""Points and ranks over time: of a player, and of a nation where points add up to nations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import dropwhile
from typing import Any

import numpy as np

from palmares.core.rounding import Nanopoints
from palmares.lists.figures.movement import ranks_of
from palmares.lists.figures.totals import day_totals
from palmares.lists.live import query
from palmares.points.history import days
from palmares.points.rankings import Selection
from palmares.web.http.state import SingleFlightCache, Snapshot
from palmares.web.shared.figures import totals_on
from palmares.web.shared.lists import result_days
from palmares.web.shared.results import player_results

MONTHS, NATION_MONTHS = 240, 60
"""So many months are looked back; of a nation each is a list of all nations."""
KEPT = 2 * NATION_MONTHS
"""So many days of a regulation are kept: anybody may ask for any day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """Points and rank at the end of a month, or on the last day."""

    day: date
    nanopoints: Nanopoints
    rank: int | None  # none: not on the list


def rank_history(
    snapshot: Snapshot, regulation: str, player: str, until: date
) -> tuple[HistoryPoint, ...]:
    """A player's points and rank at the end of every month, and on a day; the latest last.

    It begins when they were first on the list.
    """

    def make() -> tuple[HistoryPoint, ...]:
        theirs = player_results(snapshot, regulation, player)
        first = min((result.effective for result in theirs.results), default=until)
        if theirs.number is None or first > until:
            return ()
        on = list(days(first, until, "month"))[-MONTHS:]
        ranks = [int(_month(snapshot, regulation, day)[theirs.number]) for day in on[:-1]]
        ranks.append(totals_on(snapshot, regulation, until).rank(theirs.number) or 0)
        return _history(zip(on, map(theirs.nanopoints, on), ranks, strict=True))

    return snapshot.once(("course", regulation, player, until), make)


def nation_history(
    snapshot: Snapshot, regulation: str, code: str, until: date
) -> tuple[HistoryPoint, ...]:
    """A nation's points and rank at the ends of months, and on a day; from the first on the list.

    Raises:
        Refused: the regulation makes no sums over a nation.
    """
    first = result_days(snapshot, regulation).min()
    if not isinstance(first, date) or first > until:
        return ()
    on = list(days(first, until, "month"))[-NATION_MONTHS:]
    months = (_nations(snapshot, regulation, day).get(code, (0, 0)) for day in on)
    return _history((day, points, rank) for day, (rank, points) in zip(on, months, strict=True))


def _history(months: Iterable[tuple[date, int, int]]) -> tuple[HistoryPoint, ...]:
    """Days with points and rank, 0 for no rank, from the first rank on."""
    ranked = dropwhile(lambda one: not one[2], months)
    return tuple(
        HistoryPoint(day=day, nanopoints=points, rank=rank or None) for day, points, rank in ranked
    )


def _nations(snapshot: Snapshot, regulation: str, day: date) -> Mapping[str, tuple[int, int]]:
    """Every nation's rank and points on a day; kept apart from lists, which are few and large."""

    def make() -> Mapping[str, tuple[int, int]]:
        found = query.ranking(snapshot.awarded(regulation), Selection(as_of=day), by="nation")
        rows = found.frame.select("nation", "rank", "nanopoints").iter_rows()
        return {nation: (rank, points) for nation, rank, points in rows}

    kept = snapshot.once(("nations on days", regulation), lambda: SingleFlightCache(KEPT))
    return kept.once(day, make)


def _month(snapshot: Snapshot, regulation: str, day: date) -> Any:
    """Everybody's rank at the end of a month, by number; 0: not on the list."""
    kept: dict[date, Any] = snapshot.once(("ranks of months", regulation), dict)
    if day not in kept:
        kept[day] = ranks_of(day_totals(snapshot.awarded(regulation), day)).astype(np.int32)
    return kept[day]
