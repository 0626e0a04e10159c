"""
Lists as they are and as they would be, for whoever looks before anything is recorded.

    both    what a regulation makes of a growth  ->  the two lists of any day
    Both    a selection  ->  who has which rank before, and after
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from palmares import awarded as keeping
from palmares import awarded_lists
from palmares.awarded_lists import PLACES
from palmares.journal.projection import Growth
from palmares.previews import Effect
from palmares.rankings import Selection
from palmares.web.hall import Known

Both = Callable[[Selection], tuple[pl.DataFrame, pl.DataFrame]]
"""Each with the columns of `palmares.awarded_lists.PLACES`."""


def both(effect: Effect, growth: Growth, before: Known) -> Both:
    """The lists of a regulation before and after the facts have grown; awards are made once.

    Raises:
        FactsRejected: something is missing that a formula needs.
    """
    name = effect.question.regulation
    after = _after(effect, growth, before)
    return lambda selection: (
        before.ranking(name, selection).frame.select(PLACES),
        after(selection),
    )


def _after(
    effect: Effect, growth: Growth, before: Known
) -> Callable[[Selection], pl.DataFrame]:  # fmt: skip
    name = effect.question.regulation
    if keeping.can_keep(effect.question):
        grown = keeping.grown(before.awarded(name), growth, effect.given)
        return lambda selection: awarded_lists.places(grown, selection)
    then = Known(growth.after)
    return lambda selection: then.ranking(name, selection).frame.select(PLACES)
