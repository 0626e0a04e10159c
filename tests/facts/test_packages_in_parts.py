"""Tables as folders of Parquet parts: nested, and named by what they hold."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from palmares.core.errors import FactsRejected
from palmares.facts import Facts, is_package, read_package, read_typed
from palmares.facts.merge import concat
from tests.facts.packs import facts, package, place

ROWS = pl.DataFrame(
    {
        "event_id": ["main"] * 4,
        "flight": ["main"] * 4,
        "player_id": ["ada", "bob", "cyd", "dan"],
        "rank": [1, 2, 3, 3],
    }
)


def put(directory: Path, path: str, rows: pl.DataFrame) -> None:
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    rows.write_parquet(target)


@pytest.fixture
def season(tmp_path: Path) -> Path:
    return package(tmp_path / "season", placings=None)


@pytest.mark.parametrize("folder", ["placings", "placings.parquet"])
def test_a_folder_of_folders_is_one_table(season: Path, tmp_path: Path, folder: str) -> None:
    put(season, f"{folder}/year=2019/part-1.parquet", ROWS[2:])
    put(season, f"{folder}/year=2018/part-9.parquet", ROWS[:2])
    read = read_package(season)["placings"]
    assert read.select(ROWS.columns).equals(ROWS)
    assert read["year"].to_list() == ["2018", "2018", "2019", "2019"]
    assert read["_line"].to_list() == [1, 2, 1, 2]
    assert read["_file"][0] == str(season / folder / "year=2018" / "part-9.parquet")


def test_a_folder_may_say_a_column_of_ours(season: Path) -> None:
    rows = ROWS.drop("event_id", "flight")
    put(season, "placings/event_id=main/flight=main/a.parquet", rows)
    assert read_package(season)["placings"].select(ROWS.columns).equals(ROWS)


def test_what_the_folder_says_wins_as_for_every_program(season: Path) -> None:
    """DuckDB and Spark read it so, and an engine must not change a list."""
    put(season, "placings/event_id=main/a.parquet", ROWS.with_columns(event_id=pl.lit("other")))
    assert read_package(season)["placings"]["event_id"].to_list() == ["main"] * 4


def test_names_of_folders_are_written_as_addresses_are(season: Path) -> None:
    rows = ROWS.drop("event_id")
    put(season, "placings/event_id=ma%69n/by=__HIVE_DEFAULT_PARTITION__/a.parquet", rows)
    read = read_package(season)["placings"]
    assert read["event_id"].to_list() == ["main"] * 4
    assert read["by"].null_count() == 4


def test_what_other_programs_leave_beside_is_no_part(season: Path) -> None:
    put(season, "placings/a.parquet", ROWS)
    put(season, "placings/_temporary/b.parquet", ROWS)
    put(season, "placings/.hidden.parquet", ROWS)
    (season / "placings" / "_SUCCESS").touch()
    assert read_package(season)["placings"].height == 4


def test_a_problem_names_the_part_and_its_row(season: Path) -> None:
    put(season, "placings/year=2018/a.parquet", ROWS[:2])
    put(season, "placings/year=2019/b.parquet", ROWS[2:].with_columns(rank=pl.Series([3, 0])))
    with pytest.raises(FactsRejected) as raised:
        read_package(season)
    assert [f"{place(one)}: {one.what}" for one in raised.value.problems] == [
        "b.parquet:2: rank is 0, not from 1 to 1,000,000,000"
    ]


def test_a_table_in_two_places(season: Path) -> None:
    put(season, "placings/a.parquet", ROWS)
    put(season, "placings.parquet", ROWS)
    with pytest.raises(FactsRejected, match=r"there are both placings\.parquet and placings"):
        read_package(season)


def test_a_folder_of_the_name_of_a_table_is_no_package_without_parts(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "cup.toml").touch()
    assert not is_package(tmp_path)


def test_players_in_parts_say_who_somebody_is(tmp_path: Path) -> None:
    """A table of players wins over reports, in parts as in one file."""
    other = package(tmp_path / "other", players=None, tournaments=None, events=None, flights=None)
    (other / "placings.csv").unlink()
    people = pl.DataFrame({"player_id": ["ada"], "name": ["Ada N."], "nation": ["SVK"]})
    put(other, "players/part-0.parquet", people)
    told = facts(tmp_path / "season").tables["players"].with_columns(_file=pl.lit("cup.toml"))
    one = concat([read_typed(other).facts, Facts({"players": told})])
    assert one["players"].filter(player_id="ada").select("name", "nation").rows() == [
        ("Ada N.", "SVK")
    ]
