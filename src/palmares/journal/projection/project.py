"""
Facts as a journal has them: what is left when every entry has spoken.

    Projection  the state and the tables of facts at some head
    NOTHING     before the first entry
    unchanged   a growth by nothing
    grown       a projection and the entries after it  ->  Growth, only what they touch made anew
    Growth      the next projection, and which tournaments and players it touched

Reports count in their last version under the overrides of officers; players stand under the record
they were merged into; erased and withheld names are not shown. The same entries give the same
facts, whether they came one by one or all at once: a test holds the two against each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

import msgspec
import polars as pl

from palmares.facts.tables import TABLES, Facts, empty, schema
from palmares.journal.bodies import REPORTED, WHO, changed, frames
from palmares.journal.entries import Entry
from palmares.journal.state import Place, State, became, folded
from palmares.progress import over


class Source(Protocol):
    """Where entries and names are read: a `palmares.journal.store.Reader`."""

    def entries(self, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        """Entries in order."""

    def those(self, sequences: Collection[int]) -> Iterator[Entry]:
        """Some entries by number."""

    def records(self, commitments: Collection[str] | None = None) -> dict[str, str]:
        """The records of persons that are still there, by commitment."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """The facts of a journal at some head."""

    state: State
    tables: Mapping[str, pl.DataFrame]
    may_wait: bool = True  # not of files, which are refused

    @property
    def facts(self) -> Facts:
        """The tables as regulations take them; checked when they were recorded."""
        return Facts(self.tables, may_wait=self.may_wait)


PIECES = 200
"""A table that has grown so often is laid out anew."""

NOTHING = Projection(State(), {name: empty(name) for name in TABLES})


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """A projection after more entries, and what they touched."""

    before: Projection
    after: Projection
    tournaments: frozenset[str]
    players: frozenset[str]
    places: tuple[Place, ...]  # groups and keys
    rows: Mapping[str, pl.DataFrame]  # of these tournaments, in the tables of reports


def grown(before: Projection, source: Source, until: int | None = None) -> Growth:
    """The projection after the entries that follow, up to one of them.

    Args:
        before: of the same journal, at an earlier head or at this one.
        source: the journal.
        until: the last entry to be heard; without it, all.
    """
    state, places = folded(before.state, source.entries(before.state.sequence, until))
    if not places:
        return unchanged(before, Projection(state, before.tables))
    old, new = became(before.state.merges()), became(state.merges())
    moved = {one for one in old.keys() | new.keys() if old.get(one, one) != new.get(one, one)}
    keys: dict[str, set[str]] = {}
    for group, key in places:
        keys.setdefault(group, set()).add(key)
    tournaments = keys.get("tournaments", set()) | keys.get("overrides", set())
    if moved:
        tournaments |= played_in(before.tables, {old.get(one, one) for one in moved})
    players = keys.get("players", set()) | moved | {new.get(one, one) for one in moved}
    if "erasures" in keys:
        players |= _named_by(state, keys["erasures"])
    tables = dict(before.tables)
    _take_out(tables, tournaments)
    reported = _under(new, _reported(state, tournaments, source))
    for name, more in reported.items():
        tables[name] = _joined(tables[name], more)
    if players:
        others = tables["players"].filter(~pl.col("player_id").is_in(list(players)))
        tables["players"] = _joined(others, people(state, new, players, source))
    if moved or "memberships" in keys:
        tables["memberships"] = _memberships(state, new)
    if "rates" in keys:
        tables["rates"] = _rates(state)
    return Growth(
        before=before,
        after=Projection(state, tables),
        tournaments=frozenset(tournaments),
        players=frozenset(players),
        places=tuple(places),
        rows=reported,
    )


def unchanged(before: Projection, after: Projection) -> Growth:
    """The same facts at another head, or at the same one."""
    rows = {name: empty(name) for name in REPORTED}
    return Growth(before, after, frozenset(), frozenset(), (), rows)


# ── tournaments ──────────────────────────────────────────────────────────────────────────────────


def played_in(tables: Mapping[str, pl.DataFrame], players: Collection[str]) -> set[str]:
    """The tournaments in whose placings or matches somebody is named."""
    wanted = list(players)
    events = pl.concat(
        tables[name].filter(pl.any_horizontal(pl.col(columns).is_in(wanted))).select("event_id")
        for name, columns in WHO.items()
    )
    found = tables["events"].join(events, on="event_id", how="semi")
    return set(found["tournament_id"])


def _take_out(tables: dict[str, pl.DataFrame], tournaments: Collection[str]) -> None:
    """Leave out the rows of some tournaments, in place."""
    wanted = list(tournaments)
    mine = pl.col("tournament_id").is_in(wanted)
    if tables["tournaments"].filter(mine).is_empty():
        return
    events = tables["events"].filter(mine)["event_id"].to_list()
    in_them = pl.col("event_id").is_in(events)
    matches = tables["team_matches"].filter(in_them)["match_id"].to_list()
    for name in REPORTED:
        if name in ("tournaments", "events"):
            gone = mine
        elif name == "boards":
            gone = pl.col("match_id").is_in(matches)
        else:
            gone = in_them
        if tables[name].height:
            tables[name] = tables[name].filter(~gone)


def _reported(
    state: State, tournaments: Collection[str], source: Source
) -> dict[str, pl.DataFrame]:
    """The tables of the reports that count, under their overrides."""
    entries = {
        report.sequence: tournament
        for tournament in tournaments
        if (report := state.report(tournament)) is not None
    }
    bodies = over(source.those(entries), "reports", len(entries))
    return frames(
        (one.sequence, changed(tables_of(one), state.overrides(entries[one.sequence])))
        for one in bodies
    )


def tables_of(entry: Entry) -> Any:
    """The tables of a report's entry."""
    parts = msgspec.json.decode(entry.body, type=dict[str, msgspec.Raw])
    return msgspec.json.decode(parts["tables"])


