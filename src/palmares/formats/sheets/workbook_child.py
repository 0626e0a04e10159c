"""
Read one sheet of a workbook in a process of its own.

Run as a file, with the limits and the sheet's name as arguments and the workbook on standard input;
writes JSON. It imports nothing of this project: it must be small, and it may die.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from html import unescape
from io import BytesIO
from itertools import islice
from typing import Any
from zipfile import ZipFile

try:
    import resource
except ImportError:  # Windows: only the time is limited, by the other side
    resource = None  # type: ignore[assignment]

MOST_ODD = 100_000  # cells of each mark
MOST_COLUMNS = 1_000  # that are looked at
ODS = "content.xml"
ODS_AROUND = frozenset({"mimetype", "META-INF/manifest.xml", "styles.xml"})
"""By what a file is known for an OpenDocument one, and its named styles."""
ODS_GAP = re.compile(rb"<text:(?:tab|(line-break))\b[^<>]*/>")
ODS_ERROR = 'calcext:value-type="error"'
WORKBOOK, LINKS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*>")
SHEET_ID = re.compile(rb"""\bid=["']([^"']*)""")
LINK = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")
LINK_ID = re.compile(rb"""\bId=["']([^"']*)""")
LINK_TARGET = re.compile(rb"""\bTarget=["']([^"']*)""")
EXCEL_FORMULA = re.compile(  # a cell with a formula and an empty value or none
    rb"""<(?:\w+:)?c\s([^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^<]*</(?:\w+:)?f>)\s*"""
    rb"""(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
EXCEL_CELL = re.compile(rb"""\br=["']([A-Z]{1,4})(\d{1,9})["']""")
EXCEL_ERROR = re.compile(
    rb"""<(?:\w+:)?c\s([^>]*\bt=["']e["'][^>]*)>(?:(?!</(?:\w+:)?c>).)*?"""
    rb"""<(?:\w+:)?v>([^<]*)<""",
    re.DOTALL,
)
EXCEL_TEXT = re.compile(rb"""\bt=["']str["']""")  # of a formula: an empty text is a result
ODS_CELL = re.compile(
    r"""<table:table-cell((?:[^"'>/]|"[^"]*"|'[^']*')*)(?:/>|>(.*?)</table:table-cell>)""",
    re.DOTALL,
)
ODS_TAG = re.compile(
    r"""<table:(table-row|table-cell|covered-table-cell)\b((?:[^"'>]|"[^"]*"|'[^']*')*)>"""
)
ODS_REPEATED = re.compile(r"""table:number-(?:columns|rows)-repeated=["']([0-9]+)""")
HIDDEN_ROW = re.compile(
    rb"""<(?:\w+:)?row\s(?=[^>]*\bhidden=["'](?:1|true)["'])[^>]*?\br=["'](\d{1,7})["']"""
)
HIDDEN_COLUMNS = re.compile(
    rb"""<(?:\w+:)?col\s(?=[^>]*\bhidden=["'](?:1|true)["'])"""
    rb"""(?=[^>]*\bmin=["'](\d{1,5})["'])[^>]*\bmax=["'](\d{1,5})["']"""
)
ODS_HIDDEN = re.compile(r"""table:visibility=["'](?:collapse|filter)""")
ODS_FORMULA = re.compile(r"""table:formula=["']([^"']*)""")
ODS_ERROR_TEXT = re.compile(r"\s*<text:p>([^<]{0,99})")
ODS_ROWS = re.compile(r"""table:number-rows-spanned=["'](?!1["'])([0-9]+)""")
ODS_NUMBER = re.compile(r"""office:value=["']([^"']*)""")
ODS_CURRENCY = re.compile(r"""office:currency=["']([^"']+)""")
ODS_COLUMN = re.compile(r"<table:table-column\b([^>]*)>")
ODS_STYLE = re.compile(
    r"""<style:style\b([^>]*)(?:/>|(?<!/)>((?:(?!</?style:style\b).)*)</style:style>)""", re.DOTALL
)
ODS_STYLE_NAME = re.compile(r"""\bstyle:name=["']([^"']*)""")
ODS_STRIKE = re.compile(r"""style:text-line-through-(?:style|type)=["'](none)?""")
ODS_PARENT = re.compile(r"""\bstyle:parent-style-name=["']([^"']*)""")
ODS_BASES = re.compile(r"""\bstyle:(?:parent-style|apply-style)-name=["']([^"']*)""")
"""Styles that a style inherits from, or that its conditions apply."""
ODS_STYLES = re.compile(r"""\b(?:table|text):(?:default-cell-)?style-name=["']([^"']*)""")
ODS_OWN_STYLE = "table:style-name="
STYLES, TEXTS = "xl/styles.xml", "xl/sharedStrings.xml"
ODS_NAMED = "styles.xml"
RULES = re.compile(
    rb"""<(?:\w+:)?conditionalFormatting\b[^>]*\bsqref=["']([^"']*)["'][^>]*>(.*?)"""
    rb"""</(?:\w+:)?conditionalFormatting>""",
    re.DOTALL,
)
RULE_FORMAT = re.compile(rb"""\bdxfId=["'](\d+)""")
RULE_FORMATS = re.compile(rb"<(?:\w+:)?dxf(?:\s[^>]*)?(?:/>|>(.*?)</(?:\w+:)?dxf>)", re.DOTALL)
FONT = re.compile(rb"<(?:\w+:)?font(?:\s[^>]*)?(?:/>|>(.*?)</(?:\w+:)?font>)", re.DOTALL)
STRIKE = re.compile(rb"""<(?:\w+:)?d?strike(?!\s+val=["'](?:0|false))\b""")
WHITE = re.compile(
    rb"""<(?:\w+:)?color\s[^>]*?\b"""
    rb"""(?:rgb=["'](?:FF|00)?FFFFFF["']|theme=["']0["']\s*/|indexed=["'][19]["'])"""
)
FILL = re.compile(rb"""\bfillId=["'](?![01]["'])""")
ODS_SEEN = re.compile(r"""fo:background-color=["']#|fo:color=["'](?!#ffffff)""")
ODS_WHITE = re.compile(r"""fo:color=["']#ffffff""")
NOTES = re.compile(rb"<(?:(?:\w+:)?comment|office:annotation)[\s>]")
FORMAT = re.compile(rb"<(?:\w+:)?numFmt\s([^>]*)>")
FORMAT_ID, FONT_ID, CODE = (
    re.compile(rb"""\b%s=["']([^"']*)""" % name) for name in (b"numFmtId", b"fontId", b"formatCode")
)
CELL_FORMATS = re.compile(rb"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
CELL_FORMAT = re.compile(rb"<(?:\w+:)?xf\s([^>]*)>")
SHARED = re.compile(rb"<(?:\w+:)?si\b[^>]*(?:/>|>(.*?)</(?:\w+:)?si>)", re.DOTALL)
CELL = re.compile(rb"<(?:\w+:)?c\s([^>]*[^/>])>(.*?)</(?:\w+:)?c>", re.DOTALL)
CELL_STYLE = re.compile(rb"""\bs=["'](\d+)""")
CELL_SHARED = re.compile(rb"""\bt=["']s["']""")
CELL_VALUE = re.compile(rb"<(?:\w+:)?v>\s*(\d+)")
SIGN = re.compile(r"""\[\$([^\]-]+)|([\u0024\u00a2-\u00a5\u20a0-\u20cf])|"([^"]*[^\W\d_][^"]*)\"""")
"""What a number format shows beside a number: ``[$CHF-807]``, a sign, a word in quotes."""
MONEY_OF_EXCEL = {*range(5, 9), 42, 44}
"""Formats that show the currency of the computer."""


def cell_text(value: Any) -> str:
    """A cell as plain text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def with_gaps(content: bytes) -> bytes:
    """A workbook with tabs and line breaks as calamine reads them; it passes over those of ODS."""
    replaced = BytesIO()
    with ZipFile(BytesIO(content)) as package, ZipFile(replaced, "w") as other:
        if ODS not in package.namelist() or not ODS_GAP.search(part := package.read(ODS)):
            return content
        for name in ODS_AROUND.intersection(package.namelist()):
            other.writestr(name, package.read(name))
        other.writestr(ODS, ODS_GAP.sub(lambda gap: b"\n" if gap[1] else b" ", part))
    return replaced.getvalue()


def part_of(package: ZipFile, at: int) -> bytes:
    """The XML of one sheet, by its place among all."""
    if ODS in package.namelist():
        return package.read(ODS).split(b"<table:table ")[at + 1]
    ids = [SHEET_ID.search(sheet)[1] for sheet in SHEET.findall(package.read(WORKBOOK))]  # type: ignore[index]
    links = {
        LINK_ID.search(link)[1]: LINK_TARGET.search(link)[1].decode()  # type: ignore[index]
        for link in LINK.findall(package.read(LINKS))
    }
    target = links[ids[at]]
    return package.read(target[1:] if target.startswith("/") else f"xl/{target}")


def excel_odd(part: bytes) -> Iterator[tuple[int, int, str]]:
    """Row, column and error of cells without a result, which are all read as empty.

    The error is empty where a formula was never computed.
    """
    for odd in EXCEL_FORMULA.finditer(part):
        if not EXCEL_TEXT.search(odd[1]):
            yield *excel_place(odd[1]), ""
    for odd in EXCEL_ERROR.finditer(part):
        yield *excel_place(odd[1]), unescape(odd[2].decode())


def sign_of_format(code: str) -> str:
    """The currency or the word that a number format shows beside its number; "" for none."""
    sign = SIGN.search(code.partition(";")[0])
    return next(filter(None, sign.groups())).strip() if sign else ""


def excel_rules(styles: bytes, part: bytes) -> Iterator[str]:
    """The cells that each rule looks at which may strike out."""
    formats = enumerate(RULE_FORMATS.finditer(styles))
    struck = {b"%d" % at for at, rule_format in formats if STRIKE.search(rule_format[1] or b"")}
    for rule in RULES.finditer(part) if struck else ():
        if struck.intersection(RULE_FORMAT.findall(rule[2])):
            yield rule[1].decode()


def excel_marks(package: ZipFile, part: bytes) -> Iterator[tuple[str, int, int, str]]:
    """Cells that are struck out, white, or shown with a currency: what, row, column, sign.

    Of a rule that strikes out: no row, no column, and the cells that it looks at.
    """
    names = package.namelist()
    styles = package.read(STYLES) if STYLES in names else b""
    fonts = [font[1] or b"" for font in FONT.finditer(styles)]
    signs = dict.fromkeys(MONEY_OF_EXCEL, "?")
    for number_format in FORMAT.finditer(styles):
        attributes = number_format[1]
        key, code = FORMAT_ID.search(attributes), CODE.search(attributes)
        if key and code:
            signs[int(key[1])] = sign_of_format(unescape(code[1].decode()))
    yield from (("struck", 0, 0, cells) for cells in excel_rules(styles, part))
    marks: dict[int, tuple[bool, bool, str]] = {}
    formats = CELL_FORMATS.search(styles)
    for at, cell_format in enumerate(CELL_FORMAT.finditer(formats[0]) if formats else ()):
        key, font_id = FORMAT_ID.search(cell_format[1]), FONT_ID.search(cell_format[1])
        font = dict(enumerate(fonts)).get(int(font_id[1]), b"") if font_id else b""
        is_white = bool(WHITE.search(font)) and not FILL.search(cell_format[1])
        of_format = bool(STRIKE.search(font)), is_white, signs.get(int(key[1]), "") if key else ""
        if any(of_format):
            marks[at] = of_format
    texts = package.read(TEXTS) if TEXTS in names else b""
    rich = {at for at, text in enumerate(SHARED.finditer(texts)) if STRIKE.search(text[1] or b"")}
    if not (marks or rich or STRIKE.search(part)):
        return
    nothing = (False, False, "")
    for cell in CELL.finditer(part):
        style, value = CELL_STYLE.search(cell[1]), CELL_VALUE.search(cell[2])
        struck, white, sign = marks.get(int(style[1]), nothing) if style else nothing
        shared = value and CELL_SHARED.search(cell[1]) and int(value[1]) in rich
        place = excel_place(cell[1])
        if struck or shared or STRIKE.search(cell[2]):
            yield "struck", *place, ""
        if white:
            yield "hidden", place[0], 0, ""
        if sign:
            yield "money", *place, sign


def ods_struck(style: str) -> bool | None:
    """Whether a style strikes text out; None if it says nothing of it."""
    struck = ODS_STRIKE.search(style)
    return None if struck is None else not struck[1]


def ods_white(style: str) -> bool | None:
    """Whether a style has white text on no colour; None if it says nothing of colours."""
    return False if ODS_SEEN.search(style) else bool(ODS_WHITE.search(style)) or None


def ods_having(styles: str, says: Callable[[str], bool | None], bases: re.Pattern[str]) -> set[str]:
    """The styles with a mark: of themselves, or of a style that they are based on.

    Args:
        styles: the XML of all styles.
        says: whether a style has the mark; None if that depends on those it is based on.
        bases: what names those.
    """
    styles_by_name = {
        name[1]: (says(style[2] or ""), bases.findall(style[0]))
        for style in ODS_STYLE.finditer(styles)
        if (name := ODS_STYLE_NAME.search(style[1]))
    }
    marked: set[str] = set()
    while more := {
        name
        for name, (own, based_on) in styles_by_name.items()
        if name not in marked and (own or (own is None and marked.intersection(based_on)))
    }:
        marked |= more
    return marked


def ods_columns(text: str, struck: set[str], white: set[str]) -> Iterator[tuple[str, int]]:
    """The columns that are hidden, and those whose style makes cells struck out or white."""
    last = 0
    for tag in ODS_COLUMN.finditer(text):
        repeated = ODS_REPEATED.search(tag[1])
        first, last = last + 1, last + (int(repeated[1]) if repeated else 1)
        for at in range(first, min(last, MOST_COLUMNS) + 1):
            if ODS_HIDDEN.search(tag[1]):
                yield "hidden", at
            if struck.intersection(of_column := ODS_STYLES.findall(tag[1])):
                yield "struck", at
            if white.intersection(of_column):
                yield "white", at


def ods_marks(part: bytes, styles: bytes) -> Iterator[tuple[str, int, int, str]]:
    """What is odd in a sheet of ODS: what it is, row, column, and an error or a currency."""
    row = column = 0
    following, width = 1, 1
    text = part.decode()
    struck = ods_having(styles.decode(), ods_struck, ODS_BASES)
    white = ods_having(styles.decode(), ods_white, ODS_PARENT)
    columns = set(ods_columns(text, struck, white))
    yield from (("hidden", 0, at, "") for mark, at in columns if mark == "hidden")
    for tag in ODS_TAG.finditer(text):
        repeated = ODS_REPEATED.search(tag[2])
        many = int(repeated[1]) if repeated else 1
        if tag[1] == "table-row":
            row, column, following, width = row + following, 0, many, 1
            if ODS_HIDDEN.search(tag[2]):
                yield "hidden", row, 0, ""
            continue
        column, width = column + width, many
        end = tag.end() if tag[2].endswith("/") else text.find(f"</table:{tag[1]}>", tag.end())
        inside = text[tag.end() : end]
        if tag[1] == "covered-table-cell" and "<text:p" in inside:
            yield "covered", row, column, ""
        of_column = columns if ODS_OWN_STYLE not in tag[2] else ()
        of_cell = ODS_STYLES.findall(tag[2] + inside) if inside else []
        if inside and (("struck", column) in of_column or struck.intersection(of_cell)):
            yield "struck", row, column, ""
        if inside and (("white", column) in of_column or white.intersection(of_cell)):
            yield "hidden", row, 0, ""
        if currency := ODS_CURRENCY.search(tag[2]):
            yield "money", row, column, unescape(currency[1])
        if (error := ods_error(tag[2], inside)) is not None:
            yield "odd", row, column, error


def ods_error(attributes: str, inside: str) -> str | None:
    """The error that a formula shows, empty if it was never computed; None if it has a result."""
    if not ODS_FORMULA.search(attributes):
        return None
    if ODS_ERROR in attributes:
        error = ODS_ERROR_TEXT.match(inside)
        return error[1] if error else ""
    return None if "office:value-type=" in attributes else ""


def marks(package: ZipFile, part: bytes) -> Iterator[tuple[str, int, int, str]]:
    """What is odd in a sheet: what it is, row, column, more."""
    if ODS in package.namelist():
        document = package.read(ODS)
        named_styles = package.read(ODS_NAMED) if ODS_NAMED in package.namelist() else b""
        yield from ods_marks(part, named_styles + document[: document.find(b"<office:body")])
        return
    yield from (("odd", *odd) for odd in excel_odd(part))
    yield from (("hidden", int(row[1]), 0, "") for row in HIDDEN_ROW.finditer(part))
    for columns in HIDDEN_COLUMNS.finditer(part):
        last = min(int(columns[2]), MOST_COLUMNS)
        yield from (("hidden", 0, at, "") for at in range(int(columns[1]), last + 1))
    yield from excel_marks(package, part)


def excel_place(attributes: bytes) -> tuple[int, int]:
    """Row and column of a cell, 0 where it does not say them."""
    place = EXCEL_CELL.search(attributes)
    column = 0
    for letter in place[1] if place else b"":
        column = column * 26 + letter - ord("A") + 1
    return int(place[2]) if place else 0, column


def merged_over_rows(
    package: ZipFile, part: bytes, page: Any, rows: list[list[str]]
) -> Iterator[Any]:
    """Cells merged over several rows: row and column, 0 where they are not known, text, more.

    The last is whether one of the rows below its first has other cells, which want its value, too.
    """
    for (top, left), (bottom, _) in page.merged_cell_ranges or ():
        above, before = page.start or (top + 1, 0)
        if bottom > top >= above and left >= before and top - above < len(rows):
            row = rows[top - above]
            below = any(map(any, rows[top - above + 1 : bottom - above + 1]))
            text = row[left - before] if left - before < len(row) else ""
            yield top + 1, left + 1, text, below
    if ODS in package.namelist():
        for cell in ODS_CELL.finditer(part.decode()):
            if spanned := ODS_ROWS.search(cell[1]):
                number = ODS_NUMBER.search(cell[1])
                text = number[1] if number else unescape(re.sub("<[^>]*>", "", cell[2] or ""))
                places = (at for at, row in enumerate(rows) if text in row)
                below = any(any(map(any, rows[at + 1 : at + int(spanned[1])])) for at in places)
                yield 0, 0, text, below


def covered(page: Any, rows: list[list[str]]) -> Iterator[tuple[int, int, str]]:
    """Row and column of the texts that lie under a merged cell of Excel."""
    first, before = page.start or (0, 0)
    for (top, left), (bottom, right) in page.merged_cell_ranges or ():
        for at in range(max(top, first), min(bottom, first + len(rows) - 1) + 1):
            cells = rows[at - first]
            for place in range(max(left, before), min(right, before + len(cells) - 1) + 1):
                if (at, place) != (top, left) and cells[place - before].strip():
                    yield at + 1, place + 1, ""


def main(memory: int, seconds: int, most: int, sheet: str) -> None:
    """Read one sheet, by default the first that has cells and is not hidden; write it as JSON."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    content = BytesIO(with_gaps(sys.stdin.buffer.read()))
    workbook = CalamineWorkbook.from_filelike(content)
    package = ZipFile(content)
    names = workbook.sheet_names
    seen = [
        page.name for page in workbook.sheets_metadata
        if page.visible == SheetVisibleEnum.Visible and page.typ == SheetTypeEnum.WorkSheet
    ]  # fmt: skip
    filled = (name for name in seen if workbook.get_sheet_by_name(name).start)
    first = sheet or next(filled, (seen or names)[0])
    text: dict[str, Any] = {"sheets": names, "sheet": first}
    text |= {mark: [] for mark in ("odd", "hidden", "struck", "covered", "money")}
    if text["sheet"] in names:
        part = part_of(package, names.index(text["sheet"]))
        page = workbook.get_sheet_by_name(text["sheet"])
        text["first"], text["left"] = (at + 1 for at in page.start or (0, 0))
        text["rows"] = [[cell_text(value) for value in row] for row in page.to_python()]
        for mark, *place in marks(package, part):
            if len(text[mark]) < MOST_ODD:
                text[mark].append(place)
        texts = (package.read(name) for name in package.namelist() if "/comments" in name.lower())
        text["notes"] = sum(len(NOTES.findall(each)) for each in (part, *texts))
        text["covered"] += islice(covered(page, text["rows"]), MOST_ODD)
        text["merged"] = list(merged_over_rows(package, part, page, text["rows"]))
    written = json.dumps(text)
    if len(written) > most:  # one long text may stand in a million cells
        raise MemoryError(f"its cells hold {len(written):,} characters, and {most:,} are read")
    sys.stdout.write(written)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
