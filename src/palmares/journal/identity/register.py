"""
The players of a journal: their records, names, ids elsewhere and tournaments.

Every version of a record that was not undone belongs to its player, so an earlier name still means
them. Merged records keep their names and ids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

import polars as pl
import sqlalchemy as sa

from palmares.core.canonical import canonical
from palmares.core.errors import Location, Problem
from palmares.facts.subsets import appearances
from palmares.facts.text import shown
from palmares.journal.projection.project import Projection
from palmares.journal.projection.state import Statement, canonical_ids
from palmares.journal.store.journal import Reader
from palmares.journal.store.persons import Person
from palmares.journal.store.tables import ENTRIES, PERSONS

MAX_TEXTS_IN_QUERY = 50
"""With more texts, all records that have ids elsewhere are read instead."""
_OURS = re.compile(r"P([1-9][0-9]{0,17})")
_NAME = '"name":'  # the last key of a record: keys are sorted
_IDS = '{"ids":'
_ID_SUFFIX = "_id"


class Form(NamedTuple):
    """A player as written in a report."""

    name: str
    nation: str | None
    origin: str | None = None  # a state or a town, in the brackets instead of a nation

    def __str__(self) -> str:
        """As printed: Ada Novak (CZE)."""
        inside = self.nation or self.origin
        return f"{self.name} ({inside})" if inside else self.name


class PlayedTournament(NamedTuple):
    """A tournament that a player played in."""

    start: date
    day: date
    tournament: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedPlayer:
    """A person named in checked facts."""

    key: str  # their player_id in these facts
    name: str
    nation: str | None = None
    given: bool = False  # the report gives an id, not only a name
    withheld: bool | None = None
    more: Mapping[str, str] = field(default_factory=dict)  # additional columns
    last_day: date | None = None  # of the latest of these tournaments they played in
    events: Collection[str] = ()  # they played in
    file: int = 0  # which of the files names them first

    @property
    def form(self) -> Form:
        """As the report writes them."""
        return Form(self.name, self.nation, self.more.get("origin"))

    @property
    def ids(self) -> dict[str, str]:
        """Their ids elsewhere."""
        return other_ids(self.more)[0]


def player_problem(player: str, what: str, clause: str, remedy: str) -> Problem:
    """A problem about a player, given by id or as written."""
    return Problem(at=Location(f"player {shown(player)}"), what=what, clause=clause, remedy=remedy)


def is_ours(player_id: str) -> bool:
    """Whether an id looks like those that journals give: P17."""
    return _OURS.fullmatch(player_id) is not None


def other_ids(more: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Split additional columns into ids elsewhere, such as ``usbgf_id``, and the rest."""
    ids, rest = {}, {}
    for name, value in more.items():
        scheme = name.removesuffix(_ID_SUFFIX)
        if scheme not in (name, "", "player"):
            ids[scheme] = value
        else:
            rest[name] = value
    return ids, rest


