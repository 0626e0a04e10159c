"""
Rows written as Parquet by Polars, here or in an object store.

    put     rows, a place  ->  a file, or a folder with a file for each partition
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from palmares.core.errors import Refused
from palmares.core.files import atomic_path
from palmares.facts.packages import is_address


def put(rows: pl.LazyFrame, path: str, partition_by: Sequence[str] = ()) -> None:
    """Write rows whole or not at all; a partitioned folder in an object store file by file.

    Raises:
        Refused: they cannot be written there.
    """
    try:
        if is_address(path):
            _sink(rows, path, partition_by)
        else:
            with atomic_path(Path(path)) as draft:
                _sink(rows, str(draft), partition_by)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise Refused(f"{path} cannot be written: {reason}.") from error


def _sink(rows: pl.LazyFrame, place: str, partition_by: Sequence[str]) -> None:
    if partition_by:
        parts = pl.PartitionBy(place, key=list(partition_by), include_key=False)
        rows.sink_parquet(parts, mkdir=True)
    else:
        rows.sink_parquet(place)
