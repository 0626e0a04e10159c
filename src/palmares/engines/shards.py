"""
What the engines beyond this process share: time cut into shards, and a shard checked.

    Stretch     a run of days, one shard's
    stretches   how many rows each day has  ->  stretches of about so many rows
    ROUTES      which column of a table leads to the day of a row, through which table
    beside      the tables that no tournament owns, checked once
    worked      the raw rows of one shard, a function  ->  Outcome: what it gave, what is wrong
    rated       a work on shards  ->  the same, with the bank's rates that the shards need
    nowhere     rows that lead to no tournament  ->  what is wrong with them
    lost        rows of a column whose ids are unknown  ->  the same, with what may be meant
    values      a column's cells  ->  its values, null where they are not acceptable
    shown       players  ->  their names as they may be shown
    packed, unpacked    problems as text, to travel beside rows
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import NamedTuple

import msgspec
import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.core.messages import plain
from palmares.engines import Settings, Shard, ShardWork, Told
from palmares.facts import TABLES, Facts, checked
from palmares.facts.bank import with_bank_rates
from palmares.facts.cells import typed_frames
from palmares.facts.checks import check, keys
from palmares.facts.parsers import as_text, converted, outside
from palmares.facts.schema import FILE, KEYS, LINE, OWNERS, SHARED_TABLES, WITHHELD, Column, empty
from palmares.facts.subsets import named_players
from palmares.formats.load import first_notices
from palmares.regulations import money_disciplines

ROUTES = {
    "tournaments": ("tournament_id", "tournaments"),
    **OWNERS,
    "events": ("event_id", "events"),
}
"""The column that leads a row to its day, and through which table.

Tournaments and events go by their own ids, so that an id used twice is in one shard.
"""
_SMALL = (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32)


class Stretch(NamedTuple):
    """The days of one shard, both ends included."""

    number: int
    first: date
    last: date


def stretches(days: Iterable[tuple[date, int]], rows: int) -> list[Stretch]:
    """Days in order of time, cut so that each stretch has at most *rows*, or is a single day."""
    found: list[Stretch] = []
    held = 0
    for day, count in sorted(days):
        if found and held + count <= rows:
            found[-1] = found[-1]._replace(last=day)
            held += count
        else:
            found.append(Stretch(len(found), day, day))
            held = count
    return found


# ── checks ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the work on a shard came to; without rows if something is wrong."""

    rows: pl.DataFrame | None = None
    notices: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()


def beside(sources: Iterable[Mapping[str, pl.DataFrame]]) -> Facts:
    """Players, memberships and rates of all sources, checked; other tables are left aside.

    Args:
        sources: raw frames by table, with ``_file`` and ``_line``, one mapping for each package.

    Raises:
        FactsRejected: something is wrong with them.
    """
    drafts = (
        typed_frames({name: _wide(one[name]) for name in SHARED_TABLES if name in one})
        for one in sources
    )
    return checked(*drafts)


def worked(
    work: ShardWork, number: int, frames: Mapping[str, pl.DataFrame], known: Facts
) -> Outcome:
    """Work done on one shard, or why it cannot be.

    Whether players are known, and whether ids are used in two shards, is for the engine to find.

    Args:
        work: what is done with the shard.
        number: of the shard, from 0 in order of time.
        frames: raw frames by table, with ``_file`` and ``_line``.
        known: what `beside` gave.
    """
    try:
        shard = _shard(number, frames, known)
        told = work(shard)
    except FactsRejected as rejected:
        return Outcome(problems=tuple(rejected.problems))
    notices = first_notices((*shard.facts.notices, *told.notices))
    return Outcome(rows=told.rows, notices=notices)


def rated(work: ShardWork, settings: Settings) -> ShardWork:
    """A work on shards with the bank's rates that they need, if they are wanted."""
    return partial(_on_rated, work) if settings.bank_rates else work


def _on_rated(work: ShardWork, shard: Shard) -> Told:
    return work(Shard(shard.number, with_bank_rates(shard.facts, money_disciplines())))


def shown(people: pl.DataFrame) -> pl.DataFrame:
    """The name of each player as it may be shown: player_id, player."""
    withheld = pl.col("withheld").fill_null(value=False)
    name = pl.when(withheld).then(pl.lit(WITHHELD)).otherwise("name")
    return people.select("player_id", name.alias("player"))


def _shard(number: int, frames: Mapping[str, pl.DataFrame], known: Facts) -> Shard:
    owned = {name: _wide(frame) for name, frame in frames.items() if name not in SHARED_TABLES}
    facts = checked(replace(typed_frames(owned), incomplete=frozenset({"players"})))
    members = known.tables["memberships"]
    if members.height:
        members = members.join(
            named_players(facts.tables), on="player_id", how="semi", maintain_order="left"
        )
    tables = {**facts.tables, "memberships": members, "rates": known.tables["rates"]}
    return Shard(number, Facts(tables, facts.notices))


def nowhere(
    frames: Mapping[str, pl.DataFrame], ids: Mapping[str, pl.DataFrame] | None = None
) -> list[Problem]:
    """What is wrong with rows that lead to no tournament with a day.

    Args:
        frames: those rows, raw; of ids used twice, every row.
        ids: by table, rows of ids that are known, raw: of ids like those, one may have been meant.
            Without it, unknown ids are left to `lost`.
    """
    draft = typed_frames({name: _wide(frame) for name, frame in frames.items()})
    problems, _ = check(draft.facts, TABLES)
    if ids is not None:
        tables = {}
        for name, table in draft.facts.tables.items():
            known = typed_frames({name: ids[name]}).facts.tables[name] if name in ids else table[:0]
            tables[name] = pl.concat([table, known], how="diagonal")
        problems += keys.unknown(Facts(tables), ())
    told = {(one.where, one.clause) for one in draft.problems}
    rest = [one for one in problems if (one.where, one.clause) not in told]
    return list(dict.fromkeys((*draft.problems, *rest)))


def lost(table: str, column: str, rows: pl.DataFrame, known: pl.Series) -> list[Problem]:
    """Ids of a column that no row of their table has.

    Args:
        table: whose rows they are.
        column: one that refers to another table.
        rows: that column, raw, with ``_file`` and ``_line``.
        known: ids that are known; one of them may have been meant.
    """
    target = TABLES[table][column].refers_to
    key = KEYS[target][0]
    ids = values(rows[column], TABLES[table][column])
    used = empty(table).select(pl.exclude(column, FILE, LINE))
    frame = pl.concat([used, rows.select(ids.alias(column), FILE, LINE)], how="diagonal")
    there = pl.concat([empty(target), known.rename(key).to_frame()], how="diagonal")
    return list(keys.unknown(Facts({table: frame, target: there}), ()))


def values(cells: pl.Series, column: Column) -> pl.Series:
    """The values of a column's cells, null where a cell is empty or not acceptable."""
    text = as_text(cells, column)
    found = cells if text is None else converted(text, column).values
    beyond, _ = outside(found, column)
    return found.set(beyond, None) if beyond.any() else found


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers of any width as the tables hold them, so that none goes through text."""
    return frame.cast(
        {name: pl.Int64 for name, kind in frame.schema.items() if kind in _SMALL and name[0] != "_"}
    )


# ── problems on their way ────────────────────────────────────────────────────────────────────────


def packed(problems: Sequence[Problem]) -> str:
    """Problems as text."""
    return msgspec.json.encode(list(problems), enc_hook=plain).decode()


def unpacked(text: str) -> list[Problem]:
    """The problems that text was made of."""
    return msgspec.json.decode(text, type=list[Problem])
