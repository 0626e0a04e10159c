"""From an announcement and revealed randomness to the draw, and the draw explained in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from math import log10
from typing import Any

from palmares.core.messages import LocalNumber, msg, plural
from palmares.tournaments.draw import rules, sources
from palmares.tournaments.draw.announcement import (
    Announced,
    AnyDraw,
    Drand,
    KnockoutDraw,
    Numbers,
    Secrets,
    read,
    refusal,
    time_in_words,
)
from palmares.tournaments.draw.attempts import (
    Attempt,
    BandShuffled,
    ByesGiven,
    OthersPlaced,
    SeedsPlaced,
    SetPlaced,
    Step,
    attempts,
)
from palmares.tournaments.draw.generator import Stream
from palmares.tournaments.draw.places import (
    Board,
    Rounds,
    board_of,
    bracket_size,
    fed_brackets,
    label,
)
from palmares.tournaments.draw.rules import fixed, impossible, too_large
from palmares.tournaments.draw.sources import TAG, Seed, seed_of

REHEARSALS = 16
MOST_REHEARSED = 4_096
MOST_ATTEMPTS = 65_536
_FEW = 8  # attempts of a rehearsal, before anything is proved about it


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A draw, with everything that led to it."""

    announced: Announced
    seed: Seed
    board: Board
    attempts: tuple[Attempt, ...]  #: the last one succeeded
    bytes_read: int
    feeds: Mapping[str, Rounds]

    @property
    def places(self) -> tuple[str | None, ...]:
        """Who stands on each place; None is a bye."""
        return self.attempts[-1].places


def check(announced: Announced, recorded_at: str) -> Board:
    """The board of an announcement that may be recorded: rules hold, and a draw can be made.

    Args:
        announced: the announcement.
        recorded_at: when it is recorded, such as ``2026-11-20T18:00:00Z``.

    Raises:
        DrawRefused: the first rule that is broken, ``impossible`` or ``too_tight``.
        ValueError: *recorded_at* is no time.
    """
    rules.check(announced, recorded_at)
    board = board_of(announced.content)
    if why := too_large(board):
        raise refusal("impossible", why, announced.file)
    fixed_players = {*fixed(announced.content, board)[0].values()}
    must_place = any(
        member not in fixed_players for apart in board.sets for member in apart.members
    )
    is_doubtful = board.sets and not (must_place and _rehearse(announced, board, 1, _FEW))
    if is_doubtful and (why := impossible(announced.content, board)):
        raise refusal("impossible", why, announced.file)
    for number in range(1, REHEARSALS + 1) if must_place else ():
        if not _rehearse(announced, board, number, MOST_REHEARSED):
            raise refusal(
                "too_tight",
                msg(
                    "rehearsal %(number)s found no draw in 4,096 attempts: it may be"
                    " impossible to keep so many apart",
                    number=number,
                ),
                announced.file,
            )
    return board


def check_now(announced: Announced, now: Callable[[], str]) -> None:
    """Refuse an announcement that may not be recorded now; rehearsals may have taken a while.

    Raises:
        DrawRefused: the first rule that is broken.
    """
    check(announced, now())
    sources.check(announced, now())


def _rehearse(announced: Announced, board: Board, number: int, most: int) -> bool:
    text = f"{TAG}\n{announced.sha256}\nrehearsal {number}\n"
    stream = Stream(sha256(text.encode()).hexdigest())
    tries = attempts(announced.content, board, stream)
    return any(attempt.places for attempt in islice(tries, most))


def draw(announced: Announced, board: Board, seed: Seed) -> Drawn:
    """The draw that follows from a seed.

    Raises:
        DrawRefused: ``too_tight``: no attempt of 65,536 succeeded.
    """
    stream = Stream(seed.seed)
    tries: list[Attempt] = []
    for attempt in islice(attempts(announced.content, board, stream), MOST_ATTEMPTS):
        tries.append(attempt)
        if attempt.places:
            return Drawn(
                announced=announced,
                seed=seed,
                board=board,
                attempts=tuple(tries),
                bytes_read=stream.bytes_read,
                feeds=_feeds(announced.content),
            )
    raise refusal("too_tight", msg("no attempt of 65,536 found a draw"), announced.file)


def _feeds(content: AnyDraw) -> dict[str, Rounds]:
    if not isinstance(content, KnockoutDraw):
        return {}
    return fed_brackets(bracket_size(len(content.entries)), content.feeds or [])


def run(
    content: bytes, recorded_at: str, reveals: Sequence[Any], file: str = "announcement"
) -> Drawn:
    """A draw from its file to its places.

    Args:
        content: the bytes of the announcement.
        recorded_at: when it was recorded.
        reveals: what each source revealed.
        file: as the user named it.

    Raises:
        DrawRefused: the first rule that is broken.
        ValueError: *recorded_at* is no time.
    """
    announced = read(content, file)
    board = check(announced, recorded_at)
    return draw(announced, board, seed_of(announced, reveals))


def result(drawn: Drawn) -> dict[str, Any]:
    """The result as the vectors write it."""
    result: dict[str, Any] = {
        "announcement": drawn.announced.sha256,
        "seed": drawn.seed.seed,
        "places": list(drawn.places),
        "attempts": len(drawn.attempts),
        "bytes": drawn.bytes_read,
    }
    if drawn.feeds:
        result["feeds"] = {
            name: [[list(match) for match in matches] for matches in rounds]
            for name, rounds in drawn.feeds.items()
        }
    return result


# ── in words ──────────────────────────────────────────────────────────────────────────────────────


MOST_FAILED = 20  # failed attempts that are listed
_LONGEST_LOT = 30  # digits


def explanation(drawn: Drawn, names: Mapping[str, str]) -> Iterator[str]:
    """The draw as sentences, in the order of the computation; an entrant without a name by id."""
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
        yield _step(step, names)
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
        yield msg(
            "No one can choose: the randomness is published at %(when)s.", when=time_in_words(last)
        )


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


def _step(step: Step, names: Mapping[str, str]) -> str:
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
            return msg("Places that are set: %(places)s.", places=_given(step.places, names))
        case SetPlaced():
            return msg(
                "%(many)s of %(why)s, %(blocks)s open sections; lot %(lot)s of %(choices)s:"
                " %(places)s.",
                many=len(step.members),
                why=label(step.why),
                blocks=step.open_blocks,
                lot=_digits(step.lot + 1),
                choices=_digits(step.choices),
                places=_given(step.places, names),
            )
        case OthersPlaced():
            return plural(
                "The other player takes the place that is left.",
                "The other %(many)s players are shuffled and take the places that are left.",
                len(step.places),
            )


def _given(places: Mapping[int, str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        msg("%(player)s (place %(place)s)", player=names.get(who, who), place=place + 1)
        for place, who in places.items()
    )


def _lines(places: tuple[int, ...]) -> str:
    return ", ".join(str(place + 1) for place in places)


def _digits(number: int) -> str:
    """A number in full, or a very long one as a power of ten."""
    if number < 10**_LONGEST_LOT:
        return LocalNumber(f"{number:,}")
    return msg("about 10 to the power %(power)s", power=int(log10(number)))
