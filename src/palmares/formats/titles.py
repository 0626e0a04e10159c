"""The parts of a title: ``Graz Open, Graz (AUT), 17-19 January 2020, 64 players``."""

from __future__ import annotations

import re
from typing import NamedTuple

from palmares.facts.codes import country, nation
from palmares.facts.text import squeezed
from palmares.formats.days import Span, days_within
from palmares.formats.lines import count_of

_PLACE = re.compile(r"([^()]*[^()\s])\s*\(([A-Z]{3})\)")
"""A city, and the code of its country in brackets."""
_COUNT = re.compile(r"(.*\S)\s*\(([0-9]+ \w+)\)")
"""A number of players in brackets at the end."""
_CODE = 3
"""Letters of a code, which alone may be anything."""
_STATES = frozenset({"georgia"})
"""Countries whose name is also that of a state of the USA."""


class TitleParts(NamedTuple):
    """What a title says, besides the name."""

    name: str
    days: Span | None = None
    city: str = ""
    country: str = ""
    entrants: str = ""


def title_parts(text: str) -> TitleParts:
    """The name in a title, and what else stands in it between commas, plainly."""
    days_and_rest = days_within(text)
    parts = [
        part
        for each in (days_and_rest[1] if days_and_rest else text).split(",")
        if (part := squeezed(each))
    ]
    entrants = city = land = ""
    if parts and (counted := _COUNT.fullmatch(parts[-1])) and count_of(counted[2]):
        parts[-1:] = counted.groups()
    if len(parts) > 1 and (count := count_of(parts[-1].strip("()"))):
        entrants = count
        parts.pop()
    place = _PLACE.fullmatch(parts[-1]) if len(parts) > 1 else None
    if place and (code := nation(place[2])):
        city, land = place[1], code
        parts.pop()
    elif len(parts) > 2 and (code := _country(parts[-1])):  # noqa: PLR2004  a name before a city
        city, land = parts[-2], code
        del parts[-2:]
    days = days_and_rest[0] if days_and_rest else None
    return TitleParts(", ".join(parts).strip("*_# ") or squeezed(text), days, city, land, entrants)


def _country(text: str) -> str | None:
    """The country that a name of one stands for; none of a code."""
    return country(text) if len(text) > _CODE and text.casefold() not in _STATES else None
