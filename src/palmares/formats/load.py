"""
Read reports and packages from disk as checked facts.

A directory is a package if it has a table of facts (``placings.csv``, ``events.parquet``, ...);
otherwise every report and package below it is read. Other files get a notice, except hidden ones
and those that systems leave behind. Several paths are read as one set of facts.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from palmares.core.errors import (
    FactsRejected,
    Location,
    PalmaresWarning,
    Problem,
    Refused,
    brief_repr,
    rejected,
)
from palmares.core.progress import over
from palmares.facts import (
    TABLES,
    Facts,
    ParsedFacts,
    ReportTables,
    check_facts,
    is_package,
    parse_cells,
    read_typed,
)
from palmares.facts.decoding import content_of
from palmares.facts.packages import SUFFIXES as PACKAGED
from palmares.facts.packages import is_address
from palmares.facts.rates import with_bank_rates
from palmares.facts.schema import FILE, LINE
from palmares.facts.text import printable
from palmares.formats import MOST_BYTES, SUFFIXES, read_report
from palmares.regulations import money_disciplines

LEFT_BEHIND = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
"""Names that systems give to what they leave in directories."""


def read(*paths: str | os.PathLike[str], encoding: str | None = None) -> Facts:
    """Read reports and packages as one set of checked facts.

    Args:
        paths: report files, package directories, or directories of either; packages of Parquet
            also by their address in an object store, such as ``s3://bucket/season``.
        encoding: of text files that are not UTF-8.

    Returns:
        The facts, with the European Central Bank's rates that they need. What deserves a look but
        stops nothing is in ``notices`` and issued as
        `palmares.core.errors.PalmaresWarning`.

    Raises:
        FactsRejected: anything is wrong; carries every problem found, with file and line.
        Refused: no path is given, or one is something else, such as a list; or the encoding is.
    """
    if not isinstance(encoding, str | None):
        raise Refused(f'An encoding is a text such as "cp1252", not {brief_repr(encoding)}.')
    facts = with_bank_rates(gathered(*paths_of(paths), encoding=encoding), money_disciplines)
    for notice in facts.notices:
        warnings.warn(str(notice), PalmaresWarning, stacklevel=2)
    return facts


def paths_of(paths: Iterable[object]) -> list[str]:
    """Paths as texts.

    Raises:
        Refused: there is none, or one is something else, such as a list.
    """
    texts = []
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise Refused(
                f"A path is a text or a pathlib.Path, not {brief_repr(path)}. Of several paths each"
                ' is an argument of its own: palmares.read("a.toml", "season").'
            )
        texts.append(os.fspath(path))
    if not texts:
        raise Refused("Name a report, a package of tables, or a directory of either.")
    return texts


def gathered(*paths: str | os.PathLike[str], encoding: str | None = None) -> Facts:
    """The facts as their files have them: without a warning, and without a bank's rates.

    Raises:
        FactsRejected: anything is wrong.
    """
    try:
        return check_facts(*(file.draft for file in files_read(paths, encoding)))
    except FactsRejected as rejected_facts:
        problems = sorted(rejected_facts.problems)
        raise FactsRejected(problems, notices=rejected_facts.notices) from None


class FileRead(Struct, frozen=True, kw_only=True):
    """A file, or a package of tables, and what was read from it."""

    path: str
    form: str  # what it was read as; empty: it is not read
    draft: ParsedFacts
    attached: tuple[str, ...] = ()  # other files that are part of it

    def files(self) -> set[str]:
        """The files that its problems are located in."""
        tables = (self.draft.facts[name] for name in self.draft.facts)
        return {self.path, *self.attached}.union(*(table[FILE].unique() for table in tables))


def in_good_order(
    files: Sequence[FileRead],
) -> tuple[list[FileRead], Facts, dict[str, list[Problem]]]:
    """The files that contradict neither themselves nor each other.

    Returns:
        These files, their facts, and by path the problems of every other file.

    Raises:
        FactsRejected: a problem is in none of the files.
    """
    problems = _reported_twice(files)
    good = [file for file in files if file.path not in problems]
    while good:
        try:
            return good, check_facts(*(file.draft for file in good)), problems
        except FactsRejected as error:
            problems |= by_file(error, good)
            good = [file for file in good if file.path not in problems]
    return [], Facts(), problems


def _reported_twice(files: Sequence[FileRead]) -> dict[str, list[Problem]]:
    """Problems, by path, of files that report the same tournament."""
    places: dict[str, dict[str, Location]] = {}
    for file in files:
        tournaments = file.draft.facts["tournaments"].drop_nulls("tournament_id")
        for tournament, name, line in tournaments.select("tournament_id", FILE, LINE).iter_rows():
            places.setdefault(tournament, {}).setdefault(file.path, Location(name, line))
    problems: dict[str, list[Problem]] = {}
    for tournament, by_path in places.items():
        for path, at in by_path.items() if len(by_path) > 1 else ():
            others = ", ".join(printable(other) for other in by_path if other != path)
            problem = Problem(
                at=at,
                what=f"the tournament {printable(tournament)} is also in {others}",
                clause="facts tournaments.tournament_id",
                remedy="Keep one of them, or give the other an id of its own.",
            )
            problems.setdefault(path, []).append(problem)
    return problems


def by_file(error: FactsRejected, files: Sequence[FileRead]) -> dict[str, list[Problem]]:
    """The problems of some files, by path.

    Raises:
        FactsRejected: one of them is in none of the files.
    """
    owners = {name: file.path for file in files for name in file.files()}
    problems: dict[str, list[Problem]] = {}
    for problem in sorted(error.problems):
        if problem.at.file not in owners:
            raise error
        problems.setdefault(owners[problem.at.file], []).append(problem)
    return problems


MOST_NOTICES = 1_000
"""Notices that are kept of a set of facts."""


def first_notices(notices: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each notice once, by file and line: the first `MOST_NOTICES`, and one more if there is one.

    The first of all are the first of those of each part, however facts are cut into parts.
    """
    return tuple(sorted(dict.fromkeys(notices))[: MOST_NOTICES + 1])


