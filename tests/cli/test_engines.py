"""``--engine``: options that go together, what is written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from palmares.cli.sources import warn_first
from palmares.core.errors import Location, Problem
from palmares.formats.load import first_notices
from tests.packages import BACKGAMMON, error, run, write
from tests.season import season, written

DAY = ("--as-of", "2020-06-30")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(season(2019), tmp_path_factory.mktemp("engines") / "season")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("--memory", "4GB"), "--memory is for --engine duckdb."),
        (("--engine", "inprocess", "--workers", "2"), "--workers is for --engine duckdb."),
        (("--engine", "duckdb", "--master", "local"), "--master is for --engine spark."),
        (("--shard-rows", "9"), "--shard-rows is for --engine duckdb or spark."),
        (("--engine", "abacus"), "'abacus' is not one of"),
    ],
)
def test_options_of_another_engine(package: Path, wrong: tuple[str, ...], told: str) -> None:
    result = run("rank", "wbgf", package, *wrong)
    assert result.exit_code == 2
    assert told in result.stderr


class TestAwards:
    def test_parquet_by_partition(self, package: Path, tmp_path: Path) -> None:
        where = tmp_path / "awards"
        result = run("award", "usbgf", package, "-o", where, "--partition-by", "edition")
        assert (result.exit_code, result.stdout) == (0, "")
        assert sorted(one.name for one in where.iterdir()) == ["edition=2015-05", "edition=2019-01"]
        parts = pl.read_parquet(where, hive_schema={"edition": pl.String})
        run("award", "usbgf", package, "-o", tmp_path / "whole.parquet")
        whole = pl.read_parquet(tmp_path / "whole.parquet")
        assert sorted(parts.columns) == sorted(whole.columns)
        key = ["player_id", "event_id", "kind", "points"]
        columns = ["player_id", "player", "event_id", "kind", "points", "edition", "event_weight"]
        assert parts.select(columns).sort(key).equals(whole.select(columns).sort(key))

    @pytest.mark.parametrize("engine", ["inprocess", "duckdb"])
    def test_a_rating_without_awards(self, tmp_path: Path, engine: str) -> None:
        package = write(tmp_path / "backgammon", **BACKGAMMON)
        result = run("award", "dptr", package, "--engine", engine, "--format", "json")
        assert (result.exit_code, result.stdout) == (0, "[]\n")

    def test_the_engine_writes_what_is_written_without_one(
        self, package: Path, tmp_path: Path
    ) -> None:
        for name, more in (("plain", ()), ("engine", ("--engine", "inprocess"))):
            result = run("award", "dptr", package, "-o", tmp_path / f"{name}.parquet", *more)
            assert result.exit_code == 0
        plain, engine = (pl.read_parquet(tmp_path / f"{n}.parquet") for n in ("plain", "engine"))
        assert plain.equals(engine)

    def test_a_column_that_there_is_not(self, package: Path, tmp_path: Path) -> None:
        result = run("award", "dptr", package, "-o", tmp_path / "x", "--partition-by", "colour")
        assert result.exit_code == 2
        assert "Awards have no column colour." in result.stderr
        assert not (tmp_path / "x").exists()

    def test_partitions_need_a_folder(self, package: Path) -> None:
        assert run("award", "dptr", package, "--partition-by", "edition").exit_code == 2


@pytest.mark.parametrize("engine", ["inprocess", "duckdb"])
def test_problems_are_told_as_ever(package: Path, tmp_path: Path, engine: str) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in package.iterdir():
        text = file.read_text(encoding="utf-8")
        (broken / file.name).write_text(text.replace("T01-championship", "nowhere", 1))
    plain = error("rank", "wbgf", broken, *DAY)
    assert error("rank", "wbgf", broken, *DAY, "--engine", engine) == plain


def test_many_notices_are_counted() -> None:
    """Twenty are shown of up to a hundred, which are counted; of more it is said that they are."""
    many = [Problem(at=Location("w", n), what="n", clause="c", remedy="r") for n in range(130)]
    assert list(first_notices(many[:100])) == many[:100]
    assert list(first_notices([*reversed(many), *many])) == many[:101]
    halves = (*first_notices(many[1::2]), *first_notices(many[::2]))
    assert list(first_notices(halves)) == many[:101]


@pytest.mark.parametrize(
    ("many", "last"),
    [
        (20, "Warning: w:20: n [c]"),
        (100, "Warning: … and 80 more; 'palmares check' lists them all."),
        (101, "Warning: … and more than 80 more; 'palmares check' lists them all."),
    ],
)
def test_more_than_a_hundred(many: int, last: str, capsys: pytest.CaptureFixture[str]) -> None:
    notices = [
        Problem(at=Location("w", n + 1), what="n", clause="c", remedy="r") for n in range(many)
    ]
    warn_first(reversed(notices), "palmares check")
    shown = [one for one in capsys.readouterr().err.splitlines() if one.startswith("Warning")]
    assert (shown[0], shown[-1]) == ("Warning: w:1: n [c]", last)
