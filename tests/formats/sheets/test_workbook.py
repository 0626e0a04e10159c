"""The gate for workbooks: each trap gets a plain problem, and this process lives on."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Color, Font, PatternFill

from palmares.facts.decoding import ReportTables
from palmares.formats.sheets import placings
from palmares.formats.sheets import workbook as sandbox
from palmares.formats.sheets.workbook import Limits, Worksheet, open_sheet
from palmares.web.submissions.parse import ONLINE
from tests.amounts import amount
from tests.packages import run


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
) -> tuple[Worksheet | None, str]:
    found = ReportTables("x.xlsx")
    page = open_sheet(content, found, sheet, limits)
    return page, "\n".join(problem.what for problem in found.problems)


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
TOO_MUCH = "the workbook takes too much memory or time to read"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(workbook(TABLE, XFD1048576=1), TOO_MUCH, id="far cell"),
        pytest.param(workbook(TABLE, A1048576=1, ZZ1=1), TOO_MUCH, id="far corner"),
        pytest.param(package({**WORKBOOK, SHEET: b"<!DOCTYPE x [<!ENTITY a 'aaaa'>]>"}),
                     "could not be read", id="entities"),
        pytest.param(package({**WORKBOOK, SHEET: b" " * 50_000_000}), "unpacks to 50,000,011",
                     id="zip bomb"),
        pytest.param(package({f"a{number}": b"" for number in range(2001)}), "2001 files",
                     id="many files"),
        pytest.param(package({"a.txt": b"x"}), "but no workbook", id="another zip"),
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
    assert "characters, and 1,048,576 are read" in problem
    assert opened(content)[0] is not None


def test_a_far_cell_that_only_has_a_format_is_no_content() -> None:
    book = openpyxl.load_workbook(BytesIO(workbook(TABLE)))
    book.active["XFD1048576"].font = Font(bold=True)
    content = BytesIO()
    book.save(content)
    page, problem = opened(content.getvalue())
    assert problem == ""
    assert page is not None
    assert len(page.rows) == 2


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


# ── OpenDocument ─────────────────────────────────────────────────────────────────────────────────

BEGIN = (
    '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:'
    'xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
    '<office:spreadsheet><table:table table:name="Placings">'
)
END = "</table:table></office:spreadsheet></office:body></office:document-content>"
BELOW = (  # as LibreOffice ends every sheet
    '<table:table-row table:number-rows-repeated="1048570" table:style-name="ro1">'
    '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
)


def ods(rows: str, **more: bytes) -> bytes:
    """An OpenDocument workbook with such rows in its sheet."""
    parts = {
        "META-INF/manifest.xml": b"<manifest:manifest/>",
        "content.xml": f"{BEGIN}{rows}{BELOW}{END}".encode(),
        **more,
    }
    return package({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"} | parts)


def row(*cells: str, times: int = 1) -> str:
    return (
        f'<table:table-row table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'
    )


def word(text: str, times: int = 1) -> str:
    return (
        f'<table:table-cell table:number-columns-repeated="{times}" office:value-type="string">'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


def none(times: int) -> str:
    return f'<table:table-cell table:number-columns-repeated="{times}"/>'


def test_an_ods_is_read_as_an_xlsx() -> None:
    number = '<table:table-cell office:value-type="float" office:value="{}"/>'.format
    day = '<table:table-cell office:value-type="date" office:date-value="2019-01-05"/>'
    page, problem = opened(
        ods(
            row(none(1), times=3)
            + row(none(1), word("Rank"), word("Name"), word("Paid"), word("Day"))
            + row(none(1), number(1), word("Ádá"), number(12.5), day)
        )
    )
    assert problem == ""
    assert page is not None
    assert (page.name, page.first, page.left) == ("Placings", 4, 2)
    assert page.rows == [["Rank", "Name", "Paid", "Day"], ["1", "Ádá", "12.5", "2019-01-05"]]


def spanning(text: str, kind: str = 'string"') -> str:
    """A cell over two rows."""
    return word(text).replace('string"', f'{kind} table:number-rows-spanned="2"')


MERGED = "a cell is merged over several rows: {}"


def test_an_xlsx_whose_ranks_are_formulas_without_results() -> None:
    """As programs write that compute nothing: the rank would be read as none."""
    page, _ = opened(workbook([["Rank", "Name"], ["=1+1", "Ádá"]]))
    assert page is not None
    assert page.rows[1] == [sandbox.NOT_COMPUTED, "Ádá"]


def test_a_formula_without_result_outside_the_table() -> None:
    """Whoever reads the rows would not know of it."""
    what = "a formula has no result in the file: A1"
    assert opened(workbook([["=1+1", "Ádá"], ["=2+1", "Bob"]])) == (None, what)


def test_an_ods_whose_ranks_are_formulas_without_results() -> None:
    formula = '<table:table-cell table:formula="of:=1+1"/>'
    rows = row(word("Rank"), word("Name")) + row(formula, word("Ádá"))
    page, _ = opened(ods(rows))
    assert page is not None
    assert page.rows[1] == [sandbox.NOT_COMPUTED, "Ádá"]


def computed(*sheets: tuple[str, str, bool]) -> bytes:
    """A workbook of sheets: name, result of a formula in A2, whether it is hidden."""
    content = BytesIO()
    with xlsxwriter.Workbook(content) as book:
        for name, result, hidden in sheets:
            page = book.add_worksheet(name)
            page.write_row(0, 0, ["Rank", "Name"])
            page.write_formula(1, 0, "=A1", None, result)
            page.write(1, 1, "Ada")
            if hidden:
                page.hide()
            else:
                page.activate()
    return content.getvalue()


def test_an_error_of_a_formula_is_seen() -> None:
    """An error is no empty cell: who has it in place of a rank was not left unplaced."""
    page, _ = opened(computed(("Results", "#N/A", False)))
    assert page is not None
    assert page.rows[1] == ["#N/A", "Ada"]


def test_an_error_on_another_sheet_is_no_matter() -> None:
    content = computed(("Results", "3", False), ("Old & gone", "#REF!", False))
    assert opened(content)[1] == ""
    page, _ = opened(content, "Old & gone")
    assert page is not None
    assert page.rows[1][0] == "#REF!"


def test_an_error_of_an_ods() -> None:
    error = (
        '<table:table-cell table:formula="of:=NA()" office:value-type="string"'
        ' office:string-value="" calcext:value-type="error"><text:p>#N/A</text:p>'
        "</table:table-cell>"
    )
    rows = row(word("Rank"), word("Name")) + row(error, word("Ádá"))
    page, _ = opened(ods(rows))
    assert page is not None
    assert page.rows[1][0] == "#N/A"


@pytest.mark.parametrize(("gap", "read"), [("tab", " "), ("line-break", "\n")])
def test_gaps_of_an_ods(gap: str, read: str) -> None:
    page, _ = opened(
        ods(row(word("Rank"), word("Name")) + row(word("1"), word(f"Ada<text:{gap}/>Bo")))
    )
    assert page is not None
    assert page.rows[1][1] == f"Ada{read}Bo"


def test_the_first_sheet_with_cells_is_read() -> None:
    book = openpyxl.Workbook()
    book.create_chartsheet("Chart", 0)
    book.create_sheet("Results").append(["Rank", "Name"])
    content = BytesIO()
    book.save(content)
    page, _ = opened(content.getvalue())
    assert page is not None
    assert (page.name, page.sheets) == ("Results", ("Chart", "Sheet", "Results"))


def test_a_hidden_sheet_is_not_the_first() -> None:
    page, _ = opened(computed(("Draft", "1", True), ("Results", "2", False)))
    assert page is not None
    assert page.name == "Results"


def test_a_nation_over_two_rows_of_an_ods() -> None:
    """Of the second player it would be read as none; a title over two rows has nothing below."""
    head = row(word("Rank"), word("Name"), word("Nation"))
    below = row(word("2"), word("Ben"), "<table:covered-table-cell/>")
    rows = head + row(word("1"), word("Ádá"), spanning("A &amp; B")) + below
    assert opened(ods(rows)) == (None, MERGED.format("'A & B'"))
    title = row(spanning("Graz Open")) + row("<table:covered-table-cell/>")
    page, problem = opened(ods(title + head + row(word("1"), word("Ádá"), word("CZE"))))
    assert problem == ""
    assert page is not None


def test_ranks_that_stand_in_merged_cells() -> None:
    """A rank over two rows would be read as the first row's alone; a title may be merged."""
    for text in (3, "3-4", "T3"):
        book = openpyxl.Workbook()
        for line in (["Rank", "Name"], [text, "Ádá"], [None, "Ben"]):
            book.active.append(line)
        book.active.merge_cells("A2:A3")
        content = BytesIO()
        book.save(content)
        assert opened(content.getvalue()) == (None, MERGED.format("A2")), text
    below = row("<table:covered-table-cell/>", word("Ben"))
    for text, cell in (
        ("'3-4'", spanning("3-4")),
        ("'3'", spanning("3", 'float" office:value="3"')),
    ):
        rows = row(word("Rank"), word("Name")) + row(cell, word("Ádá")) + below
        assert opened(ods(rows)) == (None, MERGED.format(text)), cell
    title = row(spanning("Harbour Open"), word("Ádá")) + row("<table:covered-table-cell/>")
    assert opened(ods(title))[1] == ""