class _Source(Struct, frozen=True):
    """One file or package at the paths, or a notice of a file that is not read."""

    path: str | Path
    folder: Path | None = None  # the directory that was named, if its name was not its own
    is_package: bool = False
    notice: Problem | None = None  # why it is not read


def files_read(
    paths: Iterable[str | os.PathLike[str]], encoding: str | None = None
) -> list[FileRead]:
    """What lies at some paths, in their order; a file that belongs to a report only with it.

    TOML reports are read first: they name the sheets that are part of them.

    Raises:
        FactsRejected: there is nothing to read.
    """
    sources = [source for path in paths for source in _sources(path)]
    folders = {source.folder for source in sources if source.folder is not None}
    read: dict[_Source, FileRead] = {}
    attached: set[str] = set()
    later = sorted(sources, key=lambda source: Path(source.path).suffix.lower() != ".toml")
    for source in over(later, "files"):
        path = os.fspath(source.path)
        if os.path.realpath(path) in attached:
            continue
        if source.notice:
            draft = parse_cells(ReportTables(notices=[source.notice]))
            read[source] = FileRead(path=path, form="", draft=draft)
        elif source.is_package:
            draft = read_typed(source.path, encoding)
            if not is_address(path):
                facts = draft.facts.noting(beside_package(Path(path)))
                draft = replace(draft, facts=facts)
            read[source] = FileRead(path=path, form="tables", draft=draft)
        else:
            raw = read_report(source.path, encoding, among=source.folder is not None)
            attached.update(map(os.path.realpath, raw.attached))
            parts = tuple(raw.attached)
            read[source] = FileRead(
                path=path, form=raw.form, draft=parse_cells(raw), attached=parts
            )
    for folder in folders:
        inside = [(source, file.draft) for source, file in read.items() if source.folder == folder]
        if not any(
            source.is_package or draft.problems or list(draft.facts) for source, draft in inside
        ):
            raise _nothing_in(folder)
    return [read[source] for source in sources if source in read]


def _sources(path: str | os.PathLike[str]) -> Iterator[_Source]:
    """What there is at one path."""
    if not os.fspath(path):
        raise Refused("A path is empty. Name a report, a package of tables, or a directory.")
    if is_address(path):
        yield _Source(os.fspath(path), is_package=True)
        return
    path = Path(path)
    _refuse_no_name(path)
    if path.is_dir():
        inside = list(_without_copies(list(_inside(path, path))))
        if all(source.notice for source in inside):
            raise _nothing_in(path)
        yield from inside
    elif path.exists():
        yield _Source(path)
    else:
        raise rejected(
            str(path), "there is no such file or directory", "facts package", "Check the path."
        )


