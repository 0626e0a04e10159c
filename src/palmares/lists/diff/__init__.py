"""
The differences of two lists: every change of rank or points, split by its causes.

We go from one list to the other step by step: the entries of each kind, then edition and readings,
then the day. After each step the awards are computed again; what an award adds more or less than
before is due to that step, so the parts add up to the change exactly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.journal.projection.project import Projection
from palmares.journal.store.journal import Reader
from palmares.lists import live
from palmares.lists.diff import parts as splitting
from palmares.lists.diff.parts import (
    Counted,
    DiffStep,
    ExactParts,
    PartKey,
    PathPoint,
    award_some,
    contributions,
    steps,
)
from palmares.lists.diff.reasons import CAUSES, Reasons, reasons_between
from palmares.lists.diff.sums import OtherRules, Totals, rank_changes, totals
from palmares.lists.live import JournalAwards, as_awards
from palmares.points import rankings
from palmares.points.award_table import PUBLIC_NAME, in_points
from palmares.points.awards import Awards, Question, Waiting, award, in_order
from palmares.points.ledger import class_weights, ledger
from palmares.points.rankings import Selection, entering

CHANGE_COLUMNS = ("rank_a", "rank_b", "player_id", "player", "points_a", "points_b", "change")
PART_COLUMNS = (
    *("cause", "tournament_id", "tournament", "event", "flight", "kind", "part"),
    *("note", "entry", "author", "recorded"),
)
IN_POINTS = ("points_a", "points_b", "change", "part")
WHOLE_NUMBERS = ("rank_a", "rank_b", "entry")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """A list: its rules, facts and day."""

    question: Question
    projection: Projection
    selection: Selection
    kept: JournalAwards | None = None  # the awards of these rules and facts, where they are kept

    def awards(self) -> Awards:
        """The awards of all results."""
        if self.kept is not None:
            return as_awards(self.kept)
        return award(self.question, self.projection.facts, terms=False)


class RecordedBy(Struct, frozen=True):
    """Who recorded an entry, and on which day."""

    sequence: int
    author: str
    day: date


class Part(Struct, frozen=True, kw_only=True):
    """A part of a player's change."""

    cause: str  # one of `palmares.lists.diff.reasons.CAUSES`
    tournament_id: str | None
    tournament: str | None
    event: str | None
    flight: str | None
    kind: str | None
    nanopoints: int  # the parts of a change add up
    note: str
    entries: tuple[RecordedBy, ...]  # that caused it


class Change(Struct, frozen=True, kw_only=True):
    """The change of one player."""

    player_id: str
    player: str
    rank_a: int | None  # none: not on the first list
    rank_b: int | None
    nanopoints_a: int
    nanopoints_b: int
    parts: tuple[Part, ...]

    @property
    def nanopoints(self) -> int:
        """How many more points the player has on the second list."""
        return self.nanopoints_b - self.nanopoints_a


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences:
    """The differences of two lists."""

    a: Listing
    b: Listing
    players: int  # on either list
    waiting: tuple[Waiting, ...]  # events that are missing in either list
    changes: tuple[Change, ...]  # of all whose rank or points differ, by rank on the second list

    def of_players(self, players: Collection[str] | None) -> list[Change]:
        """The changes of some players, or all."""
        return [each for each in self.changes if players is None or each.player_id in players]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Changes:
    """Who differs between two lists; why is found for those who are asked for.

    ``changes`` has a row for each player, by rank on the second list: player_id, player, rank_a,
    rank_b, nanopoints_a, nanopoints_b, change, and moved: whether the exact points differ.
    """

    changes: pl.DataFrame
    players: int  # on either list
    waiting: tuple[Waiting, ...]  # events that are missing in either list
    exact: ExactParts  # by entries; of a rating, all
    more: OtherRules | None  # what follows from other rules and another day; none: nothing does
    back: bool  # whether the first list is the later one
    reasons: Reasons

    def of(
        self, source: Reader | None, players: Collection[str] | None = None
    ) -> tuple[Change, ...]:
        """The changes of all players, or of some, with their causes.

        Args:
            source: the journal, to name authors.
            players: their ids.
        """
        wanted = True if players is None else pl.col("player_id").is_in(list(players))
        changes = self.changes.filter(wanted)
        exact = self._exact(changes["player_id"])
        found = {row["player_id"]: self._parts(row, exact) for row in changes.iter_rows(named=True)}
        every = [each for theirs in found.values() for each in theirs]
        tournaments = {each.key.tournament_id for each in every if each.key.tournament_id}
        names = self.reasons.names(tournaments)
        recorded = _recorded_by({entry for each in every for entry in each.entries}, source)
        return tuple(
            Change(
                parts=tuple(each.named(names, recorded) for each in found[row["player_id"]]),
                **{name: row[name] for name in Change.__struct_fields__ if name != "parts"},
            )
            for row in changes.iter_rows(named=True)
        )

    def _exact(self, players: pl.Series) -> ExactParts:
        """The exact parts of some players' changes, from the earlier list to the later one."""
        exact = self.exact.of_players(players)
        return exact if self.more is None else splitting.joined([exact, self.more.parts(players)])

    def _parts(self, row: Mapping[str, Any], exact: ExactParts) -> list[_FoundPart]:
        """The parts of one player's change, by cause and size."""
        player, sign = row["player_id"], -1 if self.back else 1
        parts = exact.by_player.get(player, {})
        nanopoints = splitting.rounded(parts, exact.of, sign * row["change"])
        found = [
            _FoundPart(
                key,
                sign * nanopoints[key],
                part.event,
                self.reasons.note(key, part, sign * part.weight),
                self.reasons.entries(player, key),
            )
            for key, part in parts.items()
        ]
        ranks = row["rank_a"], row["rank_b"]
        if not row["moved"] and None not in ranks and ranks[0] != ranks[1]:
            found.append(_FoundPart(PartKey("others moved", "", "", "", None), 0, "", "", ()))
        return sorted(found, key=_FoundPart.order)


