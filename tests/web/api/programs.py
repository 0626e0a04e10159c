"""
Programs that ask the API with the token of an account.

    Program     asks in a role, and looks at every answer: it is what the document says
    program     a role  ->  one that writes
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from palmares.web.accounts import sessions, store
from palmares.web.api.description import description
from palmares.web.http.state import AppState
from palmares.web.routes import ROUTES
from tests.web.conftest import NOW, Client

P = "/api/v1"
DOCUMENT: Any = description(ROUTES)


@dataclass(frozen=True)
class Program:
    """Asks in a role, and looks at every answer."""

    client: Client
    token: str

    def ask(self, method: str, address: str, status: int = 200, **sent: Any) -> Any:
        """An answer that has the status and is what the document says of it; its JSON."""
        answer = self.answer(method, address, **sent)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, address: str, status: int = 200) -> Any:
        return self.ask("GET", address, status)

    def post(self, address: str, status: int = 200, **fields: Any) -> Any:
        """Send fields as JSON."""
        return self.ask("POST", address, status, json=fields)

    def answer(self, method: str, address: str, **sent: Any) -> Any:
        headers = {"authorization": f"Bearer {self.token}", **sent.pop("headers", {})}
        answer = self.client.request(method, P + address, headers=headers, **sent)
        told = answered(method, P + address.partition("?")[0], str(answer.status_code))
        assert answer.headers["content-type"] in told["content"]
        schema = told["content"][answer.headers["content-type"]]["schema"]
        wrong = [str(one) for one in validator(str(schema), schema).iter_errors(answer.json())]
        assert wrong == [], f"{method} {address}"
        for name in told.get("headers", {}):
            assert name in answer.headers
        return answer


def answered(method: str, path: str, status: str) -> Any:
    """What the document says of an answer."""
    for template, ways in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path) and method.lower() in ways:
            told = ways[method.lower()]["responses"][status]
            if "$ref" in told:
                told = DOCUMENT["components"]["responses"][told["$ref"].rpartition("/")[2]]
            return told
    raise AssertionError(f"{method} {path} is not in the document")


_VALIDATORS: dict[str, jsonschema_rs.Draft202012Validator] = {}


def validator(key: str, schema: Any) -> jsonschema_rs.Draft202012Validator:
    """What finds everything in an answer that its schema does not allow."""
    if key not in _VALIDATORS:
        found = {**schema, "components": DOCUMENT["components"]}
        _VALIDATORS[key] = jsonschema_rs.Draft202012Validator(found, validate_formats=True)
    return _VALIDATORS[key]


def program(client: Client, app_state: AppState, role: str, name: str = "") -> Program:
    """A program of an account in that role, which writes."""
    called = name or f"Robot {role}"
    with app_state.journal.database.writing() as connection:
        known = store.find_by_name(connection, called)
        account = known.id if known else store.add(connection, called, role, NOW)
    token = sessions.issue_token(app_state.journal.database, account, "test", NOW, writes=True)
    return Program(client, token)
