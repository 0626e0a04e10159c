"""Mistakes that readers report: sent without an account, read by officers, never too many."""

from __future__ import annotations

from tests.web.conftest import AsRole, Client

PAGE = "/players/P1/wbgf"


def send(client: Client, text: str, page: str = PAGE) -> int:
    """A note by the form; the status of the answer."""
    return client.post("/mistakes", data={"about": page, "text": text}).status_code


def test_a_visitor_sends_a_note_and_an_officer_is_done_with_it(
    client: Client, as_role: AsRole
) -> None:
    assert f'href="{PAGE}"' in client.get(f"/mistakes?about={PAGE}").text
    assert send(client, "I was second, not third.") == 200
    officer = as_role("officer")
    (note,) = officer.get("/api/v1/notes").json()["items"]
    assert (note["page"], note["text"], note["author"]) == (PAGE, "I was second, not third.", None)
    assert "I was second, not third." in officer.get("/officer/notes").text
    assert "Mistake reported" in officer.get("/officer").text
    assert officer.post(f"/officer/notes/{note['id']}/done").history[0].status_code == 303
    assert officer.get("/api/v1/notes").json()["items"] == []
    assert officer.post(f"/officer/notes/{note['id']}/done").status_code == 404


def test_who_is_signed_in_is_named_and_pages_elsewhere_are_not(as_role: AsRole) -> None:
    officer = as_role("officer")
    assert send(officer, "Wrong fee.", page="https://elsewhere.example/") == 200
    (note,) = officer.get("/api/v1/notes").json()["items"]
    assert (note["page"], note["author"]) == ("", "Test Officer")


def test_an_empty_or_hostile_note_is_refused(client: Client) -> None:
    for text in ("", "   ", "x" * 2001, "turned \u202e round"):
        assert send(client, text) == 422


def test_a_note_may_hold_what_was_copied_from_a_page_and_is_kept_once(
    client: Client, as_role: AsRole
) -> None:
    """Spaces within numbers, isolated names, joined emoji; and a second click."""
    for _ in range(2):
        assert (
            send(client, "1\u202f234\u00a0points, \u2068Ada\u2069 \U0001f469\u200d\U0001f680")
            == 200
        )
    (note,) = as_role("officer").get("/api/v1/notes").json()["items"]
    assert note["text"] == "1 234 points, Ada \U0001f469\u200d\U0001f680"


def test_five_notes_in_a_quarter_of_an_hour(client: Client, as_role: AsRole) -> None:
    assert [send(client, f"Note {one}") for one in range(6)] == [200] * 5 + [429]
    assert len(as_role("officer").get("/api/v1/notes").json()["items"]) == 5


def test_notes_are_for_officers_alone(client: Client, as_role: AsRole) -> None:
    assert client.get("/api/v1/notes").status_code == 401
    assert as_role("director").get("/api/v1/notes").status_code == 403
