"""An erased name: the texts of reports in which it stands are thrown away with it."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from palmares.journal.store.journal import Journal
from palmares.web.database import SUBMISSIONS
from palmares.web.http.state import AppState
from palmares.web.submissions import report_form as form
from palmares.web.submissions import submissions
from palmares.web.submissions.parse import GONE
from palmares.web.submissions.submissions import Matches, Submission
from tests.journal.statements import OFFICER, player, report
from tests.packages import run
from tests.web.conftest import NOW, AsRole, Client, signed_in
from tests.web.officer.test_officer import decide, shown
from tests.web.officer.test_officer_queue import TEXT, handed_in, page, send, stored
from tests.web.visits import JSON

WHY = {"player": "P1", "reason": "asked to be forgotten"}


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Ada Novak has won; entries 1 to 3."""
    people = [player("P1", "Ada Novak", "CZE"), player("P3", "Cyril", "GER")]
    journal.record([*people, report("T1", {"P1": 1, "P3": 2})], OFFICER)
    return journal


def kept(app_state: AppState, content: str, kind: str, state: str, **values: Any) -> int:
    """The number of a submission in some state."""
    account = int(signed_in(app_state, "director"))
    with app_state.journal.database.writing() as connection:
        number = submissions.create(connection, account, "", kind, content.encode(), NOW)
        mine = SUBMISSIONS.c.id == number
        connection.execute(sa.update(SUBMISSIONS).where(mine).values(state=state, **values))
    return number


def approved(app_state: AppState, officer: Client) -> Submission:
    """A report of Ada Novak, as an officer approved it."""
    number = handed_in(app_state, "Graz")
    form = {"version": 2, "digest": page(officer, number)["preview"]["digest"]}
    assert send(officer, number, "approval", **form).status_code == 303
    return stored(app_state, number)


@pytest.mark.usefixtures("season")
def test_the_text_of_an_approved_report_goes_with_the_name(
    app_state: AppState, as_role: AsRole
) -> None:
    officer, director = as_role("officer"), as_role("director")
    one = approved(app_state, officer)
    assert b"Ada Novak" in one.content
    seen = shown(officer, "erase", **WHY)
    assert [each["where"] for each in seen["notices"]] == [f"report {one.id}"]
    assert stored(app_state, one.id).content == one.content  # it was only looked at
    entry = decide(officer, "erase", **WHY)["sequence"]
    after = stored(app_state, one.id)
    assert (after.state, after.entry, after.format) == ("approved", one.entry, GONE)
    assert (after.content, after.filename) == (str(entry).encode(), "Graz")
    assert page(officer, one.id)["erased"] == entry
    for who, path in ((officer, "officer"), (director, "director")):
        told = who.get(f"/{path}/submissions/{one.id}")
        assert told.status_code == 200
        assert "Novak" not in told.text
        assert "thrown away with the erasure of" in told.text
        assert "Graz" in told.text
    with app_state.journal.database.reading() as connection:
        rows = connection.execute(sa.select(SUBMISSIONS)).all()
    assert "Novak" not in str(rows)


@pytest.mark.parametrize(
    ("content", "kind", "values"),
    [
        ('rank,name\n1,"Novak, ADA"\n', "csv", {}),
        ("Graz\n1 ada   nov\u00e1k (CZE)\n", "txt", {}),
        (TEXT.replace("Ada Novak", r"\u0041da Novak").replace("{name}", "Graz"), "toml", {}),
        (form.written({"0.main.placings": "1 Ada Novak"}).text, "toml", {}),
        ("not a workbook", "xlsx", {}),  # nobody can say what stands in it
        ("", "txt", {"filename": "ada-novak.txt"}),
        ("", "txt", {"reason": "Ada Novak did not play"}),
        ("", "txt", {"matches": submissions._written(Matches(names={"A. N.": "P1"}))}),
        ("", "txt", {"matches": submissions._written(Matches(tournament={"name": "Ada Novak"}))}),
    ],
)
@pytest.mark.usefixtures("season")
def test_whatever_it_is_written_in(
    app_state: AppState, as_role: AsRole, content: str, kind: str, values: dict[str, Any]
) -> None:
    number = kept(app_state, content, kind, "returned", **values)
    other = kept(app_state, "1 Ada Olsen\n2 Ben Novak", "txt", "returned", reason="no")
    officer = as_role("officer")
    decide(officer, "erase", **WHY)
    found = stored(app_state, number)
    assert found.format == GONE
    assert not {"novak", "ada"} & set(f"{found.filename} {found.reason}".lower().split())
    assert dict(found.matches.names) == {}
    assert stored(app_state, other).format == "txt"
    assert officer.get(f"/officer/submissions/{number}", headers=JSON).status_code == 200
    director = as_role("director")
    assert director.get(f"/director/submissions/{number}").status_code == 200


@pytest.mark.usefixtures("season")
def test_an_officer_is_told_of_texts_on_their_way(app_state: AppState, as_role: AsRole) -> None:
    officer, waits = as_role("officer"), handed_in(app_state, "Graz")
    draft = kept(app_state, "1 Ada Novak", "txt", "draft")
    seen = shown(officer, "erase", **WHY)
    told = [(one["where"], "still on its way" in one["what"]) for one in seen["notices"]]
    assert told == [(f"report {waits}", True), (f"report {draft}", True)]
    decide(officer, "erase", **WHY)
    assert b"Ada Novak" in stored(app_state, waits).content


@pytest.mark.usefixtures("season")
def test_the_command_line_throws_it_away_too(app_state: AppState, as_role: AsRole) -> None:
    officer = as_role("officer")
    one = approved(app_state, officer)
    given = ["--journal", app_state.settings.journal, "--author", "Rita Officer", "--yes"]
    done = run("journal", "erase", "P1", "--reason", "asked", *given)
    assert done.exit_code == 0, done.stderr
    assert f"report {one.id}" in done.stderr
    assert "Novak" not in officer.get(f"/officer/submissions/{one.id}").text
