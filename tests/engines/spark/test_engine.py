"""The engine on Spark gives what is computed in process, and refuses what is wrong."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from pyspark.errors import PySparkException

from palmares.core.errors import FactsRejected, NotCovered, Refused
from palmares.core.progress import Advance, heard_by
from palmares.engines import EngineSettings
from palmares.engines.spark.engine import Spark, SparkRows, start
from palmares.engines.spark.session import Session, plainly
from palmares.facts import read_package, write_package
from palmares.facts.rates import with_bank_rates
from palmares.formats.load import gathered
from palmares.regulations import money_disciplines
from tests.engines import spark_works as works
from tests.packages import rated
from tests.season import Table, season, written

EXAMPLES = Path(__file__).parents[3] / "examples"
SHARD = 150  # rows: the made-up season is cut into a handful of shards

pytestmark = pytest.mark.usefixtures("spark")


@contextmanager
def on(*paths: Path | str, rows: int = SHARD) -> Iterator[Spark]:
    """The engine on some paths."""
    engine = start([str(one) for one in paths], EngineSettings(rows_per_shard=rows))
    try:
        yield engine
    finally:
        engine.close()


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same season three times: as CSV, as typed Parquet, and as parts whose cells are text."""
    folder = tmp_path_factory.mktemp("season")
    tables = season(7)
    csv = written(tables, folder / "csv")
    write_package(read_package(csv), folder / "typed", format="parquet")
    as_parts(tables, folder / "parts")
    return folder


def as_parts(tables: dict[str, Table], folder: Path) -> Path:
    """A package of folders with three parts each, every cell text, the parts in subfolders."""
    for name, (header, *body) in tables.items():
        frame = pl.DataFrame(body, schema=dict.fromkeys(header, pl.String), orient="row")
        for at in range(3):
            part = folder / f"{name}.parquet" / f"third={at}" / "part.parquet"
            part.parent.mkdir(parents=True, exist_ok=True)
            frame.gather_every(3, at).write_parquet(part)
    return folder


def as_files(tables: dict[str, Table], folder: Path) -> Path:
    """A package of Parquet files whose cells are text."""
    folder.mkdir(parents=True)
    for name, (header, *body) in tables.items():
        frame = pl.DataFrame(body, schema=dict.fromkeys(header, pl.String), orient="row")
        frame.write_parquet(folder / f"{name}.parquet")
    return folder


# ── the same points ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def typed(packages: Path, spark: Session) -> Iterator[tuple[Spark, SparkRows]]:
    """The engine on the typed season, and the points of all of it: to count them takes seconds."""
    assert spark is not None
    with on(packages / "typed") as engine:
        yield engine, engine.by_tournament(partial(works.points, regulation="wbgf"))


def test_a_season_in_shards_gives_the_points_of_the_season(
    typed: tuple[Spark, SparkRows], packages: Path
) -> None:
    engine, rows = typed
    expected = works.points_of(rated(packages / "typed"), "wbgf")
    assert set(expected.notices) <= set(engine.notices())
    found = engine.collect(rows)
    assert_frame_equal(found.select(expected.rows.columns), expected.rows, check_exact=True)
    assert found.height > 100


def test_so_does_one_in_parts_and_tells_of_each_shard(packages: Path) -> None:
    steps: list[int] = []

    @contextmanager
    def listener(what: str, total: int | None) -> Iterator[Advance]:
        if what == "shards":
            steps.append(-(total or 0))
            yield lambda done=1: steps.append(done)
        else:
            yield lambda done=1: None

    expected = works.points_of(rated(packages / "parts"), "usbgf").rows
    with on(packages / "parts") as engine:
        found = engine.collect(engine.by_tournament(partial(works.points, regulation="usbgf")))
        with heard_by(listener):
            shards = engine.collect(engine.by_tournament(works.contents))
    assert_frame_equal(found.select(expected.columns), expected, check_exact=True)
    assert found.height > 100
    assert shards["shard"].to_list() == list(range(shards.height))
    assert shards.height > 3
    assert steps[0] == -shards.height
    assert sum(steps) == 0
    assert shards["placings"].sum() == read_package(packages / "parts").tables["placings"].height


def test_all_rows_of_a_player_come_together(typed: tuple[Spark, SparkRows], packages: Path) -> None:
    engine, awards = typed
    expected = works.totals(works.points_of(rated(packages / "typed"), "wbgf").rows)
    sums = engine.by_player(awards, works.totals, expected.schema)
    ordered = engine.select(sums, [*sums.schema], ["player_id"])
    assert_frame_equal(engine.collect(ordered), expected.sort("player_id"))
    assert sums.schema == expected.schema


def test_ids_may_have_spaces_around_and_be_numbers(tmp_path: Path) -> None:
    tables = season(5)
    for table in tables.values():
        for number, row in enumerate(table[1:]):
            for at, column in enumerate(table[0]):
                if column == "event_id":  # an accent as a mark
                    row[at] = ("" if number % 2 else " ") + "E\u0301" + row[at]
                elif column.endswith("_id") and number % 3 == 0 and row[at]:
                    row[at] = f" {row[at]} "
    folder = as_files(tables, tmp_path / "a package")
    for name, kind in (("tournaments", pl.Int64), ("events", pl.Int32)):
        whole = pl.col("tournament_id").str.extract(r"(\d+)").cast(kind)
        frame = pl.read_parquet(folder / f"{name}.parquet").with_columns(tournament_id=whole)
        frame.write_parquet(folder / f"{name}.parquet")
    expected = works.points_of(with_bank_rates(gathered(folder), money_disciplines), "wbgf").rows
    with on(f"file://{folder}") as engine:
        found = engine.collect(engine.by_tournament(partial(works.points, regulation="wbgf")))
    assert_frame_equal(found.select(expected.columns), expected)


