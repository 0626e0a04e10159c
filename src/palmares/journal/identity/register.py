"""
The players of a journal: their records, names, ids elsewhere and tournaments.

Every version of a record that was not undone belongs to its player, so an earlier name still means
them. Merged records keep their names and ids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import NamedTuple
from unicodedata import normalize

import polars as pl
import sqlalchemy as sa
from rapidfuzz import fuzz, process

from palmares.core.canonical import canonical
from palmares.core.errors import Location, Problem
from palmares.facts.merge import appearances
from palmares.facts.names import find_player_id
from palmares.facts.schema import WITHHELD
from palmares.facts.text import plain, printable, squeezed
from palmares.journal.projection.project import Projection, Statement, canonical_ids
from palmares.journal.store.entries import PersonalData
from palmares.journal.store.journal import ENTRIES, PERSONS, Reader

MAX_TEXTS_IN_QUERY = 50
"""With more texts, all records that have ids elsewhere are read instead."""
_OURS = re.compile(r"P([1-9][0-9]{0,17})")
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


class WithheldPlayers(NamedTuple):
    """Players whose names are withheld: their records, and all names they have or had."""

    records: frozenset[str]
    names: frozenset[str]  # as `comparable` gives them

    def entrants(self, typed: Mapping[str, str], recorded: Collection[str]) -> dict[str, str]:
        """Whom an event names only as withheld.

        An entrant who is no player of the journal may be the withheld player of their name.

        Args:
            typed: names that were typed in, by entrant.
            recorded: the ids of the journal's players.
        """
        namesakes = {
            entrant
            for entrant, name in typed.items()
            if entrant not in recorded and comparable(name) in self.names
        }
        return dict.fromkeys(self.records | namesakes, WITHHELD)


def comparable(name: str) -> str:
    """A name without differences of spaces, accents' encoding and case."""
    return squeezed(name).casefold()


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
    return Problem(
        at=Location(f"player {printable(player)}"), what=what, clause=clause, remedy=remedy
    )


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


