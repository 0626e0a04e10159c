"""
From what is on disk to checked facts.

    read            files and directories  ->  Facts; every problem at once, or none
    gathered        the same without a warning, and without rates that are in no file
    in_order        problems by file and line
    beside_package  what lies in a package and is not read

A directory is a package if it holds a table of facts (``placings.csv``, ``events.parquet``, ...);
else every report and package in it is read. Several paths are read as one set of facts.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from palmares.bank_rates import with_bank_rates
from palmares.errors import FactsRejected, PalmaresWarning, Problem, rejected
from palmares.facts import Draft, Facts, checked, is_package, read_draft, typed
from palmares.facts.parts import is_address
from palmares.facts.texts import shown
from palmares.progress import over

_PLACE = re.compile(r"[A-Z]{0,3}([0-9]+)")
"""A line, or a cell of a workbook: 14, C14."""


def read(*paths: str | os.PathLike[str], encoding: str | None = None) -> Facts:
    """Read reports and packages as one set of checked facts.

    Args:
        paths: report files, package directories, or directories of either; packages of Parquet
            also by their address in an object store, such as ``s3://bucket/season``.
        encoding: of text files that are not UTF-8.

    Returns:
        The facts, with the European Central Bank's rates that they need. What deserves a look but
        stops nothing is in ``notices`` and issued as `PalmaresWarning`.

    Raises:
        FactsRejected: anything is wrong; carries every problem found, with file and line.
    """
    facts = with_bank_rates(gathered(*paths, encoding=encoding))
    for notice in facts.notices:
        warnings.warn(str(notice), PalmaresWarning, stacklevel=2)
    return facts


def gathered(*paths: str | os.PathLike[str], encoding: str | None = None) -> Facts:
    """The facts as their files have them: without a warning, and without a bank's rates.

    Raises:
        FactsRejected: anything is wrong.
    """
    drafts = [one for path in paths for one in _drafts(path, encoding)]
    try:
        return checked(*drafts)
    except FactsRejected as rejected_facts:
        raise FactsRejected(in_order(rejected_facts.problems)) from None


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems by file, and by line in it."""
    return sorted(problems, key=_place)


def _place(problem: Problem) -> tuple[str, int, Problem]:
    """Problems by file, then line as a number."""
    file, _, place = problem.where.rpartition(":")
    written = _PLACE.fullmatch(place)
    return (file, int(written[1]), problem) if written else (problem.where, 0, problem)


def _drafts(path: str | os.PathLike[str], encoding: str | None) -> Iterator[Draft]:
    if is_address(path):
        yield read_draft(os.fspath(path))
        return
    path = Path(path)
    _refuse_no_name(path)
    if path.is_dir():
        if is_package(path):
            draft = read_draft(path, encoding)
            yield replace(draft, facts=draft.facts.noting(beside_package(path)))
            return
        inside = [one for one in sorted(path.iterdir()) if _worth_reading(one)]
        if not inside:
            raise rejected(
                str(path),
                "the directory holds neither a table of facts nor a report",
                "facts package",
                "Name a report file, a directory of reports, or a package with tables such as "
                "tournaments.csv and placings.csv.",
            )
        for one in over(inside, f"files in {path}"):
            yield from _drafts(one, encoding)
    elif path.exists():
        from palmares.reports import read_report

        yield typed(read_report(path, encoding))
    else:
        raise rejected(
            str(path), "there is no such file or directory", "facts package", "Check the path."
        )


def _refuse_no_name(path: Path) -> None:
    """Refuse a name whose bytes are not UTF-8, which no message could say, or that is too long."""
    try:
        str(path).encode()
        path.exists()
    except OSError as error:
        raise rejected(
            shown(path),
            f"it cannot be opened: {error.strerror}",
            "facts package",
            "Check the path.",
        ) from None
    except UnicodeEncodeError:
        raise rejected(
            shown(path), "the name is no text: it must be UTF-8", "facts package", "Rename it."
        ) from None


def beside_package(package: Path) -> list[Problem]:
    """What lies in a package and is not read, though it would be elsewhere."""
    return [
        Problem(
            where=str(one),
            what="this is not read: its directory is a package of tables",
            clause="facts package",
            remedy="Name it as a path of its own, or move it out of the package.",
        )
        for one in sorted(package.iterdir())
        if one.suffix != ".parquet" and _worth_reading(one)
    ]


def _worth_reading(path: Path) -> bool:
    """Reports and packages. CSV and Excel files beside reports belong to the reports."""
    if path.name.startswith("."):
        return False
    if path.is_dir():
        return is_package(path) or any(_worth_reading(one) for one in path.iterdir())
    return path.suffix.lower() in (".toml", ".txt", ".xml")
