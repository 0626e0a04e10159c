"""
What is wrong with a text that is no TOML: which line, and what to do there.

    complaint       a text and what ``tomllib`` says of it  ->  its line, what is wrong, a remedy

``tomllib`` gives up where it can read no further. Where a text breaks off that is its end, and the
fault is where the part that has no end begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from palmares.core.messages import msg

_POSITION = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_PIECE = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"""|\'\'\''
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\"'\#\[\]{}]+"
    r"|.",
    re.DOTALL,
)
_OPEN = frozenset({'"""', "'''", '"', "'"})
_PAIRS = {"]": "[", "}": "{"}
_SETTING = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*=\s*(.*?)\s*")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_OTHER_DAY = re.compile(r"\d{1,4}\s*[./-]\s*\d{1,2}\s*[./-]\s*\d{1,4}")
_COMMA = re.compile(r"[+-]?\d+,\d+")

CLOSE = msg("Close it, or send the report again: its end may be missing.")

Complaint = tuple[int, str, str]


def complaint(text: str, error: Exception) -> Complaint:
    """Where a text stops being TOML.

    Args:
        text: the whole text.
        error: what ``tomllib`` raised.

    Returns:
        The number of the line, or 0; what is wrong; what to do.
    """
    if isinstance(error, RecursionError):
        return 0, msg("brackets within brackets without end"), msg("Write fewer brackets.")
    position = _POSITION.search(str(error))
    words = _POSITION.sub("", str(error))
    if position and position[1] is None:
        return _broken_off(text, words)
    line = int(position[1]) if position else 0
    lines = text.split("\n")
    written = _SETTING.fullmatch(lines[line - 1]) if 0 < line <= len(lines) else None
    told = _of_value(written[1], written[2]) if written else None
    return (line, *(told or _unknown(words)))


def _unknown(words: str) -> tuple[str, str]:
    return msg("this is not TOML: %(words)s", words=words), msg("Correct this line.")


# ── a value that is none ─────────────────────────────────────────────────────────────────────────


def _of_value(key: str, value: str) -> tuple[str, str] | None:
    """What is wrong with a value without quotes, and how to write it; none if nobody can tell."""
    for pattern, told in _VALUES:
        if pattern.fullmatch(value):
            return told(key, value)
    return None


def _no_day(key: str, value: str) -> tuple[str, str]:
    return (
        msg("%(column)s is '%(text)s', and there is no such day", column=key, text=value),
        msg("Write a day that the calendar has."),
    )


def _no_date(key: str, value: str) -> tuple[str, str]:
    return (
        msg("%(column)s is '%(text)s', not a date", column=key, text=value),
        msg("Write year, month and day, such as 2019-11-15."),
    )


def _no_number(key: str, value: str) -> tuple[str, str]:
    return (
        msg("%(column)s is '%(text)s', not a number", column=key, text=value),
        msg("Write %(number)s with a point, or leave the comma out.",
             number=value.replace(",", ".")),
    )  # fmt: skip


def _no_quotes(key: str, value: str) -> tuple[str, str]:
    return (
        msg("%(column)s is '%(text)s', a text without quotes", column=key, text=value),
        msg("Write %(example)s.", example=f'{key} = "{value}"'),
    )


def _no_end(_: str, value: str) -> tuple[str, str]:
    return msg("what begins here with '%(mark)s' has no end", mark=value[0]), CLOSE


_VALUES: tuple[tuple[re.Pattern[str], Callable[[str, str], tuple[str, str]]], ...] = (
    (_DAY, _no_day),
    (_OTHER_DAY, _no_date),
    (_COMMA, _no_number),
    (re.compile(r"\"[^\"]*|'[^']*"), _no_end),
    (re.compile(r"[^\W\d_][^\"'\[\]{}#=]*"), _no_quotes),
)
"""Ways in which people write values, and what is said of them."""


# ── a text that breaks off ───────────────────────────────────────────────────────────────────────


def _broken_off(text: str, words: str) -> Complaint:
    """The line of what has no end, or the last line."""
    opened: list[tuple[str, int]] = []
    for piece in _PIECE.finditer(text):
        word = piece[0]
        if word in _OPEN:
            return _without_end(text, word, piece.start())
        if word in "[{":
            opened.append((word, piece.start()))
        elif word in _PAIRS and opened and opened[-1][0] == _PAIRS[word]:
            opened.pop()
    if opened:
        return _without_end(text, *opened[0])
    return (text.rstrip().count("\n") + 1, *_unknown(words))


def _without_end(text: str, mark: str, at: int) -> Complaint:
    return (
        text.count("\n", 0, at) + 1,
        msg("what begins here with '%(mark)s' has no end", mark=mark),
        CLOSE,
    )
