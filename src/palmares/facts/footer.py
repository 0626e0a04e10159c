"""
The footer of a Parquet file: how many values its columns have, and their bytes before packing.

Polars tells neither. A footer is written in Thrift's compact protocol; of all that it says, two
numbers a column chunk are taken.
Source: https://parquet.apache.org/docs/file-format/metadata/ (FileMetaData 4, RowGroup 1,
ColumnChunk 3, ColumnMetaData 5 and 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARK = b"PAR1"
LARGEST = 16 * 2**20
"""Bytes of a footer that is read; a column chunk takes about 100."""
_FLAGS, _BYTE, _WHOLE, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
_MANY = 15  # elements of a list: their number follows
_BITS = 63  # of a number, at most


def column_chunks(path: str) -> list[tuple[int, int]]:
    """The values of each column chunk of a file, and their bytes before packing.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no Parquet file, or its footer is damaged.
    """
    try:
        groups = _Thrift(_footer(path)).struct()[4]
        chunks = [(chunk[3][5], chunk[3][6]) for group in groups for chunk in group[1]]
        sound = all(values >= 0 and size >= 0 for values, size in chunks)
    except (LookupError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise ValueError("its footer is damaged")
    return chunks


def _footer(path: str) -> bytes:
    with Path(path).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 8, 0))
        length, mark = int.from_bytes(file.read(4), "little"), file.read(4)
        if mark != MARK or length > size - 12:
            raise ValueError("it does not end as Parquet files do")
        if length > LARGEST:
            raise ValueError(f"its footer has {length:,} bytes, and {LARGEST:,} are read")
        file.seek(size - 8 - length)
        return file.read(length)


@dataclass(slots=True)
class _Thrift:
    """Bytes in Thrift's compact protocol, read from the front."""

    content: bytes
    at: int = 0

    def struct(self) -> dict[int, Any]:
        """Its fields by their ids."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.whole()
            fields[number] = self.value(head & 15, in_list=False)
        return fields

    def value(self, kind: int, *, in_list: bool) -> Any:
        """A whole number, a list or a struct; nothing in the place of what nobody asks for."""
        if kind == _STRUCT:
            return self.struct()
        if kind in _WHOLE:
            return self.whole()
        if kind in _LISTS:
            head = self.byte()
            size = self.number() if head >> 4 == _MANY else head >> 4
            return [self.value(head & 15, in_list=True) for _ in range(size)]
        if kind in _FLAGS and not in_list:  # the kind is the value
            return None
        if kind not in (*_FLAGS, _BYTE, _DOUBLE, _BINARY):
            raise LookupError(kind)
        return self.skip(self.number() if kind == _BINARY else 8 if kind == _DOUBLE else 1)

    def byte(self) -> int:
        self.skip(1)
        return self.content[self.at - 1]

    def number(self) -> int:
        """A whole number, seven bits a byte."""
        number = 0
        for shift in range(0, _BITS + 7, 7):
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte == byte & 127:
                return number
        raise LookupError(number)

    def whole(self) -> int:
        """A whole number with its sign in the last bit."""
        number = self.number()
        return (number >> 1) ^ -(number & 1)

    def skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self.content):
            raise LookupError(self.at)
