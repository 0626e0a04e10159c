"""Days as people write them above their lists."""

from __future__ import annotations

from datetime import date

import pytest

from palmares.formats.days import days_within, spans_of
from palmares.formats.sheets import placings
from tests.formats.reading import column
from tests.formats.sheets.test_workbook import workbook

LIST = "1 Ada Novak (CZE)\n2 Ben Olsen (DEN)\n"
FIRST, LAST = date(2019, 12, 6), date(2019, 12, 8)


@pytest.mark.parametrize(
    "text",
    [
        "2019-12-08", "2019-12-08 00:00:00", "8 December 2019", "8th of December, 2019",
        "December 8, 2019", "Dec 8 2019", "8. Dezember 2019", "8 décembre 2019",
        "8 de diciembre de 2019", "8 dicembre 2019", " 8 DEC 2019 ", "Sunday, 8 December 2019",
        "So., 8. Dezember 2019", "dimanche 8 décembre 2019", "domingo 8 de diciembre de 2019",
    ],
)  # fmt: skip
def test_one_day(text: str) -> None:
    assert spans_of(text) == [(LAST, LAST)]


@pytest.mark.parametrize(
    "text",
    [
        "6-8 December 2019", "6.–8. Dezember 2019", "December 6-8, 2019", "6 to 8 December 2019",
        "6 December - 8 December 2019", "December 6 – December 8, 2019",
        "6 December 2019 - 8 December 2019", "Fri 6 Dec - Sun 8 Dec 2019", "Fri 6-8 December 2019",
        "Freitag, 6. bis Sonntag, 8. Dezember 2019", "Fr 6-8 Dez 2019",
        "du 6 au 8 décembre 2019", "del 6 al 8 de diciembre de 2019", "dal 6 all'8 dicembre 2019",
        "vom 6. bis 8. Dezember 2019", "from the 6th to the 8th of December 2019",
    ],
)  # fmt: skip
def test_several_days(text: str) -> None:
    assert spans_of(text) == [(FIRST, LAST)]


@pytest.mark.parametrize(
    "text",
    [
        "du 1er au 3 janvier 2020", "del 1 al 3 de enero de 2020", "dal 1º al 3 gennaio 2020",
        "1er-3 janvier 2020", "le 1er janvier au 3 janvier 2020", "del 1.º al 3 de enero de 2020",
    ],
)  # fmt: skip
def test_an_ordinal_at_the_head(text: str) -> None:
    assert spans_of(text) == [(date(2020, 1, 1), date(2020, 1, 3))]


def test_a_new_year() -> None:
    assert spans_of("30 December 2019 - 1 January 2020") == [(date(2019, 12, 30), date(2020, 1, 1))]


@pytest.mark.parametrize("mark", ["/", ".", "-"])
def test_day_and_month_in_numbers(mark: str) -> None:
    """One number above 12 is the day; else either may be it, unless both are the same."""
    either = [(date(2019, 8, 12),) * 2, (date(2019, 12, 8),) * 2]
    assert spans_of(mark.join(["08", "12", "2019"])) == either
    assert spans_of(mark.join(["13", "12", "2019"])) == [(date(2019, 12, 13),) * 2]
    assert spans_of(mark.join(["12", "13", "2019"])) == [(date(2019, 12, 13),) * 2]
    assert spans_of(mark.join(["8", "8", "2019"])) == [(date(2019, 8, 8),) * 2]


@pytest.mark.parametrize(
    "text",
    [
        "", "soon", "8 December", "December 2019", "31 February 2019", "8 jui 2019", "43807",
        "8 December 19", "Sam December 2019", "8-6 December 2019", "1/2/3", "Graz Open 2019",
        "8 December 2019 Ada", "٨ December 2019", "Monday, 8 December 2019",
        "Fri 6 Dec - Mon 8 Dec 2019",
    ],
)  # fmt: skip
def test_no_day(text: str) -> None:
    assert spans_of(text) == []


