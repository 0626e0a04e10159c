"""
What follows from a journal's entries: facts as they are known at some head, and how they grow.

Entries that follow change the tables of what they speak about, and nothing else. Whose names are
not shown is decided by what is known now, however long ago a list was known: whoever asked not to
be named asked it of every list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from palmares.core.progress import over
from palmares.facts.schema import (
    PLAYER_COLUMNS,
    REPORT_TABLES,
    TABLES,
    Facts,
    empty,
    schema,
)
from palmares.facts.subsets import played_in, without_tournaments
from palmares.journal.projection.bodies import frames, with_overrides
from palmares.journal.projection.lazy import Lazy, updated
from palmares.journal.projection.state import (
    Place,
    State,
    apply_to_state,
    canonical_ids,
    changed_canonical_ids,
)
from palmares.journal.store.kinds import Player, Rate, tables_of
from palmares.journal.store.persons import Person

if TYPE_CHECKING:
    from palmares.journal.store.journal import Reader


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """The facts of a journal at some head."""

    state: State
    tables: Mapping[str, pl.DataFrame]
    may_wait: bool = True  # not of files, which are refused
    few: PlayerLookup | None = (
        None  # names of some players, where it costs more to read everybody's
    )

    @property
    def facts(self) -> Facts:
        """The tables as regulations take them; checked when they were recorded."""
        return Facts(self.tables, may_wait=self.may_wait)

    def people(self, ids: pl.Series) -> pl.DataFrame:
        """The rows of some players, in any order."""
        if self.few is None or len(ids) > LOOKUP_LIMIT:
            return self.tables["players"].filter(pl.col("player_id").is_in(ids.implode()))
        return self.few(ids.to_list())

    def loaded(self) -> Projection:
        """The same with everything read: nothing is looked for in a snapshot or a journal later."""
        if not isinstance(self.tables, Lazy):
            return self
        state = replace(self.state, groups=dict(self.state.groups))
        return Projection(state, dict(self.tables), self.may_wait)


PlayerLookup = Callable[[Collection[str]], pl.DataFrame]
LOOKUP_LIMIT = 500
"""Players whose names are looked for one by one."""
MAX_CHUNKS = 200
"""A table that has grown so often is laid out anew."""

EMPTY = Projection(State(), {name: empty(name) for name in TABLES})


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """A projection after more entries, and what they touched."""

    before: Projection
    after: Projection
    tournaments: frozenset[str]
    players: frozenset[str]
    places: tuple[Place, ...]  # groups and keys
    rows: Mapping[str, pl.DataFrame]  # of these tournaments, in the tables of reports


def apply_entries(
    before: Projection,
    source: Reader,
    until: int | None = None,
    *,
    only: Collection[int] | None = None,
) -> Delta:
    """The projection after the entries that follow, up to one of them.

    Args:
        before: of the same journal, at an earlier head or at this one.
        source: the journal.
        until: the last entry to be heard; without it, all.
        only: the entries to be heard, whether or not they follow; without it, all that follow.
    """
    following = (
        source.entries(before.state.sequence, until) if only is None else source.by_number(only)
    )
    state, places = apply_to_state(before.state, following)
    few = player_lookup(state, source) if before.few and only is None else None
    if not places:
        return no_change(before, Projection(state, before.tables, few=few))
    new, records = canonical_ids(state.merges()), changed_canonical_ids(before.state, state)
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
    if tables["tournaments"]["tournament_id"].is_in(list(tournaments)).any():
        gone = without_tournaments(tables, tournaments)
        tables = updated(tables, {name: partial(gone.__getitem__, name) for name in gone})
    reported = _under(new, _reported(state, tournaments, source))
    makers: dict[str, Callable[[], pl.DataFrame]] = {
        name: partial(_followed, tables, name, rows) for name, rows in reported.items() if len(rows)
    }
    if players:
        makers["players"] = lambda: _renamed(tables["players"], state, players, source)
    if records or "memberships" in keys:
        makers["memberships"] = lambda: _memberships(state)
    if "rates" in keys:
        makers["rates"] = lambda: _in_force("rates", state, _rate)
    return Delta(
        before=before,
        after=Projection(state, updated(tables, makers), few=few),
        tournaments=frozenset(tournaments),
        players=frozenset(players),
        places=tuple(places),
        rows=reported,
    )


def no_change(before: Projection, after: Projection) -> Delta:
    """The same facts at another head, or at the same one."""
    rows = {name: empty(name) for name in REPORT_TABLES}
    return Delta(before, after, frozenset(), frozenset(), (), rows)


# ── tournaments ──────────────────────────────────────────────────────────────────────────────────


def _reported(
    state: State, tournaments: Collection[str], source: Reader
) -> dict[str, pl.DataFrame]:
    """The tables of the reports that count, under their overrides."""
    entries = {
        report.sequence: tournament
        for tournament in tournaments
        if (report := state.report(tournament)) is not None
    }
    bodies = over(source.by_number(entries), "reports", len(entries))
    return frames(
        (body.sequence, with_overrides(tables_of(body), state.overrides(entries[body.sequence])))
        for body in bodies
    )


def _under(
    merged: Mapping[str, str], rows: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:  # fmt: skip
    """Rows of reports with players under the records they became part of."""
    if not merged:
        return dict(rows)
    return {
        name: table.with_columns(pl.col(PLAYER_COLUMNS[name]).replace(merged))
        if name in PLAYER_COLUMNS
        else table
        for name, table in rows.items()
    }


def _followed(tables: Mapping[str, pl.DataFrame], name: str, more: pl.DataFrame) -> pl.DataFrame:
    """A table with rows that follow."""
    return _joined(tables[name], more)


def _joined(table: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    if more.is_empty():
        return table
    if table.is_empty():
        return more
    return pl.concat([table, more], rechunk=table.n_chunks() > MAX_CHUNKS)


# ── players and what belongs to them ─────────────────────────────────────────────────────────────


def player_rows(
    state: State, merged: Mapping[str, str], players: Collection[str] | None, source: Reader
) -> pl.DataFrame:
    """The table of players: of some, or of all; merged records have no row of their own."""
    wanted = state.group("players") if players is None else players
    in_force: list[tuple[str, int, Player]] = [
        (one, found.sequence, found.body)
        for one in wanted
        if one not in merged and (found := state.in_force("players", one)) is not None
    ]
    seals = [body.person for _, _, body in in_force if body.person]
    records = source.records(None if players is None else seals)
    rows = []
    for one, sequence, body in in_force:
        record = records.get(body.person or "")
        name = None if record is None else Person.read(record).name
        known = name or one, body.nation, body.withheld or name is None
        rows.append((one, *known, f"entry {sequence}", 1))
    return _rows("players", rows)


def player_lookup(state: State, source: Reader) -> PlayerLookup:
    """The rows of some players, without the statements of all others."""

    def people_(ids: Collection[str]) -> pl.DataFrame:
        theirs = source.about(ids, "player", state.sequence)
        part, _ = apply_to_state(State(undos=state.undos), theirs)
        return player_rows(part, canonical_ids(state.merges()), ids, source)

    return people_


def _renamed(
    before: pl.DataFrame, state: State, players: Collection[str], source: Reader
) -> pl.DataFrame:
    """The table of players, some of them as they are now."""
    others = before.filter(~pl.col("player_id").is_in(list(players)))
    return _joined(others, player_rows(state, canonical_ids(state.merges()), players, source))


def _memberships(state: State) -> pl.DataFrame:
    """The table of memberships, of the records that players are now."""
    new = canonical_ids(state.merges())
    return _in_force(
        "memberships",
        state,
        lambda body: (
            new.get(body.player_id, body.player_id),
            body.federation,
            body.level,
            body.start,
            body.end,
        ),
    )


def _in_force(name: str, state: State, cells: Callable[[Any], tuple[Any, ...]]) -> pl.DataFrame:
    """A table with a row for each statement in force, given the cells of its body."""
    rows = (
        (*cells(found.body), f"entry {found.sequence}", 1) for _, found in state.all_in_force(name)
    )
    return _rows(name, rows)


def _rate(body: Rate) -> tuple[Any, ...]:
    rates = (one and Decimal(one) for one in (body.eur_per_unit, body.units_per_eur))
    return body.currency, body.date, *rates, body.source, body.published_on


def _rows(name: str, rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
    """Rows of a table whose columns are all ours, then file and line."""
    return pl.DataFrame(list(rows), schema(name), orient="row")


# ── whose names are not shown ────────────────────────────────────────────────────────────────────

ABOUT_NAMES = ("player", "merge", "erasure", "undo")
"""The kinds of entries that decide whose names are shown."""


def withheld_players(state: State) -> frozenset[str]:
    """The ids of all whose names are not shown, records that are part of others among them."""
    erased = {
        seal
        for statements in state.group("erasures").values()
        for statement in statements
        for seal in statement.body.persons
    }
    own = {
        player
        for player, found in state.all_in_force("players")
        for body in (found.body,)
        if body.withheld or body.person in erased
    }
    parts = {one for one, into in canonical_ids(state.merges()).items() if into in own}
    return frozenset(own | parts)


def with_later_names(state: State, source: Reader) -> State:
    """A state and what was said of names since; all else in it is of then."""
    after, _ = apply_to_state(state, source.of_kinds(ABOUT_NAMES, after=state.sequence))
    return after


def hide_withheld(then: Projection, now: State) -> Projection:
    """What was known then, without the names that are withheld now."""
    gone = withheld_players(now)
    if not gone:
        return then

    def hidden(players: pl.DataFrame) -> pl.DataFrame:
        found = pl.col("player_id").is_in(list(gone))
        kept = pl.col("withheld").fill_null(value=False) | found
        return players.with_columns(kept.alias("withheld"))

    few = then.few
    return replace(
        then,
        tables=updated(then.tables, {"players": lambda: hidden(then.tables["players"])}),
        few=few and (lambda ids: hidden(few(ids))),
    )
