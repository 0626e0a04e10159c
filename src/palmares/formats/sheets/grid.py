"""
A sheet, a workbook or a pasted text as rows of cells: what stands above, what the columns are.

    Graz Open 2020                    a title
    entrants: 64                      a line that says something of the tournament
    1. Ada Novak (CZE)                places and names, with or without a header row
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from palmares.core.messages import joined, msg, plural
from palmares.facts.codes import nation_in_column
from palmares.facts.csv import BrokenRow, numbered_rows
from palmares.facts.decoding import ReportTables, SourceMap, decoded, letters
from palmares.facts.text import squeezed, without_padding
from palmares.formats.lines import Rank, complaint, count_of, flight_of, placing_parts, rank_of
from palmares.formats.sheets import headers
from palmares.formats.sheets.workbook import AT_HOME, Limits, Worksheet, is_workbook, open_sheet

CLAUSE = "report sheet"
COPY_SEEN = msg("If it is not part of the results, delete it, or copy what can be seen.")
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
GAP = re.compile(r"\t+|\s{2,}")
_KEY = re.compile(r"[,;:=\t]")
"""What stands behind a key."""
_NAMED = "name: Graz Open"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ZEROTH = re.compile(r"\W*0+[.):,;\t ]+[^\W\d_]")
_QUOTED = re.compile(  # what e-mails and chats put before a line
    r"^(?:>[ \t]?)+"
    r"|^\[?[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4},?\s[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?"
    r"(?:\s[ap]\.?m\.?)?(?:\]|\s-)\s[^:]{1,60}:\s",
    re.IGNORECASE,
)
_PARTS = re.compile(r",|\s[-\u2010-\u2015|/]\s|:\s")
"""What separates a tournament from its flight in a title."""
_FIRST_PLACE = re.compile(r"\W*1(?:st)?\b")


Row = tuple[int, list[str]]
Rows = list[Row]
"""Cells, each row with its number."""
Spots = dict[str, tuple[int, str]]
"""The line of a value, or 0 for its row's, and its column in a workbook."""

NAMES = ("name", "first", "last")
_PERSON = ("players.name", "placings.player_id", "report players")
_MEANT = {
    "rank": ("placings.rank", "placings.tied", "report placings"),
    "name": _PERSON, "last": _PERSON, "first": _PERSON,
    "nation": ("players.nation", "placings.nation"),
    "origin": ("players.origin",),
    "id": ("players.player_id",),
    "designated": ("placings.designated",),
    "rounds_behind": ("placings.rounds_behind",),
    "flight": ("placings.flight", "flights.flight"),
    "event": ("events.name", "events.event_id"),
}  # fmt: skip
"""What a problem can be about in each column of a sheet: cells of the facts, or a clause."""


class Book(NamedTuple):
    """Which sheet of a workbook is read, the first if none is named, and what it may ask for."""

    sheet: str | None = None
    limits: Limits = AT_HOME


