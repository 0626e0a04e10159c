"""
What is wrong with a parameter or a body, in plain words.

    plainly     what the reader of parameters says  ->  what we say
    no_day      a day that no calendar has  ->  what we say of it
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable

from palmares.errors import brief
from palmares.web.messages import said

MONTHS = 12
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TOLD: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (
        r"Invalid RFC3339 encoded date",
        lambda _: said("This is no day: write year, month and day, such as 2019-12-31."),
    ),
    (
        r"Expected `int` >= (-?\d+)",
        lambda found: said("At least %(least)s here.", least=int(found[1])),
    ),
    (
        r"Expected `int` <= (-?\d+)",
        lambda found: said("At most %(most)s here.", most=int(found[1])),
    ),
    (r"Expected `int(?: \| null)?`, got `\w+`", lambda _: said("This is no whole number.")),
    (
        r"Expected `str` of length <= (\d+)",
        lambda found: said("At most %(most)s letters, please.", most=int(found[1])),
    ),
    (r"Expected `bool(?: \| null)?`, got `\w+`", lambda _: said("Write true or false.")),
    (r"Expected `str(?: \| null)?`, got `\w+`", lambda _: said("This is no text.")),
    (
        r"Object missing required field `(\w+)`",
        lambda found: said("%(field)s is missing.", field=found[1]),
    ),
    (
        r"(?s)Object contains unknown field `(.*)`",
        lambda found: said("There is no %(field)s here.", field=brief(found[1])),
    ),
)


def no_day(text: str) -> str:
    """What we say of a day that no calendar has; empty of what is none, or one that is."""
    written = _DAY.fullmatch(text)
    if written is None:
        return ""
    year, month, day = (int(one) for one in written.groups())
    if not 1 <= month <= MONTHS or year == 0:
        return said("There is no day %(text)s: a year has 12 months.", text=text)
    last = monthrange(year, month)[1]
    if 1 <= day <= last:
        return ""
    return said("There is no day %(text)s: that month has %(last)s days.", text=text, last=last)


def plainly(message: str) -> str:
    """What we say of it; what we do not know stays as it is."""
    for pattern, ours in _TOLD:
        found = re.match(pattern, message)
        if found:
            return ours(found)
    return message
