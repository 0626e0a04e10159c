"""All totals of a day; a player's results, what they will lose, and a comparison with a rival."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.core.rounding import Nanopoints, divided_half_up, to_nanopoints
from palmares.lists import live
from palmares.lists.live import JournalAwards
from palmares.points import ledger
from palmares.points.awards import Question
from palmares.points.history import Fading
from palmares.points.inputs import of_discipline
from palmares.points.ledger import DayTotals
from palmares.points.rankings import Selection, by_event
from palmares.regulations.model import FLIGHTS, MAIN


def day_totals(given: JournalAwards, day: date) -> DayTotals:
    """Everybody's totals on a day."""
    return ledger.day_totals(given.ledger, Selection(as_of=day))


def number_of(given: JournalAwards, player_id: str) -> int | None:
    """A player's number in the ledger; none: they have no awards."""
    same = given.names.players["player_id"] == player_id
    number = same.arg_max()  # to ask for all that are the same takes ten times as long
    return None if number is None or not same[number] else number


def results_until(given: JournalAwards, number: int | None, day: date) -> int:
    """How many results of a player count from a day on or from an earlier one."""
    if number is None:
        return 0
    classes = given.of(np.array([number]))["award_class"]
    return int((given.names.award_classes["effective"].gather(classes) <= day).sum())


