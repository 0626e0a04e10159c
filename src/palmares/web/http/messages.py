"""
Messages that Python says and pages show, so that every language can say them.

    WORDS       words that stand in facts and entries, and that pages show

The rest is of `palmares.sentences`, and is here for the site. `palmares.web.wording` says it in
another language.
"""

from __future__ import annotations

from palmares.sentences import Figures, Said, begun, capital, changed, counted, said
from palmares.sentences import elsewhere as plain

__all__ = [
    "WORDS",
    "Figures",
    "Said",
    "begun",
    "capital",
    "changed",
    "counted",
    "plain",
    "said",
]

WORDS = (
    # disciplines
    said("backgammon"), said("bridge"), said("diplomacy"),
    # where an event was played
    said("live"), said("online"),
    # kinds of points
    said("performance"), said("match"), said("placement"), said("rating"), said("total"),
    # kinds of events
    said("championship"), said("intermediate"), said("super jackpot"), said("other"),
    # how a flight was played
    said("knockout"), said("double knockout"), said("swiss"), said("round robin"),
    # answers of a clause
    said("yes"), said("no"),
    # states of a report
    said("draft"), said("submitted"), said("returned"), said("approved"), said("withdrawn"),
    # kinds of entries
    said("report"), said("withdrawal"), said("player"), said("erasure"), said("membership"),
    said("merge"), said("apart"), said("rate"), said("override"), said("undo"),
    said("publication"),
    # roles
    said("director"), said("officer"), said("administrator"),
)  # fmt: skip
"""Words that stand in facts and entries, and that pages show."""
