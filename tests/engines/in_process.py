"""The slow obvious engine: facts in memory, all of them one shard, rows as Polars frames."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from palmares.core.errors import Problem
from palmares.engines import Engine, EngineSettings, PlayerWork, Shard, ShardWork, engine
from palmares.engines.shards import write_parquet
from palmares.facts import Facts
from palmares.facts.rates import with_bank_rates
from palmares.formats.load import first_notices, gathered
from palmares.points.award_table import public_players
from palmares.regulations import money_disciplines


def start(name: str, paths: Sequence[str], settings: EngineSettings | None = None) -> Engine:
    """An engine by name; "inprocess" is this one."""
    if name != "inprocess":
        return engine(name, paths, settings)
    return InProcess(gathered(*paths))


class InProcess:
    """Works on facts in memory."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._of_work: Sequence[Problem] = ()
        self.people = public_players(facts)

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> pl.DataFrame:
        """All facts through *work*."""
        facts = with_bank_rates(self._facts, money_disciplines)
        rows, self._of_work = work(Shard(0, facts))
        return rows if schema is None else rows.select(schema.names()).cast(schema)

    def by_player(self, rows: pl.DataFrame, work: PlayerWork, schema: pl.Schema) -> pl.DataFrame:
        """All rows through *work* at once."""
        return work(rows).select(schema.names()).cast(schema)

    def select(
        self, rows: pl.DataFrame, columns: Sequence[str], order: Sequence[str] = ()
    ) -> pl.DataFrame:
        """These columns of the rows, sorted; ``player`` is taken from the players."""
        rows = rows.sort(list(order), maintain_order=True) if order else rows
        if "player" in columns:
            rows = rows.drop("player", strict=False)
            names = self.people.select("player_id", "player")
            rows = rows.join(names, on="player_id", how="left", maintain_order="left")
        return rows.select(columns)

    def collect(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows, which are a frame already."""
        return rows

    def write(self, rows: pl.DataFrame, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet, whole or not at all; in an object store, file by file."""
        write_parquet(rows.lazy(), path, partition_by)

    def notices(self) -> tuple[Problem, ...]:
        """What reading and the latest work by tournament had to say."""
        return first_notices((*self._facts.notices, *self._of_work))

    def close(self) -> None:
        """Let go of the facts."""
        self._facts = Facts()