@pytest.mark.parametrize(("cells", "told"), [("A1:C1", ""), ("A1:C2", ""), ("C3:C4", "C3")])
def test_a_nation_in_a_merged_cell(cells: str, told: str) -> None:
    """The second player would be of no nation; a title of two rows takes nothing from anyone."""
    book = openpyxl.Workbook()
    for line in (["Harbour Open"], [], [1, "Ada", "CZE"], [2, "Ben", None]):
        book.active.append(line)
    book.active.merge_cells(cells)
    content = BytesIO()
    book.save(content)
    assert opened(content.getvalue())[1] == (MERGED.format(told) if told else "")


@pytest.mark.parametrize(
    "row_",
    [
        row(word("x", 200), times=900_000),
        row(word("x", 3), times=-1),
        row(word("x", 3), times=1_000_000),
        row(word('A<text:s text:c="900000000"/>B')),
    ],
    ids=["far", "negative", "rows that repeat", "spaces"],
)
def test_an_ods_of_a_few_bytes_that_would_be_gigabytes(row_: str) -> None:
    """A row may be written once for a million, and spaces as their number."""
    page, problem = opened(ods(row_), limits=ONLINE)
    assert page is None
    assert problem.startswith((TOO_MUCH, "the workbook could not be read"))


def test_an_ods_with_entities_is_not_opened() -> None:
    bomb = f'<!DOCTYPE x [<!ENTITY a "{"a" * 99}">]>'
    content = f"{BEGIN}{row(word('&a;'))}{END}".replace("?>", "?>" + bomb, 1)
    page, problem = opened(ods("", **{"content.xml": content.encode()}))
    assert page is None
    assert "could not be read" in problem


