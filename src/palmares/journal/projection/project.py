"""
What follows from a journal's entries up to one of them: the statements in force, and the facts.

Every kind of entry belongs to a group and has a key in it; of the statements under one key, the
last that was not undone is in force. An undo is an entry and can be undone: an entry counts unless
an undo of it counts. More entries change only the tables of facts of their subjects. Names that are
withheld now are withheld in earlier projections, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import polars as pl

from palmares.core.canonical import canonical
from palmares.core.progress import over
from palmares.facts.merge import played_in, without_tournaments
from palmares.facts.schema import (
    PLAYER_COLUMNS,
    REPORT_TABLES,
    TABLES,
    Facts,
    empty,
    schema,
)
from palmares.journal.projection.bodies import frames, with_overrides
from palmares.journal.store.entries import (
    BODIES,
    START,
    Entry,
    Head,
    Override,
    PersonalData,
    Player,
    Rate,
    body_of,
    tables_of,
    unknown_shape,
)

if TYPE_CHECKING:
    from palmares.journal.store.journal import Reader

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

_PLAIN = msgspec.json.Decoder(dict[str, Any])
_PARTS = msgspec.json.Decoder(dict[str, msgspec.Raw])
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
        return self._counting(self.group(group).get(key, []))

    def _counting(self, statements: list[Statement]) -> list[Statement]:
        if not self.undos:
            return statements
        return [statement for statement in statements if not self.is_undone(statement.sequence)]

    def in_force(self, group: str, key: str) -> Statement | None:
        """The last statement under a key that was not undone."""
        statements = self.not_undone(group, key)
        return statements[-1] if statements else None

    def all_in_force(
        self, group: str, keys: Iterable[str] | None = None
    ) -> Iterator[tuple[str, Statement]]:
        """The statement in force of each key that has one, or of some keys."""
        statements = self.group(group)
        for key in statements if keys is None else keys:
            if counting := self._counting(statements.get(key, [])):
                yield key, counting[-1]

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

    def roots(self, sequences: Iterable[int]) -> Iterator[int]:
        """Entries as they are given; for an undo, the entry that it undoes in the end."""
        undone = {undo: of for of, by in self.undos.items() for undo in by}
        for sequence in sequences:
            root = sequence
            while (below := undone.get(root, root)) < root:
                root = below
            yield root

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
        try:
            body = _light(entry)
            place = place_of(entry.kind, entry.subject, body)
        except (KeyError, msgspec.MsgspecError) as error:
            raise unknown_shape(entry.sequence, entry.kind, error) from None
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
        roots = set(after.roots(pending))
        touched |= {place: None for place, _ in after.places_of(roots)}
    return after, list(touched)


def state_before(now: State, head: Head) -> tuple[State, list[Place]]:
    """An earlier state, and the groups and keys that have changed since.

    Args:
        now: the later state.
        head: the last entry of the earlier one.
    """
    last = head.sequence
    groups: dict[str, Group] = {}
    changed: dict[Place, None] = {}
    for name, group in now.groups.items():
        own: Group = {}
        for key, statements in group.items():
            if statements[-1].sequence <= last:
                own[key] = statements
                continue
            changed[name, key] = None
            if statements[0].sequence <= last:
                own[key] = [each for each in statements if each.sequence <= last]
        if own:
            groups[name] = own
    undos = {of: [undo for undo in by if undo <= last] for of, by in now.undos.items()}
    undos = {of: by for of, by in undos.items() if by}
    later = {undo for by in now.undos.values() for undo in by if undo > last}
    if later:
        changed |= {place: None for place, _ in now.places_of(set(now.roots(later)))}
    return State(last, head.hash, head.recorded_at, groups, undos), list(changed)


def state_with(before: State, now: State, entries: Mapping[Place, Collection[int]]) -> State:
    """A state with some entries of a later one.

    Args:
        before: the earlier state.
        now: the later one.
        entries: all entries since that some groups and keys have, undos among them.
    """
    own = {name: dict(before.group(name)) for name in {name for name, _ in entries}}
    for name, key in entries:
        own[name][key] = now.group(name)[key]
    wanted = {entry for several in entries.values() for entry in several}
    undos = {
        of: [undo for undo in by if undo in wanted or undo in before.undos.get(of, ())]
        for of, by in now.undos.items()
    }
    groups = updated(before.groups, {name: partial(own.__getitem__, name) for name in own})
    return replace(before, groups=groups, undos={of: by for of, by in undos.items() if by})


def _light(entry: Entry) -> dict[str, Any]:
    """The body of an entry without the fields that a state does not hold."""
    if entry.kind not in _HEAVY:
        return _PLAIN.decode(entry.body)
    parts = _PARTS.decode(entry.body)
    parts.pop(_HEAVY[entry.kind], None)
    return {name: msgspec.json.decode(part) for name, part in parts.items()}


def place_of(kind: str, subject: str, body: Mapping[str, Any]) -> Place:
    """The group and key of an entry other than an undo."""
    group, fields = GROUPS[kind]
    parts = {field: body[field] for field in fields}
    if "federation" in parts:  # whose memberships count however it is spelled
        parts["federation"] = str(parts["federation"]).casefold()
    return group, key_of(subject, *parts.values())


def key_of(subject: str, *more: Any) -> str:
    """The key of a subject alone, or of a subject and other fields."""
    return canonical([subject, *more]) if more else subject


def subject_of(key: str) -> str:
    """The subject of a key that has other fields, too."""
    return str(msgspec.json.decode(key)[0])


def canonical_ids(merges: Mapping[str, str]) -> dict[str, str]:
    """For every merged record the record it was merged into in the end.

    A circle of merges, which is always refused, has no end.
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


