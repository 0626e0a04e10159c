"""The door: whose request it is, and what is kept for whom."""

from __future__ import annotations

from palmares.web.accounts import people
from palmares.web.hall import Hall
from tests.web.conftest import AsRole, Client
from tests.web.visits import enter


def test_a_visitor_brings_and_takes_no_cookie(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-cache"


def test_whoever_is_signed_in_gets_the_token_of_forms(as_role: AsRole) -> None:
    assert as_role("officer").cookies["forms"]


def test_what_the_signed_in_see_is_kept_for_nobody(
    client: Client, hall: Hall, as_role: AsRole
) -> None:
    officer = as_role("officer")
    mine, theirs, again = officer.get("/"), client.get("/"), officer.get("/")
    assert mine.headers["cache-control"] == again.headers["cache-control"] == "no-store"
    assert "Test Officer" in mine.text
    assert "Test Officer" in again.text
    assert "Test Officer" not in theirs.text
    assert "etag" not in mine.headers


def test_a_visitors_page_is_not_answered_with_304_to_the_signed_in(
    client: Client, as_role: AsRole
) -> None:
    etag = client.get("/").headers["etag"]
    assert client.get("/", headers={"if-none-match": etag}).status_code == 304
    assert as_role("officer").get("/", headers={"if-none-match": etag}).status_code == 200


def test_a_number_that_nobody_issued_is_a_visitors(client: Client) -> None:
    client.cookies.set("palmares", "a" * 64)
    assert "Sign in" in client.get("/").text


def test_reading_on_does_not_write(client: Client, director: people.Person, hall: Hall) -> None:
    enter(client, director.name)
    client.get("/")
    answer = client.get("/")
    assert "set-cookie" not in answer.headers
