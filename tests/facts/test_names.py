"""Names keep their letters; what stands in brackets is told apart by exact look-up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.facts.decoding import slug
from palmares.facts.names import parse_name, printed_nation
from palmares.facts.text import squeezed
from palmares.formats.lines import rank_of


@pytest.mark.parametrize(
    ("text", "name", "nation", "origin", "key"),
    [
        ("Ada Novak (CZE) [n17]", "Ada Novak", "CZE", None, "n17"),
        ("Ada Novak (CZE)", "Ada Novak", "CZE", None, None),
        ("Ada  Novak", "Ada Novak", None, None, None),
        ("Ada Novak\uff08CZE\uff09\uff3bn17\uff3d", "Ada Novak", "CZE", None, "n17"),
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
    who = parse_name(text)
    assert (who.name, who.nation, who.origin, who.id) == (name, nation, origin, key)


def test_letters_are_composed() -> None:
    assert parse_name("Gagne\u0301 (CZE)").written == "Gagné (CZE)"


def close(text: str) -> str:
    """A text without spaces, which stand before a bracket or not, and without empty brackets."""
    return squeezed(text).replace(" ", "").replace("()", "")


@given(st.text() | st.text(alphabet="ab ,&()[].JrCZEIL"))
def test_no_text_is_too_odd_for_a_name(text: str) -> None:
    """A text without a comma is what it was; what is made of one is a name once and for all."""
    who = parse_name(text)
    if who.id is None:
        same = close(who.written) == close(text)
        assert "," in text or same or who.nation or " & " in text
        assert parse_name(who.written).written == who.written


class TestCommas:
    """'`Li Wei, CHN` and `Martin, Jean-Luc` are read as meant or asked about.'"""

    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("Li Wei, CHN", "Li Wei (CHN)"),
            ("Li Wei, China", "Li Wei (CHN)"),
            ("Ben Olsen, DEN", "Ben Olsen (DNK)"),
            ("Gaz Owen, England", "Gaz Owen (ENG)"),
            ("Novak, CZE", "Novak (CZE)"),
            ("NOVAK, Ada CZE", "Ada NOVAK (CZE)"),
            ("Ed Foe, IL", "Ed Foe (IL)"),
            ("Martin, Jean-Luc", "Jean-Luc Martin"),
            ("Martin, Jean-Luc (FRA)", "Jean-Luc Martin (FRA)"),
            ("Martin, Jean-Luc, FRA", "Jean-Luc Martin (FRA)"),
            ("van der Berg, Jan", "Jan van der Berg"),
            ("O'Neil, J. P.", "J. P. O'Neil"),
            ("BARTALONE, Andy", "Andy BARTALONE"),
            ("Foe, Ed, Jr.", "Ed Foe, Jr."),
            ("Ed Foe, Jr. (IL)", "Ed Foe, Jr. (IL)"),
            ("Foe, Ed & Goo, Ben (DEN)", "Ed Foe & Ben Goo (DNK)"),
        ],
    )
    def test_what_is_clear(self, text: str, written: str) -> None:
        who = parse_name(text)
        assert (who.written, who.unclear) == (written, False)

    @pytest.mark.parametrize(
        "text",
        [
            "Ada Novak, Ben Olsen", "Ada Novak, Prague", "LEE, SAM", "Smith, Georgia", "Novak,",
            ", Novak", "Garcia Marquez, Gabriel", "Novak, Ada, Eva", "Li Wei, CHN (DEU)",
            "Novak, born in the year of the dog", "Novak, 5", "Van der Berg, Jan",
            "NOVAK, ADA CZE",
        ],
    )  # fmt: skip
    def test_what_is_not(self, text: str) -> None:
        assert parse_name(text).unclear


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
        assert printed_nation(text) == code


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
