"""
What changed between two lists, and why: every change of rank or points, split by its cause.

    Listing         one of the two lists: rules, facts as they were known, a day
    differences     two lists  ->  Differences
    Differences     who changed, the parts of every change, the entries behind them
    Change, Part    the same for one player, as values
    Said            who recorded an entry, and on which day
    CAUSES          every cause there is

The way from one list to the other is gone step by step: the entries of each kind
(`palmares.lists.diff.steps`), then edition and readings, then the day. After each step the awards
are computed anew, and what an award puts into its player's total more or less than before is the
doing of that step. So the parts add up to the change, exactly, by construction. The way always
starts at the list that knows less, or else at the earlier day: the differences from B to A are
those from A to B with the signs turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl

from palmares.core.errors import Refused
from palmares.journal.projection.project import Projection
from palmares.journal.store.journal import Reader
from palmares.lists.diff import parts as splitting
from palmares.lists.diff.causes import CAUSES, name_changes, with_entries
from palmares.lists.diff.parts import PathPoint, contributions, updated_awards
from palmares.lists.diff.steps import Step, steps
from palmares.points import rankings
from palmares.points.award_table import in_points
from palmares.points.awards import Awards, Question, Waiting, award, in_order
from palmares.points.inputs import people
from palmares.points.ledger import rank
from palmares.points.rankings import Selection

__all__ = [
    "CAUSES",
    "OF_A_CHANGE",
    "OF_A_PART",
    "Change",
    "Differences",
    "Listing",
    "Part",
    "Said",
    "differences",
    "flat",
    "frame",
    "head",
    "of_part",
]


CHANGE_COLUMNS = ("rank_a", "rank_b", "player_id", "player", "points_a", "points_b", "change")
PART_COLUMNS = (
    *("cause", "tournament_id", "tournament", "event", "flight", "kind", "part"),
    *("note", "entry", "author", "recorded"),
)
IN_POINTS = ("points_a", "points_b", "change", "part")
WHOLE = ("rank_a", "rank_b", "entry")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """A list: which rules, which facts, which day.

    Facts of files are ``Projection(State(), facts.tables, facts.may_wait)``.
    """

    question: Question
    projection: Projection
    selection: Selection

    def awards(self) -> Awards:
        """The awards that it is made of."""
        return award(self.question, self.projection.facts, terms=False)


@dataclass(frozen=True, slots=True)
class RecordedBy:
    """Who recorded an entry, and when."""

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
    exact: Fraction  # nanopoints before they were rounded; so do these
    note: str
    said: tuple[RecordedBy, ...]  # the entries behind it, if any


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changed for one player."""

    player_id: str
    player: str
    rank_a: int | None  # none: not on the list
    rank_b: int | None
    nanopoints_a: int
    nanopoints_b: int
    parts: tuple[Part, ...]

    @property
    def nanopoints(self) -> int:
        """How much more the player has on the second list."""
        return self.nanopoints_b - self.nanopoints_a


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences:
    """Everybody whose rank, points or name differ.

    ``changes`` has a row a player, by rank on the second list: player_id, player, rank_a, rank_b,
    nanopoints_a, nanopoints_b, change. ``parts`` has the parts of these changes: player_id, cause,
    tournament_id, tournament, event_id, event, flight, kind, weight, nanopoints, note, entries; a
    part is exactly weight / parts_of_a_nanopoint.
    """

    a: Listing
    b: Listing
    players: int  # on either list
    changes: pl.DataFrame
    parts: pl.DataFrame
    parts_of_a_nanopoint: int
    said: Mapping[int, RecordedBy]
    waiting: tuple[Waiting, ...]  # events that are missing in either list

    def each(self, player_id: str | None = None) -> Iterator[Change]:
        """One change after another, or that of one player."""
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
            said=tuple(self.said[one] for one in row["entries"] if one in self.said),
            **{name: row[name] for name in plain},
        )


