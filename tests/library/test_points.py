"""``import palmares``: plain functions on facts, frames back."""

from __future__ import annotations

import io
import subprocess
import sys
import warnings
from datetime import UTC, date, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import polars as pl
import pytest

import palmares
from palmares.core.errors import FactsRejected, NotCovered, PalmaresError, PalmaresWarning, Refused
from palmares.journal.store.journal import create_journal
from palmares.points.explain import PlayerExplanation
from tests.journal import statements as say
from tests.packages import BACKGAMMON, rows, write

DAY = date(2019, 11, 15)


def frames(**other: str) -> dict[str, pl.DataFrame]:
    return {
        name: pl.read_csv(io.StringIO(dedent(text)), infer_schema=False)
        for name, text in (BACKGAMMON | other).items()
    }


@pytest.mark.parametrize("top", [0, -1, "3"])
def test_a_top_that_is_no_number_from_1_is_refused(backgammon: Path, top: Any) -> None:
    with pytest.raises(Refused, match="Write a whole number from 1"):
        palmares.rank("wbgf", palmares.read(backgammon), as_of=DAY, top=top)


FACTS = "facts"  # stands for what palmares.read returns


@pytest.mark.parametrize(
    ("function", "given", "more", "told"),
    [
        ("read", [["a.toml", "b.toml"]], {}, "Of several paths each is an argument of its own"),
        ("read", [], {}, "Name a report, a package of tables"),
        ("read", [None], {}, "A path is a text or a pathlib.Path, not None"),
        ("compare", ["wbgf", FACTS, "list.csv"], {}, "A path is a text .* of the type Facts"),
        ("award", [FACTS, "wbgf"], {}, "A regulation is a text such as"),
        ("award", ["wbgf", FACTS], {"edition": 2019}, "An edition is a text such as"),
        ("award", ["wbgf", FACTS], {"readings": ["W3"]}, "Readings are a mapping"),
        ("rank", ["wbgf", FACTS], {"nation": 5}, 'A nation is a code such as "CZE", not 5'),
        ("explain", ["wbgf", FACTS], {"player": None}, "A player is an id or a name, not None"),
        ("history", ["wbgf", FACTS], {"player": 3}, "A player is an id or a name, not 3"),
        ("read_journal", [3], {}, 'A journal is a text such as "federation.db", not 3'),
        ("read_journal", ["f.db"], {"known_at": 3}, "known_at is a day, a moment or an entry"),
        ("diff", ["wbgf", FACTS, DAY, DAY], {}, "Facts come after both lists"),
        ("diff", ["wbgf", DAY, {"players": []}, DAY], {}, "Facts come after both lists"),
    ],
)
def test_what_is_no_argument_is_refused(
    backgammon: Path, function: str, given: list[Any], more: dict[str, Any], told: str
) -> None:
    facts = palmares.read(backgammon)
    with pytest.raises(Refused, match=told):
        getattr(palmares, function)(*(facts if one is FACTS else one for one in given), **more)


