"""
The differences of two lists: every change of rank or points, split by its causes.

We go from one list to the other step by step: the entries of each kind, then edition and readings,
then the day. After each step the awards are computed again; what an award adds more or less than
before is due to that step, so the parts add up to the change exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.journal.projection.project import Projection
from palmares.journal.store.journal import Reader
from palmares.lists.diff import parts as splitting
from palmares.lists.diff.causes import name_changes, with_entries
from palmares.lists.diff.parts import PathPoint, contributions, updated_awards
from palmares.lists.diff.steps import Step, steps
from palmares.points import rankings
from palmares.points.award_table import in_points
from palmares.points.awards import Awards, Question, Waiting, award, in_order
from palmares.points.inputs import people
from palmares.points.ledger import rank
from palmares.points.rankings import Selection

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

    def awards(self) -> Awards:
        """The awards of all results."""
        return award(self.question, self.projection.facts, terms=False)


@dataclass(frozen=True, slots=True)
class RecordedBy:
    """Who recorded an entry, and on which day."""

    sequence: int
    author: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a player's change."""

    cause: str  # one of `CAUSES`
    tournament_id: str | None
    tournament: str | None
    event: str | None
    flight: str | None
    kind: str | None
    nanopoints: int  # the parts of a change add up
    exact: Fraction  # the same before rounding
    note: str
    entries: tuple[RecordedBy, ...]  # that caused it


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
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
    """The changes of all players whose rank, points or name differ.

    ``changes`` has a row for each player, by rank on the second list: player_id, player, rank_a,
    rank_b, nanopoints_a, nanopoints_b, change. ``parts`` has their parts: player_id, cause,
    tournament_id, tournament, event_id, event, flight, kind, weight, nanopoints, note, entries; a
    part is exactly weight / parts_of_a_nanopoint.
    """

    a: Listing
    b: Listing
    players: int  # on either list
    changes: pl.DataFrame
    parts: pl.DataFrame
    parts_of_a_nanopoint: int
    recorded_by: Mapping[int, RecordedBy]  # by entry
    waiting: tuple[Waiting, ...]  # events that are missing in either list

    def each(self, player_id: str | None = None) -> Iterator[Change]:
        """All changes, or that of one player."""
        wanted = pl.lit(value=True) if player_id is None else pl.col("player_id") == player_id
        parts = self.parts.filter(wanted).rows_by_key("player_id", named=True, unique=False)
        for row in self.changes.filter(wanted).iter_rows(named=True):
            yield Change(
                parts=tuple(map(self._part, parts.get(row["player_id"], ()))),
                **{name: row[name] for name in Change.__slots__ if name != "parts"},
            )

    def _part(self, row: Mapping[str, Any]) -> Part:
        plain = ("cause", "tournament_id", "tournament", "event", "flight", "kind", "nanopoints")
        return Part(
            exact=Fraction(row["weight"], self.parts_of_a_nanopoint),
            note=row["note"],
            entries=tuple(
                self.recorded_by[entry] for entry in row["entries"] if entry in self.recorded_by
            ),
            **{name: row[name] for name in plain},
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
    _refuse_incomparable(a, b)
    low, high = sorted(
        (a, b), key=lambda listing: (listing.projection.state.sequence, listing.selection.as_of)
    )
    taken = _steps(low, high, source)
    path = list(_path(low, high, taken))
    earlier, later = (
        {*listing.projection.tables["tournaments"]["tournament_id"]} for listing in (low, high)
    )
    days = low.selection.as_of, high.selection.as_of
    exact = splitting.split_change(path, days, later - earlier)
    first, last = rank(path[0].awards, low.selection), rank(path[-1].awards, high.selection)
    changed = splitting.rank_changes(first.frame, last.frame, exact)
    parts = splitting.rounded(exact, changed)
    if low is not a:
        changed, parts = splitting.negated(changed, parts)
    players = changed.height
    renamed = name_changes(taken, low.projection, high.projection)
    parts = pl.concat(
        [
            parts,
            splitting.overtaking_parts(changed),
            splitting.zero_parts([(player, "name", note) for player, note in renamed.items()]),
        ]
    )
    all_people = people(low.projection.facts) | people(high.projection.facts)
    names = {player: person.name for player, person in all_people.items()}
    changed = _changed_players(changed, renamed, names)
    parts = parts.join(changed, on="player_id", how="semi", maintain_order="left")
    parts = with_entries(parts, taken, (a, b))
    return Differences(
        a=a,
        b=b,
        players=players,
        changes=changed,
        parts=parts,
        parts_of_a_nanopoint=exact.of,
        recorded_by=_recorded_by(parts, source),
        waiting=in_order({*first.waiting, *last.waiting}),
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


def _steps(low: Listing, high: Listing, source: Reader | None) -> list[Step]:
    """The steps by the entries that only one list knows."""
    before, after = low.projection, high.projection
    if before.state.sequence == after.state.sequence:
        return []
    if source is None:
        raise Refused("The two lists know different entries of a journal. Name the journal.")
    return list(steps(before, after, source))


def _path(low: Listing, high: Listing, taken: Sequence[Step]) -> Iterator[PathPoint]:
    """The awards after each step, with what they add on the day of that step.

    If an event waits after a step that waits in neither list, the step is taken together with the
    next: say, a rate is undone before the report that needed it.
    """
    awards = low.awards()
    waited = _waiting_ids(awards)
    yield PathPoint("", awards, contributions(awards, low.selection))
    pending: list[Step] = []
    for step in taken:
        pending.append(step)
        affected = frozenset[str]().union(*(each.tournaments for each in pending))
        if not affected:
            pending.clear()
            continue
        updated = updated_awards(awards, step.after, affected)
        new = _waiting_ids(updated) - waited
        if new and step is not taken[-1] and new - _waiting_ids(high.awards()):
            continue
        awards = updated
        yield PathPoint(step.cause, awards, contributions(awards, low.selection), tuple(pending))
        pending.clear()
    if pending or low.question != high.question:
        awards = high.awards()
        yield PathPoint("edition", awards, contributions(awards, low.selection))
    yield PathPoint("decay", awards, contributions(awards, high.selection))


def _waiting_ids(awards: Awards) -> set[str]:
    """The ids of events that wait."""
    return {event.event_id for event in awards.waiting}


def _changed_players(
    changed: pl.DataFrame, renamed: Mapping[str, str], names: Mapping[str, str]
) -> pl.DataFrame:
    """The players who changed, with names, by rank on the second list, then on the first."""
    return (
        changed.filter(
            pl.col("moved")
            | pl.col("rank_a").ne_missing(pl.col("rank_b"))
            | pl.col("player_id").is_in(list(renamed))
        )
        .with_columns(
            pl.col("player_id")
            .replace_strict(names, default=None, return_dtype=pl.String)
            .alias("player")
        )
        .sort("rank_b", "rank_a", "player", "player_id", nulls_last=True)
        .select("player_id", "player", "rank_a", "rank_b", "nanopoints_a", "nanopoints_b", "change")
    )


def _recorded_by(parts: pl.DataFrame, source: Reader | None) -> dict[int, RecordedBy]:
    """Who recorded the entries that caused some parts."""
    wanted = parts["entries"].explode().drop_nulls().unique().to_list()
    if source is None or not wanted:
        return {}
    return {
        entry.sequence: RecordedBy(
            entry.sequence, entry.author, date.fromisoformat(entry.recorded_at[:10])
        )
        for entry in source.by_number(wanted)
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