@dataclass(frozen=True, slots=True)
class Grid:
    """A sheet as rows of text, each with its number."""

    settings: dict[str, str]  # the keys above the placings
    at: Spots  # where each of them is
    header: Row
    rows: Rows  # placings, and headings of flights between them
    left: int = 0  # the number of the first column of a workbook
    seen: dict[int, list[str]] = field(default_factory=dict)  # all rows of a workbook
    has_header: bool = True  # none: the columns are told by what stands in them
    title: str = ""  # the first line above that says nothing we know
    headings: Rows = field(default_factory=list)  # of the placings: lines above, the worksheet
    page: Worksheet | None = None  # of a workbook

    def column(self, at: int) -> str:
        """The letters of a column of a workbook; of a text nothing."""
        return letters(self.left + at) if self.left else ""

    def columns_without_heads(self) -> tuple[str, ...]:
        """The columns that have cells and no word in the header row."""
        return tuple(
            msg("column %(number)s", number=self.column(at) or at + 1)
            for at, head in enumerate(self.header[1])
            if not head.strip() and any(at < len(row) and row[at].strip() for _, row in self.rows)
        )

    def words_beside_names(self, mapping: headers.HeaderMap) -> str:
        """The column behind a name that has words in most rows and no head; empty if there is none.

        Where one head is merged over two columns, the other half of each name is in it.
        """
        for at in (mapping.taken[name] + 1 for name in NAMES if name in mapping.taken):
            cells = [row[at].strip() for _, row in self.rows if at < len(row)]
            words = [cell for cell in cells if len(cell) > 1 and any(map(str.isalpha, cell))]
            if (
                at < len(self.header[1])
                and not self.header[1][at].strip()
                and 2 * len(words) > len(self.rows)
            ):
                return msg("column %(number)s", number=self.column(at) or at + 1)
        return ""

    def seen_as(self, mapping: headers.HeaderMap) -> SourceMap:
        """Where each cell of the facts comes from in it."""
        places: Spots = {}
        for key, spot in self.at.items():
            tables = ["events"] if key in ("event", *headers.OF_EVENT) else ["tournaments"]
            tables += ["flights"] if key == "entrants" else []
            column = {"event": "name", headers.DAY: "end_date"}.get(key, key)
            places |= {f"{table}.{column}": spot for table in tables}
        for name, at in mapping.taken.items() if self.left else ():
            for about in _MEANT[name]:
                places.setdefault(about, (0, self.column(at)))
        return SourceMap(places, rows=self.seen, left=self.left or 1)


_OF_NO_TOURNAMENT = msg("this file is not read: no line above its header row names its tournament")
_NO_ROW = msg("there is no row under a header row")
_NAME_IT = msg(
    "Put lines such as %(name)s and %(day)s at its top, or name it as placings_file in"
    " a TOML report beside it.",
    name="'name: 26th Chicago Open'",
    day="'end_date: 2005-05-30'",
)


def grid_of(
    content: bytes,
    findings: ReportTables,
    encoding: str | None,
    *,
    book: Book | None = None,
    among: bool = False,
) -> Grid | None:
    """The rows of a CSV file, of a pasted text or of a sheet of a workbook; else a problem.

    Args:
        content: the file as it is.
        findings: where problems and notices go.
        encoding: of a text; without it UTF-8.
        book: it must be a workbook; without it, its first bytes tell.
        among: it lies in a directory of reports; one of no tournament is a notice, not a problem.
    """
    source = _source(content, findings, encoding, book)
    if source is None:
        return None
    rows, above, page = source
    if among and all(key == headers.DAY for _, key, _ in above.settings):
        findings.notice(0, _OF_NO_TOURNAMENT, CLAUSE, _NAME_IT)
        return None
    left = page.left if page else 0
    settings = [(rows[place][0], key, value) for place, key, value in above.settings]
    values = headers.values_of(settings, findings)
    body = rows[above.length :]
    table = _table(body) if page else _table_of_text(body, findings)
    if table is None or not table[1]:
        if not findings.problems:
            findings.problem(0, _NO_ROW, CLAUSE, msg("Put the placings in it."))
        return None
    titles = [(rows[place][0], text) for place, text in above.titles]
    header, below, first = table
    begins = None if header else rank_of(below[0][1][0])
    part = page.name if page else Path(findings.file).stem
    return Grid(
        values,
        {key: _spot(rows[place], left) for place, key, _ in above.settings},
        header or (below[0][0], made_up_header(below, first)),
        [*((rows[place][0], [text]) for place, text in above.flights), *below],
        left=left,
        seen=dict(rows) if page else {},
        has_header=header is not None,
        title=_report_titles(findings, titles, has_name="name" in values, begins=begins),
        headings=[*((line, _PARTS.split(text)) for line, text in titles), (0, [part])],
        page=page,
    )


