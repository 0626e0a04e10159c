"""The door: whose request it is, and that forms are ours."""

from __future__ import annotations

from tests.web.conftest import AsRole, Client


def test_a_visitor_brings_and_takes_no_cookie(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


def test_whoever_is_signed_in_gets_the_token_of_forms(as_role: AsRole) -> None:
    assert as_role("officer").cookies["forms"]
