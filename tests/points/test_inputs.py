"""Facts as a regulation sees them."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from palmares.facts import Facts
from palmares.facts.packages import read_package
from palmares.points import award_table, inputs
from palmares.regulations import get_regulation
from palmares.regulations.model import Tournament
from tests.packages import BACKGAMMON, rows, write
from tests.points.test_master_points import ladder
from tests.season import season, written


def seen(package: Path, name: str = "wbgf") -> list[Tournament]:
    return inputs.tournaments(read_package(package), get_regulation(name))


class TestTournaments:
    def test_in_the_order_of_time(self, backgammon: Path) -> None:
        """By end date, then start date (the end date where there is none), then id."""
        write(
            backgammon,
            tournaments="""\
                tournament_id,name,start_date,end_date
                D,4,,2019-03-02
                C,3,2019-03-01,2019-03-02
                B,2,2019-02-28,2019-03-02
                A,1,2019-01-01,2019-03-03
                T,0,,2019-01-01
                """,
        )
        assert [one.tournament_id for one in seen(backgammon)] == ["T", "B", "C", "D", "A"]

    def test_what_is_left_empty(self, backgammon: Path) -> None:
        (one,) = seen(backgammon)
        assert (one.setting, one.currency, one.start_date) == ("live", "EUR", None)
        assert one.end_date == date(2019, 11, 15)
        assert str(one.where).endswith("tournaments.csv:2")

    def test_money_is_exact(self, backgammon: Path) -> None:
        write(backgammon, events=BACKGAMMON["events"].replace(",100,", ",0.1,"))
        (event,) = seen(backgammon)[0].events
        assert event.entry_fee == Fraction(1, 10)

    def test_a_rate_is_looked_for_only_where_money_matters(self, backgammon: Path) -> None:
        assert seen(backgammon)[0].rate is not None
        assert seen(backgammon, "usbgf")[0].rate is None

    @pytest.mark.parametrize(
        ("text", "divisions"), [("", ()), ("1", (1,)), ("2+3", (2, 3)), ("10", (10,))]
    )
    def test_divisions(self, backgammon: Path, text: str, divisions: tuple[int, ...]) -> None:
        events = f"event_id,tournament_id,name,entrants,division_rank\nE,T,Main,4,{text}\n"
        write(backgammon, events=events)
        (event,) = seen(backgammon)[0].events
        assert event.division_ranks == divisions


@pytest.mark.parametrize("many", [0, inputs.COLUMNS_FROM], ids=["columns", "rows"])
class TestFlights:
    @pytest.fixture(autouse=True)
    def cut(self, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
        """Flights are cut out of columns, or made row by row."""
        monkeypatch.setattr(inputs, "COLUMNS_FROM", many)

    def flights(self, package: Path) -> dict[str, Any]:
        (event,) = seen(package)[0].events
        return {one.name: one for one in event.flights}

    def test_a_main_without_a_row_has_the_entrants_of_its_event(self, backgammon: Path) -> None:
        """'never count rows to get entrants'"""
        write(backgammon, events=BACKGAMMON["events"].replace(",4,", ",40,"))
        main = self.flights(backgammon)["main"]
        assert (main.entrants, len(main.players), main.format) == (40, 4, "")

    def test_a_row_of_its_own_wins(self, backgammon: Path) -> None:
        write(backgammon, flights="event_id,flight,entrants,format\nE,main,39,swiss\n")
        main = self.flights(backgammon)["main"]
        assert (main.entrants, main.format) == (39, "swiss")

    def test_placings_by_rank_then_id_with_how_many_share(self, backgammon: Path) -> None:
        write(backgammon, placings="event_id,player_id,rank\nE,d,2\nE,c,4\nE,b,2\nE,a,1\n")
        main = self.flights(backgammon)["main"]
        assert main.players == ["a", "b", "d", "c"]
        assert main.ranks == [1, 2, 2, 4]
        assert main.tied == [1, 2, 2, 1]

    def test_tied_counts_those_who_are_not_listed(self, backgammon: Path) -> None:
        """'tied = how many share the rank, unlisted included'; (220 + 160 + 128)/3 of 893"""
        write(backgammon, placings="event_id,player_id,rank,tied\nE,a,1,\nE,b,2,3\n")
        assert self.flights(backgammon)["main"].tied == [1, 3]
        second = rows("award", "wbgf", backgammon)[1]
        assert second["points"] == pytest.approx(40 * (220 + 160 + 128) / 3 / 893, abs=1e-9)

    def test_main_comes_first_and_others_last(self, tmp_path: Path) -> None:
        package = ladder(tmp_path / "p")
        assert list(self.flights(package)) == ["main", "consolation", "last_chance"]

    def test_an_event_without_placings_still_has_its_field(self, backgammon: Path) -> None:
        (backgammon / "placings.csv").unlink()
        assert self.flights(backgammon)["main"].entrants == 4


@pytest.mark.parametrize("name", ["wbgf", "usbgf"])
def test_rows_give_what_columns_give(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    facts, regulation = read_package(written(season(3, 100), tmp_path)), get_regulation(name)
    made = []
    for many in (0, 10**6):
        monkeypatch.setattr(inputs, "COLUMNS_FROM", many)
        made.append(repr(inputs.tournaments(facts, regulation)))
    assert made[0] == made[1]


class TestPeople:
    def facts(self, directory: Path) -> Facts:
        return read_package(
            write(
                directory,
                players="player_id,name,nation,withheld\na,Ada,CZE,yes\nb,Ben,,no\n",
                memberships="player_id,federation,level,start,end\n"
                "a,usbgf,Basic,2019-01-01,\na,usbgf,,2015-01-01,2015-12-31\n",
            )
        )

    def test_a_withheld_name_is_not_shown(self, tmp_path: Path) -> None:
        people = award_table.people(self.facts(tmp_path))
        assert people == {"a": ("(withheld)", "CZE"), "b": ("Ben", None)}

    def test_memberships_the_earliest_first(self, tmp_path: Path) -> None:
        (held,) = inputs.memberships(self.facts(tmp_path)).values()
        assert [(one.level, one.start.year, one.end) for one in held] == [
            ("", 2015, date(2015, 12, 31)),
            ("Basic", 2019, None),
        ]
