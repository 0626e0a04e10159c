"""Numbers and days as people write them in their language: taken where they are certain."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from palmares.web.http.localized_input import Unclear, day, number
from tests.web.conftest import Client

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


class TestCalculators:
    """What is asked of a calculator is written as programs write it."""

    @pytest.mark.parametrize("fee", ["1,000", "1.000", "50,5", "2.5"])
    def test_an_address_is_the_same_in_every_language(self, client: Client, fee: str) -> None:
        asked = {"entrants": "2", "place": "1", "day": "2019-11-15", "fee": fee}
        path = f"/calculators/performance?{urlencode(asked)}"
        right = "," not in fee
        for language in ("en", "de", "fr"):
            page = client.get(path, headers={"accept-language": language})
            assert page.status_code == 200
            assert ('id="wrong-fee"' not in page.text) == right

    def test_what_is_wrong_in_the_language_of_the_form(self, client: Client) -> None:
        page = client.get(
            "/calculators/performance", params={"fee": "viel"}, headers={"accept-language": "de"}
        )
        assert (
            "Entry fee ist \u201eviel\u201c, keine Zahl. Schreiben Sie Ziffern und einen Punkt"
            in page.text
        )

    def test_a_field_that_is_left_empty_stays_so(self, client: Client) -> None:
        asked = {"boards": "16", "margin": "", "points": "12.5"}
        page = client.get("/calculators/victory-points", params=asked)
        assert 'name="margin" value=""' in page.text
