"""Numbers and days as people write them in their language: taken where they are certain."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

from palmares.journal.store import Journal
from palmares.web.own_ways import Unclear, day, number
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


def calculated(client: Client, language: str, **typed: str) -> str:
    answer = client.get(
        f"/calculators/performance?{urlencode(typed)}", headers={"accept-language": language}
    )
    return str(answer.text)


class TestCalculators:
    """The same in each language, whichever way it is typed."""

    def test_a_fee_and_a_day_in_german(self, client: Client) -> None:
        whole = {"entrants": "64", "place": "1"}
        own = calculated(client, "de", fee="50,5", day="29.5.2011", **whole)
        plain = calculated(client, "de", fee="50.5", day="2011-05-29", **whole)
        assert 'value="50,5"' in own  # as it was typed
        assert 'aria-invalid="true"' not in own
        figures = [re.findall(r"<dd>[^<]+", page) for page in (own, plain)]
        assert len(figures[0]) > 1
        assert figures[0] == figures[1]

    def test_what_is_wrong_in_the_language_of_the_form(self, client: Client) -> None:
        page = calculated(client, "de", fee="viel", entrants="64", place="1")
        assert "Entry fee ist „viel“, keine Zahl. Schreiben Sie Ziffern und einen Punkt" in page

    def test_what_is_not_certain(self, client: Client) -> None:
        page = calculated(client, "de", fee="1.234", entrants="64", place="1")
        assert "schreiben Sie 1234 oder 1,234" in page

    def test_programs_write_as_programs_do(self, client: Client) -> None:
        path = "/calculators/performance?fee=50%2C5&entrants=64&place=1"
        told = client.get(path, headers={**JSON, **GERMAN}).json()["fields"]
        assert next(one for one in told if one["name"] == "fee")["problem"]


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