@dataclass(frozen=True, slots=True, eq=False)
class Register:
    """The players of a journal at one entry."""

    projection: Projection
    reader: Reader
    merged: Mapping[str, str]  # a merged record -> its canonical id

    @classmethod
    def of(cls, projection: Projection, reader: Reader) -> Register:
        """The players of a projection; their names are read when needed."""
        return cls(projection, reader, canonical_ids(projection.state.merges()))

    # ── records ──────────────────────────────────────────────────────────────────────────────────

    def in_force(self, player_id: str) -> Statement | None:
        """The current version of a record."""
        return self.projection.state.in_force("players", player_id)

    def canonical_id(self, player_id: str) -> str:
        """The record that a record was merged into in the end, or itself."""
        return self.merged.get(player_id, player_id)

    def parts(self, player_id: str) -> list[str]:
        """The records that were merged into a record, in the end."""
        return sorted(one for one, into in self.merged.items() if into == player_id)

    def records(self, player_id: str) -> list[str]:
        """All records of a player, given any of them."""
        main = self.canonical_id(player_id)
        return sorted({main, *self.parts(main)})

    def first(self, player_id: str) -> int:
        """The number of the first entry of a record."""
        return self.projection.state.group("players")[player_id][0].sequence

    def persons(self, players: Iterable[str]) -> dict[str, Person]:
        """Names and ids elsewhere of some players, without erased ones."""
        return self.forms_and_persons(players)[1]

    def forms_and_persons(
        self, players: Iterable[str]
    ) -> tuple[dict[str, set[Form]], dict[str, Person]]:  # fmt: skip
        """How some players are and were written, and their `persons`."""
        state = self.projection.state
        versions = {player: state.not_undone("players", player) for player in players}
        seals = {body.person for found in versions.values() for body in (v.body for v in found)}
        records = self._records({seal for seal in seals if seal})
        person_by_seal = {
            seal: Person.read(record) for seal, record in records.items() if seal in seals
        }
        forms: dict[str, set[Form]] = {}
        current: dict[str, Person] = {}
        for player, found in versions.items():
            forms[player] = set()
            for version in found:
                current.pop(player, None)
                person = person_by_seal.get(version.body.person)
                if person is not None:
                    origin = person.more.get("origin")
                    forms[player].add(Form(person.name, version.body.nation, origin))
                    current[player] = person
        return forms, current

    def _records(self, seals: Collection[str]) -> dict[str, str]:
        if not seals:
            return {}
        many = len(seals) > len(self.projection.state.group("players")) // 4
        return self.reader.records(None if many else seals)

    # ── look-ups ─────────────────────────────────────────────────────────────────────────────────

    def by_name(self, names: Collection[str]) -> dict[str, list[str]]:
        """The records that have or had exactly some names, the oldest first."""
        if not names:
            return {}
        records: defaultdict[str, dict[str, None]] = defaultdict(dict)
        players = self.projection.tables["players"].select("player_id", "name")
        current = players.filter(pl.col("name").is_in(list(names))).iter_rows()
        for record, name in (*current, *self._earlier_names(names)):
            records[name][record] = None
        return {name: sorted(found, key=self.first) for name, found in records.items()}

    def _earlier_names(self, names: Collection[str]) -> Iterable[tuple[str, str]]:
        """Records that were merged or renamed and had one of some names, with the name."""
        state = self.projection.state
        record_by_seal: dict[str | None, str] = {}
        several = [key for key, versions in state.group("players").items() if len(versions) > 1]
        for record in (*self.merged, *several):
            versions = state.not_undone("players", record)
            current = None if record in self.merged or not versions else versions[-1].body.person
            for version in versions:
                if record in self.merged or version.body.person != current:
                    record_by_seal[version.body.person] = record
        records = self._records({seal for seal in record_by_seal if seal})
        wanted = {canonical(name): name for name in names} if records else {}
        for seal, text in records.items():
            name = wanted.get(text[text.rfind(_NAME) + len(_NAME) : -1])
            if name is not None and seal in record_by_seal:
                yield record_by_seal[seal], name

    def by_other_id(self, texts: Collection[str]) -> dict[str, list[tuple[str, str]]]:
        """Schemes and records that have some ids elsewhere, by id."""
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        wanted = set(texts)
        for player_id, person in self.with_other_ids(wanted) if wanted else ():
            for scheme, value in person.ids.items():
                if value in wanted:
                    found[value].append((scheme, player_id))
        return found

    def with_other_ids(self, texts: Collection[str] | None = None) -> Iterable[tuple[str, Person]]:
        """Current records that have ids elsewhere; if texts are given, with one of them."""
        of = PERSONS.join(ENTRIES, PERSONS.c.sequence == ENTRIES.c.sequence)
        query = sa.select(ENTRIES.c.subject, PERSONS.c.commitment, PERSONS.c.record)
        query = query.select_from(of).where(PERSONS.c.record.startswith(_IDS, autoescape=True))
        if texts is not None and len(texts) <= MAX_TEXTS_IN_QUERY:
            holds = [
                PERSONS.c.record.contains(canonical(text), autoescape=True)
                for text in sorted(texts)
            ]
            query = query.where(sa.or_(*holds))
        for subject, seal, record in self.reader.connection.execute(query):
            current = self.in_force(subject)
            if current is not None and current.body.person == seal:
                yield subject, Person.read(record)

    def last(self, players: Collection[str]) -> dict[str, PlayedTournament]:
        """The latest tournament of each of some players who has any."""
        return {player: found[-1] for player, found in self.tournaments_of(players).items()}

    def tournaments_of(self, players: Collection[str]) -> dict[str, list[PlayedTournament]]:
        """The tournaments of each of some players who has any, the latest last."""
        tables, wanted = self.projection.tables, list(players)
        if not wanted:
            return {}
        events = tables["events"].select("event_id", "tournament_id")
        start = pl.coalesce("start_date", "end_date").alias("start")
        days = tables["tournaments"].select("tournament_id", "name", "end_date", start)
        found = (
            appearances(tables, wanted)
            .join(events, on="event_id")
            .select("player_id", "tournament_id")
            .unique()
            .join(days, on="tournament_id")
            .sort("end_date", "tournament_id")
            .group_by("player_id", maintain_order=True)
            .agg(pl.struct("start", "end_date", "name"))
        )
        return {
            player: [PlayedTournament(*row.values()) for row in rows]
            for player, rows in found.iter_rows()
        }

    def next_number(self) -> int:
        """The number of the next id of our own; ids are never reused."""
        known = pl.Series([*self.projection.state.group("players")], dtype=pl.String)
        last = known.str.extract(f"^{_OURS.pattern}$").cast(pl.Int64).max()
        return (last if isinstance(last, int) else 0) + 1
