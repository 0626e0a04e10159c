"""
What stands after some entries: who said what last, and what was undone.

Every kind of entry belongs to a group, and has a key in it. Where statements replace each other
(reports of a tournament, versions of a player), the last that was not undone stands. An undo is an
entry, so an undo can be undone: an entry counts unless an undo of it counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from palmares.core.canonical import canonical
from palmares.journal.projection.lazy import updated
from palmares.journal.store.entries import START, Entry, Head
from palmares.journal.store.kinds import BODIES, Override, body_of, unknown_shape

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
}
"""Kind of entry: its group, and what beside its subject makes the key there.

An undo speaks about what it undoes.
"""

_HEAVY = {"report": "tables", "publication": "list"}
"""What a state leaves in the entry."""

_DECODERS = {kind: msgspec.msgpack.Decoder(body) for kind, body in BODIES.items()}

Place = tuple[str, str]


class Statement(msgspec.Struct, frozen=True, array_like=True):
    """An entry without its tables.

    Its body stays packed, a piece of the snapshot it came from: as objects, those of a journal take
    four times the memory, and most are never asked for.
    """

    sequence: int
    kind: str
    packed: msgspec.Raw  # the body as MessagePack

    @property
    def body(self) -> Any:
        """What the entry says, unpacked each time: a struct of `palmares.journal.store.kinds`.

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
    """Every statement by group and key, in their order."""

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
        """Whether an entry counts no longer."""
        if sequence not in self.undos:
            return False
        below = [sequence]  # with undos of it, and undos of those: each after what it undoes
        for one in below:
            below += (by for by in self.undos.get(one, ()) if by > one)
        count: set[int] = set()
        for one in sorted(below, reverse=True):
            if count.isdisjoint(self.undos.get(one, ())):
                count.add(one)
        return sequence not in count

    def not_undone(self, group: str, key: str) -> list[Statement]:
        """The statements under a key that were not undone."""
        found = self.group(group).get(key, [])
        return [one for one in found if not self.is_undone(one.sequence)] if self.undos else found

    def in_force(self, group: str, key: str) -> Statement | None:
        """The last of them."""
        found = self.not_undone(group, key)
        return found[-1] if found else None

    def all_in_force(self, group: str) -> Iterator[tuple[str, Statement]]:
        """The last statement of each key that has one."""
        for key in self.group(group):
            found = self.in_force(group, key)
            if found is not None:
                yield key, found

    # ── in words of the journal ──────────────────────────────────────────────────────────────────

    def report(self, tournament: str) -> Statement | None:
        """The report of a tournament that counts."""
        found = self.in_force("tournaments", tournament)
        return found if found is not None and found.kind == "report" else None

    def overrides(self, tournament: str) -> list[Override]:
        """What officers set in a tournament's report, in order."""
        return [one.body for one in self.not_undone("overrides", tournament)]

    def merges(self) -> dict[str, str]:
        """Which record was merged into which."""
        return {key: found.body.into for key, found in self.all_in_force("merges")}

    def places_of(self, sequences: Collection[int]) -> Iterator[tuple[Place, Statement]]:
        """Where the statements of some entries are kept."""
        for name, group in self.groups.items():
            for key, found in group.items():
                for one in found:
                    if one.sequence in sequences:
                        yield (name, key), one


def apply_to_state(before: State, entries: Iterable[Entry]) -> tuple[State, list[Place]]:
    """The state after more entries, and what they speak about."""
    own: dict[str, Group] = {}  # copies of the groups that change: those before stay as they are
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
        undone = {one: of for of, by in undos.items() for one in by}
        roots = {_root(undone, of) for of in pending}
        touched |= {place: None for place, _ in after.places_of(roots)}
    return after, list(touched)


def _root(undone: Mapping[int, int], sequence: int) -> int:
    """What an entry is about in the end, given what each undo undoes: always an earlier one."""
    while (below := undone.get(sequence, sequence)) < sequence:
        sequence = below
    return sequence


def _light(entry: Entry) -> dict[str, Any]:
    """The body of an entry without what a state leaves in it."""
    if entry.kind not in _HEAVY:
        return dict(entry.read())
    parts = msgspec.json.decode(entry.body, type=dict[str, msgspec.Raw])
    parts.pop(_HEAVY[entry.kind], None)
    return {name: msgspec.json.decode(part) for name, part in parts.items()}


def place_of(kind: str, subject: str, body: Mapping[str, Any]) -> Place:
    """The group and the key that an entry other than an undo speaks about."""
    name, more = GROUPS[kind]
    return name, key_of(subject, *(body[one] for one in more))


def key_of(subject: str, *more: Any) -> str:
    """The key of a subject alone, or of a subject and more."""
    return canonical([subject, *more]) if more else subject


def subject_of(key: str) -> str:
    """The subject of a key that is a subject and more."""
    return str(msgspec.json.decode(key)[0])


def canonical_ids(merges: Mapping[str, str]) -> dict[str, str]:
    """For every merged record the one it is part of in the end.

    Merges in a circle lead nowhere; nobody can record one.
    """
    found = {}
    for start in merges:
        seen, at = {start}, merges[start]
        while at in merges and at not in seen:
            seen.add(at)
            at = merges[at]
        found[start] = at
    return found


def changed_canonical_ids(before: State, after: State) -> dict[str, tuple[str, str]]:
    """Every record that became part of another one, or of itself again: of which, then and now."""
    old, new = canonical_ids(before.merges()), canonical_ids(after.merges())
    pairs = {one: (old.get(one, one), new.get(one, one)) for one in old.keys() | new.keys()}
    return {one: (then, now) for one, (then, now) in pairs.items() if then != now}