class TestFunctions:
    """'palmares.award(regulation, facts, ...), palmares.rank(...), palmares.explain(...)'"""

    def test_award(self, backgammon: Path) -> None:
        found = palmares.award("wbgf", palmares.read(backgammon))
        assert isinstance(found, pl.DataFrame)
        printed = rows("award", "wbgf", backgammon)
        assert found.columns == list(printed[0])
        assert found["points"].to_list() == [row["points"] for row in printed]
        assert found["effective"].to_list() == [DAY] * 4

    def test_rank(self, backgammon: Path) -> None:
        found = palmares.rank("wbgf", palmares.read(backgammon), as_of=DAY)
        assert found.to_dicts() == rows("rank", "wbgf", backgammon, "--as-of", DAY)

    @pytest.mark.filterwarnings("ignore::palmares.core.errors.PalmaresWarning")
    def test_read_journal(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        journal = create_journal(str(tmp_path / "federation.db"))
        journal.record([say.player("P1", "Ada Novak"), say.report("T", {"P1": 1})], say.OFFICER)
        entry = journal.head()
        facts = palmares.read_journal(journal.url)
        assert palmares.rank("wbgf", facts, as_of=DAY)["player"].to_list() == ["Ada Novak"]
        for when in ("#1", date(2019, 12, 31), datetime(2019, 12, 31, tzinfo=UTC)):
            assert palmares.read_journal(journal.url, known_at=when)["placings"].is_empty()
        assert journal.head() == entry
        journal.close()

    @pytest.mark.filterwarnings("ignore::palmares.core.errors.PalmaresWarning")
    def test_rank_by_nation_and_of_a_nation(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        found = palmares.rank("wbgf", facts, as_of=DAY, by="nation", top=1)
        assert found.to_dicts() == [
            {"rank": 1, "nation": "CZE", "points": 17.245240761, "players": 1}
        ]
        of_one = palmares.rank("wbgf", facts, as_of=DAY, nation="GER")
        assert of_one["player_id"].to_list() == ["b", "d"]

    def test_explain(self, backgammon: Path) -> None:
        found = palmares.explain("wbgf", palmares.read(backgammon), player="a", as_of=DAY)
        assert isinstance(found, PlayerExplanation)
        assert (found.player, found.rank, found.nanopoints) == ("Ada Novak", 1, 17_245_240_761)

    def test_history(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        found = palmares.history("wbgf", facts, player="a", until=date(2019, 11, 30))
        expected = rows("history", "wbgf", backgammon, "--player", "a", "--until", "2019-11-30")
        assert found.with_columns(pl.col("day").cast(pl.String)).to_dicts() == expected

    def test_without_a_day_it_is_today(self, backgammon: Path) -> None:
        with pytest.warns(PalmaresWarning, match="every result has expired"):
            assert palmares.rank("wbgf", palmares.read(backgammon)).is_empty()


class TestTables:
    """'tables of any Arrow-speaking library (through Narwhals)'"""

    def test_frames(self, backgammon: Path) -> None:
        from_file = palmares.award("wbgf", palmares.read(backgammon))
        assert palmares.award("wbgf", frames()).equals(from_file)

    def test_frames_of_another_library(self) -> None:
        import narwhals as nw

        other = {name: nw.from_native(frame) for name, frame in frames().items()}
        assert len(palmares.award("wbgf", other)) == 4
        lazy = {name: frame.lazy() for name, frame in frames().items()}
        assert len(palmares.award("wbgf", lazy)) == 4

    def test_frames_with_types_of_their_own(self) -> None:
        typed = frames()
        typed["events"] = typed["events"].with_columns(
            pl.col("entrants").cast(pl.Int32), pl.col("entry_fee").cast(pl.Float64)
        )
        typed["placings"] = typed["placings"].with_columns(pl.col("rank").cast(pl.UInt8))
        typed["tournaments"] = typed["tournaments"].with_columns(pl.col("end_date").str.to_date())
        assert palmares.award("wbgf", typed).equals(palmares.award("wbgf", frames()))

    @pytest.mark.parametrize("money", [float("nan"), float("inf"), -1.0, 1e300])
    def test_money_that_is_none(self, money: float) -> None:
        typed = frames()
        typed["events"] = typed["events"].with_columns(entry_fee=pl.lit(money))
        with pytest.raises(FactsRejected, match="events:1: entry_fee is"):
            palmares.award("wbgf", typed)

    def test_problems_name_table_and_row(self) -> None:
        with pytest.raises(FactsRejected) as raised:
            palmares.award("wbgf", frames(placings="event_id,player_id,rank\nE,zz,9\n"))
        assert {problem.where for problem in raised.value.problems} == {"placings:1"}

    def test_no_table_of_ours(self) -> None:
        with pytest.raises(FactsRejected, match="placing: there is no such table"):
            palmares.award("wbgf", {"placing": frames()["placings"]})
        with pytest.raises(FactsRejected, match="list is no table"):
            palmares.award("wbgf", {"placings": []})


class TestErrorsAndWarnings:
    def test_warnings_are_warnings(self, tmp_path: Path) -> None:
        events = BACKGAMMON["events"].replace(",yes", ",no")
        package = write(tmp_path / "p", **BACKGAMMON | {"events": events})
        facts = palmares.read(package)
        with pytest.warns(PalmaresWarning, match="4 players; to qualify: at least 30") as caught:
            palmares.award("wbgf", facts)
        assert caught[0].filename == __file__

    def test_errors_are_ours(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        for wrong, kind in (
            (lambda: palmares.award("elo", facts), Refused),
            (lambda: palmares.award("wbgf", facts, edition="x"), NotCovered),
            (lambda: palmares.award("wbgf", facts, readings={"W3": "x"}), Refused),
            (lambda: palmares.rank("wbgf", facts, kind="match"), Refused),
            (lambda: palmares.rank("wbgf", facts, by="club"), Refused),
            (lambda: palmares.rank("wbgf", facts, setting="indoors"), Refused),
            (lambda: palmares.rank("wbgf", facts, nation="XQX"), Refused),
            (lambda: palmares.history("wbgf", facts, player="a", every="year"), Refused),
            (lambda: palmares.explain("wbgf", facts, player="zz"), Refused),
            (lambda: palmares.rank("wbgf", facts, as_of="31.12.2019"), Refused),
            (lambda: palmares.award("wbgf", str(backgammon)), Refused),  # type: ignore[arg-type]
            (lambda: palmares.read(backgammon / "no"), FactsRejected),
        ):
            with pytest.raises(kind) as raised:
                wrong()
            assert isinstance(raised.value, PalmaresError)

    def test_reading_makes_no_warning_where_all_is_well(self, backgammon: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            palmares.read(backgammon)


def test_importing_it_loads_nothing_heavy() -> None:
    """Polars, Numba and the rest come when they are needed."""
    code = "import sys, palmares; print(sorted({'polars', 'numba', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class TestEngine:
    """``palmares.engine``: the same functions on facts that an engine holds."""

    @pytest.mark.filterwarnings("ignore::palmares.core.errors.PalmaresWarning")
    def test_the_same_frames(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        with palmares.engine("duckdb", backgammon, workers=1, memory="1GB") as held:
            assert palmares.award("wbgf", held).equals(palmares.award("wbgf", facts))
            day = date(2020, 1, 1)
            ranked = palmares.rank("wbgf", held, as_of=day)
        assert ranked.equals(palmares.rank("wbgf", facts, as_of=day))

    def test_what_an_engine_does_not_answer(self, backgammon: Path) -> None:
        with (
            palmares.engine("duckdb", backgammon) as held,
            pytest.raises(Refused, match="An engine answers award and rank alone"),
        ):
            palmares.explain("wbgf", held, player="a")  # type: ignore[arg-type]

    def test_a_setting_that_there_is_not(self, backgammon: Path) -> None:
        with (
            pytest.raises(Refused, match="An engine has no setting colour"),
            palmares.engine("duckdb", backgammon, colour="red"),
        ):
            raise AssertionError
