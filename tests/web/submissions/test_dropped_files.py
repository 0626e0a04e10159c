"""Whatever a director drops or pastes: read by what it is, or refused in words that help."""

from __future__ import annotations

from io import BytesIO

import openpyxl
import pytest

from palmares.web.submissions.parse import kind_of_file
from tests.web.conftest import AsRole
from tests.web.director.test_director import look
from tests.web.submissions.test_encodings import send

LINES = b"Graz Open\n\n1 Ada Novak (CZE)\n2 Tom Dugan (ENG)\n"
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0"


def workbook() -> bytes:
    """Two worksheets; the second has the result."""
    book, content = openpyxl.Workbook(), BytesIO()
    assert book.active is not None
    book.active.append(["Our club"])
    rows = book.create_sheet("Results")
    for row in (["Place", "Player"], [1, "Ada Novak"], [2, "Tom Dugan"]):
        rows.append(row)
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize("name", ["result", "result.text", "result.txt", "result.csv"])
def test_a_text_is_read_whatever_it_is_called(as_role: AsRole, name: str) -> None:
    dita = as_role("director")
    page = look(dita, send(dita, LINES, name).headers["location"])
    assert [row["name"] for row in page["rows"]] == ["Ada Novak", "Tom Dugan"]


@pytest.mark.parametrize("name", ["result.xlsx", "result.csv", "result"])
def test_the_worksheet_that_has_places_is_read(as_role: AsRole, name: str) -> None:
    dita = as_role("director")
    page = look(dita, send(dita, workbook(), name).headers["location"])
    assert (page["sheets"], page["sheet"]) == (["Sheet", "Results"], "Results")
    assert [row["name"] for row in page["rows"]] == ["Ada Novak", "Tom Dugan"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("result.pdf", b"%PDF-1.7\n"),
        ("result.csv", b"%PDF-1.7\n"),
        ("result.png", PICTURE),
        ("result.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"),
        ("result.docx", b"PK\x03\x04\0"),
    ],
)
def test_what_is_no_text_is_refused(as_role: AsRole, name: str, content: bytes) -> None:
    answer = send(as_role("director"), content, name)
    assert answer.status_code == 422
    words = f"{name} is neither a table nor a text. Copy the result out of it and paste it here."
    assert words in answer.text


def test_a_text_and_a_file_are_one_too_many(as_role: AsRole) -> None:
    """The text is kept: nothing that was typed is lost."""
    dita = as_role("director")
    answer = send(dita, LINES, "result.txt", text="1 Ben Olsen (DEN)")
    assert answer.status_code == 422
    assert "You pasted a result and chose a file. Keep one of them." in answer.text
    assert "1 Ben Olsen (DEN)</textarea>" in answer.text


def test_another_file_that_is_no_text_leaves_the_report(as_role: AsRole) -> None:
    """The page of the report says why; it is as it was."""
    dita = as_role("director")
    address = send(dita, LINES, "result.txt").headers["location"]
    files = {"file": ("result.png", PICTURE)}
    answer = dita.post(address, files=files, data={"version": "1"})
    assert answer.status_code == 422
    assert "result.png is neither a table nor a text." in answer.text
    assert "1 Ada Novak (CZE)" in answer.text
    assert look(dita, address)["version"] == 1


@pytest.mark.parametrize("text", ["hello, how are you?\nsee you tomorrow.\n", "a;b\nc;d\n"])
def test_prose_is_one_problem(as_role: AsRole, text: str) -> None:
    dita = as_role("director")
    page = look(dita, send(dita, text.encode(), "result.csv").headers["location"])
    (problem,) = page["problems"]
    assert problem["what"] == "no places and names begin here"
    assert "like 1 Ada Novak (CZE)" in problem["remedy"]


def test_utf_16_is_a_text() -> None:
    assert kind_of_file("result.csv", "rank,name\n".encode("utf-16")) == "csv"
