"""Read a saved web page as the lines a person sees, each split into cells."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from itertools import groupby
from pathlib import PurePosixPath

from palmares.core.errors import Unreadable
from palmares.core.messages import msg
from palmares.facts.codes import nation_in_column
from palmares.facts.text import squeezed

Lines = list[tuple[int, list[str]]]
"""The number of a line in the file, and its cells."""

MOST_LETTERS = 2 * 2**20
"""Of a page; three hundred players take 0.1 MB."""
_PIECE, _MOST_OPEN = 2**14, 2**18
"""Letters read at a time, and those that may stand between what begins a tag and what ends it."""
_CELLS = frozenset({"td", "th"})
_ROWS = frozenset({"table", "tr"})
_BLOCKS = frozenset({"br", "center", "div", "h1", "h2", "h3", "h4", "hr", "li", "p"})
_UNSEEN = frozenset({"script", "select", "style", "title"})
_BEGINS = re.compile(
    r"\s*<(?:!doctype html|html|head|body|table|thead|tbody|tr|h[1-6]|div|p|center"
    r"|!-- saved from)\b",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"""<meta\s[^>]*charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_NOT_SIMPLE = {
    msg("a cell of the table spans several rows or columns"): re.compile(
        r"""<t[dh]\b[^<>]*\b(?:row|col)span\s*=\s*["']?\s*(?!1\b)\d""", re.IGNORECASE
    ),
    msg("a row of the table is hidden"): re.compile(
        r"<tr\b[^<>]*(?:display\s*:\s*none|\shidden\b)", re.IGNORECASE
    ),
    msg("something in the table is struck out"): re.compile(
        r"<t[dh]\b[^<>]*>[^<>]*<(?:s|del|strike)\b", re.IGNORECASE
    ),
}
_TABLE, _TABLE_ENDS = (re.compile(tag, re.IGNORECASE) for tag in ("<table", "</table"))
_HEADING = re.compile(r"<(h1|title)\b[^>]{0,300}>(.{1,300}?)</\1", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_DECLARED_WITHIN = 4096
_OF_BROWSERS = {"iso8859-1": "cp1252", "ascii": "cp1252"}
"""What browsers take some names of encodings for."""


def is_html(text: str) -> bool:
    """Whether a text begins as a page does, after lines such as ``rounds: 3``."""
    return bool(_BEGINS.match(text[max(text[:_DECLARED_WITHIN].find("<"), 0) :]))


def encoding_of(content: bytes) -> str | None:
    """The encoding that a page declares; none, where it is UTF-8 whatever it says."""
    declared = _CHARSET.search(content[:_DECLARED_WITHIN])
    if declared is None:
        return None
    try:
        content.decode()
    except UnicodeDecodeError:
        try:
            name = codecs.lookup(declared[1].decode("ascii")).name
        except LookupError:
            return None
        return _OF_BROWSERS.get(name, name)
    return None


def lines(text: str, between: str = " ") -> Lines:
    """What a page shows, line by line; a flag is the name of its picture.

    The lines of a cell are one, with *between* between them.

    The parser is never closed: it would take hours to look for an end that thousands of tags do
    not have.

    Raises:
        Unreadable: it is too long, or a tag in it has no end.
    """
    if len(text) > MOST_LETTERS:
        raise Unreadable(
            0,
            msg(
                "the page has %(has)s characters, and %(most)s are read",
                has=len(text),
                most=MOST_LETTERS,
            ),
            msg("Save the page of one tournament, or copy its table into a sheet."),
        )
    page = _Page(between)
    for at in range(0, len(text), _PIECE):
        page.feed(text[at : at + _PIECE])
        if len(page.rawdata) > _MOST_OPEN:
            raise Unreadable(
                page.getpos()[0],
                msg("a tag begins here and has no end"),
                msg("Save the page again after the browser has loaded all of it."),
            )
    page.end_line()
    return page.lines


def table_text(text: str, begins: Callable[[Sequence[str]], bool]) -> str:
    """The rows of a table of a page as lines with tabs, on their own lines where they can be.

    Lines above the page, such as ``name: Graz Open``, stay; what it shows around the table does
    not. Without a table there is no text.

    Args:
        text: the page.
        begins: whether the cells of a row are the first that count.

    Raises:
        Unreadable: it is too long, or a tag in it has no end.
    """
    end = text.lower().rfind("</table")
    page = lines(text if end < 0 else text[:end], "\n")
    above = text[: text.find("<")].split("\n")[:-1]
    first = next((at for at, (_, cells) in enumerate(page) if begins(cells)), None)
    if first is None:
        return ""
    for line, cells in page[first:]:
        above += [""] * (line - 1 - len(above))
        above.append("\t".join('"{}"'.format(cell.replace('"', '""')) for cell in cells))
    return "\n".join(above)


def heading(text: str) -> str:
    """What a page is headed with above its first table, or else its title; empty if nothing."""
    above = text[: text.lower().find("<table")]
    headings = {each[1].lower(): each[2] for each in reversed(list(_HEADING.finditer(above)))}
    return squeezed(unescape(_TAG.sub(" ", headings.get("h1") or headings.get("title") or "")))


def why_no_simple_table(text: str, begins: Callable[[Sequence[str]], bool]) -> str:
    """Why the tables of a page may say something else than what is read of them.

    Args:
        text: the page.
        begins: whether the cells of a row are the first that count.
    """
    for what, pattern in _NOT_SIMPLE.items():
        if pattern.search(text):
            return what
    parts = _TABLE_ENDS.split(text)
    if len(_TABLE.findall(text)) >= len(parts):
        return msg("the table breaks off")
    if sum(any(begins(cells) for _, cells in lines(part)) for part in parts) > 1:
        return msg("the page has several tables of placings")
    return ""


def is_cut_off(text: str) -> bool:
    """Whether a page does not end as pages do."""
    return "</html" not in text[-_DECLARED_WITHIN:].lower()


class _Page(HTMLParser):
    """Old pages leave tags open and close others twice: only where a row begins is believed."""

    def __init__(self, between: str) -> None:
        super().__init__(convert_charrefs=True)
        self._between = between
        self.lines: Lines = []
        self._cells: list[_Cell] = []
        self._unseen = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen = self._unseen or tag
        elif self._unseen:
            return
        elif tag in _ROWS:
            self.end_line()
        elif tag in _CELLS:
            self._cells.append(_Cell(self.getpos()[0]))
        elif tag == "img" and self._cells:
            self._cells[-1].picture = _flag(dict(attrs))
        else:
            self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unseen:
            self._unseen = ""
        elif self._unseen:
            return
        elif tag in _ROWS:
            self.end_line()
        else:
            self._break(tag)

    def handle_data(self, data: str) -> None:
        """Add to the text of a cell; what stands outside of tables is a cell, too."""
        if self._unseen or not (self._cells or data.strip()):
            return
        if not self._cells:
            self._cells.append(_Cell(self.getpos()[0]))
        self._cells[-1].texts.append((self.getpos()[0], data))

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS and self._cells:
            self._cells[-1].texts.append(_BREAK)

    def end_line(self) -> None:
        """Keep what ends here: a row of cells, or the lines of a single cell."""
        cells, self._cells = self._cells, []
        if len(cells) > 1:
            row = [cell.text(self._between) or cell.picture for cell in cells]
            self.lines += [(cells[0].line, row)] if any(row) else []
        for is_break, some in groupby(cells[0].texts if len(cells) == 1 else (), _BREAK.__eq__):
            texts = [] if is_break else list(some)
            text = squeezed("".join(text for _, text in texts))
            self.lines += [(texts[0][0], [text])] if text else []


def _flag(picture: Mapping[str, str | None]) -> str:
    """The words of a picture that name a nation, or the name of its file, without suffix."""
    file = PurePosixPath(picture.get("src") or "").stem
    words = (picture.get("alt") or "", picture.get("title") or "")
    return next((word for word in words if nation_in_column(word)), file)


_BREAK = (0, " ")
"""Where a line ends within a cell."""


@dataclass(slots=True)
class _Cell:
    line: int
    picture: str = ""  # the name of its file, without suffix
    texts: list[tuple[int, str]] = field(default_factory=list)  # each with its line

    def text(self, between: str) -> str:
        """The texts of the cell, with something between its lines."""
        parts = (
            squeezed("".join(text for _, text in some))
            for is_break, some in groupby(self.texts, _BREAK.__eq__)
            if not is_break
        )
        return between.join(filter(None, parts))