def _source(
    content: bytes, findings: ReportTables, encoding: str | None, book: Book | None
) -> tuple[Rows, headers.Preamble, Worksheet | None] | None:
    """The rows of a workbook, or lines of a text as rows of one cell; what is above; the sheet."""
    if book or is_workbook(content):
        book = book or Book()
        page = open_sheet(content, findings, book.sheet, book.limits)
        if page is None:
            return None
        rows = page.filled_rows()
        _tell_of_worksheet(page, rows, findings)
        lines = ["\t".join(filter(str.strip, row)) for _, row in rows]
        return rows, _above(lines, lambda at: _starts(rows[at][1])), page
    text = decoded(content, findings, encoding)
    if text is None:
        return None
    lines = _plain_lines(text)
    padded = [at for at, line in enumerate(text.split("\n"), 1) if line != lines[at - 1]]
    if padded:
        what = plural(
            "%(many)s line has invisible characters, or begins with '>' or the time and sender of a"
            " message; they are left out",
            "%(many)s lines have invisible characters, or begin with '>' or the time and sender of"
            " a message; they are left out",
            len(padded),
        )
        findings.notice(padded[0], what, CLAUSE, msg("Look at the names, whether they are right."))
    above = _above(lines, lambda at: _begins(lines[at]) is not None)
    return [(number, [line]) for number, line in enumerate(lines, 1)], above, None


def _tell_of_worksheet(page: Worksheet, rows: Rows, findings: ReportTables) -> None:
    """Give a notice of other worksheets, of rows that are not seen, and of notes."""
    findings.sheets, findings.sheet = page.sheets, page.name
    if len(page.sheets) > 1:
        what = msg("the workbook has %(many)s worksheets, and '%(name)s' is read",
                   many=len(page.sheets), name=page.name)  # fmt: skip
        remedy = msg("If it is another one, choose it, or save it as a file of its own.")
        findings.notice(0, what, CLAUSE, remedy)
    if hidden := sorted({number for number, _ in rows}.intersection(page.hidden)):
        what = plural(
            "%(many)s row is hidden in the sheet or has white text, and is read",
            "%(many)s rows are hidden in the sheet or have white text, and are read",
            len(hidden),
        )
        findings.notice(hidden[0], what, CLAUSE, COPY_SEEN)
    if page.notes:
        what = plural(
            "%(many)s note beside a cell is not read",
            "%(many)s notes beside cells are not read",
            page.notes,
        )
        findings.notice(0, what, CLAUSE, msg("If it matters, write it into a cell."))


def _plain_lines(text: str) -> list[str]:
    """The lines without invisible padding, the marks of quoted e-mails and the senders of chats."""
    return [_QUOTED.sub("", line) for line in without_padding(text).split("\n")]


def has_placings(text: str) -> bool:
    """Whether a text has a header row of placings, or a placing."""
    lines = _plain_lines(text)
    above = _above(lines, lambda at: _begins(lines[at]) is not None)
    return any(_begins(line) is not None for line in lines[above.length :][:1])


def begins_placings(cells: Sequence[str]) -> bool:
    """Whether a row of cells is a placing, or heads the columns of placings."""
    return _is_row(cells) or not headers.map_header(cells).unclear


def csv_rows(text: str) -> tuple[dict[str, Rows], list[BrokenRow]]:
    """The rows that are not empty, by each delimiter that can be; and where the others break."""
    rows, errors = {}, []
    for delimiter in DELIMITERS:
        try:
            every = list(numbered_rows(text, delimiter))
        except BrokenRow as error:
            errors.append(error)
            continue
        if filled := [(line, row) for line, row in every if any(map(_content, row))]:
            rows[delimiter] = _without_outer(filled) if delimiter == "|" else filled
    return rows, errors


def _without_outer(rows: Rows) -> Rows:
    """Rows between bars without what is before the first and behind the last, which is empty."""
    if any(row[0].strip() or len(row) < 2 or row[-1].strip() for _, row in rows):  # noqa: PLR2004
        return rows
    return [(line, row[1:-1]) for line, row in rows]


def _content(cell: str) -> str:
    """What a cell says; nothing where it is a line around a header row, as of dashes."""
    return cell.strip(" \t-:=+")


# ── what stands above ────────────────────────────────────────────────────────────────────────────


def _above(lines: Sequence[str], begins: Callable[[int], bool]) -> headers.Preamble:
    return headers.preamble(
        lines, lambda at: begins(at) and not _is_numbered_title(lines[at:]), headers.WITH_DAY
    )


