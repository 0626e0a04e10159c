"""
What a journal knows of players, looked up for the few who are asked about.

A player is every version of their record that was not undone: a report of 2019 has the name of
then, and means the same player. Merged records keep their names and ids. Erased names are gone.
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
"""Above so many texts, all records that hold ids elsewhere are read instead."""
_OURS = re.compile(r"P([1-9][0-9]{0,17})")
_NAME = '"name":'  # the last thing in a record, for what comes before it sorts before it
_IDS = '{"ids":'
_ELSEWHERE = "_id"


class Form(NamedTuple):
    """How a report writes somebody."""

    name: str
    nation: str | None
    origin: str | None = None  # what else stood in the brackets: a state, a town

    def __str__(self) -> str:
        """The same as printed: Ada Novak (CZE)."""
        inside = self.nation or self.origin
        return f"{self.name} ({inside})" if inside else self.name


class PlayedTournament(NamedTuple):
    """A tournament somebody played in: the latest, or one of all."""

    start: date
    day: date
    tournament: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedPlayer:
    """Somebody as checked facts name them."""

    key: str  # their player_id in these facts
    name: str
    nation: str | None = None
    given: bool = False  # the report gives an id, not only a name
    withheld: bool | None = None
    more: Mapping[str, str] = field(default_factory=dict)  # columns beside the contract
    last_day: date | None = None  # of the latest of these tournaments in which they appear
    events: Collection[str] = ()  # in which they appear
    file: int = 0  # which of the files names them first

    @property
    def form(self) -> Form:
        """How they are written."""
        return Form(self.name, self.nation, self.more.get("origin"))

    @property
    def ids(self) -> dict[str, str]:
        """Their ids elsewhere."""
        return other_ids(self.more)[0]


def player_problem(player: str, what: str, clause: str, remedy: str) -> Problem:
    """Something to say of a player, by their id or as they are written."""
    return Problem(at=Location(f"player {shown(player)}"), what=what, clause=clause, remedy=remedy)


def is_ours(player_id: str) -> bool:
    """Whether an id has the shape of those that journals give: P17."""
    return _OURS.fullmatch(player_id) is not None


def other_ids(more: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Ids elsewhere, from columns such as ``usbgf_id``, and what else a report says."""
    ids, rest = {}, {}
    for name, value in more.items():
        scheme = name.removesuffix(_ELSEWHERE)
        if scheme not in (name, "", "player"):
            ids[scheme] = value
        else:
            rest[name] = value
    return ids, rest


@dataclass(frozen=True, slots=True, eq=False)
class Register:
    """The players of a journal at one head."""

    projection: Projection
    reader: Reader
    merged: Mapping[str, str]  # a merged record  ->  the one it is part of in the end

    @classmethod
    def of(cls, projection: Projection, reader: Reader) -> Register:
        """The players of a projection; their names are read from the journal."""
        return cls(projection, reader, canonical_ids(projection.state.merges()))

    # ── records ──────────────────────────────────────────────────────────────────────────────────

    def in_force(self, player_id: str) -> Statement | None:
        """The version of a record that stands."""
        return self.projection.state.in_force("players", player_id)

    def canonical_id(self, player_id: str) -> str:
        """The record that a record is part of, or itself."""
        return self.merged.get(player_id, player_id)

    def parts(self, player_id: str) -> list[str]:
        """The records that were merged into one, in the end."""
        return sorted(one for one, into in self.merged.items() if into == player_id)

    def records(self, player_id: str) -> list[str]:
        """All records of a player, given any of them."""
        whole = self.canonical_id(player_id)
        return sorted({whole, *self.parts(whole)})

    def first(self, player_id: str) -> int:
        """The entry that brought a record."""
        return self.projection.state.group("players")[player_id][0].sequence

    def persons(self, players: Iterable[str]) -> dict[str, Person]:
        """What is known of some players; nothing of those whose names were erased."""
        return self.forms_and_persons(players)[1]

    def forms_and_persons(
        self, players: Iterable[str]
    ) -> tuple[dict[str, set[Form]], dict[str, Person]]:  # fmt: skip
        """How some players are and were called, and what is known of each, as `persons` says it."""
        versions = {
            player: self.projection.state.not_undone("players", player) for player in players
        }
        seals = {each.body.person for found in versions.values() for each in found}
        records = self._records({one for one in seals if one})
        known = {one: Person.read(record) for one, record in records.items() if one in seals}
        forms = {
            one: {
                Form(known[seal].name, each.body.nation, known[seal].more.get("origin"))
                for each in found
                if (seal := each.body.person) in known
            }
            for one, found in versions.items()
        }
        return forms, {
            one: known[seal]
            for one, found in versions.items()
            if found and (seal := found[-1].body.person) in known
        }

    def _records(self, seals: Collection[str]) -> dict[str, str]:
        if not seals:
            return {}
        many = len(seals) > len(self.projection.state.group("players")) // 4
        return self.reader.records(None if many else seals)

    # ── look-ups ─────────────────────────────────────────────────────────────────────────────────

    def by_name(self, names: Collection[str]) -> dict[str, list[str]]:
        """The records that are or were called by some names, letter by letter, the oldest first."""
        if not names:
            return {}
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        players = self.projection.tables["players"].select("player_id", "name")
        for player_id, name in players.filter(pl.col("name").is_in(list(names))).iter_rows():
            found[name][player_id] = None
        for player_id, name in self._former(names):
            found[name][player_id] = None
        return {name: sorted(ids, key=self.first) for name, ids in found.items()}

    def _former(self, names: Collection[str]) -> Iterable[tuple[str, str]]:
        """Records merged away, and earlier names."""
        state = self.projection.state
        group = state.group("players")
        seals: dict[str | None, str] = {}
        for one in self.merged:
            seals |= {each.body.person: one for each in state.not_undone("players", one)}
        for one in [key for key, versions in group.items() if len(versions) > 1]:
            now = state.in_force("players", one)
            seals |= {
                each.body.person: one
                for each in state.not_undone("players", one)
                if now is not None and each.body.person != now.body.person
            }
        records = self._records({one for one in seals if one})
        wanted = {canonical(name): name for name in names} if records else {}
        for seal, record in records.items():
            name = wanted.get(record[record.rfind(_NAME) + len(_NAME) : -1])
            if name is not None and seal in seals:
                yield seals[seal], name

    def by_other_id(self, texts: Collection[str]) -> dict[str, list[tuple[str, str]]]:
        """The records that have some ids elsewhere: by id, the scheme and the record."""
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        wanted = set(texts)
        for player_id, person in self.with_other_ids(wanted) if wanted else ():
            for scheme, value in person.ids.items():
                if value in wanted:
                    found[value].append((scheme, player_id))
        return found

    def with_other_ids(self, texts: Collection[str] | None = None) -> Iterable[tuple[str, Person]]:
        """Records in force that have ids elsewhere and hold one of some texts, or any."""
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
        """The latest tournament of some players, of those who played in any."""
        return {one: found[-1] for one, found in self.tournaments_of(players).items()}

    def tournaments_of(self, players: Collection[str]) -> dict[str, list[PlayedTournament]]:
        """The tournaments of some players, the latest last, of those who played in any."""
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
        """The number of the next id of our own; none is ever used twice."""
        known = pl.Series([*self.projection.state.group("players")], dtype=pl.String)
        last = known.str.extract(f"^{_OURS.pattern}$").cast(pl.Int64).max()
        return (last if isinstance(last, int) else 0) + 1
