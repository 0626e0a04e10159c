"""Time cut into shards, and shards checked."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Location, Problem
from palmares.engines import Shard, Told
from palmares.engines.shards import beside, nowhere, packed, stretches, unpacked, worked
from palmares.facts import Facts

DAYS = st.dictionaries(
    st.dates(min_value=date(2019, 1, 1), max_value=date(2019, 12, 31)), st.integers(1, 50)
)


@given(DAYS, st.integers(1, 60))
def test_every_day_is_in_one_stretch_and_none_is_too_long(days: dict[date, int], rows: int) -> None:
    found = stretches(days.items(), rows)
    assert [one.number for one in found] == list(range(len(found)))
    assert sorted(found, key=lambda one: one.first) == found
    for day in days:
        assert sum(one.first <= day <= one.last for one in found) == 1
    for one in found:
        held = [count for day, count in days.items() if one.first <= day <= one.last]
        assert sum(held) <= rows or len(held) == 1


def test_a_stretch_is_as_long_as_it_can_be() -> None:
    days = [(date(2019, 1, 1) + timedelta(days=at), 10) for at in range(5)]
    assert [(one.first.day, one.last.day) for one in stretches(days, 20)] == [
        (1, 2),
        (3, 4),
        (5, 5),
    ]


def test_problems_travel_as_text() -> None:
    problems = [Problem(at=Location("a", 1), what="ß „ö“", clause="c", remedy="r\n")]
    assert unpacked(packed(problems)) == problems


def frame(table: str, **columns: list[object]) -> pl.DataFrame:
    size = len(next(iter(columns.values())))
    where = {"_file": [f"{table}.parquet"] * size, "_line": range(1, size + 1)}
    return pl.DataFrame({**columns, **where})


TOURNAMENTS = frame("tournaments", tournament_id=["T"], name=["Open"], end_date=[date(2019, 5, 5)])
EVENTS = frame("events", event_id=["E"], tournament_id=["T"], name=["Main"], entrants=[2])
PLACINGS = frame("placings", event_id=["E", "E"], player_id=["ada", "bob"], rank=[1, 2])


def count(shard: Shard) -> Told:
    rows = [(shard.number, name, shard.facts[name].height) for name in shard.facts]
    return Told(pl.DataFrame(rows, schema=["shard", "table", "rows"], orient="row"))


def test_a_shard_has_its_rows_the_rates_and_its_players_memberships() -> None:
    members = frame(
        "memberships", player_id=["ada", "eve"], federation=["f"] * 2, start=[date(2014, 1, 1)] * 2
    )
    rates = frame("rates", currency=["DKK"], date=[date(2019, 5, 3)], eur_per_unit=["0.13"])
    players = frame("players", player_id=["ada", "bob"], name=["Ada", "Bob"])
    known = beside([{"players": players, "memberships": members, "rates": rates}])
    assert [one.clause for one in known.notices] == ["facts memberships.player_id"]
    small = PLACINGS.with_columns(pl.col("rank").cast(pl.Int32))
    frames = {"tournaments": TOURNAMENTS, "events": EVENTS, "placings": small}
    outcome = worked(count, 7, frames, known)
    assert outcome.problems == ()
    assert outcome.rows is not None
    assert dict(outcome.rows.select("table", "rows").iter_rows()) == {
        "memberships": 1, "tournaments": 1, "events": 1, "placings": 2, "rates": 1,
    }  # fmt: skip


def test_a_shard_with_a_wrong_rank_is_not_worked() -> None:
    wrong = PLACINGS.with_columns(rank=pl.lit(3))
    frames = {"tournaments": TOURNAMENTS, "events": EVENTS, "placings": wrong}
    outcome = worked(count, 0, frames, Facts())
    assert outcome.rows is None
    assert {one.clause for one in outcome.problems} == {"facts placings.rank"}


def test_rows_that_lead_nowhere_are_named_with_what_was_meant() -> None:
    lost = PLACINGS.with_columns(event_id=pl.lit("Event")).head(1)
    known = {
        "events": frame("events", event_id=["Events"]),
        "players": frame("players", player_id=["ada"]),
    }
    assert [str(one) for one in nowhere({"placings": lost}, known)] == [
        (
            "placings.parquet:1: event_id 'Event' is not in the table events; 1 row names it"
            " [facts placings.event_id]\n    Write Events, if that is meant; or add it to events."
        )
    ]
