"""A draw explained in words, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

from palmares.core.messages import LocalNumber, msg, plural
from palmares.tournaments.draw.announcement import Announced, Drand, Numbers, Secrets
from palmares.tournaments.draw.attempts import (
    BandShuffled,
    ByesGiven,
    OthersPlaced,
    SeedsPlaced,
    SetPlaced,
    Step,
)
from palmares.tournaments.draw.draw import Drawn
from palmares.tournaments.draw.places import label

MOST_FAILED = 20  # failed attempts that are listed
_LONGEST_LOT = 30  # digits


def explanation(drawn: Drawn) -> Iterator[str]:
    """The draw as sentences, in the order of the computation."""
    yield msg("The announcement has the hash %(hash)s.", hash=drawn.announced.sha256)
    yield from _sources(drawn)
    yield msg("The seed is %(seed)s.", seed=drawn.seed.seed)
    failed = drawn.attempts[:-1]
    for number, attempt in enumerate(failed[:MOST_FAILED], 1):
        yield msg(
            "Attempt %(number)s failed: two players of %(why)s would have met too early, or the"
            " lot named no choice.",
            number=number,
            why=label(attempt.clash),
        )
    if (more := len(failed) - MOST_FAILED) > 0:
        yield plural("One more attempt failed.", "%(many)s more attempts failed.", more)
    yield msg("Attempt %(number)s is the draw.", number=len(drawn.attempts))
    for step in drawn.attempts[-1].steps:
        yield _step(step)
    yield plural(
        "The draw read one byte of its stream.",
        "The draw read %(many)s bytes of its stream.",
        drawn.bytes_read,
    )


def choosers(announced: Announced) -> Iterator[str]:
    """Who can still choose among draws after the announcement."""
    sources = announced.content.randomness
    last = max(source.when for source in sources)
    for source in sources:
        if not isinstance(source, Secrets):
            continue
        if any(not isinstance(s, Secrets) and s.when > source.when for s in sources):
            yield msg("A later source decides too, so no one gains by keeping a secret back.")
        elif source.missing == "void":
            yield msg(
                "The last person to reveal knows the draw first, and can only force a new one,"
                " under their name."
            )
        else:
            yield msg(
                "The last person to reveal knows the draw first: each person who keeps a secret"
                " back doubles the number of draws to choose from."
            )
    if not any(isinstance(source, Secrets) for source in sources):
        yield msg("No one can choose: the randomness is published at %(when)s.", when=last)


def _sources(drawn: Drawn) -> Iterator[str]:
    lines = drawn.seed.text.splitlines()[2:]
    at = 0
    for number, source in enumerate(drawn.announced.content.randomness, 1):
        count = len(source.commitments) if isinstance(source, Secrets) else 1
        for line in lines[at : at + count]:
            yield msg("%(source)s: %(line)s", source=(_name(source),), line=line)
        if number in drawn.seed.unverified:
            yield msg("The signature of drand is unverified here: drand-verify is not installed.")
        at += count


def _name(source: Numbers | Secrets | Drand) -> str:
    if isinstance(source, Numbers):
        return source.source
    return msg("secrets") if isinstance(source, Secrets) else msg("drand")


def _step(step: Step) -> str:
    match step:
        case BandShuffled():
            return msg(
                "Numbers %(first)s to %(last)s are shuffled: they stand on lines %(lines)s.",
                first=step.first,
                last=2 * step.first - 2,
                lines=_lines(step.places),
            )
        case ByesGiven():
            return plural(
                "One bye, on line %(lines)s.",
                "%(many)s byes, on lines %(lines)s.",
                len(step.places),
                lines=_lines(step.places),
            )
        case SeedsPlaced():
            given = [f"{who} {place + 1}" for place, who in step.places.items()]
            return msg("Lines that are set: %(places)s.", places=", ".join(given))
        case SetPlaced():
            return _set(step)
        case OthersPlaced():
            return plural(
                "The other player takes the place that is left.",
                "The other %(many)s players are shuffled and take the places that are left.",
                len(step.places),
            )


def _set(step: SetPlaced) -> str:
    given = [f"{who} {place + 1}" for place, who in step.places.items()]
    return msg(
        "%(many)s of %(why)s, %(blocks)s open sections; lot %(lot)s of %(choices)s: %(places)s.",
        many=len(step.members),
        why=label(step.why),
        blocks=step.open_blocks,
        lot=_digits(step.lot + 1),
        choices=_digits(step.choices),
        places=", ".join(given),
    )


def _lines(places: tuple[int, ...]) -> str:
    return ", ".join(str(place + 1) for place in places)


def _digits(number: int) -> str:
    """A number in full; a very long one as a power of ten."""
    if number < 10**_LONGEST_LOT:
        return LocalNumber(f"{number:,}")
    return msg("about 10 to the power %(power)s", power=int(log10(number)))
