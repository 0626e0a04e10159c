"""
The steps between two heads of a journal, one for each kind of change.

The entries between the two are applied kind by kind, whatever their order; what differs after a
step and not before is due to its entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from palmares.facts.subsets import played_in
from palmares.journal.projection.project import (
    Delta,
    Place,
    Projection,
    State,
    apply_entries,
    changed_canonical_ids,
)
from palmares.journal.store.journal import Reader
from palmares.lists.live.update import affected_tournaments

CAUSE_OF_GROUP: Mapping[str, str] = {
    "players": "name",
    "erasures": "name",
    "apart": "name",
    "publications": "name",
    "memberships": "membership",
    "rates": "rate",
    "merges": "merge",
    "overrides": "override",
}
"""The kind of change that each group of statements makes, but for reports."""

ORDER = (
    "name",
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

EntriesByPlace = Mapping[Place, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Entries of one kind, and the facts before and after them."""

    cause: str  # one of `ORDER`
    before: Projection
    after: Projection
    tournaments: frozenset[str]  # whose awards may differ
    entries: EntriesByPlace


def steps(low: Projection, high: Projection, source: Reader) -> Iterator[Step]:
    """The steps from an earlier head of a journal to a later one, without empty ones.

    Args:
        low: the facts at the earlier head.
        high: the facts at the later head.
        source: the journal.
    """
    by_kind = _by_kind(low.state, high.state)
    before = low
    for cause in ORDER:
        by_place = by_kind.get(cause)
        if by_place is None:
            continue
        only = {entry for entries in by_place.values() for entry in entries}
        delta = apply_entries(before, source, only=only)
        yield Step(
            cause=cause,
            before=before,
            after=delta.after,
            tournaments=frozenset(_affected(cause, delta)),
            entries=by_place,
        )
        before = delta.after


def _by_kind(low: State, high: State) -> dict[str, dict[Place, tuple[int, ...]]]:
    """The entries after the earlier head, by kind of change, group and key."""
    places = {
        statement.sequence: (name, key)
        for name, group in high.groups.items()
        for key, statements in group.items()
        for statement in statements
    }
    undoes = {by: of for of, undos in high.undos.items() for by in undos}
    kinds: dict[str, dict[Place, tuple[int, ...]]] = {}
    for sequence in range(low.sequence + 1, high.sequence + 1):
        root = sequence
        while root in undoes:
            root = undoes[root]
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


def _affected(cause: str, delta: Delta) -> set[str]:
    """The tournaments whose awards a step may change."""
    tournaments = affected_tournaments(delta)
    if cause == "merge":
        players = {
            one
            for pair in changed_canonical_ids(delta.before.state, delta.after.state).values()
            for one in pair
        }
        tournaments |= played_in(delta.before.tables, players)
    return tournaments
