"""
Regulations as pages: the text's order and words, its numbers, and what an edition changed.

The editions of the USBGF differ as the sheets say: the factor 0.6, two event types, the quick
reference, two readings.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from palmares.regulations import regulations
from palmares.regulations.editions import editions
from palmares.web.regulations.views import Piece, pieces
from tests.web.conftest import Client
from tests.web.visits import JSON


def asked(client: Client, path: str) -> Any:
    """A page as JSON; as HTML it is there, too."""
    assert client.get(path).status_code == 200
    return client.get(path, headers=JSON).json()


class TestOneEdition:
    def test_every_sheet_is_told_whole(self, visitor: Client) -> None:
        listed = asked(visitor, "/regulations")["regulations"]
        assert [one["regulation"] for one in listed] == list(regulations())
        for one in listed:
            for head in one["editions"]:
                page = asked(visitor, f"/regulations/{one['regulation']}/{head['edition']}")
                (sheet,) = (
                    held for held in editions(one["regulation"]) if held.id == head["edition"]
                )
                told = page["clauses"]
                assert [clause["clause"] for clause in told] == list(sheet.clauses)
                for part, names in (
                    ("constants", sheet.constants),
                    ("tables", sheet.tables),
                    ("readings", sheet.readings),
                ):
                    assert sum(len(clause[part]) for clause in told) == len(names)
                assert page["sha256"] == sheet.sha256

    def test_numbers_stand_by_their_clause_with_units(self, visitor: Client) -> None:
        page = asked(visitor, "/regulations/wbgf")
        by_name = {one["clause"]: one for one in page["clauses"]}
        assert by_name["grade"]["constants"] == [
            {"name": "euros_per_grade", "value": "100", "unit": "euro / grade"}
        ]
        assert by_name["super-jackpot"]["constants"][0]["value"] == "1/3"
        (table,) = by_name["format-factor"]["tables"]
        assert table["columns"] == ["main", "consolation", "last_chance"]
        assert list(table["rows"].items())[1] == (
            "Main and Consolation only", ["0.75", "0.25", ""]
        )  # fmt: skip
        html = visitor.get("/regulations/wbgf").text
        assert "euro / grade" in html
        assert by_name["wr"]["says"] in html

    @pytest.mark.parametrize("name", regulations())
    def test_what_computes_stands_beside_its_clause(self, visitor: Client, name: str) -> None:
        module = import_module(regulations()[name].module)
        source = Path(str(module.__file__)).read_text("utf-8").splitlines(keepends=True)
        for clause in asked(visitor, f"/regulations/{name}")["clauses"]:
            functions = clause["functions"]
            assert functions or clause["kind"] != "computes"
            for one in functions:
                assert one["module"] == module.__name__
                lines = one["code"].splitlines(keepends=True)
                assert source[one["line"] - 1 :][: len(lines)] == lines
                assert f'@clause("{name} {clause["clause"]}"' in lines[0]
        html = visitor.get("/regulations/dptr").text
        assert "palmares.regulations.dptr, line " in html

    def test_the_edition_in_force(self, visitor: Client) -> None:
        """The day of the tests is 31 January 2020."""
        page = asked(visitor, "/regulations/usbgf")
        assert page["edition"] == "2019-01"
        (new, old) = page["editions"]
        assert (new["current"], new["in_force"], new["until"]) == (True, "2019-01-01", None)
        assert (old["current"], old["in_force"], old["until"]) == (
            False,
            "2015-05-01",
            "2018-12-31",
        )

    @pytest.mark.parametrize(
        "path", ["/regulations/nope", "/regulations/usbgf/2016", "/regulations/usbgf/compare?a=x"]
    )
    def test_what_is_not_there(self, visitor: Client, path: str) -> None:
        assert visitor.get(path).status_code == 404


class TestTwoEditions:
    def test_only_differences(self, visitor: Client) -> None:
        page = asked(visitor, "/regulations/usbgf/compare?a=2015-05&b=2019-01")
        assert (page["words"], page["numbers"], page["readings"]) == (2, 3, 2)
        rows = {one["clause"]: one for one in page["clauses"]}
        assert set(rows) == {"quick-reference", "rank-points", "event-size-factor", "event-level"}
        (factor,) = rows["rank-points"]["numbers"]
        assert (factor["before"], factor["after"], factor["change"]) == ("1", "0.6", "changed")
        assert [
            (one["what"], one["before"], one["after"]) for one in rows["event-level"]["numbers"]
        ] == [
            ("event_levels, online: Circuit Monthly", "2", "3"),
            ("event_levels, online: Divisional", "3", "2"),
        ]
        assert "0.6 * </ins>" in visitor.get("/regulations/usbgf/compare").text

    def test_each_part_of_the_page_has_a_name_of_its_own(self, visitor: Client) -> None:
        html = visitor.get("/regulations/usbgf/compare").text
        regions = re.findall('role="region" tabindex="0" aria-label="([^"]*)"', html)
        assert regions == [
            "Numbers of this clause: rank-points",
            "Numbers of this clause: event-level",
        ]

    def test_the_other_way_round(self, visitor: Client) -> None:
        page = asked(visitor, "/regulations/usbgf/compare?a=2019-01&b=2015-05")
        rows = {one["clause"]: one for one in page["clauses"]}
        assert rows["quick-reference"]["change"] == "gone"
        assert rows["event-level"]["change"] == "same"  # its numbers differ, not its words
        assert len(rows["event-level"]["numbers"]) == 2

    def test_one_edition_alone(self, visitor: Client) -> None:
        page = asked(visitor, "/regulations/wbgf/compare")
        assert page["before"] == page["after"]
        assert page["clauses"] == []

    def test_words(self) -> None:
        assert pieces("one two three", "one four three") == (
            Piece(kind="same", text="one "),
            Piece(kind="out", text="two "),
            Piece(kind="in", text="four "),
            Piece(kind="same", text="three"),
        )
        assert pieces("", "new") == (Piece(kind="in", text="new"),)


class TestLanguages:
    """Readings are our words; what they quote of a regulation is English."""

    @pytest.mark.parametrize(
        ("language", "silent", "we"),
        [
            (
                "de",
                'Was <span lang="en">“Leap days are ignored”</span> für das Alter bedeutet.',
                "einfache Tage zählen und durch 1095 teilen",
            ),
            (
                "fr",
                'L’effet de <span lang="en">“Leap days are ignored”</span> sur l’âge.',
                "compter tous les jours et diviser par 1095",
            ),
        ],
    )
    def test_readings(self, visitor: Client, language: str, silent: str, we: str) -> None:
        asked_in = {"accept-language": language}
        edition = visitor.get("/regulations/wbgf", headers=asked_in).text
        working = visitor.get(
            "/calculators/performance?entrants=2&day=2019-11-15", headers=asked_in
        ).text
        assert silent in edition
        assert we in edition
        assert "count plain days" not in edition
        assert "unique players" not in working
        assert "N_main" in working

    def test_what_changed(self, visitor: Client) -> None:
        page = visitor.get("/regulations/usbgf/compare", headers={"accept-language": "de"}).text
        assert "Wir: es gilt die Formel der Rangpunkte" in page
        assert '<span lang="en">“The Event Size Factor is' in page
        assert "the formula of the Rank Points governs" not in page

    def test_programs_read_english(self, visitor: Client) -> None:
        headers = JSON | {"accept-language": "de"}
        page = visitor.get("/regulations/usbgf/compare", headers=headers).json()
        (reading,) = next(
            one["readings"] for one in page["clauses"] if one["clause"] == "event-size-factor"
        )
        assert "We: the formula of the Rank Points governs (since" in reading["after"]
