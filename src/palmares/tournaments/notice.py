"""The notice of an event: what players may know before they enter, in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from palmares.core.canonical import canonical
from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.core.rounding import money_text
from palmares.core.toml import fault_of, read_document, refused
from palmares.tournaments.draw.announcement import FORMS, LONG, SHORT, Feed, Id, check_text
from palmares.tournaments.systems.matches import MAIN, Count, Flight

_ROW = re.compile(r"\$\.(divisions|feeds|flights)\[([0-9]+)\]")
"""Where an error stands in a table of a notice."""
_MONEY = re.compile(r"^[0-9]{1,9}(\.[0-9]{1,2})?\Z")
Money = Annotated[int, Meta(ge=0, le=999_999_999)] | Annotated[str, Meta(pattern=_MONEY.pattern)]
"""An amount: a whole number, or text with up to two decimals."""
Percent = Money
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
_FORMS = {
    **FORMS,
    _MONEY.pattern: msg("an amount such as 40, or 12.50 in quotes"),
    r"^[A-Z]{3}\Z": msg("a currency such as EUR"),
}
HUNDRED_PERCENT = 10_000
"""Hundredths of a per cent in 100 per cent."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a notice."""

    def __post_init__(self) -> None:
        """Check texts."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            texts = value if isinstance(value, list) else [value]
            for text in texts:
                if isinstance(text, str) and text:
                    check_text(text, LONG if name in _LONG_TEXTS else SHORT)


_LONG_TEXTS = frozenset({"format_note", "departures", "accommodations", "entry"})


class Division(_Part, frozen=True, kw_only=True):
    """A division: who may enter it, and what that costs."""

    name: str
    may_enter: str  # in words, such as "anyone", "players rated below 1,600"
    entry_fee: Money = 0
    registration: Money = 0  # the organizer's; no part of the prizes
    added_money: Money = 0
    kind: Literal["championship", "intermediate", "super_jackpot", "other"] | None = None


class Prizes(_Part, frozen=True, kw_only=True):
    """The rule by which the prizes of each division are computed."""

    shares: dict[Id, list[Percent]]  # of each flight: per cent of the pool, place by place
    costs_per_entrant: Money = 0  # taken from each entry fee
    costs_percent: Percent = 0  # of all entry fees
    costs: Money = 0  # taken from each division's entry fees as a whole
    round_to: Money = "0.01"  # every prize is a multiple of it
    remainder: Literal["first", "last"] = "first"
    """Which paid place of the main gets what rounding leaves."""

    def __post_init__(self) -> None:
        """Check that all of the pool is shared out, and that prizes can be rounded."""
        super().__post_init__()
        total = sum(hundredths(share) for places in self.shares.values() for share in places)
        if total != HUNDRED_PERCENT:
            raise ValueError(f"the shares make {money_text(total)} per cent together, not 100")
        if not self.shares.get(MAIN) or not hundredths(self.shares[MAIN][0]):
            raise ValueError("the shares give nothing to the first place of main")
        if any(not hundredths(places[-1]) for places in self.shares.values() if places):
            raise ValueError("the last share of a flight is 0: leave it out")
        if hundredths(self.costs_percent) > HUNDRED_PERCENT:
            raise ValueError("costs_percent is more than 100")
        if not hundredths(self.round_to):
            raise ValueError("round_to is 0: write 1 for whole units, or leave it out for cents")

    @property
    def paid_flights(self) -> list[str]:
        """The flights that have prizes, the main first."""
        return sorted(self.shares, key=lambda flight: (flight != MAIN, flight))


class Notice(_Part, frozen=True, kw_only=True):
    """What is stated of an event before its entry opens."""

    event: Id
    name: str
    tournament: str
    start_date: date
    end_date: date
    place: str
    setting: Literal["live", "online"] = "live"
    entry_opens: date
    entry: str = ""  # how to enter, and until when
    currency: Currency = "EUR"
    regulations: list[str] = []  # whose points are at stake
    event_type: str = ""  # of the USBGF's Appendix A
    event_level: Annotated[int, Meta(ge=0, le=99)] | None = None
    format: Literal["knockout", "double_knockout", "groups", "swiss"]
    format_note: str = ""  # more of the format, in words
    flights: list[Flight]  # the main first
    feeds: list[Feed] = []  # whose losers the other flights take
    groups: Count | None = None  # how many
    advance: Annotated[int, Meta(ge=0, le=64)] = 0  # of each group to the knockout
    rounds: Count | None = None  # of a Swiss
    divisions: Annotated[list[Division], Meta(min_length=1, max_length=20)]  # the strongest first
    prizes: Prizes | None = None
    departures: list[str] = []  # from the rules of play
    accommodations: str = ""  # for players with disabilities

    def __post_init__(self) -> None:
        """Check what stands together."""
        super().__post_init__()
        for problem in self._problems():
            raise ValueError(problem)

    def _problems(self) -> Iterator[str]:
        if self.end_date < self.start_date:
            yield "end_date is before start_date"
        if self.entry_opens > self.end_date:
            yield "entry_opens is after end_date"
        yield from self._format_problems()
        names = [flight.name for flight in self.flights]
        for kind, values in (
            ("divisions", [division.name for division in self.divisions]),
            ("flights", names),
            ("regulations", self.regulations),
        ):
            if len({*values}) < len(values):
                yield f"two of the {kind} have the same name"
        unknown = {*self.prizes.shares} - {*names} if self.prizes else set()
        if unknown:
            yield f"prizes are shared to {min(unknown)}, which is not among the flights"

    def _format_problems(self) -> Iterator[str]:
        names = [flight.name for flight in self.flights]
        if names[:1] != [MAIN]:
            yield "the first of the flights is not main"
        if names[1:] != [feed.name for feed in self.feeds]:
            yield "flights and feeds do not go together: each flight but main has one feed"
        if self.format == "groups" and self.groups is None:
            yield "a format of groups says how many: groups = 4"
        if self.format == "swiss" and self.rounds is None:
            yield "a Swiss says how many rounds it has: rounds = 7"

    def division(self, name: str = "") -> Division:
        """The division of a name; without a name, the only one.

        Raises:
            Refused: there is none, or there are several.
        """
        matching = [each for each in self.divisions if each.name == name or not name]
        if len(matching) == 1:
            return matching[0]
        raise Refused(
            msg(
                "Name one of the divisions: %(names)s.",
                names=", ".join(division.name for division in self.divisions),
            )
        )


def hundredths(amount: Money) -> int:
    """An amount in hundredths: cents, or hundredths of a per cent."""
    units, _, decimals = str(amount).partition(".")
    return 100 * int(units) + int(decimals.ljust(2, "0"))


def plain_money(amount: Money) -> str:
    """An amount with two decimals, as facts have it: 1234.50."""
    return money_text(hundredths(amount)).replace(",", "")


def tournament_cells(notice: Notice) -> dict[str, str]:
    """What a notice says of its tournament, by columns of the facts."""
    return {
        "name": notice.tournament,
        "start_date": notice.start_date.isoformat(),
        "end_date": notice.end_date.isoformat(),
        "setting": notice.setting,
        "currency": notice.currency,
    }


def event_cells(notice: Notice, division: Division) -> dict[str, str]:
    """What a notice says of a division, by columns of the facts."""
    return {
        "kind": division.kind or "",
        "event_type": notice.event_type,
        "event_level": "" if notice.event_level is None else str(notice.event_level),
        "division_rank": str(1 + notice.divisions.index(division)),
        "entry_fee": plain_money(division.entry_fee),
        "added_money": plain_money(division.added_money),
    }


def is_money(text: str) -> bool:
    """Whether a text is an amount."""
    return bool(_MONEY.match(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A notice, and the text that is recorded of it."""

    notice: Notice
    text: str  #: canonical JSON
    sha256: str  #: of that text


