"""Histories as pictures and pages: what stands in them, and that nothing hides anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from html import unescape
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring, parse
from matplotlib.text import Text

import palmares
from palmares.facts import Facts
from palmares.points.awards import Question
from palmares.points.history import History, Period, careers, history
from palmares.render.charts.history import MOST_PLAYERS, _figure, history_chart, rank_ticks
from palmares.render.charts.style import COLOURS
from palmares.render.history_page import SHADES
from tests.packages import BACKGAMMON, error, run, write
from tests.points.test_rankings import alone
from tests.season import season, written

HOSTILE = "<script>alert(1)</script> & \"Co\" 'x' $a^2$ fill: #222222"
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


def words(svg: str) -> str:
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

    @pytest.mark.parametrize("suffix", [".svg", ".png", ".html"])
    def test_the_same_bytes_at_every_run(self, package: Path, suffix: str) -> None:
        ahead = ("--ahead", "2023-06-30")
        first, second = (drawn(package, f"{one}{suffix}", *ahead) for one in "ab")
        assert first.read_bytes() == second.read_bytes()

    def test_several_are_named_at_the_ends_of_their_lines(self, facts: Facts) -> None:
        found = over_time(facts, "p19", "p05", "p00")
        last = found.frame.filter(found.frame["day"] == date(2020, 6, 30))
        figure = _figure(found)
        for axes, column in zip(figure.axes, ("points", "rank"), strict=True):
            ends = [text.get_text() for text in axes.texts if "Player" in text.get_text()]
            shown = {
                "points": [f"{nano / 1e9:.2f}" for nano in last["nanopoints"]],
                "rank": [str(rank) for rank in last["rank"]],
            }[column]
            expected = [f"{one}  {who}" for one, who in zip(shown, last["player"], strict=True)]
            assert sorted(ends) == sorted(expected)
        colours = [line.get_color() for line in figure.axes[0].get_lines()[::4]]
        assert colours == list(COLOURS[:3])

    def test_a_tournament_of_several_is_named_once(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", "2019-01-01", "10.95"), ("b", "2019-01-01", "2")])
        write(package, tournaments="""\
            tournament_id,name,discipline,end_date
            T0,The Cup,backgammon,2019-01-01
            T1,The Cup,backgammon,2019-01-01
            """)  # fmt: skip
        svg = drawn(package, "a.svg", "--player", "b").read_text(encoding="utf-8")
        assert svg.count("The Cup") == 1

    @pytest.mark.parametrize("regulation", ["wbgf", "usbgf", "dptr"])
    @pytest.mark.parametrize("players", [("p06",), ("p19", "p05", "p06", "p01", "p22", "p20")])
    def test_no_words_hide_other_words(
        self, facts: Facts, regulation: str, players: tuple[str, ...]
    ) -> None:
        found = over_time(facts, *players, regulation=regulation, ahead=date(2021, 12, 31))
        above, below = _figure(found).axes
        for axes in (above, below):
            boxes = [(text.get_text(), Text.get_window_extent(text)) for text in axes.texts]
            hidden = [
                (one, other)
                for (one, box), (other, its) in combinations(boxes, 2)
                if box.overlaps(its)
            ]
            assert hidden == []
        named = [text for text in above.texts if text.get_text().startswith("Cup")]
        inside = above.get_window_extent()
        assert len(named) > 1
        for text in named:
            box = text.get_window_extent()
            assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
            assert inside.y0 <= box.y0 <= box.y1 <= inside.y1

    def test_the_first_rank_is_on_top(self, facts: Facts) -> None:
        _, below = _figure(over_time(facts, "p19")).axes
        low, high = below.get_ylim()
        assert high < 1 < low
        assert below.get_yticks()[0] == 1

    @pytest.mark.parametrize(
        ("best", "worst", "ticks"),
        [
            (1, 1, [1]),
            (1, 3, [1, 2, 3]),
            (1, 10, [1, 4, 6, 8, 10]),
            (1, 30, [1, 10, 20, 30]),
            (210, 230, [210, 215, 220, 225, 230]),
            (1, 4_000, [1, 1000, 2000, 3000, 4000]),
        ],
    )
    def test_ticks_of_ranks(self, best: int, worst: int, ticks: list[int]) -> None:
        assert rank_ticks(best, worst) == ticks

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
        days = re.findall(r"\d{4}(?:-\d\d)*", words(file.read_text(encoding="utf-8")))
        assert 1 <= len(days) <= 9


class TestAhead:
    def test_it_is_dashed_behind_a_line(self, facts: Facts) -> None:
        found = over_time(facts, "p19", ahead=date(2020, 12, 31))
        svg = history_chart(found, ".svg").decode()
        assert "after 2020-06-30, if nobody plays" in words(svg)
        above = _figure(found).axes[0]
        solid, dashed = above.get_lines()[:2]
        assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
        assert np.asarray(solid.get_xdata())[-1] == np.asarray(dashed.get_xdata())[0]

    def test_without_it_nothing_says_so(self, facts: Facts) -> None:
        assert "if nobody plays" not in words(
            history_chart(over_time(facts, "p19"), ".svg").decode()
        )

    def test_a_triangle_on_the_axis_for_every_day_something_expires(self, facts: Facts) -> None:
        found = over_time(facts, "p19", ahead=date(2022, 12, 31))
        triangles = _figure(found).axes[0].get_lines()[3]
        assert triangles.get_marker() == "v"
        assert np.size(triangles.get_xdata()) == len(found.ended) > 5
        assert "count no more" in words(history_chart(found, ".svg").decode())


class TestPage:
    def test_it_holds_the_picture_and_no_script(self, package: Path) -> None:
        page = drawn(package, "a.html").read_text(encoding="utf-8")

        assert page.startswith("<!doctype html>")
        assert "<svg" in page
        assert "<script" not in page
        assert "http" not in re.sub(
            r'"http://(?:www\.w3\.org|purl\.org|creativecommons)[^"]*"', "", page
        )

    def test_every_step_and_what_changed_it_as_a_table(self, package: Path) -> None:
        cells = cells_of(drawn(package, "a.html"))
        points = f"{40 * 385 / 893 * (1095 - 15) / 1095:.2f}"
        assert cells[0] == ["2019-11-30", points, "1", "Prague Open", ""]
        assert cells[-2:] == [
            ["2022-11-30", "0.00", "", "", "Prague Open"],
            ["2022-12-31", "0.00", "", "", ""],
        ]

    def test_what_expires_if_nobody_plays(self, package: Path) -> None:
        file = package.parent / "a.html"
        done = run(
            "history", "wbgf", package, "--player", "a", "--until", "2019-12-15", "--ahead",
            "2022-12-31", "--chart", file,
        )  # fmt: skip
        assert done.exit_code == 0
        worth = f"{40 * 385 / 893 * (1095 - 30) / 1095:.2f}"
        assert cells_of(file)[0] == ["2022-11-14", "Prague Open", "Prague Main", worth, ""]

    def test_dark_where_the_reader_is(self, package: Path) -> None:
        """Every colour of the picture has a shade of its own on a dark page."""
        page = drawn(package, "a.html").read_text(encoding="utf-8")
        assert "prefers-color-scheme: dark" in page
        svg = page[page.index("<svg") : page.index("</svg>")]
        assert re.findall(r"#[0-9a-fA-F]{6}", "".join(re.findall("<[^<>]*>", svg))) == []
        assert len(SHADES) == len({dark for _, dark in SHADES.values()})

    def test_no_dot_is_black_by_default(self, facts: Facts) -> None:
        """An SVG leaves out the colour black; the page could not lighten it."""
        found = over_time(facts, *(f"p{number:02}" for number in (0, 1, 2, 4, 5, 19, 20)))
        page = history_chart(found, ".html").decode()
        dots = re.findall(r'<use [^>]*style="[^"]*stroke: var\(--paper\)[^"]*"', page)
        assert len(dots) > 50
        assert [dot for dot in dots if "fill: var(" not in dot] == []

    @pytest.mark.parametrize(("paper", "on"), [("#ffffff", 0), ("#17191C", 1)])
    def test_words_and_lines_stand_out_from_the_paper(self, paper: str, on: int) -> None:
        """3 to 1 for lines (WCAG 1.4.11) on dark; Okabe and Ito's lightest three are lighter."""
        for light, (name, dark) in SHADES.items():
            contrast = contrast_of((light, dark)[on], paper)
            if name == "ink":
                assert contrast > 7
            elif name == "grey":
                assert contrast > 4.5
            elif name.startswith("line"):
                assert contrast > (3 if on else 2)


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
        assert HOSTILE[:27] in words(svg)
        page = drawn(package, "a.html", "--player", "b").read_text(encoding="utf-8")
        assert "<script" not in page
        assert HOSTILE in unescape(page)
        assert HOSTILE[:27] in unescape(page[page.index("<svg") : page.index("</svg>")])

    def test_a_colour_in_a_name_keeps_its_letters(self, package: Path) -> None:
        text = (package / "players.csv").read_text(encoding="utf-8")
        (package / "players.csv").write_text(
            text.replace("Ada Novak", "style='fill: #222222'"), encoding="utf-8"
        )
        page = drawn(package, "a.html").read_text(encoding="utf-8")
        assert "style='fill: #222222'" in unescape(page[page.index("<svg") : page.index("</svg>")])

    @pytest.mark.parametrize("suffix", [".svg", ".png", ".html"])
    def test_letters_the_font_lacks_are_no_trouble(self, package: Path, suffix: str) -> None:
        for name in ("players", "tournaments"):
            text = (package / f"{name}.csv").read_text(encoding="utf-8")
            text = text.replace("Ada Novak", HAN).replace("Prague Open", HAN)
            (package / f"{name}.csv").write_text(text, encoding="utf-8")
        content = drawn(package, f"a{suffix}").read_bytes()
        assert (HAN.encode() in content) == (suffix != ".png")


