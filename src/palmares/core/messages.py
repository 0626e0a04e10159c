"""
Sentences that know what they are made of, so that every language can say them.

    said        a message, with values in it  ->  English text that knows its message
    counted     the same for one thing or for several
    Said        English text that knows its message and values
    Figures     numbers in a text
    joined      several things  ->  one and another
    either      a sentence that names commands, and what the site says instead
    changed     the same sentence with other values
    begun       the same as the beginning of a text: with a capital letter
    plain       English text without what it knows
    elsewhere   the same as the site says it, without commands

Whoever finds a fault says it so. It is raised, printed, and written into logs and JSON as the
English text that it is; the site finds its message in the catalogue of a language, and puts the
values in. A message stands in the call that says it: there ``python -m docs.catalogues`` finds it.
Whoever reads the site has no commands to type: what to do there is another sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Said(str):
    """English text that knows its message and the values in it."""

    __slots__ = ("begins", "instead", "many", "message", "several", "values")
    message: str
    several: str  # the message for several things; empty where nothing is counted
    many: int
    values: Mapping[str, Any]
    instead: str  # what the site says; empty: the same
    begins: bool  # with a capital letter, in whatever language

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


def either(typed: str, instead: str) -> str:
    """What to do for whoever types commands, and for whoever reads the site instead.

    Args:
        typed: English text; the command line speaks no other language.
        instead: a message.
    """
    found = _with("%(typed)s", "", 0, {"typed": typed})
    found.instead = instead
    return found


def joined(parts: Sequence[str]) -> str:
    """``one and another``; of one thing, itself; of nothing, nothing."""
    found = parts[0] if parts else ""
    for one in parts[1:]:
        found = said("%(one)s and %(other)s", one=found, other=one)
    return found


def changed(text: str, change: Callable[[str], str]) -> str:
    """A text with what is not ours in it changed: its values, or all of it if it has none."""
    if not isinstance(text, Said):
        return change(text)
    values = {name: _changed(value, change) for name, value in text.values.items()}
    found = _with(text.message, text.several, text.many, values)
    instead = text.instead
    found.instead = changed(instead, change) if isinstance(instead, Said) else instead
    return begun(found) if text.begins else found


def begun(text: str) -> str:
    """The same as the beginning of a text: with a capital letter, in whatever language."""
    if not isinstance(text, Said):
        return capital(text)
    found = Said(capital(text))
    for name in Said.__slots__:
        setattr(found, name, getattr(text, name))
    found.begins = True
    return found


def capital(text: str) -> str:
    """A text whose first letter is a capital."""
    return text[:1].upper() + text[1:]


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Said):
        return changed(value, change)
    if isinstance(value, Figures):
        return Figures(change(value))
    return change(value) if isinstance(value, str) else value


def _with(message: str, several: str, many: int, values: Mapping[str, Any]) -> Said:
    told = {name: _english(value) for name, value in values.items()}
    found = Said((message if not several or many == 1 else several) % told)
    found.message, found.several, found.many, found.values = message, several, many, values
    found.instead, found.begins = "", False
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


def elsewhere(text: Any) -> str:
    """English text as the site says it, without what it knows.

    Raises:
        NotImplementedError: it is no text.
    """
    if not isinstance(text, Said):
        return plain(text)
    values = {name: _elsewhere(value) for name, value in text.values.items()}
    found = (
        elsewhere(text.instead)
        if text.instead
        else plain(_with(text.message, text.several, text.many, values))
    )
    return capital(found) if text.begins else found


def _elsewhere(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(elsewhere(one) for one in value)
    return elsewhere(value) if isinstance(value, Said) else value