def diff_lists(a: Listing, b: Listing, source: Reader | None = None) -> Differences:
    """Everything that differs between two lists of one regulation, with its causes.

    Args:
        a: the first list.
        b: the second one; of the same journal as the first, or of the same files.
        source: that journal (`palmares.journal.store.journal.Reader`); needed where the lists know
            different entries, and to say who recorded what.

    Raises:
        FactsRejected: something is missing that a formula needs.
        Refused: the lists are of two regulations, or count other results than each other.
    """
    _refuse_unlike(a, b)
    low, high = sorted((a, b), key=lambda one: (one.projection.state.sequence, one.selection.as_of))
    taken = _steps(low, high, source)
    way = list(_way(low, high, taken))
    earlier, later = (
        {*one.projection.tables["tournaments"]["tournament_id"]} for one in (low, high)
    )
    days = low.selection.as_of, high.selection.as_of
    exact = splitting.split_change(way, days, later - earlier)
    first, last = rank(way[0].awards, low.selection), rank(way[-1].awards, high.selection)
    changed = splitting.rank_changes(first.frame, last.frame, exact)
    parts = splitting.rounded(exact, changed)
    if low is not a:
        changed, parts = splitting.negated(changed, parts)
    players = changed.height
    shown = name_changes(taken, low.projection, high.projection)
    parts = pl.concat(
        [
            parts,
            splitting.overtaking_parts(changed),
            splitting.zero_parts([(one, "name", note) for one, note in shown.items()]),
        ]
    )
    everybody = people(low.projection.facts) | people(high.projection.facts)
    names = {player: person.name for player, person in everybody.items()}
    changed = _changed(changed, shown, names)
    parts = parts.join(changed, on="player_id", how="semi", maintain_order="left")
    parts = with_entries(parts, taken, (a, b))
    return Differences(
        a=a,
        b=b,
        players=players,
        changes=changed,
        parts=parts,
        parts_of_a_nanopoint=exact.of,
        said=_said(parts, source),
        waiting=in_order({*first.waiting, *last.waiting}),
    )


def _refuse_unlike(a: Listing, b: Listing) -> None:
    """Refuse two lists between which there is no way."""
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
    """What the list that knows more knows more."""
    before, after = low.projection, high.projection
    if before.state.sequence == after.state.sequence:
        return []
    if source is None:
        raise Refused("The two lists know different entries of a journal; say of which.")
    return list(steps(before, after, source))


def _way(low: Listing, high: Listing, taken: Sequence[Step]) -> Iterator[PathPoint]:
    """The awards after each step of the way, valued on the day that holds there.

    A step after which an event waits that waits in neither list, as where a rate goes before the
    report that needed it, is taken together with the next.
    """
    at = low.awards()
    waited = _events(at)
    yield PathPoint("", at, contributions(at, low.selection))
    waiting: list[Step] = []
    for step in taken:
        waiting.append(step)
        touched = frozenset[str]().union(*(one.tournaments for one in waiting))
        if not touched:
            waiting.clear()
            continue
        then = updated_awards(at, step.after, touched)
        fresh = _events(then) - waited
        if fresh and step is not taken[-1] and fresh - _events(high.awards()):
            continue
        at = then
        yield PathPoint(step.cause, at, contributions(at, low.selection), tuple(waiting))
        waiting.clear()
    if waiting or low.question != high.question:
        at = high.awards()
        yield PathPoint("edition", at, contributions(at, low.selection))
    yield PathPoint("decay", at, contributions(at, high.selection))


def _events(given: Awards) -> set[str]:
    """The events that wait."""
    return {one.event_id for one in given.waiting}


def _changed(
    everybody: pl.DataFrame, renamed: Mapping[str, str], names: Mapping[str, str]
) -> pl.DataFrame:
    """Those who changed, with their names, by rank on the second list, then on the first."""
    return (
        everybody.filter(
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


def _said(parts: pl.DataFrame, source: Reader | None) -> dict[int, RecordedBy]:
    """Who recorded the entries behind some parts."""
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
    """What is said of a player whatever the causes."""
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
    """A part, and the last of the entries behind it."""
    last = part.said[-1] if part.said else None
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
    """One row a part."""
    for part in change.parts or (None,):
        yield change_values(change) | (part_values(part) if part else {})


def changes_frame(changes: Iterable[Change]) -> pl.DataFrame:
    """One row a part of every change; points are floats."""
    schema: dict[str, Any] = dict.fromkeys((*CHANGE_COLUMNS, *PART_COLUMNS), pl.String)
    schema |= dict.fromkeys((*IN_POINTS, *WHOLE), pl.Int64)
    schema |= {"recorded": pl.Date}
    rows = [row for change in changes for row in change_rows(change)]
    found = pl.DataFrame(rows, schema=schema)
    return found.with_columns(in_points(found[name]).alias(name) for name in IN_POINTS)
