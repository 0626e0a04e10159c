"""
From what is on disk to checked facts.

    read        files and directories  ->  Facts; every problem at once, or none

A directory is a package if it holds a table of facts (``placings.csv``, ``events.parquet``, ...);
else every report and package in it is read. Several paths are read as one set of facts.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from palmares.errors import FactsRejected, PalmaresWarning, Problem, rejected
from palmares.facts import Facts, check, is_package, read_package, typed
from palmares.facts.raw import Raw, merged
from palmares.reports import SUFFIXES, read_report


def read(*paths: str | os.PathLike[str], encoding: str | None = None) -> Facts:
    """Read reports and packages as one set of checked facts.

    Args:
        paths: report files, package directories, or directories of either.
        encoding: of text files that are not UTF-8.

    Returns:
        The facts. What deserves a look but stops nothing is in ``notices`` and issued as
        `PalmaresWarning`.

    Raises:
        FactsRejected: anything is wrong; carries every problem found, with file and line.
    """
    raw = merged([one for path in paths for one in _raws(Path(path), encoding)])
    facts, problems = typed(raw)
    wrong, notices = check(facts)
    found = sorted({*raw.problems, *problems, *wrong}, key=_place)
    if found:
        raise FactsRejected(found)
    facts = facts.noting([*raw.notices, *notices])
    for notice in facts.notices:
        warnings.warn(str(notice), PalmaresWarning, stacklevel=2)
    return facts


def _place(problem: Problem) -> tuple[str, int, Problem]:
    """Problems by file, then line as a number."""
    file, _, line = problem.where.rpartition(":")
    return (file, int(line), problem) if line.isdigit() else (problem.where, 0, problem)


def _raws(path: Path, encoding: str | None) -> Iterator[Raw]:
    if path.is_dir():
        if is_package(path):
            yield read_package(path, encoding)
            return
        inside = [
            one
            for one in sorted(path.iterdir())
            if not one.name.startswith(".") and (one.is_dir() or one.suffix.lower() in SUFFIXES)
        ]
        found = [raw for one in inside if _worth_reading(one) for raw in _raws(one, encoding)]
        if not found:
            raise rejected(
                str(path),
                "the directory holds neither a table of facts nor a report",
                "facts package",
                "Name a report file, a directory of reports, or a package with tables such as "
                "tournaments.csv and placings.csv.",
            )
        yield from found
    elif path.exists():
        yield read_report(path, encoding)
    else:
        raise rejected(
            str(path), "there is no such file or directory", "facts package", "Check the path."
        )


def _worth_reading(path: Path) -> bool:
    """Files by their suffix; directories that hold something we read; not the rows of reports."""
    if path.is_dir():
        return is_package(path) or any(_worth_reading(one) for one in path.iterdir())
    return path.suffix.lower() in (".toml", ".txt")
