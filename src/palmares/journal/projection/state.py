"""
The state after some entries: which statements are in force, and what was undone.

Every kind of entry belongs to a group and has a key in it; of the statements under one key, the
last that was not undone is in force. An undo is an entry and can be undone: an entry counts unless
an undo of it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import msgspec

from palmares.core.canonical import canonical
from palmares.journal.store.entries import (
    BODIES,
    START,
    Entry,
    Head,
    Override,
    body_of,
    unknown_shape,
)

GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "report": ("tournaments", ()),
    "withdrawal": ("tournaments", ()),
    "override": ("overrides", ()),
    "player": ("players", ()),
    "erasure": ("erasures", ()),
    "membership": ("memberships", ("federation", "start")),
    "merge": ("merges", ()),
    "apart": ("apart", ("players",)),
    "rate": ("rates", ("date",)),
    "publication": ("publications", ()),
    "draw": ("draws", ()),
    "reveal": ("reveals", ("announcement",)),
    "race": ("races", ()),
    "levels": ("levels", ()),
    "notice": ("notices", ()),
    "support": ("support", ()),
    "grant": ("grants", ()),
    "streamed": ("streamed", ("day",)),
    "transfer": ("transfers", ()),
}
"""The group of each kind of entry, and which fields of its body are part of the key.

An undo has the group and key of the entry it undoes.
"""

_HEAVY = {"report": "tables", "publication": "list"}
"""Fields that a state does not hold, for their size."""

_DECODERS = {kind: msgspec.msgpack.Decoder(body) for kind, body in BODIES.items()}

Place = tuple[str, str]


class Statement(msgspec.Struct, frozen=True, array_like=True):
    """An entry without its tables.

    Its body stays packed: unpacked, all bodies of a journal take four times the memory, and most
    are never read.
    """

    sequence: int
    kind: str
    packed: msgspec.Raw  # the body as MessagePack

    @property
    def body(self) -> Any:
        """The body, unpacked each time: a struct of `palmares.journal.store.entries`.

        Raises:
            Refused: it has another shape.
        """
        try:
            return _DECODERS[self.kind].decode(self.packed)
        except msgspec.MsgspecError as error:
            raise unknown_shape(self.sequence, self.kind, error) from None


Group = dict[str, list[Statement]]


@dataclass(frozen=True, slots=True)
class State:
    """All statements by group and key, in order."""

    sequence: int = START.sequence
    hash: str = START.hash
    recorded_at: str = START.recorded_at
    groups: Mapping[str, Group] = field(default_factory=dict)
    undos: dict[int, list[int]] = field(default_factory=dict)  # entry -> undos of it

    @property
    def head(self) -> Head:
        """The last entry."""
        return Head(self.sequence, self.hash, self.recorded_at)

    def group(self, name: str) -> Group:
        """All statements of a group by key."""
        return self.groups.get(name, {})

    def is_undone(self, sequence: int) -> bool:
        """Whether an entry was undone."""
        if sequence not in self.undos:
            return False
        related = [sequence]  # with its undos, and undos of those: each after what it undoes
        for entry in related:
            related += (undo for undo in self.undos.get(entry, ()) if undo > entry)
        counting: set[int] = set()
        for entry in sorted(related, reverse=True):
            if counting.isdisjoint(self.undos.get(entry, ())):
                counting.add(entry)
        return sequence not in counting

    def not_undone(self, group: str, key: str) -> list[Statement]:
        """The statements under a key that were not undone."""
        statements = self.group(group).get(key, [])
        if not self.undos:
            return statements
        return [statement for statement in statements if not self.is_undone(statement.sequence)]

    def in_force(self, group: str, key: str) -> Statement | None:
        """The last statement under a key that was not undone."""
        statements = self.not_undone(group, key)
        return statements[-1] if statements else None

    def all_in_force(self, group: str) -> Iterator[tuple[str, Statement]]:
        """The statement in force of each key that has one."""
        for key in self.group(group):
            statement = self.in_force(group, key)
            if statement is not None:
                yield key, statement

    def report(self, tournament: str) -> Statement | None:
        """The report of a tournament that is in force."""
        last = self.in_force("tournaments", tournament)
        return last if last is not None and last.kind == "report" else None

    def overrides(self, tournament: str) -> list[Override]:
        """The overrides of a tournament's report, in order."""
        return [statement.body for statement in self.not_undone("overrides", tournament)]

    def merges(self) -> dict[str, str]:
        """The record that each merged record was merged into."""
        return {record: merge.body.into for record, merge in self.all_in_force("merges")}

    def places_of(self, sequences: Collection[int]) -> Iterator[tuple[Place, Statement]]:
        """The statements of some entries, with their groups and keys."""
        for name, group in self.groups.items():
            for key, statements in group.items():
                for statement in statements:
                    if statement.sequence in sequences:
                        yield (name, key), statement