def _is_numbered_title(lines: Sequence[str]) -> bool:
    """Whether the first line is a title such as ``26th Chicago Open``, not a place and a name.

    It is one where the line below has the first place or heads the columns, and others follow;
    a line with a year may have other lines between.
    """
    line, below, *others = [*(line.strip() for line in lines if line.strip()), ""]
    parts = placing_parts(line)
    if parts is None or parts.rank.rank == "1" or not any(others):
        return False
    if _YEAR.search(parts.who) and any(map(_FIRST_PLACE.match, others[:2])):
        return True
    between = list(takewhile(lambda line: _begins(line) is None, (below, *others[:2])))
    if any(map(_YEAR.search, between)):
        return bool(_FIRST_PLACE.match((below, *others, "")[len(between)]))
    if _begins(below) is None:
        return False
    return bool(_FIRST_PLACE.match(below)) or not any(map(str.isdigit, below))


def _no_title(text: str, begins: Rank | None) -> tuple[str, str] | None:
    """Why a line above the placings cannot be passed over, and what to do; none if it can.

    Args:
        text: the line.
        begins: the first rank, where there is no header row.
    """
    words = squeezed(text)
    first = _KEY.split(text, maxsplit=1)[0].strip(" \t#\"'")
    key = headers.bare(first).replace(" ", "_")
    if (key in headers.WITH_DAY and _KEY.search(text)) or headers.begins_with_key(text):
        return (
            msg("this line above the placings is not understood: '%(text)s'", text=words),
            msg("Write a key and one value: %(example)s.", example=_NAMED),
        )
    if _ZEROTH.match(text):
        return msg("no place is 0: '%(text)s'", text=words), msg("Count the places from 1.")
    if begins and begins.rank != "1":
        return (
            msg("the placings begin with rank %(rank)s, and this is above them: '%(text)s'",
                rank=begins.rank, text=words),
            msg("If it is a placing, begin it with its rank: 1 Ada Novak (CZE); if not, take it"
                " away."),
        )  # fmt: skip
    return None


def report_title(findings: ReportTables, line: int, title: str) -> None:
    """Tell that a line above the placings, or a page's heading, is read as the tournament's name.

    Args:
        findings: where the notice goes.
        line: of the title; 0: it is that of the page.
        title: on one line.
    """
    findings.notice(
        line,
        msg("'%(text)s' is taken for the tournament's name", text=title),
        CLAUSE,
        msg("If that is wrong, write its name above: %(example)s.", example=_NAMED),
    )


def _report_titles(
    findings: ReportTables,
    titles: Sequence[tuple[int, str]],
    *,
    has_name: bool,
    begins: Rank | None,
) -> str:
    """The first line above as the tournament's name, if it has none; a notice of each line.

    Where the placings do not begin with the first place, a line may be one that was not known.
    """
    for at, (line, text) in enumerate(titles):
        wrong = _no_title(text, begins)
        if wrong is not None:
            what, remedy = wrong
            findings.problem(line, what, CLAUSE, remedy)
        elif at or has_name:
            findings.notice(
                line,
                msg("this line above the placings is not read: '%(text)s'", text=squeezed(text)),
                CLAUSE,
                msg(
                    "If it matters, write it as a key and its value: %(example)s.",
                    example=f"entrants: {count}" if (count := count_of(text)) else _NAMED,
                ),
            )
        else:
            report_title(findings, line, squeezed(text))
    return squeezed(titles[0][1]) if titles and not has_name else ""


def is_header(cells: Sequence[str], least: int = 1) -> bool:
    """Whether at least half of some cells, or the first as the rank, are words that head columns.

    Args:
        cells: of a row.
        least: how many words there must be.
    """
    filled = [cell for cell in cells if cell.strip()]
    words = sum(map(headers.is_column_word, filled))
    has_rank = words > 0 and headers.COLUMNS.get(headers.bare(filled[0])) == "rank"
    return len(filled) > 1 and words >= least and (has_rank or 2 * words >= len(filled))


def _is_row(cells: Sequence[str]) -> bool:
    """Whether a row has a rank, and letters behind it."""
    return rank_of(cells[0]) is not None and any(map(str.isalpha, "".join(cells[1:])))


def _starts(cells: Sequence[str]) -> bool:
    return is_header(cells) or _is_row(cells)


