"""A form is taken from a page of this site, and from no other."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.web.accounts import store
from tests.web.conftest import GOOD, ROOT, AsRole, Client
from tests.web.visits import enter, send, who

ELSEWHERE = "https://attacker.example"
OTHER_PORT = f"{ROOT}:8443"


def sent(client: Client, path: str, **headers: str) -> Any:
    """What is answered to a form that comes with some headers, as browsers would send them."""
    client.headers.pop("sec-fetch-site", None)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(path, headers=named, follow_redirects=False)


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
        {"sec_fetch_site": "same-origin", "origin": ROOT},
        {"origin": ROOT},
    ],
)
def test_a_form_of_ours_is_taken(as_role: AsRole, headers: dict[str, str]) -> None:
    dita = as_role("director")
    assert sent(dita, "/sign-out", **headers).headers["location"] == "/"
    assert who(dita) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site", "origin": ROOT},
        {"sec_fetch_site": ""},
        {"origin": ELSEWHERE},
        {"origin": OTHER_PORT},
        {"origin": "null"},
        {"origin": f"{ROOT}.attacker.example"},
        {"referer": f"{ROOT}/account"},
        {},
    ],
)
def test_one_of_another_site_is_not(as_role: AsRole, headers: dict[str, str]) -> None:
    """Nor one that says nothing, since it brings the cookie of a session."""
    dita = as_role("director")
    refused = sent(dita, "/sign-out", **headers)
    assert refused.status_code == 403
    assert "This form was sent from another site." in refused.text
    assert who(dita) == "Test Director"


def test_a_program_without_a_session_may_say_nothing(
    client: Client, director: store.AccountRecord
) -> None:
    client.headers.pop("sec-fetch-site")
    form = {"name": director.name, "password": GOOD}
    assert client.post("/sign-in", data=form, follow_redirects=False).status_code == 303
    assert sent(client, "/sign-in", origin=ELSEWHERE).status_code == 403


def test_a_cookie_never_writes_under_the_api(as_role: AsRole) -> None:
    assert as_role("director").post("/api/v1/submissions").status_code == 401


def test_after_signing_out_one_can_sign_in_again(
    client: Client, director: store.AccountRecord
) -> None:
    for _ in range(2):
        assert enter(client, director.name).status_code == 303
        assert send(client, "/sign-out").headers["location"] == "/"
        assert who(client) is None
