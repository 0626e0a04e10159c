"""Sources of randomness: rules before the draw, and the seed made from what they reveal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from math import comb, perm, prod
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palmares.core.extras import installed
from palmares.core.messages import msg
from palmares.tournaments.draw.announcement import (
    Announced,
    Drand,
    DrawRefused,
    Numbers,
    Secrets,
    Source,
    moment,
    refusal,
    time_in_words,
)

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
_PUBLIC_KEY = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d"
    "1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8"
    "991ef5ece45a"
)
_FIRST_ROUND, _PERIOD = 1692803367, 3  # Unix time, seconds


def time_of(number: int) -> int:
    """When a round is due, as Unix time."""
    return _FIRST_ROUND + _PERIOD * (number - 1)


def round_at(moment: int) -> int:
    """The first round that is due at a Unix time, or later."""
    return max(1, -(-(moment - _FIRST_ROUND) // _PERIOD) + 1)


def verifies() -> bool:
    """Whether the library that verifies signatures is installed."""
    return installed("draw")


def is_signed(number: int, signature: str) -> bool:
    """Whether a signature is that of a round; BLS12-381, signature in G1 (RFC 9380)."""
    from drand_verify import verify_quicknet

    try:
        return bool(verify_quicknet(number, signature, _PUBLIC_KEY))
    except ValueError:  # no point of the curve, or not the one that was signed
        return False


# ── seeds ─────────────────────────────────────────────────────────────────────────────────────────


LEAST_DELAY = timedelta(seconds=60)
"""The shortest time between the announcement's record and its randomness."""
LEAST_OUTCOMES = 2**40
"""With fewer, an announcer could try announcements until every outcome suits them."""
TAG = "palmares-draw-1"
_FEWEST_PEOPLE = 2  # who commit to secrets
_MISSING = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """The seed, and the lines it is made from."""

    text: str  #: the lines, each ended
    seed: str  #: its SHA-256
    unverified: tuple[int, ...] = ()  #: numbers of sources, from 1, that were not verified here


# ── before the draw ──────────────────────────────────────────────────────────────────────────────


def check(announced: Announced, recorded_at: str) -> None:
    """Refuse sources that are public already, or that one person controls.

    Raises:
        DrawRefused: ``randomness``.
        ValueError: *recorded_at* is no time.
    """
    sources = announced.content.randomness
    if not sources:
        raise _refused(announced, msg("randomness names no source"))
    earliest = moment(recorded_at) + LEAST_DELAY
    for number, source in enumerate(sources, 1):
        if moment(source.when) < earliest:
            raise _refused(
                announced,
                msg(
                    "source %(number)s is due at %(when)s, less than 60 seconds after the"
                    " announcement was recorded, %(recorded)s",
                    number=number,
                    when=time_in_words(source.when),
                    recorded=time_in_words(recorded_at),
                ),
            )
        if why := next(_wrong(source), ""):
            raise _refused(announced, msg("source %(number)s: %(why)s", number=number, why=why))
    numbers = [source for source in sources if isinstance(source, Numbers)]
    if len(numbers) == len(sources) and prod(map(outcomes, numbers)) < LEAST_OUTCOMES:
        why = msg("the numbers have fewer than 2^40 possible outcomes; 16 dice have enough")
        raise _refused(announced, why)


def _refused(announced: Announced, what: str) -> DrawRefused:
    return refusal("randomness", what, announced.file)


def _wrong(source: Source) -> Iterator[str]:
    if isinstance(source, Secrets):
        ids = {commitment.id for commitment in source.commitments}
        if len(source.commitments) < _FEWEST_PEOPLE:
            yield msg("secrets come from two people or more")
        if len(ids) < len(source.commitments):
            yield msg("two commitments have one id")
    elif isinstance(source, Drand):
        if source.chain != CHAIN:
            yield msg("the chain is not quicknet, %(chain)s", chain=CHAIN)
        if moment(source.when).timestamp() != time_of(source.round):
            yield msg("'when' is not the time of round %(round)s", round=source.round)
    else:
        if source.last <= source.first:
            yield msg("'to' must be greater than 'from'")
        if source.repeats and source.ascending:
            yield msg("sorted numbers that repeat are not equally likely")
        if not source.repeats and source.count > source.last - source.first + 1:
            yield msg("there are fewer different numbers than 'count'")


def outcomes(source: Numbers) -> int:
    """How many outcomes numbers have, all equally likely."""
    values = source.last - source.first + 1
    if source.repeats:
        return int(values**source.count)
    return comb(values, source.count) if source.ascending else perm(values, source.count)


