"""The gate for workbooks: each trap gets a plain problem, and this process lives on."""

from __future__ import annotations

import zipfile
from datetime import date
from io import BytesIO
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.facts.decoding import Findings
from palmares.formats.workbook import sandbox
from palmares.formats.workbook.sandbox import Limits, Sheet, open_sheet
from tests.amounts import amount


def workbook(rows: list[list[Any]], **cells: Any) -> bytes:
    """A workbook with rows, and single cells by their names."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = "Placings"
    for row in rows:
        page.append(row)
    for name, value in cells.items():
        page[name] = value
    content = BytesIO()
    book.save(content)
    return content.getvalue()


def package(parts: dict[str, bytes]) -> bytes:
    """A zip archive of parts."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def opened(
    content: bytes, sheet: str | None = None, limits: Limits = sandbox.AT_HOME
) -> tuple[Sheet | None, str]:
    found = Findings("x.xlsx")
    page = open_sheet(content, found, sheet, limits)
    return page, "\n".join(problem.what for problem in found.raw.problems)


TABLE: list[list[Any]] = [["Rank", "Name", "Paid", "Day"], [1, "Ádá", 12.5, date(2019, 1, 5)]]


def test_cells_as_text() -> None:
    page, problem = opened(workbook([*TABLE, [2, None, True, None]]))
    assert page is not None
    assert problem == ""
    assert (page.name, page.first) == ("Placings", 1)
    assert page.rows[1:] == [["1", "Ádá", "12.5", "2019-01-05"], ["2", "", "true", ""]]


def test_rows_above_that_are_empty_keep_the_numbers() -> None:
    page, _ = opened(workbook([], C5="Rank", D5="Name"))
    assert page is not None
    assert (page.first, page.rows) == (5, [["Rank", "Name"]])


def test_a_sheet_that_is_not_there() -> None:
    page, problem = opened(workbook(TABLE), "Results")
    assert page is None
    assert problem == "the workbook has no sheet 'Results'"


SHEET = "xl/worksheets/sheet1.xml"
WORKBOOK = {"xl/workbook.xml": b"<workbook/>"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(workbook(TABLE, XFD1048576=1), "reaches row 1,048,576 and column 16,384",
                     id="far cell"),
        pytest.param(workbook(TABLE, A1048576=1, AZ1=1), "reaches row 1,048,576", id="far corner"),
        pytest.param(package({**WORKBOOK, SHEET: b'<dimension ref="A1:XFD9"/>'}), "column 16,384",
                     id="far dimension"),
        pytest.param(package({**WORKBOOK, SHEET: b'<c r="&#88;FD1"/>'}), "not what Excel writes",
                     id="hidden reference"),
        pytest.param(package({**WORKBOOK, SHEET: b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>"}),
                     "not what Excel writes", id="entities"),
        pytest.param(package({**WORKBOOK, SHEET: b" " * 50_000_000}), "unpacks to 50,000,011",
                     id="zip bomb"),
        pytest.param(package({f"a{number}": b"" for number in range(2001)}), "2001 files",
                     id="many files"),
        pytest.param(package({"a.txt": b"x"}), "no Excel workbook", id="another zip"),
        pytest.param(package({**WORKBOOK, SHEET: b"<worksheet>"}), "could not be read",
                     id="no workbook inside"),
        pytest.param(workbook(TABLE)[:-200], "cut off", id="truncated"),
        pytest.param(workbook(TABLE)[:500], "cut off", id="truncated early"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old .xls workbook",
                     id="old or encrypted"),
        pytest.param(b"Rank,Name", "cut off, damaged, or no Excel", id="not a zip"),
        pytest.param(b"", "cut off, damaged, or no Excel", id="empty"),
    ],
)  # fmt: skip
def test_the_gate_stays_shut(content: bytes, words: str) -> None:
    page, problem = opened(content)
    assert page is None
    assert words in problem


def test_a_locked_entry() -> None:
    content = bytearray(workbook(TABLE))
    at = content.find(b"PK\x01\x02")
    content[at + 8] |= 1
    assert "locked with a password" in opened(bytes(content))[1]


def test_a_reader_that_needs_too_much_memory() -> None:
    page, problem = opened(workbook(TABLE), limits=Limits(memory=sandbox.MIB))
    assert page is None
    assert "could not be read" in problem


def test_a_reader_that_takes_too_long() -> None:
    assert "could not be read in 0 seconds" in opened(workbook(TABLE), limits=Limits(seconds=0))[1]


def test_a_text_in_very_many_cells() -> None:
    """Excel writes a text once, however many cells hold it: 40 kB here that unpack to 8 MB."""
    content = workbook([["x" * 30_000] * 16] * 16)
    assert len(content) < 100_000
    page, problem = opened(content, limits=Limits(text=sandbox.MIB))
    assert page is None
    assert "letters, and 1,048,576 are read" in problem
    assert opened(content)[0] is not None


def test_a_sheet_with_more_cells_than_are_read() -> None:
    content = workbook([["x"] * 40] * 40)
    assert "reaches row 40 and column 40" in opened(content, limits=Limits(cells=1599))[1]
    assert opened(content, limits=Limits(cells=1600))[0] is not None


def test_a_package_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MOST_BYTES", 100)
    assert "MiB" in opened(workbook(TABLE))[1]


@settings(max_examples=amount(1_000), deadline=None)
@given(st.integers(0, 4000), st.integers(0, 255))
def test_no_damage_is_too_odd(at: int, byte: int) -> None:
    content = bytearray(workbook(TABLE))
    content[at % len(content)] = byte
    page, problem = opened(bytes(content))
    assert (page is None) == bool(problem)
