"""Tables in a folder of our caches: whole and as they were written, or not there at all."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import polars as pl

from palmares.core.files import atomic_path, checksum, owners, read_cached, write_cached

HEAD = "head.msgpack"  # the checksum of every table, and what is to be known of them
Known = TypeVar("Known")


def keep_tables(place: Path, tables: Mapping[str, pl.DataFrame], about: Any) -> None:
    """Write tables and what is to be known of them; a full disk only makes the next time slower."""
    with suppress(OSError, pl.exceptions.PolarsError), atomic_path(place) as draft:
        draft.mkdir(mode=0o700)
        for name, table in tables.items():
            table.rechunk().write_ipc(_file(draft, name), compat_level=None)
        sums = {name: checksum(_file(draft, name)) for name in tables}
        write_cached(draft / HEAD, msgspec.msgpack.encode((sums, about)))
        owners(draft)


def kept_tables(
    place: Path, schemas: Mapping[str, pl.Schema], about: type[Known]
) -> tuple[dict[str, pl.DataFrame], Known] | None:
    """The tables in a folder and what is known of them; nothing if any of it is damaged or gone."""
    content = read_cached(place / HEAD)
    if content is None:
        return None
    layout: Any = tuple[dict[str, str], about]  # type: ignore[valid-type]
    with suppress(OSError, KeyError, msgspec.MsgspecError, pl.exceptions.PolarsError):
        sums, known = msgspec.msgpack.decode(content, type=layout)
        if all(checksum(_file(place, name)) == sums[name] for name in schemas):
            tables = {name: pl.read_ipc(_file(place, name)) for name in schemas}
            if all(tables[name].schema == schema for name, schema in schemas.items()):
                return tables, known
    return None


def _file(place: Path, name: str) -> Path:
    return place / f"{name}.arrow"
