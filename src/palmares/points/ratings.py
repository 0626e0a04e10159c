"""
Folds: ratings after every event, made tournament by tournament, folded player by player.

The same formula as in `palmares.points.kernels.formulas`, which folds through whole events in order
of time; here every row brings what the formula takes. So rows may be gathered by player first, on
however many machines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import hint, msg
from palmares.core.rounding import GREATEST, UNCOUNTABLE, countable_nanopoints
from palmares.points.award_table import CHANGE, POINTS, in_points
from palmares.points.awards import Awards, Question
from palmares.points.kernels.formulas import compiles
from palmares.points.kernels.sums import Array
from palmares.regulations import of_another_package
from palmares.regulations.guard import failure
from palmares.regulations.model import BEFORE, parameters

ORDER = ("shard_number", "grant_number", "row_number")
"""The shard, the grant in it and the row of that: together, a place in the order of time."""

_NEEDED = ("player_id", "nation", "setting", "kind", "effective", "edition")


def formula_of(question: Question) -> Callable[..., Any]:
    """The formula that a regulation folds with.

    Raises:
        Refused: its module does not name it.
    """
    formula = question.aggregate.step
    if formula is None:
        raise Refused(
            hint(
                "use-no-engine",
                "%(regulation)s does not name the formula of its fold, so that a player's events"
                " cannot be gathered first: use no engine.",
                regulation=question.regulation,
            )
        )
    return formula


def with_order(frame: pl.DataFrame, shard: int) -> pl.DataFrame:
    """Awards of a shard with the columns of `ORDER` instead of ``order``."""
    return frame.with_columns(
        pl.lit(shard, pl.Int64).alias(ORDER[0]),
        pl.col("order").alias(ORDER[1]),
        pl.int_range(pl.len(), dtype=pl.Int64).alias(ORDER[2]),
    ).drop("order")


def step_schema(question: Question) -> pl.Schema:
    """The columns that `fold_steps` gives."""
    kinds: dict[str, Any] = dict.fromkeys(_NEEDED, pl.String()) | {"effective": pl.Date()}
    kinds |= dict.fromkeys(ORDER, pl.Int64())
    return pl.Schema(kinds | dict.fromkeys(fold_parameters(formula_of(question)), pl.Float64()))


def fold_steps(given: Awards, shard: int) -> pl.DataFrame:
    """What a fold takes of every row of a shard, and what a list has to know of it."""
    frame = with_order(given.frame, shard)
    return frame.select(
        (pl.col(name) if name in frame.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in step_schema(given.question).items()  # a shard without rows has no terms
    )


def folded(question: Question, rows: pl.DataFrame) -> pl.DataFrame:
    """Every row with ``nanopoints`` after it and ``before`` it, by player and in order of time.

    Raises:
        FactsRejected: a player's points come to no number, or to too great a one; or the formula is
            of another package, and fails.
    """
    formula = formula_of(question)
    rows = rows.sort("player_id", *ORDER)
    player = rows["player_id"].rle_id().to_numpy().astype(np.int64)
    editions = {rules.edition.id: rules for rules in question.rulebook().all}
    number = {name: place for place, name in enumerate(editions)}
    edition = rows["edition"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    opening = question.aggregate.opening
    openings = np.array([float(opening(rules)) if opening else 0.0 for rules in editions.values()])
    first = np.flatnonzero(np.diff(player, prepend=-1))
    try:
        folded_rows = fold(
            formula,
            [rules.constants for rules in editions.values()],
            edition,
            openings[edition[first]],
            player,
            {name: rows[name].cast(pl.Float64).to_numpy() for name in fold_parameters(formula)},
        )
    except Exception as error:
        regulation = question.get_regulation()
        if not of_another_package(regulation):
            raise
        raise FactsRejected([failure(regulation, Location(regulation.name), error)]) from error
    _refuse_uncountable(question, rows, folded_rows.after)
    return rows.with_columns(
        pl.Series("nanopoints", folded_rows.after), pl.Series(BEFORE, folded_rows.before)
    )


def _refuse_uncountable(question: Question, rows: pl.DataFrame, nanopoints: Any) -> None:
    lost = rows.filter(pl.Series(nanopoints == UNCOUNTABLE))
    if lost.height:
        raise FactsRejected(
            Problem(
                at=Location(player),
                what=msg(
                    "the %(kind)s points of %(player)s come to no number below %(greatest)s",
                    kind=(kind,),
                    player=player,
                    greatest=GREATEST,
                ),
                clause=question.regulation,
                remedy=msg("Look for a number far too large in the reports of their tournaments."),
            )
            for player, kind in lost.select("player_id", "kind").unique().sort(pl.all()).iter_rows()
        )


def folded_awards(question: Question, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with their points and terms, folded; a fold's own terms come after all others."""
    folded_rows = folded(question, rows)
    before, after = folded_rows[BEFORE], folded_rows["nanopoints"]
    return folded_rows.drop(BEFORE).with_columns(
        POINTS, in_points(before).alias(BEFORE), in_points(after - before).alias(CHANGE)
    )


