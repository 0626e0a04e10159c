"""Accounts, kept by programs of administrators: the steps of the desk."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.web.accounts import store
from palmares.web.http.state import AppState
from tests.web.api.programs import Program, program
from tests.web.conftest import GOOD, Client
from tests.web.visits import enter, send, who


@pytest.fixture
def ada(client: Client, app_state: AppState) -> Program:
    return program(client, app_state, "administrator")


def test_somebody_is_invited_and_comes(ada: Program, client: Client) -> None:
    answer = ada.answer("POST", "/accounts", json={"name": " dita  dee ", "role": "director"})
    told = answer.json()
    assert (told["account"]["name"], told["account"]["state"]) == ("dita dee", "invited")
    where = answer.headers["location"].removeprefix("/api/v1")
    assert ada.get(where) == told["account"]
    path = told["link"].removeprefix("http://testserver.local")
    send(client, path, password=GOOD, again=GOOD)
    assert who(client) == "dita dee"
    assert [one["name"] for one in ada.get("/accounts")["items"]] == [
        "dita dee",
        "Robot administrator",
    ]


def test_role_door_and_codes(ada: Program, client: Client, officer: store.AccountRecord) -> None:
    at = f"/accounts/{officer.id}"
    assert ada.get(at)["has_codes"]
    assert not ada.ask("DELETE", f"{at}/codes")["has_codes"]
    assert ada.post(f"{at}/role", role="director")["role"] == "director"
    assert ada.ask("POST", f"{at}/disable")["state"] == "disabled"
    assert enter(client, officer.name).status_code == 422
    ada.ask("POST", f"{at}/link", 422)  # it is closed
    assert ada.ask("POST", f"{at}/enable")["state"] == "active"
    assert "/welcome/" in ada.ask("POST", f"{at}/link", 201)["link"]
    assert enter(client, officer.name).headers["location"] == "/director"


def test_a_token_ends_with_the_role_of_its_account(
    ada: Program, client: Client, app_state: AppState
) -> None:
    otto = program(client, app_state, "officer")
    otto.get("/entries")
    at = next(one["id"] for one in ada.get("/accounts")["items"] if one["role"] == "officer")
    ada.post(f"/accounts/{at}/role", role="director")
    otto.get("/submissions", 401)  # another role, other tokens


@pytest.mark.parametrize(
    ("address", "sent", "status", "says"),
    [
        ("/accounts", {"name": "Eve", "role": "queen"}, 422, "A role is administrator, officer"),
        ("/accounts", {"name": " ", "role": "director"}, 422, "A name has 1 to 100 characters"),
        ("/accounts", {"name": "robot ADMINISTRATOR", "role": "director"}, 422, "Somebody is"),
        ("/accounts", {"name": "Eve"}, 400, "What was sent cannot be read."),
        ("/accounts/1/role", {"role": "director"}, 422, "Another administrator has to do that"),
        ("/accounts/9/role", {"role": "director"}, 404, "There is no such account."),
    ],
)
def test_what_is_refused(
    ada: Program, the_site: AppState, address: str, sent: Any, status: int, says: str
) -> None:
    assert ada.post(address, status, **sent)["detail"].startswith(says)
    assert len(ada.get("/accounts")["items"]) == 1


def test_no_cache_shares_what_a_token_was_sent(ada: Program, client: Client) -> None:
    answer = ada.answer("GET", "/regulations")
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "Authorization" in answer.headers["vary"]
    assert answer.json() == client.get("/api/v1/regulations").json()
    assert client.get("/api/v1/regulations").headers["cache-control"] == "no-cache"
