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
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from urllib.parse import unquote

import polars as pl
from msgspec import Struct, field

from palmares.core.errors import FactsRejected, Location, Problem, Refused, rejected
from palmares.core.files import atomic_path
from palmares.core.messages import hint
from palmares.core.progress import over
from palmares.facts.cells import ParsedFacts, check_facts, missing_columns, parse_frames
from palmares.facts.csv import CLAUSE, LONGEST_CELL, CsvSheet, armed, read_sheet
from palmares.facts.schema import FILE, LINE, TABLES, Facts

MIB, MEGABYTE = 2**20, 10**6
SMALL = 256 * MIB
"""Bytes in memory that no ratio is dangerous below."""
MOST_RATIO = 1_000
"""Bytes in memory to bytes of the file; tables whose columns are all but one constant reach 200."""
_BYTES_OF_A_CELL = 16
"""Bytes that a cell takes at least, wherever its text lies."""


def read_parquet(path: str, taken: int | None) -> pl.DataFrame:
    """Read one Parquet file.

    Args:
        path: the file, or its address in an object store.
        taken: what `memory_of` says of it; none of an address.

    Raises:
        FactsRejected: it is none, is damaged, or would fill the memory.
    """
    with _as_problem(path):
        size = Path(path).stat().st_size if taken is not None else sys.maxsize
        _refuse_a_bomb(path, size, taken or 0)
        frame = pl.read_parquet(path, hive_partitioning=False, glob=False)
    _refuse_a_bomb(path, size, _text_bytes(path, frame))
    return frame


def memory_of(path: str) -> int:
    """Bytes that the cells of a Parquet file take in memory at least, as its footer says.

    Raises:
        FactsRejected: it is none, or is damaged.
    """
    with _as_problem(path):
        rows = pl.scan_parquet(path, hive_partitioning=False, glob=False)
        count: int = rows.select(pl.len()).collect().item()
        return count * len(rows.collect_schema()) * _BYTES_OF_A_CELL