def _inside(directory: Path, folder: Path) -> Iterator[_Source]:
    """Everything in a directory, and in those inside it, by name."""
    if is_package(directory):
        yield _Source(directory, folder, is_package=True)
        return
    for entry in _entries(directory):
        _refuse_no_name(entry)
        if entry.is_dir() and directory.resolve().is_relative_to(entry.resolve()):
            what = "this link is not followed: it leads to a folder that it lies in"
            yield _not_read(entry, folder, what, "Take it away.")
        elif entry.is_dir():
            yield from _inside(entry, folder)
        elif entry.suffix.lower() in SUFFIXES and not entry.is_fifo():
            yield _Source(entry, folder)
        else:
            remedy = f"Reports are files with the suffix {', '.join(SUFFIXES)}."
            yield _not_read(
                entry,
                folder,
                "this file is not read: it is no report",
                f"{remedy} Take other files away.",
            )


def _not_read(path: str | Path, folder: Path | None, what: str, remedy: str) -> _Source:
    problem = Problem(at=Location(str(path)), what=what, clause="report", remedy=remedy)
    return _Source(path, folder, notice=problem)


def _without_copies(sources: Sequence[_Source]) -> Iterator[_Source]:
    """The sources; a file that is another one byte for byte becomes a notice.

    A report that names a sheet is a copy only in its own folder: elsewhere the sheet may differ.
    """
    files = {
        source: Path(source.path).stat().st_size
        for source in sources
        if not source.notice and Path(source.path).is_file()
    }
    sizes = Counter(files.values())
    first: dict[tuple[bytes, Path | None], str | Path] = {}
    for source in sources:
        original = source.path
        content = None
        if sizes[files.get(source, -1)] > 1:
            content = content_of(Path(source.path), ReportTables(""), MOST_BYTES)
        if content is not None:
            folder = Path(source.path).parent if b"placings_file" in content else None
            original = first.setdefault((sha256(content).digest(), folder), source.path)
        if original is source.path:
            yield source
        else:
            what = f"this file is not read: it is a copy of {printable(str(original))}"
            yield _not_read(source.path, source.folder, what, "Nothing needs to be done.")


def _nothing_in(directory: Path) -> FactsRejected:
    return rejected(
        str(directory),
        "the directory holds neither a table of facts nor a report",
        "facts package",
        "Name a report file, a directory of reports, or a package with tables such as "
        "tournaments.csv and placings.csv.",
    )


def _refuse_no_name(path: Path) -> None:
    """Refuse a name whose bytes are not UTF-8, which no message could say, or that is too long."""
    try:
        str(path).encode()
        path.exists()
    except OSError as error:
        raise rejected(
            printable(path),
            f"it cannot be opened: {error.strerror}",
            "facts package",
            "Check the path.",
        ) from None
    except UnicodeEncodeError:
        raise rejected(
            printable(path), "the name is no text: it must be UTF-8", "facts package", "Rename it."
        ) from None


def beside_package(package: Path) -> list[Problem]:
    """What lies in a package and is not read."""
    tables = {f"{name}{suffix}" for name in TABLES for suffix in ("", *PACKAGED)}
    return [
        Problem(
            at=Location(str(entry)),
            what="this is not read: its directory is a package of tables",
            clause="facts package",
            remedy="Name it as a path of its own, or move it out of the package.",
        )
        for entry in _entries(package)
        if entry.name not in tables and not (entry.is_dir() and not any(_entries(entry)))
    ]


def _entries(directory: Path) -> list[Path]:
    """What lies in a directory, by name, without what systems and programs leave there."""
    try:
        entries = sorted(directory.iterdir())
    except OSError as error:
        raise rejected(
            str(directory),
            f"it cannot be opened: {error.strerror}",
            "facts package",
            "Check the path.",
        ) from None
    return [
        path
        for path in entries
        if not path.name.startswith((".", "~$", "_SUCCESS"))
        and path.name.casefold() not in LEFT_BEHIND
    ]
