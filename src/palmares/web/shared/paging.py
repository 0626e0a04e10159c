"""
Long lists come in pages: numbered ones on the site, a cursor at a time in the API.

A handler with a parameter `rows` gets a `PageNumber`, or in the API a
`palmares.web.api.cursors.Window`; its view cuts the list by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Protocol, TypeVar, runtime_checkable

import polars as pl
from litestar.di import NamedDependency

from palmares.web.http.errors import NoSuchPage

T = TypeVar("T")
Rows = TypeVar("Rows", pl.DataFrame, tuple[Any, ...])
WHOLE = 10**9
"""More rows than a list has: it is one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Some rows of a list."""

    entry: int  # the last entry of the journal that counts
    page: int  # of so many rows each, from 1
    pages: int
    next: str | None  # the address of the next rows; none: these are the last


@runtime_checkable
class Cut(Protocol):
    """Which rows of a list are asked for."""

    @property
    def day(self) -> date:
        """Today, or the day on which the list was begun."""

    @property
    def entry(self) -> int | None:
        """The last entry that counts; none: the list begins now."""

    def cut(
        self, rows: Rows, column: str, entry: int, size: int = WHOLE
    ) -> tuple[Rows, Mapping[str, Any]]:
        """Those rows, and the fields of their `Slice`.

        Args:
            rows: the whole list: a table, or dataclasses.
            column: what identifies a row of it.
            entry: the last entry that counts for it.
            size: rows of a numbered page.
        """


def page_count(rows: int, size: int) -> int:
    """How many pages so many rows have; a list without a row has one."""
    return max(1, -(-rows // size))


def page_of(rows: Rows, page: int, size: int) -> Rows:
    """The rows of a page.

    Raises:
        NoSuchPage: there are not so many.
    """
    pages = page_count(len(rows), size)
    if page > pages:
        raise NoSuchPage(page, pages)
    return rows[(page - 1) * size : page * size]


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A page of a list on the site."""

    page: int  # from 1
    day: date
    entry: None = None

    def cut(
        self, rows: Rows, column: str, entry: int, size: int = WHOLE
    ) -> tuple[Rows, Mapping[str, Any]]:
        """The rows of the page; what follows has a number and no address, as a window's has."""
        del column
        pages = {"page": self.page, "pages": page_count(len(rows), size)}
        return page_of(rows, self.page, size), {"entry": entry, "next": None, **pages}


AskedRows = NamedDependency[Cut]
"""What the handler of a list declares; `palmares.web.api.cursors.asked_rows` fills it."""


def extended(cls: type[T], view: Any, **more: Any) -> T:
    """A view as another one: every field that both have, and what is given beside them."""
    names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
    given = getattr(view, "__struct_fields__", None) or [field.name for field in fields(view)]
    same = {name: getattr(view, name) for name in given if name in names}
    return cls(**same | more)
