"""Canonical JSON, RFC 8785: one spelling of a value."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from palmares.core.errors import Refused, brief

_LONG_NUMBER = re.compile("[0-9]{16}")
_AMBIGUOUS = re.compile(r"(?:^|[:,\[])-?(?:[0-9]+[.eE]|[0-9]{16})|[\U00010000-\U0010ffff]")


def canonical(value: Any) -> str:
    """A value as canonical JSON, RFC 8785.

    Raises:
        Refused: it has no canonical form: a number beyond 2^53, not finite, a lone surrogate.
    """
    import rfc8785

    try:
        text = rfc8785.dumps(value).decode()
        if _LONG_NUMBER.search(text):  # a float of 2^53 would be read back as a whole number
            rfc8785.dumps(msgspec.json.decode(text))
    except (rfc8785.CanonicalizationError, UnicodeError) as error:
        raise Refused(f"This cannot be written as canonical JSON: {brief(error)}.") from None
    return text


def is_canonical(text: str) -> bool:
    """Whether a text is canonical JSON.

    Two libraries agree on everything but fractions, numbers beyond 2^53 and the order of names
    beyond U+FFFF; so the faster one is asked where none of these can be.
    """
    try:
        value = msgspec.json.decode(text)
        if _AMBIGUOUS.search(text):
            return canonical(value) == text
        return msgspec.json.encode(value, order="sorted").decode() == text
    except (msgspec.DecodeError, UnicodeError, RecursionError, Refused):
        return False
