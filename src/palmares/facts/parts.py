"""
Where a table of a package lies: one file, or a folder of Parquet parts, here or in an object store.

    Part        a Parquet file of a table, and what the names of its folders say
    parts       a table's file or folder  ->  its parts, in the order of their paths
    read_parts  parts  ->  Sheet: one frame, each row with its file and row
    is_address  whether a path is a URL
    remote      a folder in an object store  ->  the parts of each table in it

A folder ``placings`` or ``placings.parquet`` holds parts, also in folders such as ``year=2019``,
which then are a column ``year`` of all rows below, unless the part has that column itself. Names
that begin with a point or an underscore are left aside, as those who write such folders expect.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import polars as pl

from palmares.errors import rejected
from palmares.facts.parquet import Unreadable, memory_of, read, refuse_too_large
from palmares.facts.sheets import CLAUSE, Sheet
from palmares.facts.tables import FILE, LINE, TABLES

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