def read(content: bytes, file: str = "notice") -> Stated:
    """A notice from a TOML file.

    Raises:
        Refused: it is no TOML, or a key is missing, unknown or wrong.
    """
    document = read_document(content, file)
    return state(document.values, file, document.text)


def state(values: Mapping[str, Any], file: str = "notice", text: str | None = None) -> Stated:
    """A notice from its values.

    Args:
        values: as a TOML file has them.
        file: as the user named it.
        text: of the file, if it is one.

    Raises:
        Refused: a key is missing, unknown or wrong.
    """
    try:
        notice = msgspec.convert(values, Notice)
    except (msgspec.ValidationError, RecursionError) as error:
        place = file if text else _with_row(file, str(error), values)
        raise refused(place, *fault_of(error, Notice, text, _FORMS)) from None
    recorded_text = canonical(msgspec.to_builtins(values))
    digest = sha256(recorded_text.encode()).hexdigest()
    return Stated(notice=notice, text=recorded_text, sha256=digest)


def _with_row(file: str, error: str, values: Mapping[str, Any]) -> str:
    """A notice and the row of a table that an error is about, by its name or its number."""
    at = _ROW.search(error)
    if at is None:
        return file
    row = values[at[1]][int(at[2])].get("name") or int(at[2]) + 1
    return msg("%(file)s, row %(row)s", file=(file,), row=str(row))


def recorded(text: str) -> Notice:
    """A notice from the text that was recorded."""
    return msgspec.json.decode(text, type=Notice)
