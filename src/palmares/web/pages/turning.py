"""
Long lists come in pages.

    turned      a page that is asked for, and rows  ->  its number, how many there are
    NoSuchPage  a page after the last one
"""

from __future__ import annotations

from palmares.errors import Refused
from palmares.web.messages import counted


class NoSuchPage(Refused):
    """A page after the last one."""

    def __init__(self, page: int, pages: int) -> None:
        self.pages = pages
        super().__init__(
            counted(
                "There is no page %(page)s: the list has %(many)s page.",
                "There is no page %(page)s: the list has %(many)s pages.",
                pages,
                page=page,
            )
        )


def turned(page: int, rows: int, size: int) -> tuple[int, int]:
    """The number of a page, and how many there are; a list without a row has one.

    Raises:
        NoSuchPage: there are not so many.
    """
    pages = max(1, -(-rows // size))
    if page > pages:
        raise NoSuchPage(page, pages)
    return max(1, page), pages
