"""Consolation and Last Chance: brackets fed by the losers of stated rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from palmares.core.messages import msg
from palmares.tournaments.draw.announcement import Feed

MAIN = "main"

Match = tuple[str, str]
"""Who meets: ``L:main:1:3``, the loser of a match, or ``W:2:1``, a winner of this bracket."""
Rounds = tuple[tuple[Match, ...], ...]


def wrong_feeds(lines: int, feeds: Sequence[Feed]) -> Iterator[str]:
    """Why the feeds of a bracket with so many lines cannot be; the first reason counts."""
    sizes = {MAIN: _main_sizes(lines)}
    for feed in feeds:
        if feed.name in sizes:
            yield msg("two brackets have the name %(name)s", name=feed.name)
        if feed.of not in sizes:
            yield msg(
                "%(name)s is fed by %(of)s, which is not main and no earlier feed",
                name=feed.name,
                of=feed.of,
            )
        if any(later <= earlier for earlier, later in pairwise(feed.rounds)):
            yield msg("the rounds of %(name)s are not ascending", name=feed.name)
        if any(number > len(sizes[feed.of]) for number in feed.rounds):
            yield msg("%(of)s has no such round as %(name)s is fed by",
                       of=feed.of, name=feed.name)  # fmt: skip
        if sum(sizes[feed.of][number - 1] for number in feed.rounds) < 2:  # noqa: PLR2004  losers
            yield msg("%(name)s is fed by fewer than two losers", name=feed.name)
        sizes[feed.name] = [len(matches) for matches in _fed(feed, sizes[feed.of])]


def fed_brackets(lines: int, feeds: Sequence[Feed]) -> dict[str, Rounds]:
    """The rounds of each feed of a bracket with so many lines, by its name."""
    sizes = {MAIN: _main_sizes(lines)}
    fed: dict[str, Rounds] = {}
    for feed in feeds:
        fed[feed.name] = _fed(feed, sizes[feed.of])
        sizes[feed.name] = [len(matches) for matches in fed[feed.name]]
    return fed


def _main_sizes(lines: int) -> list[int]:
    """How many matches each round of the main has."""
    return [lines >> number for number in range(1, lines.bit_length())]


def _fed(feed: Feed, sizes: Sequence[int]) -> Rounds:
    """The rounds of a feed.

    Args:
        feed: which rounds feed it.
        sizes: how many matches each round of the feeding bracket has.
    """
    rounds: list[tuple[Match, ...]] = []

    def losers(number: int) -> list[str]:
        return [f"L:{feed.of}:{number}:{at}" for at in range(1, sizes[number - 1] + 1)]

    def play(matches: Sequence[Match]) -> list[str]:
        rounds.append(tuple(matches))
        return [f"W:{len(rounds)}:{at}" for at in range(1, len(matches) + 1)]

    def neighbours(slots: Sequence[str]) -> list[str]:
        return play(list(zip(slots[::2], slots[1::2], strict=True)))

    slots = losers(feed.rounds[0])
    for at, number in enumerate(feed.rounds[1:], 1):
        fallen = losers(number)
        while len(slots) > len(fallen):
            slots = neighbours(slots)
        turn = _reversed_digits(at, len(fallen).bit_length() - 1)
        slots = play([(slot, fallen[place ^ turn]) for place, slot in enumerate(slots)])
    while len(slots) > 1:
        slots = neighbours(slots)
    return tuple(rounds)


def _reversed_digits(number: int, width: int) -> int:
    """The last binary digits of a number, in reverse order."""
    return sum(((number >> digit) & 1) << (width - 1 - digit) for digit in range(width))
