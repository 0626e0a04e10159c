"""Choosing places for players kept apart: how many choices there are, and which one a lot names."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb

_FAR = 4
"""Blocks are passed one by one, up to so many for each number of free places."""


def choices(free: Sequence[int], picked: int) -> int:
    """How many ways there are to pick blocks and one free place in each: e_g(f)."""
    return _coefficients(Counter(free), picked)[picked]


def _coefficients(blocks: Mapping[int, int], picked: int) -> list[int]:
    """e_0 to e_g of free places, given as free places: blocks that have as many.

    They are the coefficients of P = product of (1 + f x)^m. As P' Q = P R, with Q the product of
    all (1 + f x) and R = Q sum of m f / (1 + f x), each follows from a few before it.
    """
    shared, weighted = [1], [0]  # Q and R
    for places, many in blocks.items():
        weighted = [
            before * places + here + many * places * common
            for before, here, common in zip(
                [0, *weighted], [*weighted, 0], [*shared, 0], strict=True
            )
        ]
        shared = [
            before * places + here for before, here in zip([0, *shared], [*shared, 0], strict=True)
        ]
    terms = list(zip(weighted[:-1], shared[1:], strict=True))
    found = [1]
    for degree in range(picked):
        total = 0
        for back, (weight, common) in enumerate(terms[: degree + 1]):
            total += (weight - common * (degree - back)) * found[degree - back]
        found.append(total // (degree + 1))
    return found


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


def _without(places: int, product: Sequence[int]) -> list[int]:
    """The coefficients without one block: (1 + f x) divided out."""
    quotient, before = [], 0
    for coefficient in product:
        before = coefficient - places * before
        quotient.append(before)
    return quotient


def choice(free: Sequence[int], picked: int, lot: int) -> list[tuple[int, int]]:
    """The choice that a lot names: the blocks picked, and which of the free places in each.

    Args:
        free: free places of the open blocks, in order; none is 0.
        picked: how many blocks.
        lot: below `choices`.
    """
    where: dict[int, list[int]] = {}
    for block, places in enumerate(free):
        where.setdefault(places, []).append(block)
    sums = list(accumulate(free, initial=0))
    after = _coefficients({places: len(own) for places, own in where.items()}, picked)
    chosen: list[tuple[int, int]] = []
    at = 0  # `after` is of the blocks from here on
    for left in range(picked, 0, -1):
        # the share of choices that pass so many places is about (those left / all) ^ picked
        passed = (sums[-1] - sums[at]) * (1 - (lot / after[left]) ** (1 / left))
        guess = min(max(bisect_left(sums, sums[at] + passed), at + 1), len(free))
        if guess - at > _FAR * len(where):
            at = guess
            counts = {places: len(own) - bisect_left(own, at) for places, own in where.items()}
            after = _coefficients(counts, left)
        del after[left + 1 :]
        while after[left] > lot:  # pass one more: divide (1 + f x) out
            after = _without(free[at], after)
            at += 1
        while after[left] + free[at - 1] * after[left - 1] <= lot:  # one was passed too many
            at -= 1
            after = [
                here + free[at] * before
                for before, here in zip([0, *after[:-1]], after, strict=True)
            ]
        place, lot = divmod(lot - after[left], after[left - 1])
        chosen.append((at - 1, place))
    return chosen