_RANK_OF_CAUSE = {cause: rank for rank, cause in enumerate(CAUSES)}


class _FoundPart(NamedTuple):
    """A part before tournaments and authors are named."""

    key: PartKey
    nanopoints: int
    event: str
    note: str
    entries: tuple[int, ...]

    def order(self) -> tuple[Any, ...]:
        """By cause, the largest first."""
        return (_RANK_OF_CAUSE[self.key.cause], -abs(self.nanopoints), *self.key[1:])

    def named(self, tournaments: Mapping[str, str], recorded: Mapping[int, RecordedBy]) -> Part:
        """The part with names."""
        key = self.key
        return Part(
            cause=key.cause,
            tournament_id=key.tournament_id or None,
            tournament=tournaments.get(key.tournament_id),
            event=self.event or None,
            flight=key.flight or None,
            kind=key.kind,
            nanopoints=self.nanopoints,
            note=self.note,
            entries=tuple([recorded[entry] for entry in self.entries if entry in recorded]),
        )


def diff_lists(a: Listing, b: Listing, source: Reader | None = None) -> Differences:
    """The differences of two lists of one regulation, with their causes.

    Args:
        a: the first list.
        b: the second one; of the same journal as the first, or of the same files.
        source: that journal; needed if the lists know different entries, and to name authors.

    Raises:
        FactsRejected: facts are missing that a formula needs.
        Refused: the lists are of two regulations, or count different results.
    """
    found = changes_between(a, b, source)
    return Differences(
        a=a,
        b=b,
        players=found.players,
        waiting=found.waiting,
        changes=found.of(source),
    )


def changes_between(a: Listing, b: Listing, source: Reader | None = None) -> Changes:
    """Who differs between two lists of one regulation; see `diff_lists`."""
    _refuse_incomparable(a, b)
    low, high = sorted(
        (a, b), key=lambda listing: (listing.projection.state.sequence, listing.selection.as_of)
    )
    taken = _steps(low, high, source)
    differs = low.question != high.question or low.selection != high.selection
    differs |= any(step.tournaments for step in taken)
    latest = low.question.aggregate.latest
    between = _between_ratings if latest and differs else _between_sums
    found = between(low, high, taken)
    changed, players = rank_changes(found.first, found.last)
    if low is not a:
        changed = splitting.swapped(changed)
    return Changes(
        changes=_with_players(changed, (high, low)),
        players=players,
        waiting=in_order(found.waiting),
        exact=found.exact,
        more=found.more,
        back=low is not a,
        reasons=reasons_between(
            (a.question, b.question),
            b.selection.as_of,
            (a.projection, b.projection),
            taken,
            found.exact,
        ),
    )


def _refuse_incomparable(a: Listing, b: Listing) -> None:
    """Refuse two lists that cannot be compared."""
    rankings.refuse_nonsense(a.question, a.selection, "player")
    if a.question.regulation != b.question.regulation:
        raise Refused(
            f"The lists are of two regulations, {a.question.regulation} and"
            f" {b.question.regulation}: their points have nothing in common."
        )
    if a.selection.nation:
        raise Refused("Differences are between whole lists: leave the nation out.")
    if replace(a.selection, as_of=b.selection.as_of) != b.selection:
        raise Refused(
            "The lists count other results than each other (live or online, a kind of points, a"
            " nation, since or until a day). Compare lists that differ in nothing but their day."
        )


