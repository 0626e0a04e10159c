"""Files to tables: one reader for each format; readers never repair or merge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from palmares.core.messages import msg
from palmares.facts.decoding import ReportTables

BOOK = "xlsx"
KINDS: Mapping[str, str] = {
    ".toml": "toml", ".csv": "csv", ".tsv": "csv",
    ".xml": "xml", ".txt": "txt", ".md": "txt", ".html": "txt", ".htm": "txt",
    ".xlsx": BOOK, ".xlsm": BOOK, ".xls": BOOK, ".ods": BOOK,
}  # fmt: skip
"""The kind of contents that the suffix of a file promises."""
SUFFIXES = tuple(KINDS)
MOST_BYTES = 100 * 2**20
_PACKAGE = b"PK\x03\x04"
_BEGINNING = 4096
"""Bytes in which a web page is recognised, whatever its suffix: sites export tables as .xls."""


def read_report(
    path: str | Path, encoding: str | None = None, *, among: bool = False
) -> ReportTables:
    """Read one report file.

    Args:
        path: the file.
        encoding: what its text was written in; without it UTF-8, nothing is guessed.
        among: it lies in a directory of reports; a sheet or a text that is no report is a notice
            there, not a problem.

    Returns:
        The tables of facts as text, with file and line. Anything wrong with the file is a problem
        in them, never an exception.
    """
    from palmares.facts.decoding import content_of

    path = Path(path)
    findings = ReportTables(str(path))
    content = content_of(path, findings, MOST_BYTES)
    if content is None:
        return findings
    form, raw = _read(content, path, findings.file, encoding, among=among)
    raw.form = form if raw.tables or raw.problems else ""
    return raw


def kind_of(content: bytes, suffix: str) -> str:
    """The kind of a file by its suffix; a web page and a workbook are known by their beginning.

    Args:
        content: the file as it is.
        suffix: in small letters; one that is unknown is that of a text.
    """
    from palmares.formats import saved_page

    kind = KINDS.get(suffix, "txt")
    if kind == "toml":
        return kind
    if saved_page.is_html(content[:_BEGINNING].decode(errors="replace")):
        return "txt"
    return BOOK if content.startswith(_PACKAGE) else kind


def _read(
    content: bytes, path: Path, file: str, encoding: str | None, *, among: bool
) -> tuple[str, ReportTables]:
    """What a file was read as, and its tables; no reader but the one for its kind is loaded."""
    suffix = path.suffix.lower()
    kind = kind_of(content, suffix)
    if kind == "txt":
        return read_pasted(content, file, encoding, among=among)
    if kind == "toml":
        from palmares.formats.toml import read

        return "report", read.read(content, file, encoding=encoding, folder=path.parent)
    if kind == "xml":
        from palmares.formats import usebio

        return "USEBIO", usebio.read(content, file, encoding=encoding)
    from palmares.formats.sheets import placings
    from palmares.formats.sheets.grid import Book

    book = Book() if kind == BOOK else None
    form = "LibreOffice sheet" if suffix == ".ods" else "Excel sheet" if book else "CSV sheet"
    return form, placings.read(content, file, encoding=encoding, book=book, among=among)


def read_pasted(
    content: bytes,
    file: str,
    encoding: str | None = None,
    *,
    tournament: Mapping[str, str] | None = None,
    among: bool = False,
) -> tuple[str, ReportTables]:
    """Read a text by the reader that its contents ask for: what it was read as, and its tables.

    Args:
        content: the text.
        file: its name as the user knows it.
        encoding: what it was written in; without it what a page declares, or UTF-8.
        tournament: columns of the tournament that stand nowhere in the text.
        among: it lies in a directory of reports; one that is no report is a notice.
    """
    from palmares.facts.decoding import decoded
    from palmares.formats import chicago_point, diplomacy_database, saved_page
    from palmares.formats.sheets import placings
    from palmares.formats.sheets.grid import has_placings

    findings = ReportTables(file)
    text = decoded(content, findings, encoding or saved_page.encoding_of(content))
    if text is None:
        return "text", findings
    if diplomacy_database.is_page(text):
        return "database page", diplomacy_database.read(text, file)
    if saved_page.is_html(text):
        return _read_web_page(text, findings, tournament, among=among)
    if chicago_point.is_line(text):
        return "result lines", chicago_point.read(text, file, tournament=tournament)
    if has_placings(text):
        lines = placings.read(text.encode(), file, tournament=tournament, among=among)
        return "lines of placings", lines
    return "text", _no_report(findings, among=among)


def _no_report(findings: ReportTables, *, among: bool) -> ReportTables:
    """A text of which nothing is read."""
    report = findings.notice if among else findings.problem
    report(
        0,
        "this file is not read: it is no report we know" if among else "this is no report we know",
        "report",
        "Reports are TOML files, sheets of placings (CSV, Excel, LibreOffice), lines of placings"
        " (1 Ada Novak (CZE)), USEBIO files (.xml), result lines of the Chicago Point and pages of"
        " the World Diplomacy Database.",
    )
    return findings


def _read_web_page(
    text: str, findings: ReportTables, tournament: Mapping[str, str] | None, *, among: bool
) -> tuple[str, ReportTables]:
    """Read the table of placings of a page, if it has one whose cells are where they seem."""
    from palmares.core.errors import Unreadable
    from palmares.formats import diplomacy_database, saved_page
    from palmares.formats.sheets import placings
    from palmares.formats.sheets.grid import begins_placings, report_title

    try:
        table = saved_page.table_text(text, begins_placings)
    except Unreadable:  # which the reader of the database's pages reports
        table = ""
    if not table and among:
        return "text", _no_report(findings, among=among)
    if not table:
        return "database page", diplomacy_database.read(text, findings.file)
    if why := saved_page.why_no_simple_table(text, begins_placings):
        remedy = msg("Copy the table into a sheet, and fill in each of its cells.")
        findings.problem(0, why, "report", remedy)
        return "web page", findings
    heading = "" if text[: text.find("<")].strip() else saved_page.heading(text)
    columns = {**({"name": heading} if heading else {}), **(tournament or {})}
    raw = placings.read(table.encode(), findings.file, tournament=columns, among=among)
    if heading in [row["name"] for row in raw.table("tournaments")]:
        raw.title = heading
        report_title(raw, 0, heading)
    if raw.tables:
        what = msg("the table of this page is read, and not the text around it")
        remedy = msg("If it matters, write keys above the page: %(example)s.",
                     example="name: Graz Open")  # fmt: skip
        raw.notice(0, what, "report", remedy)
    return "web page", raw
