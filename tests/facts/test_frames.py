"""Tables of other libraries, through Arrow."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

from palmares.core.errors import FactsRejected, Refused
from palmares.facts import (
    Facts,
    ParsedFacts,
    ReportTables,
    check_facts,
    concat,
    parse_cells,
)
from palmares.facts.frames import from_frames


class Arrow:
    """A table of some library: it says no more than that it speaks Arrow."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


PLAYERS = pl.DataFrame({"player_id": [1, 2], "name": ["Ada", "Bob"]})


def test_whoever_adds_rows_in_place_adds_them_to_his_own() -> None:
    first, second = Facts(), Facts()
    first["rates"].extend(first["rates"].clear(1))
    assert (first["rates"].height, second["rates"].height, Facts()["rates"].height) == (1, 0, 0)


@pytest.mark.parametrize("form", [PLAYERS, PLAYERS.lazy(), Arrow(PLAYERS)])
def test_any_table_that_speaks_arrow(form: object) -> None:
    players = from_frames({"players": form})["players"]
    assert players["player_id"].to_list() == ["1", "2"]
    assert players["_file"].to_list() == ["players", "players"]
    assert players["_line"].to_list() == [1, 2]


def test_numbers_that_come_as_floats() -> None:
    tournament = {
        "tournament_id": ["t"],
        "name": ["T"],
        "end_date": [datetime(2019, 11, 17, tzinfo=UTC)],
    }
    event = {
        "event_id": [7.0, 8.0],
        "tournament_id": ["t", "t"],
        "name": ["A", "B"],
        "entry_fee": [0.1, 1e-7],
        "entrants": [3.0, None],
        "team": [1.0, 0.0],
    }
    facts = from_frames({"tournaments": pl.DataFrame(tournament), "events": pl.DataFrame(event)})
    events = facts["events"]
    assert events["event_id"].to_list() == ["7", "8"]
    assert events["entry_fee"].to_list() == [Decimal("0.1"), Decimal("0.0000001")]
    assert events["entrants"].to_list() == [3, None]
    assert events["team"].to_list() == [True, False]
    assert str(facts["tournaments"]["end_date"][0]) == "2019-11-17"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e300, 1e-300])
def test_numbers_that_are_none(number: float) -> None:
    events = {"event_id": ["e"], "tournament_id": ["t"], "name": ["A"], "entry_fee": [number]}
    with pytest.raises(FactsRejected) as raised:
        from_frames({"events": pl.DataFrame(events)})
    assert "entry_fee is" in raised.value.problems[0].what
    assert raised.value.problems[0].where == "events:1"


def test_a_moment_is_no_date() -> None:
    moment = datetime(2019, 11, 17, 20, 15, tzinfo=UTC)
    tournament = {"tournament_id": ["t"], "name": ["T"], "end_date": [moment]}
    with pytest.raises(FactsRejected, match="not a date"):
        from_frames({"tournaments": pl.DataFrame(tournament)})


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_day_in_any_unit_of_time(unit: Literal["ms", "us", "ns"]) -> None:
    day = pl.Series([datetime(2019, 11, 17, tzinfo=UTC)]).dt.cast_time_unit(unit)
    tournament = pl.DataFrame({"tournament_id": ["t"], "name": ["T"], "end_date": day})
    tables = from_frames({"tournaments": tournament})
    assert str(tables["tournaments"]["end_date"][0]) == "2019-11-17"


def test_days_of_pandas() -> None:
    moments = ["2019-11-17", "2019-11-18 20:15", None]
    frame = pd.DataFrame({"tournament_id": ["t", "u", "v"], "name": "T"})
    frame["end_date"] = pd.to_datetime(moments, format="ISO8601")
    with pytest.raises(FactsRejected) as raised:
        from_frames({"tournaments": frame})
    assert [(problem.where, problem.what) for problem in sorted(raised.value.problems)] == [
        ("tournaments:2", "end_date is '2019-11-18 20:15:00', not a date"),
        ("tournaments:3", "end_date is missing"),
    ]


