"""
Ranks as people write them: ``1``, ``1.``, ``1.0``, ``3=``, ``T3``, ``3-4``, ``3/4``, ``3.-4.``.

A line of placings is a rank and a name: ``1. Ada Novak (CZE)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from palmares.core.messages import msg
from palmares.facts.decoding import Findings

_TH = "(?:[.)]|st|nd|rd|th)?"
_TO = r"\s*(?:[-\u2010-\u2013/]|\bto\b)\s*"
_RANGE = re.compile(rf"([0-9]{{1,9}}){_TH}{_TO}([0-9]{{1,9}}){_TH}", re.IGNORECASE)
_ALONE = re.compile(
    r"(=|T-?)?([0-9]{1,9})(?:[.)]|\.0|st|nd|rd|th|er|e|º|ª|°)?(=|T)?", re.IGNORECASE
)
_LINE = re.compile(
    rf"(?P<rank>=?[0-9]+{_TH}(?:{_TO}[0-9]+{_TH})?=?|[Tt]-?[0-9]+)"
    r"(?P<star>\s*\*)?(?:(?<=[.)])(?=[^\W\d_])|\s*[:\u2013\u2014-]\s+|\s+)(?P<who>\S.*)"
)
_BEHIND = re.compile(r",\s*([0-9]+)\s+rounds?\s+behind$")
NO_PLACING = (
    msg("no rank and name in '%(text)s'"),
    msg("Write the rank, a space and the name: 1 Ada Novak (CZE), or 3-4 Ada Novak (CZE)."),
)
"""What is said of a line that is no placing, and what to do."""


class Rank(Struct, frozen=True):
    """A rank as written; the best place of those who share it."""

    rank: str
    tied: str | None = None  # "3-4": two share it, listed or not
    shared: bool = False  # "3=": shared, by as many as are listed


def rank_of(text: str) -> Rank | None:
    """What a rank cell says, or None if it is no rank."""
    text = text.strip()
    if written := _RANGE.fullmatch(text):
        first, last = int(written[1]), int(written[2])
        if not 0 < first <= last:
            return None
        return Rank(rank=str(first), tied=str(last - first + 1), shared=last > first)
    if written := _ALONE.fullmatch(text):
        return Rank(rank=str(int(written[2])), shared=bool(written[1] or written[3]))
    return None


class Placing(NamedTuple):
    """The parts of a line of placings."""

    rank: Rank
    designated: bool
    who: str
    behind: str | None
    written: str  # the rank as it stands there


def placing_parts(text: str) -> Placing | None:
    """``3-4* Ada Novak (CZE), 2 rounds behind`` in parts, or None."""
    line = _LINE.fullmatch(text)
    rank = rank_of(line["rank"]) if line else None
    if line is None or rank is None:
        return None
    who = line["who"].strip()
    behind = _BEHIND.search(who)
    name = who[: behind.start()] if behind else who
    return Placing(rank, bool(line["star"]), name, behind[1] if behind else None, line["rank"])


def tell_alone(findings: Findings, shared: Iterable[tuple[str, list[int]]]) -> None:
    """Complain of each rank written as ``3=`` that only one line has."""
    for rank, lines in shared:
        if len(lines) == 1:
            findings.problem(
                lines[0],
                msg("rank %(rank)s= is shared, but no other player has it", rank=rank),
                "report placings",
                msg(
                    "Write all the ranks they share: %(ranks)s for two players.",
                    ranks=f"{rank}-{int(rank) + 1}",
                ),
            )
