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
from palmares.journal.projection.bodies import changed, frames
from palmares.journal.projection.state import Place, State, became, folded, moved
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

    @property
    def facts(self) -> Facts:
        """The tables as regulations take them; checked when they were recorded."""
        return Facts(self.tables, may_wait=self.may_wait)


PIECES = 200
"""A table that has grown so often is laid out anew."""

NOTHING = Projection(State(), {name: empty(name) for name in TABLES})


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
    following = source.entries(before.state.sequence, until) if only is None else source.those(only)
    state, places = folded(before.state, following)
    if not places:
        return unchanged(before, Projection(state, before.tables))
    new, records = became(state.merges()), moved(before.state, state)
    keys: dict[str, set[str]] = {}
    for group, key in places:
        keys.setdefault(group, set()).add(key)
    tournaments = keys.get("tournaments", set()) | keys.get("overrides", set())
    if records:
        tournaments |= played_in(before.tables, {then for then, _ in records.values()})
    players = keys.get("players", set()).union(records, {now for _, now in records.values()})
    players |= keys.get("erasures", set()) & state.group("players").keys()
    tables = dict(before.tables)
    if tables["tournaments"]["tournament_id"].is_in(list(tournaments)).any():
        tables |= without_tournaments(tables, tournaments)
    reported = _under(new, _reported(state, tournaments, source))
    for name, more in reported.items():
        tables[name] = _joined(tables[name], more)
    if players:
        others = tables["players"].filter(~pl.col("player_id").is_in(list(players)))
        tables["players"] = _joined(others, people(state, new, players, source))
    if records or "memberships" in keys:
        tables["memberships"] = _in_force(
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
    if "rates" in keys:
        tables["rates"] = _in_force("rates", state, _rate)
    return Delta(
        before=before,
        after=Projection(state, tables),
        tournaments=frozenset(tournaments),
        players=frozenset(players),
        places=tuple(places),
        rows=reported,
    )


def unchanged(before: Projection, after: Projection) -> Delta:
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
    bodies = over(source.those(entries), "reports", len(entries))
    return frames(
        (body.sequence, changed(tables_of(body), state.overrides(entries[body.sequence])))
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


def _joined(table: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    if more.is_empty():
        return table
    if table.is_empty():
        return more
    return pl.concat([table, more], rechunk=table.n_chunks() > PIECES)


# ── players and what belongs to them ─────────────────────────────────────────────────────────────


def people(
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


def withheld(state: State) -> frozenset[str]:
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
    parts = {one for one, into in became(state.merges()).items() if into in own}
    return frozenset(own | parts)


def latest(state: State, source: Reader) -> State:
    """A state and what was said of names since; all else in it is of then."""
    after, _ = folded(state, source.of_kinds(ABOUT_NAMES, after=state.sequence))
    return after


def hide_withheld(then: Projection, now: State) -> Projection:
    """What was known then, without the names that are withheld now."""
    gone = withheld(now)
    if not gone:
        return then
    found = pl.col("player_id").is_in(list(gone))
    hidden = pl.col("withheld").fill_null(value=False) | found
    players = then.tables["players"].with_columns(hidden.alias("withheld"))
    return replace(then, tables={**then.tables, "players": players})