@pytest.mark.parametrize(
    ("names", "kind"),
    [([["Ada"], ["Bob"]], "List"), ([b"Ada", b"Bob"], "Binary"), ([{"of": 1}, {}], "Struct")],
)
def test_values_that_are_no_cells(names: list[Any], kind: str) -> None:
    with pytest.raises(FactsRejected, match=rf"players:1: name holds .* {kind}") as raised:
        from_frames({"players": PLAYERS.with_columns(pl.Series("name", names))})
    assert len(raised.value.problems) == 1


def test_no_number_is_no_id_and_no_name() -> None:
    nothing = pl.Series([1.0, float("nan")])
    with pytest.raises(FactsRejected, match="players:2: player_id is missing"):
        from_frames({"players": PLAYERS.with_columns(player_id=nothing)})
    with pytest.raises(FactsRejected, match="players:2: name is missing"):
        from_frames({"players": PLAYERS.with_columns(name=nothing)})


def test_an_empty_category_is_nothing() -> None:
    nation = pl.Series(["CZE", " "], dtype=pl.Categorical)
    players = from_frames({"players": PLAYERS.with_columns(nation=nation)})["players"]
    assert players["nation"].to_list() == ["CZE", None]


@pytest.mark.parametrize(
    "value", [10**30, Decimal("sNaN"), Decimal("Infinity"), "\ud800", 1j, b"x", [1]], ids=repr
)
def test_a_value_that_is_no_cell_is_refused_with_its_column(value: object) -> None:
    players = pd.DataFrame({"player_id": ["a"], "name": pd.Series([value], dtype=object)})
    with pytest.raises(FactsRejected) as raised:
        from_frames({"players": players})
    assert [(one.at.table, one.at.key) for one in raised.value.problems] == [("players", "name")]


def test_columns_of_several_types_or_one_name() -> None:
    mixed = {"player_id": ["a", 2], "name": ["Ada", 3.5]}
    with pytest.raises(FactsRejected) as raised:
        from_frames({"players": pd.DataFrame(mixed, dtype=object)})
    assert [problem.what.split(" cannot")[0] for problem in raised.value.problems] == [
        "the column player_id", "the column name",
    ]  # fmt: skip
    twice = pd.DataFrame([["a", "Ada", "Bob"]], columns=["player_id", "name", "name"])
    with pytest.raises(FactsRejected, match="'name' 2 times"):
        from_frames({"players": twice})


def test_what_is_no_table() -> None:
    with pytest.raises(FactsRejected, match="5: there is no such table"):
        from_frames({5: PLAYERS})  # type: ignore[dict-item]
    with pytest.raises(FactsRejected, match="list is no table"):
        from_frames({"players": [1, 2]})
    with pytest.raises(FactsRejected, match="there is no such table"):
        from_frames({"player": PLAYERS})


def report(file: str, name: str, nation: str | None) -> ParsedFacts:
    """A report that names one player."""
    raw = ReportTables()
    raw.add("players", {"player_id": "ada", "name": name, "nation": nation}, 3, file)
    return parse_cells(raw)


class TestOnePlayerInSeveralSources:
    def test_an_empty_cell_contradicts_nothing(self) -> None:
        facts = check_facts(report("a.toml", "Ada", None), report("b.toml", "Ada", "CZE"))
        assert facts["players"].select("name", "nation").rows() == [("Ada", "CZE")]

    def test_another_nation_is_told(self) -> None:
        with pytest.raises(FactsRejected, match=r"listed twice, a\.toml:3 and b\.toml:3"):
            check_facts(report("a.toml", "Ada", "ITA"), report("b.toml", "Ada", "CZE"))

    def test_a_table_of_players_settles_it(self) -> None:
        sources = [("a.toml", "ITA"), ("of/players.csv", "FRA"), ("b.toml", "CZE")]
        facts = check_facts(*(report(file, "Ada", nation) for file, nation in sources))
        assert facts["players"].select("name", "nation").rows() == [("Ada", "FRA")]

    def test_nothing_is_nothing(self) -> None:
        assert list(concat([])) == list(concat([Facts(), Facts()])) == []


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> None:
        raise ImportError("pyarrow")

    monkeypatch.setattr(nw.DataFrame, "to_polars", missing)
    monkeypatch.setattr("palmares.core.extras.find_spec", lambda _: None)
    with pytest.raises(Refused, match=r"A table of pandas needs PyArrow, .*palmares\[pandas\]"):
        from_frames({"players": Arrow(PLAYERS)})