class LazyMapping(Mapping[str, V]):
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


def lazily(names: Iterable[str], make: Callable[[], Mapping[str, V]]) -> LazyMapping[V]:
    """A mapping that is made as a whole, when its first value is needed."""
    once = cache(make)
    return LazyMapping({name: lambda name=name: once()[name] for name in names})  # type: ignore[misc]


def updated(before: Mapping[str, V], makers: Makers[V]) -> Mapping[str, V]:
    """A copy with some values replaced; lazy if the mapping is."""
    after = LazyMapping({name: partial(before.__getitem__, name) for name in before} | dict(makers))
    return after if isinstance(before, LazyMapping) else dict(after)


# ── facts ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """The facts of a journal up to an entry."""

    state: State
    tables: Mapping[str, pl.DataFrame]
    may_wait: bool = True  # whether events may wait for missing facts
    lookup: PlayerLookup | None = None  # reads the rows of some players, faster than all
    read: Mapping[str, pl.DataFrame] | None = None  # rows of the reports that were read last

    @property
    def facts(self) -> Facts:
        """The tables for regulations; they were checked when they were recorded."""
        return Facts(self.tables, may_wait=self.may_wait)

    def people(self, ids: pl.Series) -> pl.DataFrame:
        """The rows of some players, in any order."""
        if self.lookup is None or len(ids) > LOOKUP_LIMIT:
            return self.tables["players"].filter(pl.col("player_id").is_in(ids.implode()))
        return self.lookup(ids.to_list())

    def lazy(self) -> Projection:
        """The same projection; what is changed in it is computed on first use."""
        tables = LazyMapping({name: partial(self.tables.__getitem__, name) for name in self.tables})
        return replace(self, tables=tables)

    def loaded(self) -> Projection:
        """The projection with everything read, independent of snapshot and journal."""
        if not isinstance(self.tables, LazyMapping):
            return self
        state = replace(self.state, groups=dict(self.state.groups))
        return Projection(state, dict(self.tables), self.may_wait)


PlayerLookup = Callable[[Collection[str]], pl.DataFrame]
LOOKUP_LIMIT = 500
"""Up to so many players are looked up; for more, all are read."""
MAX_CHUNKS = 200
"""A table with more chunks is written into one."""

EMPTY = Projection(State(), {name: empty(name) for name in TABLES})


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """A projection after more entries, and what they changed."""

    before: Projection
    after: Projection
    tournaments: frozenset[str]
    players: frozenset[str]
    places: tuple[Place, ...]  # groups and keys
    rows: Mapping[str, pl.DataFrame]  # of these tournaments after the entries


def apply_entries(before: Projection, source: Reader, until: int | None = None) -> Delta:
    """The projection after more entries.

    Args:
        before: of the same journal, at an earlier entry.
        source: the journal.
        until: the last entry to apply; by default, the last of all.
    """
    following = source.entries(before.state.sequence, until)
    with closing(following):  # before the connection, also where an entry is refused
        state, places = apply_to_state(before.state, following)
    lookup = player_lookup(state, source) if before.lookup else None
    return delta_to(before, state, places, source, lookup)


