"""
Split the changes between two lists into parts, one for each cause and award.

The entries between two heads of a journal are applied kind by kind, whatever their order; what
differs after a step and not before is due to its entries. What an award adds to a total is its
worth, or, in a rating, how far its event moved the rating; the first event also adds the opening
rating. Parts are rounded by largest remainders, so that they add up to the change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple

import polars as pl

from palmares.core.rounding import to_nanopoints
from palmares.facts import Facts
from palmares.facts.merge import played_in
from palmares.journal.projection.project import (
    Delta,
    Place,
    Projection,
    State,
    changed_canonical_ids,
    delta_to,
    state_with,
)
from palmares.journal.store.journal import Reader
from palmares.lists.live import affected_tournaments
from palmares.points import award_table, inputs, rankings
from palmares.points.awards import Question, Waiting, grant_tournaments, in_order
from palmares.points.inputs import of_discipline
from palmares.points.rankings import Selection
from palmares.regulations import Regulation

CAUSE_OF_GROUP: Mapping[str, str] = {
    "players": "player",
    "erasures": "player",
    "apart": "player",
    "publications": "player",
    "memberships": "membership",
    "rates": "rate",
    "merges": "merge",
    "overrides": "override",
}
"""The kind of change that each group of statements makes, but for reports; "player" moves none."""

ORDER = (
    "player",
    "withdrawal",
    "membership",
    "rate",
    "merge",
    "correction",
    "override",
    "new result",
)
"""The kinds of change in the order in which they are applied.

