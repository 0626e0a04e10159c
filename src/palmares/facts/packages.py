"""
A package: a directory with one file per table, CSV or Parquet.

    is_package      does a directory hold facts?
    read_draft      a directory  ->  Draft: typed facts, and what is wrong with their cells
    read_package    a directory  ->  checked facts
    read_tables     a directory  ->  some of its tables as they are, and what cannot be read
    located         a directory  ->  the Parquet parts of each table
    write_package   facts  ->  a directory, whole or not at all

A table is ``placings.csv``, ``placings.parquet``, or a folder ``placings.parquet`` or ``placings``
of Parquet parts (`palmares.facts.parts`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import polars as pl

from palmares.errors import FactsRejected, Problem, Refused, rejected
from palmares.facts.cells import Draft, checked, missing_columns, typed_frames
from palmares.facts.parts import Part, is_address, parts, read_parts, remote
from palmares.facts.sheets import CLAUSE, Sheet, armed, read_sheet
from palmares.facts.tables import FILE, LINE, TABLES, Facts
from palmares.progress import over
from palmares.whole import instead

SUFFIXES = (".csv", ".parquet")


def is_package(directory: Path) -> bool:
    """Whether a directory holds at least one table of facts."""
    return any(_files(directory, name) for name in TABLES)


def read_package(directory: str | Path, encoding: str | None = None) -> Facts:
    """The checked facts of a package.

    Args:
        directory: the package.
        encoding: of its CSV files, if they are not UTF-8.

    Raises:
        FactsRejected: it holds no facts, or something is wrong; with every problem.
    """
    return checked(read_draft(directory, encoding))


def read_draft(directory: str | Path, encoding: str | None = None) -> Draft:
    """The facts of a package as they are, with what is wrong with files and cells.

    Args:
        directory: the package, or its address in an object store.
        encoding: of its CSV files, if they are not UTF-8.

    Raises:
        FactsRejected: the directory holds no facts.
    """
    if is_address(directory):
        there = remote(str(directory))
        files = {name: found[0].path for name, found in there.items()}
        return _draft({name: read_parts(found) for name, found in there.items()}, files)
    directory = Path(directory)
    if not is_package(directory):
        raise _no_facts(directory)
    sheets = read_tables(directory, TABLES, encoding)
    return _draft(sheets, {name: str(_files(directory, name)[0]) for name in sheets})


def _draft(sheets: Mapping[str, Sheet], files: Mapping[str, str]) -> Draft:
    """The tables of one package, typed; each has a name for where it lies."""
    problems: list[Problem] = []
    for name, sheet in sheets.items():
        problems += sheet.problems
        if sheet.frame is not None and sheet.frame.is_empty():
            problems += missing_columns(name, sheet.frame.columns, files[name])
    frames = {name: one.frame for name, one in sheets.items() if one.frame is not None}
    draft = typed_frames(frames)
    return Draft(
        facts=draft.facts,
        problems=(*problems, *draft.problems),
        incomplete=frozenset(name for name, one in sheets.items() if one.problems),
    )


def read_tables(
    directory: Path, names: Iterable[str], encoding: str | None = None
) -> dict[str, Sheet]:
    """Those of some tables that a package has, with file and line and nothing else done to them."""
    found = {name: _read(directory, name, encoding) for name in names if _files(directory, name)}
    return {
        name: sheet for name, sheet in found.items() if sheet.problems or sheet.frame is not None
    }


def located(directory: str | Path) -> dict[str, list[Part]] | None:
    """The Parquet parts of each table that a package has, or none if a table is something else."""
    if is_address(directory):
        return remote(str(directory))
    directory = Path(directory)
    files = {name: _files(directory, name) for name in TABLES}
    if any(len(found) > 1 or ".csv" in (one.suffix for one in found) for found in files.values()):
        return None
    return {name: parts(found[0]) for name, found in files.items() if found}


def _no_facts(directory: Path) -> FactsRejected:
    if not directory.exists():
        return rejected(
            str(directory), "there is no such directory", CLAUSE, "Look at the path again."
        )
    return rejected(
        str(directory),
        "there are no facts in it",
        CLAUSE,
        "A package has files such as tournaments.csv, events.csv, players.csv, placings.csv.",
    )


def _files(directory: Path, name: str) -> list[Path]:
    found = [path for suffix in SUFFIXES if (path := directory / f"{name}{suffix}").exists()]
    folder = directory / name
    return [*found, folder] if folder.is_dir() and parts(folder) else found


def _read(directory: Path, name: str, encoding: str | None) -> Sheet:
    files = _files(directory, name)
    if len(files) > 1:
        what = f"there are both {files[0].name} and {files[1].name}"
        remedy = "Keep the one that is right."
        return Sheet(None, [Problem(where=str(directory), what=what, clause=CLAUSE, remedy=remedy)])
    path = files[0]
    if path.suffix == ".csv":
        return read_sheet(path, str(path), TABLES[name], encoding)
    return read_parts(parts(path))


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def write_package(
    facts: Facts,
    directory: str | Path,
    format: Literal["csv", "parquet"] = "csv",  # noqa: A002
) -> None:
    """Write every table that has rows; the directory appears whole or not at all.

    Text that a spreadsheet would take for a formula gets an apostrophe in front of it in CSV,
    and loses it when the package is read back.

    Raises:
        Refused: the directory exists and is not empty, or cannot be written.
    """
    directory = Path(directory)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise Refused(f"{directory} exists. Name a directory that does not, or an empty one.")
    try:
        with instead(directory) as draft:
            draft.mkdir()
            for name in list(facts) or ["tournaments"]:
                table = facts.tables[name].drop(FILE, LINE)
                if format == "csv":
                    _write_csv(table, draft / f"{name}.csv")
                else:
                    table.write_parquet(draft / f"{name}.parquet")
    except OSError as error:
        raise Refused(f"{directory} cannot be written: {error.strerror or error}.") from error


def _write_csv(table: pl.DataFrame, path: Path) -> None:
    """One table as CSV: commas, UTF-8, a line feed after each row."""
    if table.height:
        table = table[[one for one in table.columns if table[one].null_count() < table.height]]
    header = (
        pl.Series(table.columns, dtype=pl.String).to_frame("name").select(armed(pl.col("name")))
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.to_series())
        rows = table.select(_cells(table)).iter_rows()
        writer.writerows(over(rows, f"rows of {path.name}", table.height))


def _cells(table: pl.DataFrame) -> Iterator[pl.Expr]:
    for at, (name, kind) in enumerate(table.schema.items()):
        column = pl.nth(at)  # a name such as `*` would be a pattern
        if kind == pl.String:
            yield armed(column).alias(name)
        elif kind == pl.Boolean:
            yield pl.when(column).then(pl.lit("yes")).when(~column).then(pl.lit("no")).alias(name)
        elif kind.is_decimal():
            text = column.cast(pl.String)
            yield text.str.replace(r"(\.[0-9]*?)0+$", "$1").str.strip_suffix(".").alias(name)
        else:
            yield column
