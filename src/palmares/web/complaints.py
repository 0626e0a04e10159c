"""
What is wrong with a parameter or a body, in plain words.

    plainly     what the reader of parameters says  ->  what we say
"""

from __future__ import annotations

import re
from collections.abc import Callable

from palmares.web.messages import said

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
        r"Object contains unknown field `(.{1,80})`",
        lambda found: said("There is no %(field)s here.", field=found[1]),
    ),
)


def plainly(message: str) -> str:
    """What we say of it; what we do not know stays as it is."""
    for pattern, ours in _TOLD:
        found = re.match(pattern, message)
        if found:
            return ours(found)
    return message