def _begins(line: str) -> str | None:
    """How the cells of a header row, or of a row without one, are separated; "" by spaces."""
    for delimiter in DELIMITERS:
        try:
            _, cells = next(numbered_rows(line, delimiter, strict=False), (1, []))
        except BrokenRow:
            continue
        if len(cells) > 1 and _starts(cells):
            return delimiter
    if is_header(GAP.split(line.strip())) or _is_words(line) or _line_cells(line):
        return ""
    return None


def _is_words(line: str) -> bool:
    """Whether single words with a space between them head the columns: ``Place Name Country``."""
    words = line.split()
    return is_header(words) and not headers.map_header(words).unclear


# ── texts ────────────────────────────────────────────────────────────────────────────────────────


TableParts = tuple[Row | None, Rows, Sequence[str]]
"""A header row, if there is one; the rows below it; what the first columns are without one."""


def _table_of_text(rows: Rows, findings: ReportTables) -> TableParts | None:
    """The placings of a text: separated by one delimiter, by spaces, or lines of rank and name."""
    lines = [line for _, (line,) in rows]
    if not lines or _begins(lines[0]) != "":
        every = _csv(lines, rows[0][0] - 1 if rows else 0, findings)
        return None if every is None else _table(every)
    cells = GAP.split(lines[0].strip())
    header = (rows[0][0], cells) if is_header(cells) else None
    skipped = header is not None or _is_words(lines[0])
    body = [(line, text) for line, (text,) in rows[skipped:] if text.strip(" \t#,;")]
    below = _columns(body, cells, findings) if header else _lines(body, findings)
    return header, below, _OF_A_LINE


def _table(rows: Rows) -> TableParts:
    """Rows with or without a header row."""
    has_none = not rows or _is_row(rows[0][1])
    return (None, rows, ["rank"]) if has_none else (rows[0], rows[1:], [])


def _csv(lines: list[str], above: int, findings: ReportTables) -> Rows | None:
    """The rows of a CSV text, by the one delimiter that fits."""
    every, errors = csv_rows("\n".join(lines))
    fits = {
        delimiter: [(above + line, row) for line, row in rows]
        for delimiter, rows in every.items()
        if len(rows[0][1]) > 1
    }
    clear = {
        delimiter: rows
        for delimiter, rows in fits.items()
        if not headers.map_header(rows[0][1]).unclear or _is_row(rows[0][1])
    }
    fits = clear or fits
    if len(fits) == 1:
        return next(iter(fits.values()))
    if errors and not fits:
        findings.problem(
            above + errors[0].reached,
            msg("this is not CSV: %(words)s", words=str(errors[0])),
            CLAUSE,
            msg("Check its quotes."),
        )
    elif fits:
        several = joined([DELIMITERS[delimiter] for delimiter in fits])
        findings.problem(
            above + 1,
            msg("the first row can be split by %(several)s", several=several),
            CLAUSE,
            msg("Separate the columns by commas, semicolons or tabs, by one of them only."),
        )
    else:
        findings.problem(above + 1, msg("no places and names begin here"), CLAUSE, ONE_A_LINE)
    return None


ONE_A_LINE = msg(
    "Put one player on each line, the rank before the name, like %(example)s, or paste from a"
    " spreadsheet.",
    example="1 Ada Novak (CZE)",
)


def _columns(lines: Sequence[tuple[int, str]], header: list[str], findings: ReportTables) -> Rows:
    """Rows of cells separated by two spaces or more; one with too few cells is a problem."""
    rows = [(line, GAP.split(text.strip())) for line, text in lines]
    for line, row in rows:
        if len(row) == 1 and not flight_of(row[0]):
            what, remedy = complaint("placings", row[0], in_toml=False)
            findings.problem(line, what, CLAUSE, remedy)
        elif len(row) != len(header) and not flight_of(" ".join(row)):
            findings.problem(
                line,
                msg("%(has)s cells under %(heads)s heads", has=len(row), heads=len(header)),
                CLAUSE,
                msg("Separate the columns by tabs or semicolons, so that empty cells can be seen."),
            )
    return [(at, row) for at, row in rows if len(row) == len(header) or flight_of(" ".join(row))]


