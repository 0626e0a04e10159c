"""
Long lists come in pages: numbered ones on the site, a cursor at a time in the API.

A view takes a `PageNumber` or the API's `palmares.web.api.cursors.Window`, and cuts its rows by it.
"""

from __future__ import annotations

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
    next: str | None  # the address of the next rows; none: these are the last


class Cut(Protocol):
    """Which rows of a list are asked for."""

    def cut(self, rows: Rows, column: str, entry: int) -> tuple[Rows, str | None]:
        """Those rows, and the address of the next ones; none: these are the last.

        Args:
            rows: the whole list: a table, or dataclasses.
            column: what identifies a row of it.
            entry: the last entry that counts for it.
        """


@dataclass(frozen=True, slots=True)
class PageNumber:
    """A page of a list that is asked for by its number."""

    page: int  # from 1
    size: int  # rows of a page

    def pages(self, rows: int) -> int:
        """How many pages there are; a list without a row has one.

        Raises:
            NoSuchPage: there are not so many.
        """
        pages = max(1, -(-rows // self.size))
        if self.page > pages:
            raise NoSuchPage(self.page, pages)
        return pages

    def cut(self, rows: Rows, column: str = "", entry: int = 0) -> tuple[Rows, None]:
        """The rows of the page; what follows has a number and no address, as a window's has."""
        del column, entry
        self.pages(len(rows))
        return rows[(self.page - 1) * self.size : self.page * self.size], None


ALL_ROWS = PageNumber(1, 10**9)
"""A list that is shown whole."""


def extended(cls: type[T], view: Any, **more: Any) -> T:
    """A view as another one: every field that both have, and what is given beside them."""
    names = {one.name for one in fields(cls)}  # type: ignore[arg-type]
    same = {one.name: getattr(view, one.name) for one in fields(view) if one.name in names}
    return cls(**same | more)
