"""
Messages that know what they are made of, so that every language can say them.

A message is raised, printed, and written into logs and JSON as the English text that it is; the
site finds it in the catalogue of a language, and puts the values in. Its text stands in the call
that makes it: there ``python -m docs.catalogues`` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import msgspec


class Message(str):
    """English text that knows its message and the values in it."""

    __slots__ = ("begins", "code", "many", "message", "several", "values")
    message: str
    several: str  # the message for several things; empty where nothing is counted
    many: int
    values: Mapping[str, Any]
    begins: bool  # with a capital letter, in whatever language
    code: str  # of what to do, where command line and site say it each in its own words

    def __str__(self) -> str:
        """The message itself, so that the text of an exception keeps its values."""
        return self


class LocalNumber(str):
    """Numbers in a text, such as "15.74": each language writes them with its own signs."""

    __slots__ = ()


def msg(message: str, **values: Any) -> str:
    """A message; the values in it by name, as ``%(least)s``.

    Args:
        message: English text.
        values: whole numbers and `LocalNumber` are written as the reader does; messages with values
            of their own are said, too, and words of ours that stand in tuples; other text stays
            as it is.
    """
    return _with(message, "", 0, values) if values else message


def plural(one: str, several: str, many: int, **values: Any) -> str:
    """A message for one thing or for several; its number is ``%(many)s``."""
    return _with(one, several, many, {"many": many, **values})


def hint(code: str, message: str, **values: Any) -> str:
    """What to do next; a face that has commands or pages for it says so in its own words.

    Args:
        code: by which it is known; one message each.
        message: what to do, without commands or names of pages.
        values: in the message, and more of them that such words need.
    """
    return _with(message, "", 0, values, code)


def reworded(text: str, hints: Mapping[str, str | Callable[..., str]]) -> str:
    """A text whose hints are as a face says them: by code, a message or a function."""
    if not isinstance(text, Message):
        return text
    if text.code in hints:
        words = hints[text.code]
        text_of_face = words(**text.values) if callable(words) else msg(words, **text.values)
        return begun(text_of_face) if text.begins else text_of_face
    values = {name: reworded(value, hints) for name, value in text.values.items()}
    same = all(values[name] is value for name, value in text.values.items())
    return text if same else _with_values(text, values)


def message_values(text: str) -> Mapping[str, Any]:
    """The values in a message, by name."""
    return text.values if isinstance(text, Message) else {}


def message_of(text: str) -> str:
    """The message of a text, without the values in it."""
    return text.message if isinstance(text, Message) else text


def term(name: str) -> tuple[str]:
    """The name of a flight or a field as a word of ours in a message: "last chance"."""
    return (name.replace("_", " "),)


def joined(parts: Sequence[str]) -> str:
    """``one, another and a third``; of one thing, itself; of nothing, nothing."""
    if len(parts) < 2:  # noqa: PLR2004
        return parts[0] if parts else ""
    first = chained(parts[:-1], msg("%(first)s, %(then)s"))
    return msg("%(one)s and %(other)s", one=first, other=parts[-1])


def chained(parts: Sequence[Any], between: str = msg("%(first)s; %(then)s")) -> str:
    """Parts one after the other: by default with semicolons between them."""
    whole: str = reduce(lambda first, then: msg(between, first=first, then=then), parts)
    return whole


def changed(text: str, change: Callable[[str], str]) -> str:
    """A text with what is not ours in it changed: its values, or all of it if it has none."""
    if not isinstance(text, Message):
        return change(text)
    return _with_values(
        text, {name: _changed(value, change) for name, value in text.values.items()}
    )


def begun(text: str) -> str:
    """A text with a capital letter first, in whatever language."""
    if not isinstance(text, Message):
        return capital(text)
    return _with(text.message, text.several, text.many, text.values, text.code, begins=True)


def capital(text: str) -> str:
    """A text whose first letter is a capital."""
    return text[:1].upper() + text[1:]


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, Message):
        return changed(value, change)
    if isinstance(value, LocalNumber):
        return LocalNumber(change(value))
    return change(value) if isinstance(value, str) else value


def _with_values(text: Message, values: Mapping[str, Any]) -> Message:
    """The same message with other values."""
    return _with(text.message, text.several, text.many, values, text.code, begins=text.begins)


def _with(
    message: str,
    several: str,
    many: int,
    values: Mapping[str, Any],
    code: str = "",
    *,
    begins: bool = False,
) -> Message:
    in_english = {name: _english(value) for name, value in values.items()}
    text = (message if not several or many == 1 else several) % in_english
    message_text = Message(capital(text) if begins else text)
    message_text.message, message_text.several, message_text.many, message_text.values = (
        message,
        several,
        many,
        values,
    )
    message_text.code, message_text.begins = code, begins
    return message_text


def _english(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


_MESSAGE, _NUMBER = 1, 2


def stored(value: Any) -> msgspec.msgpack.Ext:
    """A message, or numbers in one, as an extension of MessagePack; `restored` makes it again.

    Raises:
        NotImplementedError: it is neither.
    """
    if isinstance(value, Message):
        parts = (value.message, value.several, value.many, value.values, value.code, value.begins)
        return msgspec.msgpack.Ext(_MESSAGE, msgspec.msgpack.encode(parts, enc_hook=stored))
    if isinstance(value, LocalNumber):
        return msgspec.msgpack.Ext(_NUMBER, "".join(value).encode())
    raise NotImplementedError(type(value).__name__)


def restored(kind: int, content: memoryview) -> LocalNumber | Message:
    """What an extension of MessagePack holds."""
    if kind == _NUMBER:
        return LocalNumber(bytes(content).decode())
    message, several, many, values, code, begins = msgspec.msgpack.decode(
        content, ext_hook=restored
    )
    words = {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
    return _with(message, several, many, words, code, begins=begins)


def english(text: Any) -> str:
    """English text without what it knows: for writers that take nothing but text.

    Raises:
        NotImplementedError: it is no text.
    """
    if isinstance(text, str):
        return "".join(text)
    raise NotImplementedError(type(text).__name__)
