"""``--engine``: options that go together, what is written, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest

from palmares.cli.sources import warn_first
from palmares.core.errors import Location, Problem
from palmares.core.messages import msg
from palmares.formats.load import first_notices
from tests.packages import BACKGAMMON, error, run, write
from tests.season import season, written

DAY = ("--as-of", "2020-06-30")
EXAMPLES = Path(__file__).parents[2] / "examples"


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


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_a_journal_needs_no_engine(engine: str) -> None:
    result = run("rank", "wbgf", "--journal", "federation.db", "--engine", engine)
    assert result.exit_code == 2
    assert "Leave out --engine, or write them into a folder first" in result.stderr


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
    """Up to a thousand are counted; of more it is said that they are."""
    many = [_notice(n) for n in range(1_300)]
    assert list(first_notices(many[:1_000])) == many[:1_000]
    assert list(first_notices([*reversed(many), *many])) == many[:1_001]
    halves = (*first_notices(many[1::2]), *first_notices(many[::2]))
    assert list(first_notices(halves)) == many[:1_001]


def _notice(line: int, what: str = "n", several: str = "") -> Problem:
    return Problem(at=Location("w", line), what=what, clause="c", remedy="r", several=several)


def _warned(notices: Iterable[Problem], capsys: pytest.CaptureFixture[str]) -> list[str]:
    warn_first(notices, "palmares check")
    return capsys.readouterr().err.splitlines()


class TestWarningsByKind:
    """'warnings grouped by kind with a count and two examples, all of them with --warnings'"""

    def test_a_count_and_two_examples(self, capsys: pytest.CaptureFixture[str]) -> None:
        small = [_notice(n, f"Open: {n} players", "events under 30 players") for n in range(1, 78)]
        assert _warned([_notice(99, "odd"), *reversed(small)], capsys) == [
            "Warning: 77 events under 30 players [c]",
            "    w:1: Open: 1 players",
            "    w:2: Open: 2 players",
            "    … and 75 more; --warnings shows them all.",
            "    r",
            "Warning: w:99: odd [c]",
            "    r",
        ]

    def test_two_of_a_kind_are_both_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        two = _warned([_notice(1, several="things"), _notice(2, several="things")], capsys)
        assert two == ["Warning: w:1: n [c]", "    r", "Warning: w:2: n [c]", "    r"]

    def test_messages_of_one_text_are_of_one_kind(self, capsys: pytest.CaptureFixture[str]) -> None:
        texts = [msg("%(event)s is odd", event=name) for name in ("Open", "Main", "Cup")]
        lines = _warned([_notice(n, text) for n, text in enumerate(texts, start=1)], capsys)
        assert lines[:2] == ["Warning: 3 of one kind [c]", "    w:1: Open is odd"]

    def test_no_more_than_twenty(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = _warned([_notice(n, f"n{n}") for n in range(1, 31)], capsys)
        assert lines[-3:] == [
            "Warning: w:20: n20 [c]",
            "    r",
            "Warning: … and 10 more; --warnings shows them all.",
        ]

    def test_more_than_are_counted(self, capsys: pytest.CaptureFixture[str]) -> None:
        lines = _warned([_notice(n) for n in range(1_001)], capsys)
        assert lines[0] == "Warning: 1,000 of one kind [c]"
        assert lines[-1] == (
            "Warning: … and more, which are not counted; 'palmares check' lists them all."
        )

    def test_all_of_them(self) -> None:
        command = ("rank", "usbgf", EXAMPLES / "usbgf", "--as-of", "2019-12-31")
        few, every = run(*command), run(*command, "--warnings")
        assert few.stdout == every.stdout
        assert few.stderr.count("Warning: ") == 1
        assert "Warning: 6 events of no type in Appendix A" in few.stderr
        assert "… and 4 more; --warnings shows them all." in few.stderr
        assert every.stderr.count("[usbgf eligible-events, reading U19]") == 6
