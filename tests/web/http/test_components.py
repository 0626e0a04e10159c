"""What components are drawn from: flags, curves, the accent."""

from __future__ import annotations

import re

import pytest

from palmares.web.http.templating import flag, sparkline
from tests.web.conftest import Client


@pytest.mark.parametrize(
    ("nation", "file"),
    [
        ("CZE", "vendor/flags/CZ.svg"),
        ("SCO", "vendor/flags/GB-SCT.svg"),
        ("XKX", "vendor/flags/XK.svg"),
        ("SUN", ""),  # a state that is no more
        ("", ""),
        (None, ""),
    ],
)
def test_a_nation_has_the_flag_of_its_code(nation: str | None, file: str) -> None:
    assert re.findall(r'src="/assets/([^?"]*)', flag(nation)) == ([file] if file else [])


def test_every_nation_that_iso_lists_has_a_flag() -> None:
    import pycountry

    codes = {one.alpha_3 for one in pycountry.countries}
    assert {code for code in codes if not flag(code)} == set()


def test_a_curve_goes_up_where_numbers_grow() -> None:
    drawn = sparkline([0, 50, 100])
    assert 'points="0,18 44,10 88,2"' in drawn
    assert 'cx="88" cy="2"' in drawn


def test_a_curve_of_equal_numbers_is_flat() -> None:
    assert 'points="0,18 88,18"' in sparkline([7, 7])


def test_a_curve_begins_where_there_is_a_number() -> None:
    assert 'points="44,18 88,2"' in sparkline([None, 1, 2])
    assert not sparkline([7])


def test_the_accent_stands_in_a_stylesheet_of_its_own(visitor: Client) -> None:
    answer = visitor.get("/federation.css")
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.text == ":root { --accent: #0c5a78; }\n"
    assert 'href="/federation.css"' in visitor.get("/").text