# ── one player's results ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class OfEvent:
    """An event of a tournament, as a base of what is said about it."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str


class AwardResult(NamedTuple):
    """An award of a player."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str
    flight: str
    kind: str
    effective: date
    edition: str
    nanopoints: Nanopoints  # when it is new; a rating: after the event


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayerResults:
    """A player's results under a regulation, and how they fade."""

    given: JournalAwards
    player_id: str
    number: int | None  # in the ledger; none: they have no awards
    results: tuple[AwardResult, ...]  # in the order of time
    fades: Fading

    @property
    def latest(self) -> bool:
        """Whether the latest result replaces those before."""
        return self.given.question.aggregate.latest

    def counting(self, day: date) -> list[AwardResult]:
        """The results that count on a day: those with something left, of a rating the last."""
        begun = [result for result in self.results if result.effective <= day]
        if self.latest:
            return begun[-1:]
        return [result for result in begun if self._left(result, day)[0] > 0]

    def worth(self, result: AwardResult, day: date) -> Fraction:
        """What a result is worth on a day from which it counts, in exact nanopoints."""
        left, parts = self._left(result, day)
        return Fraction(result.nanopoints * max(left, 0), parts)

    def ends(self, result: AwardResult) -> date | None:
        """The first day on which nothing of a result is left; none: it always counts."""
        return self.fades.ends(result.effective, result.edition)

    def nanopoints(self, day: date) -> int:
        """All that counts on a day, 0 if nothing does; on one to come, as nothing changes."""
        if self.latest:
            last = self.counting(day)
            return last[0].nanopoints if last else 0
        sums: dict[int, int] = {}
        for result in self.results:
            if result.effective <= day:
                left, parts = self._left(result, day)
                sums[parts] = sums.get(parts, 0) + result.nanopoints * max(left, 0)
        common = lcm(*sums)
        total = sum(points * (common // parts) for parts, points in sums.items())
        return divided_half_up(total, common)

    def _left(self, result: AwardResult, day: date) -> tuple[int, int]:
        return self.fades.left(result.effective, result.edition, day)


def player_results(
    given: JournalAwards, player_id: str, fades: Fading | None = None
) -> PlayerResults:
    """A player's results; without a fading, that of the regulation."""
    return results_of_players(given, [player_id], fades)[player_id]


def results_of_players(
    given: JournalAwards, players: Sequence[str], fades: Fading | None = None
) -> dict[str, PlayerResults]:
    """The results of some players, by id: to ask for ten takes no longer than for one."""
    ids = given.names.players["player_id"]
    numbers = ids.is_in(pl.Series(players, dtype=pl.String).implode()).arg_true()
    by_id = dict(zip(ids.gather(numbers), numbers, strict=True))
    rows: dict[str, list[AwardResult]] = {player: [] for player in players}
    if by_id:
        awards = live.of_players(given, *numbers)[["player_id", *AwardResult._fields]]
        for player, *award in awards.iter_rows():
            rows[player].append(AwardResult._make(award))
    fades = fades or Fading(given.question)
    return {
        player: PlayerResults(
            given=given,
            player_id=player,
            number=by_id.get(player),
            results=tuple(results),
            fades=fades,
        )
        for player, results in rows.items()
    }


# ── where they stand ─────────────────────────────────────────────────────────────────────────────


def national_rank(player: PlayerResults, totals: DayTotals, nation: str) -> int | None:
    """A player's rank on the list of a nation; none: not on it."""
    given = player.given
    if by_event(given.question):  # a list of a nation has the points won under it, no others
        places = live.places(given, Selection(as_of=totals.day, nation=nation))
        at = places["player_id"].index_of(player.player_id)
        return None if at is None else int(places["rank"][at])
    total = totals.total(player.number)
    if total is None:
        return None
    return 1 + int((given.people(totals.higher(total))["nation"] == nation).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAbove:
    """The player next above another on a list."""

    player_id: str
    rank: int
    nanopoints: Nanopoints
    gap: Nanopoints  # nanopoints between them


def next_above(player: PlayerResults, now: DayTotals) -> NextAbove | None:
    """The player next above on the list of a day; none: the player is first, or not on it.

    Of several with equal totals, the first by ID, as numbers differ between processes.
    """
    own, ids = now.total(player.number), player.given.names.players["player_id"]
    above = [] if player.number is None else now.above(player.number).tolist()
    number = min(above, key=ids.__getitem__, default=None)
    theirs = now.total(number)
    if own is None or number is None or theirs is None:
        return None
    gap = theirs - own
    return NextAbove(
        player_id=ids[number],
        rank=now.rank(number) or 0,
        nanopoints=divided_half_up(theirs.numerator, theirs.denominator),
        gap=divided_half_up(gap.numerator, gap.denominator),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The most points that a player ever had, and the first day on which they had them."""

    day: date
    nanopoints: Nanopoints


def peak(player: PlayerResults, until: date) -> Peak | None:
    """The most points of a player up to a day; none: they never had any.

    Points rise on a day on which a result begins to count, and on no other, so no other is looked
    at.
    """
    days = sorted({result.effective for result in player.results if result.effective <= until})
    points = [(player.nanopoints(day), day) for day in days]
    if not points:
        return None
    most, day = max(points, key=lambda pair: (pair[0], -pair[1].toordinal()))
    return Peak(day=day, nanopoints=most) if most > 0 or player.latest else None


PERIODS = (30, 90, 365)
"""Days that are looked ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss(OfEvent):
    """What the results of one event lose until a day; points are nanopoints."""

    lost: Nanopoints
    expires_on: date | None  # the first day on which nothing of it is left; none: later, or never


@dataclass(frozen=True, slots=True, kw_only=True)
class LossPeriod:
    """What a player loses until a day if nothing is added; points are nanopoints.

    ``left`` is the total now without what is lost and with what begins to count in between.
    """

    day: date
    lost: Nanopoints
    begins: Nanopoints  # of results that are known and begin to count by then
    left: Nanopoints  # 0: nothing
    rank: int | None  # none: not on the list
    losses: tuple[Loss, ...]  # the largest first


@dataclass(frozen=True, slots=True, kw_only=True)
class NextExpiry(OfEvent):
    """The next results that count no more; they are of one event."""

    day: date  # the first on which they do not count
    nanopoints: Nanopoints  # what they are worth now


def losses(
    player: PlayerResults, now: DayTotals, ahead: Sequence[DayTotals]
) -> tuple[LossPeriod, ...]:
    """What a player loses from a day until some later days, if nothing is added.

    Args:
        player: whose.
        now: everybody's totals on the day it is.
        ahead: the same on the later days.
    """
    counting = [] if player.latest else player.counting(now.day)
    worth = [(result, player.worth(result, now.day)) for result in counting]
    ends: dict[str, date | None] = {}
    for result in counting:
        end = player.ends(result)
        other = ends.get(result.event_id, end)
        ends[result.event_id] = max(end, other) if end and other else None
    return tuple(_until(player, worth, ends, now, then) for then in ahead)


def _until(
    player: PlayerResults,
    worth: Iterable[tuple[AwardResult, Fraction]],
    ends: Mapping[str, date | None],
    now: DayTotals,
    then: DayTotals,
) -> LossPeriod:
    """What is lost until a day, given what results are worth now and when events end."""
    lost: dict[str, Fraction] = defaultdict(Fraction)
    for result, before in worth:
        lost[result.event_id] += before - player.worth(result, then.day)
    rows = [
        Loss(
            event_id=event,
            event=result.event,
            tournament_id=result.tournament_id,
            tournament=result.tournament,
            lost=divided_half_up(lost[event].numerator, lost[event].denominator),
            expires_on=end if (end := ends[event]) and end <= then.day else None,
        )
        for event, result in {result.event_id: result for result, _ in worth}.items()
        if lost[event]
    ]
    total = sum(lost.values(), Fraction())
    more = (
        player.worth(result, then.day)
        for result in player.results
        if now.day < result.effective <= then.day
    )
    begins = Fraction() if then.latest else sum(more, Fraction())
    return LossPeriod(
        day=then.day,
        lost=divided_half_up(total.numerator, total.denominator),
        begins=divided_half_up(begins.numerator, begins.denominator),
        left=then.nanopoints(player.number) or 0,
        rank=then.rank(player.number),
        losses=tuple(sorted(rows, key=lambda row: (-row.lost, row.event_id))),
    )


def next_expiry(player: PlayerResults, day: date) -> NextExpiry | None:
    """The next results of a player that count no more; none: nothing ends."""
    if player.fades.lasts:
        return None
    ends = [(end, result) for result in player.counting(day) if (end := player.ends(result))]
    if not ends:
        return None
    end, first = min(ends, key=lambda pair: (pair[0], pair[1].event_id))
    event = first.event_id
    ending = (
        player.worth(result, day) for of, result in ends if (of, result.event_id) == (end, event)
    )
    total = sum(ending, Fraction())
    return NextExpiry(
        day=end,
        event_id=event,
        event=first.event,
        tournament_id=first.tournament_id,
        tournament=first.tournament,
        nanopoints=divided_half_up(total.numerator, total.denominator),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightPlace:
    """A player's place in a flight of an event."""

    flight: str
    rank: int | None  # none: withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerPlacing:
    """What a player did in an event; in nanopoints, as they were won."""

    places: tuple[FlightPlace, ...]  # the Main first; none: they were not placed
    nanopoints: Nanopoints | None  # of all flights and kinds; of a rating its change; none: nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonEvent(OfEvent):
    """An event that two players played."""

    day: date  # on which the tournament ended
    own: PlayerPlacing
    theirs: PlayerPlacing

    @property
    def ahead(self) -> int:
        """1: the first player was placed better in the first flight; -1: worse; 0: neither."""
        own, theirs = (next(iter(each.places), None) for each in (self.own, self.theirs))
        if not (own and theirs and own.rank and theirs.rank) or own.flight != theirs.flight:
            return 0
        return (own.rank < theirs.rank) - (own.rank > theirs.rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalDay:
    """The points of two players on a day."""

    day: date
    own: Nanopoints
    theirs: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """Two players: their points over time, and the events of both."""

    months: tuple[RivalDay, ...]  # ends of months and the last day, the earliest first
    ahead: int  # in so many events of both the first was placed better
    behind: int
    events: tuple[CommonEvent, ...]  # the latest first


def against(player: PlayerResults, rival: PlayerResults, days: Sequence[date]) -> Rivalry:
    """Compare two players.

    Args:
        player: the first.
        rival: the other, under the same regulation.
        days: of the two curves, in order; the last is that on which events are looked for.
    """
    events = _common(player, rival, days[-1])
    ahead = [event.ahead for event in events]
    return Rivalry(
        months=tuple(
            RivalDay(day=day, own=player.nanopoints(day), theirs=rival.nanopoints(day))
            for day in days
        ),
        ahead=ahead.count(1),
        behind=ahead.count(-1),
        events=events,
    )


def _common(player: PlayerResults, rival: PlayerResults, until: date) -> tuple[CommonEvent, ...]:
    """The events in which both were placed or awarded points, the latest first."""
    given, players = player.given, (player, rival)
    won = [
        won_in(given, [result for result in person.results if result.effective <= until])
        for person in players
    ]
    ids = [person.player_id for person in players]
    table = given.projection.tables["placings"][["player_id", "event_id", "flight", "rank"]]
    placings = sorted(
        table.filter(pl.col("player_id").is_in(ids)).rows(),
        key=lambda row: [(row[2] or MAIN) != flight for flight in FLIGHTS],
    )
    places: dict[str, dict[str, list[FlightPlace]]] = defaultdict(dict)
    for person, event, flight, rank in placings:
        place = FlightPlace(flight=flight or MAIN, rank=rank)
        places[person].setdefault(event, []).append(place)
    own, theirs = (places[person.player_id] for person in players)
    common = (own.keys() | won[0].keys()) & (theirs.keys() | won[1].keys())
    rows = [
        CommonEvent(
            **event,
            own=_placed(own, won[0], event["event_id"]),
            theirs=_placed(theirs, won[1], event["event_id"]),
        )
        for event in _ended(given, common)
        if event["day"] <= until
    ]
    return tuple(sorted(rows, key=lambda row: (row.day, row.event_id), reverse=True))


def _ended(given: JournalAwards, ids: Collection[str]) -> Iterator[dict[str, Any]]:
    """Of some events those that the regulation sees, with their tournaments."""
    tables = given.projection.tables
    wanted = pl.col("event_id").is_in(list(ids))
    events = tables["events"][["event_id", "name", "tournament_id"]].filter(wanted)
    its = pl.col("tournament_id").is_in(events["tournament_id"].to_list())
    seen = tables["tournaments"].filter(its, of_discipline(given.question.get_regulation()))
    tournaments = {
        tournament: {"tournament": name, "day": day}
        for tournament, name, day in seen[["tournament_id", "name", "end_date"]].rows()
    }
    for event, name, tournament in events.rows():
        if tournament in tournaments:
            yield {
                "event_id": event,
                "event": name,
                "tournament_id": tournament,
                **tournaments[tournament],
            }


def _placed(
    places: Mapping[str, Sequence[FlightPlace]], won: Mapping[str, int], event: str
) -> PlayerPlacing:
    return PlayerPlacing(places=tuple(places.get(event, ())), nanopoints=won.get(event))


def won_in(given: JournalAwards, results: Iterable[AwardResult]) -> Mapping[str, int]:
    """What a player's results of each event gave, in nanopoints: of a rating, how it changed.

    Args:
        given: the awards of a regulation.
        results: of the player; of a rating, all up to the last that is looked at, in their order.
    """
    latest = given.question.aggregate.latest
    sums: dict[str, int] = defaultdict(int)
    before: int | None = None
    for result in results:
        if latest and before is None:
            before = opening_rating(given.question, result.edition)
        sums[result.event_id] += result.nanopoints - (before or 0)
        before = result.nanopoints if latest else None
    return sums


def opening_rating(question: Question, edition: str) -> int:
    """What ratings start from under an edition; 0 if they start from nothing."""
    opening = question.aggregate.opening
    rules = next(each for each in question.rulebook().all if each.edition.id == edition)
    return to_nanopoints(opening(rules)) if opening else 0
