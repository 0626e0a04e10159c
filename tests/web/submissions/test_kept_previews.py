"""A preview is made once for everyone who looks at it, and again whenever it may be another."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.journal.store.journal import Journal
from palmares.web.submissions import preview, steps, submissions
from tests.journal.statements import OFFICER, player
from tests.web.conftest import AsRole
from tests.web.seasons import prague
from tests.web.visits import JSON, send

REPORT = """\
Graz Open

1. Ada Novak (CZE)
2. Ben Olsen (DEN)
3. Eva Kos (SLO)
"""
ANSWERS = {
    "tournament.discipline": "backgammon",
    "tournament.end_date": "2020-01-19",
    "tournament.0.main.entrants": "3",
    "tournament.0.kind": "championship",
    "tournament.0.entry_fee": "50",
}


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over."""
    return prague(journal)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was made until now: readings and previews."""
    found: list[str] = []

    def counted(name: str, make: Any) -> Any:
        def call(*given: Any) -> Any:
            found.append(name)
            return make(*given)

        return call

    previewed = counted("preview", preview.preview_report)
    monkeypatch.setattr(steps, "preview_report", previewed)
    read = submissions.read_submission
    monkeypatch.setattr(submissions, "read_submission", counted("reading", read))
    return found


def test_a_report_is_read_and_previewed_once(
    season: Journal, as_role: AsRole, made: list[str]
) -> None:
    """From the director's first look to the approval; by then the journal is asked again."""
    dita, otto = as_role("director"), as_role("officer")
    address = send(dita, "/director/submissions", text=REPORT, **ANSWERS).headers["location"]
    page = dita.get(address, headers=JSON).json()
    assert made == ["reading", "preview"]
    send(dita, f"{address}/move", version=page["version"], to="submitted")
    dita.get(address)
    review = address.replace("/director/", "/officer/")
    otto.get("/officer")
    seen = otto.get(review, headers=JSON).json()
    assert made == ["reading", "preview"]
    assert {one["author"] for one in seen["preview"]["entries"]} == {"Test Officer"}
    form = {"version": seen["version"], "digest": seen["preview"]["digest"]}
    assert send(otto, f"{review}/approval", **form).status_code == 303
    assert made == ["reading", "preview"]
    assert "as entry" in dita.get("/director").text


def test_no_preview_of_an_earlier_journal_is_shown(
    season: Journal, as_role: AsRole, made: list[str]
) -> None:
    dita = as_role("director")
    address = send(dita, "/director/submissions", text=REPORT, **ANSWERS).headers["location"]
    states = {
        one["written"]: one["state"] for one in dita.get(address, headers=JSON).json()["people"]
    }
    assert states["Eva Kos (SVN)"] == "new"
    season.record([player("P9", "Eva Kos", "SVN")], OFFICER)
    states = {
        one["written"]: one["state"] for one in dita.get(address, headers=JSON).json()["people"]
    }
    assert states["Eva Kos (SVN)"] == "known"
    assert made == ["reading", "preview", "preview"]


def test_other_contents_have_another_preview(
    season: Journal, as_role: AsRole, made: list[str]
) -> None:
    dita = as_role("director")
    address = send(dita, "/director/submissions", text=REPORT, **ANSWERS).headers["location"]
    before = dita.get(address, headers=JSON).json()
    send(dita, address, text=REPORT.replace("3. Eva Kos (SLO)\n", ""), version=1)
    after = dita.get(address, headers=JSON).json()
    assert (len(before["people"]), len(after["people"])) == (3, 2)
    assert made == ["reading", "preview"] * 2
