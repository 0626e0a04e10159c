"""A season as CSV and as Parquet."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.facts import Facts
from palmares.formats.load import gathered
from tests.engines.started import frames_of, put
from tests.season import season, written


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(season(3, 40), tmp_path_factory.mktemp("csv"))


@pytest.fixture(scope="module")
def sound(csv: Path) -> Facts:
    return gathered(csv)


@pytest.fixture
def package(sound: Facts, tmp_path: Path) -> Path:
    return put(frames_of(sound), tmp_path / "season")
