"""What officers decide by programs: seen first, recorded once, and the journal that comes of it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
import rfc8785

from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.officer.decisions import DECISIONS
from tests.journal import statements as say
from tests.web.api.programs import Program, program
from tests.web.conftest import Client
from tests.web.seasons import winter


@pytest.fixture
def otto(journal: Journal, client: Client, app_state: AppState) -> Program:
    """An officer's program, before six entries."""
    winter(journal)
    return program(client, app_state, "officer")


def seen(otto: Program, what: str, **fields: str) -> Any:
    """What a decision would do."""
    return otto.post(f"/decisions/{what}/preview", fields=fields)


def decide(otto: Program, what: str, **fields: str) -> Any:
    """See what a decision would do, and take it; what was recorded."""
    told = seen(otto, what, **fields)["digest"]
    return otto.post(f"/decisions/{what}", 201, fields=fields, digest=told)


def test_every_decision_with_its_fields(otto: Program) -> None:
    found = {one["name"]: one for one in otto.get("/decisions")["items"]}
    assert list(found) == list(DECISIONS)
    fields = {one["name"]: one for one in found["withdraw"]["fields"]}
    assert (list(fields), fields["reason"]["required"]) == (["tournament", "reason"], True)


def test_it_is_seen_before_it_is_recorded(journal: Journal, otto: Program) -> None:
    """Autumn is withdrawn: what it gave goes from everybody's points."""
    told = seen(otto, "withdraw", tournament="Autumn", reason="never played")
    assert [one["kind"] for one in told["entries"]] == ["withdrawal"]
    rows = next(one for one in told["changes"] if one["regulation"] == "wbgf")["rows"]
    assert {one["player_id"]: one["change"] + one["before"] for one in rows} == dict.fromkeys(
        ("P1", "P2", "P3", "P4"), 0
    )
    assert journal.head().sequence == 6
    fields = {"tournament": "Autumn", "reason": "never played"}
    answer = otto.answer(
        "POST", "/decisions/withdraw", json={"fields": fields, "digest": told["digest"]}
    )
    assert answer.headers["location"] == "/api/v1/entries/7"
    (entry,) = answer.json()["entries"]
    assert (entry["sequence"], entry["author"], entry["role"]) == (7, "Robot officer", "officer")
    (row,) = decide(otto, "undo", entry="7", reason="it was, after all")["entries"]
    assert row["words"].startswith("undid entry 7: it was, after all (withdrew Autumn")


def test_nothing_is_recorded_that_nobody_saw(journal: Journal, otto: Program) -> None:
    fields = {"tournament": "Winter", "reason": "a slip"}
    told = seen(otto, "withdraw", **fields)["digest"]
    otto.post("/decisions/withdraw", 409, fields=fields, digest="0" * 64)
    otto.post("/decisions/withdraw", 409, fields={**fields, "reason": "another"}, digest=told)
    assert journal.head().sequence == 6


def test_what_is_known_already_is_not_recorded_again(journal: Journal, otto: Program) -> None:
    fields = {"currency": "CZK", "day": "2019-12-31", "eur_per_unit": "0.039"}
    assert len(decide(otto, "rate", **fields)["entries"]) == 1
    again = seen(otto, "rate", **fields)
    assert again["entries"] == []
    assert otto.post("/decisions/rate", fields=fields, digest=again["digest"])["entries"] == []
    assert journal.head().sequence == 7


def test_sent_twice_it_is_recorded_once(journal: Journal, otto: Program) -> None:
    """Its key is the journal's: whoever sends again learns which entries it was."""
    fields = {"player": "P1", "tournaments": "Winter", "name": "Eva", "reason": "seen"}
    sent = {"fields": fields, "digest": seen(otto, "split", **fields)["digest"]}
    key = {"idempotency-key": "split of 2019"}
    first = otto.answer("POST", "/decisions/split", json=sent, headers=key)
    again = otto.answer("POST", "/decisions/split", json=sent, headers=key)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert [one["sequence"] for one in again.json()["entries"]] == [7, 8, 9]
    assert (journal.head().sequence, otto.get("/entries/7")["key"]) == (9, "split of 2019")
    other = {"currency": "DKK", "day": "2019-12-31", "eur_per_unit": "0.13"}
    sent = {"fields": other, "digest": seen(otto, "rate", **other)["digest"]}
    told = otto.ask("POST", "/decisions/rate", 422, json=sent, headers=key)
    assert told["detail"].startswith("The key split of 2019 stands for something else: entry 7.")
    assert journal.head().sequence == 9


