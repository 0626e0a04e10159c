"""Lines that an officer pastes: every wrong cell is told with its line and column."""

from __future__ import annotations

from palmares.journal.store import Journal
from tests.web.conftest import AsRole
from tests.web.test_officer import desk
from tests.web.visits import JSON

LINES = """\
Ada Novak; usbgf; 2019-01-01; ; Premium

Nobody Knows; usbgf; 2019-01-01
P3; usbgf; 2019-02-30
P3; usbgf; 2019-02-01; 2019-01-01
P3; usbgf; 2019-02-01; soon
"""


def test_memberships(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    answer = officer.post("/officer/decisions/memberships", data={"lines": LINES}, headers=JSON)
    assert answer.status_code == 422
    page = answer.json()
    assert page["problem"] == "4 problems, nothing was recorded."
    assert [(one["where"], one["what"].partition(";")[0]) for one in page["problems"]] == [
        ("line 3, column 1 (Player)", "No player has the id or the name Nobody Knows."),
        ("line 4, column 3 (First day)", "There is no day 2019-02-30: that month has 28 days."),
        ("line 5, column 4 (Last day)",
         "the end, 2019-01-01, is before the start, 2019-02-01"),
        ("line 6, column 4 (Last day)", "soon is no day"),
    ]  # fmt: skip
    html = officer.post("/officer/decisions/memberships", data={"lines": LINES}).text
    assert "<strong>line 4, column 3 (First day)</strong>" in html


def test_lines_with_too_few_cells(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    lines = "P1; usbgf; 2019-01-01\nP3 usbgf 2019-01-01\nP3"
    answer = officer.post("/officer/decisions/memberships", data={"lines": lines}, headers=JSON)
    assert [(one["where"], one["what"]) for one in answer.json()["problems"]] == [
        ("line 2", "1 cell, and there should be 3 to 5: P3 usbgf 2019-01-01"),
        ("line 3", "1 cell, and there should be 3 to 5: P3"),
    ]


def test_columns_to_correct_are_offered(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    form = officer.get("/officer/decisions/override?table=placings&column=rank").text
    placings = form.partition('<optgroup label="placings">')[2].partition("</optgroup>")[0]
    assert "<option selected>rank</option>" in placings
    assert "event_id" not in placings  # rows belong together by it
    assert form.count(" selected>rank<") == 1
    typed = {"tournament": "T1", "table": "placings", "row": "player_id = P3",
             "column": "points", "value": "1", "reason": "a slip"}  # fmt: skip
    answer = officer.post("/officer/decisions/override", data=typed, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["problem"].startswith("placings has no column points. It has event_id,")
