"""
The engine in this process: facts read once, rows as Polars frames.

    start       paths, settings  ->  InProcess
    InProcess   an `Engine <palmares.engines.Engine>`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.core.progress import over
from palmares.engines import PlayerWork, Settings, Shard, ShardWork
from palmares.engines.parquet import put
from palmares.engines.shards import Stretch, rated, shown, stretches
from palmares.facts import Facts, empty
from palmares.facts.schema import OWNERS, REPORT_TABLES
from palmares.facts.subsets import named_players
from palmares.formats.load import first_notices, gathered, in_order


def start(paths: Sequence[str], settings: Settings) -> InProcess:
    """The engine on facts at some paths.

    Raises:
        FactsRejected: something is wrong with them.
    """
    return InProcess(gathered(*paths, encoding=settings.encoding), settings)


class InProcess:
    """Works on facts in memory."""

    def __init__(self, facts: Facts, settings: Settings) -> None:
        self._facts = facts
        self._settings = settings
        self._notices = dict.fromkeys(facts.notices)

    def by_tournament(self, work: ShardWork, schema: pl.Schema | None = None) -> pl.DataFrame:
        """Every shard through *work*; the rows in the order of shards."""
        self._notices = dict.fromkeys(self._facts.notices)
        frames: list[pl.DataFrame] = []
        problems: list[Problem] = []
        wanted = rated(work, self._settings)
        for shard in over(_shards(self._facts, self._settings.rows_per_shard), "shards"):
            try:
                told = wanted(shard)
            except FactsRejected as rejected:
                problems += rejected.problems
                continue
            self._notices.update(dict.fromkeys(told.notices))
            frames.append(told.rows)
        if problems:
            raise FactsRejected(in_order(problems))
        rows = pl.concat(frames, how="diagonal_relaxed")
        return rows if schema is None else rows.select(schema.names()).cast(schema)

    def by_player(self, rows: pl.DataFrame, work: PlayerWork, schema: pl.Schema) -> pl.DataFrame:
        """All rows through *work* at once."""
        return work(rows).select(schema.names()).cast(schema)

    def schema(self, rows: pl.DataFrame) -> pl.Schema:
        """The columns of the rows."""
        return rows.schema

    def laid_out(self, rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """These columns of the rows, in this order; ``player`` is taken from the players."""
        if "player" in columns:
            names = shown(self.people())
            rows = rows.drop("player", strict=False)
            rows = rows.join(names, on="player_id", how="left", maintain_order="left")
        return rows.select(columns)

    def in_order(self, rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """The rows sorted by some columns, ascending; nulls first."""
        return rows.sort(list(by), maintain_order=True)

    def people(self) -> pl.DataFrame:
        """Every player: player_id, name, nation, withheld."""
        return self._facts["players"].select("player_id", "name", "nation", "withheld")

    def collect(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows, which are a frame already."""
        return rows

    def write(self, rows: pl.DataFrame, path: str, partition_by: Sequence[str] = ()) -> None:
        """The rows as Parquet, whole or not at all; in an object store, file by file."""
        put(rows.lazy(), path, partition_by)

    def notices(self) -> tuple[Problem, ...]:
        """What reading and the latest work by tournament had to say."""
        return first_notices(self._notices)

    def close(self) -> None:
        """Let go of the facts."""
        self._facts = Facts()


def _shards(facts: Facts, rows: int) -> list[Shard]:
    """The facts cut by days; whole if they are few. Players are for the engine alone to know."""
    known = Facts({**facts.tables, "players": empty("players")})
    if sum(facts[name].height for name in REPORT_TABLES) <= rows:
        return [Shard(0, replace(known, notices=()))]
    days = _days(facts)
    counted = pl.concat(table.select("day") for table in days.values()).group_by("day").len()
    return [_shard(known, days, one) for one in stretches(counted.iter_rows(), rows)]


def _days(facts: Facts) -> dict[str, pl.DataFrame]:
    """The day of each row of every table that a tournament owns."""
    days = {"tournaments": facts["tournaments"].select("tournament_id", day="end_date")}
    for name, (column, owner) in OWNERS.items():
        above = days[owner].unique(column)
        keys = [one for one in ("event_id", "match_id") if one in facts[name].columns]
        days[name] = (
            facts[name]
            .select(column, *(one for one in keys if one != column))
            .join(above.select(column, "day"), on=column, how="left", maintain_order="left")
        )
    return days


def _shard(facts: Facts, days: dict[str, pl.DataFrame], stretch: Stretch) -> Shard:
    within = pl.col("day").is_between(stretch.first, stretch.last)
    tables = {
        name: facts[name].filter(table.select(within).to_series()) for name, table in days.items()
    }
    members = facts["memberships"].join(
        named_players(tables), on="player_id", how="semi", maintain_order="left"
    )
    return Shard(stretch.number, Facts({**facts.tables, **tables, "memberships": members}))
