"""Engines on packages of Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import polars as pl
import pytest

from palmares.core.errors import FactsRejected, Problem
from palmares.engines import Engine, EngineSettings
from palmares.facts import Facts
from tests.engines import in_process, works

ROWS = 400  # a shard's: the season has a few
Frames = dict[str, pl.DataFrame]
Answer = TypeVar("Answer")


def frames_of(facts: Facts) -> Frames:
    return {name: facts[name].drop("_file", "_line") for name in facts}


def put(frames: Frames, directory: Path) -> Path:
    """Frames as a package of Parquet files."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        frame.write_parquet(directory / f"{name}.parquet")
    return directory


@contextmanager
def started(
    name: str, *paths: Path, rows: int = ROWS, workers: int = 1, scratch: Path | None = None
) -> Iterator[Engine]:
    settings = EngineSettings(
        rows_per_shard=rows,
        memory="2GB",
        workers=workers,
        scratch=None if scratch is None else str(scratch),
    )
    held = in_process.start(name, [str(one) for one in paths], settings)
    try:
        yield held
    finally:
        held.close()


def both(ask: Callable[[Engine], Answer], *paths: Path, workers: int = 1) -> list[Answer]:
    """What the engine in process answers, and what this one does."""
    answers = []
    for name in ("inprocess", "duckdb"):
        with started(name, *paths, workers=workers) as held:
            answers.append(ask(held))
    return answers


def rejected(name: str, *paths: Path) -> Sequence[Problem]:
    """What an engine says is wrong."""
    with pytest.raises(FactsRejected) as raised, started(name, *paths) as held:
        held.by_tournament(works.ranks)
    return raised.value.problems


def problems(name: str, *paths: Path) -> list[str]:
    """The same as text."""
    return [str(one) for one in rejected(name, *paths)]
