"""
A question put to an engine: the work on a shard, the work on a player's rows, and what follows.

Points are made tournament by tournament and counted; sums and folds are made player by player. The
functions are the ones that serve a single report (`palmares.points.awards`, `rankings` and
`master_points`), and sums are of whole numbers, so every engine gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from palmares.core.errors import Problem
from palmares.engines import Engine, Rows, Shard, ShardResult
from palmares.formats.load import MOST_NOTICES
from palmares.points import awards as awarding
from palmares.points import master_points, rankings
from palmares.points import ratings as fold_rows
from palmares.points.award_table import CHANGE, POINTS
from palmares.points.awards import KEYS, Awards, Question
from palmares.points.empty_lists import nothing_counts, unexplained
from palmares.points.master_points import MasterPoints
from palmares.points.rankings import Ranking, Selection
from palmares.points.ratings import ORDER
from palmares.regulations.model import BEFORE

WEIGHT = pl.Decimal(38, 0)
"""How exact sums travel: whole numbers of nanopoints times days left, beyond 64 bits."""

WORTHS = pl.Schema(
    {"player_id": pl.String(), "nation": pl.String(), "weight": WEIGHT, "parts": pl.Int64()}
)
"""What a player's awards are worth together; apart where an event states their nation."""

# ── rankings ─────────────────────────────────────────────────────────────────────────────────────


def rank(
    engine: Engine,
    question: Question,
    selection: Selection,
    *,
    by: str = "player",
    top: int | None = None,
) -> Ranking:
    """The same as `palmares.points.ledger.rank`, of facts that an engine holds."""
    rankings.refuse_nonsense(question, selection, by)
    if question.aggregate.latest:
        steps = engine.by_tournament(
            partial(shard_steps, question), fold_rows.step_schema(question)
        )
        rows = engine.by_player(steps, partial(last_worths, question, selection), WORTHS)
    else:
        rows = engine.by_tournament(partial(shard_worths, question, selection), WORTHS)
        rows = engine.by_player(rows, worths_added, WORTHS)
    worths = _with_names(engine, rows).with_columns(
        pl.coalesce("nation", "nation_now").alias("nation"), pl.col("weight").cast(pl.Int128)
    )
    notices = engine.notices()
    return unexplained(
        rankings.rank_totals(question, selection, worths, by=by, top=top, notices=notices)
    )


def _with_names(engine: Engine, rows: Rows) -> pl.DataFrame:
    """Rows with the names of their players, as they may be shown, and the nations held now."""
    return engine.collect(rows).join(
        engine.people, on="player_id", how="left", maintain_order="left"
    )


def shard_worths(question: Question, selection: Selection, shard: Shard) -> ShardResult:
    """What the awards of a shard are worth, added up by player."""
    given = _award_shard(question, shard, terms=False)
    grants = given.numbered.grants.with_row_index("grant")
    left = rankings.counting(question, grants, selection).select("grant", "left", "parts")
    rows = given.numbered.rows.join(left, on="grant")
    apart = ["nation"] if rankings.by_event(question) and "nation" in rows.columns else []
    added = rows.group_by("player", *apart).agg(rankings.WORTH.sum(), pl.col("parts").first())
    theirs = given.numbered.people.select(pl.all().gather(added["player"]))
    worths = added.select(
        theirs["player_id"],
        pl.coalesce(*apart, theirs["nation_now"]).alias("nation"),
        pl.col("weight", "parts"),
    )
    return ShardResult(worths_added(worths), given.notices)


def _award_shard(question: Question, shard: Shard, **wanted: Any) -> Awards:
    """The awards of a shard, and its first notices."""
    return awarding.award(question, shard.facts, most_notices=MOST_NOTICES + 1, **wanted)


def worths_added(rows: pl.DataFrame) -> pl.DataFrame:
    """Worths of the same player and nation as one."""
    return (
        rows.with_columns(pl.col("weight").cast(pl.Int128))
        .group_by("player_id", "nation", "parts")
        .agg(pl.col("weight").sum())
        .select(pl.col(name).cast(kind) for name, kind in WORTHS.items())
    )


def shard_steps(question: Question, shard: Shard) -> ShardResult:
    """What a fold takes of every row of a shard."""
    given = _award_shard(question, shard, unfolded=True)
    return ShardResult(fold_rows.fold_steps(given, shard.number), given.notices)


def last_worths(question: Question, selection: Selection, rows: pl.DataFrame) -> pl.DataFrame:
    """Every player's last rating up to the day."""
    ratings = fold_rows.folded(question, rows).with_columns(pl.col("nation").alias("nation_now"))
    return worths_added(rankings.latest(ratings, selection, ORDER))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