def test_an_ods_with_a_password() -> None:
    manifest = b"<manifest:manifest><manifest:encryption-data/></manifest:manifest>"
    locked = ods(row(word("x")), **{"META-INF/manifest.xml": manifest})
    assert opened(locked) == (None, "the workbook is locked with a password")


def test_placings_of_an_ods(tmp_path: Path) -> None:
    """As LibreOffice saves them; the tournament stands in lines above."""
    file = tmp_path / "open.ods"
    file.write_bytes(
        ods(
            row(word("name: Harbour Open"))
            + row(word("end_date: 2019-03-03"))
            + row(word("Rank"), word("Name"), word("Nation"))
            + row(word("1"), word("Ada Novák"), word("CZE"))
            + row(word("2"), word("Ben Ode"), word("GER"))
        )
    )
    result = run("check", file)
    assert result.exit_code == 0, result.output
    assert "No problems. 2 players, 1 tournament, 1 event" in result.stdout


# ── what a program shows, and a reader of values would not see ───────────────────────────────────

TOP: list[list[Any]] = [["name", "Graz Open"], ["end_date", "2020-01-19"], ["entry_fee", 50.5]]
RESULTS: list[list[Any]] = [["Rank", "Name"], [1, "Ada"], [2, "Ben"]]


def styled(rows: list[list[Any]], cell: str, **style: Any) -> bytes:
    book = openpyxl.load_workbook(BytesIO(workbook(rows)))
    for name, value in style.items():
        setattr(book.active[cell], name, value)
    content = BytesIO()
    book.save(content)
    return content.getvalue()


def wrong(content: bytes, file: str = "x.xlsx") -> list[str]:
    problems = placings.read(content, file).problems
    return [f"{one.where} {one.what}" for one in problems]


