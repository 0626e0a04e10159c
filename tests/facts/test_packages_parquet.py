"""Parquet files that are damaged, or that would fill the memory."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from palmares.core.errors import FactsRejected
from palmares.facts import read_package
from palmares.facts.packages import MOST_RATIO, memory_of, refuse_too_large
from tests.packages import error

ROWS = pl.DataFrame({"player_id": [f"p{n}" for n in range(50)], "name": ["Ada Novak"] * 50})


def complaint(package: Path) -> str:
    with pytest.raises(FactsRejected) as found:
        read_package(package)
    return str(found.value)


def test_damage_is_said_plainly(tmp_path: Path) -> None:
    """'Damaged Parquet: a Rust panic is a BaseException; said plainly'"""
    file = tmp_path / "players.parquet"
    ROWS.write_parquet(file, compression="uncompressed")
    whole, told = file.read_bytes(), []
    for at in range(4, len(whole), 14):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x02]) + whole[at + 1 :])
        try:
            read_package(tmp_path)
        except FactsRejected as rejected:
            told.append(str(rejected))
    assert any("its pages are damaged" in one for one in told)
    assert all("players.parquet" in one for one in told)


def test_rows_that_would_fill_the_memory(tmp_path: Path) -> None:
    """'357 kB of Parquet take 7.6 GB': 20 million equal cells of 16 bytes are 320 MB."""
    file = tmp_path / "placings.parquet"
    pl.select(pl.repeat(1, 20_000_000, dtype=pl.Int8).alias("rank")).write_parquet(file)
    assert file.stat().st_size < 100_000
    told = error("rank", "wbgf", tmp_path)
    assert f"{file}: the file has " in told
    assert " and unpacks to 320." in told
    assert "--engine duckdb" in told


def test_texts_that_would_fill_the_memory(tmp_path: Path) -> None:
    """10,000 times the same 100,000 letters: they lie in the file, and in Polars, once."""
    note = pl.repeat("x" * 100_000, 10_000, dtype=pl.String).alias("note")
    pl.select(note).write_parquet(tmp_path / "players.parquet", row_group_size=10_000)
    assert " and unpacks to 1,0" in complaint(tmp_path)


def test_one_text_that_is_too_long(tmp_path: Path) -> None:
    ROWS.with_columns(
        note=pl.when(pl.col("player_id") == "p3").then(pl.lit("é" * 70_000))
    ).write_parquet(tmp_path / "players.parquet")
    told = complaint(tmp_path)
    assert "players.parquet:4: a cell has 140,000 bytes, and 131,072 are read" in told


def test_a_table_that_is_larger_than_the_machine() -> None:
    refuse_too_large("placings.parquet", 1_000_000)
    with pytest.raises(FactsRejected, match=r"takes at least 1,000,000,000\.0 MB of memory"):
        refuse_too_large("placings.parquet", 10**15)


def test_a_season_is_far_from_any_bound(tmp_path: Path) -> None:
    """One event, ranks in order, ten empty columns: no table of a federation packs better."""
    count = 300_000
    rows = pl.select(
        pl.repeat("E", count, dtype=pl.String).alias("event_id"),
        pl.format("p{}", pl.int_range(count)).alias("player_id"),
        pl.int_range(1, count + 1).alias("rank"),
        *(pl.repeat(None, count, dtype=pl.String).alias(f"nothing_{n}") for n in range(10)),
    )
    file = tmp_path / "placings.parquet"
    rows.write_parquet(file)
    taken = memory_of(str(file))
    assert taken == 16 * 13 * count
    assert taken < file.stat().st_size * MOST_RATIO / 5


def test_a_file_that_ends_too_early(tmp_path: Path) -> None:
    file = tmp_path / "players.parquet"
    ROWS.write_parquet(file)
    file.write_bytes(file.read_bytes()[:-1])
    assert "this is not a Parquet file, or it is incomplete" in complaint(tmp_path)
