"""Two players beside each other: their points over time, and the events that both played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.core.rounding import Nanopoints, to_nanopoints
from palmares.lists.figures.totals import PlayerResults, Result
from palmares.lists.live.update import KeptAwards


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What a player did in an event; in nanopoints, as they were won."""

    flight: str | None  # none: they were not placed
    rank: int | None
    nanopoints: (
        Nanopoints | None
    )  # all kinds together; of a rating what the event changed; none: nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonEvent:
    """An event that two players played."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str
    day: date  # on which the tournament ended
    own: Placed
    theirs: Placed

    @property
    def ahead(self) -> int:
        """1: the first player was placed better in the same flight; -1: worse; 0: neither."""
        ranks = self.own.rank, self.theirs.rank
        if self.own.flight != self.theirs.flight or ranks[0] is None or ranks[1] is None:
            return 0
        return (ranks[0] < ranks[1]) - (ranks[0] > ranks[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """Two players: nanopoints on each of some days, and the events of both, the latest first."""

    days: tuple[date, ...]
    own: tuple[int, ...]
    theirs: tuple[int, ...]
    events: tuple[CommonEvent, ...]
    ahead: int  # how often the first was placed better
    behind: int


def against(player: PlayerResults, rival: PlayerResults, days: Sequence[date]) -> Rivalry:
    """Two players beside each other.

    Args:
        player: the first.
        rival: the other, under the same regulation.
        days: of the two curves, in order; the last is that on which events are looked for.
    """
    events = _common(player, rival, days[-1])
    ahead = [event.ahead for event in events]
    return Rivalry(
        days=tuple(days),
        own=tuple(map(player.nanopoints, days)),
        theirs=tuple(map(rival.nanopoints, days)),
        events=events,
        ahead=ahead.count(1),
        behind=ahead.count(-1),
    )


def _common(player: PlayerResults, rival: PlayerResults, until: date) -> tuple[CommonEvent, ...]:
    """The events in which both were placed or awarded points, the latest first."""
    given, both = player.given, (player, rival)
    won = [
        won_in(given, [result for result in each.results if result.effective <= until])
        for each in both
    ]
    places: list[dict[str, tuple[str, int | None]]] = [{}, {}]
    for each, theirs in zip(both, places, strict=True):
        placings = given.projection.tables["placings"].filter(player_id=each.player_id)
        flight = pl.col("flight").fill_null("main")
        for event, *place in placings.select("event_id", flight, "rank").iter_rows():
            theirs.setdefault(event, (place[0], place[1]))
    played = [set(theirs) | set(points) for theirs, points in zip(places, won, strict=True)]
    events = given.projection.tables["events"].filter(
        pl.col("event_id").is_in(list(played[0] & played[1]))
    )
    rows = [
        CommonEvent(
            **event,
            own=_placed(places[0], won[0], event["event_id"]),
            theirs=_placed(places[1], won[1], event["event_id"]),
        )
        for event in _ended(given, events).iter_rows(named=True)
        if event["day"] <= until
    ]
    return tuple(sorted(rows, key=lambda row: (row.day, row.event_id), reverse=True))


def _ended(given: KeptAwards, events: pl.DataFrame) -> pl.DataFrame:
    """The events that the regulation sees: event_id, event, tournament_id, tournament, day."""
    discipline = pl.col("discipline").str.to_lowercase()
    its = given.question.get_regulation().discipline
    seen = given.projection.tables["tournaments"].filter(discipline.is_null() | (discipline == its))
    tournaments = seen.select("tournament_id", tournament="name", day="end_date")
    both = events.join(tournaments, on="tournament_id")
    return both.select("event_id", "tournament_id", "tournament", "day", event="name")


def _placed(
    places: Mapping[str, tuple[str, int | None]], won: Mapping[str, int], event: str
) -> Placed:
    flight, rank = places.get(event, (None, None))
    return Placed(flight=flight, rank=rank, nanopoints=won.get(event))


def won_in(given: KeptAwards, found: Iterable[Result]) -> Mapping[str, int]:
    """What a player's results of each event gave, in nanopoints: of a rating, how it changed.

    Args:
        given: the awards of a regulation.
        found: the results; of a rating, all up to the last that is looked at, in their order.
    """
    latest, opening = given.question.aggregate.latest, given.question.aggregate.opening
    sums: dict[str, int] = defaultdict(int)
    before: int | None = None
    for one in found:
        if latest and before is None:
            before = _opening(given, one) if opening else 0
        sums[one.event_id] += one.nanopoints - (before or 0)
        before = one.nanopoints if latest else None
    return sums


def _opening(given: KeptAwards, first: Result) -> int:
    """What a player's ratings start from, under the edition of the first."""
    opening = given.question.aggregate.opening
    rules = {one.edition.id: one for one in given.question.rulebook().all}[first.edition]
    return to_nanopoints(opening(rules)) if opening else 0