@pytest.mark.parametrize(
    ("number_format", "stated", "told"),
    [
        ('"$"#,##0.00', "", "'$', and its currency is EUR"),
        ("[$CHF-807] #,##0.00", "", "'CHF', and its currency is EUR"),
        ("[$CHF-807] #,##0.00", "USD", "'CHF', and its currency is USD"),
        ('#,##0.00 "kr"', "", "'kr', and its currency is EUR"),
        ("#,##0.00 [$\u20ac-407]", "USD", "'\u20ac', and its currency is USD"),
        ("#,##0.00 [$\u20ac-407]", "", ""),
        ('"$"#,##0.00', "CAD", ""),
        ("[$CHF-807] #,##0.00", "chf", ""),
        ("0.00", "", ""),
    ],
)
def test_a_fee_is_shown_in_a_currency(number_format: str, stated: str, told: str) -> None:
    """The number alone would be taken for euro."""
    rows = [*TOP, *([["currency", stated]] if stated else []), *RESULTS]
    found = wrong(styled(rows, "B3", number_format=number_format))
    assert found == ([f"x.xlsx:B3 entry_fee is shown with {told}"] if told else [])


def test_a_fee_of_an_ods_is_shown_in_a_currency() -> None:
    fee = '<table:table-cell office:value-type="currency" office:currency="{}" office:value="50"/>'
    for code, told in (("USD", ["x.ods:B3 entry_fee is shown with 'USD', and its currency is EUR"]),
                       ("EUR", [])):  # fmt: skip
        rows = [row(*map(word, each)) for each in (*TOP[:2], RESULTS[0], ("1", "Ada"))]
        rows.insert(2, row(word("entry_fee"), fee.format(code)))
        assert wrong(ods("".join(rows)), "x.ods") == told


def test_a_result_that_is_struck_out() -> None:
    content = styled([*TOP, *RESULTS], "B6", font=Font(strike=True))
    assert wrong(content) == ["x.xlsx a cell is struck out: B6"]
    assert wrong(styled([*TOP, *RESULTS], "C9", font=Font(strike=True))) == []  # empty
    assert wrong(styled([*TOP, *RESULTS], "B6", font=Font(strike=False))) == []
    rich = CellRichText(TextBlock(InlineFont(strike=True), "Ben"))
    assert wrong(styled([*TOP, *RESULTS], "B6", value=rich)) == ["x.xlsx a cell is struck out: B6"]


def test_a_result_of_an_ods_that_is_struck_out() -> None:
    """In the style of the cell, or of the text in it."""
    style = (
        '<style:style style:name="ce1" style:family="table-cell"/><style:style style:name="{}">'
        '<style:text-properties style:text-line-through-style="{}"/></style:style>'
    )
    rows = "".join(row(*map(word, each)) for each in (*TOP[:2], RESULTS[0], ("1", "Ada")))
    cell = '<table:table-cell table:style-name="ce1" office:value-type="string"><text:p>2</text:p>'
    rows += row(
        cell + "</table:table-cell>", word('<text:span text:style-name="T">Ben</text:span>')
    )
    for name, line, told in (
        ("T", "solid", ["x.ods a cell is struck out: B5"]),
        ("T", "none", []),
        ("other", "solid", []),
    ):
        content = f"{BEGIN}{rows}{END}".replace(
            "<office:body>", style.format(name, line) + "<office:body>"
        )
        assert wrong(ods("", **{"content.xml": content.encode()}), "x.ods") == told


def based_on(named: str, base: str, inside: str) -> Iterator[bytes]:
    """Sheets in which Ben's cell has a style based on a named one: its own, and its column's."""
    style = f'<style:style style:name="T" style:parent-style-name="{base}">{inside}</style:style>'
    cell = '<table:table-cell{} office:value-type="string"><text:p>Ben</text:p></table:table-cell>'
    rows = "".join(row(*map(word, each)) for each in (*TOP[:2], RESULTS[0], ("1", "Ada")))
    rows = rows.replace("<table:table-cell ", '<table:table-cell table:style-name="plain" ')
    column = '<table:table-column/><table:table-column table:default-cell-style-name="T"/>'
    for columns, of_cell in (("", ' table:style-name="T"'), (column, "")):
        content = f"{BEGIN}{columns}{rows}{row(word('2'), cell.format(of_cell))}{END}"
        content = content.replace("<office:body>", f"{style}<office:body>")
        yield ods("", **{"content.xml": content.encode(), "styles.xml": named.encode()})


