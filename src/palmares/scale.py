"""
A question put to an engine: the work on a shard, the work on a player's rows, and what follows.

    award     every award of a regulation, in the order of time
    rank      a ranking as of a day, by player or by nation
    totals    master points side by side
    vps       the victory points of every match between teams

Points are made tournament by tournament and counted; sums and folds are made player by player. The
functions are the ones that serve a single report (`palmares.awards`, `palmares.rankings`,
`palmares.totals`), and sums are of whole numbers, so every engine gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from palmares import awards as awarding
from palmares import fold_rows, rankings, team_vps, totals, vp
from palmares.award_rows import CHANGE, POINTS
from palmares.awards import KEYS, Question
from palmares.engines import Engine, Rows, Shard, Told
from palmares.engines.cuts import shown
from palmares.errors import Problem
from palmares.fold_rows import ORDER
from palmares.kernels.formulas import BEFORE
from palmares.rankings import Ranking, Selection
from palmares.totals import Totals

WEIGHT = pl.Decimal(38, 0)
"""How exact sums travel: whole numbers of nanopoints times days left, beyond 64 bits."""

WORTHS = pl.Schema(
    {"player_id": pl.String(), "nation": pl.String(), "weight": WEIGHT, "parts": pl.Int64()}
)
"""What a player's awards are worth together; apart where an event said which nation he had."""

TOTALS = pl.Schema(
    {"player_id": pl.String()} | dict.fromkeys((*totals.PARTS, totals.LIFETIME), pl.Int64())
)


# ── rankings ─────────────────────────────────────────────────────────────────────────────────────


def rank(
    engine: Engine,
    question: Question,
    selection: Selection,
    *,
    by: str = "player",
    top: int | None = None,
) -> Ranking:
    """The same as `palmares.rankings.rank`, of facts that an engine holds."""
    rankings.refuse_nonsense(question, selection, by)
    if question.held().total == "latest":
        steps = engine.by_tournament(partial(shard_steps, question), fold_rows.schema(question))
        rows = engine.by_player(steps, partial(last_worths, question, selection), WORTHS)
    else:
        rows = engine.by_tournament(partial(shard_worths, question, selection), WORTHS)
        rows = engine.by_player(rows, worths_added, WORTHS)
    found = named(engine.collect(rows), engine.people()).with_columns(
        pl.coalesce("nation", "nation_now").alias("nation"), pl.col("weight").cast(pl.Int128)
    )
    return rankings.listed(question, selection, found, by=by, top=top, notices=engine.notices())


def shard_worths(question: Question, selection: Selection, shard: Shard) -> Told:
    """What the awards of a shard are worth, added up by player."""
    given = awarding.award(question, shard.facts, terms=False)
    return Told(worths_added(rankings.worth(given, selection)), given.notices)


def worths_added(rows: pl.DataFrame) -> pl.DataFrame:
    """Worths of the same player and nation as one."""
    return (
        rows.with_columns(pl.col("weight").cast(pl.Int128))
        .group_by("player_id", "nation", "parts")
        .agg(pl.col("weight").sum())
        .select(pl.col(name).cast(kind) for name, kind in WORTHS.items())
    )


def shard_steps(question: Question, shard: Shard) -> Told:
    """What a fold takes of every row of a shard."""
    given = awarding.award(question, shard.facts, unfolded=True)
    return Told(fold_rows.steps(given, shard.number), given.notices)


def last_worths(question: Question, selection: Selection, rows: pl.DataFrame) -> pl.DataFrame:
    """Every player's last rating up to the day."""
    ratings = fold_rows.folded(question, rows).with_columns(pl.col("nation").alias("nation_now"))
    return worths_added(rankings.latest(ratings, selection, ORDER))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Awarded:
    """Awards that an engine holds: `KEYS`, with nanopoints beside points, then the terms."""

    rows: Rows
    terms: tuple[str, ...]
    notices: tuple[Problem, ...]


def award(engine: Engine, question: Question) -> Awarded:
    """The same as `palmares.awards.award`, of facts that an engine holds; in the order of time."""
    fold = question.held().total == "latest"
    rows = engine.by_tournament(partial(shard_awards, question, fold))
    kinds = dict(engine.schema(rows))
    terms = [one for one in kinds if one not in (*KEYS, "nanopoints", *ORDER)]
    if fold:
        kinds |= {BEFORE: pl.Float64(), CHANGE: pl.Float64()}
        terms += [BEFORE, CHANGE]
        rows = engine.by_player(rows, partial(fold_finished, question), pl.Schema(kinds))
    rows = engine.laid_out(engine.in_order(rows, ORDER), (*KEYS, "nanopoints", *terms))
    return Awarded(rows=rows, terms=tuple(terms), notices=engine.notices())


def shard_awards(question: Question, fold: bool, shard: Shard) -> Told:  # noqa: FBT001
    """Every award of a shard, and where it stands in the order of time."""
    given = awarding.award(question, shard.facts, unfolded=fold)
    keys = [one for one in KEYS if one not in ("player", "points")]
    rows = fold_rows.ordered(given.frame, shard.number).select(
        *keys, "nanopoints", POINTS, *given.terms, *ORDER
    )
    return Told(rows, given.notices)


def fold_finished(question: Question, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of some players, folded, with the terms that a fold adds."""
    return fold_rows.finished(question, rows).with_columns(POINTS)


# ── totals ───────────────────────────────────────────────────────────────────────────────────────


def total(
    engine: Engine,
    question: Question,
    selection: Selection,
    levels: Mapping[str, Any] | None = None,
) -> Totals:
    """The same as `palmares.totals.totals`, of facts that an engine holds."""
    totals.refuse_others(question)
    rows = engine.by_tournament(partial(shard_totals, question, selection), TOTALS)
    rows = engine.by_player(rows, totals.added, TOTALS)
    return totals.listed(selection, named(engine.collect(rows), engine.people()), levels)


def shard_totals(question: Question, selection: Selection, shard: Shard) -> Told:
    """The totals of a shard's awards by player."""
    given = awarding.award(question, shard.facts, terms=False)
    return Told(totals.parts(given, selection).select(TOTALS.names()), given.notices)


# ── victory points ───────────────────────────────────────────────────────────────────────────────


def vps(engine: Engine, scale: str = vp.CONTINUOUS) -> Rows:
    """The same as `palmares.team_vps.match_vps`, of facts that an engine holds; by event and id."""
    rows = engine.by_tournament(partial(shard_vps, scale), team_vps.SCHEMA)
    return engine.in_order(rows, ("event_id", "match_id"))


def shard_vps(scale: str, shard: Shard) -> Told:
    """The victory points of every match of a shard."""
    return Told(team_vps.match_vps(shard.facts, scale))


# ── people ───────────────────────────────────────────────────────────────────────────────────────


def named(rows: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Rows with the names of their players, as they may be shown, and the nations held now."""
    names = shown(people).with_columns(people["nation"].alias("nation_now"))
    return rows.join(names, on="player_id", how="left", maintain_order="left")
