"""
Long lists come in pages: numbered ones on the site, a cursor at a time in the API.

A view takes a `PageNumber` or the API's `palmares.web.api.cursors.Window`, and cuts its rows by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar

import polars as pl

from palmares.web.http.errors import NoSuchPage

T = TypeVar("T")
Rows = TypeVar("Rows", pl.DataFrame, tuple[Any, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Some rows of a list."""

    entry: int  # the last entry of the journal that counts
    page: int  # of so many rows each, from 1
    pages: int
    next: str | None  # the address of the next rows; none: these are the last


class Cut(Protocol):
    """Which rows of a list are asked for."""

    def cut(self, rows: Rows, column: str, entry: int) -> tuple[Rows, Mapping[str, Any]]:
        """Those rows, and the fields of their `Slice`.

        Args:
            rows: the whole list: a table, or dataclasses.
            column: what identifies a row of it.
            entry: the last entry that counts for it.
        """


def page_count(rows: int, size: int) -> int:
    """How many pages so many rows have; a list without a row has one."""
    return max(1, -(-rows // size))


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A page of a list that is asked for by its number."""

    page: int  # from 1
    size: int  # rows of a page

    def cut(self, rows: Rows, column: str = "", entry: int = 0) -> tuple[Rows, Mapping[str, Any]]:
        """The rows of the page; what follows has a number and no address, as a window's has.

        Raises:
            NoSuchPage: there are not so many.
        """
        del column
        pages = page_count(len(rows), self.size)
        if self.page > pages:
            raise NoSuchPage(self.page, pages)
        here = rows[(self.page - 1) * self.size : self.page * self.size]
        return here, {"entry": entry, "next": None, "page": self.page, "pages": pages}


ALL_ROWS = PageNumber(1, 10**9)
"""A list that is shown whole."""


def extended(cls: type[T], view: Any, **more: Any) -> T:
    """A view as another one: every field that both have, and what is given beside them."""
    names = {field.name for field in fields(cls)}  # type: ignore[arg-type]
    given = getattr(view, "__struct_fields__", None) or [field.name for field in fields(view)]
    same = {name: getattr(view, name) for name in given if name in names}
    return cls(**same | more)
