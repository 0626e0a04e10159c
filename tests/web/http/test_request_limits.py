"""Heads that are too long are refused before anything of them is remembered; forms never are."""

from __future__ import annotations

import pytest
from litestar import Litestar
from litestar import _parsers as remembered

from palmares.facts.text import LONGEST
from palmares.web.http.security import ADDRESS, FIELDS, HEAD, PARAMETERS, fields_of
from tests.web.conftest import Client
from tests.web.visits import JSON

CACHES = (remembered.parse_query_string, remembered.parse_cookie_string)


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/players?search=" + "a" * ADDRESS, {}),
        ("/players?" + "&".join(f"a{one}" for one in range(PARAMETERS + 1)), {}),
        ("/api/v1/players?" + "&".join(f"a{one}" for one in range(PARAMETERS + 1)), {}),
        ("/" + "a" * (ADDRESS + 1), {}),
        ("/", {"cookie": "a=" + "b" * ADDRESS}),
        ("/", {"cookie": ";".join(f"a{one}=b" for one in range(PARAMETERS + 1))}),
        ("/", {"accept-language": "a" * HEAD}),
    ],
)
def test_a_head_that_is_too_long_is_refused(
    client: Client, address: str, headers: dict[str, str]
) -> None:
    before = [one.cache_info().misses for one in CACHES]
    answer = client.get(address, headers=headers)
    assert answer.status_code == 431
    words = "The address or the headers of this request are too long."
    if address.startswith("/api/"):
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.json()["status"], answer.json()["detail"]) == (431, words)
    else:
        assert answer.text == f"{words}\n"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert [one.cache_info().misses for one in CACHES] == before


def test_one_that_is_long_is_not(client: Client) -> None:
    query = "search=" + "a" * LONGEST
    assert client.get(f"/players?{query}", headers=JSON | {"x": "a" * ADDRESS}).status_code == 200
    many = client.get("/players?" + "&".join("x=1" for _ in range(PARAMETERS)), headers=JSON)
    assert many.status_code == 400  # not too long: x is no parameter of the page


def test_what_stood_in_forms_is_not_kept(app: Litestar) -> None:
    read = remembered.parse_url_encoded_form_data
    before = read.cache_info()
    with Client(app) as client:
        assert client.post("/sign-in", data={"name": "Ada", "password": "x"}).status_code == 422
        assert client.post("/account", data={"name": "Ada"}).status_code == 405
    assert read.cache_info() == before


def test_a_form_of_very_many_fields_is_not_read(client: Client) -> None:
    many = {f"a{one}": "b" for one in range(FIELDS + 1)}
    assert client.post("/sign-in", data=many).status_code == 400


def test_a_form_is_read_as_browsers_send_it() -> None:
    assert fields_of(b"a=1&b=&a=%C4%8D+x&c&a=3") == {"a": ["1", "č x", "3"], "b": "", "c": ""}
