"""A form is sent from the session that it was shown in, and from no other."""

from __future__ import annotations

from litestar import Litestar
from litestar.testing import TestClient

from palmares.web.accounts import store
from palmares.web.http.state import AppState
from tests.web.conftest import AsRole, Client, signed_in
from tests.web.visits import enter, send, who


def test_a_token_of_another_session_is_refused(
    app: Litestar, app_state: AppState, as_role: AsRole
) -> None:
    """Two directors: what the one is shown is planted at the other, cookie and field."""
    dita, eve = as_role("director"), TestClient(app)
    eve.cookies.set("palmares", signed_in(app_state, "director", "Eve"))
    assert eve.get("/").status_code == 200
    theirs = eve.cookies["forms"]
    dita.cookies.set("forms", theirs, domain="testserver.local")
    form = {"label": "Eve\u2019s", "days": "9", "_csrf_token": theirs}
    refused = dita.post("/account/tokens", data=form, headers={"x-csrftoken": theirs})
    assert refused.status_code == 403
    assert "The form was not one of ours, or is too old." in refused.text


def test_nor_is_one_of_a_visitor(app: Litestar, as_role: AsRole) -> None:
    visitor, dita = TestClient(app), as_role("director")
    visitor.get("/sign-in")
    theirs = visitor.cookies["forms"]
    dita.cookies.set("forms", theirs, domain="testserver.local")
    refused = dita.post("/sign-out", headers={"x-csrftoken": theirs}, follow_redirects=False)
    assert refused.status_code == 403


def test_nor_one_from_before_the_sign_in(client: Client, director: store.Person) -> None:
    client.get("/sign-in")
    before = client.cookies["forms"]
    assert enter(client, director.name).status_code == 303
    after = client.cookies["forms"]
    assert after != before
    client.cookies.set("forms", before, domain="testserver.local")
    refused = client.post("/sign-out", data={"_csrf_token": before}, follow_redirects=False)
    assert refused.status_code == 403
    assert who(client) == director.name


def test_after_signing_out_one_can_sign_in_again(client: Client, director: store.Person) -> None:
    for _ in range(2):
        assert enter(client, director.name).status_code == 303
        assert send(client, "/sign-out").headers["location"] == "/"
        assert who(client) is None


def test_a_page_shown_with_the_sign_in_has_a_token_that_is_good(
    client: Client, director: store.Person
) -> None:
    """The answer that renews a session brings the token for the forms on it."""
    enter(client, director.name)
    client.headers["x-csrftoken"] = client.cookies["forms"]
    assert client.post("/sign-out", follow_redirects=False).headers["location"] == "/"


def test_what_is_no_token_is_refused(as_role: AsRole) -> None:
    dita = as_role("director")
    good = dita.cookies["forms"]
    for wrong in ("", "x", good[:-1], good + "0", good[::-1]):
        refused = dita.post("/sign-out", headers={"x-csrftoken": wrong}, follow_redirects=False)
        assert refused.status_code == 403
