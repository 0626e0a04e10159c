"""
A package: a directory with one file per table, CSV or Parquet, here or in an object store.

A table is ``placings.csv``, ``placings.parquet``, or a folder ``placings.parquet`` or ``placings``
of Parquet parts, also in folders such as ``year=2019``, which then are a column ``year`` of all
rows below, unless a part has that column itself. Names that begin with a point or an underscore
are left aside, as those who write such folders expect.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused, rejected
from palmares.core.files import atomic_path
from palmares.core.progress import over
from palmares.facts.cells import Draft, checked, missing_columns, typed_frames
from palmares.facts.csv import CLAUSE, Sheet, armed, read_sheet
from palmares.facts.parquet import Unreadable, memory_of, read, refuse_too_large
from palmares.facts.schema import FILE, LINE, TABLES, Facts

_NOTHING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class Part:
    """A Parquet file of a table."""

    path: str  # as the user named it
    said: Mapping[str, str | None] = field(default_factory=dict)  # columns by names of folders


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a URL, such as ``s3://bucket/season``."""
    return "://" in os.fspath(path)


def remote(address: str) -> dict[str, list[Part]]:
    """The parts of each table of a package in an object store, by Polars' own reader.

    Raises:
        FactsRejected: there are none, or it cannot be looked into.
    """
    if address.startswith(("http://", "https://")):
        raise rejected(
            address,
            "a folder on the web cannot be listed",
            CLAUSE,
            "Download the package and name its directory; or read it from an object store, such as"
            " s3://bucket/season.",
        )
    found: dict[str, list[Part]] = {}
    for path in sorted(_listed(address.rstrip("/"))):
        names = path[len(address.rstrip("/")) + 1 :].split("/")
        table = names[0].removesuffix(".parquet")
        if table in TABLES and not any(name.startswith((".", "_")) for name in names):
            found.setdefault(table, []).append(Part(path, _said(names[1:-1])))
    if not found:
        raise rejected(
            address,
            "there are no facts in it",
            CLAUSE,
            "A package has tables such as tournaments.parquet, or folders of parts of that name.",
        )
    return found


def _listed(address: str) -> list[str]:
    """Every Parquet file below an address."""
    try:
        files = pl.scan_parquet(
            f"{address}/**/*.parquet",
            include_file_paths=FILE,
            hive_partitioning=False,
            schema={},  # tables have nothing in common but that they lie there
            extra_columns="ignore",
        )
        return files.select(pl.col(FILE).unique()).collect()[FILE].to_list()
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        if "expanded paths were empty" in str(error):
            return []
        reason = str(error).splitlines()[0]
        raise rejected(
            address,
            f"it cannot be read ({reason})",
            CLAUSE,
            "Look at the address and at the credentials: Polars takes them where the tools of the"
            " object store have them, such as AWS_ACCESS_KEY_ID and AWS_ENDPOINT_URL.",
        ) from error


def parts(place: Path) -> list[Part]:
    """The parts of a table: the file itself, or those in the folder and the folders in it."""
    if not place.is_dir():
        return [Part(str(place))]
    found = sorted(one for one in place.rglob("*.parquet") if one.is_file())
    inside = ((one, one.relative_to(place).parts) for one in found)
    return [
        Part(str(one), _said(names[:-1]))
        for one, names in inside
        if not any(name.startswith((".", "_")) for name in names)
    ]


def _said(folders: Sequence[str]) -> dict[str, str | None]:
    """What folders such as ``year=2019`` say of the rows in them."""
    pairs = (name.split("=", 1) for name in folders if "=" in name)
    return {
        unquote(name): None if value in ("", _NOTHING) else unquote(value) for name, value in pairs
    }


def read_parts(found: Sequence[Part], *, told: bool = False) -> Sheet:
    """All parts of a table as one; a column that only some have is empty in the others.

    Args:
        found: the parts.
        told: whether their rows say themselves which file and line they came from.
    """
    sheets: list[Sheet] = []
    memory = memory_of(one.path for one in found if not is_address(one.path))
    taken = 0
    for one in found:
        more = memory.get(one.path)
        try:
            if isinstance(more, Unreadable):
                raise more
            taken += more or 0
            refuse_too_large(one.path, taken)
            frame = read(one.path, more)
        except Unreadable as error:
            sheets.append(Sheet(None, [error.problem]))
        else:
            sheets.append(Sheet(frame if told else _placed(one, frame)))
    problems = [problem for sheet in sheets for problem in sheet.problems]
    frames = [sheet.frame for sheet in sheets if sheet.frame is not None]
    joined = pl.concat(frames, how="diagonal_relaxed") if frames else None
    return Sheet(joined, problems)


def _placed(part: Part, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows with what their folders say, and with their file and row."""
    said = (
        pl.lit(value, pl.String).alias(name)
        for name, value in part.said.items()
        if name not in frame.columns
    )
    place = (
        pl.lit(part.path).alias(FILE),
        pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(LINE),
    )
    return frame.with_columns(said).drop(FILE, LINE, strict=False).with_columns(place)


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
        return Sheet(
            None, [Problem(at=Location(str(directory)), what=what, clause=CLAUSE, remedy=remedy)]
        )
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
        with atomic_path(directory) as draft:
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
