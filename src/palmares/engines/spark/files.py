"""Files and folders wherever Spark reaches: on this machine, in HDFS, in an object store."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palmares.core.errors import Refused
from palmares.core.files import atomic_path
from palmares.facts.packages import is_address

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_S3 = ("s3://", "s3n://")


def url_of(path: str) -> str:
    """A path as Spark takes it: without a scheme, it is on this machine."""
    for scheme in _S3:
        if path.startswith(scheme):
            return "s3a://" + path.removeprefix(scheme)
    return path if is_address(path) else f"file:{Path(path).absolute()}"


def exists(spark: SparkSession, path: str, *, folder: bool = False) -> bool:
    """Whether a file or folder is there; or a folder."""
    jvm: Any = spark._jvm  # noqa: SLF001  PySpark offers no other way to a file system
    session: Any = spark._jsparkSession  # noqa: SLF001
    place = jvm.org.apache.hadoop.fs.Path(url_of(path))
    system = place.getFileSystem(session.sessionState().newHadoopConf())
    return bool(system.isDirectory(place) if folder else system.exists(place))


def write(rows: DataFrame, path: str, *, single_file: bool, partition_by: Sequence[str]) -> None:
    """Write rows as Parquet, whole or not at all.

    On this machine they are written under another name in the same folder, and renamed. Elsewhere,
    what Spark commits appears at the end of the work, with a file ``_SUCCESS``.

    Args:
        rows: their columns in order.
        path: where to; nothing may be there.
        single_file: write one file, not a folder of files; the rows are in one piece.
        partition_by: columns that become folders.

    Raises:
        Refused: something is there already, or nothing can be written there.
    """
    writer = rows.write.mode("errorifexists").partitionBy(*partition_by)
    if is_address(path):
        if exists(rows.sparkSession, path):
            raise Refused(f"{path} exists. Name a file or folder that does not.")
        writer.parquet(url_of(path))
        return
    try:
        with atomic_path(Path(path)) as draft:
            folder = draft.with_name(f"{draft.name}.parts") if single_file else draft
            writer.parquet(str(folder))
            if single_file:
                next(folder.glob("part-*.parquet")).rename(draft)
                shutil.rmtree(folder)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror or error}.") from error
