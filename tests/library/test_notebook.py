"""What a notebook needs: names that complete, days as text, what is shown, frames of pandas."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from rlcompleter import Completer

import pandas as pd
import polars as pl
import pytest

import palmares
from palmares.core.errors import Refused
from tests.packages import BACKGAMMON, run, write

DAY = "2019-11-15"
MISCHIEF = "<script>alert(1)</script>"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return write(tmp_path / "facts", **BACKGAMMON)


def hostile(tmp_path: Path) -> Path:
    """The same, its first player under a name with tags in it."""
    players = BACKGAMMON["players"].replace("Ada Novak", MISCHIEF)
    return write(tmp_path / "hostile", **BACKGAMMON | {"players": players})


class TestCompletion:
    def test_every_name_completes(self) -> None:
        completer = Completer({"palmares": palmares})
        assert completer.complete("palmares.ran", 0) == "palmares.rank("
        assert completer.complete("palmares.expl", 0) == "palmares.explain("
        assert dir(palmares) == sorted(palmares.__all__)

    def test_to_list_them_loads_nothing(self) -> None:
        program = "import palmares, sys; dir(palmares); print('polars' in sys.modules)"
        told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        assert told.stdout == b"False\n"


class TestDaysAsText:
    @pytest.mark.parametrize(
        "day", [DAY, date(2019, 11, 15), datetime(2019, 11, 15, 12, tzinfo=UTC), pd.Timestamp(DAY)]
    )
    def test_wherever_a_day_is_taken(self, package: Path, day: str) -> None:
        facts, exact = palmares.read(package), date(2019, 11, 15)
        assert palmares.rank("wbgf", facts, as_of=day).equals(
            palmares.rank("wbgf", facts, as_of=exact)
        )
        assert len(palmares.rank("wbgf", facts, as_of=day, since=day, until=day)) == 4
        assert palmares.explain("wbgf", facts, player="a", as_of=day).as_of == exact
        expiries = palmares.expiries("wbgf", facts, player="a", until=day, ahead="2020-01-01")
        assert expiries.equals(
            palmares.expiries("wbgf", facts, player="a", until=exact, ahead=date(2020, 1, 1))
        )
        assert palmares.publish("wbgf", facts, as_of=day).name == "wbgf 2019-11-15"
        assert palmares.diff("wbgf", day, "2020-12-31", facts).equals(
            palmares.diff("wbgf", exact, date(2020, 12, 31), facts)
        )

    @pytest.mark.parametrize("day", ["2019-02-30", "15.11.2019", "20191115", "2019-W01-1", 2019])
    def test_what_is_no_day(self, package: Path, day: str) -> None:
        with pytest.raises(Refused, match='A day is a date, or a text such as "2019-12-31", not'):
            palmares.rank("wbgf", palmares.read(package), as_of=day)


class TestExplanation:
    def test_it_prints_as_the_command_does(self, package: Path) -> None:
        why = palmares.explain("wbgf", palmares.read(package), player="a", as_of=DAY)
        printed = run("explain", "wbgf", package, "--player", "a", "--as-of", DAY).stdout
        assert f"{why}\n" == printed

    def test_in_a_notebook_it_is_a_table_to_unfold(self, tmp_path: Path) -> None:
        why = palmares.explain("wbgf", palmares.read(hostile(tmp_path)), player="a", as_of=DAY)
        shown = why._repr_html_()
        assert MISCHIEF not in shown
        assert "&lt;script&gt;alert(1)&lt;/script&gt; (CZE): 17.25 points, rank 1 of 4" in shown
        assert shown.count("<tr>") == 1 + len(why.entries)
        assert "<details><summary>Clause by clause</summary><pre>" in shown


class TestFactsAndDifferences:
    def test_facts_show_how_many_rows_there_are(self, package: Path) -> None:
        facts = palmares.read(package)
        shown = facts._repr_html_()
        assert f"Facts, {len(facts.notices)} notices" in shown
        for table in facts:
            assert f"<td>{table}</td>" in shown
        assert '<td>players</td><td style="text-align:right">4</td>' in shown
        assert repr(facts) == "<Facts: players 4, tournaments 1, events 1, placings 4>"

    def test_a_difference_is_a_frame_of_ten_rows_with_no_tag_of_a_name(
        self, tmp_path: Path
    ) -> None:
        facts = palmares.read(hostile(tmp_path))
        shown = palmares.diff("wbgf", "2000-01-01", DAY, facts)._repr_html_()
        assert "&lt;script&gt;" in shown
        assert "<script" not in shown
        assert shown.count("<tr>") <= 2 + 10


class TestPandas:
    @pytest.fixture
    def tables(self, package: Path) -> dict[str, pd.DataFrame]:
        return {path.stem: pd.read_csv(path) for path in sorted(package.glob("*.csv"))}

    def test_frames_of_pandas_come_back_as_such(
        self, package: Path, tables: dict[str, pd.DataFrame]
    ) -> None:
        facts = palmares.read(package)
        for theirs, ours in (
            (palmares.rank("wbgf", tables, as_of=DAY), palmares.rank("wbgf", facts, as_of=DAY)),
            (palmares.award("wbgf", tables), palmares.award("wbgf", facts)),
            (
                palmares.history("wbgf", tables, player="a", until="2020-01-31"),
                palmares.history("wbgf", facts, player="a", until="2020-01-31"),
            ),
            (
                palmares.diff("wbgf", "2000-01-01", DAY, tables),
                palmares.diff("wbgf", "2000-01-01", DAY, facts),
            ),
        ):
            assert isinstance(theirs, pd.DataFrame)
            assert isinstance(ours, pl.DataFrame)
            pd.testing.assert_frame_equal(theirs, ours.to_pandas())

    def test_of_several_libraries_they_are_polars(self, tables: dict[str, pd.DataFrame]) -> None:
        mixed = {**tables, "players": pl.from_pandas(tables["players"])}
        assert isinstance(palmares.rank("wbgf", mixed, as_of=DAY), pl.DataFrame)

    def test_without_pyarrow_it_says_what_to_install(
        self, tables: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("palmares.core.extras.installed", lambda extra: extra != "pandas")
        with pytest.raises(Refused, match=r"pip install 'palmares\[pandas\]'"):
            palmares.rank("wbgf", tables, as_of=DAY)