def delta_to(
    before: Projection,
    state: State,
    places: Collection[Place],
    source: Reader,
    lookup: PlayerLookup | None = None,
) -> Delta:
    """The projection at another state, later or earlier.

    Args:
        before: of the same journal.
        state: the other state.
        places: the groups and keys whose statements differ.
        source: the journal; where the tables before are lazy, it is read when they are needed.
        lookup: reads the rows of some players at that state.
    """
    if not places:
        return no_change(before, Projection(state, before.tables, lookup=lookup))
    records = changed_canonical_ids(before.state, state)
    keys: dict[str, set[str]] = {}
    for group, key in places:
        keys.setdefault(group, set()).add(key)
    tournaments = keys.get("tournaments", set()) | keys.get("overrides", set())
    if records:
        tournaments |= played_in(before.tables, {then for then, _ in records.values()})
    players = keys.get("players", set()).union(records, {now for _, now in records.values()})
    if "erasures" in keys:
        players |= keys["erasures"] & state.group("players").keys()
    tables = before.tables
    reported = lazily(REPORT_TABLES, lambda: _reported(state, tournaments, source))
    makers: dict[str, Callable[[], pl.DataFrame]] = {}
    if tournaments:
        others = lazily(REPORT_TABLES, lambda: _without(tables, tournaments))
        kept = updated(others, {"tournaments": lambda: _others(tables, tournaments)})
        makers |= {name: partial(_appended, kept, name, reported) for name in REPORT_TABLES}
    if players:
        makers["players"] = lambda: _updated_players(tables["players"], state, players, source)
    if records or "memberships" in keys:
        makers["memberships"] = lambda: _memberships(state)
    if "rates" in keys:
        makers["rates"] = lambda: _in_force("rates", state, _rate)
    return Delta(
        before=before,
        after=Projection(state, updated(tables, makers), before.may_wait, lookup, reported),
        tournaments=frozenset(tournaments),
        players=frozenset(players),
        places=tuple(places),
        rows=reported,
    )


def rewound(now: Projection, last: int, source: Reader) -> Projection:
    """The projection at an earlier entry, without reading what has stayed the same since.

    Args:
        now: a later projection of the same journal.
        last: the number of the entry; 0: before all of them.
        source: the journal; it must stay open while the facts are used.
    """
    head = source.entry(last).head if last else START
    state, places = state_before(now.state, head)
    then = delta_to(now.lazy(), state, places, source).after
    return hide_withheld(then, now.state, source)


def no_change(before: Projection, after: Projection) -> Delta:
    """A change of nothing: the facts stay, perhaps at a later entry."""
    rows = {name: empty(name) for name in REPORT_TABLES}
    return Delta(before, after, frozenset(), frozenset(), (), rows)


# ── tournaments ──────────────────────────────────────────────────────────────────────────────────


def _reported(
    state: State, tournaments: Collection[str], source: Reader
) -> dict[str, pl.DataFrame]:
    """The tables of the reports in force, after overrides and merges."""
    in_force = map(state.report, tournaments)
    entries = [report.sequence for report in in_force if report is not None]
    with closing(source.by_number(entries)) as reports:
        reported = frames(
            (entry.sequence, with_overrides(tables_of(entry), state.overrides(entry.subject)))
            for entry in over(reports, "reports", len(entries))
        )
    merged = canonical_ids(state.merges())
    if merged:
        reported |= {
            name: reported[name].with_columns(pl.col(columns).replace(merged))
            for name, columns in PLAYER_COLUMNS.items()
        }
    return reported


def _others(tables: Mapping[str, pl.DataFrame], tournaments: Collection[str]) -> pl.DataFrame:
    """The table of tournaments without some of them: it is often needed without the others."""
    return tables["tournaments"].filter(~pl.col("tournament_id").is_in(list(tournaments)))


def _without(
    tables: Mapping[str, pl.DataFrame], tournaments: Collection[str]
) -> Mapping[str, pl.DataFrame]:
    """The tables of reports without some tournaments; the same ones, if they have none of them."""
    known = tables["tournaments"]["tournament_id"].is_in(list(tournaments)).any()
    return without_tournaments(tables, tournaments) if known else tables


