"""What every address of the API has: tags, cursors, problems, other sites."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.api.programs import program
from tests.web.conftest import AsRole, Client
from tests.web.seasons import json, winter

LIST = "/api/v1/rankings/wbgf?as_of=2019-12-31"


# ── tags ─────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_has_changed_until_something_is_recorded(client: Client, journal: Journal) -> None:
    winter(journal)
    first = client.get(LIST)
    tag = first.headers["etag"]
    assert not tag.startswith("W/")
    for told in (tag, f'"other", {tag}', "*"):
        again = client.get(LIST, headers={"if-none-match": told})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    journal.record([say.report("Late", {"P3": 1}, day="2019-12-30")], OFFICER)
    after = client.get(LIST, headers={"if-none-match": tag})
    assert after.status_code == 200
    assert after.headers["etag"] != tag


def test_the_journal_has_a_tag_of_its_own(client: Client, journal: Journal) -> None:
    winter(journal)
    told = json(client, "/api/v1")
    assert (told["entry"], told["hash"]) == (6, journal.head().hash)
    tag = client.get("/api/v1").headers["etag"]
    journal.record([say.player("P9")], OFFICER)
    assert client.get("/api/v1", headers={"if-none-match": tag}).json()["entry"] == 7


# ── cursors ──────────────────────────────────────────────────────────────────────────────────────


def test_a_cursor_is_good_for_its_list_alone(client: Client, journal: Journal) -> None:
    winter(journal)
    more = json(client, f"{LIST}&limit=2")["next"]
    cursor = more.partition("cursor=")[2]
    for wrong in (
        f"/api/v1/rankings/wbgf/nations?as_of=2019-12-31&cursor={cursor}",
        f"{LIST}&nation=DEU&cursor={cursor}",
        f"{LIST}&cursor={cursor[:-1]}x",
        f"{LIST}&cursor={cursor.replace('.2.', '.1.')}",
        f"{LIST}&cursor={cursor.replace('.2.', '.9999.')}",
        f"{LIST}&cursor=9{cursor}",  # no such entry
        f"{LIST}&cursor={cursor.replace('2020-01-31', '2020-02-30')}",
        f"{LIST}&cursor={cursor.replace('2020-01-31', '9999-01-01')}",
        f"{LIST}&cursor=x",
        f"{LIST}&cursor=%FF",
    ):
        assert client.get(wrong).status_code in (400, 410), wrong
    assert len(json(client, f"{LIST}&limit=1&cursor={cursor}")["items"]) == 1


def test_a_name_that_was_withdrawn_begins_the_list_anew(client: Client, journal: Journal) -> None:
    """Equals stand in the order of their names: one without a name stands elsewhere."""
    people = [("P1", "Ada"), ("P2", "Ben"), ("P3", "Cyd")]
    journal.record([say.player(*one) for one in people], OFFICER)
    journal.record([say.report("Autumn", {"P1": 1, "P2": 1, "P3": 1})], OFFICER)
    begun = json(client, f"{LIST}&limit=1")
    assert [one["player"] for one in begun["items"]] == ["Ada"]
    ben = say.player("P2", "Ben")
    journal.record([replace(ben, body={**ben.body, "withheld": True})], OFFICER)
    answer = client.get(begun["next"])
    assert answer.status_code == 410
    names = [one["player"] for one in json(client, LIST)["items"]]
    assert names == ["(withheld)", "Ada", "Cyd"]


# ── problems ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("method", "address", "headers", "status", "says"),
    [
        ("GET", "?as_off=2019-12-31", {}, 400, "as_off is no parameter of this address. There"),
        ("GET", "?nation=DEU&nation=CZE", {}, 400, "nation is there twice. Give it once."),
        ("GET", "?as_of=someday", {}, 400, "What was sent cannot be read."),
        ("GET", "?as_of=1700-01-01", {}, 400, "There is no list for 1700-01-01"),
        ("GET", "?known_at=someday", {}, 400, "someday"),
        ("GET", "?limit=0", {}, 400, "What was sent cannot be read."),
        ("GET", "?limit=1001", {}, 400, "What was sent cannot be read."),
        ("GET", "?kind=match", {}, 400, "wbgf has no points of the kind match. There are: perf"),
        ("GET", "?setting=x", {}, 400, "A setting is live or online, not x."),
        ("GET", "?nation=XYZ", {}, 400, "XYZ is not a nation code. Write the three letters of"),
        ("GET", "", {"authorization": "Bearer palmares_no"}, 401, "The token is not known"),
        ("GET", "x", {}, 404, "There is no such list. There are: wbgf, usbgf, dptr."),
        ("GET", "/x", {}, 404, "There is nothing at this address."),
        ("DELETE", "", {}, 405, "This address does not take that."),
        ("GET", "", {"accept": "text/html"}, 406, "This address sends application"),
    ],
)
def test_what_goes_wrong_is_a_problem_document(
    client: Client, method: str, address: str, headers: dict[str, str], status: int, says: str
) -> None:
    answer = client.request(method, f"/api/v1/rankings/wbgf{address}", headers=headers)
    told = answer.json()
    assert (answer.status_code, told["status"]) == (status, status)
    assert answer.headers["content-type"] == "application/problem+json"
    assert told["detail"].startswith(says)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ("rankings/wbgf?limit=1001", "At most 1,000 here."),
        ("rankings/wbgf?limit=0", "At least 1 here."),
        ("rankings/wbgf?limit=ten", "This is not a whole number."),
        ("rankings/wbgf?as_of=2019-02-30",
         "There is no day 2019-02-30."),
        ("rankings/wbgf?as_of=soon",
         "This is no day: write year, month and day, such as 2019-12-31."),
        (f"players?search={'a' * 201}", "At most 200 characters, please."),
        ("tournaments?year=0", "At least 1 here."),
        ("tournaments?year=MMXIX", "This is not a whole number."),
    ],
)  # fmt: skip
def test_which_parameter_is_wrong_and_how(client: Client, asked: str, what: str) -> None:
    (one,) = client.get(f"/api/v1/{asked}").json()["problems"]
    name = asked.partition("?")[2].partition("=")[0]
    assert (one["where"], one["what"], one["clause"]) == (name, what, "query")


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/*", 200),
        ("*/*;q=0.1", 200),
        ("text/html,application/xml;q=0.9,*/*;q=0.8", 200),
        ("application/json; charset=utf-8", 200),
        ("text/html;q=1e999", 200),
        ("application/xml", 406),
        ("nonsense", 406),
    ],
)
def test_what_a_client_accepts(client: Client, accept: str, status: int) -> None:
    assert client.get("/api/v1", headers={"accept": accept}).status_code == status


# ── other sites ──────────────────────────────────────────────────────────────────────────────────


def test_the_scripts_of_other_sites_may_read_and_no_more(client: Client, as_role: AsRole) -> None:
    far = {"origin": "https://example.com"}
    for address in ("/api/v1", "/api/v1/rankings/x"):
        assert client.get(address, headers=far).headers["access-control-allow-origin"] == "*"
    asked = far | {"access-control-request-method": "POST",
                   "access-control-request-headers": "authorization"}  # fmt: skip
    told = client.options("/api/v1", headers=asked).headers
    assert [name for name in told if name.startswith("access-control")] == []
    assert "access-control-allow-credentials" not in as_role("officer").get("/api/v1").headers
    assert "access-control-allow-origin" not in client.get("/", headers=far).headers


def test_no_cache_shares_what_a_token_was_sent(client: Client, app_state: AppState) -> None:
    answer = program(client, app_state, "administrator").answer("GET", "/regulations")
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "Authorization" in answer.headers["vary"]
    assert answer.json() == client.get("/api/v1/regulations").json()
    assert client.get("/api/v1/regulations").headers["cache-control"] == "no-cache"
