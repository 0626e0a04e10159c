"""
Similarity of names, from 0 to 100.

Names are compared in lower case without accents, hyphens and points, in their own order of words
and in alphabetical order; the better counts. An initial may stand for a word. Pairs that share too
few letters are sorted out first, many at a time.
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
"""The similarity of names that differ only in initials: A. Novak, Ada Novak."""
RELATED = 70
"""The lowest similarity of two names of one id that share no word."""
KINDS = 32
"""Letters are counted in so many classes, a to z each in its own."""

Array = np.ndarray[Any, Any]


def similarity(first: str, second: str) -> int:
    """The similarity of two names."""
    names = prepared_names(plain(pl.Series([first, second])))
    return int(scores(names, names, np.array([0]), np.array([1]), np.array([0]))[0])


def may_be_one_person(first: str, second: str) -> bool:
    """Whether two names share a word, or are similar."""
    words, others = (set(name.split()) for name in plain(pl.Series([first, second])))
    return bool(words & others) or similarity(first, second) >= RELATED


@dataclass(frozen=True, slots=True, eq=False)
class PreparedNames:
    """Plain names, and what is needed to compare them; item n belongs to name n."""

    names: list[str]
    lengths: Array  # in characters
    initials: Array  # whether a word is one letter
    letters: Array  # how many of each class, a row for each name


def prepared_names(names: pl.Series) -> PreparedNames:
    """Prepare plain names for comparison."""
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
    """The similarity of pairs of names.

    Args:
        one: names.
        other: names, or the same.
        mine: the number of a name in *one*, for each pair.
        theirs: the number of a name in *other*.
        needed: the lowest similarity that matters, for each pair; 0 may stand for less.
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
    """The pairs that share enough letters to reach the similarity that is needed.

    A similarity is at most twice the shared letters, divided by the letters of both names.
    """
    both = one.lengths[mine] + other.lengths[theirs]
    shorter = np.minimum(one.lengths[mine], other.lengths[theirs])
    near = np.flatnonzero(200 * shorter >= needed * both)
    common = np.minimum(one.letters[mine[near]], other.letters[theirs[near]]).sum(axis=1)
    found: Array = near[200 * common.astype(np.int64) >= (needed * both)[near]]
    return found


def _ratios(one: PreparedNames, other: PreparedNames, mine: Array, theirs: Array) -> Array:
    """The similarity in the better of both orders of words, rounded down."""
    if not len(mine):
        return np.zeros(0)
    written = [one.names[at] for at in mine], [other.names[at] for at in theirs]
    ordered = [[" ".join(sorted(name.split(" "))) for name in names] for names in written]
    ratios = (process.cpdist(*names, scorer=fuzz.ratio) for names in (written, ordered))
    found: Array = np.floor(np.maximum(*ratios))
    return found


def _same_but_initials(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two names share a word and differ only in initials that stand for words.

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