def _steps(low: Listing, high: Listing, source: Reader | None) -> list[DiffStep]:
    """The steps by the entries that only one list knows."""
    before, after = low.projection, high.projection
    if before.state.sequence == after.state.sequence:
        return []
    if source is None:
        raise Refused("The two lists know different entries of a journal. Name the journal.")
    until = max(low.selection.as_of, high.selection.as_of)
    return list(steps(low.question.get_regulation(), before, after, source, until))


class _Between(NamedTuple):
    """What lies between an earlier list and a later one."""

    first: Totals  # of the earlier list
    last: Totals  # of the later one
    exact: ExactParts
    more: OtherRules | None
    waiting: set[Waiting]


def _between_ratings(low: Listing, high: Listing, taken: Sequence[DiffStep]) -> _Between:
    """Of ratings: each step may change all that follow, so all awards are made after each."""
    later = high.awards()
    is_same = low.question == high.question and not any(step.tournaments for step in taken)
    awards = later if is_same else low.awards(), later
    start, end = (_counted(each, low.selection) for each in awards)

    def after(_: Counted, place: int, __: Collection[str]) -> Counted:
        if place == len(taken) - 1 and low.question == high.question:
            return end
        again = award(low.question, taken[place].after.facts, terms=False)
        return _counted(again, low.selection)

    path = [*_path(taken, start, end.waiting_ids(), after)]
    if low.question != high.question:
        path.append(PathPoint("edition", end))
    if low.selection != high.selection:
        path.append(PathPoint("new result", _counted(later, high.selection)))
    exact = splitting.split_change(path, _new(low, high, taken))
    first, last = (
        totals(ledger(each), listing.selection)
        for each, listing in zip(awards, (low, high), strict=True)
    )
    return _Between(first, last, exact, None, _waiting(low, start.waiting, high, end.waiting))


def _counted(given: Awards, selection: Selection) -> Counted:
    found = contributions(given.question, given.frame, selection)
    return dataclasses.replace(found, waiting=given.waiting)


def _between_sums(low: Listing, high: Listing, taken: Sequence[DiffStep]) -> _Between:
    """Of sums: only the awards of tournaments that the steps touch are looked at."""
    end = high.kept or live.award_all(high.question, high.projection)
    base = end if low.question == high.question else _awarded_at(low, high)
    touched = frozenset[str]().union(*(step.tournaments for step in taken))
    waiting = tuple(event for event in base.waiting if event.tournament_id in touched)
    final = dataclasses.replace(_kept_awards(base, touched, low.selection), waiting=waiting)
    start = award_some(low.question, low.projection, touched, low.selection)

    def after(before: Counted, place: int, affected: Collection[str]) -> Counted:
        later = frozenset[str]().union(*(step.tournaments for step in taken[place + 1 :]))
        done, others = {*affected} - later, {*affected} & later
        again = award_some(low.question, taken[place].after, others, low.selection)
        return before.with_others(affected, final.only(done), again)

    ends = {event.event_id for event in end.waiting}
    new = _new(low, high, taken)
    idle = new.difference(final.tournaments(), (event.tournament_id for event in waiting))
    idle = {each for each in idle if sum(each in step.tournaments for step in taken) == 1}
    path = [*_path(taken, start, ends, after, idle)]
    exact = splitting.split_change(path, new)
    others = [event for event in base.waiting if event.tournament_id not in touched]
    is_same = end is base and low.selection == high.selection
    last = totals(end.ledger, high.selection)
    first = last if is_same else totals(base.ledger, low.selection)
    weights = first.weights if end is base else class_weights(end.ledger, low.selection)
    return _Between(
        first=first.less(exact),
        last=last,
        exact=exact,
        more=None
        if is_same
        else OtherRules(
            kept=(base, end),
            selections=(low.selection, high.selection),
            weights=(weights, last.weights),
            new=new,
        ),
        waiting=_waiting(low, (*others, *start.waiting), high, end.waiting),
    )


def _kept_awards(
    given: JournalAwards, tournaments: Collection[str], selection: Selection
) -> Counted:
    """What kept awards of some tournaments add."""
    if not tournaments:
        return Counted({})
    return contributions(given.question, live.of_tournaments(given, tournaments), selection)


def _waiting(
    low: Listing, waited: Sequence[Waiting], high: Listing, waits: Sequence[Waiting]
) -> set[Waiting]:
    """The events that are missing in either list, given all that wait."""
    return {
        *entering(low.question, low.selection, waited),
        *entering(high.question, high.selection, waits),
    }


def _awarded_at(low: Listing, high: Listing) -> JournalAwards:
    """The awards of all that the later list knows, under the rules of the earlier one."""
    if low.kept and low.projection.state.sequence == high.projection.state.sequence:
        return low.kept
    return live.award_all(low.question, high.projection)


