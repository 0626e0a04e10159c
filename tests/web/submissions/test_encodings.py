"""Texts that are not UTF-8: read as their director says, never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.core.errors import Refused
from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.submissions.parse import as_utf8, encoding_name
from tests.web.api.programs import program
from tests.web.conftest import AsRole, Client
from tests.web.director.test_director import look
from tests.web.visits import JSON

SHEET = (
    "name: Übersee Open\ndiscipline: backgammon\nend_date: 2020-01-19\n"
    "Place,Name,Country\n1,Jörg Müller,GER\n"
)
EXCEL = SHEET.encode("cp1252")


def send(client: Client, content: bytes, name: str = "list.csv", **fields: str) -> Any:
    files = {"file": (name, content)}
    return client.post("/director/submissions", files=files, data=fields, follow_redirects=False)


def test_one_click_reads_it(as_role: AsRole) -> None:
    dita = as_role("director")
    address = send(dita, EXCEL).headers["location"]
    page = look(dita, address)
    (problem,) = page["problems"]
    assert problem["what"] == "this is not UTF-8 text"
    assert problem["remedy"] == "Choose how it was written, or save it as UTF-8."
    lines = {one["name"]: one["text"] for one in page["encodings"]}
    assert lines["cp1252"] == "name: Übersee Open"
    html = dita.get(address).text
    assert "--encoding" not in html
    assert "This file does not say how its letters are written. Which line reads right?" in html
    assert "UTF-8" not in html
    assert '<button name="encoding" value="cp1252">Read it as Windows-1252<' in html
    data = {"version": "1", "encoding": "cp1252"}
    assert dita.post(address, data=data, follow_redirects=False).status_code == 303
    page = look(dita, address)
    assert (page["problems"], page["encodings"], page["text"]) == ([], [], SHEET)
    assert page["submission"]["title"] == "Übersee Open"
    assert [one["written"] for one in page["people"]] == ["Jörg Müller (DEU)"]


def test_programs_say_it_as_everywhere(
    journal: Journal, client: Client, app_state: AppState
) -> None:
    robot = program(client, app_state, "director")
    kind = {"content-type": "text/csv; charset=windows-1252"}
    page = robot.ask("POST", "/submissions", 201, content=EXCEL, headers=kind)
    assert (page["problems"], page["text"]) == ([], SHEET)
    page = robot.ask(
        "POST", "/submissions", 201, content=EXCEL, headers={"content-type": "text/csv"}
    )
    assert page["problems"][0]["remedy"] == "Choose how it was written, or save it as UTF-8."
    assert "cp1252" in {one["name"] for one in page["encodings"]}
    number = page["submission"]["id"]
    page = robot.ask("PUT", f"/submissions/{number}?version=1", content=EXCEL, headers=kind)
    assert page["problems"] == []


def test_in_german(as_role: AsRole) -> None:
    dita = as_role("director")
    address = send(dita, EXCEL).headers["location"]
    html = dita.get(address, headers={"accept-language": "de"}).text
    assert "Als Windows-1252 lesen" in html
    assert "--encoding" not in dita.get(address, headers=JSON).text


def test_names_of_encodings() -> None:
    names = ("Windows-1252", "latin1", "UTF8", "us-ascii", "utf-16")
    assert [encoding_name(name) for name in names] == [
        "cp1252", "iso8859-1", "utf-8", "utf-8", "utf-16",
    ]  # fmt: skip
    assert [
        encoding_name(one) for one in ("rot13", "hex", "idna", "koi8-r", "", "a\0b", "ü" * 900)
    ] == [""] * 7
    assert as_utf8("\ufeffä".encode(), "cp1252") == "\ufeffä".encode()
    with pytest.raises(Refused, match="UTF-8, or in one of cp1252, "):
        as_utf8(b"x", "koi8-r")


def test_a_declaration_does_not_contradict() -> None:
    text = '<?xml version="1.0" encoding="windows-1252"?><a>é</a>'
    assert as_utf8(text.encode("cp1252"), "cp1252").decode() == '<?xml version="1.0"?><a>é</a>'
