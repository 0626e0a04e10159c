"""Small packages of facts that several tests start from; examples take the time they take."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.packages import BACKGAMMON, DIPLOMACY, write

pytest_plugins = ["tests.databases"]

settings.register_profile("palmares", deadline=None)  # a busy machine is no failed test
settings.load_profile("palmares")


@pytest.fixture
def backgammon(tmp_path: Path) -> Path:
    """One tournament of four players, EUR 100."""
    return write(tmp_path / "backgammon", **BACKGAMMON)


@pytest.fixture
def diplomacy(tmp_path: Path) -> Path:
    """Two events of the rating's own worked example."""
    return write(tmp_path / "diplomacy", **DIPLOMACY)
