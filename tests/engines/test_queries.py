"""Questions put to engines: the same answers as in one go, however the facts are cut."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import date
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from palmares.engines import Engine, EngineSettings, queries
from palmares.facts.packages import read_package, write_package
from palmares.points import awards, master_points
from palmares.points.awards import Awards, Question
from palmares.points.rankings import Selection
from tests.engines import in_process
from tests.packages import rated
from tests.points import slow
from tests.season import season, written

DAY = date(2020, 6, 30)
SELECTIONS = (
    Selection(as_of=DAY),
    Selection(as_of=date(2018, 3, 1)),
    Selection(as_of=DAY, since=date(2019, 1, 1), setting="online"),
    Selection(as_of=DAY, nation="CZE"),
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season as Parquet."""
    folder = tmp_path_factory.mktemp("season")
    write_package(read_package(written(season(2019), folder / "csv")), folder / "pq", "parquet")
    return folder / "pq"


@pytest.fixture(scope="module", params=["inprocess", "duckdb"])
def started(request: pytest.FixtureRequest, package: Path) -> Iterator[Engine]:
    """An engine that cuts the season into many shards."""
    settings = EngineSettings(rows_per_shard=150, workers=1, memory="1GB")
    with closing(in_process.start(request.param, [str(package)], settings)) as found:
        yield found


@cache
def awarded(package: Path, regulation: str, choice: str = "") -> Awards:
    """The awards of the season in one go: once for all engines."""
    chosen = {"W17": choice} if choice else None
    return awards.award(Question(regulation=regulation, chosen=chosen), rated(package))


@pytest.mark.parametrize("name", ["wbgf", "usbgf", "dptr"])
class TestRankings:
    @pytest.mark.parametrize("selection", SELECTIONS)
    def test_by_player(
        self, started: Engine, package: Path, name: str, selection: Selection
    ) -> None:
        question = Question(regulation=name)
        whole = slow.rank(awarded(package, name), selection, top=9)
        found = queries.rank(started, question, selection, top=9)
        assert found.frame.equals(whole.frame)
        assert set(found.notices) == set(whole.notices)


@pytest.mark.parametrize("choice", ["players-now", "at-event"])
def test_by_nation(started: Engine, package: Path, choice: str) -> None:
    chosen = {"W17": choice} if choice == "at-event" else None
    question, selection = Question(regulation="wbgf", chosen=chosen), Selection(as_of=DAY)
    given = awarded(package, "wbgf", "at-event" if chosen else "")
    whole = slow.rank(given, selection, by="nation")
    found = queries.rank(started, question, selection, by="nation")
    assert whole.frame.height > 3
    assert found.frame.equals(whole.frame)
    assert set(found.notices) == set(whole.notices)


@pytest.mark.parametrize("selection", SELECTIONS[:3])
def test_totals(started: Engine, package: Path, selection: Selection) -> None:
    question, levels = Question(regulation="usbgf"), {"Star": 1, "Master": 4}
    given = awarded(package, "usbgf")
    whole = master_points.rank_master_points(given, selection, levels)
    assert queries.rank_master_points(started, question, selection, levels).frame.equals(
        whole.frame
    )


@pytest.mark.parametrize("name", ["wbgf", "usbgf", "dptr"])
def test_awards(started: Engine, package: Path, name: str, tmp_path: Path) -> None:
    """Collected or written, every award with every term."""
    question = Question(regulation=name)
    whole = awarded(package, name)
    found = queries.award(started, question)
    assert found.terms == whole.terms
    assert found.published().equals(whole.published())
    assert found.frame["nanopoints"].equals(whole.frame["nanopoints"])
    found.write(str(tmp_path / "awards.parquet"))
    assert pl.read_parquet(tmp_path / "awards.parquet").equals(whole.published())
