"""
Cursors: where a list was left off, so that all its pages are pages of one list.

    Place       the entry of the journal and the day of the list, and the rows that were seen
    Window      the rows that a request asks for
    window      a request  ->  Window
    Gone        the list is no longer to be had as it was: 410

A cursor names the last entry that counted when the list was begun. Its other pages count no later
one: what is recorded meanwhile neither hides a row nor shows one twice. Only where a name was
erased or withheld since may rows stand elsewhere, for lists put equals in the order of their names;
the last row that was seen tells, and the reader has to begin again.

A cursor is sealed for one address: nobody has to check what else could be in it.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec
import polars as pl
from litestar.exceptions import HTTPException

from palmares.core.errors import Refused
from palmares.web.http.state import Visit
from palmares.web.shared.paging import page_count

_SEAL = 12
_TOO_LONG = 1000
_OTHER = "This cursor is not one of this list. Begin again without it."
_CHANGED = "The list is not to be had as it was: names were withdrawn. Begin again without it."

Rows = TypeVar("Rows", pl.DataFrame, tuple[Any, ...])


class Gone(HTTPException):
    """The list is no longer to be had as it was."""

    status_code = 410


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a list was left off."""

    entry: int  # the last that counts
    day: date  # on which the list was begun
    seen: int  # rows
    last: str  # of them, hashed


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The rows of a list that a request asks for."""

    request: Visit
    limit: int
    day: date  # today, or the day on which the list was begun
    place: Place | None  # none: from the beginning

    def cut(self, rows: Rows, column: str, entry: int) -> tuple[Rows, Mapping[str, Any]]:
        """The rows that are asked for, and the fields of their `Slice`.

        Args:
            rows: the whole list: a table, or dataclasses.
            column: what identifies a row of it.
            entry: the last entry that counts for it.

        Raises:
            Gone: it is not the list that was begun.
        """
        start = self.place.seen if self.place else 0
        if self.place and self.place.last != _hashed(rows, start - 1, column):
            raise Gone(_CHANGED)
        end = start + self.limit
        following = None
        if end < len(rows):
            place = Place(entry, self.day, end, _hashed(rows, end - 1, column))
            text = msgspec.json.encode(place)
            cursor = urlsafe_b64encode(_seal(self.request, text) + text).decode().rstrip("=")
            query = [*_query(self.request), ("cursor", cursor)]
            following = f"{self.request.scope['path']}?{urlencode(query)}"
        return rows[start:end], {
            "entry": entry,
            "next": following,
            "page": start // self.limit + 1,
            "pages": page_count(len(rows), self.limit),
        }


def window(request: Visit, limit: int, cursor: str) -> Window:
    """The rows that a request asks for.

    Raises:
        Refused: the cursor is not one of this list.
    """
    place = _place(request, cursor) if cursor else None
    day = place.day if place else request.app_state.today()
    return Window(request=request, limit=limit, day=day, place=place)


def _hashed(rows: Any, at: int, column: str) -> str:
    if not 0 <= at < len(rows):
        return ""
    table = isinstance(rows, pl.DataFrame)
    found = rows[column][at] if table else getattr(rows[at], column)
    return sha256(str(found).encode()).hexdigest()[:_SEAL]


def _place(request: Visit, cursor: str) -> Place:
    try:
        found = urlsafe_b64decode(cursor[:_TOO_LONG].encode() + b"=" * (-len(cursor) % 4))
    except ValueError as error:
        raise Refused(_OTHER) from error
    seal, text = found[:_SEAL], found[_SEAL:]
    if not hmac.compare_digest(seal, _seal(request, text)):
        raise Refused(_OTHER)
    return msgspec.json.decode(text, type=Place)


def _seal(request: Visit, text: bytes) -> bytes:
    """The seal of a place in what is asked for, however many rows at a time."""
    query = sorted(one for one in _query(request) if one[0] != "limit")
    address = f"{request.scope['path']}?{urlencode(query)}"
    secret = request.app_state.settings.secret.encode()
    return hmac.digest(secret, b"cursor\n" + address.encode() + b"\n" + text, sha256)[:_SEAL]


def _query(request: Visit) -> list[tuple[str, str]]:
    """What is asked for, without the cursor."""
    given = request.query_params.items()
    return [(name, str(value)) for name, value in given if name != "cursor"]
