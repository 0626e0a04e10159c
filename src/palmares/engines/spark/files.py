"""
Files and folders wherever Spark reaches: on this machine, in HDFS, in an object store.

    Hadoop      names, existence, renaming
    written     rows, a path  ->  Parquet, whole or not at all
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from palmares.core.errors import Refused
from palmares.core.files import atomic_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_S3 = ("s3://", "s3n://")
_STORES = ("s3a", "gs", "abfs", "abfss", "wasb", "wasbs")


@dataclass(frozen=True, slots=True)
class Hadoop:
    """Files and folders wherever Spark reaches."""

    spark: SparkSession

    def url(self, path: str) -> str:
        """A path as Spark takes it: what lies on this machine is said to."""
        for scheme in _S3:
            if path.startswith(scheme):
                return "s3a://" + path.removeprefix(scheme)
        return path if "://" in path else self._where(path)

    def _where(self, path: str) -> str:
        """A path without a scheme: on this machine if it is there, else where Spark looks first."""
        if Path(path).absolute().parent.exists():
            return Path(path).absolute().as_uri().replace("file:///", "file:/", 1)
        return path

    def _at(self, url: str) -> tuple[Any, Any]:
        jvm: Any = self.spark._jvm  # noqa: SLF001  PySpark offers no other way to a file system
        session: Any = self.spark._jsparkSession  # noqa: SLF001
        path = jvm.org.apache.hadoop.fs.Path(_decoded(url))
        return path.getFileSystem(session.sessionState().newHadoopConf()), path

    def exists(self, url: str) -> bool:
        """Whether a file or folder is there."""
        system, path = self._at(url)
        return bool(system.exists(path))

    def is_folder(self, url: str) -> bool:
        """Whether it is a folder."""
        system, path = self._at(url)
        return bool(system.getFileStatus(path).isDirectory())

    def inside(self, url: str) -> dict[str, bool]:
        """The names of what is in a folder, sorted, and whether each is a folder itself."""
        system, path = self._at(url)
        found = {str(one.getPath().getName()): one.isDirectory() for one in system.listStatus(path)}
        return dict(sorted(found.items()))

    def plain(self, url: str) -> str:
        """The address as Spark takes it: with letters as they are."""
        return _decoded(url)

    def is_store(self, url: str) -> bool:
        """Whether it lies in an object store, where renaming means copying."""
        return url.split("://", maxsplit=1)[0] in _STORES

    def rename(self, old: str, new: str) -> None:
        """Give a file or folder another name, at once."""
        system, path = self._at(old)
        if not system.rename(path, self._at(new)[1]):
            raise OSError(f"{old} cannot be renamed to {new}")

    def remove(self, url: str) -> None:
        """Remove a file or folder, if it is there."""
        system, path = self._at(url)
        system.delete(path, True)  # noqa: FBT003  a Java method takes its arguments by position


def _decoded(url: str) -> str:
    return unquote(url) if url.startswith("file:") else url


def written(rows: DataFrame, path: str, *, one: bool, partition_by: Sequence[str]) -> None:
    """Write rows as Parquet, whole or not at all.

    On this machine and in HDFS they are written under another name beside the path, which is then
    given to them. An object store cannot rename: what Spark commits there appears at the end of the
    work, with a file ``_SUCCESS``, and what was there before is never touched.

    Args:
        rows: their columns in order.
        path: where to.
        one: a single file, not a folder of files; the rows are in one piece.
        partition_by: columns that become folders.

    Raises:
        Refused: something is there already, or nothing can be written there.
    """
    files = Hadoop(rows.sparkSession)
    url = files.url(path)
    writer = rows.write.mode("errorifexists").partitionBy(*partition_by)
    if "://" not in path and url.startswith("file:"):
        try:
            with atomic_path(Path(path)) as draft:
                writer.parquet(str(draft))
                if one:
                    _alone(draft)
        except OSError as error:
            raise Refused(f"{path} cannot be written: {error.strerror or error}.") from error
        return
    if files.exists(url):
        raise Refused(f"{path} exists. Name a file or folder that does not.")
    if files.is_store(url):
        writer.parquet(url)
        return
    above, _, name = url.rstrip("/").rpartition("/")
    draft_url = f"{above}/.{name}.unfinished"
    try:
        writer.mode("overwrite").parquet(draft_url)
        part = next(
            (f"/{name}" for name in files.inside(draft_url) if name.startswith("part-")), ""
        )
        files.rename(draft_url + (part if one else ""), url)
    finally:
        files.remove(draft_url)


def _alone(draft: Path) -> None:
    """The only file of a folder in the place of the folder."""
    part = next(draft.glob("part-*.parquet"))
    held = draft.with_name(f"{draft.name}.file")
    part.rename(held)
    shutil.rmtree(draft)
    held.rename(draft)
