"""
Explain why a text is not TOML: which line is wrong, and how to write it.

``tomllib`` reports the end of a text that breaks off; the fault is where the open part begins.
"""

from __future__ import annotations

import re

from palmares.core.messages import msg
from palmares.formats.toml.values import TOKEN

_POSITION = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_SETTING = re.compile(r"\s*([A-Za-z0-9_.-]+)\s*=\s*(.*?)\s*")
_QUOTES = frozenset({'"""', "'''", '"', "'"})
_NO_END = (
    msg("what begins here with '%(mark)s' has no end"),
    msg("Close it, or send the report again: its end may be missing."),
)
_VALUES = (
    (
        r"\d{4}-\d{2}-\d{2}(?:[T ].*)?",
        msg("%(column)s is '%(text)s', which is not a day in the calendar"),
        msg("Write a day that the calendar has."),
    ),
    (
        r"\d{1,4}\s*[./-]\s*\d{1,2}\s*[./-]\s*\d{1,4}",
        msg("%(column)s is '%(text)s', not a date"),
        msg("Write year, month and day, such as 2019-11-15."),
    ),
    (
        r"[+-]?\d+,\d+",
        msg("%(column)s is '%(text)s', not a number"),
        msg("Write %(number)s with a point, or leave the comma out."),
    ),
    (
        r"[\u2018-\u201f\u00ab\u00bb].*",
        msg("%(column)s is %(text)s, in curly quotes"),
        msg("Write straight quotes: %(straight)s."),
    ),
    (r"\"[^\"]*|'[^']*", *_NO_END),
    (
        r"[^\W\d_][^\"'\[\]{}#=]*",
        msg("%(column)s is '%(text)s', a text without quotes"),
        msg("Write %(example)s."),
    ),
)
"""Ways in which people write values, what is wrong with them, and what to do."""

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
    unknown = msg("this is not TOML: %(words)s", words=words), msg("Correct this line.")
    if position and position[1] is None:
        return _without_end(text) or (text.rstrip().count("\n") + 1, *unknown)
    line = int(position[1]) if position else 0
    lines = text.split("\n")
    written = _SETTING.fullmatch(lines[line - 1]) if 0 < line <= len(lines) else None
    of_value = _of_value(written[1], written[2]) if written else None
    return (line, *(of_value or unknown))


def _of_value(key: str, value: str) -> tuple[str, str] | None:
    """What is wrong with a value, and how to write it; none if it is of no known kind."""
    for pattern, what, remedy in _VALUES:
        if re.fullmatch(pattern, value):
            example = f'{key} = "{value}"'
            straight = re.sub("[\u2018-\u201f\u00ab\u00bb]", '"', f"{key} = {value}")
            return (
                msg(what, column=key, text=value, mark=value[0]),
                msg(remedy, number=value.replace(",", "."), example=example, straight=straight),
            )
    return None


def _without_end(text: str) -> Complaint | None:
    """The line of a quotation mark or a bracket that is not closed."""
    opened: list[re.Match[str]] = []
    for token in TOKEN.finditer(text):
        if token[0] in _QUOTES:
            opened.insert(0, token)
            break
        if token[0] in "[{":
            opened.append(token)
        elif token[0] in "]}" and opened:
            opened.pop()
    if not opened:
        return None
    what, remedy = _NO_END
    return text.count("\n", 0, opened[0].start()) + 1, msg(what, mark=opened[0][0]), remedy
