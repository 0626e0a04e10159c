"""Histories as pictures: what stands in them, for whom, and in which colours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring, parse

import palmares
from palmares.facts import Facts
from palmares.journal.store.journal import create_journal
from palmares.points.awards import Question
from palmares.points.history import History, Period, careers, history
from palmares.render.charts import LINES, PAINT, Chart, draw
from palmares.render.history_chart import ENDED, MOST_PLAYERS, _ticks, players_chart
from tests.journal.reports import prague
from tests.packages import BACKGAMMON, error, run, write
from tests.points.test_rankings import alone
from tests.season import season, written

HOSTILE = "<script>alert(1)</script> & \"Co\" 'x' $a^2$ {datum.day}"
HAN = "\u674e\u5c0f\u9f99"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write(tmp_path / "season", **BACKGAMMON)
    return tmp_path / "season"


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    return palmares.read(written(season(2019), tmp_path_factory.mktemp("season")))


def over_time(
    facts: Facts, *players: str, regulation: str = "wbgf", ahead: date | None = None
) -> History:
    period = Period(until=date(2020, 6, 30), ahead=ahead)
    return history(careers(Question(regulation=regulation), facts, players, period))


def words(svg: str | bytes) -> str:
    return " ".join(fromstring(svg).itertext())


def drawn(package: Path, name: str, *more: str, player: str = "a") -> Path:
    file = package.parent / name
    asked = ("--player", player, "--until", "2022-12-31", *more, "--chart", str(file))
    done = run("history", "wbgf", str(package), *asked)
    assert done.exit_code == 0, done.output
    return file


class TestPicture:
    def test_the_svg_names_player_regulation_and_tournament(self, package: Path) -> None:
        said = "".join(parse(drawn(package, "a.svg")).getroot().itertext())

        assert "Ada Novak" in said
        assert "WBGF Backgammon World Ranking" in said
        assert "Prague Open" in said
        assert "points" in said
        assert "rank" in said

    def test_the_png_is_one(self, package: Path) -> None:
        assert drawn(package, "a.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")

    @pytest.mark.parametrize("suffix", [".svg", ".png"])
    def test_the_same_bytes_at_every_run(self, package: Path, suffix: str) -> None:
        ahead = ("--ahead", "2023-06-30")
        first, second = (drawn(package, f"{one}{suffix}", *ahead) for one in "ab")
        assert first.read_bytes() == second.read_bytes()

    def test_it_says_that_events_wait(self, tmp_path: Path) -> None:
        """A journal has no rate of the CFA franc of the second tournament"""
        journal = str(tmp_path / "x.db")
        create_journal(journal).close()
        money = {"end_date   = 2019-11-15": 'end_date   = 2019-11-16\ncurrency = "XAF"'}
        for report in (prague(tmp_path), prague(tmp_path, "xaf.toml", **money)):
            run("add", report, "--journal", journal, "--author", "Otto", "--yes")
        chart = tmp_path / "ada.svg"
        asked = ("--journal", journal, "--player", "Ada Novak", "--until", "2019-12-31")
        assert run("history", "wbgf", *asked, "--chart", chart).exit_code == 0
        assert "1 event waits and is not in this picture" in words(chart.read_bytes())

    def test_several_are_named_with_their_last_points_and_ranks(self, facts: Facts) -> None:
        found = over_time(facts, "p19", "p05", "p00")
        last = found.frame.filter(found.frame["day"] == date(2020, 6, 30))
        names = [
            f"{who}: {nanopoints / 1e9:.2f} points, rank {rank}"
            for who, nanopoints, rank in last.select("player", "nanopoints", "rank").iter_rows()
        ]
        chart = players_chart(found)
        for part in (0, 1):
            scale = layers(chart, part)[0]["encoding"]["color"]["scale"]
            assert scale == {"domain": names, "range": LINES[:3]}
        told = words(draw(chart, "svg"))
        assert [name for name in names if name not in told] == []

    def test_one_has_the_last_points_and_rank_below_the_name(self, facts: Facts) -> None:
        found = over_time(facts, "p19")
        *_, nanopoints, rank = found.line.row(-1)
        title = players_chart(found)["title"]
        assert title["text"] == "Player 19: WBGF Backgammon World Ranking"
        assert title["subtitle"] == f"{nanopoints / 1e9:.2f} points, rank {rank} on 2020-06-30"

    def test_a_tournament_of_several_is_named_once(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", "2019-01-01", "10.95"), ("b", "2019-01-01", "2")])
        write(package, tournaments="""\
            tournament_id,name,discipline,end_date
            T0,The Cup,backgammon,2019-01-01
            T1,The Cup,backgammon,2019-01-01
            """)  # fmt: skip
        svg = drawn(package, "a.svg", "--player", "b").read_text(encoding="utf-8")
        assert words(svg).count("The Cup") == 1

    @pytest.mark.parametrize("players", [("p06",), ("p19", "p05", "p06", "p01", "p22", "p20")])
    def test_names_stand_apart(self, facts: Facts, players: tuple[str, ...]) -> None:
        chart = players_chart(over_time(facts, *players, ahead=date(2021, 12, 31)))
        (named,) = (one for one in layers(chart, 0) if type_of(one) == "text")
        days = sorted(date.fromisoformat(row["day"]) for row in named["data"]["values"])
        assert len(days) > 1
        whole = days[-1] - days[0]
        assert all(after - day > whole / 40 for day, after in pairwise(days))

    def test_the_axis_of_a_rating_begins_where_the_rating_does(self, facts: Facts) -> None:
        """Ratings between 48 and 62 on an axis from 0 are a flat line."""
        examples = palmares.read(Path(__file__).parents[2] / "examples" / "diplomacy")
        rating = over_time(examples, "Andy BARTALONE", regulation="dptr")
        for found, from_zero in ((rating, False), (over_time(facts, "p19"), True)):
            y = layers(players_chart(found), 0)[0]["encoding"]["y"]
            assert y["scale"]["zero"] is from_zero
        svg = draw(players_chart(rating), "svg").decode()
        labels = [float(text) for text in re.findall(r">(\d+)</text>", svg)]
        assert not [label for label in labels if 10 < label < 48]
        assert 62 in labels

    def test_the_first_rank_is_on_top(self, facts: Facts) -> None:
        y = layers(players_chart(over_time(facts, "p19")), 1)[0]["encoding"]["y"]
        assert y["scale"]["reverse"]
        assert y["axis"]["values"][0] == 1

    @pytest.mark.parametrize(
        ("ranks", "ticks"),
        [
            ([], []),
            ([1], [1]),
            ([3, 1], [1, 2, 3]),
            ([1, 10], [1, 3, 5, 7, 9]),
            ([210, 230], [210, 214, 218, 222, 226, 230]),
        ],
    )
    def test_ticks_of_ranks_are_whole(self, ranks: list[int], ticks: list[int]) -> None:
        assert _ticks(ranks) == ticks

    def test_a_gap_where_a_player_is_on_no_list(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", "2015-01-01", "5"), ("a", "2019-01-01", "5")])
        asked = Question(regulation="wbgf"), palmares.read(package)
        found = history(careers(*asked, ["a"], Period(until=date(2019, 3, 1))))
        ended = str(found.ended["day"][0])
        rows = players_chart(found)["data"]["values"]
        at_the_end = [(row["points"], row["rank"]) for row in rows if row["day"] == ended]
        assert at_the_end == [(0.0, 1), (None, None)]  # the last rank lasts until the gap begins

    @pytest.mark.parametrize(
        "asked",
        [
            ("--since", "9999-12-31", "--until", "9999-12-31"),
            ("--since", "0001-01-01", "--until", "2019-11-15"),
            ("--until", "2019-11-15", "--every", "day"),  # a single day
            ("--until", "2019-11-19", "--every", "day"),
            ("--until", "2019-11-30", "--ahead", "9999-12-31"),
            *(("--until", day) for day in ("2020-01-14", "2020-02-20", "2021-02-01", "2022-12-01")),
        ],
    )
    def test_of_whatever_length(self, package: Path, asked: tuple[str, ...]) -> None:
        file = package.parent / "a.svg"
        done = run("history", "wbgf", package, "--player", "a", *asked, "--chart", file)
        assert done.exit_code == 0, done.output
        told = [one.text or "" for one in fromstring(file.read_text(encoding="utf-8")).iter()]
        days = [one for one in told if re.fullmatch(r"\d+ \w{3}|(\w{3} )?\d{4}", one)]
        assert 2 <= len(days) <= 18  # on two axes
        assert [one for one in told if one.endswith(("AM", "PM"))] == []


class TestAhead:
    def test_it_is_dashed_behind_a_line(self, facts: Facts) -> None:
        until = "2020-06-30"
        chart = players_chart(over_time(facts, "p19", ahead=date(2020, 12, 31)))
        assert f"dashed: after {until}, if nobody plays" in words(draw(chart, "svg"))
        rows = chart["data"]["values"]
        assert max(row["day"] for row in rows if not row["ahead"]) == until
        assert min(row["day"] for row in rows if row["ahead"]) == until
        for part in (0, 1):
            (rule,) = (
                one["data"]["values"]
                for one in layers(chart, part)
                if type_of(one) == "rule" and "encoding" not in one
            )
            assert rule == [{"day": until}]

    def test_without_it_nothing_says_so(self, facts: Facts) -> None:
        chart = players_chart(over_time(facts, "p19"))
        assert "if nobody plays" not in words(draw(chart, "svg"))
        assert "strokeDash" not in layers(chart, 0)[0]["encoding"]

    def test_a_triangle_for_every_day_something_expires(self, facts: Facts) -> None:
        found = over_time(facts, "p19", ahead=date(2022, 12, 31))
        chart = players_chart(found)
        marks = layers(chart, 0)[-1]["data"]["values"]
        triangles = [mark["day"] for mark in marks if mark["what"] == ENDED]
        assert triangles == [str(day) for day in found.ended["day"]]
        assert len(triangles) > 5
        assert ENDED in words(draw(chart, "svg"))


class TestColours:
    def test_words_and_lines_stand_out_from_the_paper(self) -> None:
        """4.5 to 1 for words, 3 to 1 for lines (WCAG 1.4.3 and 1.4.11)."""
        for name, least in (("ink", 7), ("quiet", 4.5), ("accent", 3), ("other", 3)):
            assert contrast_of(PAINT[name], PAINT["paper"]) > least
        assert [one for one in LINES if contrast_of(one, PAINT["paper"]) < 3] == []
        assert len({*LINES}) == MOST_PLAYERS


class TestNames:
    def test_hostile_ones_stay_words(self, package: Path) -> None:
        for name, first in (("players", "player_id"), ("tournaments", "tournament_id")):
            text = (package / f"{name}.csv").read_text(encoding="utf-8")
            quoted = '"' + HOSTILE.replace('"', '""') + '"'
            (package / f"{name}.csv").write_text(
                text.replace("Ada Novak", quoted).replace("Prague Open", quoted), encoding="utf-8"
            )
            assert first in text
        svg = drawn(package, "a.svg", "--player", "b").read_text(encoding="utf-8")
        assert "<script" not in svg
        assert HOSTILE in words(svg)

    @pytest.mark.parametrize("suffix", [".svg", ".png"])
    def test_letters_the_font_lacks_are_no_trouble(self, package: Path, suffix: str) -> None:
        for name in ("players", "tournaments"):
            text = (package / f"{name}.csv").read_text(encoding="utf-8")
            text = text.replace("Ada Novak", HAN).replace("Prague Open", HAN)
            (package / f"{name}.csv").write_text(text, encoding="utf-8")
        content = drawn(package, f"a{suffix}").read_bytes()
        assert (HAN.encode() in content) == (suffix != ".png")


class TestRefusals:
    @pytest.mark.parametrize("suffix", [".bmp", ".html", ".pdf"])
    def test_another_suffix_and_nothing_written(self, package: Path, suffix: str) -> None:
        file = package.parent / f"a{suffix}"
        said = error("history", "wbgf", package, "--player", "a", "--chart", file)
        assert f"A picture is .svg or .png, not {suffix}." in said
        assert not file.exists()

    def test_too_many_at_once_and_nothing_written(self, package: Path) -> None:
        file = package.parent / "a.svg"
        names = [f"p{number}" for number in range(MOST_PLAYERS + 1)]
        players = [one for name in names for one in ("--player", name)]
        said = error("history", "wbgf", package, *players, "--chart", file)
        assert f"A chart shows up to {MOST_PLAYERS} players, not {MOST_PLAYERS + 1}." in said
        assert not file.exists()

    def test_without_a_suffix(self, package: Path) -> None:
        said = error("history", "wbgf", package, "--player", "a", "--chart", package.parent / "a")
        assert "not without a suffix" in said


def layers(chart: Chart, part: int) -> list[Chart]:
    """The layers of the points, or of the ranks."""
    found: list[Chart] = chart["vconcat"][part]["layer"]
    return found


def type_of(layer: Chart) -> Any:
    """What a layer is drawn as."""
    return layer["mark"]["type"]


def contrast_of(colour: str, paper: str) -> float:
    """The contrast of two colours as WCAG 2 counts it."""
    one, other = sorted((sum(_light(colour)), sum(_light(paper))), reverse=True)
    return (one + 0.05) / (other + 0.05)


def _light(colour: str) -> Iterator[float]:
    for at, weight in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        part = int(colour[at : at + 2], 16) / 255
        yield weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