class TestRefusals:
    def test_another_suffix_and_too_many_at_once_and_nothing_written(self, package: Path) -> None:
        file = package.parent / "a.bmp"
        names = [f"p{number}" for number in range(MOST_PLAYERS + 1)]
        players = [one for name in names for one in ("--player", name)]
        said = error("history", "wbgf", package, *players, "--chart", file)

        assert "A chart is .svg, .png or .html, not .bmp." in said
        assert f"A chart shows up to {MOST_PLAYERS} players, not {MOST_PLAYERS + 1}." in said
        assert not file.exists()

    def test_without_a_suffix(self, package: Path) -> None:
        said = error("history", "wbgf", package, "--player", "a", "--chart", package.parent / "a")
        assert "not without a suffix" in said


def cells_of(page: Path) -> list[list[str]]:
    """The cells of all rows of all tables."""
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r"<tr[^>]*>(<td.*?)</tr>", text)
    return [[unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]


def contrast_of(colour: str, paper: str) -> float:
    """The contrast of two colours as WCAG 2 counts it."""
    one, other = sorted((sum(_light(colour)), sum(_light(paper))), reverse=True)
    return (one + 0.05) / (other + 0.05)


def _light(colour: str) -> Iterator[float]:
    for at, weight in ((1, 0.2126), (3, 0.7152), (5, 0.0722)):
        part = int(colour[at : at + 2], 16) / 255
        yield weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