@dataclass(frozen=True, eq=False)
class Register:
    """The players of a journal at one entry."""

    projection: Projection
    reader: Reader
    merged: dict[str, str]  # a merged record -> its canonical id

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
        return sorted(record for record, into in self.merged.items() if into == player_id)

    def records(self, player_id: str) -> list[str]:
        """All records of a player, given any of them."""
        main = self.canonical_id(player_id)
        return sorted({main, *self.parts(main)})

    def first(self, player_id: str) -> int:
        """The number of the first entry of a record."""
        return self.projection.state.group("players")[player_id][0].sequence

    def persons(self, players: Iterable[str]) -> dict[str, PersonalData]:
        """Names and ids elsewhere of some players, without erased ones."""
        return self.forms_and_persons(players)[1]

    def forms_and_persons(
        self, players: Iterable[str]
    ) -> tuple[dict[str, set[Form]], dict[str, PersonalData]]:  # fmt: skip
        """How some players are and were written, and their `persons`."""
        state = self.projection.state
        versions = {player: state.not_undone("players", player) for player in players}
        seals = {version.body.person for of_player in versions.values() for version in of_player}
        records = self._records({seal for seal in seals if seal})
        person_by_seal = {
            seal: PersonalData.read(record) for seal, record in records.items() if seal in seals
        }
        forms: dict[str, set[Form]] = {}
        current: dict[str, PersonalData] = {}
        for player, of_player in versions.items():
            forms[player] = set()
            for version in of_player:
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

    def named_players(self) -> pl.DataFrame:
        """Id, name and nation of players, without erased ones, whose name is their id."""
        columns = "player_id", "name", "nation", "withheld"
        players = self.projection.tables["players"].select(columns)
        erased = pl.col("withheld").fill_null(value=False) & (pl.col("name") == pl.col("player_id"))
        return players.filter(~erased).drop("withheld")

    # ── look-ups ─────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def spellings(self) -> pl.DataFrame:
        """A row for each spelling of each record, also earlier ones, current ones first.

        The columns are record, name, nation; player_id, whose record it is in the end; and ``now``
        and ``nation_now``, the name and nation of that player, empty if erased.
        """
        columns = ("record", "player_id", "name", "nation")
        players = self.named_players()
        group = self.projection.state.group("players")
        changed = [record for record, versions in group.items() if len(versions) > 1]
        earlier = {
            (record, self.canonical_id(record), form.name, form.nation)
            for record, forms in self.forms_and_persons({*self.merged, *changed})[0].items()
            for form in forms
        }
        current = players.select(pl.col("player_id").alias("record"), *columns[1:])
        more = pl.DataFrame(sorted(earlier, key=str), current.schema, orient="row")
        more = more.join(current, columns, "anti", nulls_equal=True)
        now = players.select("player_id", now="name", nation_now="nation")
        return pl.concat([current, more]).join(now, "player_id", "left", maintain_order="left")

    def by_name(self, names: Collection[str]) -> dict[str, list[str]]:
        """The records that have or had exactly some names, the oldest first."""
        fits = self.spellings.filter(pl.col("name").is_in(list(names)))
        records = fits.group_by("name").agg(pl.col("record").unique()).iter_rows()
        return {name: sorted(of_name, key=self.first) for name, of_name in records}

    def by_other_id(self, texts: Collection[str]) -> dict[str, list[tuple[str, str]]]:
        """Schemes and records that have some ids elsewhere, by id."""
        records: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        wanted = set(texts)
        for player_id, person in self.with_other_ids(wanted) if wanted else ():
            for scheme, value in person.ids.items():
                if value in wanted:
                    records[value].append((scheme, player_id))
        return records

    def with_other_ids(
        self, texts: Collection[str] | None = None
    ) -> Iterable[tuple[str, PersonalData]]:
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
                yield subject, PersonalData.read(record)

    def last(self, players: Collection[str]) -> dict[str, PlayedTournament]:
        """The latest tournament of each of some players who has any."""
        return {player: played[-1] for player, played in self.tournaments_of(players).items()}

    def tournaments_of(self, players: Collection[str]) -> dict[str, list[PlayedTournament]]:
        """The tournaments of each of some players who has any, the latest last."""
        tables, wanted = self.projection.tables, list(players)
        if not wanted:
            return {}
        events = tables["events"].select("event_id", "tournament_id")
        start = pl.coalesce("start_date", "end_date").alias("start")
        days = tables["tournaments"].select("tournament_id", "name", "end_date", start)
        played = (
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
            for player, rows in played.iter_rows()
        }

    def withheld(self) -> WithheldPlayers:
        """Whom nobody names where anyone may look."""
        table = self.projection.tables["players"]
        players = set(table.filter(pl.col("withheld"))["player_id"])
        records = players | {record for record, into in self.merged.items() if into in players}
        forms = self.forms_and_persons(records)[0].values()
        names = {comparable(form.name) for of_record in forms for form in of_record}
        return WithheldPlayers(frozenset(records), frozenset(names))

    def next_number(self) -> int:
        """The number of the next id of our own; ids are never reused."""
        ids = pl.Series([*self.projection.state.group("players")], dtype=pl.String)
        last = ids.str.extract(f"^{_OURS.pattern}$").cast(pl.Int64).max()
        return (last if isinstance(last, int) else 0) + 1


# ── find players ──────────────────────────────────────────────────────────────────────────────────

SIMILAR = 75
"""The lowest similarity of names that are listed, from 0 to 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A player who fits a search."""

    player_id: str
    name: str
    nation: str | None
    withheld: bool
    ids: Mapping[str, str]  # elsewhere
    tournaments: int
    first_day: date | None
    last_day: date | None
    memberships: tuple[str, ...]
    merged: tuple[str, ...]  # records merged into theirs
    by: str  # what fits


def recorded_player_id(projection: Projection, wanted: str) -> str:
    """The id of a player given by id, also of a merged record, or by name.

    Raises:
        Refused: no player fits, or several; names similar ones.
    """
    if projection.state.in_force("players", wanted.strip()) is not None:
        return wanted.strip()
    return find_player_id(projection.tables["players"], wanted)


