"""
Names as printed: ``Ada Novak (CZE) [n17]``, ``Gaz Owen (England)``, ``Ed O'Laughlin (VA)``.

    Named       a name, its nation or its origin, and the id if one was written
    named       text  ->  Named

A name keeps its letters, particles and suffixes. What stands in the last brackets is a nation if
the table of nations has exactly that code or word; a two-letter code is a state of the United
States or a code of somebody's own, so it is kept as the *origin*, which no regulation reads. A
pair, ``A & B``, has one name; ``[n17]`` or ``(CZE) [n17]`` stands for someone described elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from palmares.reports.texts import squeezed

Nations = Callable[[str], str | None]
"""An exact look-up: a code or a country's name  ->  the code we use, or None."""

# fmt: off
STATES = frozenset({
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID",
    "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO",
    "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA",
    "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "PR",
})
# fmt: on

CODE_OF_A_STATE, CODE_OF_A_NATION = 2, 3
CAPITALS_OF_A_CODE = 2  # BiH is one, Sam is somebody

_ID = re.compile(r"\s*\[([^\[\]]+)\]$")
_PLACE = re.compile(r"\s*\(([^()]+)\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Somebody as a report names him."""

    name: str
    nation: str | None = None  # a code of the table of nations
    origin: str | None = None  # what else stood in the brackets: a state, a town
    id: str | None = None
    written: str = ""  # "Ada Novak (CZE)": the id of someone who was given none

    @property
    def doubtful(self) -> bool:
        """Whether the brackets hold something that is neither a nation nor a state."""
        return self.origin is not None and self.origin not in STATES


def named(text: str, nations: Nations) -> Named:
    """The parts of a printed name; a text without brackets is all name."""
    text = squeezed(text)
    given = _ID.search(text)
    if given:
        text = text[: given.start()]
    key = given[1].strip() if given else None
    place = _PLACE.search(text)
    if not place or " & " in text or not (text[: place.start()] or key):
        return Named(name=text, id=key, written=text)
    inside = place[1].strip()
    nation = nations(inside) if len(inside) > CODE_OF_A_STATE else None
    return Named(
        name=text[: place.start()],
        nation=nation,
        origin=None if nation else inside,
        id=key,
        written=text,
    )


def nation_table() -> Nations:
    """The look-up in the project's own table of nations: codes in capitals, or names."""
    from palmares.facts import nations

    homes = {name: code for code, name in nations.SPORT.items()}

    @lru_cache(maxsize=4096)
    def look_up(text: str) -> str | None:
        if sum(char.isupper() for char in text) >= CAPITALS_OF_A_CODE:
            code = nations.nation(text)
            if code:
                return code
        return homes.get(text) or (nations.country(text) if len(text) > CODE_OF_A_NATION else None)

    return look_up
