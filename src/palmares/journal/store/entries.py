"""
The entries of a journal, their chain of hashes, and the names apart from it.

The hash of an entry is the sha256 of the canonical JSON (RFC 8785) of all its other fields, one of
which is the hash of the entry before, so anyone can check them. An entry has the seal of a name,
not the name: the sha256 of a random salt and the record. To erase a name, salt and record are
deleted: the chain stays valid, and no guess can be tested.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from datetime import date as Day  # noqa: N812  an exchange rate has a field of that name
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from palmares.core.canonical import canonical, is_canonical
from palmares.core.errors import Refused, brief

KINDS: Mapping[str, str] = {
    "report": "what a director reported of a tournament; a later one of it corrects this one",
    "withdrawal": "a tournament's report is withdrawn",
    "player": "a player: nation, whether the name is withheld, and the seal of the name",
    "erasure": "a player's name was erased; rank and place stay",
    "membership": "a player is a member of a federation from a day on",
    "merge": "two records are one player",
    "apart": "two records that look alike are two players",
    "rate": "an exchange rate",
    "override": "an officer sets a value in a report, with a reason",
    "undo": "an earlier entry is cancelled",
    "publication": "a list was published",
    "draw": "a draw was announced",
    "reveal": "the randomness of an announced draw was revealed",
    "race": "a race was declared: a ranking by the results of some days, kinds and divisions",
    "levels": "the recognition levels of a regulation",
    "notice": "the notice of an event was published; a later one of it replaces this one",
    "support": "a streaming fund was asked to support a tournament",
    "grant": "a streaming fund supports a tournament, or does not",
    "streamed": "matches of some players were streamed on a day",
    "transfer": "a donation to a streaming fund, a payment, a contribution",
}
"""Every kind of entry, and what it states."""

ROLES: Mapping[str, str] = {
    "administrator": "keeps accounts and the journal itself",
    "officer": "decides: players, memberships, rates, corrections, publications",
    "director": "reports tournaments",
}
"""Every role an actor can have. Who may do what is decided where requests come in."""

FIRST = "0" * 64
"""The previous hash of the first entry."""

LONGEST = 200
_VISIBLE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who records an entry, and in which role.

    Raises:
        Refused: the name is empty, too long or has control characters; the role is unknown.
    """

    name: str
    role: str

    def __post_init__(self) -> None:
        refuse_invisible("name of an author", self.name)
        if self.role not in ROLES:
            raise Refused(f"A role is {', '.join(ROLES)}, not {brief(self.role)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry about to be recorded."""

    kind: str
    subject: str  # what it is about: a tournament, a player, a currency, an entry, a list
    body: Any  # a struct of `BODIES`, or the same as a mapping
    key: str | None = None  # idempotency key: a program may send the same twice
    sealed: tuple[Sealed, ...] = field(default=())  # the names whose seals are in the body


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a journal, now or at an earlier moment."""

    sequence: int
    hash: str
    recorded_at: str


START = Head(0, FIRST, "")
"""The head of a journal without entries."""


class Link(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A link of a chain of hashes: what entries and the records of events have in common."""

    sequence: int  # from 1, without a gap
    recorded_at: str  # UTC: 2026-11-21T18:13:01.123456Z; always after that of the link before
    author: str
    kind: str
    key: str | None  # idempotency key
    previous: str
    hash: str

    @property
    def head(self) -> Head:
        """This link as the last one of its chain."""
        return Head(self.sequence, self.hash, self.recorded_at)

    def line(self) -> bytes:
        """The link as one line of canonical JSON, as exports write it."""
        return _canonical(msgspec.structs.asdict(self))

    @property
    def is_unchanged(self) -> bool:
        """Whether its hash is that of its other fields, whatever types a database holds."""
        try:  # of each of many entries
            msgspec.convert(msgspec.structs.asdict(self), type(self))  # no BLOB in place of a text
            return self.digest() == self.hash
        except (UnicodeError, msgspec.MsgspecError):
            return False

    def digest(self) -> str:
        """The hash of the other fields."""
        fields = msgspec.structs.asdict(self)
        del fields["hash"]
        return sha256(_canonical(fields)).hexdigest()


class EntryHead(Link, frozen=True, kw_only=True):
    """An entry without its body."""

    role: str
    subject: str


class Entry(EntryHead, frozen=True, kw_only=True):
    """One entry of the chain."""

    body: str  # canonical JSON

    def read(self) -> Any:
        """The body as plain values."""
        return msgspec.json.decode(self.body)


def is_visible(text: str) -> bool:
    """Whether a text can be an author, a subject or a key: short, without invisible characters."""
    return len(text) <= LONGEST and _VISIBLE.fullmatch(text) is not None


def refuse_invisible(what: str, text: str) -> None:
    """Refuse an author, a subject or a key that is blank, too long, or has invisible characters."""
    if not (text.strip() and is_visible(text)):
        raise Refused(f"The {what} has 1 to {LONGEST} characters, not {brief(ascii(text))}.")


def chain(draft: Draft, by: Actor, before: Head, now: datetime) -> Entry:
    """The entry that a draft becomes after another one.

    Raises:
        Refused: the kind is unknown, the subject or the key is not a short visible text, or no
            moment comes after that of the entry before.
    """
    if draft.kind not in KINDS:
        raise Refused(f"There is no entry of the kind {brief(draft.kind)}: {', '.join(KINDS)}.")
    refuse_invisible("subject of an entry", draft.subject)
    return link(
        Entry,
        before,
        now,
        draft.body,
        author=by.name,
        role=by.role,
        kind=draft.kind,
        subject=draft.subject,
        key=draft.key,
    )


L = TypeVar("L", bound=Link)


def link(of: Callable[..., L], before: Head, now: datetime, body: Any, **fields: Any) -> L:
    """The link of some kind that comes after another one; *fields* are those of its kind.

    Raises:
        Refused: the key is not a short visible text, or no moment comes after the one before.
    """
    if fields["key"] is not None:
        refuse_invisible("key", fields["key"])
    unsealed = of(
        sequence=before.sequence + 1,
        recorded_at=moment_after(before.recorded_at, now),
        body=canonical(msgspec.to_builtins(body)),
        previous=before.hash,
        hash="",
        **fields,
    )
    return msgspec.structs.replace(unsealed, hash=unsealed.digest())


def moment_after(before: str, now: datetime) -> str:
    """Now, or a microsecond after the moment before if the clock went back.

    Raises:
        Refused: there is no moment after the one before.
    """
    moment = timestamp(now)
    if moment > before:
        return moment
    try:
        return timestamp(datetime.fromisoformat(before) + timedelta(microseconds=1))
    except OverflowError:
        raise Refused(
            f"The last entry has the time {before}, from a clock that was wrong, and no time comes"
            " after it. Nothing was recorded. Import an earlier export into an empty journal."
        ) from None


def timestamp(moment: datetime) -> str:
    """A moment as entries write it: UTC, to the microsecond, always 27 characters."""
    text = moment.astimezone(UTC).isoformat(timespec="microseconds")
    return f"{text.removesuffix('+00:00')}Z"


def is_timestamp(text: str) -> bool:
    """Whether a text is a moment as entries write it."""
    with suppress(ValueError, OverflowError):
        return timestamp(datetime.fromisoformat(text)) == text
    return False


class ChainFault(NamedTuple):
    """A broken rule of a chain, and how it is broken."""

    rule: str
    what: str


def chain_faults(link: Any, before: Head | None) -> Iterator[ChainFault]:
    """What is wrong with the place and the hash of one link in a chain.

    Args:
        link: an entry, or a record of an event.
        before: the link before; none if it could not be read.
    """
    if before is not None:
        if link.sequence > before.sequence + 1:
            missing = f"{before.sequence + 1} to {link.sequence - 1}"
            yield ChainFault("sequence", f"Numbers {missing} are missing before it.")
        elif link.sequence <= before.sequence:
            yield ChainFault("sequence", f"It comes after number {before.sequence}.")
        elif link.previous != before.hash:
            yield ChainFault(
                "previous", f"It follows {brief(link.previous)}, not {brief(before.hash)}."
            )
        if link.recorded_at <= before.recorded_at:
            what = f"It was recorded at {brief(link.recorded_at)}, not after {before.recorded_at}."
            yield ChainFault("recorded_at", what)
    if not is_timestamp(link.recorded_at):
        yield ChainFault("recorded_at", f"{brief(ascii(link.recorded_at))} is not a moment in UTC.")
    if not (link.body.startswith("{") and is_canonical(link.body)):
        yield ChainFault("body", "Its body is no canonical JSON.")
    if not link.is_unchanged:
        yield ChainFault("hash", f"Its fields come to another hash than {brief(link.hash)}.")


def _canonical(fields: Mapping[str, Any]) -> bytes:
    """Fields of a link in canonical JSON, which is msgspec's where no number has a fraction."""
    body = msgspec.Raw(fields["body"])  # canonical already
    return msgspec.json.encode({**fields, "body": body}, order="sorted")


# ── names, sealed ─────────────────────────────────────────────────────────────────────────────────

SEALING, ERASING = ("player", "transfer"), "erasure"
"""The kinds of entries that have the seals of new names (players, donors), and of erased ones."""
_HEX = re.compile(r"[0-9a-f]{64}")


class PersonalData(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The data of a player or donor that can be erased."""

    name: str
    ids: Mapping[str, str] = {}  # elsewhere: {"usbgf": "12345"}
    more: Mapping[str, str] = {}  # additional columns of a report

    def record(self) -> str:
        """The person in canonical JSON, without empty fields."""
        return canonical(msgspec.to_builtins(self))

    @classmethod
    def read(cls, record: str) -> PersonalData:
        """The person of a record."""
        return _PERSON.decode(record)


_PERSON = msgspec.json.Decoder(PersonalData)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed name; without salt and record, it was erased or left out of an export."""

    commitment: str
    salt: str | None
    record: str | None

    @property
    def is_sound(self) -> bool:
        """Whether the record fits the seal and is a person's, whatever types a database holds."""
        if self.salt is None or self.record is None:
            return self.salt is None and self.record is None
        with suppress(msgspec.MsgspecError, UnicodeError, TypeError, AttributeError):
            PersonalData.read(self.record)
            fits = fits_seal(self.commitment, self.salt, self.record)
            return fits and _HEX.fullmatch(self.salt) is not None and is_canonical(self.record)
        return False

    def person(self) -> PersonalData | None:
        """The person, unless erased or left out."""
        return None if self.record is None else PersonalData.read(self.record)


def seal(person: PersonalData) -> Sealed:
    """A person's record under a fresh salt."""
    salt, record = secrets.token_hex(32), person.record()
    return Sealed(_commitment(salt, record), salt, record)


def fits_seal(commitment: str, salt: str, record: str) -> bool:
    """Whether a record is the sealed one, whatever types a database holds."""
    try:  # of each of many names
        return _commitment(salt, record) == commitment
    except (TypeError, ValueError, AttributeError):
        return False


def _commitment(salt: str, record: str) -> str:
    return sha256(bytes.fromhex(salt) + record.encode()).hexdigest()


# ── the bodies of entries, by kind ────────────────────────────────────────────────────────────────

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
    except (KeyError, msgspec.MsgspecError, RecursionError) as error:
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
    return Refused(
        f"Entry {sequence} is no {kind} that this palmares knows: {error}. If a later palmares"
        " recorded it, install that version."
    )
