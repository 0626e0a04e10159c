"""Names that nobody can read are refused where they stand, in a sentence."""

from __future__ import annotations

import json
import re
import zipfile
from io import BytesIO
from typing import Any

import openpyxl
import pytest

from palmares.web.submissions import parse
from tests.hostile import REFUSED, Hostile
from tests.web.conftest import AsRole, Client
from tests.web.hostile_season import page, sheet
from tests.web.hostile_visits import seen, shape

UNSEEN = "\u202e\u200b\u200d\u2060\x1b\x07\x00"
IDS = [one.attacks for one in REFUSED]


def brought(director: Client, name: str, content: bytes) -> str:
    """A file is sent; the address of the report."""
    answer = director.post(
        "/director/submissions", files={"file": (name, content)}, follow_redirects=False
    )
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def toml(text: str) -> bytes:
    """A report in TOML whose second player is called by a text."""
    lines = f"1 Ada Novak (CZE)\n2 {text} (CZE)"
    return (
        '[tournament]\nname = "T"\ndiscipline = "backgammon"\nend_date = 2020-01-05\n\n'
        '[[event]]\nname = "Main"\n\n[event.main]\nentrants = 2\n'
        f"placings = {json.dumps(lines, ensure_ascii=False)}\n"
    ).encode()


def unseen(html: str) -> set[str]:
    """What cannot be seen in the words of a page; what somebody types is his own."""
    return set(UNSEEN) & set("".join(shape(html).words))


def told(director: Client, address: str) -> Any:
    """The page of a report: nothing unseen stands in it, but where it is typed."""
    assert unseen(seen(director, address).text) == set()
    return page(director, address)


@pytest.mark.parametrize("one", REFUSED, ids=IDS)
def test_refused_at_its_cell(as_role: AsRole, one: Hostile) -> None:
    director = as_role("director")
    found = told(director, brought(director, "a.csv", sheet(("Ada", one.text), "T")))
    if one.refused == "a line break":  # a cell of a sheet may have several lines: two players
        assert "the name in this row has several lines" in found["problems"][0]["what"]
        return
    if one.refused == "U+200B":  # padding of a web page, which is left out of sheets and pastes
        assert [row["name"] for row in found["rows"]] == ["Ada", "AdaNovak"]
        return
    assert not found["ready"]
    where = {(spot["line"], spot["clause"]) for spot in found["problems"]}
    if "\x00" in one.text:  # no text has it
        assert where == {(8, "report")}
    else:
        assert (8, "facts players.name") in where
        assert any(one.refused in spot["what"] for spot in found["problems"])
    found = told(director, brought(director, "a.toml", toml(one.text)))
    assert any(one.refused in spot["what"] for spot in found["problems"])
    head = b"name: " + one.text.replace("\r\n", " ").encode() + b"\ndiscipline: backgammon\n"
    found = told(director, brought(director, "a.csv", sheet(("Ada",), "T").replace(
        b"name: T\ndiscipline: backgammon\n", head)))  # fmt: skip
    expected = "a zero byte" if "\x00" in one.text else one.refused
    assert any(expected in spot["what"] for spot in found["problems"])


@pytest.mark.parametrize("one", REFUSED, ids=IDS)
def test_refused_by_officers_and_administrators(as_role: AsRole, one: Hostile) -> None:
    officer, admin = as_role("officer"), as_role("administrator")
    sent = officer.post("/officer/decisions/add", data={"name": one.text, "nation": "CZE"})
    plain = {"accept": "application/json"}
    for answer in (
        sent,
        officer.post("/officer/decisions/undo", data={"entry": "1", "reason": one.text}),
        admin.post("/account/tokens", data={"label": one.text, "days": "9"}),
        admin.post(
            "/administrator/invitations", data={"name": one.text, "role": "officer"}, headers=plain
        ),
    ):
        if one.refused == "a line break" and answer.status_code == 200:
            assert "\nforged" not in answer.text
            continue
        assert answer.status_code in (400, 404, 422), answer.text
        assert unseen(answer.text) == set()


def test_bytes_that_are_no_letters(as_role: AsRole) -> None:
    director = as_role("director")
    for wrong in (b"\xed\xa0\x80", b"\xff", b"\xc0\xaf", b"\xf4\x90\x80\x80"):
        content = sheet(("Ada", "Ben"), "T").replace(b"Ben", wrong)
        found = told(director, brought(director, "a.csv", content))
        assert not found["ready"]
        assert found["problems"]
        quoted = "".join(f"%{one:02X}" for one in wrong)
        for address in (
            f"/players/{quoted}",
            f"/players?search={quoted}",
            f"/tournaments/{quoted}",
        ):
            assert seen(director, address).status_code in (200, 400, 404)
        form = b"text=" + quoted.encode()
        kind = {"content-type": "application/x-www-form-urlencoded"}
        assert director.post("/director/submissions", content=form, headers=kind).status_code < 500


