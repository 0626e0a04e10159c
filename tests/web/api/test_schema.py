"""
Whatever the document allows, and what it does not, asked by Schemathesis as a visitor and in roles.

Every operation is asked with the ids of things that there are, with any other ids, and with what
its description forbids. No answer is an error of ours, and each is of a status, a type and a shape
that the document has. Two checks are left out: that data of the right shape are accepted, for rules
of the game are not in a schema; and that wrong tokens are refused again and again, for they have to
wait (``test_bodies``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import count
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from palmares.web.accounts import sessions, store
from palmares.web.app import site
from palmares.web.http.replies import JSON
from palmares.web.http.routing import Right
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from palmares.web.submissions import submissions
from palmares.web.submissions.parse import MEDIA_TYPES
from tests.amounts import amount
from tests.web.api.addresses import DRAW, ENTRY, everything
from tests.web.api.programs import DOCUMENT
from tests.web.conftest import DAY, NOW
from tests.web.director.test_director import OPEN
from tests.web.ways import API_ROUTES, RIGHTS

EXAMPLES = amount(300)
THERE_ARE: dict[str, Any] = {
    "/queue/": {"number": 2}, "/submissions/": {"number": 1}, "/accounts/": {"number": 1},
    "/notes/": {"number": 1},
    "/publications/": {"entry": ENTRY}, "/draws/": {"entry": DRAW},
    "/live/": {"event": "club-night"},
    "/races/": {"race": "points-2019"}, "/levels/": {"regulation": "usbgf"},
    "/decisions/": {"name": "withdraw"},
    "": {"regulation": "wbgf", "player_id": "P1", "player": "P1", "rival": "P2",
         "event": "Winter/main", "event_id": "Winter/main", "flight": "main",
         "kind": "performance", "code": "DEU",
         "tournament": "Winter", "tournament_id": "Winter", "edition": "undated", "sequence": 5},
}  # fmt: skip
"""Ids of things that there are, by the addresses that have them."""
MAY = {
    "visitor": set(Right),
    "director": {Right.DIRECTOR},
    "officer": {Right.DIRECTOR, Right.OFFICER},
    "administrator": {Right.ADMINISTRATOR},
}
"""What is asked as whom: a visitor asks for everything, others for what he is refused."""
REFUSED = {"expected-statuses": [400, 401, 403, 404, 405, 406, 409, 415, 422, 428, 429, 431]}
SCHEMA = schemathesis.openapi.from_dict(
    DOCUMENT,
    config=SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": REFUSED}}),
)
OPERATIONS = {
    one.definition.raw["operationId"]: one
    for one in (each.ok() for each in SCHEMA.get_all_operations() if isinstance(each, Ok))
}
CELLS = [
    (role, name) for role, may in MAY.items() for name in OPERATIONS if RIGHTS[f"api_{name}"] in may
]
CALM = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@schemathesis.serializer(*(one for one in MEDIA_TYPES if one not in ("text/plain", "text/xml")))
def sent_as_it_is(context: Any, value: Any) -> Any:
    """Contents of reports: bytes, or text."""
    del context
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@dataclass(frozen=True)
class Asked:
    """A site, and who asks it in which role."""

    session: asgi.ASGIClient
    headers: dict[str, dict[str, str]]

    def ask(self, role: str, cases: Any) -> None:
        """Send what Schemathesis thinks of, and check every answer."""
        headers = self.headers[role]

        @CALM
        @given(case=cases)
        def asked(case: Any) -> None:
            query = (case.query or {}).items()
            assume(all(name and value not in ([], {}) for name, value in query))  # else: nothing
            answer = case.call(session=self.session, headers=headers)
            left_out = [ignored_auth, positive_data_acceptance]
            case.validate_response(answer, headers=headers, excluded_checks=left_out)

        asked()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """A site that has everything; its clock goes on, so that nobody has to wait."""
    folder = tmp_path_factory.mktemp("site")
    clock = count(NOW, 60)
    app = site(
        Settings(
            journal=str(folder / "federation.db"),
            secret="0" * 64,
            public_url="http://testserver",
            day=lambda: DAY,
            clock=lambda: next(clock),
            log=StringIO(),
        )
    )
    app_state: AppState = app.state.app_state
    everything(app_state.journal)
    headers: dict[str, dict[str, str]] = {"visitor": {}}
    with app_state.journal.database.writing() as connection:
        of = {role: store.add(connection, f"Robot {role}", role, NOW) for role in list(MAY)[1:]}
        for account, state in (("director", "draft"), ("director", "submitted")):
            number = submissions.create(
                connection, of[account], "report.toml", "toml", OPEN.encode(), NOW
            )
            if state != "draft":
                submissions.move(connection, number, 1, NOW, state)
    for role, number in of.items():
        token = sessions.issue_token(app_state.journal.database, number, "test", NOW, writes=True)
        headers[role] = {"Authorization": f"Bearer {token}"}
    with asgi.get_client(cast("Any", app)) as session:
        yield Asked(session, headers)


@pytest.mark.parametrize(("role", "name"), CELLS)
def test_answers_are_what_the_document_says(asked: Asked, role: str, name: str) -> None:
    one = OPERATIONS[name]
    raw = one.definition.raw
    ids = {part["name"] for part in raw.get("parameters", ()) if part["in"] == "path"}
    there_are = {
        key: value
        for beginning, found in THERE_ARE.items()
        for key, value in found.items()
        if key in ids and beginning in one.path
    }
    if ids:
        asked.ask(role, one.as_strategy(path_parameters=there_are))
    asked.ask(role, one.as_strategy())
    others = [part for part in raw.get("parameters", ()) if part["schema"].get("type") == "integer"]
    sent = raw.get("requestBody", {}).get("content", {})
    if (others and not sent) or JSON in sent:  # whatever is sent as text is text
        asked.ask(role, one.as_strategy(generation_mode=GenerationMode.NEGATIVE))


def test_what_is_asked(asked: Asked) -> None:
    """Everything; and ids of all that has one are known, so that not every answer is 404."""
    assert {f"api_{name}" for name in OPERATIONS} == {str(each.name) for each in API_ROUTES}
    for name, one in OPERATIONS.items():
        ids = {p["name"] for p in one.definition.raw.get("parameters", ()) if p["in"] == "path"}
        known = {
            key for beginning, found in THERE_ARE.items() if beginning in one.path for key in found
        }
        assert ids <= known, name
