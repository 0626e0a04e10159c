"""Tables cached in a folder; damage is noticed by checksums."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import polars as pl

from palmares.core.files import atomic_path, checksum, owners, read_cached, write_cached

HEAD = "head.msgpack"  # the checksum of every other file, and details
Details = TypeVar("Details")
Packed = TypeVar("Packed")


class Damaged(Exception):  # the caller makes it again
    """A file is missing or damaged."""


@dataclass(frozen=True, slots=True)
class CachedTables(Generic[Details]):
    """A folder of tables that are read when they are needed."""

    folder: Path
    checksums: Mapping[str, str]  # by file name
    details: Details

    def table(self, name: str, schema: pl.Schema) -> pl.DataFrame:
        """One table.

        Raises:
            Damaged: it is missing or damaged.
        """
        with suppress(OSError, pl.exceptions.PolarsError):
            file = self._checked(_table(name))
            if file and (table := pl.read_ipc(file)).schema == schema:
                return table
        raise Damaged(name)

    def packed(self, name: str, kind: type[Packed]) -> Packed:
        """One packed value.

        Raises:
            Damaged: it is missing or damaged.
        """
        with suppress(OSError, msgspec.MsgspecError):
            if file := self._checked(_packed(name)):
                return msgspec.msgpack.decode(file.read_bytes(), type=kind)
        raise Damaged(name)

    def _checked(self, name: str) -> Path | None:
        file = self.folder / name
        return file if checksum(file) == self.checksums.get(name) else None


def write_tables(
    folder: Path, tables: Mapping[str, pl.DataFrame], details: Any, packed: Mapping[str, Any]
) -> None:
    """Write tables and details; a full disk only makes the next time slower.

    Args:
        folder: must not exist.
        tables: by name.
        details: read whenever the folder is opened.
        packed: values by name, each read when it is needed.
    """
    with suppress(OSError, pl.exceptions.PolarsError), atomic_path(folder) as draft:
        draft.mkdir(mode=0o700)
        for name, table in tables.items():
            table.rechunk().write_ipc(
                draft / _table(name),
                compat_level=None,
                record_batch_size=max(1, len(table)),  # in one piece, to be read as it is
            )
        for name, value in packed.items():
            (draft / _packed(name)).write_bytes(msgspec.msgpack.encode(value))
        checksums = {file.name: checksum(file) for file in draft.iterdir()}
        write_cached(draft / HEAD, msgspec.msgpack.encode((checksums, details)))
        owners(draft)


def open_tables(folder: Path, details: type[Details]) -> CachedTables[Details] | None:
    """A folder of tables; None if there is none, or its head is damaged."""
    content = read_cached(folder / HEAD)
    if content is None:
        return None
    layout: Any = tuple[dict[str, str], details]  # type: ignore[valid-type]
    with suppress(msgspec.MsgspecError):
        return CachedTables(folder, *msgspec.msgpack.decode(content, type=layout))
    return None


def _table(name: str) -> str:
    return f"{name}.arrow"


def _packed(name: str) -> str:
    return f"{name}.msgpack"
