"""Every kind of exception, and what becomes of it; lines of the log."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar
from litestar.exceptions import NotFoundException, TooManyRequestsException
from litestar.params import FromQuery

from palmares.core.errors import FactsRejected, Location, NotCovered, Problem, Refused, RuleError
from palmares.web.app import site
from palmares.web.http.errors import Conflict
from palmares.web.http.logs import line
from palmares.web.http.routing import Right, Route
from palmares.web.routes import GET, POST, ROUTES
from palmares.web.settings import Settings
from tests.web.conftest import Client
from tests.web.http.test_errors import JSON, changed

PROBLEMS = [
    Problem(
        at=Location("a.csv", 2), what="no rank", clause="facts placings.rank", remedy="Write one."
    ),
    Problem(
        at=Location("a.csv", 3), what="<b>bold</b>", clause="facts players.name", remedy="Write it."
    ),
]
LINES = StringIO()


def failing(error: Callable[[], Exception]) -> Callable[[], Awaitable[str]]:
    async def fails() -> str:
        raise error()

    return fails


def _ours() -> Exception:
    return ValueError("Ada Novak is no number")


@pytest.fixture
def broken(settings: Settings) -> Callable[..., Litestar]:
    """A site with a page that fails: GET and POST /broken."""

    def made(error: Callable[[], Exception]) -> Litestar:
        shown = Route("broken", GET, "/broken", Right.ANYONE, failing(error))
        sent = Route("broken_send", POST, "/broken", Right.ANYONE, failing(error))
        LINES.seek(0)
        LINES.truncate()
        return site(changed(settings, log=LINES), (*ROUTES, shown, sent))

    return made


@pytest.mark.parametrize(
    ("error", "reading", "writing", "detail"),
    [
        (lambda: Refused("No such day."), 400, 422, "No such day."),
        (lambda: NotCovered("No rule."), 400, 422, "No rule."),
        (lambda: FactsRejected(PROBLEMS), 422, 422, "2 problems, nothing was computed."),
        (lambda: NotFoundException("No such list."), 404, 404, "No such list."),
        (lambda: Conflict("It was undone."), 409, 409, "It was undone."),
        (lambda: TooManyRequestsException(headers={"Retry-After": "7"}), 429, 429,
         "That was too often. Wait a while."),
        (lambda: RuleError("usbgf.toml: x"), 500, 500,
         "Something went wrong here. It was written down."),
        (_ours, 500, 500, "Something went wrong here. It was written down."),
    ],
)  # fmt: skip
def test_what_becomes_of_an_exception(
    broken: Callable[..., Litestar],
    error: Callable[[], Exception],
    reading: int,
    writing: int,
    detail: str,
) -> None:
    with Client(broken(error), raise_server_exceptions=False) as client:
        client.get("/sign-in")
        for answer, status in (
            (client.get("/broken", headers=JSON), reading),
            (client.post("/broken", headers=JSON), writing),
        ):
            assert answer.status_code == answer.json()["status"] == status
            assert answer.json()["detail"] == detail
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.headers["cache-control"] == "no-store"
        page = client.get("/broken")
        assert page.status_code == reading
        assert "Traceback" not in page.text
        assert "Ada" not in page.text + LINES.getvalue()


def test_every_problem_is_shown(broken: Callable[..., Litestar]) -> None:
    with Client(broken(lambda: FactsRejected(PROBLEMS))) as client:
        told = client.get("/broken", headers=JSON).json()["problems"]
        page = client.get("/broken").text
    assert told == [
        {"where": "a.csv:2", "what": "no rank", "clause": "facts placings.rank",
         "remedy": "Write one."},
        {"where": "a.csv:3", "what": "<b>bold</b>", "clause": "facts players.name",
         "remedy": "Write it."},
    ]  # fmt: skip
    assert "&lt;b&gt;bold&lt;/b&gt;" in page


def test_a_wrong_parameter_is_named(settings: Settings) -> None:
    async def shows(number: FromQuery[int]) -> str:
        return str(number)

    row = Route("broken", GET, "/broken", Right.ANYONE, shows)
    with Client(site(settings, (*ROUTES, row))) as client:
        answer = client.get("/broken?number=two", headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["detail"] == "What was sent cannot be read."
    assert [one["where"] for one in answer.json()["problems"]] == ["number"]


def test_when_to_try_again(broken: Callable[..., Litestar]) -> None:
    error = lambda: TooManyRequestsException(headers={"Retry-After": "7"})  # noqa: E731
    with Client(broken(error)) as client:
        assert client.get("/broken").headers["retry-after"] == "7"


def test_a_failure_is_written_down_without_its_words(broken: Callable[..., Litestar]) -> None:
    with Client(broken(_ours), raise_server_exceptions=False) as client:
        number = client.get("/broken").headers["x-request-id"]
    failure, request = (json.loads(one) for one in LINES.getvalue().splitlines())
    assert (failure["event"], failure["level"]) == ("failure", "error")
    assert failure["request"] == request["request"] == number
    assert failure["error"] == "ValueError"
    assert failure["at"][-1].endswith(" fails")
    assert (request["event"], request["status"], request["route"]) == ("request", 500, "broken")


def test_no_address_is_written_down(settings: Settings) -> None:
    LINES.seek(0)
    LINES.truncate()
    with Client(site(changed(settings, log=LINES))) as client:
        client.get("/rankings/wbgf?search=Ada+Novak")
        client.get("/Ada/Novak")
        client.get("/welcome/secret-token")
    assert [json.loads(one)["route"] for one in LINES.getvalue().splitlines()] == [
        "ranking", "none", "welcome",
    ]  # fmt: skip
    for word in ("Ada", "secret-token", "testclient"):
        assert word not in LINES.getvalue()


@given(st.text())
def test_a_line_is_one_line_of_plain_letters(text: str) -> None:
    made = line({text: text})
    assert json.loads(made) == {text: text}
    assert made.isascii()
    assert made.isprintable()
