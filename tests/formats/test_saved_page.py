"""Saved pages of the World Diplomacy Database.

The page here has the markup that programs which read the site meet there: layout in tables, rows of
the classes row_odd and row_even, some of them never closed, flags as pictures named after the codes
of the database, ISO-8859-1. Its names are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.facts.decoding import ReportTables
from palmares.formats import read_report, saved_page
from tests.formats.reading import column, places, rows
from tests.packages import run

PAGE = Path(__file__).with_name("saved_wdd.html")
TEXT = PAGE.read_text(encoding="cp1252")


def saved(folder: Path, text: str, encoding: str = "utf-8") -> ReportTables:
    """A page as it was read."""
    file = folder / "page.html"
    file.write_text(text, encoding=encoding)
    return read_report(file)


class TestATournament:
    raw = read_report(PAGE)

    def test_the_head(self) -> None:
        (tournament,), (event,) = rows(self.raw, "tournaments"), rows(self.raw, "events")
        assert tournament["name"] == event["name"] == "Harbour Autumn IV 2012"
        assert tournament["subtitle"] == "Harbour Games Weekend"
        assert (tournament["start_date"], tournament["end_date"]) == ("2012-10-13", "2012-10-14")
        assert tournament["city"] == "Port Example"
        assert (event["entrants"], event["rounds"], event["boards"]) == ("8", "2", "3")
        assert event["printed_coeff1"] == "4.29"  # 8 / 3.5 + 2

    def test_its_placings(self) -> None:
        found = [(row["rank"], row["player_id"]) for row in rows(self.raw, "placings")]
        assert found == [
            ("1", "Ada NOVÁK (USA)"),
            ("2", "Björn VON DER ELBE (DEU)"),
            ("3", "Cy O'DEE"),
            ("3", "Dora EXAMPLE"),
            ("5", "Eve FOX (FRA)"),
            ("7", "Gil HAWK"),
        ]

    def test_the_nation_is_the_player_s_and_not_where_they_live(self) -> None:
        assert column(self.raw, "placings", "nation") == ["USA", "DEU", None, None, "FRA", None]

    def test_a_code_of_several_nations_is_told_at_its_line(self) -> None:
        (notice,) = self.raw.notices
        line = next(n for n, text in enumerate(TEXT.splitlines(), 1) if "AUS.GIF" in text)
        assert notice.where == f"{PAGE}:{line}"
        assert "'AUS' may mean more than one nation" in notice.what

    def test_no_problem_with_the_scores_that_it_prints(self) -> None:
        """(8 + 0.5 - rank) / 8 * 100: 93.75, 81.25, 68.75 twice, 43.75, 18.75."""
        assert self.raw.problems == []
        wrong = read_of(TEXT.replace("<td>81.25", "<td>81.35"))
        assert "81.35" in wrong.problems[0].what

    def test_it_has_points(self) -> None:
        """40 + 4.2857 % of 93.75 - 40 = 42.30."""
        result = run("rank", "dptr", PAGE, "--as-of", "2012-12-31", "--top", "1")
        assert "1  Ada NOVÁK  USA      42.30" in result.stdout


def what(raw: ReportTables) -> list[str]:
    """What notices say."""
    return [one.what for one in raw.notices]


def read_of(text: str) -> ReportTables:
    """A page as its reader sees it."""
    from palmares.formats import diplomacy_database

    return diplomacy_database.read(text, "page.html")


class TestOtherPages:
    @pytest.mark.parametrize(
        "text",
        [
            "<html><body><p>Hello</p></body></html>",
            "<!DOCTYPE html><html><table><tr><th>Rank</th><th>Points</th></tr></table></html>",
            TEXT.replace("<th>Date</th>", "<th>When</th>"),
        ],
        ids=["text", "table", "no date"],
    )
    def test_they_are_refused_in_plain_words(self, tmp_path: Path, text: str) -> None:
        raw = saved(tmp_path, text)
        assert [one.what for one in raw.problems] == [
            "this saved page shows no tournament of the World Diplomacy Database"
        ]
        assert not raw.tables

    def test_a_page_whose_table_has_other_heads(self, tmp_path: Path) -> None:
        raw = saved(tmp_path, TEXT.replace("FirstName LastName", "Whose"))
        assert "which is the name?" in raw.problems[0].what

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("<html>" + "<a " * 200_000 + "</html>", "a tag begins here and has no end"),
            ("<html>" + "x" * saved_page.MOST_LETTERS + "</html>",
             "the page has 2,097,165 characters, and 2,097,152 are read"),
        ],
        ids=["open tags", "long"],
    )  # fmt: skip
    def test_what_is_too_much_is_said(self, tmp_path: Path, text: str, what: str) -> None:
        raw = saved(tmp_path, text)
        assert [one.what for one in raw.problems] == [what]
        assert not raw.tables

    def test_a_page_that_breaks_off_before_its_table(self, tmp_path: Path) -> None:
        raw = saved(tmp_path, TEXT[: TEXT.index("FirstName")])
        assert raw.problems[0].what == "the page breaks off before its end: rows may be missing"

    def test_among_reports_they_are_a_notice(self, tmp_path: Path) -> None:
        """Lists that we wrote as HTML may lie there."""
        (tmp_path / "wdd.html").write_bytes(PAGE.read_bytes())
        assert run("rank", "dptr", PAGE, "-o", tmp_path / "list.html").exit_code == 0
        result = run("check", tmp_path)
        assert result.exit_code == 0
        assert "list.html: this file is not read: no line above its header row" in result.stdout

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            (TEXT[: TEXT.index("FirstName")], "the page breaks off before its end"),
            (TEXT.replace("</html>", "x" * saved_page.MOST_LETTERS + "</html>"), "characters, and"),
        ],
        ids=["cut off", "long"],
    )
    def test_among_reports_a_page_that_cannot_be_read_is_a_problem(
        self, tmp_path: Path, text: str, what: str
    ) -> None:
        (tmp_path / "wdd.html").write_text(text)
        result = run("check", tmp_path)
        assert result.exit_code == 1
        assert what in result.stdout

    def test_a_page_that_breaks_off(self) -> None:
        raw = read_of(TEXT[: TEXT.index('<tr class="row_odd"><td>7')])
        assert column(raw, "placings", "rank") == ["1", "2", "3", "3", "5"]
        assert [one.what for one in raw.problems] == [
            "the page breaks off before its end: rows may be missing"
        ]


class TestWhatIsNotSure:
    def test_a_row_with_a_cell_too_few_or_too_many(self) -> None:
        row = "<td>5</td><td>Eve&nbsp;FOX</td>"
        for cells, text in ((row + "<td></td>", "5 Eve FOX"), ("<td>5</td>", "5")):
            raw = read_of(TEXT.replace(row, cells))
            assert column(raw, "placings", "rank") == ["1", "2", "3", "3", "7"]
            (problem,) = raw.problems
            assert problem.what.startswith(f"this line could not be read: '{text} "), problem.what

    def test_a_row_whose_score_is_none(self) -> None:
        """The last one, too: who is in it would get nothing."""
        assert "18.75" in TEXT
        raw = read_of(TEXT.replace("18.75", "18.Ú5"))
        assert [one.what for one in raw.problems] == [
            "this line could not be read: '7 Gil HAWK   18.Ú5'"
        ]

    def test_a_name_whose_letters_are_lost(self) -> None:
        raw = read_of(TEXT.replace("Björn", "Bj\ufffdrn"))
        assert [one.what for one in raw.problems] == [
            "letters of 'Bj\ufffdrn VON DER ELBE' were damaged on the way"
        ]

    def test_which_line_is_the_name(self) -> None:
        raw = read_of(TEXT.replace("<h4>Harbour", "<p>Sponsored</p><h4>Harbour"))
        assert "there are 3 lines above the date; which one is the name?" in raw.problems[0].what
        line = next(n for n, text in enumerate(TEXT.splitlines(), 1) if "<th>Date" in text)
        assert places(raw) == [f"page.html:{line}"]

    def test_lines_above_the_page_say_what_it_does_not(self) -> None:
        raw = read_of("rounds: 1\nname: Harbour Open\n" + TEXT.replace("4.29", "3.14"))
        assert raw.problems == []  # 8 / 7 + 2
        assert [row["name"] for row in rows(raw, "tournaments")] == ["Harbour Open"]


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
    def test_utf_8_and_what_the_page_declares(self, tmp_path: Path, encoding: str) -> None:
        raw = saved(tmp_path, TEXT, encoding)
        assert "Björn VON DER ELBE (DEU)" in column(raw, "placings", "player_id")

    def test_a_page_that_declares_none_is_asked_about(self, tmp_path: Path) -> None:
        raw = saved(tmp_path, TEXT.replace("charset=", "x="), "cp1252")
        assert "this is not UTF-8 text" in raw.problems[0].what


@given(st.text(alphabet="<>/ =\"'trdhTabl!-Rank1.5\n&;", max_size=300))
def test_no_page_is_too_odd(text: str) -> None:
    read_of("<html>" + text)


ABOVE = "name: Graz Open\nend_date: 2024-05-05\n"
TABLE = (
    "<table>\n<tr><th>Rank</th><th>Name</th><th>Nation</th></tr>\n"
    '<tr><td>1</td><td>Ada "Ace" Novak</td><td>CZE</td></tr>\n'
    "<tr><td>2</td><td>Ben Olsen</td><td>DEN</td></tr>\n</table>\n"
)


class TestATableOfPlacings:
    """A page of no database with one simple table is read as a sheet."""

    @pytest.mark.parametrize("name", ["x.html", "x.txt", "x.xml", "x.xls"])
    @pytest.mark.parametrize("page", [TABLE, f"<h1>Graz</h1>{TABLE}<p>Printed today</p>"])
    def test_it_is_read(self, tmp_path: Path, name: str, page: str) -> None:
        (tmp_path / name).write_text(ABOVE + page)
        raw = read_report(tmp_path / name)
        assert raw.problems == []
        assert column(raw, "placings", "rank") == ["1", "2"]
        assert column(raw, "players", "name") == ['Ada "Ace" Novak', "Ben Olsen"]
        assert "the text around it" in raw.notices[-1].what

    @pytest.mark.parametrize(
        "flag", ['alt="Denmark" src="7.png"', 'src="img/DEN.svg"', 'title="DEN" src="a"']
    )
    def test_a_flag_by_any_of_its_words(self, tmp_path: Path, flag: str) -> None:
        page = TABLE.replace("<td>DEN<", f"<td><img {flag}><")
        assert column(saved(tmp_path, ABOVE + page), "players", "nation")[-1] == "DNK"

    @pytest.mark.parametrize(
        ("head", "name"),
        [
            ("<title>Results | Graz</title><h1>12th <b>Graz</b>\nMasters &amp; Co</h1>",
             "12th Graz Masters & Co"),
            ("<title>Graz Open</title>", "Graz Open"),
            ("<p>Graz</p>", "unnamed"),
        ],
    )  # fmt: skip
    def test_its_heading_is_taken_for_the_name(self, tmp_path: Path, head: str, name: str) -> None:
        raw = saved(tmp_path, f"<html>{head}{TABLE}<h1>Links</h1>")
        assert column(raw, "tournaments", "name") == [name]
        told = f"'{name}' is taken for the tournament's name"
        assert (told in [notice.what for notice in raw.notices]) == (name != "unnamed")

    def test_a_name_above_the_page_goes_before_its_heading(self, tmp_path: Path) -> None:
        raw = saved(tmp_path, f"{ABOVE}<h1>Results</h1>{TABLE}")
        assert column(raw, "tournaments", "name") == ["Graz Open"]
        assert raw.title == ""

    def test_a_problem_is_at_its_line(self, tmp_path: Path) -> None:
        raw = saved(tmp_path, ABOVE + TABLE.replace("<td>2<", "<td>second<"))
        assert [place.rpartition(":")[2] for place in places(raw)] == ["6"]

    @pytest.mark.parametrize(
        ("page", "words"),
        [
            (TABLE.replace("<td>1", '<td rowspan="2">1'), "spans several rows or columns"),
            (TABLE.replace("</table>", ""), "the table breaks off"),
            (TABLE + TABLE.replace("Olsen", "Berg"), "the page has several tables of placings"),
            (2 * "<table><tr><td>1</td><td>Ada</td></tr></table>", "several tables of placings"),
            (TABLE.replace("Ben Olsen", "Ben Olsen<br>Cy Fox"), "has several lines: Ben Olsen Cy"),
            (TABLE.replace("<td>2", "<td><s>2</s>"), "something in the table is struck out"),
            (
                TABLE.replace("<tr><td>2", '<tr style="display: none"><td>2'),
                "a row of the table is hidden",
            ),
            ("<table><tr><td>a</td><td>b</td></tr></table></html>", "no tournament of the World"),
        ],
    )
    def test_any_other_is_refused(self, tmp_path: Path, page: str, words: str) -> None:
        assert words in saved(tmp_path, ABOVE + page).problems[0].what
