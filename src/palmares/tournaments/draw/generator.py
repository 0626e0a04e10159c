"""From a seed to numbers, orders and places for players kept apart, all equally likely."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from functools import lru_cache
from hashlib import sha256
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt


class Stream:
    """The bytes that follow from a seed, read once each."""

    def __init__(self, seed: str) -> None:
        """Begin.

        Args:
            seed: 64 lower-case hex digits.
        """
        self.seed = seed
        self.bytes_read = 0
        self._buffer = b""
        self._start = 0  # of what is unread, in the buffer
        self._blocks = 0

    def _read(self, count: int) -> int:
        while len(self._buffer) - self._start < count:
            block = sha256(f"{self.seed}:draw:{self._blocks}".encode()).digest()
            self._buffer = self._buffer[self._start :] + block
            self._start = 0
            self._blocks += 1
        end = self._start + count
        number = int.from_bytes(self._buffer[self._start : end], "big")
        self._start = end
        self.bytes_read += count
        return number

    def below(self, limit: int) -> int:
        """A number from 0 to one less than the limit, each equally likely.

        Args:
            limit: 1 or more, of any length; nothing is read where it is 1.
        """
        bits = (limit - 1).bit_length()
        if not bits:
            return 0
        mask = (1 << bits) - 1
        while True:
            number = self._read((bits + 7) // 8) & mask
            if number < limit:
                return number

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put a list into a random order (Fisher-Yates)."""
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]


# ── places for players kept apart ─────────────────────────────────────────────────────────────────


def choices(free: Sequence[int] | npt.NDArray[np.int64], picked: int) -> int:
    """How many ways there are to pick blocks and one free place in each: e_g(f)."""
    return _coefficients(_block_counts(free), picked)[picked]


def _block_counts(free: Sequence[int] | npt.NDArray[np.int64]) -> dict[int, int]:
    return {places: many for places, many in enumerate(np.bincount(free).tolist()) if many}


@lru_cache(maxsize=1024)
def _products(sizes: tuple[int, ...]) -> tuple[list[int], list[list[int]]]:
    """Q, the product of all (1 + f x), and f Q / (1 + f x) for each f."""

    def product(factors: tuple[int, ...]) -> list[int]:
        terms = [1]
        for places in factors:
            terms = [
                before * places + here
                for before, here in zip([0, *terms], [*terms, 0], strict=True)
            ]
        return terms

    parts = [
        [places * term for term in product(sizes[:at] + sizes[at + 1 :])]
        for at, places in enumerate(sizes)
    ]
    return product(sizes), parts


def _coefficients(blocks: Mapping[int, int], picked: int) -> list[int]:
    """e_0 to e_g of free places, given as free places: blocks that have as many.

    They are the coefficients of P = product of (1 + f x)^m. As P' Q = P R, with R = Q sum of
    m f / (1 + f x), each follows from a few before it.
    """
    shared, parts = _products(tuple(blocks))
    weights = [
        sum(many * term for many, term in zip(blocks.values(), terms, strict=True))
        for terms in zip(*parts, strict=True)
    ]
    terms = list(zip(weights, shared[1:], strict=True))
    coefficients = [1]
    for degree in range(picked):
        total = 0
        for back, (weight, common) in enumerate(terms[: degree + 1]):
            total += (weight - common * (degree - back)) * coefficients[degree - back]
        coefficients.append(total // (degree + 1))
    return coefficients


@lru_cache(maxsize=1024)
def bound(blocks: int, block_size: int, free: int, picked: int) -> int:
    """The most choices that any layout with as many free places could leave.

    Args:
        blocks: without those in which a member stands.
        block_size: places of the largest block.
        free: free places on the board.
        picked: members to be placed.
    """
    places = min(free, blocks * block_size)
    least, more = divmod(places, blocks)
    return sum(
        comb(more, take)
        * comb(blocks - more, picked - take)
        * (least + 1) ** take
        * least ** (picked - take)
        for take in range(min(more, picked) + 1)
    )


def choice(
    free: Sequence[int] | npt.NDArray[np.int64], picked: int, lot: int
) -> list[tuple[int, int]]:
    """The choice that a lot names: the blocks picked, and which of the free places in each.

    Args:
        free: free places of the open blocks, in order; none is 0.
        picked: how many blocks.
        lot: below `choices`.
    """
    chosen: list[tuple[int, int]] = []
    blocks, total, without = _choices_of(free, picked)
    left = picked
    for at, places in enumerate(np.asarray(free).tolist()):
        passing = without[places]
        fewer = _one_fewer(blocks, without, places, left)
        if lot < passing:
            total = passing
            without = {other: without[other] - places * fewer[other] for other in fewer}
            continue
        total, without = (total - passing) // places, fewer
        place, lot = divmod(lot - passing, total)
        chosen.append((at, place))
        left -= 1
        if not left:
            break
    return chosen


def _choices_of(
    free: Sequence[int] | npt.NDArray[np.int64], picked: int
) -> tuple[dict[int, int], int, dict[int, int]]:
    """Blocks by size, the number of choices, and the number without one block of each size."""
    blocks = _block_counts(free)
    coefficients = _coefficients(blocks, picked)
    without = {}
    for places in blocks:
        value = 0
        for coefficient in coefficients:
            value = coefficient - places * value
        without[places] = value
    return blocks, coefficients[-1], without


def _one_fewer(
    blocks: dict[int, int], without: Mapping[int, int], places: int, picked: int
) -> dict[int, int]:
    """Take a block away: for each size, one pick fewer without that block and one of the size.

    With P = product of (1 + f x)^m, T_f = P / (1 + f x) and T_fh = T_f / (1 + h x), this is T_fh:
    T_f - T_h = (h - f) x T_fh, and for h = f it follows from x T_f' = x sum of m h T_fh.
    """
    passing = without[places]
    blocks[places] -= 1
    fewer = {
        other: (passing - value) // (other - places)
        for other, value in without.items()
        if other != places
    }
    if blocks[places]:
        rest = picked * passing
        for other, value in fewer.items():
            rest -= blocks[other] * other * value
        fewer[places] = rest // (blocks[places] * places)
    return fewer