def test_a_package_without_tournaments_is_one_empty_shard(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    players = pl.DataFrame({"player_id": ["a"], "name": ["Ada"]})
    players.write_parquet(tmp_path / "package" / "players.parquet")
    with on(tmp_path / "package") as engine:
        found = engine.collect(engine.by_tournament(works.contents))
        assert engine.people["player"].to_list() == ["Ada"]
    assert found.select("shard", "tournaments").rows() == [(0, 0)]


# ── what is wrong ────────────────────────────────────────────────────────────────────────────────


def changed(tables: dict[str, Table], *cells: tuple[str, int, str, str]) -> dict[str, Table]:
    """The season with some cells changed: table, row, column, what stands there."""
    for table, row, column, cell in cells:
        tables[table][row][tables[table][0].index(column)] = cell
    return tables


def rejected(folder: Path) -> FactsRejected:
    """What the engine says is wrong."""
    with pytest.raises(FactsRejected) as there, on(folder) as engine:
        engine.by_tournament(works.contents)
    return there.value


def test_ids_that_lead_to_no_shard_are_refused_with_examples(tmp_path: Path) -> None:
    tables = season(7)
    first, last = tables["tournaments"][1], tables["tournaments"][-1]
    assert first[4] != last[4]
    folder = as_files(
        changed(
            tables,
            ("tournaments", -1, "tournament_id", first[0]),  # twice, far apart
            ("tournaments", 5, "end_date", "2019-02-30"),
            ("events", 7, "tournament_id", "T999"),
            ("placings", 3, "event_id", "E-none"),
            ("matches", 1, "match_id", tables["matches"][100][0]),
        ),
        tmp_path / "package",
    )
    found = {(one.code, one.at.table, one.at.key): one for one in rejected(folder).problems}
    assert set(found) >= {
        ("unknown-id", "tournaments", "tournament_id"),
        ("unknown-id", "events", "event_id"),
        ("unknown-id", "placings", "event_id"),
        ("repeated-id", "matches", "match_id"),
    }
    lost = found["unknown-id", "tournaments", "tournament_id"]
    assert f"'{first[0]}'" in lost.what
    assert lost.where == str(folder / "tournaments.parquet")
    assert f"'{tables['matches'][100][0]}'" in found["repeated-id", "matches", "match_id"].what


def test_what_is_wrong_within_shards_is_told_as_it_is_in_process(tmp_path: Path) -> None:
    tables = changed(
        season(7),
        ("placings", 11, "player_id", "p0l"),
        ("placings", 60, "rank", "first"),
        ("matches", 3, "loser_id", "nobody"),
    )
    folder = as_files(tables, tmp_path / "package")
    with pytest.raises(FactsRejected) as here:
        gathered(folder)
    assert set(rejected(folder).problems) == set(here.value.problems)
    assert len(here.value.problems) > 2


def test_a_table_and_a_column_that_are_missing_are_missed(tmp_path: Path) -> None:
    tables = season(7)
    del tables["players"]
    folder = as_files(tables, tmp_path / "package")
    assert "these ids refer to a table players that is missing" in str(rejected(folder))
    tables["events"] = [row[:2] + row[3:] for row in tables["events"]]  # without its names
    folder = as_files(tables, tmp_path / "nameless")
    assert "there is no column name" in str(rejected(folder))


def test_errors_of_ours_arrive_as_they_are_and_others_in_a_line(
    typed: tuple[Spark, SparkRows],
) -> None:
    engine, _ = typed
    with pytest.raises(NotCovered, match=r"^No edition covers shard 0\.$"):
        engine.by_tournament(works.uncovered)
    with pytest.raises(Refused, match="ZeroDivisionError") as told:
        engine.by_tournament(works.broken)
    assert "Traceback" not in str(told.value)
    assert "org.apache" not in str(told.value)
    assert len(str(told.value)) < 700


def tidied_up_after(stopped: type[BaseException]) -> None:
    """What PySpark does on Ctrl-C: its tidying up fails, and that is what is raised."""
    try:
        raise stopped
    finally:
        raise PySparkException("Broken pipe")


def test_ctrl_c_is_not_taken_for_an_error_of_spark() -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt), plainly():
        tidied_up_after(KeyboardInterrupt)
    with pytest.raises(Refused, match="Broken pipe"), plainly():
        tidied_up_after(OSError)


# ── out ──────────────────────────────────────────────────────────────────────────────────────────


def test_rows_are_written_as_a_file_or_by_partition(
    typed: tuple[Spark, SparkRows], tmp_path: Path
) -> None:
    engine, rows = typed
    named = engine.select(rows, ["player_id", "player", "edition", "nanopoints"], ["nanopoints"])
    expected = engine.collect(named)
    engine.write(named, str(tmp_path / "one.parquet"))
    engine.write(named, str(tmp_path / "many"), partition_by=["edition"])
    with pytest.raises(Refused, match="cannot be written"):
        engine.write(named, str(tmp_path / "many"))
    assert expected["nanopoints"].is_sorted()
    assert expected["player"].str.starts_with("Player ").all()
    assert_frame_equal(pl.read_parquet(tmp_path / "one.parquet"), expected)
    many = pl.read_parquet(tmp_path / "many" / "**" / "*.parquet", hive_partitioning=True)
    assert_frame_equal(many.select(expected.columns), expected, check_row_order=False)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["many", "one.parquet"]
