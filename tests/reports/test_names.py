"""Names keep their letters; what stands in brackets is told apart by exact look-up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.reports.names import named, nation_table
from palmares.reports.ranks import rank_of
from palmares.reports.texts import slug, squeezed
from tests.reports.reading import nations


@pytest.mark.parametrize(
    ("text", "name", "nation", "origin", "key"),
    [
        ("Ada Novak (CZE) [n17]", "Ada Novak", "CZE", None, "n17"),
        ("Ada Novak (CZE)", "Ada Novak", "CZE", None, None),
        ("Ada  Novak", "Ada Novak", None, None, None),
        ("Ed O'Laughlin (VA)", "Ed O'Laughlin", None, "VA", None),
        ("Carlos Azcarate (CA)", "Carlos Azcarate", None, "CA", None),
        ("Tom Duggan (England)", "Tom Duggan", "ENG", None, None),
        ("Karina Langhoff de Thurah (DEN)", "Karina Langhoff de Thurah", "DNK", None, None),
        ("Christian Liebe-Harkort (GER)", "Christian Liebe-Harkort", "DEU", None, None),
        ("John Doe, Jr. (Chicago)", "John Doe, Jr.", None, "Chicago", None),
        ("Björn VON KNORRING", "Björn VON KNORRING", None, None, None),
        ("A Foe (IL) & B Doe (CA)", "A Foe (IL) & B Doe (CA)", None, None, None),
        ("[n17]", "", None, None, "n17"),
        ("(CZE) [n17]", "", "CZE", None, "n17"),
        ("(CZE)", "(CZE)", None, None, None),
    ],
)
def test_a_printed_name(
    text: str, name: str, nation: str | None, origin: str | None, key: str | None
) -> None:
    who = named(text, nations)
    assert (who.name, who.nation, who.origin, who.id) == (name, nation, origin, key)


def test_letters_are_composed() -> None:
    assert named("Gagne\u0301 (CZE)", nations).written == "Gagné (CZE)"


@given(st.text())
def test_no_text_is_too_odd_for_a_name(text: str) -> None:
    who = named(text, nations)
    assert who.id is not None or who.written == squeezed(text)


class TestTheTableOfNations:
    """'Exact look-ups only': sport codes, ISO codes in capitals, names in words."""

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("GER", "DEU"),
            ("GRE", "GRC"),
            ("ENG", "ENG"),
            ("England", "ENG"),
            ("Canada", "CAN"),
            ("BiH", "BIH"),
            ("Sam", None),
            ("HR", None),
            ("Germny", None),
            ("", None),
        ],
    )
    def test_what_stands_in_brackets(self, text: str, code: str | None) -> None:
        assert nation_table()(text) == code


@pytest.mark.parametrize(
    ("text", "rank", "tied", "shared"),
    [
        ("1", "1", None, False),
        ("3.", "3", None, False),
        ("3=", "3", None, True),
        ("=3", "3", None, True),
        ("T3", "3", None, True),
        ("3-4", "3", "2", True),
        ("3/4", "3", "2", True),
        ("5.-8.", "5", "4", True),
        ("6\u20139", "6", "4", True),
        ("7-7", "7", "1", False),
        ("2nd", "2", None, False),
    ],
)
def test_a_rank_as_people_write_it(text: str, rank: str, tied: str | None, shared: bool) -> None:
    read = rank_of(text)
    assert read is not None
    assert (read.rank, read.tied, read.shared) == (rank, tied, shared)


@pytest.mark.parametrize("text", ["", "x", "4-3", "0-4", "1.5", "-1", "DNF", "1/2/3", "9" * 5000])
def test_no_rank(text: str) -> None:
    assert rank_of(text) is None


def test_a_slug_has_no_accents_and_keeps_other_scripts() -> None:
    assert slug("5th Café “Noël” Open!") == "5th-cafe-noel-open"
    assert slug("東京 大会") == "東京-大会"