@pytest.mark.parametrize(
    ("base", "inside", "is_struck"),
    [
        ("gone", "", True),
        ("child", "", True),
        ("other", "", False),
        ("other", '<style:map style:condition="a" style:apply-style-name="gone"/>', True),
        ("gone", '<style:text-properties style:text-line-through-style="none"/>', False),
    ],
)
def test_a_style_of_an_ods_inherits_the_line_through(
    base: str, inside: str, is_struck: bool
) -> None:
    """From a named style; it may be that of the cell, or of its column."""
    named = (
        '<style:style style:name="gone"><style:text-properties'
        ' style:text-line-through-style="solid"/></style:style>'
        '<style:style style:name="child" style:parent-style-name="gone"/>'
    )
    for content in based_on(named, base, inside):
        told = ["x.ods a cell is struck out: B5"] * is_struck
        assert wrong(content, "x.ods") == told


WHITE = "1 row is hidden in the sheet or has white text, and is read"


@pytest.mark.parametrize(
    ("font", "fill", "is_told"),
    [
        (Font(color="FFFFFF"), None, True),
        (Font(color=Color(theme=0)), None, True),
        (Font(color=Color(theme=0)), PatternFill("solid", fgColor="000000"), False),
        (Font(color="FF0000"), None, False),
    ],
)
def test_white_text(font: Font, fill: PatternFill | None, is_told: bool) -> None:
    """Nobody sees it, unless it is on a colour."""
    style = {"font": font} | ({"fill": fill} if fill else {})
    raw = placings.read(styled([*TOP, *RESULTS], "B6", **style), "x.xlsx")
    assert [each.where for each in raw.notices if each.what == WHITE] == ["x.xlsx:6"] * is_told


def test_white_text_on_the_eleventh_colour() -> None:
    book = openpyxl.load_workbook(BytesIO(workbook([*TOP, *RESULTS])))
    for number in range(1, 12):
        cell = book.active.cell(5 + number, 2)
        cell.fill = PatternFill("solid", fgColor=f"0000{number:02}")
        cell.font = Font(color="FFFFFF")
    content = BytesIO()
    book.save(content)
    notices = placings.read(content.getvalue(), "x.xlsx").notices
    assert not any("white" in each.what for each in notices)


@pytest.mark.parametrize("colour", ["#ffffff", "#ff0000"])
def test_white_text_of_an_ods(colour: str) -> None:
    style = (
        f'<style:style style:name="T"><style:text-properties fo:color="{colour}"/></style:style>'
    )
    rows = "".join(row(*map(word, each)) for each in (*TOP[:2], RESULTS[0], ("1", "Ada")))
    cell = '<table:table-cell table:style-name="T" office:value-type="string"><text:p>Ben</text:p>'
    content = f"{BEGIN}{rows}{row(word('2'), f'{cell}</table:table-cell>')}{END}"
    content = content.replace("<office:body>", f"{style}<office:body>")
    raw = placings.read(ods("", **{"content.xml": content.encode()}), "x.ods")
    assert (WHITE in [each.what for each in raw.notices]) == (colour == "#ffffff")


@pytest.mark.parametrize(
    ("base", "inside", "is_white"),
    [
        ("pale", "", True),
        ("child", "", True),
        ("other", "", False),
        ("pale", '<style:text-properties fo:color="#000000"/>', False),
        ("pale", '<style:table-cell-properties fo:background-color="#000000"/>', False),
    ],
)
def test_a_style_of_an_ods_inherits_white_text(base: str, inside: str, is_white: bool) -> None:
    """From a named style; it may be that of the cell, or of its column."""
    named = (
        '<style:style style:name="pale"><style:text-properties fo:color="#ffffff"/></style:style>'
        '<style:style style:name="child" style:parent-style-name="pale"/>'
    )
    for content in based_on(named, base, inside):
        notices = placings.read(content, "x.ods").notices
        assert [each.where for each in notices if each.what == WHITE] == ["x.ods:5"] * is_white


