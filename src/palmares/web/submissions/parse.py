"""
What a director typed or sent, read: facts, or every problem with the place where it stands.

    read        a kind and contents  ->  Reading
    Reading     the facts, or what is wrong with them; what should be looked at
    Spot        one thing wrong or strange: its line, column and text, or the field of a form
    FORMATS     the kinds of contents, by the suffix of a file
    kind_of     a pasted text  ->  its kind
    titled      contents  ->  what the tournament is called, as far as can be seen at once
    erased_by   contents that were thrown away  ->  the entry of the erasure
    refuse_large    contents of which nothing would be read
    as_text     contents  ->  text that can be edited, or none

Contents come from anybody who has an account. They are read from memory alone: no file beside them
is opened, whatever they name, and workbooks go through `palmares.reports.gate`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from palmares.errors import FactsRejected, Problem, Refused
from palmares.facts import Facts, checked, typed
from palmares.facts.raw import Raw, Seen, column_number
from palmares.facts.texts import visible
from palmares.journal.arrivals import DISCIPLINE, without_discipline
from palmares.reading import in_order
from palmares.reports import chicago_point, diplomacy_database, sheets, toml_report, usebio
from palmares.reports.gate import Limits
from palmares.reports.texts import Found, decoded
from palmares.web import report_forms as forms
from palmares.web.messages import said

KIB, MIB = 2**10, 2**20
MOST_TEXT = 512 * KIB
"""Bytes of a text; a report of three hundred players has twelve thousand."""
MOST_BOOK = 10 * MIB
"""Bytes of a workbook."""
ONLINE = Limits(unpacked=100 * MIB, cells=500_000, memory=1_000 * MIB, seconds=15, text=8 * MIB)
"""What a workbook that somebody sends may ask for: others wait meanwhile."""
MOST = 100
"""Problems that are told; whoever has more will see the others when these are gone."""
FORMATS: Mapping[str, str] = {
    ".toml": "toml", ".csv": "csv", ".tsv": "csv", ".xml": "xml", ".txt": "txt", ".md": "txt",
    ".xlsx": "xlsx", ".xlsm": "xlsx", ".xls": "xlsx",
}  # fmt: skip
FORM, BOOK = "form", "xlsx"
GONE = "erased"
"""The kind of contents that were thrown away: what is left is the number of the erasure, if any."""
TEXTS = frozenset({"toml", "csv", "xml", "txt"})
BESIDE = frozenset({"csv", "txt", BOOK})
"""Kinds that may leave it to be said beside them what the tournament is called and when it ends."""
NAME = "report"
EMPTY: Mapping[str, str] = {}
"""What the contents are called while they are read; the name of a file is its sender's affair."""

