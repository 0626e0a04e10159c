"""The officer's log says of publications and withdrawals what they are, and leads there."""

from __future__ import annotations

from palmares.journal.store.journal import Journal
from tests.web.conftest import AsRole, Client
from tests.web.officer.test_officer import decide, desk
from tests.web.visits import JSON


def test_what_was_published_and_withdrawn(
    journal: Journal, as_role: AsRole, client: Client
) -> None:
    officer = desk(journal, as_role)
    decide(officer, "publish", regulation="wbgf", day="2019-12-31", note="after the appeal")
    decide(officer, "withdraw", tournament="T1", reason="no sanction")
    decide(officer, "undo", entry="6", reason="it was sanctioned")
    log = officer.get("/officer/log", headers=JSON).json()["items"]
    undo, withdrawal, publication = log[:3]
    result = client.get("/published/5/manifest").json()["publication"]["list_sha256"]
    assert publication["author"] == withdrawal["author"] == "Test Officer"
    assert publication["words"] == (
        f"wbgf 2019-12-31: 2 places, as of 2019-12-31, result {result[:12]}, made at entry 4;"
        " after the appeal"
    )
    assert withdrawal["words"] == "withdrew T1 Open [T1]: no sanction"
    assert [one["address"] for one in publication["links"]] == [
        "/published/5", "/rankings/wbgf/2019-12-31",
    ]  # fmt: skip
    assert [one["address"] for one in withdrawal["links"]] == ["/tournaments/T1"]
    assert [one["address"] for one in undo["links"]] == ["/officer/log/6"]
    page = officer.get("/officer/log").text
    for one in (*publication["links"], *withdrawal["links"], *undo["links"]):
        assert f'<a href="{one["address"]}">{one["label"]}</a>' in page
        assert officer.get(one["address"]).status_code == 200


def test_the_rest_of_a_decision_stays_in_sight_while_it_is_undone(
    journal: Journal, as_role: AsRole
) -> None:
    """Someone else played in two tournaments: undoing one shows the other with its undo."""
    officer = desk(journal, as_role)
    for city in ("Brno", "Graz"):
        decide(officer, "override", tournament="T1", table="tournaments", column="city",
               row="tournament_id = T1", value=city, reason="one reason")  # fmt: skip
    decide(officer, "undo", entry="5", reason="it was right")
    done = officer.get("/officer?done=7", headers=JSON).json()["outcome"]
    assert [one["sequence"] for one in done] == [7, 6]
    assert done[1]["can_undo"]
