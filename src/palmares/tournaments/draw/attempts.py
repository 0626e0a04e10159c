"""Attempts at a draw: one after the other on one stream, until one keeps all sets apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from palmares.tournaments.draw.announcement import AnyDraw, KnockoutDraw, Late
from palmares.tournaments.draw.generator import Stream, bound, choice, choices
from palmares.tournaments.draw.places import ApartSet, Board, highest_byes, standing


@dataclass(frozen=True, slots=True, kw_only=True)
class BandShuffled:
    """Numbers of a band changed lines."""

    first: int  #: number of the band; the others follow
    places: tuple[int, ...]  #: the lines that carry them now


@dataclass(frozen=True, slots=True, kw_only=True)
class ByesGiven:
    """Byes stand on lines."""

    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsPlaced:
    """Seeds went to the lines of their numbers; in a late draw, the players of its layout."""

    places: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPlaced:
    """Places for members of a set, by one lot."""

    why: str
    members: tuple[str, ...]  #: those who had no place yet
    open_blocks: int  #: with a free place, and no member
    lot: int
    choices: int
    places: Mapping[int, str]  #: empty where the lot named no choice


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersPlaced:
    """All others took the free places, shuffled."""

    places: Mapping[int, str]


Step = BandShuffled | ByesGiven | SeedsPlaced | SetPlaced | OthersPlaced


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt, step by step."""

    steps: tuple[Step, ...]
    clash: str  #: why two who are kept apart would have met; empty if none would
    places: tuple[str | None, ...]  #: the draw: who stands where; empty if it failed


def attempts(draw: AnyDraw, board: Board, stream: Stream) -> Iterator[Attempt]:
    """Attempt after attempt; the first that succeeds is the draw."""
    while True:
        yield _Working(draw, board, stream).attempt()


class _Clash(Exception):
    """Two members of a set stand in one block, or a lot names no choice."""


class _Working:
    """The state of an attempt."""

    def __init__(self, draw: AnyDraw, board: Board, stream: Stream) -> None:
        self.draw, self.board, self.stream = draw, board, stream
        self.taken: dict[int, str] = {}
        self.steps: list[Step] = []
        self.free = np.ones(board.size, np.bool_)
        self.free[[*board.closed]] = False
        self.blocks: list[set[int]] = [set() for _ in board.sets]  # in which members stand
        self.sets_of = board.sets_of
        self.placed: set[str] = set()

    def attempt(self) -> Attempt:
        """Steps 1 to 5."""
        try:
            lines = self._lines()
            self._seeds(lines)
            for at, apart in enumerate(self.board.sets):
                self._place(at, apart)
        except _Clash as clash:
            return Attempt(steps=tuple(self.steps), clash=str(clash), places=())
        self._others()
        places = tuple(self.taken.get(place) for place in range(self.board.size))
        return Attempt(steps=tuple(self.steps), clash="", places=places)

    def _lines(self) -> dict[int, int]:
        """Steps 1 and 2: the line of each number, and byes."""
        if not isinstance(self.draw, KnockoutDraw):
            return {}
        lines = {number: place for place, number in enumerate(self.board.numbers)}
        original = self.board.numbers
        for first in self.board.bands:
            band = [lines[number] for number in range(first, 2 * first - 1)]
            self.stream.shuffle(band)
            lines.update(enumerate(band, first))
            self.steps.append(BandShuffled(first=first, places=tuple(band)))
        byes = self.board.size - len(self.draw.entries)
        if self.draw.byes == "highest":
            places = highest_byes(self.draw, self.board, lines)
        else:
            places = [
                max(2 * match, 2 * match + 1, key=original.__getitem__)
                for match in self._drawn_byes(0, self.board.size // 2, byes)
            ]
        if byes:
            self.free[places] = False
            self.steps.append(ByesGiven(places=tuple(sorted(places))))
        return lines

    def _drawn_byes(self, first: int, matches: int, byes: int) -> list[int]:
        """The first-round matches of a section that have a bye."""
        if matches == 1:
            return [first] * byes
        upper = byes // 2 + (1 - self.stream.below(2) if byes % 2 else 0)
        half = matches // 2
        return [
            *self._drawn_byes(first, half, upper),
            *self._drawn_byes(first + half, half, byes - upper),
        ]

    def _seeds(self, lines: Mapping[int, int]) -> None:
        """Step 3."""
        places = standing(self.draw, self.board, lines)
        if places:
            self.steps.append(SeedsPlaced(places=places))
        self._take(places)

    def _place(self, at: int, apart: ApartSet) -> None:
        """Step 4 for one set."""
        waiting = [member for member in apart.members if member not in self.placed]
        if not waiting:
            return
        in_block = np.add.reduceat(self.free, apart.starts, dtype=np.int64)
        in_block[[*self.blocks[at]]] = 0
        open_blocks = in_block.nonzero()[0]
        counts = in_block[open_blocks]
        blocks = apart.block_count - (len(apart.members) - len(waiting))
        most = bound(blocks, apart.block_size, int(self.free.sum()), len(waiting))
        total = choices(counts, len(waiting))
        lot = self.stream.below(most)
        places: dict[int, str] = {}
        members = list(waiting)
        if lot < total:
            chosen = choice(counts, len(waiting), lot)
            self.stream.shuffle(members)
            places = {
                self._free_place(apart, int(open_blocks[block]), number): member
                for (block, number), member in zip(chosen, members, strict=True)
            }
        self.steps.append(
            SetPlaced(
                why=apart.why, members=tuple(waiting), open_blocks=len(counts), lot=lot,
                choices=total, places=places,
            )
        )  # fmt: skip
        if not places:
            raise _Clash(apart.why)
        self._take(places)

    def _free_place(self, apart: ApartSet, block: int, number: int) -> int:
        """The place of a block that has a number among the free ones, from 0."""
        first = int(apart.starts[block])
        return first + int(self.free[first : first + apart.block_size].nonzero()[0][number])

    def _take(self, places: Mapping[int, str]) -> None:
        """Put players on places; refuse two members of a set in one block."""
        clash = ""
        for place, who in places.items():
            self.taken[place] = who
            self.free[place] = False
            self.placed.add(who)
            for at in self.sets_of.get(who, ()):
                block = self.board.sets[at].blocks[place]
                clash = clash or (self.board.sets[at].why if block in self.blocks[at] else "")
                self.blocks[at].add(block)
        if clash:
            raise _Clash(clash)

    def _others(self) -> None:
        """Step 5."""
        others: list[str | None] = [who for who in self.draw.entries if who not in self.placed]
        free = self.free.nonzero()[0].tolist()
        if isinstance(self.draw, Late):
            others += [None] * (len(free) - len(others))
        self.stream.shuffle(others)
        places = {place: who for place, who in zip(free, others, strict=True) if who is not None}
        self.taken |= places
        self.steps.append(OthersPlaced(places=places))


def members_twice_in_a_block(board: Board, places: Mapping[int, str]) -> ApartSet | None:
    """The first set of which two members stand in one block; none where all are apart."""
    where = {who: place for place, who in places.items()}
    for apart in board.sets:
        blocks = Counter(apart.blocks[where[who]] for who in apart.members if who in where)
        if any(many > 1 for many in blocks.values()):
            return apart
    return None
