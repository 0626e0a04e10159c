"""Rows of a fold on their way: what is refused."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

from palmares.core.errors import FactsRejected, Refused
from palmares.points import ratings
from palmares.points.awards import Question

DPTR = Question(regulation="dptr")
ROW = {
    "player_id": "ada",
    "nation": None,
    "setting": "live",
    "kind": "rating",
    "effective": date(2019, 5, 5),
    "edition": "2019-10",
    **dict.fromkeys(ratings.ORDER, 0),
    "value": 15.0,
    "percentile": 90.0,
}


def rows(*several: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame([ROW | one for one in several], ratings.step_schema(DPTR))


def test_each_player_by_time() -> None:
    """40 + 15 % of 50 is 47.5; then 15 % of the way down to 10: 41.875; Bo starts from 40."""
    found = ratings.folded(
        DPTR,
        rows(
            {"shard_number": 1, "percentile": 10.0},
            {"player_id": "bo"},
            {"shard_number": 0},
        ),
    )
    assert found["player_id"].to_list() == ["ada", "ada", "bo"]
    assert found["nanopoints"].to_list() == [47_500_000_000, 41_875_000_000, 47_500_000_000]
    assert found["before"].to_list() == [40_000_000_000, 47_500_000_000, 40_000_000_000]


def test_finished_rows_have_what_a_fold_adds_last() -> None:
    found = ratings.folded_awards(DPTR, rows({}))
    assert found.columns[-2:] == ["before", "change"]
    assert found.select("before", "change").row(0) == (40.0, 7.5)


def test_nobody_played() -> None:
    assert ratings.folded(DPTR, rows()).is_empty()


def test_points_without_end() -> None:
    with pytest.raises(FactsRejected, match="the rating points of ada come to no number"):
        ratings.folded(DPTR, rows({"value": 1e9, "percentile": 1e9}))


def test_a_regulation_that_does_not_fold() -> None:
    with pytest.raises(Refused, match="wbgf does not name the formula of its fold"):
        ratings.step_schema(Question(regulation="wbgf"))
