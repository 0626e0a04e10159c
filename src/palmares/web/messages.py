"""
Messages that Python says and pages show, so that every language can say them.

    said        a message, with values in it  ->  English text that knows its message
    counted     the same for one thing or for several
    Said        English text that knows its message and values
    Figures     numbers in a text
    WORDS       words that stand in facts and entries, and that pages show

Marked so, a message is found by ``python -m docs.catalogues``. It is raised, passed on and written
into logs and JSON as the English text that it is; `palmares.web.wording` says it in another
language.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Said(str):
    """English text that knows its message and the values in it."""

    __slots__ = ("many", "message", "several", "values")
    message: str
    several: str  # the message for several things; empty where nothing is counted
    many: int
    values: Mapping[str, Any]

    def __str__(self) -> str:
        """Itself: what an exception is told by still knows its message."""
        return self


class Figures(str):
    """Numbers in a text, such as "15.74": each language writes them with its own signs."""

    __slots__ = ()


def said(message: str, **values: Any) -> str:
    """A message; the values in it by name, as ``%(least)s``.

    Args:
        message: English text.
        values: whole numbers and `Figures` are written as the reader does; messages with values
            of their own are said, too, and words of ours that stand in tuples; other text stays
            as it is.
    """
    return _with(message, "", 0, values) if values else message


def counted(one: str, several: str, many: int, **values: Any) -> str:
    """A message for one thing or for several; its number is ``%(many)s``."""
    return _with(one, several, many, {"many": many, **values})


def _with(message: str, several: str, many: int, values: Mapping[str, Any]) -> Said:
    told = {name: _english(value) for name, value in values.items()}
    found = Said((message if not several or many == 1 else several) % told)
    found.message, found.several, found.many, found.values = message, several, many, values
    return found


def _english(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def plain(text: Any) -> str:
    """English text without what it knows: for writers that take nothing but text.

    Raises:
        NotImplementedError: it is no text.
    """
    if isinstance(text, str):
        return "".join(text)
    raise NotImplementedError(type(text).__name__)


WORDS = (
    # disciplines
    said("backgammon"), said("bridge"), said("diplomacy"),
    # where an event was played
    said("live"), said("online"),
    # kinds of points
    said("performance"), said("match"), said("placement"), said("rating"), said("total"),
    # kinds of events
    said("championship"), said("intermediate"), said("super jackpot"), said("other"),
    # answers of a clause
    said("yes"), said("no"),
    # states of a report
    said("draft"), said("submitted"), said("returned"), said("approved"), said("withdrawn"),
    # kinds of entries
    said("report"), said("withdrawal"), said("player"), said("erasure"), said("membership"),
    said("merge"), said("apart"), said("rate"), said("override"), said("undo"),
    said("publication"),
    # roles
    said("director"), said("officer"), said("administrator"),
)  # fmt: skip
"""Words that stand in facts and entries, and that pages show."""
