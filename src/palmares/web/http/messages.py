"""
Messages that Python says and pages show, so that every language can say them.

    WORDS       words that stand in facts and entries, and that pages show

The rest is of `palmares.core.messages`, and is here for the site. `palmares.web.http.wording` says
it in another language.
"""

from __future__ import annotations

from palmares.core.messages import LocalNumber, Message, begun, capital, changed, msg, plural
from palmares.web.http.hints import plain

__all__ = [
    "WORDS",
    "LocalNumber",
    "Message",
    "begun",
    "capital",
    "changed",
    "msg",
    "plain",
    "plural",
]

WORDS = (
    # disciplines
    msg("backgammon"), msg("bridge"), msg("diplomacy"),
    # where an event was played
    msg("live"), msg("online"),
    # kinds of points
    msg("performance"), msg("match"), msg("placement"), msg("rating"), msg("total"),
    # kinds of events
    msg("championship"), msg("intermediate"), msg("super jackpot"), msg("other"),
    # how a flight was played
    msg("knockout"), msg("double knockout"), msg("swiss"), msg("round robin"),
    # answers of a clause
    msg("yes"), msg("no"),
    # states of a report
    msg("draft"), msg("submitted"), msg("returned"), msg("approved"), msg("withdrawn"),
    # kinds of entries
    msg("report"), msg("withdrawal"), msg("player"), msg("erasure"), msg("membership"),
    msg("merge"), msg("apart"), msg("rate"), msg("override"), msg("undo"),
    msg("publication"),
    # roles
    msg("director"), msg("officer"), msg("administrator"),
)  # fmt: skip
"""Words that stand in facts and entries, and that pages show."""
