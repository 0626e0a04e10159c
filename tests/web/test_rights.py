"""The table of rights: every route, as every role and as a visitor, by session and by token."""

from __future__ import annotations

import re

import pytest
from litestar import Litestar
from litestar.enums import HttpMethod

from palmares.web.accounts import sessions
from palmares.web.http.routing import Right
from palmares.web.http.state import AppState
from palmares.web.routes import ROUTES
from tests.web.conftest import NOW, ROOT, AsRole, Client
from tests.web.ways import RIGHTS, WAYS

ROLES = ("director", "officer", "administrator")
DUMMIES = {"int": "999", "str": "nobody", "date": "2019-12-31", "path": "palmares.css"}
SHORT = {"accept": "application/json"}
READS = {"api_printed_list"}
"""What is sent but changes nothing."""

MAY: dict[Right, set[str | None]] = {
    Right.ANYONE: {None, "director", "officer", "administrator"},
    Right.SIGNED_IN: {"director", "officer", "administrator"},
    Right.DIRECTOR: {"director", "officer"},
    Right.OFFICER: {"officer"},
    Right.ADMINISTRATOR: {"administrator"},
}


def filled(path: str) -> str:
    """An address with something in the place of every parameter."""
    return re.sub(r"\{\w+:(\w+)\}", lambda found: DUMMIES.get(found[1], "nobody"), path)


def let_in(client: Client, method: str, path: str, **headers: str) -> int:
    """Whether a request is let in: the status if it is not, else 0."""
    answer = client.request(method, filled(path), headers=SHORT | headers, follow_redirects=False)
    if answer.headers.get("location", "").startswith("/sign-in?next="):
        return 401
    refused = answer.status_code == 401 or (
        answer.status_code == 403 and answer.json()["detail"] == "This is not for your role."
    )
    return answer.status_code if refused else 0


def test_the_table_says_what_it_means() -> None:
    for right in Right:
        for role in (None, *ROLES):
            assert right.allows(role) == (role in MAY[right])


def test_nothing_is_served_that_is_not_in_the_table(app: Litestar) -> None:
    served = {
        (handler.name, method.value if isinstance(method, HttpMethod) else method, route.path)
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        for method in handler.http_methods - {"OPTIONS", "HEAD"}
    }
    assert served == {(name, *way) for name, ways in WAYS.items() for way in ways}


def test_a_page_and_its_operation_are_for_the_same_people() -> None:
    for row in ROUTES:
        assert not row.api or RIGHTS[row.api] is row.right


@pytest.mark.parametrize("role", [None, *ROLES])
def test_every_cell(
    app: Litestar, app_state: AppState, client: Client, as_role: AsRole, role: str | None
) -> None:
    """A visitor is asked to sign in, others are told that it is not for their role."""
    seen, somebody = {}, client if role is None else as_role(role)
    for name, ways in sorted(WAYS.items(), key=lambda one: one[0] == "sign_out"):
        for method, path in ways:
            seen[name, method, path] = let_in(somebody, method, path)
    wrong = 401 if role is None else 403
    assert seen == {
        (name, method, path): (
            401  # programs write with a token, never with a cookie
            if path.startswith("/api/") and method != "GET" and name not in READS
            else 0
            if role in MAY[RIGHTS[name]]
            else wrong
        )
        for name, ways in WAYS.items()
        for method, path in ways
    }


@pytest.mark.parametrize("role", ROLES)
def test_every_cell_with_a_token(
    app: Litestar, app_state: AppState, client: Client, as_role: AsRole, role: str
) -> None:
    as_role(role)
    token = sessions.issue_token(app_state.journal.database, 1, "test", NOW, writes=True)
    ways = [
        (name, method, path)
        for name, found in WAYS.items()
        for method, path in found
        if path.startswith(("/api/", "/metrics"))
    ]
    told = {one: let_in(client, one[1], one[2], authorization=f"Bearer {token}") for one in ways}
    assert told == {one: 0 if role in MAY[RIGHTS[one[0]]] else 403 for one in ways}


@pytest.mark.parametrize("role", ROLES)
def test_what_not_everyone_may_see_is_kept_by_nobody(as_role: AsRole, role: str) -> None:
    somebody = as_role(role)
    told = {
        path: somebody.get(filled(path), headers=SHORT).headers.get("cache-control", "")
        for name, ways in WAYS.items()
        for method, path in ways
        if method == "GET" and RIGHTS[name] is not Right.ANYONE and role in MAY[RIGHTS[name]]
    }
    assert [
        path for path, kept in told.items() if not {"no-store", "private"} & {*kept.split(", ")}
    ] == []


def test_a_token_that_reads_only_writes_nothing(
    app: Litestar, app_state: AppState, client: Client, as_role: AsRole
) -> None:
    as_role("officer")
    token = sessions.issue_token(app_state.journal.database, 1, "test", NOW)
    writing = [
        (method, path)
        for name, ways in WAYS.items()
        for method, path in ways
        if path.startswith("/api/")
        and method != "GET"
        and name not in READS
        and "officer" in MAY[RIGHTS[name]]
    ]
    assert len(writing) > 5
    for method, path in writing:
        headers = {"authorization": f"Bearer {token}"}
        answer = client.request(method, filled(path), headers=headers)
        assert answer.status_code == 403
        assert answer.json()["detail"].startswith("This token reads only.")
    headers = {"authorization": f"Bearer {token}"}
    assert client.get("/api/v1/entries", headers=headers).status_code == 200


@pytest.mark.parametrize("site", ["", "none", "same-origin", "same-site", "cross-site"])
def test_a_cookie_writes_nothing_under_api(as_role: AsRole, site: str) -> None:
    """Whatever page it comes from, and with the token of a form, too."""
    officer = as_role("officer")
    headers = {"sec-fetch-site": site} if site else {}
    given = {"fields": {"name": "Eve Kos"}}
    answer = officer.post("/api/v1/decisions/player/preview", json=given, headers=headers)
    assert answer.status_code == 401
    assert answer.json()["detail"] == "Programs write with a token, never with a cookie."


@pytest.mark.parametrize("before", ["/", "//", "/%2F", "/%2f/"])
def test_nor_by_an_address_of_another_spelling(as_role: AsRole, before: str) -> None:
    officer = as_role("officer")
    given = {"fields": {"name": "Eve Kos"}}
    url = f"{ROOT}{before}/api/v1/decisions/player/preview"
    answer = officer.post(url, json=given)
    assert answer.status_code in (401, 404)
    token = {"authorization": "Bearer palmares_no"}
    assert officer.get(f"{ROOT}{before}/api/v1/about", headers=token).status_code != 200


def test_a_token_is_nothing_on_pages(app_state: AppState, client: Client, as_role: AsRole) -> None:
    as_role("administrator")
    token = sessions.issue_token(app_state.journal.database, 1, "test", NOW)
    assert let_in(client, "GET", "/administrator", authorization=f"Bearer {token}") == 401


def test_a_cookie_is_nothing_beside_a_token(as_role: AsRole) -> None:
    somebody = as_role("administrator")
    assert let_in(somebody, "GET", "/metrics") == 0
    assert let_in(somebody, "GET", "/metrics", authorization="Bearer palmares_no") == 401


def test_options_tells_the_methods_to_anyone(client: Client) -> None:
    answer = client.options("/account")
    assert answer.status_code == 204
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