Rates come before the reports that need them, merges before corrections that name merged records,
and overrides after the reports that they change.
"""

REPORTS = ("tournaments", "overrides")
"""The groups of statements that change what is known of a tournament itself."""

EntriesByPlace = Mapping[Place, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class DiffStep:
    """Entries of one kind, and the facts before and after them."""

    cause: str  # one of `ORDER`
    before: Projection
    after: Projection
    tournaments: frozenset[str]  # of the regulation, whose awards may differ
    entries: EntriesByPlace


def steps(
    regulation: Regulation, low: Projection, high: Projection, source: Reader, until: date
) -> Iterator[DiffStep]:
    """The steps from an earlier head of a journal to a later one, without empty ones.

    Args:
        regulation: that the lists are of.
        low: the facts at the earlier head.
        high: the facts at the later head.
        source: the journal; it must stay open while the facts of steps are used.
        until: the day of the later list; a rating is not moved by what ends after it.
    """
    day = until if regulation.aggregate.latest else date.max
    by_kind = _by_kind(low.state, high.state)
    causes = [cause for cause in ORDER if cause in by_kind]
    before = low.lazy()
    for number, cause in enumerate(causes, 1):
        by_place = by_kind[cause]
        later = [place for other in causes[number:] for place in by_kind[other]]
        again = {key for group, key in later if group in REPORTS}
        state = state_with(before.state, high.state, by_place)
        delta = delta_to(before, state, list(by_place), source)
        tournaments = _affected_tournaments(cause, delta)
        seen = _seen(regulation, before, tournaments, day)
        seen |= _seen(regulation, high, tournaments - again, day)
        seen |= _seen(regulation, delta.after, tournaments & again, day)
        yield DiffStep(
            cause=cause,
            before=before,
            after=delta.after,
            tournaments=seen,
            entries=by_place,
        )
        before = delta.after


def _seen(
    regulation: Regulation, facts: Projection, tournaments: set[str], day: date
) -> frozenset[str]:
    """Some tournaments, those that end by a day and that a regulation makes awards of."""
    reported = {each for each in tournaments if facts.state.report(each)}
    if not reported:
        return frozenset()
    here = pl.col("tournament_id").is_in(list(reported))
    ended = pl.col("end_date") <= day
    table = _rows(facts, reported)["tournaments"]
    return frozenset(table.filter(here, ended, of_discipline(regulation))["tournament_id"])


def _by_kind(low: State, high: State) -> dict[str, dict[Place, tuple[int, ...]]]:
    """The entries after the earlier head, by kind of change, group and key."""
    places = {
        statement.sequence: (name, key)
        for name, group in high.groups.items()
        for key, statements in group.items()
        for statement in statements
    }
    kinds: dict[str, dict[Place, tuple[int, ...]]] = {}
    new = range(low.sequence + 1, high.sequence + 1)
    for sequence, root in zip(new, high.roots(new), strict=True):
        place = places.get(root)
        if place is not None:
            by_place = kinds.setdefault(_kind(place, low, high), {})
            by_place[place] = (*by_place.get(place, ()), sequence)
    return kinds


def _kind(place: Place, low: State, high: State) -> str:
    """The kind of change that entries of a group and key make."""
    group, key = place
    if group in CAUSE_OF_GROUP:
        return CAUSE_OF_GROUP[group]
    if low.report(key) is None:
        return "new result"
    return "withdrawal" if high.report(key) is None else "correction"


# ── which awards may differ ──────────────────────────────────────────────────────────────────────


def _affected_tournaments(cause: str, delta: Delta) -> set[str]:
    """The tournaments whose awards a step may change."""
    tournaments = affected_tournaments(delta)
    if cause == "merge":
        players = {
            player
            for pair in changed_canonical_ids(delta.before.state, delta.after.state).values()
            for player in pair
        }
        tournaments |= played_in(delta.before.tables, players)
    return tournaments


# ── what an award adds ───────────────────────────────────────────────────────────────────────────

EXPIRED = "expired"
ROW = ("player_id", "tournament_id", "event_id", "flight", "kind",
       "event", "effective", "edition", "nanopoints")  # fmt: skip


class Award(NamedTuple):
    """The key of an award; the opening rating has no tournament."""

    player_id: str
    tournament_id: str
    event_id: str
    flight: str
    kind: str


class Worth(NamedTuple):
    """What the awards of one key add to a total."""

    weight: int  # in parts of a nanopoint
    event: str = ""
    effective: date | None = None  # of the last of them; none: of the opening rating


NOTHING = Worth(0)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What awards add at one point of the path between the lists."""

    worth: Mapping[Award, Worth]
    parts: int = 1  # of a nanopoint, in which weights are
    waiting: tuple[Waiting, ...] = ()

    def tournaments(self) -> set[str]:
        """The tournaments of the awards."""
        return {award.tournament_id for award in self.worth}

    def waiting_ids(self) -> set[str]:
        """The ids of events that wait."""
        return {event.event_id for event in self.waiting}

    def only(self, tournaments: Collection[str]) -> Counted:
        """Those of some tournaments."""
        worth = {key: each for key, each in self.worth.items() if key.tournament_id in tournaments}
        waiting = [event for event in self.waiting if event.tournament_id in tournaments]
        return Counted(worth, self.parts, tuple(waiting))

    def with_others(self, tournaments: Collection[str], *others: Counted) -> Counted:
        """The same with others in the place of those of some tournaments."""
        stay = self.only(self.tournaments().difference(tournaments))
        waiting = [event for event in self.waiting if event.tournament_id not in tournaments]
        waiting += [event for each in others for event in each.waiting]
        parts = lcm(*(each.parts for each in (stay, *others)))
        worth = {key: each for some in (stay, *others) for key, each in some.in_parts(parts)}
        return Counted(worth, parts, in_order(waiting))

    def in_parts(self, parts: int) -> Iterable[tuple[Award, Worth]]:
        """The awards with weights in parts of another size."""
        if parts == self.parts:
            return self.worth.items()
        more = parts // self.parts
        return [(key, each._replace(weight=each.weight * more)) for key, each in self.worth.items()]


def award_some(
    question: Question, facts: Projection, tournaments: Collection[str], selection: Selection
) -> Counted:
    """What the awards of some tournaments add, of those of them that are reported."""
    reported = {each for each in tournaments if facts.state.report(each)}
    if not reported:
        return Counted({})
    tables = {name: facts.tables[name] for name in ("memberships", "rates")}
    reports = Facts({**_rows(facts, reported), **tables}, may_wait=facts.may_wait)
    of = inputs.tournaments(reports, question.get_regulation(), reported)
    granted, worked = grant_tournaments(question, of, inputs.memberships(reports, of))
    if not facts.may_wait:
        granted.refuse_unusable()
    table = award_table.of_grants([where for where, _ in granted.grants], worked)
    counts = table.select(selection.counts()).to_series()
    of_grants = zip(table[ROW[1:-1]].rows(), worked, counts, strict=True)
    rows = [
        (player, *of_grant, int(nanopoints))
        for of_grant, each, counted in of_grants
        if counted
        for player, nanopoints in zip(each.grant.players, each.nanopoints, strict=True)
    ]
    return replace(_counted(question, rows, selection.as_of), waiting=granted.waiting())