def memory_here() -> int:
    """What this process may take: the machine's memory, or the limit of its container.

    Where the system does not tell, as Windows does not, there is no limit.
    """
    if not hasattr(os, "sysconf"):
        return sys.maxsize
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(memory, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return memory


def refuse_too_large(path: str, taken: int) -> None:
    """Refuse a table that takes more memory than this machine has.

    Raises:
        FactsRejected: up to this part of it, it takes too much.
    """
    if taken > memory_here():
        raise rejected(
            path,
            f"the table takes at least {taken / MEGABYTE:,.1f} MB of memory, and this machine has"
            f" {memory_here() / MEGABYTE:,.1f}",
            CLAUSE,
            hint("read-with-duckdb", "Read it with the engine duckdb, which needs less memory."),
        )


def no_pattern(path: str) -> str:
    """A path that DuckDB does not take for a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", path)


# ── bounds ───────────────────────────────────────────────────────────────────────────────────────


def _refuse_a_bomb(path: str, size: int, taken: int) -> None:
    if taken > max(SMALL, MOST_RATIO * size):
        raise rejected(
            path,
            f"the file has {size / MEGABYTE:,.1f} MB and unpacks to {taken / MEGABYTE:,.1f} MB or"
            " more: it could fill the memory, so it was not read",
            CLAUSE,
            hint(
                "read-with-duckdb-if-right",
                "Ask the person who made it. If it is right, read it with the engine duckdb.",
            ),
        )


def _text_bytes(path: str, frame: pl.DataFrame) -> int:
    """The bytes of all texts, however often one stands there; none may be too long."""
    total = 0
    for column in frame.iter_columns():
        if column.dtype != pl.String:
            continue
        lengths = column.alias("").str.len_bytes()  # its name may be a pattern to Polars
        longest = lengths.arg_max()
        if longest is not None and lengths[longest] > LONGEST_CELL:
            raise rejected(
                Location(path, longest + 1),
                f"a cell has {lengths[longest]:,} bytes, and {LONGEST_CELL:,} are read",
                CLAUSE,
                "Shorten the text, or leave its column out.",
            )
        total += int(lengths.sum())
    return total


# ── damage ───────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def _as_problem(path: str) -> Iterator[None]:
    """Whatever Polars says of a damaged file as a problem; its panics are no `Exception`.

    Rust prints a line about each panic on stderr. It is left there: where damage makes Polars ask
    for more memory than any machine has, the process ends, and that line alone says why.
    """
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        panic = isinstance(error, pl.exceptions.PanicException)
        why = "its pages are damaged" if panic else words[0]
        what = f"this is not a Parquet file, or it is incomplete ({why})"
        raise rejected(path, what, CLAUSE, "Get the file again.") from None


_NOTHING = "__HIVE_DEFAULT_PARTITION__"


class TableFile(Struct, frozen=True):
    """A Parquet file of a table."""

    path: str  # as the user named it
    folder_values: Mapping[str, str | None] = field(
        default_factory=dict
    )  # columns by names of folders


def is_address(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a URL, such as ``s3://bucket/season``."""
    return "://" in os.fspath(path)


def remote(address: str) -> dict[str, list[TableFile]]:
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
    tables: dict[str, list[TableFile]] = {}
    for path in sorted(_parquet_files(address.rstrip("/"))):
        names = path[len(address.rstrip("/")) + 1 :].split("/")
        table = names[0].removesuffix(".parquet")
        if table in TABLES and not any(name.startswith((".", "_")) for name in names):
            tables.setdefault(table, []).append(TableFile(path, _folder_values(names[1:-1])))
    if not tables:
        raise rejected(
            address,
            "there are no facts in it",
            CLAUSE,
            "A package has tables such as tournaments.parquet, or folders of parts of that name.",
        )
    return tables


def _parquet_files(address: str) -> list[str]:
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


def parts(place: Path) -> list[TableFile]:
    """The parts of a table: the file itself, or those in the folder and the folders in it."""
    if not place.is_dir() or place.suffix == ".csv":
        return [TableFile(str(place))]
    files = sorted(path for path in place.rglob("*.parquet") if not path.is_dir())
    inside = ((file, file.relative_to(place).parts) for file in files)
    return [
        TableFile(str(file), _folder_values(names[:-1]))
        for file, names in inside
        if not any(name.startswith((".", "_")) for name in names)
    ]


def _folder_values(folders: Sequence[str]) -> dict[str, str | None]:
    """What folders such as ``year=2019`` say of the rows in them."""
    pairs = (name.split("=", 1) for name in folders if "=" in name)
    return {
        unquote(name): None if value in ("", _NOTHING) else unquote(value) for name, value in pairs
    }


def read_parts(parts_of_table: Sequence[TableFile], *, placed: bool = False) -> CsvSheet:
    """All parts of a table as one; a column that only some have is empty in the others.

    Args:
        parts_of_table: the parts.
        placed: whether their rows say themselves which file and line they came from.
    """
    frames: list[pl.DataFrame] = []
    problems: list[Problem] = []
    taken = 0
    for part in parts_of_table:
        try:
            more = None if is_address(part.path) else memory_of(part.path)
            taken += more or 0
            refuse_too_large(part.path, taken)
            frame = read_parquet(part.path, more)
        except FactsRejected as rejected_part:
            problems += rejected_part.problems
        else:
            frames.append(frame if placed else _placed(part, frame))
    return CsvSheet(pl.concat(frames, how="diagonal_relaxed") if frames else None, problems)


def _placed(part: TableFile, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows with what their folders say, and with their file and row."""
    values = (pl.lit(value, pl.String).alias(name) for name, value in part.folder_values.items())
    place = (
        pl.lit(part.path).alias(FILE),
        pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(LINE),
    )
    return frame.with_columns(values).drop(FILE, LINE, strict=False).with_columns(place)


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
    return check_facts(read_typed(directory, encoding))


def read_typed(directory: str | Path, encoding: str | None = None) -> ParsedFacts:
    """The facts of a package as they are, with what is wrong with files and cells.

    Args:
        directory: the package, or its address in an object store.
        encoding: of its CSV files, if they are not UTF-8.

    Raises:
        FactsRejected: the directory holds no facts.
    """
    sheets = {}
    problems: list[Problem] = []
    for name, parts_of_table in located(directory).items():
        path = Path(parts_of_table[0].path)
        read_one = path.suffix == ".csv" and not is_address(directory)
        sheet = read_sheet(path, TABLES[name], encoding) if read_one else read_parts(parts_of_table)
        sheets[name] = sheet
        problems += sheet.problems
        if sheet.frame is not None and sheet.frame.is_empty():
            problems += missing_columns(name, sheet.frame.columns, parts_of_table[0].path)
    frames = {name: sheet.frame for name, sheet in sheets.items() if sheet.frame is not None}
    draft = parse_frames(frames)
    return ParsedFacts(
        facts=draft.facts,
        problems=(*problems, *draft.problems),
        incomplete=frozenset(name for name, sheet in sheets.items() if sheet.problems),
    )


def parquet_tables(directory: str | Path) -> dict[str, list[TableFile]] | None:
    """The parts of each table of a package; none if one of its tables is CSV.

    Raises:
        FactsRejected: it holds no facts, or the same table twice.
    """
    tables = located(directory)
    return None if any(parts[0].path.endswith(".csv") for parts in tables.values()) else tables


def located(directory: str | Path) -> dict[str, list[TableFile]]:
    """The files of each table that a package has: a CSV file, or the Parquet parts.

    Raises:
        FactsRejected: it holds no facts, or the same table twice.
    """
    if is_address(directory):
        return remote(str(directory))
    directory = Path(directory)
    tables: dict[str, list[TableFile]] = {}
    for name in TABLES:
        files = _files(directory, name)
        if len(files) > 1:
            raise rejected(
                str(directory),
                f"there are both {files[0].name} and {files[1].name}",
                CLAUSE,
                "Keep the one that is right.",
            )
        for file in files:
            tables[name] = parts(file)
            if not tables[name]:
                what, remedy = "there is no Parquet file in it", "Get its files, or delete it."
                raise rejected(str(file), what, CLAUSE, remedy)
    if not directory.exists():
        raise rejected(
            str(directory), "there is no such directory", CLAUSE, "Look at the path again."
        )
    if not tables:
        raise rejected(
            str(directory),
            "there are no facts in it",
            CLAUSE,
            "A package has files such as tournaments.csv, events.csv, players.csv, placings.csv.",
        )
    return tables


def _files(directory: Path, name: str) -> list[Path]:
    paths = (directory / f"{name}{suffix}" for suffix in SUFFIXES)
    files = [path for path in paths if os.path.lexists(path)]  # a link to nothing is no empty table
    folder = directory / name
    return [*files, folder] if folder.is_dir() and parts(folder) else files


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
    try:
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise Refused(f"{directory} exists. Name a directory that does not, or an empty one.")
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
        table = table[
            [column for column in table.columns if table[column].null_count() < table.height]
        ]
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