class EngineRows(Struct, frozen=True, kw_only=True):
    """Rows that an engine holds."""

    engine: Engine
    rows: Rows

    @property
    def frame(self) -> pl.DataFrame:
        """The rows as one frame in this process."""
        return self.engine.collect(self.rows)

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What reading and making them had to say."""
        return self.engine.notices()

    def write(self, path: str, partition_by: Sequence[str] = ()) -> None:
        """Write them as Parquet, in a folder for each value of some columns."""
        self.engine.write(self.rows, path, partition_by)


class EngineAwards(EngineRows, frozen=True, kw_only=True):
    """Awards that an engine holds: `KEYS`, nanopoints after points, then the terms."""

    terms: tuple[str, ...]
    waiting: tuple[()] = ()  # an event of files does not wait
    empty: tuple[Problem, ...] = ()  # that nothing is awarded

    @property
    def frame(self) -> pl.DataFrame:
        """The awards with ``nanopoints`` in the place of ``points``."""
        return self.engine.collect(self.rows).drop("points")

    def published(self) -> pl.DataFrame:
        """The awards as the contract names them: `KEYS`, then the terms; points as floats."""
        return self.engine.collect(self.rows).drop("nanopoints")

    def write(self, path: str, partition_by: Sequence[str] = ()) -> None:
        """Write them as `published` has them."""
        rows = self.engine.select(self.rows, (*KEYS, *self.terms))
        self.engine.write(rows, path, partition_by)


def award(engine: Engine, question: Question) -> EngineAwards:
    """The same as `palmares.points.awards.award`, of an engine's facts; in the order of time."""
    fold = question.aggregate.latest
    rows = engine.by_tournament(partial(shard_awards, question, fold=fold))
    kinds = dict(rows.schema)
    terms = [kind for kind in kinds if kind not in (*KEYS, "nanopoints", *ORDER)]
    if fold and terms:  # without awards there are none
        kinds |= {BEFORE: pl.Float64(), CHANGE: pl.Float64()}
        terms += [BEFORE, CHANGE]
        rows = engine.by_player(rows, partial(fold_rows.folded_awards, question), pl.Schema(kinds))
    rows = engine.select(rows, (*KEYS, "nanopoints", *terms), ORDER)
    empty = () if terms else (nothing_counts(question),)
    return EngineAwards(engine=engine, rows=rows, terms=tuple(terms), empty=empty)


def shard_awards(question: Question, shard: Shard, *, fold: bool) -> ShardResult:
    """Every award of a shard, and where it stands in the order of time."""
    given = _award_shard(question, shard, unfolded=fold)
    keys = [key for key in KEYS if key not in ("player", "points")]
    rows = fold_rows.with_order(given.frame, shard.number).select(
        *keys, "nanopoints", POINTS, *given.terms, *ORDER
    )
    return ShardResult(rows, given.notices)


# ── totals ───────────────────────────────────────────────────────────────────────────────────────


def rank_master_points(
    engine: Engine,
    question: Question,
    selection: Selection,
    levels: Mapping[str, Any] | None = None,
) -> MasterPoints:
    """The same as `palmares.points.master_points.rank_master_points`, of an engine's facts."""
    master_points.refuse_others(question)
    rows = engine.by_tournament(
        partial(shard_totals, question, selection),
        master_points.totals_schema(question),
    )
    rows = engine.by_player(rows, master_points.added_up, master_points.totals_schema(question))
    ranked = master_points.rank_players(question, selection, _with_names(engine, rows), levels)
    return unexplained(replace(ranked, notices=engine.notices()))


def shard_totals(question: Question, selection: Selection, shard: Shard) -> ShardResult:
    """The totals of a shard's awards by player."""
    given = _award_shard(question, shard, terms=False)
    columns = master_points.totals_schema(question).names()
    return ShardResult(
        master_points.points_by_player(given, selection).select(columns), given.notices
    )


# ── victory points ───────────────────────────────────────────────────────────────────────────────


def vps(engine: Engine, scale: str) -> EngineRows:
    """The victory points of every match, of facts that an engine holds; by event and id."""
    from palmares.bridge.results import SCHEMA  # points need nothing of bridge

    rows = engine.by_tournament(partial(shard_vps, scale), SCHEMA)
    return EngineRows(engine=engine, rows=engine.select(rows, [*SCHEMA], ("event_id", "match_id")))


def shard_vps(scale: str, shard: Shard) -> ShardResult:
    """The victory points of every match of a shard."""
    from palmares.bridge.results import match_vps

    return ShardResult(match_vps(shard.facts, scale))