def apply_to_state(before: State, entries: Iterable[Entry]) -> tuple[State, list[Place]]:
    """The state after more entries, and the groups and keys that they change."""
    own: dict[str, Group] = {}  # copies of the groups that change
    undos = dict(before.undos)
    head = before.head
    touched: dict[Place, None] = {}
    pending: list[int] = []
    for entry in entries:
        head = entry.head
        if entry.kind == "undo":
            of = body_of(entry).undoes
            undos[of] = [*undos.get(of, ()), entry.sequence]
            pending.append(of)
            continue
        body = _light(entry)
        place = place_of(entry.kind, entry.subject, body)
        if place[0] not in own:
            own[place[0]] = dict(before.group(place[0]))
        group = own[place[0]]
        packed = msgspec.Raw(msgspec.msgpack.encode(body))
        group[place[1]] = [
            *group.get(place[1], ()),
            Statement(entry.sequence, entry.kind, packed),
        ]
        touched[place] = None
    groups = updated(before.groups, {name: partial(own.__getitem__, name) for name in own})
    after = State(head.sequence, head.hash, head.recorded_at, groups, undos)
    if pending:
        undone = {undo: of for of, by in undos.items() for undo in by}
        roots = {_root(undone, of) for of in pending}
        touched |= {place: None for place, _ in after.places_of(roots)}
    return after, list(touched)


def _root(undone: Mapping[int, int], sequence: int) -> int:
    """The entry at the end of a chain of undos, given what each undo undoes."""
    while (below := undone.get(sequence, sequence)) < sequence:
        sequence = below
    return sequence


def _light(entry: Entry) -> dict[str, Any]:
    """The body of an entry without the fields that a state does not hold."""
    if entry.kind not in _HEAVY:
        return dict(entry.read())
    parts = msgspec.json.decode(entry.body, type=dict[str, msgspec.Raw])
    parts.pop(_HEAVY[entry.kind], None)
    return {name: msgspec.json.decode(part) for name, part in parts.items()}


def place_of(kind: str, subject: str, body: Mapping[str, Any]) -> Place:
    """The group and key of an entry other than an undo."""
    group, fields = GROUPS[kind]
    return group, key_of(subject, *(body[field] for field in fields))


def key_of(subject: str, *more: Any) -> str:
    """The key of a subject alone, or of a subject and other fields."""
    return canonical([subject, *more]) if more else subject


def subject_of(key: str) -> str:
    """The subject of a key that has other fields, too."""
    return str(msgspec.json.decode(key)[0])


def canonical_ids(merges: Mapping[str, str]) -> dict[str, str]:
    """For every merged record the record it was merged into in the end.

    A circle of merges, which nobody can record, has no end.
    """
    ids = {}
    for start in merges:
        seen, at = {start}, merges[start]
        while at in merges and at not in seen:
            seen.add(at)
            at = merges[at]
        ids[start] = at
    return ids


def changed_canonical_ids(before: State, after: State) -> dict[str, tuple[str, str]]:
    """The records whose canonical id is another after some entries, with both ids."""
    old, new = canonical_ids(before.merges()), canonical_ids(after.merges())
    ids = {record: (old.get(record, record), new.get(record, record)) for record in {**old, **new}}
    return {record: (then, now) for record, (then, now) in ids.items() if then != now}


# ── values computed on first use ──────────────────────────────────────────────────────────────────

V = TypeVar("V")
Makers = Mapping[str, Callable[[], V]]


class Lazy(Mapping[str, V]):
    """A mapping whose values are computed on first use."""

    def __init__(self, makers: Makers[V]) -> None:
        self._makers = makers
        self._values: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        """The value of a name."""
        if name not in self._values:
            self._values[name] = self._makers[name]()
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        """Every name."""
        return iter(self._makers)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._makers)


def updated(before: Mapping[str, V], makers: Makers[V]) -> Mapping[str, V]:
    """A copy with some values replaced; lazy if the mapping is."""
    after = Lazy({name: partial(before.__getitem__, name) for name in before} | dict(makers))
    return after if isinstance(before, Lazy) else dict(after)
