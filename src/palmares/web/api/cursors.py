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

MOST, USUAL = 1000, 100
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

    limit: int
    day: date  # today, or the day on which the list was begun
    place: Place | None  # none: from the beginning
    secret: bytes
    path: str
    query: tuple[tuple[str, str], ...]  # what is asked, without the cursor

    def cut(self, rows: Rows, column: str, entry: int) -> tuple[Rows, str | None]:
        """The rows that are asked for, and the address of the next ones; none: these are the last.

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
        more = None
        if end < len(rows):
            place = Place(entry, self.day, end, _hashed(rows, end - 1, column))
            cursor = _sealed(self.secret, _address(self.path, self.query), place)
            more = f"{self.path}?{urlencode([*self.query, ('cursor', cursor)])}"
        return rows[start:end], more


def window(request: Visit, limit: int, cursor: str) -> Window:
    """The rows that a request asks for.

    Raises:
        Refused: the cursor is not one of this list.
    """
    secret, path = request.app_state.settings.secret.encode(), request.scope["path"]
    query = tuple(
        (name, str(value)) for name, value in request.query_params.items() if name != "cursor"
    )
    place = _opened(secret, _address(path, query), cursor) if cursor else None
    day = place.day if place else request.app_state.today()
    return Window(limit=limit, day=day, place=place, secret=secret, path=path, query=query)


def _address(path: str, query: tuple[tuple[str, str], ...]) -> str:
    """What is asked for, however many rows at a time."""
    return f"{path}?{urlencode(sorted(one for one in query if one[0] != 'limit'))}"


def _hashed(rows: Any, at: int, column: str) -> str:
    if not 0 <= at < len(rows):
        return ""
    table = isinstance(rows, pl.DataFrame)
    found = rows[column][at] if table else getattr(rows[at], column)
    return sha256(str(found).encode()).hexdigest()[:_SEAL]


def _sealed(secret: bytes, address: str, place: Place) -> str:
    text = msgspec.json.encode(place)
    return urlsafe_b64encode(_seal(secret, address, text) + text).decode().rstrip("=")


def _opened(secret: bytes, address: str, cursor: str) -> Place:
    try:
        found = urlsafe_b64decode(cursor[:_TOO_LONG].encode() + b"=" * (-len(cursor) % 4))
    except ValueError as error:
        raise Refused(_OTHER) from error
    seal, text = found[:_SEAL], found[_SEAL:]
    if not hmac.compare_digest(seal, _seal(secret, address, text)):
        raise Refused(_OTHER)
    return msgspec.json.decode(text, type=Place)


def _seal(secret: bytes, address: str, text: bytes) -> bytes:
    return hmac.digest(secret, b"cursor\n" + address.encode() + b"\n" + text, sha256)[:_SEAL]
