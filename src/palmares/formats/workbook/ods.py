"""How far the sheets of an OpenDocument workbook reach, and cells whose value would be lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from palmares.core.messages import msg
from palmares.facts.decoding import Unreadable

MIME = b"application/vnd.oasis.opendocument.spreadsheet"
CONTENT, MANIFEST = "content.xml", "META-INF/manifest.xml"
LOCKED = b"encryption-data"
_CELLS = ("table:table-cell", "table:covered-table-cell")
_DIGITS = 9
_VALUE = "office:value-type"
_FIGURES = ("float", "currency", "percentage")
_PER_CELL = 4  # elements; a cell of text has two
_REPEATED = 100_000  # cells of rows that are only said to repeat: they cost the writer nothing


SAVE_AGAIN = msg("Save the table of placings alone as a new .xlsx or .csv file and send that.")
"""What to do with a workbook that is not read."""


def measure(text: IO[bytes], most: int, reach: Callable[[int, int], None]) -> None:
    """Follow the sheets to the last row and column in which there is anything.

    A cell, and a row of cells, can say that it is repeated a million times: the reader makes them
    all, but for empty ones at the end. Formats and widths of empty cells are no content.

    Args:
        text: of the part with the sheets.
        most: cells that may be there.
        reach: is told the last row and column so far; it raises where that is too far.

    Raises:
        Unreadable: it is not what programs write, or a value would be lost in reading.
    """
    from xml.sax import SAXParseException

    from defusedxml import DefusedXmlException
    from defusedxml.sax import make_parser

    parser = make_parser()
    parser.forbid_dtd = True
    parser.setContentHandler(_Extent(most * _PER_CELL, reach))
    try:
        parser.parse(text)
    except (DefusedXmlException, SAXParseException, LookupError) as error:
        raise Unreadable(msg("the workbook is not valid OpenDocument"), SAVE_AGAIN) from error


def no_result(row: int, column: int) -> Unreadable:
    """A formula whose result the file does not hold."""
    return Unreadable(
        msg(
            "the formula in row %(row)s, column %(column)s has no result in the file",
            row=row,
            column=column,
        ),
        msg("Open it in a spreadsheet program, which computes it, save it, and send that."),
    )


def merged(row: int, column: int, rows: int) -> Unreadable:
    """A figure in a cell that is merged over several rows."""
    return Unreadable(
        msg(
            "the cell in row %(row)s, column %(column)s is merged over %(rows)s rows",
            row=row,
            column=column,
            rows=rows,
        ),
        msg("Split the cell, write its value in each of the rows, and save it."),
    )


def is_figure(text: str) -> bool:
    """Whether a cell holds a rank or another number, and no title."""
    return text.strip().lstrip("Tt=")[:1].isdigit()


class _Extent(ContentHandler):
    def __init__(self, most: int, reach: Callable[[int, int], None]) -> None:
        super().__init__()
        self._left, self._reach = most, reach
        self._row = self._column = self._filled = self._repeated = self._again = 0
        self._merged = 1  # rows of the cell that is being read

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802  of the base
        self._spend(_times(attrs, "text:c") if name == "text:s" else 1)  # spaces, by their number
        if name == "table:table":
            self._row = self._column = 0
        elif name == "table:table-row":
            self._repeated = _times(attrs, "table:number-rows-repeated")
            self._column = self._filled = 0
        elif name in _CELLS:
            self._check(attrs)
            self._column += _times(attrs, "table:number-columns-repeated")
            if any(key == "table:formula" or key.startswith("office:") for key in attrs.getNames()):
                self._filled = self._column
        elif self._column:
            self._filled = self._column  # something stands in the cell

    def _check(self, attrs: AttributesImpl) -> None:
        """Refuse a formula without its result; keep over how many rows the cell is merged."""
        if "table:formula" in attrs and _VALUE not in attrs:
            raise no_result(self._row + 1, self._column + 1)
        self._merged = _times(attrs, "table:number-rows-spanned")
        if self._merged > 1 and attrs.get(_VALUE) in _FIGURES:
            raise merged(self._row + 1, self._column + 1, self._merged)

    def characters(self, content: str) -> None:
        """Refuse a number that stands for several rows: only the first would have it."""
        if self._merged > 1 and content.strip():
            if is_figure(content):
                raise merged(self._row + 1, self._column, self._merged)
            self._merged = 1

    def _spend(self, elements: int) -> None:
        self._left -= elements
        if self._left <= 0:
            raise Unreadable(msg("the workbook has more cells than are read"), SAVE_AGAIN)

    def endElement(self, name: str) -> None:  # noqa: N802  of the base
        if name == "table:table-row":
            self._row += self._repeated
            if self._filled:
                self._reach(self._row, self._filled)
            self._again += self._filled * (self._repeated - 1)
            self._spend(self._left if self._again > _REPEATED else 0)
            self._column = 0


def _times(attrs: AttributesImpl, key: str) -> int:
    """How often something is repeated."""
    text = attrs.get(key, "1")
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise Unreadable(msg("the workbook is not valid OpenDocument"), SAVE_AGAIN)
    return int(text)
