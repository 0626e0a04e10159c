"""Two players beside each other: their points over time, and the events that both played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.core.rounding import Nanopoints, counted
from palmares.lists.figures.cards import points_on
from palmares.lists.figures.totals import Result, number_of, results, titles
from palmares.lists.live.update import KeptAwards
from palmares.points.history import Fading


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
    one: Placed
    other: Placed

    @property
    def ahead(self) -> int:
        """1: the first player was placed better in the same flight; -1: worse; 0: neither."""
        ranks = self.one.rank, self.other.rank
        if self.one.flight != self.other.flight or ranks[0] is None or ranks[1] is None:
            return 0
        return (ranks[0] < ranks[1]) - (ranks[0] > ranks[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """Two players: nanopoints on each of some days, and the events of both, the latest first."""

    days: tuple[date, ...]
    one: tuple[int, ...]
    other: tuple[int, ...]
    events: tuple[CommonEvent, ...]
    ahead: int  # how often the first was placed better
    behind: int


def against(
    given: KeptAwards, players: tuple[str, str], days: Sequence[date], fades: Fading
) -> Rivalry:
    """Two players beside each other.

    Args:
        given: the awards of a regulation.
        players: their ids.
        days: of the two curves, in order; the last is that on which events are looked for.
        fades: how results of the regulation fade.
    """
    events = _common(given, players, days[-1])
    ahead = [one.ahead for one in events]
    return Rivalry(
        days=tuple(days),
        one=points_on(given, players[0], days, fades),
        other=points_on(given, players[1], days, fades),
        events=events,
        ahead=ahead.count(1),
        behind=ahead.count(-1),
    )


def _common(given: KeptAwards, players: tuple[str, str], until: date) -> tuple[CommonEvent, ...]:
    """The events in which both were placed or awarded points, the latest first."""
    won = [
        won_in(given, [one for one in results(given, number_of(given, player))
                       if one.effective <= until])
        for player in players
    ]  # fmt: skip
    table = given.projection.tables["placings"].filter(pl.col("player_id").is_in(players))
    places: dict[str, dict[str, tuple[str, int | None]]] = {player: {} for player in players}
    for player, event, flight, rank in table.select(
        "player_id", "event_id", pl.col("flight").fill_null("main"), "rank"
    ).iter_rows():
        places[player].setdefault(event, (flight, rank))
    played = [set(places[player]) | set(own) for player, own in zip(players, won, strict=True)]
    events = given.projection.tables["events"].filter(
        pl.col("event_id").is_in(list(played[0] & played[1]))
    )
    ended = dict(_ended(given, events).iter_rows())
    known = titles(given, ended)
    rows = [
        CommonEvent(
            event_id=event,
            **known[event]._asdict(),
            day=ended[event],
            one=_placed(places[players[0]], won[0], event),
            other=_placed(places[players[1]], won[1], event),
        )
        for event in known
        if ended[event] <= until
    ]
    return tuple(sorted(rows, key=lambda one: (one.day, one.event_id), reverse=True))


def _ended(given: KeptAwards, events: pl.DataFrame) -> pl.DataFrame:
    """The events that the regulation sees, and the days on which their tournaments ended."""
    discipline = pl.col("discipline").str.to_lowercase()
    its = given.question.get_regulation().discipline
    seen = given.projection.tables["tournaments"].filter(discipline.is_null() | (discipline == its))
    both = events.join(seen.select("tournament_id", "end_date"), on="tournament_id")
    return both.select("event_id", "end_date")


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
    return counted(opening(rules)) if opening else 0