_TOML = re.compile(r"^[^\S\n]*\[[^\S\n]*(tournament|\[?[^\S\n]*event)", re.MULTILINE)
_CALLED = re.compile(r'^(?:#|[^\S\n])*name\s*[:=]\s*"?([^"\n]+)', re.MULTILINE)
_QUOTED = re.compile(r"'([^']+)'")
LONGEST = 120
"""Characters of a line or a title that are shown."""
_CELL = re.compile(r"([A-Z]{0,3})([0-9]+)")
_BESIDE = 5
"""Cells that are shown on each side of a wrong one."""
_MISSING = "there is no column "
_BEFORE: Mapping[str, str] = {"tournaments": "", "events": "0."}
"""What stands before a key in the name of its field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One thing wrong or strange, and where."""

    what: str
    remedy: str
    clause: str
    line: int | None = None  # of the text or sheet, or within a field of several lines
    column: int | None = None
    cell: str = ""  # of a workbook: C7
    text: str = ""  # what stands there
    row: tuple[str, ...] = ()  # of a workbook: the cell and those beside it
    at: int | None = None  # which of them it is
    field: str = ""  # of a form


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Contents as they were read."""

    facts: Facts | None  # none: there are problems
    problems: tuple[Spot, ...]  # the first of them
    more: int  # problems that are not among these
    notices: tuple[Spot, ...]


NOTHING = Reading(facts=None, problems=(), more=0, notices=())
"""What is read where nothing is left."""


def read(kind: str, content: bytes, tournament: Mapping[str, str] = EMPTY) -> Reading:
    """Read contents of a kind; whatever is wrong with them is a problem, never an exception.

    Args:
        kind: of contents.
        content: what was sent.
        tournament: its name, discipline and last day, where a sheet does not say them.
    """
    filled = forms.decoded(content) if kind == FORM else {}
    written = forms.written(filled) if kind == FORM else None
    source = written.text.encode() if written else content
    try:
        raw = _raw(kind, source, tournament)
        facts = _facts(raw)
        problems: tuple[Problem, ...] = ()
    except FactsRejected as rejected:
        facts, problems = None, tuple(in_order(rejected.problems))
    text = "" if kind == BOOK else source.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    seen = raw.seen.get(NAME)
    places = written.fields if written else ()
    notices = facts.notices if facts is not None else ()
    spots, remarks = (
        [_cell(one, seen) if kind == BOOK else _spot(one, lines, places, kind) for one in some]
        for some in (problems[:MOST], notices[:MOST])
    )
    return Reading(
        facts=facts,
        problems=tuple(_of_form(spots, filled) if written else spots),
        more=max(0, len(problems) - MOST),
        notices=tuple(remarks),
    )


def _facts(raw: Raw) -> Facts:
    """Facts that a journal takes, as far as can be seen without it."""
    draft = typed(raw)
    silent = [problem for _, problem in without_discipline(draft.facts)]
    try:
        facts = checked(draft)
    except FactsRejected as rejected:
        raise FactsRejected([*rejected.problems, *silent]) from None
    if silent:
        raise FactsRejected(silent)
    return facts


def erased_by(kind: str, content: bytes) -> int | None:
    """The entry with which contents were thrown away; none if they are there."""
    return int(content) if kind == GONE and content else None


def _raw(kind: str, content: bytes, tournament: Mapping[str, str]) -> Raw:
    """The tables of cells; nothing but these bytes is looked at."""
    found = Found(NAME)
    if kind == GONE:
        found.problem(
            0,
            said(
                "its text was thrown away with the erasure of entry %(entry)s",
                entry=str(erased_by(kind, content)),
            ),
            "report",
            said("What it reported, if it was approved, stays in the journal."),
        )
        return found.raw
    if (large := _large(kind, content)) is not None:
        found.problem(0, large, "report", _ALONE)
        return found.raw
    if kind != BOOK and content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        found.problem(
            0,
            said("this is a workbook, not a text"),
            "report",
            said("Send it with the suffix .xlsx."),
        )
        return found.raw
    return _READERS[kind](content, tournament)


def refuse_large(kind: str, content: bytes) -> None:
    """Refuse contents of which nothing would be read, so that they are not kept either.

    Raises:
        Refused: there are more than are read.
    """
    if (large := _large(kind, content)) is not None:
        raise Refused(said("It is too large: %(what)s. %(remedy)s", what=large, remedy=_ALONE))


_ALONE = said(
    "Hand in one tournament alone, without what is no result of it; an Excel sheet may"
    " have %(book)s MiB.",
    book=MOST_BOOK // MIB,
)


def _large(kind: str, content: bytes) -> str | None:
    """What is said of contents that are more than are read."""
    most = MOST_BOOK if kind == BOOK else MOST_TEXT
    if len(content) <= most:
        return None
    return said(
        "this has %(size)s KiB, and at most %(most)s KiB are read",
        size=len(content) // KIB,
        most=most // KIB,
    )


def _pasted(content: bytes, tournament: Mapping[str, str]) -> Raw:
    """A page of the World Diplomacy Database, or lines of the Chicago Point."""
    found = Found(NAME)
    text = decoded(content, found)
    if text is None:
        return found.raw
    if diplomacy_database.is_page(text):
        return diplomacy_database.read(text, NAME)
    return chicago_point.read(text, NAME, tournament=tournament)


_READERS: Mapping[str, Callable[[bytes, Mapping[str, str]], Raw]] = {
    FORM: lambda content, _: toml_report.read(content, NAME),  # without a reader of files beside it
    "toml": lambda content, _: toml_report.read(content, NAME),
    "csv": lambda content, said: sheets.read(content, NAME, tournament=said, limits=ONLINE),
    "xml": lambda content, _: usebio.read(content, NAME),
    "txt": _pasted,
    BOOK: lambda content, said: sheets.read(
        content, NAME, tournament=said, workbook=True, limits=ONLINE
    ),
}


def kind_of(text: str) -> str:
    """The kind of a pasted text, by as much of it as would be read."""
    text = text[:MOST_TEXT]
    if _TOML.search(text):
        return "toml"
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return "xml"
    plain = text.replace("\r\n", "\n")
    if diplomacy_database.is_page(plain) or chicago_point.is_line(plain):
        return "txt"
    return "csv"


def kind_of_file(name: str) -> str:
    """The kind of a file, by its suffix.

    Raises:
        Refused: it has none that we read.
    """
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix not in FORMATS:
        raise Refused(
            said("A report is a file with the suffix %(suffixes)s.", suffixes=", ".join(FORMATS))
        )
    return FORMATS[suffix]


def titled(kind: str, content: bytes) -> str:
    """What the tournament is called, as far as can be seen at once; empty if it cannot."""
    if kind == FORM:
        return visible(forms.decoded(content).get("name", "")[:LONGEST])
    if kind in (BOOK, GONE):
        return ""
    found = _CALLED.search(content[:5000].decode("utf-8", "replace"))
    return visible(found[1].strip()[:LONGEST]) if found else ""


def as_text(kind: str, content: bytes) -> str | None:
    """Contents as text that can be edited; none if they are not that."""
    if kind not in TEXTS or len(content) > MOST_TEXT:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeError:
        return None


# ── where a problem stands ───────────────────────────────────────────────────────────────────────


def _spot(problem: Problem, lines: list[str], fields: tuple[str, ...], kind: str) -> Spot:
    """A problem with the place that it is about."""
    file, _, number = problem.where.rpartition(":")
    line = int(number) if file == NAME and number.isdigit() else None
    spot = Spot(what=problem.what, remedy=problem.remedy, clause=problem.clause, line=line)
    if line is None or line > len(lines):
        return spot
    if kind in ("toml", FORM):
        line = _line_of_key(lines, line, problem.clause)
    text = lines[line - 1]
    if not fields:
        return replace(
            spot, line=line, column=_column(text, problem), text=visible(text[:LONGEST], "\t")
        )
    field = fields[line - 1]
    first = fields.index(field) + 1
    several = field.rpartition(".")[2] in forms.TEXTS
    if not several or line == first:  # the first line of several is the key itself
        return replace(spot, field=field, line=None)
    typed = str(json.loads(f'"{text}"')) if text != '"""' else ""
    return replace(
        spot,
        field=field,
        line=line - first,
        column=_column(typed, problem),
        text=visible(typed[:LONGEST], "\t"),
    )