def _new(low: Listing, high: Listing, taken: Sequence[DiffStep]) -> set[str]:
    """The tournaments that only the later list knows."""
    was, now = low.projection.state, high.projection.state
    changed = {tournament for step in taken for tournament in step.tournaments}
    return {each for each in changed if now.report(each) and not was.report(each)}


def _path(
    taken: Sequence[DiffStep],
    start: Counted,
    waiting_at_end: Collection[str],
    after: Callable[[Counted, int, Collection[str]], Counted],
    idle: Collection[str] = (),
) -> Iterator[PathPoint]:
    """What awards add on the day of the earlier list before all steps, and after each.

    If an event waits after a step that waits in neither list, the step is taken together with the
    next: say, a rate is undone before the report that needed it.

    Args:
        taken: the steps.
        start: of the earlier list.
        waiting_at_end: events that wait in the later one.
        after: the same after a step, given that before, the place of the step and the tournaments
            whose awards may differ.
        idle: tournaments of whose awards none counts before any step or after.
    """
    counted = start
    pending: list[DiffStep] = []
    yield PathPoint("", counted)
    for place, step in enumerate(taken):
        pending.append(step)
        affected = frozenset[str]().union(*(each.tournaments for each in pending)).difference(idle)
        if not affected:
            pending.clear()
            continue
        changed = after(counted, place, affected)
        new = changed.waiting_ids() - start.waiting_ids()
        if new and step is not taken[-1] and new.difference(waiting_at_end):
            continue
        counted = changed
        yield PathPoint(step.cause, counted, tuple(pending))
        pending.clear()


def _with_players(changed: pl.DataFrame, listings: Sequence[Listing]) -> pl.DataFrame:
    """Players with names, by rank on the second list, then on the first.

    Args:
        changed: the changes of players.
        listings: the later list, whose names are preferred, and the earlier one.
    """
    ids, names = changed["player_id"].to_list(), dict[str, str]()
    for listing in listings:
        if unnamed := [each for each in ids if each not in names]:
            people = listing.projection.people(pl.Series(unnamed))
            names |= dict(people.select("player_id", PUBLIC_NAME).iter_rows())
    return (
        changed.with_columns(pl.Series("player", list(map(names.get, ids)), pl.String))
        .sort("rank_b", "rank_a", "player", "player_id", nulls_last=True)
        .select(
            *("player_id", "player", "rank_a", "rank_b", "nanopoints_a", "nanopoints_b", "change"),
            "moved",
        )
    )


def _recorded_by(entries: Collection[int], source: Reader | None) -> dict[int, RecordedBy]:
    """Who recorded some entries."""
    if source is None or not entries:
        return {}
    return {
        entry.sequence: RecordedBy(
            entry.sequence, entry.author, date.fromisoformat(entry.recorded_at[:10])
        )
        for entry in source.by_number(entries)
    }


# ── as rows ──────────────────────────────────────────────────────────────────────────────────────


def change_values(change: Change) -> dict[str, Any]:
    """The columns of a change, without its parts."""
    return {
        "rank_a": change.rank_a,
        "rank_b": change.rank_b,
        "player_id": change.player_id,
        "player": change.player,
        "points_a": change.nanopoints_a if change.rank_a else None,
        "points_b": change.nanopoints_b if change.rank_b else None,
        "change": change.nanopoints,
    }


def part_values(part: Part) -> dict[str, Any]:
    """The columns of a part, with the last of its entries."""
    last = part.entries[-1] if part.entries else None
    return {
        "cause": part.cause,
        "tournament_id": part.tournament_id,
        "tournament": part.tournament,
        "event": part.event,
        "flight": part.flight,
        "kind": part.kind,
        "part": part.nanopoints,
        "note": part.note,
        "entry": last.sequence if last else None,
        "author": last.author if last else None,
        "recorded": last.day if last else None,
    }


def change_rows(change: Change) -> Iterator[dict[str, Any]]:
    """A row for each part of a change."""
    for part in change.parts or (None,):
        yield change_values(change) | (part_values(part) if part else {})


def changes_frame(changes: Iterable[Change]) -> pl.DataFrame:
    """A row for each part of each change; points are floats."""
    schema: dict[str, Any] = dict.fromkeys((*CHANGE_COLUMNS, *PART_COLUMNS), pl.String)
    schema |= dict.fromkeys((*IN_POINTS, *WHOLE_NUMBERS), pl.Int64)
    schema |= {"recorded": pl.Date}
    rows = [row for change in changes for row in change_rows(change)]
    frame = pl.DataFrame(rows, schema=schema)
    return frame.with_columns(in_points(frame[name]).alias(name) for name in IN_POINTS)
