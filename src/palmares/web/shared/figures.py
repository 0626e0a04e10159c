"""Figures of players that several pages show, kept as long as the journal does not grow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from palmares.core.rounding import Nanopoints
from palmares.journal.store.journal import Journal
from palmares.lists.figures.movement import (
    EarlierList,
    corrections,
    earlier_list,
    published_list,
)
from palmares.lists.figures.totals import DayTotals, day_totals
from palmares.lists.publication import manifests
from palmares.web.http.state import SingleFlightCache, Snapshot
from palmares.web.shared.names import ShownPlayer, with_name
from palmares.web.shared.publications import published_days

A_WEEK = timedelta(days=7)
DAYS = 40
"""So many days of a regulation are kept: anybody may ask for any day."""


def totals_on(snapshot: Snapshot, regulation: str, day: date) -> DayTotals:
    """Everybody's totals on a day; on one to come, as they will be if nothing is added."""
    kept = snapshot.once(("totals on", regulation), lambda: SingleFlightCache(DAYS))
    return kept.once(day, lambda: day_totals(snapshot.awarded(regulation), day))


def last_published(snapshot: Snapshot, regulation: str, day: date) -> date | None:
    """The day of the last whole list that was published for a day before; none: there is none."""
    return max((one for one in published_days(snapshot, regulation) if one < day), default=None)


def earlier(journal: Journal, snapshot: Snapshot, regulation: str, day: date) -> EarlierList:
    """The list that movement up to a day is measured from.

    It is the last that was published for a day before, as it was published; where none was, the
    list of a week ago as it is known now.
    """
    since = last_published(snapshot, regulation, day)

    def make() -> EarlierList:
        if since is None:
            return earlier_list(snapshot.awarded(regulation), day - A_WEEK)
        with journal.reading() as reader:
            entry = published_days(snapshot, regulation)[since]
            found = manifests.recorded_manifest(reader, entry).publication
        return published_list(found.frame(), since, found.head.sequence if found.head else 0)

    return snapshot.once(("earlier", regulation, since or day - A_WEEK), make)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPlayer(ShownPlayer):
    """Whose points on the last published list would be others today."""

    rank_before: int | None
    rank: int | None
    nanopoints_before: Nanopoints
    nanopoints: Nanopoints
    change: Nanopoints
    tournament_id: str | None  # the first that was reported again
    tournament: str | None


def corrected_players(
    snapshot: Snapshot, regulation: str, published: EarlierList, today: EarlierList | None = None
) -> tuple[CorrectedPlayer, ...]:
    """Whose points on a published list would be others today, the largest change first.

    Args:
        snapshot: what is known.
        regulation: of the list.
        published: the list as it was published.
        today: the same list as it is known now; none: that of all players and results.
    """
    table = snapshot.facts["tournaments"]

    def name(tournament: str | None) -> str | None:
        at = table["tournament_id"].index_of(tournament) if tournament else None
        return tournament if at is None else str(table["name"][at])

    rows = []
    for correction in corrections(snapshot.awarded(regulation), published, today):
        tournament = next(iter(correction.tournaments), None)
        rows.append(
            with_name(
                CorrectedPlayer,
                snapshot,
                correction,
                change=correction.nanopoints - correction.nanopoints_before,
                tournament_id=tournament,
                tournament=name(tournament),
            )
        )
    return tuple(rows)