def _under(
    merged: Mapping[str, str], rows: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:  # fmt: skip
    """Rows of reports with players under the records they became part of."""
    if not merged:
        return dict(rows)
    return {
        name: table.with_columns(pl.col(WHO[name]).replace(merged)) if name in WHO else table
        for name, table in rows.items()
    }


def _joined(table: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    if more.is_empty():
        return table
    if table.is_empty():
        return more
    return pl.concat([table, more], rechunk=table.n_chunks() > PIECES)


# ── players and what belongs to them ─────────────────────────────────────────────────────────────


def _named_by(state: State, erasures: Collection[str]) -> set[str]:
    """The players whose names some erasures took."""
    return set(erasures) & state.group("players").keys()


def people(
    state: State, merged: Mapping[str, str], players: Collection[str] | None, source: Source
) -> pl.DataFrame:
    """The table of players: of some, or of all; merged records have no row of their own."""
    wanted = state.group("players") if players is None else players
    standing = [
        (one, found.sequence, _STANDING.decode(found.packed))
        for one in wanted
        if one not in merged and (found := state.standing("players", one)) is not None
    ]
    seals = [found.person for _, _, found in standing if found.person]
    records = source.records(None if players is None else seals)
    rows = [_player(one, sequence, found, records) for one, sequence, found in standing]
    return _rows("players", rows)


class _Named(msgspec.Struct):
    """All that is shown of a record."""

    name: str


_NAME = msgspec.json.Decoder(_Named)


class _Standing(msgspec.Struct):
    """All of a version of a player that is shown."""

    person: str | None
    nation: str | None
    withheld: bool


_STANDING = msgspec.msgpack.Decoder(_Standing)


def _player(
    player_id: str, sequence: int, found: _Standing, records: Mapping[str, str]
) -> tuple[Any, ...]:
    """A player's row; somebody whose name was erased is withheld, and named by his id."""
    record = records.get(found.person or "")
    name = None if record is None else _NAME.decode(record).name
    withheld = found.withheld or name is None
    return player_id, name or player_id, found.nation, withheld, f"entry {sequence}", 1


def _memberships(state: State, merged: Mapping[str, str]) -> pl.DataFrame:
    return _rows(
        "memberships",
        (
            (
                merged.get(body["player_id"], body["player_id"]),
                body["federation"],
                body["level"],
                date.fromisoformat(body["start"]),
                date.fromisoformat(body["end"]) if body["end"] else None,
                f"entry {sequence}",
                1,
            )
            for sequence, body in _bodies(state, "memberships")
        ),
    )


def _rates(state: State) -> pl.DataFrame:
    return _rows(
        "rates",
        (
            (
                body["currency"],
                date.fromisoformat(body["date"]),
                _decimal(body["eur_per_unit"]),
                _decimal(body["units_per_eur"]),
                body["source"],
                date.fromisoformat(body["published_on"]) if body["published_on"] else None,
                f"entry {sequence}",
                1,
            )
            for sequence, body in _bodies(state, "rates")
        ),
    )


def _decimal(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _bodies(state: State, group: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for _, found in state.all_standing(group):
        yield found.sequence, found.body


def _rows(name: str, rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
    """Rows of a table whose columns are all ours, then file and line."""
    return pl.DataFrame(list(rows), schema(name), orient="row")
