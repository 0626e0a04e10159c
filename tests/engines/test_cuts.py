"""Time cut into shards, and shards checked."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import FactsRejected
from palmares.engines import Shard, ShardResult
from palmares.engines.shards import ShardedFacts, shard_of_days, work_on_shard
from palmares.facts import Facts

DAYS = st.dictionaries(
    st.dates(min_value=date(2019, 1, 1), max_value=date(2019, 12, 31)), st.integers(1, 50)
)


@given(DAYS, st.integers(1, 60))
def test_shards_go_by_time_and_none_is_too_large(days: dict[date, int], rows: int) -> None:
    shards = shard_of_days(days.items(), rows)
    assert list(shards) == sorted(days)
    numbers = list(shards.values())
    assert numbers == sorted(numbers)
    assert sorted(set(numbers)) == list(range(len(set(numbers))))
    for number in set(numbers):
        held = [days[day] for day in days if shards[day] == number]
        assert sum(held) <= rows or len(held) == 1


def test_a_shard_is_as_large_as_it_can_be() -> None:
    days = [(date(2019, 1, 1) + timedelta(days=at), 10) for at in range(5)]
    assert list(shard_of_days(days, 20).values()) == [0, 0, 1, 1, 2]


def frame(table: str, **columns: list[object]) -> pl.DataFrame:
    size = len(next(iter(columns.values())))
    where = {"_file": [f"{table}.parquet"] * size, "_line": range(1, size + 1)}
    return pl.DataFrame({**columns, **where})


TOURNAMENTS = frame("tournaments", tournament_id=["T"], name=["Open"], end_date=[date(2019, 5, 5)])
EVENTS = frame("events", event_id=["E"], tournament_id=["T"], name=["Main"], entrants=[2])
PLACINGS = frame("placings", event_id=["E", "E"], player_id=["ada", "bob"], rank=[1, 2])


def count(shard: Shard) -> ShardResult:
    rows = [(shard.number, name, shard.facts[name].height) for name in shard.facts]
    return ShardResult(pl.DataFrame(rows, schema=["shard", "table", "rows"], orient="row"))


def test_a_shard_has_its_rows_the_rates_and_its_players_memberships() -> None:
    members = frame(
        "memberships", player_id=["ada", "eve"], federation=["f"] * 2, start=[date(2014, 1, 1)] * 2
    )
    rates = frame("rates", currency=["DKK"], date=[date(2019, 5, 3)], eur_per_unit=["0.13"])
    players = frame("players", player_id=["ada", "bob"], name=["Ada", "Bob"])
    cut = ShardedFacts()
    known = cut.take_shared([{"players": players, "memberships": members, "rates": rates}], [])
    assert [one.clause for one in cut.notices()] == ["facts memberships.player_id"]
    small = PLACINGS.with_columns(pl.col("rank").cast(pl.Int32))
    frames = {"tournaments": TOURNAMENTS, "events": EVENTS, "placings": small}
    result = work_on_shard(count, 7, frames, known)
    assert dict(result.rows.select("table", "rows").iter_rows()) == {
        "memberships": 1, "tournaments": 1, "events": 1, "placings": 2, "rates": 1,
    }  # fmt: skip


def test_a_shard_with_a_wrong_rank_or_an_unknown_player_is_not_worked() -> None:
    wrong = PLACINGS.with_columns(rank=pl.lit(3))
    frames = {"tournaments": TOURNAMENTS, "events": EVENTS, "placings": wrong}
    players = Facts({"players": pl.DataFrame({"player_id": ["ada", "bo"]})})
    with pytest.raises(FactsRejected) as raised:
        work_on_shard(count, 0, frames, players)
    assert [one.clause for one in raised.value.problems][-2:] == [
        "facts placings.player_id", "facts placings.rank",
    ]  # fmt: skip
    assert "Write bo, if that is meant" in str(raised.value)