def _rows(facts: Projection, tournaments: set[str]) -> Mapping[str, pl.DataFrame]:
    """Tables that have some reported tournaments: of the last that were read, else of all."""
    read = facts.read
    if read and tournaments <= set(read["tournaments"]["tournament_id"]):
        return read
    return facts.tables


def contributions(question: Question, awards: pl.DataFrame, selection: Selection) -> Counted:
    """What the awards that count add to the totals of players.

    Args:
        question: the regulation.
        awards: as `Awards.frame` has them.
        selection: the day and what else decides which awards count.
    """
    if awards.is_empty():
        return Counted({})
    if question.aggregate.latest:
        return _moves(question, awards, selection)
    return _counted(question, selection.apply(awards)[ROW].rows(), selection.as_of)


def _counted(question: Question, rows: Sequence[tuple[Any, ...]], day: date) -> Counted:
    """What some awards add on a day, given the columns of `ROW`."""
    left_of = question.days_left()
    left = {since: left_of(*since, day) for since in {(row[6], row[7]) for row in rows}}
    parts = lcm(*(parts for _, parts in left.values()))
    weights = {since: max(days, 0) * (parts // of) for since, (days, of) in left.items()}
    worth: dict[Award, Worth] = {}
    for row in rows:
        event, effective, edition, nanopoints = row[5:]
        if weight := weights[effective, edition]:
            _count(worth, Award._make(row[:5]), Worth(nanopoints * weight, event, effective))
    return Counted(worth, parts)


def _count(worth: dict[Award, Worth], award: Award, more: Worth) -> None:
    """Add an award to those of its key: a kind of points may be won in each match of a flight."""
    known = worth.get(award)
    if known is not None:
        day, weight = _later(known.effective, more.effective), known.weight + more.weight
        more = Worth(weight, more.event, day)
    worth[award] = more


def _later(one: date | None, other: date | None) -> date | None:
    """The later of two days; either may be missing."""
    return max(one, other) if one and other else one or other


def _moves(question: Question, awards: pl.DataFrame, selection: Selection) -> Counted:
    """How far each event moved a rating, up to the last one, and the opening rating."""
    last = dict(rankings.latest(awards, selection, ["order"])["player_id", "order"].iter_rows())
    opening = question.aggregate.opening
    start = {
        rules.edition.id: to_nanopoints(opening(rules)) if opening else 0
        for rules in question.rulebook().all
    }
    before: dict[str, int] = {}
    worth: dict[Award, Worth] = {}
    for order, *key, event, effective, edition, rating in awards[("order", *ROW)].rows():
        award = Award(*key)
        if order > last.get(award.player_id, -1):
            continue
        if award.player_id not in before:
            before[award.player_id] = start[edition]
            begun = Award(award.player_id, "", "", "", award.kind)
            worth[begun] = Worth(start[edition])
        _count(worth, award, Worth(rating - before[award.player_id], event, effective))
        before[award.player_id] = rating
    return Counted(worth)


# ── parts ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class PathPoint:
    """What awards add at one point of the path between the lists."""

    cause: str  # of the differences from the point before; empty at the first
    counted: Counted
    steps: tuple[DiffStep, ...] = ()  # that led here, if entries did

    def causes(self) -> Mapping[str, str]:
        """The cause of the change of each tournament's awards, and that of all others."""
        of_steps = {each: step.cause for step in self.steps for each in step.tournaments}
        of_start = {"": self.cause} if self.steps else {}
        other = "rating chain" if self.steps else self.cause
        return defaultdict(lambda: other, of_start | of_steps)


class PartKey(NamedTuple):
    """What a part of a player's change is due to: a cause, and an award."""

    cause: str
    tournament_id: str
    event_id: str
    flight: str
    kind: str | None  # none: no award


class ExactPart(NamedTuple):
    """A part of a player's change."""

    weight: int  # in parts of a nanopoint
    event: str
    effective: date | None
    note: str


PartsOfPlayer = Mapping[PartKey, ExactPart]


@dataclass(frozen=True, slots=True, eq=False)
class ExactParts:
    """The exact parts of changes, by player; the weights of a player's parts add up."""

    by_player: Mapping[str, PartsOfPlayer]
    of: int  # so many parts are a nanopoint

    def of_players(self, players: Iterable[str]) -> ExactParts:
        """The parts of some players' changes."""
        here = {each: self.by_player[each] for each in players if each in self.by_player}
        return ExactParts(here, self.of)

    def weights(self) -> Mapping[str, int]:
        """The change of each player."""
        return {
            player: sum(part.weight for part in parts.values())
            for player, parts in self.by_player.items()
        }


def split_change(path: Sequence[PathPoint], new: Collection[str]) -> ExactParts:
    """The changes along a path, by player, cause and award.

    Args:
        path: at least the first list and the last.
        new: tournaments that only the last list knows.
    """
    of = lcm(*(point.counted.parts for point in path))
    found: dict[str, dict[PartKey, ExactPart]] = defaultdict(dict)
    for before, point in pairwise(path):
        was, now = (dict(each.counted.in_parts(of)) for each in (before, point))
        causes = point.causes()
        for award in was | now:
            old, given = was.get(award, NOTHING), now.get(award, NOTHING)
            if weight := given.weight - old.weight:
                tournament = award.tournament_id
                cause = "new result" if tournament in new else causes[tournament]
                day = _later(old.effective, given.effective)
                part = ExactPart(weight, given.event or old.event, day, "")
                add_part(found[award.player_id], PartKey(cause, *award[1:]), part)
    return exact_parts(found, of)


def add_part(parts: dict[PartKey, ExactPart], key: PartKey, part: ExactPart) -> None:
    """Add a part to a player's; two of one cause and award are one."""
    before = parts.get(key)
    if before is not None:
        day, weight = _later(before.effective, part.effective), before.weight + part.weight
        part = part._replace(weight=weight, effective=day)
    parts[key] = part


def joined(exact: Sequence[ExactParts]) -> ExactParts:
    """The parts of changes that follow on each other."""
    some = [each for each in exact if each.by_player]
    if len(some) == 1:
        return some[0]
    of = lcm(*(each.of for each in some))
    found: dict[str, dict[PartKey, ExactPart]] = defaultdict(dict)
    for each in some:
        for player, parts in each.by_player.items():
            for key, part in parts.items():
                weight = part.weight * (of // each.of)
                add_part(found[player], key, part._replace(weight=weight))
    return exact_parts(found, of)


def exact_parts(found: Mapping[str, PartsOfPlayer], of: int) -> ExactParts:
    """Parts without those that come to nothing."""
    by_player = {
        player: {key: part for key, part in parts.items() if part.weight}
        for player, parts in found.items()
    }
    return ExactParts({player: parts for player, parts in by_player.items() if parts}, of)


def rounded(parts: PartsOfPlayer, of: int, change: int) -> Mapping[PartKey, int]:
    """The nanopoints of a player's parts, which add up to their change.

    Of equal remainders the first in the order of keys get what is left.
    """
    nanopoints = {key: part.weight // of for key, part in parts.items()}
    missing = change - sum(nanopoints.values())
    if not 0 <= missing <= len(parts):  # pragma: no cover
        raise AssertionError("the parts of a change do not come to it")
    for key in sorted(parts, key=lambda key: (-(parts[key].weight % of), key))[:missing]:
        nanopoints[key] += 1
    return nanopoints


def swapped(changed: pl.DataFrame) -> pl.DataFrame:
    """Changes from the last list to the first."""
    sides = (("a", "b"), ("b", "a"))
    ends = {
        f"{name}_{side}": f"{name}_{other}"
        for name in ("rank", "nanopoints")
        for side, other in sides
    }
    return changed.rename(ends).select(
        *changed.columns[:-2], pl.col("change") * pl.lit(-1, pl.Int64), "moved"
    )