# ── the formula, row by row ──────────────────────────────────────────────────────────────────────

CONSTANTS = "constants"


class Folded(NamedTuple):
    """Nanopoints of every row: after its event, and before it."""

    after: Array
    before: Array


def fold_parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    """What a fold's formula takes of every row: its parameters, in order.

    Without the points before, and without the constants of an edition, which are not of a row.
    """
    return tuple(name for name in parameters(formula) if name not in (BEFORE, CONSTANTS))


def fold(
    formula: Callable[..., Any],
    constants: Sequence[Any],
    edition: Array,
    opening: Array,
    player: Array,
    given: Mapping[str, Array],
) -> Folded:
    """The points of every row, each from those of the player's row before it.

    Args:
        formula: with a parameter ``before``.
        constants: of each edition.
        edition: which edition's constants a row takes.
        opening: what a player starts from, an entry a player.
        player: of each row, as a number from 0; rows are sorted by player, and those of a player
            by time.
        given: what else the formula takes, a float a row.
    """
    names, fixed = fold_parameters(formula), CONSTANTS in parameters(formula)
    if (len(constants) == 1 or not fixed) and compiles(len(player)):
        return _compiled(formula, constants[0], opening, player, given)
    formulas = [
        partial(formula, constants=constant) if fixed else formula for constant in constants
    ]
    last = opening.tolist()
    takes = [given[name].tolist() for name in names]
    before, after = [], []
    for number, which, *values in zip(player.tolist(), edition.tolist(), *takes, strict=True):
        before.append(countable_nanopoints(last[number]))
        last[number] = formulas[which](before=last[number], **dict(zip(names, values, strict=True)))
        after.append(countable_nanopoints(last[number]))
    return Folded(np.array(after, np.int64), np.array(before, np.int64))


def _compiled(
    formula: Callable[..., Any],
    constants: Any,
    opening: Array,
    player: Array,
    given: Mapping[str, Array],
) -> Folded:
    from palmares.points.kernels import compiled

    spec = compiled.KernelSpec(
        module=formula.__module__,
        derived=(),
        formula=formula.__name__,
        columns=fold_parameters(formula),
        outputs=(BEFORE,),
        fold=True,
        alone=True,
        checked=False,  # no table is looked up
    )
    rows = len(player)
    arrays: dict[str, Any] = {f"{name}_at": given[name] for name in fold_parameters(formula)}
    arrays |= {"constants": constants, "player_at": player, "points_so_far": opening.copy()}
    arrays |= {"before_out": np.empty(rows), "nanopoints": np.empty(rows, np.int64)}
    compiled.run(spec, arrays, players=np.searchsorted(player, np.arange(len(opening) + 1)))
    points = arrays["before_out"]
    fits = np.abs(points) < GREATEST  # of what does not, the row before is marked already
    before = np.floor(np.where(fits, points, 0) * 1e9 + 0.5).astype(np.int64)
    before[~fits] = UNCOUNTABLE
    return Folded(arrays["nanopoints"], before)
