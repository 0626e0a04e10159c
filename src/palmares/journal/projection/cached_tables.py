"""Tables in a folder of our caches: whole and as they were written, or not there at all."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import polars as pl

from palmares.core.files import atomic_path, checksum, owners, read_cached, write_cached

HEAD = "head.msgpack"  # the checksum of every other file, and what is to be known of them
Known = TypeVar("Known")
Packed = TypeVar("Packed")


class Damaged(Exception):  # what is damaged is made again
    """A file is not as it was written, or not there."""


@dataclass(frozen=True, slots=True)
class CachedTables(Generic[Known]):
    """A folder whose files are looked at when they are asked for."""

    place: Path
    sums: Mapping[str, str]  # by the name of a file
    about: Known

    def table(self, name: str, schema: pl.Schema) -> pl.DataFrame:
        """One table.

        Raises:
            Damaged: it has to be made again.
        """
        with suppress(OSError, pl.exceptions.PolarsError):
            file = self._checked(_table(name))
            if file and (found := pl.read_ipc(file)).schema == schema:
                return found
        raise Damaged(name)

    def packed(self, name: str, kind: type[Packed]) -> Packed:
        """What was packed beside the tables.

        Raises:
            Damaged: it has to be made again.
        """
        with suppress(OSError, msgspec.MsgspecError):
            if file := self._checked(_packed(name)):
                return msgspec.msgpack.decode(file.read_bytes(), type=kind)
        raise Damaged(name)

    def _checked(self, name: str) -> Path | None:
        file = self.place / name
        return file if checksum(file) == self.sums.get(name) else None


def write_tables(
    place: Path, tables: Mapping[str, pl.DataFrame], about: Any, packed: Mapping[str, Any]
) -> None:
    """Write tables and what is to be known of them; a full disk only makes the next time slower.

    Args:
        place: the folder, which must not be there.
        tables: by name.
        about: what is read whenever the folder is opened.
        packed: values by name, each read when it is asked for.
    """
    with suppress(OSError, pl.exceptions.PolarsError), atomic_path(place) as draft:
        draft.mkdir(mode=0o700)
        for name, table in tables.items():
            table.rechunk().write_ipc(
                draft / _table(name),
                compat_level=None,
                record_batch_size=max(1, len(table)),  # in one piece: nobody puts it together
            )
        for name, value in packed.items():
            (draft / _packed(name)).write_bytes(msgspec.msgpack.encode(value))
        sums = {file.name: checksum(file) for file in draft.iterdir()}
        write_cached(draft / HEAD, msgspec.msgpack.encode((sums, about)))
        owners(draft)


def open_tables(place: Path, about: type[Known]) -> CachedTables[Known] | None:
    """The folder that was kept there; nothing if there is none, or its head is damaged."""
    content = read_cached(place / HEAD)
    if content is None:
        return None
    layout: Any = tuple[dict[str, str], about]  # type: ignore[valid-type]
    with suppress(msgspec.MsgspecError):
        return CachedTables(place, *msgspec.msgpack.decode(content, type=layout))
    return None


def _table(name: str) -> str:
    return f"{name}.arrow"


def _packed(name: str) -> str:
    return f"{name}.msgpack"
