"""
A printed ranking: a CSV or Excel sheet with a header row, columns in any order; or lines without.

    Rank,Player,Country,Points
    1,Ada Novak,CZE,"1.234,5"

    1. Ada Novak (CZE) 1234.5         without a header row: the rank first, the points last

Points are read as printed, with one decimal mark for the whole column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from palmares.core.errors import FactsRejected, brief
from palmares.core.messages import hint, joined, msg
from palmares.facts import codes
from palmares.facts.decoding import ReportTables, content_of
from palmares.facts.names import PrintedName, parse_name
from palmares.facts.text import squeezed, without_padding
from palmares.formats.lines import placing_parts, rank_of
from palmares.formats.sheets.grid import (
    GAP,
    Rows,
    is_header,
    made_up_header,
)
from palmares.formats.sheets.headers import COLUMNS, HeaderMap, assigned, is_column_word
from palmares.formats.sheets.placings import UNPLACED
from palmares.formats.sheets.tables import HeadedGrid, read_table

PLACES = 9  # decimals of a point that are counted
NANO = 10**PLACES
LONGEST = 60  # letters of a number
MOST_PLACES = 30

RULES = {
    "half up": "rounded half up",
    "half even": "rounded half to even",
    "cut off": "cut off",
    "unrounded": "not rounded before they are printed",
}
"""How points are printed, the usual first; the last one only from nine decimals on."""

Bounds = tuple[int, int]
NOTHING: Bounds = (1, 0)
"""Bounds between which nothing is."""


@dataclass(frozen=True, slots=True)
class PrintedPoints:
    """Points as printed: units of the last decimal."""

    text: str
    units: int
    places: int

    @property
    def nanopoints(self) -> int:
        """The points in billionths, what is smaller rounded half up."""
        shift: int = 10 ** abs(self.places - PLACES)
        if self.places <= PLACES:
            return self.units * shift
        return (2 * self.units + shift) // (2 * shift)

    def bounds(self, rule: str, parts: int, awards: int = 1) -> Bounds:
        """The least and the greatest weight, in nanopoints times parts, that is printed so.

        Args:
            rule: one of `RULES`.
            parts: what a weight is divided by to be nanopoints.
            awards: how many awards are summed; each is counted to a billionth here, and perhaps
                nowhere else.

        Returns:
            Both ends are within. A number counted to a billionth of a point before it is printed
            fits as well as one that is not.
        """
        if rule == "unrounded":
            if self.places < PLACES:
                return NOTHING
            shift: int = 10 ** (self.places - PLACES)
            most = max(1, awards) * shift
            return _up((self.units - most) * parts, shift), (self.units + most) * parts // shift
        low, high = _printed_so(abs(self.units), self.places, rule, parts)
        if self.units == 0:
            return -high, high
        return (low, high) if self.units > 0 else (-high, -low)


def _up(number: int, by: int) -> int:
    return -(-number // by)


def _printed_so(units: int, places: int, rule: str, parts: int) -> Bounds:
    """The weights that a rule prints as so many units: exact, or counted to a billionth before."""
    exact = _between(units, rule, parts * NANO, 10**places)
    least, greatest = _between(units, rule, NANO, 10**places)
    if least > greatest:
        return exact
    counted = _up((2 * least - 1) * parts, 2), _up((2 * greatest + 1) * parts, 2) - 1
    return min(exact[0], counted[0]), max(exact[1], counted[1])


def _between(units: int, rule: str, times: int, by: int) -> Bounds:
    """The whole numbers n for which n by / times is printed as so many units."""
    if rule == "cut off":
        return _up(units * times, by), _up((units + 1) * times, by) - 1
    low, high = (2 * units - 1) * times, (2 * units + 1) * times
    if rule == "half up":
        return _up(low, 2 * by), _up(high, 2 * by) - 1
    if units % 2 == 0:  # half to even: both halves come here
        return _up(low, 2 * by), high // (2 * by)
    return low // (2 * by) + 1, _up(high, 2 * by) - 1


# ── reading a column ─────────────────────────────────────────────────────────────────────────────

_SIGN = r"(?P<sign>[-+\u2212]?)"
_SPACES = " '\u2019\u00a0\u2009\u202f"
_READ = {
    mark: re.compile(
        rf"{_SIGN}(?P<whole>[1-9][0-9]{{0,2}}(?P<gap>[{_SPACES}{thousands}])[0-9]{{3}}"
        rf"(?:(?P=gap)[0-9]{{3}})*|[0-9]*)(?:{decimal}(?P<rest>[0-9]+))?"
    )
    for mark, decimal, thousands in (("point", r"\.", ","), ("comma", ",", "."))
}
_NO_POINTS = msg("'%(text)s' are no points")
_OTHERWISE = {
    "point": msg("'%(text)s' is not a number with a decimal point, as the others have"),
    "comma": msg("'%(text)s' is not a number with a decimal comma, as the others have"),
}
# As programs print floats that are small.
_SCIENTIFIC = re.compile(r"[-+]?[0-9](?:\.[0-9]+)?[eE][-+]?[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class PrintedPointsColumn:
    """A column of points: what was read, and what could not be."""

    points: tuple[PrintedPoints | None, ...]
    wrong: tuple[tuple[int, str], ...]  # which cell, and why: a message of its text
    doubtful: tuple[int, ...]  # cells that say one thing with a point and another with a comma


def points_of(text: str, mark: str) -> PrintedPoints | None:
    """A cell read with a decimal point, or with a decimal comma; none if it is no number."""
    text = text.strip()
    if len(text) > LONGEST:
        return None
    if mark == "point" and _SCIENTIFIC.fullmatch(text):
        places = max(0, -int(Decimal(text).as_tuple().exponent))
        return PrintedPoints(text, int(Decimal(text).scaleb(places)), places)
    number = _READ[mark].fullmatch(text)
    if number is None or not (number["whole"] or number["rest"]):
        return None
    rest = number["rest"] or ""
    if len(rest) > MOST_PLACES:
        return None
    units = int(re.sub(r"\D", "", number["whole"]) + rest)
    return PrintedPoints(text, -units if number["sign"] in {"-", "\u2212"} else units, len(rest))


def column(cells: Sequence[str], mark: str | None = None) -> PrintedPointsColumn:
    """The points of a column, one way of writing for all of them.

    Args:
        cells: as they stand.
        mark: "point" or "comma"; without it the cells themselves must show which.
    """
    by_mark = {style: [points_of(cell, style) for cell in cells] for style in _READ}
    alone = {
        style: [at for at in range(len(cells)) if by_mark[style][at] and not by_mark[other][at]]
        for style, other in (("point", "comma"), ("comma", "point"))
    }
    chosen = mark or max(alone, key=lambda style: len(alone[style]))  # the point, if nothing tells
    points = by_mark[chosen]
    wrong = [
        (at, _OTHERWISE[chosen] if any(numbers[at] for numbers in by_mark.values()) else _NO_POINTS)
        for at in range(len(cells))
        if points[at] is None
    ]
    mark_is_clear = mark or alone["point"] or alone["comma"]
    doubtful = [at for at in range(len(cells)) if by_mark["point"][at] != by_mark["comma"][at]]
    return PrintedPointsColumn(
        tuple(points), tuple(wrong), () if mark_is_clear else tuple(doubtful)
    )


def evened(points: Sequence[PrintedPoints]) -> tuple[PrintedPoints, ...]:
    """Points with at least as many decimals as most of the list has.

    Where numbers have different decimals, a program has dropped zeros: 12.5 among numbers of two
    decimals is 12.50, and not whatever is rounded to it.
    """
    counts = Counter(printed_points.places for printed_points in points)
    usual = max(counts, key=lambda places: (counts[places], places), default=0)
    return tuple(
        printed_points
        if printed_points.places >= usual
        else PrintedPoints(
            printed_points.text, printed_points.units * 10 ** (usual - printed_points.places), usual
        )
        for printed_points in points
    )


CLAUSE = "printed list"
MOST_BYTES = 200 * 2**20
POINTS = (
    "points|pts|point|total|total points|sum|points total|pts total|score|rating|current rating|"
    "ranking points|rating points|wr|wr points|wrp|master points|mp|dptr|performance points|pp|"
    "punkte|pkt|punktzahl|gesamt|gesamtpunkte|summe|punkte gesamt|wertung|"
    "points totaux|total des points|cote|puntos|ptos|puntos totales|puntuacion|total puntos|"
    "punti|punteggio|totale|punti totali|totale punti"
)
_EXAMPLE = "rank,name,nation,points"
_LINE_EXAMPLE = "1 Ada Novak (CZE) 37.41"
_IDENTIFYING = ("rank", "name", "first", "last", "nation", "id")
_COLUMNS = {word: column for word, column in COLUMNS.items() if column in _IDENTIFYING}
_COLUMNS |= dict.fromkeys(POINTS.split("|"), "points")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedRow:
    """A line of a printed list."""

    line: int
    name: str
    points: PrintedPoints
    rank: int | None = None
    nation: str | None = None  # a code of our table
    id: str | None = None

    def __str__(self) -> str:
        return self.name + (f" ({self.nation})" if self.nation else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedList:
    """A printed list."""

    file: str
    rows: tuple[PrintedRow, ...]
    columns: tuple[str, ...]  # what was found: rank, name, nation, id, points
    ignored: tuple[str, ...]  # headers of columns that were not read

    @property
    def places(self) -> int:
        """The most decimals that any line has."""
        return max((row.points.places for row in self.rows), default=0)


def read(path: Path, *, encoding: str | None = None, mark: str | None = None) -> PrintedList:
    """Read a printed list.

    Args:
        path: CSV, separated by commas, semicolons, tabs or bars, an Excel workbook (its first
            sheet), or a saved page with a header row in its table.
        encoding: of a CSV file; without it UTF-8.
        mark: "point" or "comma": what stands before decimals, where the list does not show it.

    Raises:
        FactsRejected: it cannot be read; carries every problem, with its line.
    """
    findings = ReportTables(str(path))
    content = content_of(path, findings, MOST_BYTES)
    table = None if content is None else read_table(
        content, findings, _COLUMNS, _names_columns, CLAUSE,
        f"{_EXAMPLE}; or write lines such as {_LINE_EXAMPLE}", encoding,
        headless=lambda sheets: _headless(sheets, findings),
    )  # fmt: skip
    rows = _rows(table, findings, mark) if table else []
    if not rows and not findings.problems:
        what = msg("there is no line under the header row")
        findings.problem(0, what, CLAUSE, msg("Put the list in it."))
    if findings.problems or table is None:
        raise FactsRejected(findings.problems)
    return PrintedList(
        file=str(path),
        rows=tuple(rows),
        columns=tuple(table.header.taken),
        ignored=tuple(map(str.strip, table.header.ignored)),
    )


def _names_columns(header: HeaderMap) -> bool:
    """Whether a header names the points and who has them."""
    who = {"name", "id"} & header.taken.keys() or {"first", "last"} <= header.taken.keys()
    return "points" in header.taken and bool(who)


# ── lines without a header row ───────────────────────────────────────────────────────────────────

_ENDS = re.compile(
    r"(?P<who>.*?\S)(?:\s*(?:[:,;\u2010-\u2015-]|\.{2,}))?\s+"
    r"(?P<points>[-+\u2212]?[0-9.,'\u2019]*[0-9])(?:\s*(?:p(?:oin)?ts?|pkt|punkte?|puntos|punti)\.?)?",
    re.IGNORECASE,
)
_IN_ORDER = msg(
    "Write %(example)s, or put a header row above the list. If it is no player, delete the line.",
    example=_LINE_EXAMPLE,
)
_NAMED_ALONE = msg("Put a header row above the list, such as: %(example)s", example=_EXAMPLE)


def _headless(sheets: Mapping[str, Rows], findings: ReportTables) -> HeadedGrid | None:
    """Lines that begin with a rank and end with points; none if there are none, or a problem."""
    in_words = [(line, _words("\t".join(row))) for line, row in sheets.get("\t", [])]
    rows = max([*sheets.values(), in_words], key=lambda rows: sum(_is_line(row) for _, row in rows))
    first = next((at for at, (_, row) in enumerate(rows) if _is_line(row)), None)
    if first is None or not all(_may_head(row) for _, row in rows[:first]):
        return None
    winner = rank_of(rows[first][1][0])
    has_winner = winner is not None and winner.rank == "1"
    for at, (line, row) in enumerate(rows):
        text = " ".join(map(str.strip, row))
        if not _is_line(row) and (at > first or placing_parts(text) or not has_winner):
            findings.problem(
                line, msg("no rank, name and points in '%(text)s'", text=text), CLAUSE, _IN_ORDER
            )
    lines = [(line, _filled(row)) for line, row in rows if _is_line(row)]
    header = made_up_header([(line, row[:-1]) for line, row in lines], ["rank"])
    if unclear := _unclear(header):
        findings.problem(lines[0][0], unclear, CLAUSE, _NAMED_ALONE)
    width = len(header)
    header.append("points")
    return HeadedGrid(
        lines[0][0],
        assigned(header, _COLUMNS),
        [(line, [*row[:-1], *[""] * (width + 1 - len(row)), row[-1]]) for line, row in lines],
    )


def _unclear(header: Sequence[str]) -> str:
    """What is not clear in columns that were told by what stands in them; points are behind."""
    words = [str(at) for at, head in enumerate(header, 1) if head == "name"]
    numbers = [str(at) for at, head in enumerate(header, 1) if head not in _IDENTIFYING]
    if len(words) > 1:
        return msg("columns %(columns)s all hold words; which is the name?", columns=joined(words))
    if numbers:
        columns = joined([*numbers, str(len(header) + 1)])
        return msg("columns %(columns)s all hold numbers; which are the points?", columns=columns)
    return ""


def _words(text: str) -> list[str]:
    """A line as cells, separated by blanks; as one cell if it does not end with one number."""
    parts = placing_parts(text.strip())
    ends = parts and _ENDS.fullmatch(parts.who)
    if not parts or not ends or ends["who"][-1].isdigit():
        return [text]
    return [parts.written, *GAP.split(ends["who"]), ends["points"]]


def _filled(row: Sequence[str]) -> list[str]:
    """The cells of a row up to the last one that is not empty."""
    cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _is_line(row: Sequence[str]) -> bool:
    """Whether a row has a rank, words and a number."""
    rank, *words, points = ["", "", *_filled(row)][-max(2, len(_filled(row))) :]
    is_number = any(points_of(points, mark) for mark in _READ)
    return is_number and rank_of(rank) is not None and any(map(str.isalpha, "".join(words)))


def _may_head(row: Sequence[str]) -> bool:
    """Whether a row above the lines names no other columns than they have."""
    cells = row if len(row) > 1 else row[0].split()
    header = assigned(cells, _COLUMNS)
    in_order = header.taken.get("rank") == 0 and header.taken.get("points") == len(cells) - 1
    names_columns = is_column_word(cells[0]) and is_header(cells, least=2)
    return not names_columns or (in_order and _names_columns(header))


# ── from lines to players and points ─────────────────────────────────────────────────────────────


def _rows(table: HeadedGrid, findings: ReportTables, mark: str | None) -> list[PrintedRow]:
    """Every line; what is wrong with any of them is a problem."""
    in_order = sorted(table.header.taken, key=table.header.taken.__getitem__)
    filled_rows = [
        (line, {key: squeezed(without_padding(cells[key])) for key in in_order})
        for line, cells in table.cells(findings, CLAUSE)
    ]
    players = [row for row in filled_rows if _is_player(*row, findings)]
    points = _points([(line, cells["points"]) for line, cells in players], findings, mark)
    rows = []
    for (line, cells), printed in zip(players, points, strict=True):
        who = _who(cells)
        rank = rank_of(cells.get("rank", ""))
        if rank is None and cells.get("rank", "").casefold() not in UNPLACED:
            what = msg("'%(text)s' is not a rank", text=brief(cells["rank"]))
            findings.problem(line, what, CLAUSE, msg("Write 3, or 3-4 if two share it."))
        if printed:
            rows.append(
                PrintedRow(
                    line=line,
                    name=who.name or str(who.id),
                    points=printed,
                    rank=int(rank.rank) if rank else None,
                    nation=who.nation,
                    id=who.id,
                )
            )
    evenly = evened([row.points for row in rows])
    return [replace(row, points=points) for row, points in zip(rows, evenly, strict=True)]


def _is_player(line: int, cells: Mapping[str, str], findings: ReportTables) -> bool:
    """Whether a line names a player; one that does not is one problem, whatever else it lacks."""
    who = _who(cells)
    if is_header([cell for cell in cells.values() if cell], least=2):
        what = msg(
            "there is another header row: %(row)s", row=" | ".join(filter(None, cells.values()))
        )
        findings.problem(line, what, CLAUSE, msg("Keep one header row."))
        return False
    if not who.name and not who.id:
        remedy = msg("Add the name, or delete the line.")
        findings.problem(line, msg("this line names no player"), CLAUSE, remedy)
    return bool(who.name or who.id)


def _points(
    cells: Sequence[tuple[int, str]], findings: ReportTables, mark: str | None
) -> tuple[PrintedPoints | None, ...]:
    """The points of all lines; what is no number, or may be two, is a problem."""
    read = column([cell for _, cell in cells], mark)
    for at, why in read.wrong:
        line, cell = cells[at]
        findings.problem(
            line,
            msg(why, text=brief(cell)) if cell else msg("there are no points in this line"),
            CLAUSE,
            msg("Write them like %(example)s, all of the column alike.", example="12.34"),
        )
    if read.doubtful:
        line, cell = cells[read.doubtful[0]]
        findings.problem(
            line,
            msg(
                "'%(text)s' may have decimals or thousands, and no other line shows which",
                text=cell,
            ),
            CLAUSE,
            hint("name-the-decimal-mark", "Say whether the decimal mark is a point or a comma."),
        )
    return read.points


def _who(cells: Mapping[str, str]) -> PrintedName:
    halves = (cells.get("first", ""), cells.get("last", ""))
    text = cells["name"] if "name" in cells else " ".join(halves).strip()
    parsed = parse_name(text)
    written = cells.get("nation", "")
    nation = codes.nation_in_column(written) if written else parsed.nation
    if nation and parsed.nation_behind and parsed.nation != nation:  # Mei Ling MAC, of TPE
        parsed = parse_name(f"{text} ({nation})")
    return PrintedName(name=parsed.name, nation=nation, id=cells.get("id") or parsed.id)
