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


def test_shards_hold_the_same_rows_as_in_process(package: Path) -> None:
    one, two = both(lambda held: held.collect(held.by_tournament(works.tables)), package)
    assert one.height > 2
    assert one.equals(two)
    assert (one["last"][:-1] < one["first"][1:]).all()


def test_rows_come_in_the_order_of_shards_and_of_files(package: Path) -> None:
    one, two = both(lambda held: held.collect(held.by_tournament(works.places)), package)
    assert one.equals(two)
    assert one["_file"].unique().to_list() == [str(package / "placings.parquet")]


def test_all_rows_of_a_player_come_together(package: Path) -> None:
    def ask(held: Engine) -> pl.DataFrame:
        rows = held.by_player(held.by_tournament(works.ranks), works.added, works.ADDED)
        return held.collect(held.in_order(rows, ["player_id"]))

    one, two = both(ask, package, workers=2)
    assert one["rows"].sum() > ROWS  # so that there is more than one group
    assert one.equals(two)


def test_rows_are_sorted_and_named(package: Path, tmp_path: Path) -> None:
    def ask(held: Engine) -> pl.DataFrame:
        rows = held.in_order(held.by_tournament(works.ranks), ["rank", "player_id", "shard"])
        rows = held.laid_out(rows, ["player", "rank", "player_id"])
        assert held.schema(rows).names() == ["player", "rank", "player_id"]
        path = tmp_path / f"{type(held).__name__}.parquet"
        held.write(rows, str(path))
        found = held.collect(rows)
        assert pl.read_parquet(path).equals(found)
        return found

    one, two = both(ask, package)
    assert one["player"].null_count() == 0
    assert one.equals(two)


def test_columns_are_those_of_all_shards(package: Path) -> None:
    one, two = both(lambda held: held.collect(held.by_tournament(works.odd)), package)
    assert one.columns == two.columns == ["player_id", "b", "a", "c"]
    assert one.schema == two.schema
    assert one.equals(two)


def test_notices_are_told_once(package: Path) -> None:
    def ask(held: Engine) -> set[str]:
        held.by_tournament(works.noticing)
        told = [str(one) for one in held.notices()]
        assert len(set(told)) == len(told)
        return set(told)

    one, two = both(ask, package)
    assert one == two


def test_reports_and_csv_are_read_too(csv: Path) -> None:
    one, two = both(lambda held: held.collect(held.by_tournament(works.places)), csv)
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
    one, two = both(lambda held: held.collect(held.by_tournament(works.places)), *packages)
    assert one["_file"].n_unique() == 2
    assert one.equals(two)


def test_parts_in_folders_may_say_columns(sound: Facts, tmp_path: Path) -> None:
    frames = frames_of(sound)
    placings = frames.pop("placings")
    package = put(frames, tmp_path / "season")
    for flight, rows in placings.partition_by("flight", as_dict=True, include_key=False).items():
        folder = package / "placings" / f"flight={flight[0]}"
        folder.mkdir(parents=True)
        rows.write_parquet(folder / "part-[0].parquet")
    one, two = both(lambda held: held.collect(held.by_tournament(works.places)), package)
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
        spelt = pl.col("event_id") + ("\u00e9" if name == "placings" else "e\u0301 ")
        frames[name] = frames[name].with_columns(spelt)
    frames["players"] = frames["players"].with_columns(pl.col("player_id") + "\u00a0")
    package = put(frames, tmp_path / "season")
    one, two = both(lambda held: held.collect(held.by_tournament(works.places)), package)
    assert one.height == sound["placings"].height
    assert one.equals(two)


def test_without_tournaments_there_is_one_empty_shard(tmp_path: Path) -> None:
    write_package(Facts(), tmp_path / "none", "parquet")
    one, two = both(lambda held: held.collect(held.by_tournament(works.ranks)), tmp_path / "none")
    assert one.is_empty()
    assert one.equals(two)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def test_a_partitioned_folder(package: Path, tmp_path: Path) -> None:
    def ask(held: Engine) -> pl.DataFrame:
        target = tmp_path / type(held).__name__
        held.write(held.by_tournament(works.ranks), str(target), partition_by=["shard"])
        assert {one.name for one in target.iterdir()} >= {"shard=0", "shard=1"}
        return pl.read_parquet(target, hive_partitioning=True).sort("shard", "player_id", "rank")

    one, two = both(ask, package)
    assert one.equals(two)


def test_a_place_that_cannot_be_written(package: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("inprocess", "duckdb"):
        with started(name, package) as held:
            rows = held.by_tournament(works.ranks)
            with pytest.raises(Refused, match="cannot be written"):
                held.write(rows, str(tmp_path / "file" / "out.parquet"))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "season"]
