"""What programs send to an event that is run, or people in forms; and what programs get back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palmares.web.events.views import Following, LiveMatch, LivePrizes
from palmares.web.http.bodies import RequestBody, Text


class MatchEnd(RequestBody, frozen=True, kw_only=True):
    """How a match ended."""

    match: Annotated[Text, Meta(description="Such as `main:2:1`.")]
    winner: Annotated[Text, Meta(description="An id or a name; empty: neither appeared.")] = ""
    score: Annotated[Text, Meta(description="The winner's points first, such as `11-7`.")] = ""
    how: Annotated[
        Text, Meta(description="`played`, `walkover`, `retired` or `double_no_show`.")
    ] = ""
    length: Text = ""
    table: Text = ""


class SentResult(MatchEnd, frozen=True, kw_only=True):
    """How a match ended."""

    key: Annotated[
        Text | None, Meta(description="Your own; sent again, the result is recorded once.")
    ] = None


_Accepted = Annotated[
    Text,
    Meta(
        description="`accepted` of the answer before, once what follows was looked at; empty: only"
        " show what follows."
    ),
]


class SentCorrection(MatchEnd, frozen=True, kw_only=True):
    """A match ended otherwise than was recorded; `how` may be `none`: it has not ended."""

    reason: Text
    accepted: _Accepted = ""


class SentWithdrawal(RequestBody, frozen=True, kw_only=True):
    """A player plays no more, or plays again."""

    player: Annotated[Text, Meta(description="The id of the entrant.")]
    back: Annotated[bool, Meta(description="The withdrawal was a mistake.")] = False
    reason: Text = ""
    accepted: _Accepted = ""


class SentRound(RequestBody, frozen=True, kw_only=True):
    """The round of a Swiss to be paired."""

    round: int


class SentSplit(RequestBody, frozen=True, kw_only=True):
    """The prizes that players agreed on; they sum to their prizes by the rule of the notice."""

    amounts: Annotated[
        dict[str, Text],
        Meta(description="Such as `900.50`, by id or name; empty: by the rule again."),
    ]


class SentReport(RequestBody, frozen=True, kw_only=True):
    """What the report says; empty fields are as the notice of the event has them."""

    name: Annotated[Text, Meta(description="Of the tournament.")] = ""
    end_date: Text = ""
    discipline: Text = ""
    currency: Text = ""
    kind: Text = ""
    entry_fee: Text = ""
    event_type: Text = ""
    division_rank: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResult:
    """A result that is recorded."""

    match: LiveMatch
    sequence: int  # of the last record of the event
    next: tuple[LiveMatch, ...]  # can start now


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChange:
    """What follows from a change by hand, and whether it is recorded."""

    recorded: bool
    accepted: str  # to be sent with the same change to record it; empty: recorded
    following: tuple[Following, ...]  # matches that change with it
    sequence: int  # of the last record of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRound:
    """A round of a Swiss that is paired."""

    matches: tuple[LiveMatch, ...]
    sequence: int  # of the last record of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSplit:
    """The prizes after a split was recorded."""

    prizes: LivePrizes | None
    sequence: int  # of the last record of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedReport:
    """The report of an event that was drafted."""

    submission: int  # its number among the submissions, where it is previewed and submitted
