"""
The bodies of entries, one struct for each kind, in the chain as canonical JSON.

Fields without a value are null, but left out of overrides. A body of another shape is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Day  # noqa: N812  an exchange rate has a field of that name
from typing import Annotated, Any, Literal

import msgspec

from palmares.core.errors import Refused
from palmares.journal.store.entries import Draft, Entry, Sealed

Tables = Mapping[str, Mapping[str, Sequence[Any]]]
"""The columns of tables by name, each of one length within its table."""

Seal = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """The body of an entry."""


class ReportHead(Body, frozen=True, kw_only=True):
    """A report without its tables."""

    content_sha256: str | None = None  # by which the same report is recognized
    replaces: int | None = None  # the entry that was in force


class Report(ReportHead, frozen=True, kw_only=True):
    """A tournament as a director reported it."""

    tables: Tables


class Withdrawal(Body, frozen=True, kw_only=True):
    """A tournament's report was withdrawn."""

    reason: str


class Player(Body, frozen=True, kw_only=True):
    """A version of a player's record."""

    player_id: str
    nation: str | None = None
    withheld: bool = False
    person: Seal | None = None  # of the name


class Erasure(Body, frozen=True, kw_only=True):
    """A player's name was erased."""

    persons: list[Seal]
    reason: str


class Membership(Body, frozen=True, kw_only=True):
    """A player is a member of a federation from a day on."""

    player_id: str
    federation: str
    level: str | None = None
    start: Day
    end: Day | None = None


class Merge(Body, frozen=True, kw_only=True):
    """A player's record was merged into another one."""

    player_id: str
    into: str
    reason: str


class Apart(Body, frozen=True, kw_only=True):
    """Two records are two players."""

    players: list[str]
    reason: str


class Rate(Body, frozen=True, kw_only=True):
    """An exchange rate."""

    currency: str
    date: Day
    eur_per_unit: str | None = None
    units_per_eur: str | None = None
    source: str | None = None
    published_on: Day | None = None


class Replacement(msgspec.Struct, frozen=True, rename={"before": "from", "after": "to"}):
    """A player who replaces another one."""

    before: str
    after: str


class Override(Body, omit_defaults=True, rename={"cells": "set"}, frozen=True, kw_only=True):
    """New cells of one row of a report, or another player in all of it."""

    table: str = ""
    row: dict[str, Any] = {}
    cells: dict[str, Any] = {}
    player: Replacement | None = None
    reason: str


class Undo(Body, frozen=True, kw_only=True):
    """An earlier entry was undone."""

    undoes: int
    reason: str


class PublicationPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a publication."""


class ListSelection(PublicationPart, frozen=True, kw_only=True, omit_defaults=True):
    """Which results a list counts."""

    as_of: Day
    since: Day | None
    until: Day | None
    setting: str | None
    kind: str
    nation: str | None
    divisions: tuple[int, ...] = ()  # 1 is the highest; none: all
    by: str


class Readings(PublicationPart, frozen=True, kw_only=True):
    """The chosen options, and the sha256 of every reading of the editions in force."""

    chosen: dict[str, str]
    in_force: dict[str, dict[str, str]]  # by edition and reading


class EditionHash(PublicationPart, frozen=True, kw_only=True):
    """An edition's file: the hash of its numbers, and that of the file."""

    computed_sha256: str
    sha256: str


class CodeHash(PublicationPart, frozen=True, kw_only=True):
    """The code of a regulation: its package, and the hash of its source."""

    package: str
    version: str
    sha256: str


class JournalHead(PublicationPart, frozen=True, kw_only=True):
    """The last entry that a list was computed from."""

    sequence: int
    hash: str


class TableHash(PublicationPart, frozen=True, kw_only=True):
    """The hash of a table of facts."""

    rows: int
    sha256: str


Count = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
"""A whole number that canonical JSON can hold."""


class PublicationHead(Body, frozen=True, kw_only=True, rename={"rows": "list"}):
    """A publication without its list: which list, and the hashes of what it is made of."""

    regulation: str
    selection: ListSelection
    edition: str | None  # chosen; none: by date
    editions: dict[str, EditionHash]  # in force
    readings: Readings
    head: JournalHead | None  # none: the facts came from files
    facts: dict[str, TableHash]
    facts_sha256: str  # of `facts`
    waiting_events: Count  # not in the list, since facts are missing
    rows: Any = msgspec.UNSET  # the list, in an entry and in a manifest
    list_sha256: str  # of `rows`
    code: CodeHash  # of the regulation
    palmares: str  # the version that computed it
    note: str | None


