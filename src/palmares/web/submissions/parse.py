"""
Read what a director typed or sent: facts, or every problem with its place.

Any account can send contents, so they are read from memory alone: no other file is opened,
whatever they name, and workbooks go through `palmares.formats.sheets.workbook`.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain, groupby

from palmares.core.errors import FactsRejected, Problem, Refused, brief
from palmares.core.messages import message_of, message_values, msg
from palmares.facts import Facts, check_facts, parse_cells
from palmares.facts.decoding import (
    ReportTables,
    SourceMap,
    column_number,
    possible_encodings,
)
from palmares.facts.problems import EMPTY, MISSING, NO_TITLE
from palmares.facts.text import printable, visible
from palmares.formats import (
    BOOK,
    KINDS,
    chicago_point,
    diplomacy_database,
    read_pasted,
    saved_page,
    usebio,
)
from palmares.formats import kind_of as kind_of_contents
from palmares.formats.lines import placing_parts
from palmares.formats.sheets import headers, placings
from palmares.formats.sheets.grid import Book
from palmares.formats.sheets.workbook import Limits, is_workbook
from palmares.formats.titles import title_parts
from palmares.formats.toml import read as toml_report
from palmares.formats.toml import write
from palmares.journal.commands.reports import without_discipline
from palmares.web.submissions import report_form, understood
from palmares.web.submissions.understood import SHEET, MissingValue, PlacedRow

ENCODINGS: Mapping[str, str] = {
    "cp1252": "Windows-1252", "iso8859-1": "ISO 8859-1", "iso8859-15": "ISO 8859-15",
    "cp1250": "Windows-1250", "cp850": "DOS (850)", "mac-roman": "Macintosh", "utf-16": "UTF-16",
}  # fmt: skip
"""What a text may be written in, if not in UTF-8, and what people call it."""
UTF8 = "utf-8"
_DECLARED = re.compile(r"""\A(\s*<\?xml[^>]*?)\s+encoding\s*=\s*(["'])[^"'>]*\2""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """One of them, and what the first odd line would be in it."""

    name: str  # as it is asked for: cp1252
    title: str
    text: str


def encoding_name(name: str) -> str:
    """The name here of an encoding: "cp1252" for "windows-1252"; empty if we do not read it."""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):  # a NUL in it
        return ""
    if codec in ("ascii", UTF8, "utf-8-sig"):
        return UTF8
    return codec if codec in ENCODINGS else ""


def as_utf8(content: bytes, encoding: str) -> bytes:
    """The same text in UTF-8; what begins with the mark of UTF-8 is that already.

    Raises:
        Refused: it is no text in this encoding, or we do not read it.
    """
    name = encoding_name(encoding)
    if not name:
        encodings = ", ".join(ENCODINGS)
        raise Refused(
            msg("Texts are read in UTF-8, or in one of %(known)s, if you say so.", known=encodings)
        )
    if name == UTF8 or content.startswith(codecs.BOM_UTF8):
        return content
    try:
        text = content.decode(name)
    except UnicodeError:
        title = ENCODINGS[name]
        raise Refused(
            msg("This is not %(encoding)s text. Choose another one.", encoding=title)
        ) from None
    return _DECLARED.sub(r"\1", text).encode("utf-8", "replace")


def likely(content: bytes) -> tuple[Encoding, ...]:
    """What the first odd line would read as."""
    return tuple(
        Encoding(name=name, title=ENCODINGS[name], text=visible(text, "\t"))
        for codec, text in possible_encodings(content)
        if (name := encoding_name(codec))
    )


KIB, MIB = 2**10, 2**20
MOST_TEXT = 512 * KIB
"""Bytes of a text; a report of three hundred players has twelve thousand."""
MOST_BOOK = 10 * MIB
"""Bytes of a workbook."""
ONLINE = Limits(unpacked=100 * MIB, memory=1_000 * MIB, seconds=15, text=8 * MIB)
"""The limits of a workbook, since others wait while it is read."""
SHEETS = 5
"""Worksheets in which placings are looked for."""
MOST = 100
"""Problems that are shown at once."""
FEW = 5
"""Problems of one kind that are shown each by itself."""
GONE = "erased"
"""The kind of contents that were thrown away: what is left is the number of the erasure, if any."""
TEXTS = frozenset({"toml", "csv", "xml", "txt"})
TAKE_ANSWERS = frozenset({"csv", "txt", BOOK})
"""Kinds of contents that answers may complete: the name of the tournament, its last day."""
NAME = "report"
NO_ANSWERS: Mapping[str, str] = {}
"""What the contents are called while they are read; the name of a file is its sender's affair."""

_TOML = re.compile(r"^[^\S\n]*\[[^\S\n]*(tournament|\[?[^\S\n]*event)", re.MULTILINE)
_CALLED = re.compile(r'^(?:#|[^\S\n])*name\s*[:=]\s*"?((?:\\"|[^"\n])+)', re.MULTILINE)
_COLUMNS = re.compile(r"[\t;|:=<{]")
LONGEST = 120
"""Characters of a line or a title that are shown."""
_PICTURES = (b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
_OTHER_ARCHIVES = (".zip", ".docx", ".doc", ".odt", ".pptx", ".ppt", ".pages", ".numbers")
"""What begins as a workbook does, and is none."""
_NEIGHBOURS = 5
"""Cells that are shown on each side of a wrong one."""
_BEFORE: Mapping[str, str] = {"tournaments": "", "events": "0."}
"""What stands before a key in the name of its field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProblem:
    """One thing wrong or strange, and where."""

    what: str
    remedy: str
    clause: str
    line: int | None = None  # of the text or sheet, or within a field of several lines
    column: int | None = None
    cell: str = ""  # of a workbook: C7
    text: str = ""  # what stands there
    row: tuple[str, ...] = ()  # of a workbook: the cell and those beside it
    row_index: int | None = None  # which of them it is
    field: str = ""  # of a form
    also: str = ""  # the other lines that have it: 3–65, 70


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReport:
    """What was understood of a report, and what was not."""

    problems: tuple[ReportProblem, ...]  # the first of them
    more_problems: int  # problems that are not shown
    notices: tuple[ReportProblem, ...]
    rows: tuple[PlacedRow, ...]  # lines that were understood
    questions: tuple[MissingValue, ...]  # what the report does not say
    sheets: tuple[str, ...]  # of a workbook
    sheet: str  # the one that is read


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedReport(ReadReport):
    """Contents as they were read."""

    facts: Facts | None  # none: there are problems
    form: Mapping[str, str] | None = None  # the values of a form's fields; none: it is no form
    filled: frozenset[str] = frozenset()  # fields whose answers filled an empty cell


NOTHING = ParsedReport(
    facts=None, problems=(), more_problems=0, notices=(), rows=(), questions=(), sheets=(), sheet=""
)
"""The reading of contents that were thrown away."""


def read(kind: str, content: bytes, tournament: Mapping[str, str] = NO_ANSWERS) -> ParsedReport:
    """Read contents of a kind; whatever is wrong with them is a problem, never an exception.

    Args:
        kind: of contents.
        content: what was sent.
        tournament: what contents do not say, by the names of the fields of a form, and the
            worksheet.
    """
    text = "" if kind == BOOK else content.decode("utf-8", "replace").removeprefix("\ufeff")
    form = report_form.form_of_text(text) if kind == "toml" else None
    raw = _first_with_placings(kind, content, tournament)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    filled_cells = understood.fill(raw, tournament) if kind in TAKE_ANSWERS else {}
    seen = understood.seen_above(raw, lines if kind != BOOK else (), tournament)
    questions = understood.questions(raw, tournament, seen) if kind in TAKE_ANSWERS else ()
    try:
        facts = _facts(raw)
        problems: tuple[Problem, ...] = ()
    except FactsRejected as rejected:
        facts, problems = None, tuple(sorted(rejected.problems))
    if form:  # ids are made of names and days: no field has them; an empty form has no problem
        problems = tuple(
            each for each in problems if form.values and each.at.key != "tournament_id"
        )

    def locate(problem: Problem) -> ReportProblem:
        if field := _question_of(problem, filled_cells, questions):
            return replace(_bare(problem), field=field)
        if kind == BOOK:
            return _in_workbook(problem, raw.seen.get(NAME))
        if form:
            return _in_form(problem, lines, form.fields)
        return _in_text(problem, lines)

    kinds = [[each] for each in problems] if form else _kinds(problems)
    return ParsedReport(
        facts=facts,
        problems=tuple(replace(locate(kind[0]), also=_lines(kind[1:])) for kind in kinds[:MOST]),
        more_problems=max(0, len(kinds) - MOST),
        notices=tuple(map(locate, facts.notices[:MOST] if facts is not None else ())),
        rows=understood.placed_rows(raw, () if form or kind == BOOK else lines),
        questions=questions,
        sheets=raw.sheets,
        sheet=raw.sheet,
        form=form.values if form else None,
        filled=frozenset(filled_cells.values()),
    )


def _first_with_placings(kind: str, content: bytes, tournament: Mapping[str, str]) -> ReportTables:
    """The tables of a report; of a workbook, those of its first sheet with placings."""
    raw = _raw(kind, content, tournament)
    if raw.table("placings") or SHEET in tournament:
        return raw
    others = (_raw(kind, content, {**tournament, SHEET: name}) for name in raw.sheets[1:SHEETS])
    return next((each for each in others if each.table("placings")), raw)


def _kinds(problems: Iterable[Problem]) -> list[list[Problem]]:
    """Problems in groups: more than a few of one kind are one group, others stand alone."""
    by_kind: dict[tuple[str, ...], list[Problem]] = defaultdict(list)
    for each in problems:
        at = each.at
        by_kind[message_of(each.what), each.clause, at.file, at.table, at.key].append(each)
    few = (
        [[each] for each in several] if len(several) <= FEW else [several]
        for several in by_kind.values()
    )
    return sorted(chain(*few))


def _lines(problems: Iterable[Problem]) -> str:
    """The lines of problems: 3–65, 70."""
    lines = sorted({problem.at.line for problem in problems})
    runs = (
        [line for _, line in run]
        for _, run in groupby(enumerate(lines), lambda numbered: numbered[1] - numbered[0])
    )
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _facts(raw: ReportTables) -> Facts:
    """Checked facts; what only the journal can check is not checked."""
    draft = parse_cells(raw)
    silent = [problem for _, problem in without_discipline(draft.facts)]
    try:
        facts = check_facts(draft)
    except FactsRejected as rejected:
        raise FactsRejected([*rejected.problems, *silent]) from None
    if silent:
        raise FactsRejected(silent)
    return facts


def erased_by(kind: str, content: bytes) -> int | None:
    """The entry whose erasure deleted the contents; none if they are there."""
    return int(content) if kind == GONE and content else None


def _raw(kind: str, content: bytes, tournament: Mapping[str, str]) -> ReportTables:
    """The tables of cells; nothing but these bytes is looked at."""
    findings = ReportTables(NAME)
    if kind == GONE:
        findings.problem(
            0,
            msg(
                "its text was thrown away with the erasure of entry %(entry)s",
                entry=str(erased_by(kind, content)),
            ),
            "report",
            msg("What it reported, if it was approved, stays in the journal."),
        )
        return findings
    if (large := _large(kind, content)) is not None:
        findings.problem(0, large, "report", _ALONE)
        return findings
    if kind != BOOK and is_workbook(content):
        findings.problem(
            0,
            msg("this is a workbook, not a text"),
            "report",
            msg("Send it as a file, not as text."),
        )
        return findings
    return _READERS[kind](content, tournament)


def refuse_large(kind: str, content: bytes) -> None:
    """Refuse contents that are too large to be read, before they are stored.

    Raises:
        Refused: there are more than are read.
    """
    if (large := _large(kind, content)) is not None:
        raise Refused(msg("It is too large: %(what)s. %(remedy)s", what=large, remedy=_ALONE))


_ALONE = msg(
    "Send one tournament, and only its result; an Excel sheet may have %(book)s MB.",
    book=MOST_BOOK // MIB,
)


def _large(kind: str, content: bytes) -> str | None:
    """Why contents are too large to be read; none if they are not."""
    most = MOST_BOOK if kind == BOOK else MOST_TEXT
    if len(content) <= most:
        return None
    return msg(
        "this has %(size)s KB, and at most %(most)s KB are read",
        size=len(content) // KIB,
        most=most // KIB,
    )


def _of_tournament(answers: Mapping[str, str]) -> dict[str, str]:
    """The answers about the tournament, not about its events."""
    return {key: value for key, value in answers.items() if value and key in headers.KEYS}


_READERS: Mapping[str, Callable[[bytes, Mapping[str, str]], ReportTables]] = {
    "toml": lambda content, _: toml_report.read(content, NAME),  # without files beside it
    "csv": lambda content, answers: placings.read(
        content, NAME, tournament=_of_tournament(answers)
    ),
    "xml": lambda content, _: usebio.read(content, NAME),
    "txt": lambda content, answers: read_pasted(content, NAME, tournament=_of_tournament(answers))[
        1
    ],
    BOOK: lambda content, answers: placings.read(
        content,
        NAME,
        tournament=_of_tournament(answers),
        book=Book(answers.get(SHEET) or None, ONLINE),
    ),
}


def as_form(kind: str, content: bytes, tournament: Mapping[str, str] = NO_ANSWERS) -> bytes:
    """The TOML report of a form with the same facts as contents and answers.

    Raises:
        Refused: they cannot be read, or say what a form cannot.
    """
    facts = read(kind, content, tournament).facts
    if facts is None:
        raise Refused(msg("This report has problems. Fix them before it becomes a form."))
    text = content.decode() if kind == "toml" else write.write(facts.tables)
    fields = report_form.fields_of(text)
    if fields is None:
        raise Refused(msg("This report says more than a form can. Edit it as text."))
    return report_form.written(fields).text.encode()


def kind_of(text: str) -> str:
    """The kind of a pasted text, by as much of it as would be read."""
    text = text[:MOST_TEXT].replace("\r\n", "\n").removeprefix("\ufeff")
    if _TOML.search(text):
        return "toml"
    if text.lstrip().startswith("<") and not saved_page.is_html(text):
        return "xml"
    pages = (saved_page.is_html, diplomacy_database.is_page, chicago_point.is_line)
    return "txt" if any(matches(text) for matches in pages) else "csv"


def kind_of_file(name: str, content: bytes) -> str:
    """The kind of a file: a workbook or a web page by its beginning, a text by its suffix or words.

    Raises:
        Refused: it is neither, as a picture.
    """
    if is_workbook(content) and not name.lower().endswith(_OTHER_ARCHIVES):
        return BOOK
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if content.startswith(_PICTURES) or (suffix not in KINDS and b"\0" in content):
        raise Refused(
            msg("%(name)s is neither a table nor a text. Copy the result out of it and paste it"
                " here.", name=brief(name))
        )  # fmt: skip
    if suffix in KINDS:
        return kind_of_contents(content, suffix)
    return kind_of(content.decode("utf-8", "replace"))


MEDIA_TYPES: Mapping[str, str] = {
    "application/toml": "toml",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/plain": "",  # what stands in it tells
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": BOOK,
    "application/vnd.ms-excel.sheet.macroenabled.12": BOOK,
    "application/vnd.ms-excel": BOOK,
}
"""The kind of a report by the media type that a program sends it as."""
_SUFFIXES = {"toml": ".toml", "csv": ".csv", "xml": ".xml", "txt": ".txt", BOOK: ".xlsx"}
_CHARSET = re.compile(r'charset\s*=\s*"?([^";\s]*)', re.IGNORECASE)
LONGEST_FILENAME = 200


def read_upload(content_type: str, content: bytes, name: str) -> tuple[str, str, bytes]:
    """The name, kind and bytes of a report that a program sends.

    Raises:
        Refused: there is nothing, or it is in no encoding that is read.
    """
    kind = MEDIA_TYPES.get(content_type.partition(";")[0].strip().lower(), "")
    charset = _CHARSET.search(content_type)
    if not content.strip():
        raise Refused(msg("Send a report: there is nothing in what was sent."))
    if kind:
        kind = kind_of_contents(content, _SUFFIXES[kind])
    if kind != BOOK and charset and charset[1]:
        content = as_utf8(content, charset[1])
    kind = kind or kind_of(content.decode("utf-8", "replace"))
    return file_name(name) or f"report{_SUFFIXES[kind]}", kind, content


def file_name(given: str) -> str:
    """The name of a file without its folder, as it can be shown."""
    name = given.replace("\\", "/").rpartition("/")[2]
    return name and printable(name)[:LONGEST_FILENAME]


def titled(kind: str, content: bytes) -> str:
    """The name of the tournament, found without reading all of the contents; empty if not found."""
    if kind in (BOOK, GONE):
        return ""
    match = _CALLED.search(content[:5000].decode("utf-8", "replace"))
    name = match[1].replace('\\"', '"').replace("\\\\", "\\") if match else ""
    return visible(name.strip()[:LONGEST])


def headline(kind: str, content: bytes) -> str:
    """The first line of a pasted list, without its days; empty of a placing or columns."""
    if kind not in {"csv", "txt"}:
        return ""
    line = (
        content[:5000].decode("utf-8", "replace").removeprefix("\ufeff").strip().partition("\n")[0]
    )
    if placing_parts(line) or _COLUMNS.search(line):
        return ""
    return visible(title_parts(line).name[:LONGEST])


def readable(kind: str, content: bytes) -> str | None:
    """Contents as people read and edit them; none of a workbook."""
    if kind not in TEXTS or len(content) > MOST_TEXT:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeError:
        return None


# ── where a problem stands ───────────────────────────────────────────────────────────────────────


def _in_text(problem: Problem, lines: list[str]) -> ReportProblem:
    """A problem with the line of the text that it is about."""
    line = problem.at.line if problem.at.file == NAME else 0
    spot = _bare(problem, line)
    if not 0 < line <= len(lines):
        return spot
    text = lines[line - 1]
    return replace(spot, column=_column(text, problem), text=visible(text[:LONGEST], "\t"))


def _in_form(problem: Problem, lines: list[str], fields: tuple[str, ...]) -> ReportProblem:
    """A problem with the field that it is about, and the line within a field of several lines."""
    at = problem.at
    if problem.code in (MISSING, EMPTY) and at.table in _BEFORE:
        field, what, remedy = _BEFORE[at.table] + at.key, msg("this is empty"), msg("Fill it in.")
        return replace(_bare(problem), field=field, what=what, remedy=remedy)
    line = at.line if at.file == NAME else 0
    if not 0 < line <= len(lines):
        return _bare(problem, line)
    text, field = lines[line - 1], fields[line - 1]
    first = fields.index(field) + 1
    several = field.rpartition(".")[2] in report_form.TEXTS
    if not several or line == first:  # the first line of several is the key itself
        return replace(_bare(problem), field=field)
    typed = str(json.loads(f'"{text}"')) if text != '"""' else ""
    return replace(
        _bare(problem, line - first),
        field=field,
        column=_column(typed, problem),
        text=visible(typed[:LONGEST], "\t"),
    )


def _question_of(
    problem: Problem, filled_cells: Mapping[understood.Cell, str], questions: Iterable[MissingValue]
) -> str:
    """The field of the answer that a problem is about; empty: none."""
    at = problem.at
    missing = [each.field for each in questions if each.required and each.unanswered]
    if problem.code in (MISSING, NO_TITLE) and at.key in missing:
        return at.key
    if missing and problem.code == NO_TITLE:
        return missing[0]
    return filled_cells.get((at.table, at.line, at.key), "")


def _in_workbook(problem: Problem, seen: SourceMap | None) -> ReportProblem:
    """A problem with the cell of a workbook that it is about, or with its row."""
    spot = _bare(problem)
    place = problem.at
    if place.file != NAME or not place.line:
        return spot
    if not place.column or seen is None:
        return replace(spot, line=place.line)
    row = seen.rows.get(place.line, [])
    at = column_number(place.column) - seen.left
    first = max(0, at - _NEIGHBOURS)
    cells = tuple(visible(text[:LONGEST], "\t") for text in row[first : at + _NEIGHBOURS + 1])
    return replace(
        spot,
        line=place.line,
        column=at + seen.left,
        cell=f"{place.column}{place.line}",
        text=cells[at - first] if at - first < len(cells) else "",
        row=cells,
        row_index=at - first,
    )


def _bare(problem: Problem, line: int = 0) -> ReportProblem:
    return ReportProblem(
        what=problem.what, remedy=problem.remedy, clause=problem.clause, line=line or None
    )


def _column(text: str, problem: Problem) -> int | None:
    """The column of a value that a problem quotes."""
    quoted = (
        str(value)
        for name, value in message_values(problem.what).items()
        if f"'%({name})s'" in message_of(problem.what)
    )
    return next((at + 1 for text_quoted in quoted if (at := text.find(text_quoted)) >= 0), None)
