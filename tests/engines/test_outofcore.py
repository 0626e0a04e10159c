"""DuckDB and its workers: the same facts, the same problems and the same rows as in process."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from palmares.core.errors import Refused
from palmares.engines import Engine
from palmares.facts import Facts, write_package
from tests.engines import works
from tests.engines.started import ROWS, both, frames_of, put, started

# ── the same rows ────────────────────────────────────────────────────────────────────────────────


def test_shards_hold_all_rows_in_the_order_of_time(sound: Facts, package: Path) -> None:
    with started("duckdb", package) as held:
        shards = held.collect(held.by_tournament(works.tables))
    assert shards.height > 2
    assert (shards["last"][:-1] < shards["first"][1:]).all()
    for name in ("tournaments", "events", "placings", "matches"):
        assert shards[name].sum() == sound[name].height


def placed(*paths: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Where each placing comes from: in process, and by DuckDB in the order of files."""
    one, two = both(lambda held: held.collect(held.by_tournament(works.places)), *paths)
    order = one.select("_file").unique(maintain_order=True).with_row_index("number")
    two = two.join(order, on="_file").sort("number", "_line").drop("number")
    return one, two


def test_rows_know_their_files(package: Path) -> None:
    one, two = placed(package)
    assert one.equals(two)
    assert one["_file"].unique().to_list() == [str(package / "placings.parquet")]


def test_rows_of_a_shard_come_in_the_order_of_files(package: Path) -> None:
    with started("duckdb", package) as held:
        lines = held.collect(held.by_tournament(works.lines))
    assert lines.group_by("shard").agg(pl.col("_line").is_sorted())["_line"].all()


def test_all_rows_of_a_player_come_together(package: Path) -> None:
    def ask(held: Engine) -> pl.DataFrame:
        rows = held.by_player(held.by_tournament(works.ranks), works.added, works.ADDED)
        return held.collect(held.select(rows, [*rows.schema], ["player_id"]))

    one, two = both(ask, package, workers=2)
    assert one["rows"].sum() > ROWS  # so that there is more than one group
    assert one.equals(two)


def test_rows_are_sorted_and_named(package: Path, tmp_path: Path) -> None:
    def ask(held: Engine) -> pl.DataFrame:
        rows = held.by_tournament(works.ranks)
        rows = held.select(rows, ["player", "rank", "player_id"], ["rank", "player_id", "shard"])
        assert rows.schema.names() == ["player", "rank", "player_id"]
        path = tmp_path / f"{type(held).__name__}.parquet"
        held.write(rows, str(path))
        found = held.collect(rows)
        assert pl.read_parquet(path).equals(found)
        return found

    one, two = both(ask, package)
    assert one["player"].null_count() == 0
    assert one.equals(two)


def test_columns_are_those_of_all_shards(package: Path) -> None:
    with started("duckdb", package) as held:
        rows = held.collect(held.by_tournament(works.odd))
    assert rows.columns == ["player_id", "b", "a", "c"]
    assert rows["a"].unique().sort().to_list() == [0.5, 1.0]


def test_notices_are_told_once(package: Path) -> None:
    with started("duckdb", package) as held:
        held.by_tournament(works.noticing)
        told = [one.where for one in held.notices()]
    assert len(set(told)) == len(told) > 2
    assert {"everywhere", "shard 0", "shard 1"} <= set(told)


def test_reports_and_csv_are_read_too(csv: Path) -> None:
    one, two = placed(csv)
    assert one["_file"].str.ends_with("placings.csv").all()
    assert one.equals(two)


def test_two_packages_are_one(sound: Facts, tmp_path: Path) -> None:
    """The later half of the tournaments lies elsewhere, with their players again."""
    day = date(2019, 1, 1)
    packages = []
    for name, keep in (("early", pl.col("end_date") < day), ("late", pl.col("end_date") >= day)):
        frames = frames_of(sound)
        frames["tournaments"] = frames["tournaments"].filter(keep)
        frames["events"] = frames["events"].join(
            frames["tournaments"], on="tournament_id", how="semi"
        )
        for table in ("flights", "placings", "matches"):
            frames[table] = frames[table].join(frames["events"], on="event_id", how="semi")
        packages.append(put(frames, tmp_path / name))
    one, two = placed(*packages)
    assert one["_file"].n_unique() == 2
    assert one.equals(two)


@pytest.mark.parametrize("in_the_part", [(), (pl.lit("other").alias("flight"),)])
def test_parts_in_folders_may_say_columns(
    sound: Facts, tmp_path: Path, in_the_part: tuple[pl.Expr, ...]
) -> None:
    """A part may have the column, too: what the folder says counts."""
    frames = frames_of(sound)
    placings = frames.pop("placings")
    package = put(frames, tmp_path / "season")
    for flight, rows in placings.partition_by("flight", as_dict=True, include_key=False).items():
        folder = package / "placings" / f"flight={flight[0]}"
        folder.mkdir(parents=True)
        rows.with_columns(in_the_part).write_parquet(folder / "part-[0].parquet")
    one, two = placed(package)
    assert one.height == placings.height
    assert one.equals(two)


def test_ids_in_another_spelling_are_the_same(sound: Facts, tmp_path: Path) -> None:
    """Spaces around an id, an accent in two characters, a number that is text elsewhere."""
    number = pl.col("tournament_id").rank("dense").cast(pl.String)
    frames = frames_of(sound)
    codes = frames["tournaments"].with_columns(code=number).select("tournament_id", "code")
    frames["tournaments"] = frames["tournaments"].join(codes, on="tournament_id").with_columns(
        tournament_id=pl.col("code").cast(pl.Int32)
    ).drop("code")  # fmt: skip
    frames["events"] = frames["events"].join(codes, on="tournament_id").with_columns(
        tournament_id=" " + pl.col("code"), event_id=pl.col("event_id") + "e\u0301"
    ).drop("code")  # fmt: skip
    for name in ("flights", "placings", "matches"):
        spelt = pl.col("event_id") + "e\u0301 "
        frames[name] = frames[name].with_columns(spelt)
    frames["players"] = frames["players"].with_columns(pl.col("player_id") + "\u00a0")
    package = put(frames, tmp_path / "season")
    one, two = placed(package)
    assert one.height == sound["placings"].height
    assert one.equals(two)


def test_without_tournaments_there_is_one_empty_shard(tmp_path: Path) -> None:
    write_package(Facts(), tmp_path / "none", "parquet")
    one, two = both(lambda held: held.collect(held.by_tournament(works.ranks)), tmp_path / "none")
    assert one.is_empty()
    assert one.equals(two)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def test_a_partitioned_folder(package: Path, tmp_path: Path) -> None:
    with started("duckdb", package) as held:
        rows = held.by_tournament(works.ranks)
        held.write(rows, str(tmp_path / "parted"), partition_by=["shard"])
        expected = held.collect(rows).sort("shard", "player_id", "rank")
    assert {one.name for one in (tmp_path / "parted").iterdir()} >= {"shard=0", "shard=1"}
    found = pl.read_parquet(tmp_path / "parted", hive_partitioning=True)
    assert found.sort("shard", "player_id", "rank").select(expected.columns).equals(expected)


def test_a_place_that_cannot_be_written(package: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("inprocess", "duckdb"):
        with started(name, package) as held:
            rows = held.by_tournament(works.ranks)
            with pytest.raises(Refused, match="cannot be written"):
                held.write(rows, str(tmp_path / "file" / "out.parquet"))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "season"]