class DrawAnnouncement(Body, frozen=True, kw_only=True):
    """A draw was announced, before its randomness existed."""

    announcement: str  # as its file holds it: canonical JSON with ids, no names
    sha256: Seal  # of the announcement
    replaces: Seal | None = None  # the announcement it takes the place of


class DrawReveal(Body, frozen=True, kw_only=True):
    """The randomness of an announced draw was revealed; the draw follows from both."""

    announcement: Seal  # sha256 of the announcement
    randomness: str  # a reveal for each source, as canonical JSON


class Race(Body, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A race: the ranking of a regulation by the results of some days, kinds and divisions."""

    race: Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]{0,63}$")]  # in its address
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    regulation: str
    kinds: list[str] = []  # none: all
    setting: str | None = None  # live | online; none: both
    since: Day | None = None
    until: Day | None = None  # none: the race has no end
    divisions: list[Annotated[int, msgspec.Meta(ge=1, le=99)]] = []  # 1 the highest; none: all


class Level(msgspec.Struct, frozen=True):
    """A recognition level."""

    name: str
    points: str  # of a lifetime, from which on it is reached


class Levels(Body, frozen=True, kw_only=True):
    """The recognition levels of a regulation."""

    title: str
    source: str
    levels: list[Level]  # the lowest first


class EventNotice(Body, frozen=True, kw_only=True):
    """The notice of an event was published, or changed."""

    notice: str  # canonical JSON
    sha256: Seal  # of the notice
    replaces: Seal | None = None  # the notice it takes the place of
    reason: str | None = None  # why it was changed


class SupportRequest(Body, frozen=True, kw_only=True):
    """A director asked a streaming fund to support a tournament."""

    day: Day
    name: str  # of the tournament
    start: Day
    end: Day
    streaming: list[Day]  # days of streaming
    contributions: list[str]  # of the director: clauses of the policy


class SupportDecision(Body, frozen=True, kw_only=True):
    """A streaming fund supports a tournament, or does not."""

    day: Day
    granted: bool
    by: str  # the office, such as "Executive Director"
    reason: str
    edition: str  # of the policy, such as "usbgf-streaming/2015-04"
    guarantee: Count  # to the streamer, in cents of the fund's currency
    baggage: Count  # baggage fees, the same


class Streamed(Body, frozen=True, kw_only=True):
    """Matches of some players were streamed on a day of a tournament."""

    day: Day
    players: list[str]


class Transfer(Body, frozen=True, kw_only=True):
    """Money that a streaming fund received or paid, or what a director contributed."""

    flow: Literal["donation", "payment", "contribution"]
    day: Day
    what: str  # source of a donation, use of a payment, clause of a contribution
    cents: Count  # of the fund's currency
    currency: str  # of the fund
    given: str | None = None  # the amount in another currency, and its rate
    person: Seal | None = None  # of a donor's name
    player_id: str | None = None  # a donor who is a player
    named: bool = False  # the donor consents to be named


BODIES: Mapping[str, type[Body]] = {
    "report": ReportHead,
    "withdrawal": Withdrawal,
    "player": Player,
    "erasure": Erasure,
    "membership": Membership,
    "merge": Merge,
    "apart": Apart,
    "rate": Rate,
    "override": Override,
    "undo": Undo,
    "publication": PublicationHead,
    "draw": DrawAnnouncement,
    "reveal": DrawReveal,
    "race": Race,
    "levels": Levels,
    "notice": EventNotice,
    "support": SupportRequest,
    "grant": SupportDecision,
    "streamed": Streamed,
    "transfer": Transfer,
}
"""The struct of each kind's body, without tables and lists."""

_KINDS = {body: kind for kind, body in BODIES.items()} | {Report: "report"}


def draft(
    subject: str, body: Body, *, key: str | None = None, sealed: Sequence[Sealed] = ()
) -> Draft:
    """A draft of an entry; its kind follows from its body."""
    return Draft(kind=_KINDS[type(body)], subject=subject, body=body, key=key, sealed=tuple(sealed))


def body_of(entry: Entry, of: type[Body] | None = None) -> Any:
    """The body of an entry, as the struct of its kind or as another one.

    Raises:
        Refused: it has another shape.
    """
    try:
        return msgspec.json.decode(entry.body, type=of or BODIES[entry.kind])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise unknown_shape(entry.sequence, entry.kind, error) from None


def tables_of(entry: Entry) -> Tables:
    """The tables of a report's entry.

    Raises:
        Refused: it has another shape.
    """
    report: Report = body_of(entry, Report)
    return report.tables


def unknown_shape(sequence: int, kind: str, error: Exception) -> Refused:
    """The refusal of an entry whose body has an unknown shape."""
    return Refused(f"Entry {sequence} is no {kind} that this palmares knows: {error}.")