def _appended(
    tables: Mapping[str, pl.DataFrame], name: str, rows: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """A table with more rows."""
    table, more = tables[name], rows[name]
    if more.is_empty():
        return table
    if table.is_empty():
        return more
    return pl.concat([table, more], rechunk=table.n_chunks() > MAX_CHUNKS)


# ── players, memberships and rates ───────────────────────────────────────────────────────────────


def player_rows(
    state: State, merged: Mapping[str, str], players: Collection[str] | None, source: Reader
) -> pl.DataFrame:
    """The rows of some players, or of all, without merged records."""
    in_force: list[tuple[str, int, Player]] = [
        (record, version.sequence, version.body)
        for record, version in state.all_in_force("players", players)
        if record not in merged
    ]
    seals = [body.person for _, _, body in in_force if body.person]
    records = source.records(None if players is None else seals)
    source.refuse_lost_names(set(seals) - records.keys())
    rows = []
    for id_, sequence, body in in_force:
        person = records.get(body.person or "")
        name = None if person is None else PersonalData.read(person).name
        withheld = body.withheld or name is None
        rows.append((id_, name or id_, body.nation, withheld, f"entry {sequence}", 1))
    return _rows("players", rows)


def player_lookup(state: State, source: Reader) -> PlayerLookup:
    """A function that reads the rows of some players alone."""

    def look_up(ids: Collection[str]) -> pl.DataFrame:
        with closing(source.about(ids, "player", state.sequence)) as theirs:
            part, _ = apply_to_state(State(undos=state.undos), theirs)
        return player_rows(part, canonical_ids(state.merges()), ids, source)

    return look_up


def _updated_players(
    before: pl.DataFrame, state: State, players: Collection[str], source: Reader
) -> pl.DataFrame:
    """The table of players with new rows of some of them."""
    others = before.filter(~pl.col("player_id").is_in(list(players)))
    rows = player_rows(state, canonical_ids(state.merges()), players, source)
    return _appended({"players": others}, "players", {"players": rows})


def _memberships(state: State) -> pl.DataFrame:
    """The table of memberships, by canonical ids."""
    canonical = canonical_ids(state.merges())
    return _in_force(
        "memberships",
        state,
        lambda body: (
            canonical.get(body.player_id, body.player_id),
            body.federation,
            body.level,
            body.start,
            body.end,
        ),
    )


def _in_force(name: str, state: State, cells: Callable[[Any], tuple[Any, ...]]) -> pl.DataFrame:
    """A table with a row for each statement in force; *cells* gives those of its body."""
    rows = (
        (*cells(statement.body), f"entry {statement.sequence}", 1)
        for _, statement in state.all_in_force(name)
    )
    return _rows(name, rows)


def _rate(body: Rate) -> tuple[Any, ...]:
    rates = (rate and Decimal(rate) for rate in (body.eur_per_unit, body.units_per_eur))
    return body.currency, body.date, *rates, body.source, body.published_on


def _rows(name: str, rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
    """A table of rows that end with file and line."""
    return pl.DataFrame(list(rows), schema(name), orient="row")


# ── withheld names ───────────────────────────────────────────────────────────────────────────────

ABOUT_NAMES = ("player", "merge", "erasure", "undo")
"""The kinds of entries that decide which names are withheld."""


def withheld_players(state: State, of: Collection[str] | None = None) -> frozenset[str]:
    """The ids of records whose names are withheld, merged ones included: of all, or of some."""
    erased = {
        seal
        for statements in state.group("erasures").values()
        for statement in statements
        for seal in statement.body.persons
    }
    merged = canonical_ids(state.merges())
    records = state.group("players") if of is None else {*of, *(merged.get(one, one) for one in of)}
    own = {
        record
        for record, version in state.all_in_force("players", records)
        if version.body.withheld or version.body.person in erased
    }
    return frozenset(own | {record for record, into in merged.items() if into in own})


def hide_withheld(then: Projection, since: State, source: Reader) -> Projection:
    """An earlier projection without the names that are withheld now.

    Args:
        then: the earlier projection.
        since: the latest state at hand, from which on entries about names are read.
        source: the journal.
    """
    if not then.state.sequence:
        return then

    @cache
    def withheld() -> list[str]:
        with closing(source.of_kinds(ABOUT_NAMES, after=since.sequence)) as entries:
            return list(withheld_players(apply_to_state(since, entries)[0]))

    def hidden(players: pl.DataFrame) -> pl.DataFrame:
        if not withheld():
            return players
        is_withheld = pl.col("player_id").is_in(withheld())
        return players.with_columns(pl.col("withheld").fill_null(value=False) | is_withheld)

    lookup = then.lookup
    return replace(
        then,
        tables=updated(then.tables, {"players": lambda: hidden(then.tables["players"])}),
        lookup=lookup and (lambda ids: hidden(lookup(ids))),
    )
