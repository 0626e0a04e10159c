"""Small packages of facts that several tests start from, and how Hypothesis is set."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.amounts import amount
from tests.packages import BACKGAMMON, DIPLOMACY, write

pytest_plugins = ["tests.databases", "tests.running"]

signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may ignore these signals,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and programs that tests start would inherit that

settings.register_profile(  # a busy machine is no failed test
    "palmares", deadline=None, max_examples=amount(1_000), derandomize=True
)
settings.load_profile("palmares")


@pytest.fixture
def backgammon(tmp_path: Path) -> Path:
    """One tournament of four players, EUR 100."""
    return write(tmp_path / "backgammon", **BACKGAMMON)


@pytest.fixture
def diplomacy(tmp_path: Path) -> Path:
    """Two events of the rating's own worked example."""
    return write(tmp_path / "diplomacy", **DIPLOMACY)