def search_players(register: Register, text: str, limit: int = 20) -> list[SearchResult]:
    """The players that fit a text, the best first.

    Args:
        register: the players.
        text: an id, an id elsewhere with or without its federation (``usbgf=77``), a name, or part
            of one.
        limit: how many at most.
    """
    wanted = normalize("NFC", text.strip())
    reasons: dict[str, str] = {}
    for player, by in _matches(register, wanted):
        reasons.setdefault(player, by)
        if len(reasons) == limit:
            break
    return _search_results(register, reasons)


def _matches(register: Register, wanted: str) -> Iterator[tuple[str, str]]:
    """Players and what fits, the best first."""
    if register.in_force(wanted) is not None:
        main = register.canonical_id(wanted)
        yield main, "id" if main == wanted else f"id of {wanted}, merged into them"
    federation, _, number = (part.strip() for part in wanted.partition("="))
    elsewhere = register.by_other_id({wanted, number} - {""})
    for scheme, player in elsewhere.get(wanted, ()):
        yield register.canonical_id(player), f"{scheme} id"
    for scheme, player in elsewhere.get(number, ()):
        if scheme.casefold() == federation.casefold():
            yield register.canonical_id(player), f"{scheme} id"
    same = register.spellings.filter(pl.col("name") == wanted).drop_nulls("now")
    for record, player, now in same.select("record", "player_id", "now").iter_rows():
        was = "earlier name" if record == player else f"name of {record}, merged into them"
        yield player, "name" if now == wanted else was
    yield from _similar_names(register.named_players(), wanted)


def _similar_names(players: pl.DataFrame, wanted: str) -> Iterator[tuple[str, str]]:
    """Players whose names have all the words of a text; then similar names."""
    names = plain(players["name"])
    text = plain(pl.Series([wanted]))[0]
    if not text or players.is_empty():
        return
    words = [pl.col("plain").str.contains(word, literal=True) for word in text.split(" ")]
    begins = [
        pl.concat_str(pl.lit(" "), pl.col("plain")).str.contains(f" {word}", literal=True)
        for word in text.split(" ")
    ]
    parts = players.with_columns(plain=names).filter(words)
    order = parts.sort(~pl.all_horizontal(begins), "name", "player_id")
    for player in order["player_id"]:
        yield player, "part of the name"
    scores = process.cdist([text], names.to_list(), scorer=fuzz.token_sort_ratio)[0]
    near = players.with_columns(score=pl.Series(scores)).filter(pl.col("score") >= SIMILAR)
    for player in near.sort("score", "player_id", descending=[True, False])["player_id"]:
        yield player, "similar name"


def _search_results(register: Register, reasons: Mapping[str, str]) -> list[SearchResult]:
    """Describe the players that fit."""
    tables = register.projection.tables
    players = tables["players"].filter(pl.col("player_id").is_in(list(reasons)))
    rows = {row["player_id"]: row for row in players.iter_rows(named=True)}
    tournaments_by_player, persons = register.tournaments_of(reasons), register.persons(reasons)
    members = _memberships(tables["memberships"], reasons)
    results = []
    for player, by in reasons.items():
        if player not in rows:
            continue
        person = persons.get(player)
        tournaments = tournaments_by_player.get(player, [])
        results.append(
            SearchResult(
                player_id=player,
                name=person.name if person is not None else "(erased)",
                nation=rows[player]["nation"],
                withheld=bool(rows[player]["withheld"]),
                ids=person.ids if person is not None else {},
                tournaments=len(tournaments),
                first_day=min((played.start for played in tournaments), default=None),
                last_day=max((played.day for played in tournaments), default=None),
                memberships=tuple(members.get(player, ())),
                merged=tuple(register.parts(player)),
                by=by,
            )
        )
    return results


def _memberships(table: pl.DataFrame, players: Collection[str]) -> dict[str, list[str]]:
    """``usbgf Premium 2019-01-01 to 2020-12-31``, by player."""
    texts: dict[str, list[str]] = {}
    rows = table.filter(pl.col("player_id").is_in(list(players))).sort("federation", "start")
    for row in rows.iter_rows(named=True):
        level = f" {row['level']}" if row["level"] else ""
        end = f" to {row['end']}" if row["end"] else ""
        text = f"{row['federation']}{level} from {row['start']}{end}"
        texts.setdefault(row["player_id"], []).append(text)
    return texts
