"""The board of a draw: places, blocks, who is kept apart, and the brackets fed by losers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from palmares.core.messages import msg
from palmares.tournaments.draw.announcement import (
    AnyDraw,
    Feed,
    GroupsDraw,
    KnockoutDraw,
    Late,
    Order,
)

POT = "pot"


def label(why: str) -> str:
    """Why players are kept apart, in words."""
    return msg("a pot") if why == POT else why


@dataclass(frozen=True, slots=True, kw_only=True)
class ApartSet:
    """Players of whom no two may stand in one block."""

    why: str  #: as announced; `POT` for a pot
    rounds: int
    members: tuple[str, ...]  #: in entry order; on a late board those of the layout first
    blocks: tuple[int, ...]  #: the block of each place
    starts: npt.NDArray[np.int64]  #: the first place of each block
    block_size: int  #: places of the largest block

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return len(self.starts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The places of a draw and the sets kept apart, before anything is drawn."""

    size: int  #: places
    numbers: tuple[int, ...]  #: of a knockout: the number on each line
    bands: tuple[int, ...]  #: the first number of each band that is shuffled
    layout: Mapping[int, str]  #: of late entries: who stands where
    closed: frozenset[int]  #: places that stay empty, whatever is drawn
    sets: tuple[ApartSet, ...]  #: in step order
    sets_of: Mapping[str, Sequence[int]]  #: by player: of which sets


def board_of(draw: AnyDraw) -> Board:
    """The board of an announcement whose rules hold."""
    size = _size(draw)
    numbers = line_numbers(size) if isinstance(draw, KnockoutDraw) else ()
    bands: tuple[int, ...] = ()
    layout: dict[int, str] = {}
    closed: set[int] = set()
    if isinstance(draw, KnockoutDraw) and draw.seeding == "bands":
        starts = (2**power + 1 for power in range(1, size.bit_length() - 1))  # 3, 5, 9, 17, ...
        bands = tuple(first for first in starts if first <= len(draw.seeds or ()))
    if isinstance(draw, Late):
        layout = {at: who for at, who in enumerate(draw.layout) if who not in "+-"}
        closed = {at for at, who in enumerate(draw.layout) if who == "-"}
    if size == len(draw.entries) + 1 and not isinstance(draw, KnockoutDraw | Late):
        closed = {size - 1}  # the bye of an odd number of pairs
    sets = _sets(draw, size)
    sets_of: dict[str, list[int]] = {}
    for at, apart in enumerate(sets):
        for member in apart.members:
            sets_of.setdefault(member, []).append(at)
    return Board(
        size=size,
        numbers=numbers,
        bands=bands,
        layout=layout,
        closed=frozenset(closed),
        sets=sets,
        sets_of=sets_of,
    )


def _size(draw: AnyDraw) -> int:
    many = len(draw.entries)
    if isinstance(draw, KnockoutDraw):
        return bracket_size(many)
    if isinstance(draw, Late):
        return len(draw.layout)
    return many if isinstance(draw, GroupsDraw | Order) else many + many % 2


def bracket_size(entrants: int) -> int:
    """The least power of two that holds the entrants."""
    return 1 << (entrants - 1).bit_length()


def line_numbers(size: int) -> tuple[int, ...]:
    """The numbers on the lines of a bracket, from the top; 8 lines: 1 8 5 4 3 6 7 2."""
    numbers = [1]
    while len(numbers) < size:
        total = 2 * len(numbers) + 1
        pairs = [
            (total - number, number) if at % 2 else (number, total - number)
            for at, number in enumerate(numbers)
        ]
        numbers = [number for pair in pairs for number in pair]
    return tuple(numbers)


def _sets(draw: AnyDraw, size: int) -> tuple[ApartSet, ...]:
    if isinstance(draw, Order):
        return ()
    order = {who: at for at, who in enumerate([*_layout_players(draw), *draw.entries])}
    by_rounds: dict[int, tuple[tuple[int, ...], npt.NDArray[np.int64]]] = {}

    def apart_set(who: Sequence[str], rounds: int, why: str) -> ApartSet:
        if rounds not in by_rounds:
            blocks = _blocks(draw, size, rounds)
            by_rounds[rounds] = blocks, np.unique(blocks, return_index=True)[1]
        blocks, starts = by_rounds[rounds]
        members = tuple(sorted(who, key=order.__getitem__))
        return ApartSet(
            why=why, rounds=rounds, members=members, blocks=blocks, starts=starts,
            block_size=blocks.count(0),
        )  # fmt: skip

    pots = (draw.pots or ()) if isinstance(draw, GroupsDraw) else ()
    parts = sorted(draw.apart or (), key=lambda part: (-part.rounds, -len(part.who)))
    return (
        *(apart_set(pot, 1, POT) for pot in pots),
        *(apart_set(part.who, part.rounds, part.why) for part in parts),
    )


def _layout_players(draw: AnyDraw) -> list[str]:
    return [who for who in draw.layout if who not in "+-"] if isinstance(draw, Late) else []


def _blocks(draw: AnyDraw, size: int, rounds: int) -> tuple[int, ...]:
    if isinstance(draw, GroupsDraw):
        return tuple(
            group
            for group, places in enumerate(group_sizes(size, draw.groups))
            for _ in range(places)
        )
    return tuple(place >> rounds for place in range(size))


def group_sizes(entrants: int, groups: int) -> list[int]:
    """The sizes of groups: the first ones have one more where it does not divide."""
    least, more = divmod(entrants, groups)
    return [least + (group < more) for group in range(groups)]


def group_starts(entrants: int, groups: int) -> list[int]:
    """The first place of each group."""
    sizes = group_sizes(entrants, groups)
    return [sum(sizes[:group]) for group in range(groups)]


def standing(draw: AnyDraw, board: Board, lines: Mapping[int, int]) -> dict[int, str]:
    """Who stands on which place before others are drawn: seeds, or the layout of a late draw.

    Args:
        draw: the announcement.
        board: its board.
        lines: of a knockout, the line of each number; seeds of other numbers are left out.
    """
    if isinstance(draw, GroupsDraw):
        return dict(
            zip(group_starts(len(draw.entries), draw.groups), draw.seeds or (), strict=False)
        )
    if isinstance(draw, KnockoutDraw):
        seeds = enumerate(draw.seeds or (), 1)
        return {lines[number]: who for number, who in seeds if number in lines}
    return dict(board.layout)


def highest_byes(draw: AnyDraw, board: Board, lines: Mapping[int, int]) -> list[int]:
    """The lines with the byes of the highest numbers, if a knockout gives them so."""
    if not isinstance(draw, KnockoutDraw) or draw.byes != "highest":
        return []
    numbers = range(1, board.size - len(draw.entries) + 1)
    return [lines[number] ^ 1 for number in numbers if number in lines]


# ── brackets fed by losers ────────────────────────────────────────────────────────────────────────


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
