"""From an announcement and revealed randomness to the draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any

from palmares.core.messages import msg
from palmares.tournaments.draw import rules, sources
from palmares.tournaments.draw.announcement import Announced, AnyDraw, Knockout, read
from palmares.tournaments.draw.attempts import Attempt, attempts
from palmares.tournaments.draw.feeds import Rounds, fed_brackets
from palmares.tournaments.draw.generator import Stream
from palmares.tournaments.draw.places import Board, board_of, bracket_size
from palmares.tournaments.draw.possible import fixed, impossible, too_large
from palmares.tournaments.draw.refusals import refusal
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
    """Whether a rehearsal finds a draw."""
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
    if not isinstance(content, Knockout):
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