def test_one_name_in_two_spellings_is_one_player(as_role: AsRole) -> None:
    director = as_role("director")
    names = ("Ada Nov\u00e1k", "Ada Nova\u0301k")
    found = told(director, brought(director, "a.csv", sheet(names, "T")))
    assert not found["ready"]  # one player in two places
    found = told(director, brought(director, "a.csv", sheet(("Ada\u00a0Nova\u0301k",), "T")))
    assert [one["written"] for one in found["people"]] == ["Ada Nov\u00e1k (CZE)"]


def test_spaces_are_no_name(as_role: AsRole) -> None:
    director = as_role("director")
    for name in ("   ", "\u00a0\u3000", "\t", ""):
        found = told(director, brought(director, "a.csv", sheet(("Ada", name), "T")))
        assert len(found["people"]) == 1
        assert any(one["what"].startswith("no name in this row") for one in found["notices"])


# ── files that are larger than they look ─────────────────────────────────────────────────────────


def workbook(letters: int) -> bytes:
    """A real workbook; one of its cells has so many letters, all alike, which pack to nothing."""
    plain, content = BytesIO(), BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["HERE"])
    book.save(plain)
    with (
        zipfile.ZipFile(plain) as given,
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for name in given.namelist():
            made.writestr(name, given.read(name).replace(b"HERE", b"A" * letters))
    return content.getvalue()


def test_a_bomb_is_not_unpacked(as_role: AsRole) -> None:
    """A quarter of a MiB that would be a quarter of a GiB."""
    content = workbook(2**28)
    assert len(content) < 2**19
    director = as_role("director")
    found = told(director, brought(director, "a.xlsx", content))
    (problem,) = found["problems"]
    with zipfile.ZipFile(BytesIO(content)) as book:
        inside = book.infolist()
    packed, unpacked = (sum(getattr(one, size) for one in inside)
                        for size in ("compress_size", "file_size"))  # fmt: skip
    assert problem["what"] == (
        f"the workbook has {packed:,} bytes and unpacks to {unpacked:,}: it could fill the"
        " memory, so it was not opened"
    )
    assert problem["remedy"].startswith("Save the table of placings alone")


def test_a_long_text_is_not_passed_on(as_role: AsRole) -> None:
    """Small enough to be unpacked, and more than a site reads: 8 MiB of letters."""
    director = as_role("director")
    found = told(director, brought(director, "a.xlsx", workbook(2**24)))
    (problem,) = found["problems"]
    assert re.fullmatch(
        "the workbook could not be read: its cells hold 16,777,[0-9]{3} characters, and 8,388,608"
        " are read",
        problem["what"],
    )


def test_a_cell_far_out_is_not_gone_to(as_role: AsRole) -> None:
    director, far = as_role("director"), BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["Rank", "Name"])
    book.active["XFD1048576"] = "far"
    book.save(far)
    found = told(director, brought(director, "a.xlsx", far.getvalue()))
    (problem,) = found["problems"]
    assert problem["what"] == "the workbook takes too much memory or time to read"
    assert "clear it" in problem["remedy"]


def test_what_is_too_large_is_not_read(as_role: AsRole) -> None:
    director = as_role("director")
    content = b"x" * (21 * 2**20)
    answer = director.post("/director/submissions", files={"file": ("a.csv", content)})
    assert answer.status_code == 413
    long = b"x" * (parse.MOST_TEXT + 1)
    answer = director.post("/director/submissions", files={"file": ("a.csv", long)})
    assert answer.status_code == 422
    assert "and at most 512 KB are read" in answer.text


@pytest.mark.parametrize("begin", ["", "[", "#", "name"])
def test_empty_lines_keep_nobody_busy(begin: str) -> None:
    """Looked at again from each of them, they would take an hour."""
    text = begin + "\n" * 1_000_000
    assert parse.kind_of(text) == "csv"
    assert parse.titled("txt", text.encode()) == ""


def test_a_table_alone_is_a_page() -> None:
    table = "<table><tr><th>Rank</th><th>Name</th></tr><tr><td>1</td><td>Ada</td></tr></table>"
    assert parse.kind_of(table) == "txt"
    reading = parse.read("txt", table.encode(), {"name": "Graz", "end_date": "2024-05-05"})
    assert [row.name for row in reading.rows] == ["Ada"]


def test_what_a_text_is_stands_at_its_beginning() -> None:
    assert parse.kind_of("# May\n\n\t[ tournament ]\n") == "toml"
    assert parse.kind_of("[[event]]\n" + "\n" * 1_000_000) == "toml"
    assert parse.kind_of("\n" * parse.MOST_TEXT + "[tournament]\n") == "csv"
    assert parse.titled("txt", b"a\n\n  # name: Spring Cup\n") == "Spring Cup"
