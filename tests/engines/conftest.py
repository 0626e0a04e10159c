"""One Spark for the whole run of tests, as it takes seconds to start; and a season as Parquet."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from palmares.engines import EngineSettings
from palmares.engines.spark.session import Session, session
from palmares.facts import Facts
from palmares.formats.load import gathered
from tests.engines.started import frames_of, put
from tests.season import season, written

# Tests hand Spark a hundred small plans and few rows: compiling each plan to the last costs more
# than running it, and so does tidying memory on several cores.
QUICK = {
    "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "PYSPARK_SUBMIT_ARGS": "--conf spark.sql.codegen.wholeStage=false pyspark-shell",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[Session]:
    """A Spark session on two cores; engines started while it runs use it."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore", ResourceWarning)  # PySpark leaves pipes to its Java open
        for name, value in QUICK.items():
            if name not in os.environ:
                patch.setenv(name, value)
        held = session(EngineSettings(master="local[2]"))
        yield held
        held.close()


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(season(3, 40), tmp_path_factory.mktemp("csv"))


@pytest.fixture(scope="module")
def sound(csv: Path) -> Facts:
    return gathered(csv)


@pytest.fixture
def package(sound: Facts, tmp_path: Path) -> Path:
    return put(frames_of(sound), tmp_path / "season")