# ── what was revealed ────────────────────────────────────────────────────────────────────────────


class _NumbersRevealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    numbers: list[int]


class _SecretsRevealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    secrets: dict[str, Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{64}|-)\Z")]]


class _DrandRevealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    signature: Annotated[str, Meta(pattern=r"^[0-9a-f]{96}\Z")]


_SHAPES: Mapping[type, type[msgspec.Struct]] = {
    Numbers: _NumbersRevealed,
    Secrets: _SecretsRevealed,
    Drand: _DrandRevealed,
}


def seed_of(announced: Announced, reveals: Sequence[Any]) -> Seed:
    """The seed that follows from an announcement and what its sources revealed.

    Args:
        announced: the announcement.
        reveals: an object for each source, as JSON holds it: ``{"numbers": [3, 5]}``,
            ``{"secrets": {"ana": "…"}}``, ``{"signature": "…"}``.

    Raises:
        DrawRefused: ``reveal``: it does not fit the announcement; ``void``: a secret is missing.
    """
    sources = announced.content.randomness
    if not isinstance(reveals, list) or len(reveals) != len(sources):
        what = msg("the announcement has %(many)s sources; reveal as many", many=len(sources))
        raise refusal("reveal", what, announced.file)
    lines = [TAG, announced.sha256]
    unverified = []
    for number, (source, reveal) in enumerate(zip(sources, reveals, strict=True), 1):
        try:
            given = msgspec.convert(reveal, _SHAPES[type(source)])
            lines += _lines(announced, source, given)
            if isinstance(given, _DrandRevealed) and not verifies():
                unverified.append(number)
        except (msgspec.ValidationError, _Unfit) as error:
            what = msg("source %(number)s: %(why)s", number=number, why=str(error))
            raise refusal("reveal", what, announced.file) from None
    text = "".join(f"{line}\n" for line in lines)
    return Seed(text=text, seed=sha256(text.encode()).hexdigest(), unverified=tuple(unverified))


class _Unfit(Exception):
    """What was revealed does not fit; its text says why."""


def _lines(announced: Announced, source: Source, reveal: Any) -> list[str]:
    if isinstance(source, Numbers):
        return [_numbers(source, reveal.numbers)]
    if isinstance(source, Secrets):
        return _secrets(announced, source, reveal.secrets)
    return [drand_line(source, reveal.signature)]


def _numbers(source: Numbers, numbers: Sequence[int]) -> str:
    if len(numbers) != source.count:
        raise _Unfit(msg("%(many)s numbers, not %(count)s", many=len(numbers), count=source.count))
    for number in numbers:
        if not source.first <= number <= source.last:
            raise _Unfit(
                msg(
                    "%(number)s is not from %(first)s to %(last)s",
                    number=str(number),
                    first=source.first,
                    last=source.last,
                )
            )
    if not source.repeats and len(set(numbers)) < len(numbers):
        raise _Unfit(msg("a number stands there twice"))
    if source.ascending and sorted(numbers) != list(numbers):
        raise _Unfit(msg("the numbers are not in ascending order"))
    return f"numbers {' '.join(map(str, numbers))}"


def commitment(draw: str, person: str, secret: str) -> str:
    """The hash by which a person commits to a secret for one draw."""
    return sha256(f"palmares-secret-1\n{draw}\n{person}\n{secret}\n".encode()).hexdigest()


def _secrets(announced: Announced, source: Secrets, secrets: Mapping[str, str]) -> list[str]:
    committed = {each.id: each.sha256 for each in source.commitments}
    for person, secret in secrets.items():
        if person not in committed:
            raise _Unfit(msg("%(person)s committed to nothing", person=repr(person)))
        if (
            secret != _MISSING
            and commitment(announced.content.draw, person, secret) != (committed[person])
        ):
            raise _Unfit(msg("the secret of %(person)s is another one", person=person))
    given = {person: secrets.get(person, _MISSING) for person in committed}
    missing = tuple(person for person, secret in given.items() if secret == _MISSING)
    if missing and (source.missing == "void" or len(missing) == len(given)):
        what = msg("no secret was revealed by %(people)s, so the draw is void", people=missing)
        raise refusal("void", what, announced.file)
    return [f"secret {person} {secret}" for person, secret in given.items()]


def drand_line(source: Drand, signature: str) -> str:
    """The line of a drand round; refused where a library is there and the signature is wrong."""
    if verifies() and not is_signed(source.round, signature):
        raise _Unfit(msg("the signature is not that of round %(round)s", round=source.round))
    digest = sha256(bytes.fromhex(signature)).hexdigest()
    return f"drand {source.chain} {source.round} {digest}"