_OF_A_LINE = ("rank", "designated", "rounds behind")
_OF_NUMBERS = "0123456789.,:'/+-%\u20ac$\u00a3\u2212\u2013\u00bd\u00bc\u00be"
"""Signs of points, shares, prizes and scores."""
_UNIT = re.compile(
    r"(?<=[0-9\u00bd\u00bc\u00be])\s*"
    r"(?:p(?:oin)?ts?|pkt|punkte?|puntos|punti|wins?|siege|[wl]|eur|usd)\.?$",
    re.IGNORECASE,
)
"""What stands behind points or a prize."""


def _line_cells(text: str) -> list[str] | None:
    """The cells of a line: rank, the marks of a placing, name and whatever follows."""
    parts = placing_parts(text.strip())
    if parts is None or not any(map(str.isalpha, parts.who)):
        return None
    marks = ["true" if parts.designated else "", parts.behind or ""]
    return [parts.written, *marks, *GAP.split(parts.who)]


def _number_behind(cells: list[str]) -> list[str] | None:
    """The cells of a line with the number behind its name in another; none if there is none."""
    at = len(_OF_A_LINE)
    words = _UNIT.sub("", cells[at]).split()
    name = list(words)
    while len(name) > 1 and not name[-1].strip(_OF_NUMBERS):
        name.pop()
    number = " ".join(words[len(name) :])
    return [*cells[:at], " ".join(name).rstrip(",;:"), number, *cells[at + 1 :]] if number else None


def _lines(lines: Sequence[tuple[int, str]], findings: ReportTables) -> Rows:
    """Lines of a rank and a name, and headings of flights; any other line is a problem.

    A number behind a name is a cell of its own where each name has one, as of points; else a
    problem.
    """
    rows: Rows = []
    read = [(line, text, _line_cells(text)) for line, text in lines]
    parted = [_number_behind(cells) for *_, cells in read if cells]
    if len(parted) > 1 and all(parted):
        numbered = iter(parted)
        read = [(line, text, cells and next(numbered)) for line, text, cells in read]
    for line, text, cells in read:
        if cells is None and flight_of(text):
            rows.append((line, [text.strip()]))
            continue
        if cells is None:
            what, remedy = complaint("placings", text.strip(), in_toml=False)
            findings.problem(line, what, CLAUSE, remedy)
            continue
        first, *words = _UNIT.sub("", cells[len(_OF_A_LINE)]).split()
        before = bool(words) and not first.strip(_OF_NUMBERS)
        if before or (words and not words[-1].strip(_OF_NUMBERS)):
            what = msg("'%(text)s' before the name is not understood", text=first) if before else (
                msg("'%(text)s' behind the name is not understood", text=words[-1])
            )  # fmt: skip
            findings.problem(
                line,
                what,
                CLAUSE,
                msg("Take it away, or separate the columns by tabs."),
            )
            continue
        rows.append((line, cells))
    return rows


def _spot(row: Row, left: int) -> tuple[int, str]:
    """Where the value of a line above stands: in the second filled cell, or in the only one."""
    line, cells = row
    filled = [at for at, cell in enumerate(cells) if cell.strip()]
    return line, letters(left + filled[min(1, len(filled) - 1)]) if left else ""


# ── columns without a header row ─────────────────────────────────────────────────────────────────


def made_up_header(rows: Rows, first: Sequence[str]) -> list[str]:
    """A header row for rows without one, by the contents of each column.

    After the *first* ones, a column of words is the name, one of nations the nation; numbers are
    not read. Where several have words, each is called a name, and so none of them is it.
    """
    header = [*first]
    width = max(len(row) for _, row in rows)
    columns = [
        [row[at].strip() for _, row in rows if at < len(row) and row[at].strip()]
        for at in range(width)
    ]
    words = [
        at
        for at in range(len(header), width)
        if any(map(str.isalpha, "".join(columns[at])))
    ]  # fmt: skip
    of_nations = [
        at
        for at in words
        if 2 * sum(bool(nation_in_column(cell)) for cell in columns[at]) > len(columns[at])
    ]
    nation = of_nations[0] if of_nations and len(words) > 1 else None
    for at in range(len(header), width):
        number = msg("column %(number)s", number=at + 1)
        header.append("nation" if at == nation else "name" if at in words else number)
    return header
