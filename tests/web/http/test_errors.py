"""What goes wrong, in plain words, for people and for programs; ids and headers of every answer."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest

from palmares.facts.rates import shipped
from palmares.web.app import site
from palmares.web.settings import Settings
from tests.web.conftest import AsRole, Client

JSON = {"accept": "application/json"}
FIXED = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-frame-options": "DENY",
}


def test_what_is_not_there_is_a_page(client: Client) -> None:
    answer = client.get("/nowhere/<script>")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "There is nothing at this address." in answer.text
    assert answer.headers["x-request-id"] in answer.text
    assert "<script>" not in answer.text


def test_and_a_problem_document_for_programs(client: Client) -> None:
    answer = client.get("/nowhere", headers=JSON)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "There is nothing at this address.",
        "instance": f"urn:request:{answer.headers['x-request-id']}",
        "problems": [],
    }


def test_under_api_always(client: Client) -> None:
    answer = client.get("/api/v1/nowhere", headers={"accept": "text/html"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_wrong_method_says_which_are_right(client: Client) -> None:
    answer = client.put("/", headers=JSON)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


def test_head_says_what_get_would_say(client: Client) -> None:
    answer, full = client.head("/"), client.get("/")
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["content-length"] == full.headers["content-length"]
    assert answer.headers["etag"] == full.headers["etag"]


@pytest.mark.parametrize("path", ["/", "/nowhere", "/assets/palmares.css", "/health", "/account"])
def test_every_answer_has_the_headers(client: Client, path: str) -> None:
    answer = client.get(path, follow_redirects=False)
    assert {name: answer.headers.get(name) for name in FIXED} == FIXED
    assert len(answer.headers["x-request-id"]) == 16
    assert "strict-transport-security" not in answer.headers


def test_over_https_browsers_stay_there(settings: Settings) -> None:
    with Client(site(changed(settings, public_url="https://testserver.local"))) as client:
        answer = client.get("/")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_our_mistakes_show_nothing(settings: Settings) -> None:
    lines = StringIO()
    app = site(changed(settings, log=lines))

    def broken() -> None:
        raise ValueError("secret of Ada Novak\x1b[2J")

    with Client(app, raise_server_exceptions=False) as client:
        object.__setattr__(app.state.app_state, "snapshot", broken)
        answer = client.get("/", headers=JSON)
    assert answer.status_code == 500
    assert answer.json()["detail"] == "Something went wrong here. It was written down."
    assert "Traceback" not in answer.text
    failure, request = (json.loads(line) for line in lines.getvalue().splitlines())
    assert failure["error"] == "ValueError"
    assert failure["request"] == request["request"] == answer.headers["x-request-id"]
    assert failure["at"][-1].endswith("broken")
    assert "Ada" not in lines.getvalue()


def test_a_database_that_is_gone_is_no_secret_but_its_place_is(
    settings: Settings, client: Client
) -> None:
    assert client.get("/ready").json() == {
        "status": "ok",
        "bank_rates_until": str(shipped().until),
        "recorded_rates_until": None,
    }
    client.app.state.app_state.journal.close()
    Path(settings.journal).write_bytes(b"no database at all" * 100)
    answer = client.get("/ready", headers=JSON)
    assert answer.status_code == 503
    assert client.get("/health").json() == {"status": "ok"}  # starting it anew would mend nothing
    assert settings.journal not in answer.text


@pytest.mark.parametrize("accept", ["*/*", "text/html", "text/plain;version=0.0.4", JSON["accept"]])
def test_a_visitor_sees_no_numbers(client: Client, accept: str) -> None:
    """Whoever scrapes them is told so, and not led to a form."""
    answer = client.get("/metrics", headers={"accept": accept}, follow_redirects=False)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="palmares"'
    assert answer.headers["content-type"] == "application/problem+json"


def test_an_administrator_does(as_role: AsRole) -> None:
    administrator = as_role("administrator")
    administrator.get("/")
    text = administrator.get("/metrics").text
    assert 'palmares_requests_total{method="GET",route="front",status="200"} 1.0' in text


def changed(settings: Settings, **other: object) -> Settings:
    fields = {name: getattr(settings, name) for name in Settings.__slots__}
    return Settings(**(fields | other))
