"""Somebody's printed list is read as it stands, or refused with every problem and its line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xlsxwriter import Workbook

from palmares.core.errors import FactsRejected, Problem
from palmares.formats.printed_lists import (
    NANO,
    RULES,
    PrintedList,
    PrintedPoints,
    PrintedRow,
    column,
    evened,
    points_of,
    read,
)
from tests.formats.printing import printed


def listed(folder: Path, text: str, name: str = "list.csv", **more: str) -> PrintedList:
    """A list read from a file with that text."""
    (folder / name).write_text(text, encoding="utf-8")
    return read(folder / name, **more)


def problems(folder: Path, text: str) -> list[str]:
    """What is wrong with a list: the line and the words of each problem."""
    with pytest.raises(FactsRejected) as caught:
        listed(folder, text)
    return [f"{one.where.rpartition('list.csv')[2]} {one.what}" for one in caught.value.problems]


class TestSheet:
    def test_columns_may_stand_in_any_order_under_common_words(self, tmp_path: Path) -> None:
        found = listed(tmp_path, "Pts,Country,Place,Player,Club\n12.5,CZE,1.,Ada Novak,X\n")
        (row,) = found.rows
        assert (row.line, row.rank, row.name, row.nation) == (2, 1, "Ada Novak", "CZE")
        assert row.points == PrintedPoints("12.5", 125, 1)
        assert found.ignored == ("Club",)
        assert set(found.columns) == {"points", "nation", "rank", "name"}

    def test_lines_of_title_may_stand_above(self, tmp_path: Path) -> None:
        text = "Ranking of the federation\nas of 31 December; final\n\nRank;Name;Points\n1;Ada;3\n"
        (row,) = listed(tmp_path, text).rows
        assert (row.line, row.name) == (5, "Ada")

    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    def test_columns_are_separated_by_any_common_mark(self, tmp_path: Path, delimiter: str) -> None:
        text = f"Name{delimiter}Points\nAda{delimiter}12.25\n"
        assert [row.points.units for row in listed(tmp_path, text).rows] == [1225]

    def test_first_and_last_name_are_one_name(self, tmp_path: Path) -> None:
        text = "Vorname;Nachname;Punkte\nAda;Novak;1\n"
        assert [row.name for row in listed(tmp_path, text).rows] == ["Ada Novak"]

    @pytest.mark.parametrize(
        ("cell", "rank"), [("3", 3), ("3=", 3), ("T3", 3), ("=3", 3), ("3-4", 3), ("", None)]
    )
    def test_ranks_as_people_write_them(self, tmp_path: Path, cell: str, rank: int | None) -> None:
        (row,) = listed(tmp_path, f"Rank,Name,Points\n{cell},Ada,1\n").rows
        assert row.rank == rank

    @pytest.mark.parametrize(
        ("written", "nation"),
        [("Ada,CZE", "CZE"), ("Ada,Czechia", "CZE"), ("Ada,CZ", "CZE"), ("Ada (CZE),", "CZE"),
         ("Ada,", None), ("Ada,Narnia", None)],
    )  # fmt: skip
    def test_nations_by_code_or_name(
        self, tmp_path: Path, written: str, nation: str | None
    ) -> None:
        (row,) = listed(tmp_path, f"Name,Nation,Points\n{written},1\n").rows
        assert row.nation == nation

    def test_an_id_stands_for_a_name(self, tmp_path: Path) -> None:
        (row,) = listed(tmp_path, "Member No,Points\n17,1.5\n").rows
        assert (row.id, row.name) == ("17", "17")

    def test_a_workbook_is_the_same(self, tmp_path: Path) -> None:
        with Workbook(tmp_path / "list.xlsx") as book:
            sheet = book.add_worksheet()
            sheet.write_row(0, 0, ["World ranking"])
            sheet.write_row(2, 0, ["Rank", "Name", "Points"])
            sheet.write_row(3, 0, [1, "Ada", 12.25])
        (row,) = read(tmp_path / "list.xlsx").rows
        assert (row.line, row.rank, row.name, row.points.units) == (4, 1, "Ada", 1225)


class TestWithoutHeadings:
    """A line begins with the rank and ends with the points; anything else is named by its line."""

    @pytest.mark.parametrize(
        ("text", "rows"),
        [
            ("1. Tom Dugan (ENG) 1234.5\n", [(1, "Tom Dugan", "ENG", "1234.5")]),
            ("1 Ada Novak 37.41\n=2 Ben Olsen 30\nT2 Cy Young 30.00\n",
             [(1, "Ada Novak", None, "37.41"), (2, "Ben Olsen", None, "30"),
              (2, "Cy Young", None, "30.00")]),
            ("1\tAda Novak\tCZE\t37,41\n2\tBen Olsen\t\t30,5\n",
             [(1, "Ada Novak", "CZE", "37,41"), (2, "Ben Olsen", None, "30,5")]),
            ("1  Ada Novak   Czechia  37.41\n2  Ben Olsen   Norway   30.10\n",
             [(1, "Ada Novak", "CZE", "37.41"), (2, "Ben Olsen", "NOR", "30.10")]),
            ("1. Ada Novak\t37.41\n", [(1, "Ada Novak", None, "37.41")]),
            ("1;Ada Novak;1.234,5\n", [(1, "Ada Novak", None, "1.234,5")]),
            ("1,Ada Novak,CZE,12.5\n", [(1, "Ada Novak", "CZE", "12.5")]),
            ("1) Ada Novak [n17] - 12.5 pts\n2) Ben ..... 3 Punkte\n3) Cy: -3.5\n",
             [(1, "Ada Novak", None, "12.5"), (2, "Ben", None, "3"), (3, "Cy", None, "-3.5")]),
            ("1. Ada Novak, CZE, 3.5\n", [(1, "Ada Novak", "CZE", "3.5")]),
            ("1 \u200bAda No\u00advak\u200f 3.5\n", [(1, "Ada Novak", None, "3.5")]),
            ("World ranking\nRank Player Points\n\n1 Ada 2.5\n", [(1, "Ada", None, "2.5")]),
        ],
    )  # fmt: skip
    def test_rank_first_and_points_last(
        self, tmp_path: Path, text: str, rows: list[tuple[int, str, str | None, str]]
    ) -> None:
        read_rows = listed(tmp_path, text).rows
        assert [(row.rank, row.name, row.nation, row.points.text) for row in read_rows] == rows

    def test_a_workbook_is_the_same(self, tmp_path: Path) -> None:
        with Workbook(tmp_path / "list.xlsx") as book:
            sheet = book.add_worksheet()
            sheet.write_row(0, 0, [1, "Ada", "CZE", 12.25])
            sheet.write_row(1, 0, ["2.", "Ben", "NOR", 11])
        rows = read(tmp_path / "list.xlsx").rows
        assert [(row.rank, row.name, row.nation, row.points.units) for row in rows] == [
            (1, "Ada", "CZE", 1225), (2, "Ben", "NOR", 1100),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("1 Ada 3.5\nBen 3\n3 Cy\n4 Dee 1\nPage 1 of 2\n",
             [":2 no rank, name and points in 'Ben 3'", ":3 no rank, name and points in '3 Cy'",
              ":5 no rank, name and points in 'Page 1 of 2'"]),
            ("1 Ada 12 37.41\n2 Ben 30.5\n", [":1 no rank, name and points in '1 Ada 12 37.41'"]),
            ("1\tAda\t12\t37.41\n", [":1 columns 3 and 4 all hold numbers; which are the points?"]),
            ("1,Ada,37,41\n2,Ben,36\n",
             [":1 columns 3 and 4 all hold numbers; which are the points?"]),
            ("1\tAda\tNovak\t37.4\n", [":1 columns 2 and 3 all hold words; which is the name?"]),
            ("Ben Olsen 40\n2 Ada 3.5\n", [":1 no rank, name and points in 'Ben Olsen 40'"]),
            ("1 Ben Olsen\n1 Ada 3.5\n", [":1 no rank, name and points in '1 Ben Olsen'"]),
            ("1 Ada 1,234\n", [(":1 '1,234' may have decimals or thousands, and no other line shows"
                                " which")]),
            ("Rank,Name,Events\n1,Ada,12\n",
             [" none of the first 20 lines names the columns; the first is: Rank | Name | Events"]),
            ("Rank Name Events\n1 Ada 12\n",
             [" none of the first 20 lines names the columns; the first is: Rank Name Events"]),
        ],
    )  # fmt: skip
    def test_what_cannot_be_read_is_named(self, tmp_path: Path, text: str, told: list[str]) -> None:
        assert problems(tmp_path, text) == told


class TestProblems:
    def test_all_are_told_at_once_with_their_lines(self, tmp_path: Path) -> None:
        text = "Rank,Name,Points\n1,Ada,12.5\nfirst,Ben,11\n3,,10\n4,Cy,many\n5,Dee,\n6,Eva,1,5\n"
        assert problems(tmp_path, text) == [
            ":7 more cells than the header row has",
            ":4 this line names no player",
            ":5 'many' are no points",
            ":6 there are no points in this line",
            ":3 'first' is not a rank",
        ]

    @pytest.mark.parametrize(
        ("line", "told"),
        [
            ("Page 1 of 2,,", ":3 this line names no player"),
            ("* as of May", ":3 this line names no player"),
            ("Rank,Name,Points", ":3 there is another header row: Rank | Name | Points"),
        ],
    )
    def test_a_line_that_is_no_player_is_one_problem(
        self, tmp_path: Path, line: str, told: str
    ) -> None:
        assert problems(tmp_path, f"Rank,Name,Points\n1,Ada,12.5\n{line}\n2,Ben,11\n") == [told]

    @pytest.mark.parametrize(
        "text",
        [
            "| 1 | Ada | 12.5 |\n| 2 | Ben | 11 |\n",
            (
                "+---+---+---+\n| Rank | Name | Points |\n+---+---+---+\n| 1 | Ada | 12.5 |\n"
                "| 2 | Ben | 11 |\n+---+---+---+\n"
            ),
            (
                "<html><table><tr><th>Rank<th>Name<th>Points</tr>\n<tr><td>1<td>Ada<td>12.5</tr>"
                "<tr><td>2<td>Ben<td>11</tr></table></html>"
            ),
        ],
    )
    def test_a_table_in_bars_or_of_a_page(self, tmp_path: Path, text: str) -> None:
        rows = [(row.rank, row.name, row.points.units) for row in listed(tmp_path, text).rows]
        assert rows == [(1, "Ada", 125), (2, "Ben", 110)]

    @pytest.mark.parametrize(
        ("table", "told"),
        [
            ("<tr><td>1<td>Ada<td>12.5</tr>", "no table of this page has a row that names its"),
            ("<tr><th>Name<th>Points<tr><td rowspan=2>Ada<td>1", "a cell of the table spans"),
            ("<tr><th>Name<th>Points<tr><td>Ada<td><s>1</s>", "something in the table is struck"),
        ],
    )
    def test_a_page_without_a_simple_table(self, tmp_path: Path, table: str, told: str) -> None:
        (problem,) = problems(tmp_path, f"<html><table>{table}</table></html>")
        assert told in problem

    @pytest.mark.parametrize(
        ("text", "what"),
        [
            ("a,b\n1,2\n", " none of the first 20 lines names the columns; the first is: a | b"),
            ("Name,Points\n", " there is no line under the header row"),
            ("Name,Pts,Total\nAda,1,1\n", ":1 'Pts' and 'Total' both look like the points"),
            ("", " the file is empty"),
            ('Name,Points\n"Ada,1\n', ":2 this is not CSV: unexpected end of data"),
        ],
    )
    def test_what_is_no_list_is_refused(self, tmp_path: Path, text: str, what: str) -> None:
        assert problems(tmp_path, text) == [what]

    def test_a_workbook_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "list.xlsx").write_bytes(b"PK\x03\x04 and no more")
        with pytest.raises(FactsRejected, match="no Excel workbook at all"):
            read(tmp_path / "list.xlsx")

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.csv", tmp_path):
            with pytest.raises(FactsRejected):
                read(path)

    def test_numbers_that_may_be_two_are_not_guessed(self, tmp_path: Path) -> None:
        text = 'Name,Points\nAda,"1,234"\nBen,"1,100"\n'
        (told,) = problems(tmp_path, text)
        assert told == ":2 '1,234' may have decimals or thousands, and no other line shows which"
        assert [row.points.units for row in listed(tmp_path, text, mark="comma").rows] == [
            1234,
            1100,
        ]
        assert [row.points.places for row in listed(tmp_path, text, mark="comma").rows] == [3, 3]
        assert [row.points.places for row in listed(tmp_path, text, mark="point").rows] == [0, 0]


class TestColumn:
    @pytest.mark.parametrize(
        ("cells", "units", "places"),
        [
            (["12.34", "1,234.50"], [1234, 123450], [2, 2]),
            (["12,34", "1.234,50"], [1234, 123450], [2, 2]),
            (["1.234", "12,3"], [1234, 123], [0, 1]),
            (["1,234", "12.3"], [1234, 123], [0, 1]),
            (["1'234.5", "7"], [12345, 7], [1, 0]),
            (["1 234,5", "7"], [12345, 7], [1, 0]),
            (["0.345", "12.345"], [345, 12345], [3, 3]),
            (["-3", "+4", "\u22125"], [-3, 4, -5], [0, 0, 0]),
            ([".5", "1e-05"], [5, 1], [1, 5]),
        ],
    )
    def test_one_way_of_writing_for_all(
        self, cells: list[str], units: list[int], places: list[int]
    ) -> None:
        found = column(cells)
        assert not found.wrong
        assert not found.doubtful
        assert [(one.units, one.places) for one in found.points if one] == list(
            zip(units, places, strict=True)
        )

    def test_the_few_who_write_otherwise_are_wrong(self) -> None:
        found = column(["1.5", "2.5", "3,5"])
        assert found.wrong == (
            (2, "'%(text)s' is not a number with a decimal point, as the others have"),
        )

    @pytest.mark.parametrize(
        "cell", ["", "x", "1.2.3", "12,34,5", "1 23", "٣", "1" * 61, "1." + "0" * 31, ".", "5."]
    )
    def test_what_is_no_number(self, cell: str) -> None:
        assert points_of(cell, "point") is None

    def test_zeros_that_a_program_dropped_are_there(self) -> None:
        typed = (("1.25", 125, 2), ("1.5", 15, 1), ("2.75", 275, 2), ("1.125", 1125, 3))
        found = evened([PrintedPoints(*one) for one in typed])
        assert [one.units for one in found] == [125, 150, 275, 1125]
        assert [one.places for one in found] == [2, 2, 2, 3]


class TestBounds:
    """A printed number says between which numbers the exact one is."""

    @pytest.mark.parametrize(
        ("exact", "rule", "units"),
        [
            ("2.345", "half up", 235), ("2.345", "half even", 234), ("2.345", "cut off", 234),
            ("2.355", "half up", 236), ("2.355", "half even", 236), ("2.355", "cut off", 235),
            ("2.349999999", "half up", 235), ("2.349999999", "cut off", 234),
            ("-2.345", "half up", -235), ("-2.345", "half even", -234), ("-2.349", "cut off", -234),
            ("0.004", "half up", 0), ("-0.004", "cut off", 0), ("0.005", "half even", 0),
        ],
    )  # fmt: skip
    def test_by_hand(self, exact: str, rule: str, units: int) -> None:
        weight = int(Fraction(exact) * NANO)
        assert printed(weight, 1, 2, rule) == units
        low, high = PrintedPoints("", units, 2).bounds(rule, 1)
        assert low <= weight <= high

    @pytest.mark.parametrize(
        ("units", "rule", "bounds"),
        [  # of 12.34 and 12.35, in billionths
            (1234, "half up", (12_335_000_000, 12_344_999_999)),
            (1234, "half even", (12_335_000_000, 12_345_000_000)),
            (1235, "half even", (12_345_000_001, 12_354_999_999)),
            (1234, "cut off", (12_340_000_000, 12_349_999_999)),
            (1234, "unrounded", (1, 0)),
            (0, "half up", (-4_999_999, 4_999_999)),
        ],
    )
    def test_their_ends(self, units: int, rule: str, bounds: tuple[int, int]) -> None:
        assert PrintedPoints("", units, 2).bounds(rule, 1) == bounds

    def test_a_number_in_full_is_ours_to_a_billionth_an_award(self) -> None:
        full = PrintedPoints("1.23456789012", 123456789012, 11)
        assert full.bounds("unrounded", 1, 2) == (1_234_567_889, 1_234_567_892)

    @given(
        weight=st.integers(-(10**16), 10**16),
        parts=st.sampled_from([1, 3, 1095, 1096]),
        places=st.integers(0, 12),
        rule=st.sampled_from([one for one in RULES if one != "unrounded"]),
    )
    def test_what_a_rule_prints_is_within_its_bounds(
        self, weight: int, parts: int, places: int, rule: str
    ) -> None:
        low, high = PrintedPoints("", printed(weight, parts, places, rule), places).bounds(
            rule, parts
        )
        assert low <= weight <= high
        if places < 9:  # and what is a whole unit away is not
            unit = parts * NANO // 10**places
            assert not low <= weight + 2 * unit + 1 <= high
            assert not low <= weight - 2 * unit - 1 <= high

    def test_points_as_billionths(self) -> None:
        assert PrintedPoints("12.34", 1234, 2).nanopoints == 12_340_000_000
        assert PrintedPoints("", 123_456_789_05, 10).nanopoints == 1_234_567_891


CELLS = st.sampled_from(
    ["", "1", "2=", "Ada", "Ben (CZE)", "[x]", "CZE", "12.5", "1,234", '"', '"12,5"', "Name",
     "Rank", "Points", "-", "٣", "\x00", "n", "\u2212", "1e-05", "First", "Last", "9" * 70]
)  # fmt: skip


@given(
    rows=st.lists(st.lists(CELLS, max_size=5), max_size=6),
    delimiter=st.sampled_from([",", ";", "\t"]),
    header=st.booleans(),
)
def test_any_text_is_read_or_refused_with_a_remedy(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], delimiter: str, header: bool
) -> None:
    lines = [["Rank", "Name", "Points"]] * header + rows
    path = tmp_path_factory.mktemp("any") / "list.csv"
    path.write_text("\n".join(delimiter.join(row) for row in lines), encoding="utf-8")
    told: Sequence[Problem] = ()
    read_rows: Sequence[PrintedRow] = ()
    try:
        read_rows = read(path).rows
    except FactsRejected as refused:
        told = refused.problems
    assert bool(told) != bool(read_rows)
    assert all(one.remedy and one.where.startswith(str(path)) for one in told)
    assert all(row.name and row.points.text for row in read_rows)
