"""Time cut into shards, and the raw rows of one shard checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.core.files import atomic_path
from palmares.engines import Settings, Shard, ShardResult, ShardWork
from palmares.facts import TABLES, Facts, check_facts
from palmares.facts.bank import with_bank_rates
from palmares.facts.cells import parse_frames
from palmares.facts.checks import keys
from palmares.facts.packages import is_address
from palmares.facts.schema import PLAYER_COLUMNS, SHARED_TABLES
from palmares.formats.load import first_notices
from palmares.points.award_table import PUBLIC_NAME
from palmares.regulations import money_disciplines

_SMALL = (pl.Int8, pl.Int16, pl.Int32, pl.UInt8, pl.UInt16, pl.UInt32)


def shard_of_days(days: Iterable[tuple[date, int]], rows: int) -> dict[date, int]:
    """The number of the shard of each day, in order of time; a shard has *rows* or is one day."""
    shards: dict[date, int] = {}
    number = size = 0
    for day, count in sorted(days):
        if shards and size + count > rows:
            number, size = number + 1, 0
        shards[day] = number
        size += count
    return shards


def shared_facts(sources: Iterable[Mapping[str, pl.DataFrame]]) -> Facts:
    """Players, memberships and rates of all sources, checked; other tables are left aside.

    Args:
        sources: raw frames by table, with ``_file`` and ``_line``, one mapping for each package.

    Raises:
        FactsRejected: something is wrong with them.
    """
    drafts = (
        parse_frames({name: _wide(source[name]) for name in SHARED_TABLES if name in source})
        for source in sources
    )
    return check_facts(*drafts)


def worked(
    work: ShardWork, number: int, frames: Mapping[str, pl.DataFrame], shared: Facts
) -> ShardResult:
    """Work done on one shard.

    Args:
        work: what is done with the shard.
        number: of the shard, from 0 in order of time.
        frames: raw frames by table, with ``_file`` and ``_line``.
        shared: what `shared_facts` gave; of players, their ids are enough.

    Raises:
        FactsRejected: something is wrong with the rows; with every problem of the shard.
    """
    draft = parse_frames({name: _wide(frame) for name, frame in frames.items()})
    players = {"players": shared["players"]}
    unknown = keys.unknown(draft.facts.changed(players), TABLES.keys() - {"players"})
    facts = check_facts(
        replace(draft, problems=(*draft.problems, *unknown), incomplete=frozenset({"players"}))
    )
    named = [
        facts.encoded(name, column).values
        for name, columns in PLAYER_COLUMNS.items()
        for column in columns
    ]
    members = shared["memberships"].filter(pl.col("player_id").is_in(pl.concat(named).implode()))
    result = work(Shard(number, facts.changed({"memberships": members, "rates": shared["rates"]})))
    return ShardResult(result.rows, first_notices((*facts.notices, *result.notices)))


def as_wanted(work: ShardWork, settings: Settings) -> ShardWork:
    """A work on shards, with the bank's rates and waiting events as the settings say."""
    return partial(_on_wanted, work, settings)


def _on_wanted(work: ShardWork, settings: Settings, shard: Shard) -> ShardResult:
    facts = shard.facts.changed(may_wait=settings.may_wait)
    if settings.bank_rates:
        facts = with_bank_rates(facts, money_disciplines)
    return work(Shard(shard.number, facts))


def public_names(people: pl.DataFrame) -> pl.DataFrame:
    """The name of each player as it may be shown: player_id, player."""
    return people.select("player_id", PUBLIC_NAME)


def merged(schemas: Iterable[pl.Schema]) -> pl.Schema:
    """The columns of all schemas, in the order in which they first have them."""
    frames = [pl.DataFrame(schema=schema) for schema in schemas]
    return pl.concat(frames, how="diagonal_relaxed").schema if frames else pl.Schema()


def fitted(rows: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Rows with the columns of a schema: those they do not have are empty."""
    return rows.select(
        pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, kind).alias(name)
        for name, kind in schema.items()
    )


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers of any width as the tables hold them, so that none goes through text."""
    return frame.cast(
        {name: pl.Int64 for name, kind in frame.schema.items() if kind in _SMALL and name[0] != "_"}
    )


def put(rows: pl.LazyFrame, path: str, partition_by: Sequence[str] = ()) -> None:
    """Write rows whole or not at all; a partitioned folder in an object store file by file.

    Raises:
        Refused: they cannot be written there.
    """
    try:
        if is_address(path):
            _sink(rows, path, partition_by)
        else:
            with atomic_path(Path(path)) as draft:
                _sink(rows, str(draft), partition_by)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise Refused(f"{path} cannot be written: {reason}.") from error


def _sink(rows: pl.LazyFrame, place: str, partition_by: Sequence[str]) -> None:
    if partition_by:
        parts = pl.PartitionBy(place, key=list(partition_by), include_key=False)
        rows.sink_parquet(parts, mkdir=True)
    else:
        rows.sink_parquet(place)