class TestAboveAList:
    @pytest.mark.parametrize(
        "line",
        [
            "Date: 8 December 2019", "date = 2019-12-08", "Date | 8 December 2019",
            "Datum: 8. Dezember 2019", "Date\t13/12/2019", "date,2019-12-08", "8 December 2019",
            "# Date: December 8, 2019", '"Date","December 8, 2019"',
        ],
    )  # fmt: skip
    def test_the_last_day(self, line: str) -> None:
        raw = placings.read(f"Graz Open\n{line}\n{LIST}".encode(), "x.txt")
        last = "2019-12-13" if "13" in line else "2019-12-08"
        assert raw.problems == []
        assert column(raw, "tournaments", "end_date") == [last]
        assert column(raw, "tournaments", "start_date") == [None]

    def test_the_first_day(self) -> None:
        raw = placings.read(f"Graz Open\nDates: 6-8 December 2019\n{LIST}".encode(), "x.txt")
        assert column(raw, "tournaments", "start_date") == ["2019-12-06"]
        assert column(raw, "tournaments", "end_date") == ["2019-12-08"]

    @pytest.mark.parametrize(
        ("line", "days"),
        [
            ("Graz Open, 6-8 December 2019", "2019-12-06 2019-12-08"),
            ("Chicago, May 28-30, 2011", "2011-05-28 2011-05-30"),
            ("Graz Open (6.-8. Dezember 2019), Graz", "2019-12-06 2019-12-08"),
            ("Graz, from Fri 6 December 2019 to Sun 8 December 2019", "2019-12-06 2019-12-08"),
            ("Graz 25.06.2011 Final", "2011-06-25 2011-06-25"),
            ("Graz 05/06/2011", ""),  # may be two days
            ("Graz Open 17.-19.1.2020", "2020-01-17 2020-01-19"),
            ("26th Chicago Open 2011", ""),
        ],
    )
    def test_days_among_other_words(self, line: str, days: str) -> None:
        span, _ = days_within(line) or ((), "")
        assert " ".join(day.isoformat() for day in span) == days

    def test_a_date_that_can_be_two_is_asked(self) -> None:
        raw = placings.read(f"Graz Open\nDate | 08/12/2019\n{LIST}".encode(), "x.txt")
        (problem,) = raw.problems
        assert problem.where == "x.txt:2"
        assert problem.what == "'08/12/2019' may be 2019-08-12 or 2019-12-08"
        assert "'end_date: 2019-08-12' or 'end_date: 2019-12-08'" in problem.remedy
        answered = placings.read(
            f"Graz Open\nDate | 08/12/2019\n{LIST}".encode(),
            "x.txt",
            tournament={"end_date": "2019-12-08"},
        )
        assert answered.problems == []
        assert column(answered, "tournaments", "end_date") == ["2019-12-08"]

    def test_a_date_that_is_none(self) -> None:
        raw = placings.read(f"Graz Open\nDate: next week\n{LIST}".encode(), "x.txt")
        assert [problem.what for problem in raw.problems] == [
            "'next week' is not understood as a date"
        ]

    def test_a_date_beside_another(self) -> None:
        head = "name: Graz Open\nend_date: 2019-12-08\n"
        raw = placings.read(f"{head}Date: 9 December 2019\n{LIST}".encode(), "x.txt")
        assert raw.problems == []
        assert [notice.what for notice in raw.notices] == [
            "'9 December 2019' is not read: end_date says 2019-12-08"
        ]
        same = placings.read(f"{head}Date: 8 December 2019\n{LIST}".encode(), "x.txt")
        assert same.notices == []

    def test_a_cell_of_a_workbook(self) -> None:
        rows: list[list[object]] = [
            ["Graz Open"], ["Date", date(2019, 12, 8)], ["Rank", "Name"], [1, "Ada"],
        ]  # fmt: skip
        raw = placings.read(workbook(rows), "x.xlsx")
        assert raw.problems == []
        assert column(raw, "tournaments", "end_date") == ["2019-12-08"]