def test_notes_beside_cells() -> None:
    """A note may say that somebody was disqualified."""
    what = "1 note beside a cell is not read"
    content = styled([*TOP, *RESULTS], "B6", comment=Comment("disqualified", "TD"))
    assert what in [each.what for each in placings.read(content, "x.xlsx").notices]
    note = "<office:annotation><text:p>disqualified</text:p></office:annotation>"
    rows = "".join(row(*map(word, each)) for each in (*TOP[:2], RESULTS[0]))
    cell = f'<table:table-cell office:value-type="string">{note}<text:p>Ada</text:p>'
    rows += row(word("1"), f"{cell}</table:table-cell>")
    raw = placings.read(ods("", **{"content.xml": f"{BEGIN}{rows}{END}".encode()}), "x.ods")
    assert what in [each.what for each in raw.notices]
    assert [player["name"] for player in raw.table("players")] == ["Ada"]


def test_a_rule_that_strikes_out() -> None:
    """Which cells it strikes, only a spreadsheet program computes."""
    for strike, told in ((True, ["x.xlsx a cell is struck out: A5:B6"]), (None, [])):
        book = openpyxl.load_workbook(BytesIO(workbook([*TOP, *RESULTS])))
        rule = FormulaRule(formula=["$A5=2"], font=Font(strike=strike, bold=True))
        book.active.conditional_formatting.add("A5:B6", rule)
        content = BytesIO()
        book.save(content)
        assert wrong(content.getvalue()) == told


def test_hidden_columns_that_are_read_are_told() -> None:
    what = "column A is hidden in the sheet, and is read as the rank"
    book = openpyxl.load_workbook(BytesIO(workbook([*TOP, *RESULTS])))
    for letter in "AD":
        book.active.column_dimensions[letter].hidden = True
    content = BytesIO()
    book.save(content)
    rows = "".join(row(*map(word, each)) for each in (*TOP[:2], RESULTS[0], ("1", "Ada")))
    columns = '<table:table-column table:visibility="collapse"/>'
    hidden = f"{BEGIN}{columns}{rows}{END}".encode()
    for name, book_of in (
        ("x.xlsx", content.getvalue()),
        ("x.ods", ods("", **{"content.xml": hidden})),
    ):
        notices = [notice.what for notice in placings.read(book_of, name).notices]
        assert [what in notices, len([each for each in notices if "hidden" in each])] == [True, 1]


UNDER = "a text lies under a merged cell, where it is not seen: {}"


def test_a_text_under_a_merged_cell() -> None:
    covered = '<table:covered-table-cell office:value-type="string"><text:p>Ben</text:p>'
    rows = row(word("Rank"), word("Name"))
    rows += row(word("1"), covered + "</table:covered-table-cell>")
    assert opened(ods(rows)) == (None, UNDER.format("B2"))
    content = BytesIO()
    with xlsxwriter.Workbook(content) as book:
        page = book.add_worksheet()
        page.write_row(0, 0, ["Rank", "Name"])
        page.merge_range("A2:B2", "1")
        page.write(1, 1, "Ada")
    assert opened(content.getvalue()) == (None, UNDER.format("B2"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Consolation", "'Consolation' is a flight, and the placings have no column"),
        ("Last chance (16)", "'Last chance (16)' is a flight, and the placings have no column"),
        ("Side pool", "'Side pool' names another event than the main one"),
        ("DOUBLES", "'DOUBLES' names another event than the main one"),
        ("Main", ""),
        ("C", ""),
        ("Graz", ""),
    ],
)
def test_a_worksheet_of_another_flight_or_event(name: str, told: str) -> None:
    """It would be read as the main flight of the main event."""
    book = openpyxl.load_workbook(BytesIO(workbook([*TOP, *RESULTS])))
    book.active.title = name
    content = BytesIO()
    book.save(content)
    found = wrong(content.getvalue())
    assert found[0].startswith(f"x.xlsx {told}") if told else not found, found


def test_a_flight_in_the_name_of_a_file() -> None:
    text = "name: Graz Open\nend_date: 2020-01-19\n{}rank,name\n1,Ada\n"
    found = wrong(text.format("").encode(), "a/consolation.csv")
    assert found[0].startswith("a/consolation.csv 'consolation' is a flight"), found
    assert wrong(text.format("event: Doubles\n").encode(), "doubles.csv") == []
