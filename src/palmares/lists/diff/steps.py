"""
What a journal came to know between two of its heads, one kind of change after another.

    ORDER       the kinds of change, in the order in which they are applied
    Step        one of them: the facts after it, the tournaments it may change, the entries
    steps       two projections of one journal  ->  the steps from the earlier to the later

The later facts are the earlier ones and the entries between, whatever their order. So the entries
are applied kind by kind, each kind to facts that have the kinds before it; what differs after a
step, and not before it, is the doing of its entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from palmares.facts.subsets import played_in
from palmares.journal.projection.project import Delta, Projection, apply_entries
from palmares.journal.projection.state import Place, State, changed_canonical_ids
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
"""Group of statements: the kind of change they make; a report's depends on what was there."""

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
"""First what goes, then what is known about all, then what is known about one tournament.

Rates come before the reports that need them, records become one before a correction speaks of
them, and overrides are held against the report that counts in the end.
"""

EntriesByPlace = Mapping[Place, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Entries of one kind, and the facts after them."""

    cause: str  # one of `ORDER`
    before: Projection
    after: Projection
    tournaments: frozenset[str]  # whose awards may differ
    said: EntriesByPlace  # which entries speak about what


def steps(low: Projection, high: Projection, source: Reader) -> Iterator[Step]:
    """The steps from what was known earlier to what is known later; kinds without entries are none.

    Args:
        low: of some journal.
        high: of the same journal, at a later head.
        source: that journal.
    """
    by_kind = _by_kind(low.state, high.state)
    before = low
    for cause in ORDER:
        said = by_kind.get(cause)
        if said is None:
            continue
        only = {entry for entries in said.values() for entry in entries}
        delta = apply_entries(before, source, only=only)
        yield Step(
            cause=cause,
            before=before,
            after=delta.after,
            tournaments=frozenset(_affected(cause, delta)),
            said=said,
        )
        before = delta.after


def _by_kind(low: State, high: State) -> dict[str, dict[Place, tuple[int, ...]]]:
    """The entries behind the earlier head by kind of change and by what they speak about."""
    places = {
        one.sequence: (name, key)
        for name, group in high.groups.items()
        for key, found in group.items()
        for one in found
    }
    undoes = {by: of for of, undos in high.undos.items() for by in undos}
    kinds: dict[str, dict[Place, tuple[int, ...]]] = {}
    for sequence in range(low.sequence + 1, high.sequence + 1):
        root = sequence
        while root in undoes:
            root = undoes[root]
        place = places.get(root)
        if place is not None:
            said = kinds.setdefault(_kind(place, low, high), {})
            said[place] = (*said.get(place, ()), sequence)
    return kinds


def _kind(place: Place, low: State, high: State) -> str:
    """The kind of change that entries about a place make."""
    group, key = place
    if group in CAUSE_OF_GROUP:
        return CAUSE_OF_GROUP[group]
    if low.report(key) is None:
        return "new result"
    return "withdrawal" if high.report(key) is None else "correction"


# ── which awards may differ ──────────────────────────────────────────────────────────────────────


def _affected(cause: str, delta: Delta) -> set[str]:
    """The tournaments whose awards a step may change."""
    found = affected_tournaments(delta)
    if cause == "merge":
        players = {
            one
            for pair in changed_canonical_ids(delta.before.state, delta.after.state).values()
            for one in pair
        }
        found |= played_in(delta.before.tables, players)
    return found