@pytest.mark.parametrize(
    ("what", "sent", "status", "says"),
    [
        ("dance", {"fields": {}}, 404, "There is no such decision. There are: undo, "),
        ("undo", {"fields": {"entry": "5", "why": "x"}}, 422, "why is no field of it. There are: "),
        ("undo", {"fields": {"entry": "5"}}, 422, "Fill in: Reason."),
        ("undo", {"fields": {"entry": "x", "reason": "x"}}, 422, "x is no number of an entry."),
        ("undo", {"fields": {"entry": "1", "reason": "x"}}, 422, "1 problem, nothing was"),
        ("edit", {"fields": {"player": "P1", "withheld": "yes"}}, 422,
         "Name withheld: yes is none of these: true, false."),
        ("fund-donate", {"fields": {"value": "5", "source": "tip-jar", "day": "2019-11-16",
                                    "donor": "Jane Doe", "named": "Yes"}}, 422,
         "Named in public: Yes is none of these: yes."),
        ("undo", {"fields": {"entry": 5}}, 400, "What was sent cannot be read."),
        ("undo", {"digest": ""}, 400, "What was sent cannot be read."),
    ],
)  # fmt: skip
def test_what_cannot_be_decided(
    otto: Program, what: str, sent: Any, status: int, says: str
) -> None:
    told = otto.post(f"/decisions/{what}/preview", status, **sent)
    assert told["detail"].startswith(says)


# ── the journal ──────────────────────────────────────────────────────────────────────────────────


def test_the_log_page_by_page(otto: Program, journal: Journal) -> None:
    first = otto.get("/entries?limit=4")
    assert [one["sequence"] for one in first["items"]] == [6, 5, 4, 3]
    journal.record([say.player("P9")], say.OFFICER)  # moves nothing
    second = otto.get(first["next"].removeprefix("/api/v1"))
    assert ([one["sequence"] for one in second["items"]], second["next"]) == ([2, 1], None)
    reports = otto.get("/entries?kind=report&limit=1")
    assert [one["sequence"] for one in reports["items"]] == [6]
    older = otto.get(reports["next"].removeprefix("/api/v1"))
    assert ([one["sequence"] for one in older["items"]], older["next"]) == ([5], None)
    assert len(otto.get("/entries?subject=P1&until=%236&since=%231")["items"]) == 1


def test_an_entry_has_all_that_its_hash_seals(otto: Program) -> None:
    found = otto.get("/entries/5")
    assert (found["kind"], found["subject"], found["can_undo"]) == ("report", "Autumn", True)
    assert found["previous"] == otto.get("/entries/4")["hash"]
    beside = ("hash", "words", "links", "can_undo")
    sealed = {name: value for name, value in found.items() if name not in beside}
    sealed["body"] = json.loads(found["body"])
    assert found["hash"] == sha256(rfc8785.dumps(sealed)).hexdigest()
    otto.get("/entries/7", 404)
    otto.get("/entries/" + "9" * 30, 404)


def test_players_who_may_be_one_and_rows_of_a_report(otto: Program, journal: Journal) -> None:
    journal.record([say.player("P8", "Ada Nováková", "CZE")], say.OFFICER)
    pairs = otto.get("/duplicates")["pairs"]
    assert [(one["player"], one["other"]) for one in pairs] == [("P1", "P8")]
    tables = {one["table"]: one for one in otto.get("/reports/Winter")["tables"]}
    keys = [one["key"] for one in tables["placings"]["rows"]]
    assert "event_id = Winter/main\nplayer_id = P4" in keys
    otto.get("/reports/Summer", 404)
