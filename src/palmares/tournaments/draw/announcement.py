"""The announcement of a draw: what decides it, in one canonical file; and why no draw is made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from palmares.core.canonical import is_canonical
from palmares.core.errors import FactsRejected, Location, Problem, brief
from palmares.core.messages import LocalNumber, msg
from palmares.core.toml import Document, fault_of, read_document, refused

REMEDIES: Mapping[str, tuple[str, str]] = {  # code: (section of the specification, what to do)
    "shape": (
        "1",
        msg("Correct the file, then announce again."),
    ),
    "entries": ("1", msg("Correct the list of entries, then announce again.")),
    "seeds": ("1", msg("Correct the list of seeds, then announce again.")),
    "apart": ("1", msg("Correct who is kept apart and for how many rounds, then announce again.")),
    "feeds": ("5", msg("Correct the rounds whose losers are fed, then announce again.")),
    "randomness": ("2", msg("Choose another source or a later time, then announce again.")),
    "impossible": ("4", msg("Keep fewer players apart, or for fewer rounds.")),
    "too_tight": ("4", msg("Ask for fewer rounds or smaller sets.")),
    "reveal": ("2", msg("Compare it with the announcement, correct it and try again.")),
    "void": (
        "2",
        msg("Announce again with 'replaces', a reason and new randomness."),
    ),
}
"""What to do about each refusal."""


class DrawRefused(FactsRejected):
    """No draw is made: one rule is broken, its only problem."""

    @property
    def code(self) -> str:
        """The code of the rule, such as ``seeds``."""
        return self.problems[0].code


def refusal(code: str, what: str, file: str = "announcement") -> DrawRefused:
    """The refusal with a code.

    Args:
        code: one of `REMEDIES`.
        what: what is wrong, with the key and the values in question.
        file: as the user named it.
    """
    section, remedy = REMEDIES[code]
    problem = Problem(
        at=Location(file), what=what, clause=f"draw {section}, {code}", remedy=remedy, code=code
    )
    return DrawRefused([problem], so=msg("nothing was drawn"))


# ── the file ──────────────────────────────────────────────────────────────────────────────────────


ID_FORM = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z"
Id = Annotated[str, Meta(pattern=ID_FORM)]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Place = Annotated[str, Meta(pattern=r"^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|[-+])\Z")]
_TIME = r"^20[2-9][0-9](-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z\Z"
Time = Annotated[str, Meta(pattern=_TIME)]
FORMS = {
    ID_FORM: msg("an id: letters, digits, points and hyphens, no spaces"),
    r"^[0-9a-f]{64}\Z": msg("a hash of 64 digits"),
    _TIME: msg("a time such as 2026-11-20T18:00:00Z"),
}
"""How the texts of these patterns are written."""
Ends = Annotated[int, Meta(ge=0, le=999_999)]

_FORBIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SHORT, LONG = 200, 2000  # UTF-16 units of a text


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of an announcement."""


class _Source(_Part, frozen=True, kw_only=True):
    """Where randomness comes from."""

    when: Time

    def __post_init__(self) -> None:
        """Check the time."""
        moment(self.when)


_ENDS = {"first": "from", "last": "to"}  # words that Python keeps for itself


class Numbers(_Source, frozen=True, kw_only=True, tag_field="kind", tag="numbers", rename=_ENDS):
    """Numbers produced in public, such as dice."""

    source: str
    count: Annotated[int, Meta(ge=1, le=1000)]
    first: Ends
    last: Ends
    repeats: bool
    ascending: bool

    def __post_init__(self) -> None:
        """Check texts and times."""
        super().__post_init__()
        check_text(self.source, SHORT)


class Commitment(_Part, frozen=True, kw_only=True):
    """The hash of a secret that is revealed later."""

    id: Id
    sha256: Hash


class Secrets(_Source, frozen=True, kw_only=True, tag_field="kind", tag="secrets"):
    """Secrets committed before and revealed after."""

    commitments: list[Commitment]
    missing: Literal["void", "leave_out"]


class Drand(_Source, frozen=True, kw_only=True, tag_field="kind", tag="drand"):
    """A round of the drand beacon."""

    chain: Hash
    round: Annotated[int, Meta(ge=1, le=2**40)]


Source = Numbers | Secrets | Drand


class KeptApart(_Part, frozen=True, kw_only=True):
    """Players who must not meet within some rounds."""

    who: list[Id]
    rounds: Annotated[int, Meta(ge=1, le=12)]
    why: str

    def __post_init__(self) -> None:
        """Check the reason."""
        check_text(self.why, SHORT)


class Feed(_Part, frozen=True, kw_only=True):
    """A bracket that takes the losers of some rounds."""

    name: Id
    of: Id
    rounds: list[Annotated[int, Meta(ge=1, le=64)]]


