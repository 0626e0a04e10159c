"""Everything in this process, from files here and from an object store."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest

from palmares.core.errors import FactsRejected, Refused
from palmares.engines import EngineSettings, engine
from palmares.facts import Facts, read_package
from palmares.formats.load import gathered
from tests.engines import in_process, works
from tests.engines.object_store import Files, served


@pytest.fixture(scope="module")
def served_files() -> Iterator[Files]:
    """One store for all tests here: Polars keeps to the address it first had for a bucket."""
    with pytest.MonkeyPatch.context() as patch, served() as (files, environment):
        for name, value in environment.items():
            patch.setenv(name, value)
        yield files


@pytest.fixture
def store(served_files: Files) -> Files:
    served_files.clear()
    return served_files


def stored(frame: pl.DataFrame) -> bytes:
    content = BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def season_in(store: Files, facts: Facts) -> None:
    """A package in the store, its placings in folders by flight."""
    for name in facts:
        frame = facts[name].drop("_file", "_line")
        if name != "placings":
            store[f"season/{name}.parquet"] = stored(frame)
            continue
        parts = frame.partition_by("flight", as_dict=True, include_key=False)
        for (flight,), rows in parts.items():
            store[f"season/placings/flight={flight}/part-0.parquet"] = stored(rows)


# ── an object store ──────────────────────────────────────────────────────────────────────────────


def test_a_package_in_an_object_store(store: Files, sound: Facts) -> None:
    season_in(store, sound)
    read = read_package("s3://bucket/season")
    order = ["event_id", "flight", "player_id"]
    for name in sound:
        by = order if name == "placings" else []
        expected, found = (one[name].drop("_file", "_line") for one in (sound, read))
        assert found.sort(by).equals(expected.sort(by)) if by else found.equals(expected)
    first = read["placings"].row(0, named=True)
    assert first["_file"] == "s3://bucket/season/placings/flight=consolation/part-0.parquet"
    assert first["_line"] == 1


def test_what_is_wrong_there_is_named_by_address_and_row(store: Files, sound: Facts) -> None:
    season_in(store, sound)
    players = sound["players"].drop("_file", "_line").with_columns(nation=pl.lit("Ruritania"))
    store["season/players.parquet"] = stored(players[:1])
    with pytest.raises(FactsRejected) as raised:
        gathered("s3://bucket/season/")
    assert raised.value.problems[0].where.startswith("s3://bucket/season/")
    assert "s3://bucket/season/players.parquet:1" in {one.where for one in raised.value.problems}


def test_an_object_store_with_nothing_in_it(store: Files) -> None:
    with pytest.raises(FactsRejected, match="there are no facts in it"):
        gathered("s3://bucket/elsewhere")
    store["season/placings.parquet"] = b"PAR1 and no more"
    with pytest.raises(FactsRejected, match="it cannot be read"):
        gathered("s3://bucket/season")


def test_a_folder_on_the_web_cannot_be_listed() -> None:
    with pytest.raises(FactsRejected, match="a folder on the web cannot be listed"):
        gathered("https://example.org/season")


def test_rows_are_written_to_an_object_store(store: Files, sound: Facts) -> None:
    season_in(store, sound)
    held = in_process.start("inprocess", ["s3://bucket/season"])
    rows = held.by_tournament(works.ranks)
    held.write(rows, "s3://bucket/out/ranks.parquet")
    held.write(rows, "s3://bucket/out/parted", partition_by=["shard"])
    held.close()
    assert pl.read_parquet(BytesIO(store["out/ranks.parquet"])).equals(rows)
    assert [key for key in store if key.startswith("out/parted/shard=0/")]


def test_duckdb_writes_there_too_and_says_what_it_needs_to_read(store: Files, csv: Path) -> None:
    held = engine("duckdb", [str(csv)], EngineSettings(rows_per_shard=200, workers=1, memory="2GB"))
    rows = held.by_tournament(works.ranks)
    held.write(rows, "s3://bucket/out/ranks.parquet")
    assert pl.read_parquet(BytesIO(store["out/ranks.parquet"])).equals(held.collect(rows))
    held.close()
    store["season/placings.parquet"] = stored(pl.DataFrame({"event_id": ["e"]}))
    with pytest.raises(Refused, match="INSTALL httpfs"):
        engine("duckdb", ["s3://bucket/season"], EngineSettings(memory="2GB"))
