"""
A package: a directory with one file per table, CSV or Parquet.

    is_package      does a directory hold facts?
    read_draft      a directory  ->  Draft: typed facts, and what is wrong with their cells
    read_package    a directory  ->  checked facts
    write_package   facts  ->  a directory, whole or not at all

A table is ``placings.csv``, ``placings.parquet``, or a folder ``placings.parquet`` of parts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import polars as pl

from palmares.errors import FactsRejected, Problem, Refused, rejected
from palmares.facts.cells import Draft, checked, missing_columns, typed_frames
from palmares.facts.sheets import CLAUSE, Sheet, armed, read_sheet
from palmares.facts.tables import FILE, LINE, TABLES, Facts
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

    Raises:
        FactsRejected: the directory holds no facts.
    """
    directory = Path(directory)
    if not is_package(directory):
        raise _no_facts(directory)
    frames = {}
    problems: list[Problem] = []
    incomplete = set()
    for name in TABLES:
        sheet = _read(directory, name, encoding)
        if sheet.problems:
            problems += sheet.problems
            incomplete.add(name)
        if sheet.frame is not None:
            frames[name] = sheet.frame
            if sheet.frame.is_empty():
                file = str(_files(directory, name)[0])
                problems += missing_columns(name, sheet.frame.columns, file)
    draft = typed_frames(frames)
    return Draft(
        facts=draft.facts,
        problems=(*problems, *draft.problems),
        incomplete=frozenset(incomplete),
    )


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
    return [path for suffix in SUFFIXES if (path := directory / f"{name}{suffix}").exists()]


def _read(directory: Path, name: str, encoding: str | None) -> Sheet:
    files = _files(directory, name)
    if not files:
        return Sheet(None)
    if len(files) > 1:
        what = f"there are both {files[0].name} and {files[1].name}"
        remedy = "Keep the one that is right."
        return Sheet(None, [Problem(where=str(directory), what=what, clause=CLAUSE, remedy=remedy)])
    path = files[0]
    if path.suffix == ".csv":
        return read_sheet(path, str(path), TABLES[name], encoding)
    if path.is_dir():
        return _joined([_read_parquet(part) for part in sorted(path.glob("*.parquet"))])
    return _read_parquet(path)


def _read_parquet(path: Path) -> Sheet:
    try:
        frame = pl.read_parquet(path, hive_partitioning=False, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        what = f"this is no Parquet file, or not a whole one ({reason})"
        remedy = "Get the file again."
        return Sheet(None, [Problem(where=str(path), what=what, clause=CLAUSE, remedy=remedy)])
    place = (
        pl.lit(str(path)).alias(FILE),
        pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(LINE),
    )
    return Sheet(frame.drop(FILE, LINE, strict=False).with_columns(place))


def _joined(parts: list[Sheet]) -> Sheet:
    problems = [problem for part in parts for problem in part.problems]
    frames = [part.frame for part in parts if part.frame is not None]
    frame = pl.concat(frames, how="diagonal_relaxed") if frames else None
    return Sheet(frame, problems)


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
        table = table.drop(one for one in table.columns if table[one].null_count() == table.height)
    header = (
        pl.Series(table.columns, dtype=pl.String).to_frame("name").select(armed(pl.col("name")))
    )
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.to_series())
        writer.writerows(table.select(_cells(table)).iter_rows())


def _cells(table: pl.DataFrame) -> Iterator[pl.Expr]:
    for name, kind in table.schema.items():
        column = pl.col(name)
        if kind == pl.String:
            yield armed(column).alias(name)
        elif kind == pl.Boolean:
            yield pl.when(column).then(pl.lit("yes")).when(~column).then(pl.lit("no")).alias(name)
        elif kind.is_decimal():
            text = column.cast(pl.String)
            yield text.str.replace(r"(\.[0-9]*?)0+$", "$1").str.strip_suffix(".").alias(name)
        else:
            yield column