class Announcement(_Part, frozen=True, kw_only=True, tag_field="format"):
    """What every announcement says."""

    palmares_draw: Literal[1]
    draw: Id
    event: str
    entries: list[Id]
    randomness: list[Source]
    notes: dict[Id, str] | UnsetType = UNSET
    replaces: Hash | UnsetType = UNSET
    reason: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Check texts, and what stands together."""
        check_text(self.event, SHORT)
        for text in (self.notes or {}).values():
            check_text(text, LONG)
        if (self.replaces is UNSET) != (self.reason is UNSET):
            raise ValueError("replaces and reason stand together, or neither does")
        if self.reason is not UNSET:
            check_text(self.reason, LONG)


class KnockoutDraw(Announcement, frozen=True, kw_only=True, tag="knockout"):
    """A bracket."""

    seeding: Literal["placed", "bands"]
    byes: Literal["highest", "drawn"]
    seeds: list[Id] | UnsetType = UNSET
    apart: list[KeptApart] | UnsetType = UNSET
    feeds: list[Feed] | UnsetType = UNSET
    alternates: list[Id] | UnsetType = UNSET


class GroupsDraw(Announcement, frozen=True, kw_only=True, tag="groups"):
    """Groups, of equal size or one more."""

    groups: Annotated[int, Meta(ge=1, le=4096)]
    seeds: list[Id] | UnsetType = UNSET
    pots: list[list[Id]] | UnsetType = UNSET
    apart: list[KeptApart] | UnsetType = UNSET
    alternates: list[Id] | UnsetType = UNSET


class Pairs(Announcement, frozen=True, kw_only=True, tag="pairs"):
    """The first round of a Swiss."""

    apart: list[KeptApart] | UnsetType = UNSET


class Order(Announcement, frozen=True, kw_only=True, tag="order"):
    """An order: lots, or the numbers of a round robin."""


class Late(Announcement, frozen=True, kw_only=True, tag="late"):
    """Late entries onto a printed bracket."""

    of: Hash
    layout: list[Place]
    apart: list[KeptApart] | UnsetType = UNSET


AnyDraw = KnockoutDraw | GroupsDraw | Pairs | Order | Late


def tag_of(part: AnyDraw | Source) -> str:
    """The format of an announcement, or the kind of a source, as the file writes it."""
    return str(part.__struct_config__.tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """An announcement as its file holds it."""

    content: AnyDraw
    text: str  #: canonical JSON
    sha256: str  #: the announcement hash
    file: str  #: as the user named it


def read(content: bytes, file: str = "announcement") -> Announced:
    """An announcement from the bytes of its file.

    Raises:
        DrawRefused: ``shape``: a key, a type or a range is wrong, or the bytes are not canonical.
    """
    try:
        text = content.decode()
        draw: AnyDraw = msgspec.json.decode(text, type=AnyDraw)
    except msgspec.ValidationError as error:
        what = fault_of(error, AnyDraw, None, FORMS).what
        raise _misshapen(what, file) from None
    except (UnicodeError, msgspec.MsgspecError, RecursionError):
        raise _misshapen(_no_json(content), file) from None
    if not is_canonical(text):
        why = msg(
            "it is not in canonical form (RFC 8785): keys sorted, no spaces, no line end after it"
        )
        raise _misshapen(why, file)
    return Announced(content=draw, text=text, sha256=sha256(content).hexdigest(), file=file)


def parse_document(content: bytes, file: str) -> Document:
    """What a file says, as JSON has it: a file .toml is TOML, another if no bracket begins it.

    Raises:
        Refused: it is neither.
    """
    begins_with_bracket = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    if file.lower().endswith(".toml") or not begins_with_bracket:
        document = read_document(content, file)
        return replace(document, values=msgspec.to_builtins(document.values))
    try:
        values = json.loads(content, object_pairs_hook=_unique)
        json.dumps(values, ensure_ascii=False).encode()  # "\\ud800" is half a letter
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        what = msg("this is not JSON, or a key stands there twice")
        raise refused(file, line, what, msg("Correct the file and try again.")) from None
    return Document(values)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON; a key that stands there twice is not passed over."""
    if len(values := dict(pairs)) < len(pairs):
        raise ValueError(pairs)
    return values


def time_text(moment: datetime) -> str:
    """A time as an announcement writes it, such as ``2026-11-21T18:00:00Z``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_in_words(text: str) -> str:
    """A time of an announcement as people read it."""
    day, _, time = text.removesuffix("Z").partition("T")
    return msg("%(day)s, %(time)s UTC", day=LocalNumber(day), time=time.removesuffix(":00"))


def _no_json(content: bytes) -> str:
    """Where bytes are no JSON, as far as they say."""
    try:
        json.loads(content.decode())
    except json.JSONDecodeError as error:
        return msg("it is not JSON: line %(line)s, column %(column)s",
                   line=error.lineno, column=error.colno)  # fmt: skip
    except UnicodeDecodeError as error:
        return msg("it is not UTF-8 text: byte %(byte)s", byte=error.start + 1)
    except (ValueError, RecursionError):
        pass
    return msg("it is not JSON")


def _misshapen(why: str, file: str) -> DrawRefused:
    return refusal("shape", msg("this is no announcement of a draw: %(why)s", why=why), file)


def moment(text: str) -> datetime:
    """A time such as ``2026-11-21T18:00:00Z``.

    Raises:
        ValueError: no calendar or clock has it.
    """
    with suppress(ValueError):
        if re.match(_TIME, text):  # of itself, strptime takes 2026-1-2T3:4:5Z, too
            return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    raise ValueError(f"{brief(text)} is no time: write 2026-11-21T18:00:00Z")


def check_text(text: str, most: int) -> None:
    """Refuse a text that is empty, too long in UTF-16 units, or holds invisible characters."""
    units = len(text) + sum(letter > "\uffff" for letter in text)
    if not 1 <= units <= most:
        raise ValueError(f"a text has 1 to {most} characters, not {units}")
    if _FORBIDDEN.search(text):
        raise ValueError("a text holds no control characters and no direction marks")
