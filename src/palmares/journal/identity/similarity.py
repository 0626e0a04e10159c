"""
Similarity of names, from 0 to 100.

Names are compared in lower case without accents, hyphens and points, in their own order of words
and in alphabetical order; the better counts. An initial may stand for a word.
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
    ordered: list[str]  # their words in alphabetical order
    initials: Array  # whether a word is one letter


def prepared_names(names: pl.Series) -> PreparedNames:
    """Prepare plain names for comparison."""
    texts = names.to_list()
    return PreparedNames(
        names=texts,
        ordered=[" ".join(sorted(text.split(" "))) for text in texts],
        initials=names.str.contains(r"(^| )\p{L}( |$)").to_numpy(),
    )


def scores(
    one: PreparedNames, other: PreparedNames, mine: Array, theirs: Array, needed: Array
) -> Array:
    """The similarity of pairs of names, in the better of both orders of words, rounded down.

    Args:
        one: names.
        other: names, or the same.
        mine: the number of a name in *one*, for each pair.
        theirs: the number of a name in *other*.
        needed: the lowest similarity that matters, for each pair.
    """
    if not len(mine):
        return np.zeros(0)
    here, there = mine.tolist(), theirs.tolist()
    ratios = (
        process.cpdist([left[at] for at in here], [right[at] for at in there], scorer=fuzz.ratio)
        for left, right in ((one.names, other.names), (one.ordered, other.ordered))
    )
    found: Array = np.floor(np.maximum(*ratios))
    initials = one.initials[mine] | other.initials[theirs]
    for at in np.flatnonzero(initials & (found < INITIALS) & (needed <= INITIALS)):
        pair = one.names[mine[at]].split(), other.names[theirs[at]].split()
        if _same_but_initials(*pair):
            found[at] = INITIALS
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
