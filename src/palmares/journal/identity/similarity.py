"""
How alike names are.

Names are compared in small plain letters, without accents, hyphens and points, in their own order
of words and in alphabetical order; the better counts. An initial may stand for a word. Most pairs
have too few letters in common, in whatever order: so much is counted first, for many at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from palmares.facts.text import plain

INITIALS = 88
"""How alike names are that are the same but for initials: A. Novak, Ada Novak."""
RELATED = 70
"""How alike two names of one id must be where they share no word."""
KINDS = 32
"""Letters are counted in so many kinds, a to z each in one of its own."""

Array = np.ndarray[Any, Any]


def similarity(one: str, other: str) -> int:
    """How alike two names are, from 0 to 100."""
    names = prepared_names(plain(pl.Series([one, other])))
    first, second, needed = np.array([0]), np.array([1]), np.array([0])
    return int(scores(names, names, first, second, needed)[0])


def may_be_one_person(one: str, other: str) -> bool:
    """Whether two names may be one person's: they share a word, or are nearly the same."""
    mine, theirs = (set(name.split()) for name in plain(pl.Series([one, other])))
    return bool(mine & theirs) or similarity(one, other) >= RELATED


@dataclass(frozen=True, slots=True, eq=False)
class PreparedNames:
    """Plain names, and what is seen of each before it is compared; entry n is of name n."""

    names: list[str]
    lengths: Array  # in characters
    initials: Array  # whether a word of it is one letter
    letters: Array  # how many of each kind, a row a name


def prepared_names(names: pl.Series) -> PreparedNames:
    """What is seen of plain names before they are compared."""
    texts, lengths = names.to_list(), names.str.len_chars().to_numpy().astype(np.int64)
    kinds = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32) % KINDS
    places = np.repeat(np.arange(len(texts)) * KINDS, lengths) + kinds
    letters = np.bincount(places, minlength=len(texts) * KINDS).reshape(-1, KINDS)
    return PreparedNames(
        names=texts,
        lengths=lengths,
        initials=names.str.contains(r"(^| )\p{L}( |$)").to_numpy(),
        letters=letters.astype(np.uint16),
    )


def scores(
    one: PreparedNames, other: PreparedNames, mine: Array, theirs: Array, needed: Array
) -> Array:
    """How alike names are, pair by pair.

    Args:
        one: names.
        other: names, or the same.
        mine: the number of a name in *one*, for each pair.
        theirs: the number of a name in *other*.
        needed: from where on a pair matters; what is below may be told as 0.
    """
    found = np.zeros(len(mine))
    near = _may_reach(one, other, mine, theirs, needed)
    found[near] = _ratios(one, other, mine[near], theirs[near])
    initials = one.initials[mine] | other.initials[theirs]
    for at in np.flatnonzero(initials & (found < INITIALS) & (needed <= INITIALS)):
        pair = one.names[mine[at]].split(), other.names[theirs[at]].split()
        if _same_but_initials(*pair):
            found[at] = INITIALS
    return found


def _may_reach(
    one: PreparedNames, other: PreparedNames, mine: Array, theirs: Array, needed: Array
) -> Array:  # fmt: skip
    """The pairs with so many letters in common that they can be so alike.

    A ratio is twice the letters that stand in common order, by those of both names.
    """
    both = one.lengths[mine] + other.lengths[theirs]
    shorter = np.minimum(one.lengths[mine], other.lengths[theirs])
    near = np.flatnonzero(200 * shorter >= needed * both)
    common = np.minimum(one.letters[mine[near]], other.letters[theirs[near]]).sum(axis=1)
    found: Array = near[200 * common.astype(np.int64) >= (needed * both)[near]]
    return found


def _ratios(one: PreparedNames, other: PreparedNames, mine: Array, theirs: Array) -> Array:
    """The better of both orders of words, in whole numbers."""
    if not len(mine):
        return np.zeros(0)
    written = [one.names[at] for at in mine], [other.names[at] for at in theirs]
    ordered = [[" ".join(sorted(name.split(" "))) for name in names] for names in written]
    ratios = (process.cpdist(*names, scorer=fuzz.ratio) for names in (written, ordered))
    found: Array = np.floor(np.maximum(*ratios))
    return found


def _same_but_initials(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two names differ in initials that stand for words, and share a word in full.

    One initial may stand for several first names: J. Roy for Jean-Luc Roy.
    """
    words, others = Counter(one), Counter(other)
    shared = Counter({word: n for word, n in (words & others).items() if len(word) > 1})
    fewer, more = sorted(
        (sorted((words - shared).elements()), sorted((others - shared).elements())), key=len
    )
    if not shared or not fewer:
        return False
    abbreviated = all(len(word) == 1 for word in fewer)
    for word in fewer:
        stands_for = (each for each in more if each[0] == word[0] and 1 in (len(word), len(each)))
        found = next(stands_for, None)
        if found is None:
            return False
        more.remove(found)
    return abbreviated or not more
