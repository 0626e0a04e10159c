"""Choosing places for players kept apart: how many choices there are, and which one a lot names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import comb


def choices(free: Sequence[int], picked: int) -> int:
    """How many ways there are to pick blocks and one free place in each: e_g(f)."""
    return _coefficients(tuple(sorted(Counter(free).items())), picked)[picked]


@lru_cache(maxsize=64)  # attempts begin alike
def _coefficients(blocks: tuple[tuple[int, int], ...], picked: int) -> list[int]:
    """e_0 to e_g of free places, given as (free places, blocks that have as many)."""
    product = [1] + [0] * picked
    for places, many in blocks:
        terms = [comb(many, take) * places**take for take in range(min(many, picked) + 1)]
        product = [
            sum(terms[take] * product[total - take] for take in range(min(total, many) + 1))
            for total in range(picked + 1)
        ]
    return product


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


def choice(free: Sequence[int], picked: int, lot: int) -> list[tuple[int, int]]:
    """The choice that a lot names: the blocks picked, and which of the free places in each.

    Args:
        free: free places of the open blocks, in order; none is 0.
        picked: how many blocks.
        lot: below `choices`.
    """
    after = list(_coefficients(tuple(sorted(Counter(free).items())), picked))
    chosen: list[tuple[int, int]] = []
    left = picked
    for block, places in enumerate(free):
        if not left:
            break
        for degree in range(1, left + 1):  # divide (1 + f x) out: of the blocks after this one
            after[degree] -= places * after[degree - 1]
        if lot < after[left]:
            continue
        place, lot = divmod(lot - after[left], after[left - 1])
        chosen.append((block, place))
        left -= 1
    return chosen