def _cell(problem: Problem, seen: Seen | None) -> Spot:
    """A problem with the cell of a workbook that it is about, or with its row."""
    spot = Spot(what=problem.what, remedy=problem.remedy, clause=problem.clause)
    file, _, place = problem.where.rpartition(":")
    written = _CELL.fullmatch(place)
    if file != NAME or not written:
        return spot
    line = int(written[2])
    row = seen.rows.get(line, []) if seen else []
    if not written[1] or seen is None:
        return replace(spot, line=line)
    at = column_number(written[1]) - seen.left
    first = max(0, at - _BESIDE)
    cells = tuple(visible(one[:LONGEST], "\t") for one in row[first : at + _BESIDE + 1])
    return replace(
        spot,
        line=line,
        column=at + seen.left,
        cell=place,
        text=cells[at - first] if at - first < len(cells) else "",
        row=cells,
        at=at - first,
    )


def _of_form(spots: Iterable[Spot], filled: Mapping[str, str]) -> Iterator[Spot]:
    """Problems of a form at the fields that are meant; while nothing is filled in, there are none.

    Ids are made of names and days, and nobody fills them in.
    """
    for one in spots if filled else ():
        table, _, key = one.clause.removeprefix("facts ").partition(".")
        if key == "tournament_id":
            continue
        empty = one.clause == DISCIPLINE or one.what.startswith(_MISSING)
        if empty and table in _BEFORE:
            what, remedy = said("this is empty"), said("Fill it in.")
            yield replace(one, field=_BEFORE[table] + key, what=what, remedy=remedy)
        else:
            yield one


def _line_of_key(lines: list[str], line: int, clause: str) -> int:
    """The line of a key under a heading, where a whole table is named."""
    _, _, cell = clause.partition("facts ")
    key = cell.rpartition(".")[2]
    if not key or not lines[line - 1].lstrip().startswith("["):
        return line
    for at in range(line, len(lines)):
        if lines[at].lstrip().startswith("["):
            break
        if re.match(rf"\s*{re.escape(key)}\s*=", lines[at]):
            return at + 1
    return line


def _column(text: str, problem: Problem) -> int | None:
    """The column of the value that a problem quotes."""
    for quoted in _QUOTED.findall(problem.what):
        at = text.find(quoted)
        if at >= 0:
            return at + 1
    return None
