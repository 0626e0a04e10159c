"""Numbers and days as people write them in their language: taken where they are certain."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from palmares.journal.store import Journal
from palmares.web.own_ways import Unclear, day, number
from tests.journal.statements import OFFICER, player, report
from tests.web.conftest import AsRole, Client
from tests.web.test_director import look
from tests.web.test_officer import desk
from tests.web.visits import JSON

GERMAN = {"accept-language": "de"}


@pytest.mark.parametrize(
    ("language", "text", "plain"),
    [
        ("de", "50,5", "50.5"),
        ("de", "1.234,5", "1234.5"),
        ("de", "12.345.678", "12345678"),
        ("de", "-3,25", "-3.25"),
        ("de", "50.5", "50.5"),
        ("fr", "1\u202f234,5", "1234.5"),
        ("fr", "1 234,5", "1234.5"),
        ("fr", "1.234", "1.234"),
        ("en", "1,234.5", "1234.5"),
        ("en", "50,5", "50,5"),
        ("de", "12,34,5", "12,34,5"),
        ("de", "1e5", "1e5"),
        ("de", "nan", "nan"),
        ("de", "1_0", "1_0"),
        ("de", "\u0663,\u0665", "\u0663,\u0665"),
        ("", "1,234.5", "1,234.5"),
    ],
)
def test_numbers(language: str, text: str, plain: str) -> None:
    assert number(language, text) == plain


@pytest.mark.parametrize(
    ("language", "text", "plain"),
    [
        ("de", "29.5.2011", "2011-05-29"),
        ("de", "29.05.2011", "2011-05-29"),
        ("de", "29. Mai 2011", "2011-05-29"),
        ("fr", "29/05/2011", "2011-05-29"),
        ("fr", "1er ao\u00fbt 2011", "2011-08-01"),
        ("en", "29 May 2011", "2011-05-29"),
        ("en", "29/05/2011", "2011-05-29"),
        ("en", "05/29/2011", "2011-05-29"),
        ("en", "05/05/2011", "2011-05-05"),
        ("fr", "05/29/2011", "05/29/2011"),
        ("de", "29.5.11", "29.5.11"),
        ("de", "31.2.2011", "31.2.2011"),
        ("de", "2011-05-29", "2011-05-29"),
        ("", "29.5.2011", "29.5.2011"),
    ],
)
def test_days(language: str, text: str, plain: str) -> None:
    assert day(language, text) == plain


def test_what_can_mean_two_things_is_refused_with_both() -> None:
    with pytest.raises(Unclear, match=r"'1\.234' can be two numbers: write 1234 or 1,234\."):
        number("de", "1.234")
    with pytest.raises(Unclear, match="can be two days: write 2011-04-05 or 2011-05-04"):
        day("en", "05/04/2011")


FEE = {"entrants": "2", "place": "1", "day": "2019-11-15"}
"""10 × the grade × 2 players × 1.75 of 2.75, as in tests/web/test_calculators.py: a fee of 50.5 has
the grade 0.505, so 6.427; one of 1000 has 5 at most, so 63.636."""


def filled(client: Client, language: str, **typed: str) -> Any:
    """What the form of a calculator sends, by hand; where it leads to."""
    form = client.get("/calculators/performance", headers={"accept-language": language}).text
    assert f'name="typed" value="{language}"' in form
    return client.get(
        "/calculators/performance",
        params={**FEE, **typed, "typed": language},
        headers={"accept-language": language},
    )


def address(answer: Any) -> str:
    """Where an answer stands."""
    return str(answer.url.raw_path.decode())


def problem(told: Any, name: str) -> Any:
    return next(one["problem"] for one in told["fields"] if one["name"] == name)


class TestCalculators:
    """Typed in an own way, an address is the same to everybody."""

    @pytest.mark.parametrize(
        ("language", "fee", "day", "plain", "points"),
        [
            ("de", "50,5", "15.11.2019", "fee=50.5", 6.427),
            ("en", "1,000", "15 Nov 2019", "fee=1000", 63.636),
            ("fr", "1\u202f000", "15/11/2019", "fee=1000", 63.636),
            ("de", "50.5", "2019-11-15", "fee=50.5", 6.427),
        ],
    )
    def test_a_fee_and_a_day(
        self, client: Client, language: str, fee: str, day: str, plain: str, points: float
    ) -> None:
        page = filled(client, language, fee=fee, day=day)
        assert (
            address(page) == f"/calculators/performance?entrants=2&place=1&day=2019-11-15&{plain}"
        )
        assert 'aria-invalid="true"' not in page.text
        told = client.get(address(page), headers=JSON).json()
        assert told["nanopoints"] / 10**9 == pytest.approx(points, abs=0.0005)

    @pytest.mark.parametrize("fee", ["1,000", "1.000", "50,5", "2.5"])
    def test_an_address_is_the_same_in_every_language(self, client: Client, fee: str) -> None:
        path = f"/calculators/performance?{urlencode({**FEE, 'fee': fee})}"
        told = client.get(path, headers=JSON).json()
        right = problem(told, "fee") is None
        assert right == ("," not in fee)  # as programs write it
        for language in ("en", "de", "fr"):
            page = client.get(path, headers={"accept-language": language})
            assert (address(page), page.status_code) == (path, 200)
            assert ('id="wrong-fee"' not in page.text) == right

    def test_what_is_wrong_in_the_language_of_the_form(self, client: Client) -> None:
        page = filled(client, "de", fee="viel")
        assert (
            "Entry fee ist „viel“, keine Zahl. Schreiben Sie Ziffern und einen Punkt" in page.text
        )

    def test_what_is_not_certain(self, client: Client) -> None:
        page = filled(client, "de", fee="1.234", day="15.11.2019")
        assert "schreiben Sie 1234 oder 1,234" in page.text
        assert 'value="1.234"' in page.text  # as it was typed
        assert 'value="15.11.2019"' in page.text
        told = client.get(address(page), headers=JSON).json()
        assert problem(told, "fee") == "'1.234' can be two numbers: write 1234 or 1,234."
        assert "two numbers" in client.get(address(page), headers={"accept-language": "en"}).text

    def test_a_field_that_is_left_empty_stays_so(self, client: Client) -> None:
        typed = {"boards": "16", "margin": "", "points": "12,5", "typed": "de"}
        page = client.get("/calculators/victory-points", params=typed)
        assert address(page) == "/calculators/victory-points?boards=16&margin=&points=12.5"

    def test_a_language_that_there_is_not(self, client: Client) -> None:
        odd = client.get("/calculators/performance", params={**FEE, "fee": "50.5", "typed": "tlh"})
        assert odd.status_code == 400


class TestForms:
    def test_the_form_of_a_report(self, as_role: AsRole) -> None:
        dita = as_role("director")
        answer = dita.post("/director/submissions", data={"form": "1"}, follow_redirects=False)
        address = answer.headers["location"]
        fields = {"name": "Graz", "end_date": "19.1.2020", "0.entry_fee": "50,5", "version": "1"}
        dita.post(address, data=fields, headers=GERMAN)
        form = look(dita, address)["form"]
        values = {one["name"]: one["value"] for one in form["fields"] + form["events"][0]["fields"]}
        assert (values["end_date"], values["0.entry_fee"]) == ("2020-01-19", "50.5")
        unclear = {**fields, "0.entry_fee": "1.500", "version": "2"}
        page = dita.post(address, data=unclear, headers=GERMAN)
        assert page.status_code == 422
        assert "schreiben Sie 1500 oder 1,500" in page.text
        assert 'value="1.500"' in page.text  # nothing that was typed is lost
        assert look(dita, address)["version"] == 2

    def test_numbers_that_the_form_has_printed(self, as_role: AsRole) -> None:
        """1,137 is kept as 1.137 and printed so, which in German is 1137, too."""
        dita = as_role("director")
        dita.headers.update({"accept": "text/html", **GERMAN})
        answer = dita.post("/director/submissions", data={"form": "1"}, follow_redirects=False)
        address = answer.headers["location"]
        fields = {"name": "Graz", "eur_per_unit": "1,137"}
        dita.post(address, data={**fields, "version": "1"})
        assert 'name="eur_per_unit" value="1.137"' in dita.get(address).text
        again = {"name": "Graz Open", "eur_per_unit": "1.137", "version": "2"}
        assert dita.post(address, data=again, follow_redirects=False).status_code == 303
        stale = dita.post(address, data={**fields, "version": "2"})  # in another window
        assert stale.status_code == 409
        assert 'name="plain"' in stale.text
        once_more = {"name": "Linz", "eur_per_unit": "1.138", "plain": "1", "version": "3"}
        assert dita.post(address, data=once_more, follow_redirects=False).status_code == 303
        (rate,) = (
            one["value"]
            for one in look(dita, address)["form"]["rare"]
            if one["name"] == "eur_per_unit"
        )
        assert rate == "1.138"
        unclear = {"name": "Linz", "eur_per_unit": "1.139", "version": "4"}
        assert dita.post(address, data=unclear).status_code == 422  # this was typed

    def test_a_rate(self, journal: Journal, as_role: AsRole) -> None:
        officer = desk(journal, as_role)
        typed = {"currency": "CZK", "day": "2019-01-05", "eur_per_unit": "0,04", "source": ""}
        page = officer.post("/officer/decisions/rate", data=typed, headers=GERMAN)
        assert page.status_code == 200
        assert "0.04" in page.text

    @pytest.mark.parametrize(
        ("table", "row", "column", "typed", "plain"),
        [
            ("events", "event_id = T1/main", "entry_fee", "50,5", "50.5"),
            ("events", "event_id = T1/main", "entrants", "1.024", ""),
            ("tournaments", "tournament_id = T1", "end_date", "14.12.2019", "2019-12-14"),
            ("tournaments", "tournament_id = T1", "name", "14.12.2019", "14.12.2019"),
        ],
    )
    def test_a_cell_of_a_report(
        self, journal: Journal, as_role: AsRole, table: str, row: str, column: str,
        typed: str, plain: str,
    ) -> None:  # fmt: skip
        """By the kind of its column: a fee, a whole number, a day, a name."""
        journal.record([player("P1", "Ada Novak", "CZE"), report("T1", {"P1": 1})], OFFICER)
        officer = as_role("officer")
        cell = {"tournament": "T1", "table": table, "row": row, "column": column, "reason": "typo"}
        page = officer.post(
            "/officer/decisions/override", data={**cell, "value": typed}, headers=GERMAN
        )
        if plain:
            assert page.status_code == 200
            assert f"{column} {plain}; typo" in page.text
        else:
            assert page.status_code == 422
            assert "schreiben Sie 1024 oder 1,024" in page.text

    def test_rates_in_lines(self, journal: Journal, as_role: AsRole) -> None:
        officer = desk(journal, as_role)
        lines = "CZK; 5.1.2019; 0,04\nCZK; 6.1.2019; 1.234"
        page = officer.post("/officer/decisions/rates", data={"lines": lines}, headers=GERMAN)
        assert page.status_code == 422
        assert "Zeile 2, Spalte 3 (Euro je Einheit)" in page.text
        lines = lines.replace("1.234", "0,05")
        page = officer.post("/officer/decisions/rates", data={"lines": lines}, headers=GERMAN)
        assert page.status_code == 200
        assert "2019-01-06" in page.text
        assert "0.05" in page.text
