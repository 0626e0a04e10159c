"""The ranked list of a day the slow, obvious way: what every other way must come to."""

from __future__ import annotations

from palmares.points.awards import Awards
from palmares.points.rankings import Ranking, Selection, award_worths, rank_totals, refuse_nonsense


def rank(
    awards: Awards, selection: Selection, *, by: str = "player", top: int | None = None
) -> Ranking:
    """Each award that counts with its exact worth, grouped and sorted as tables."""
    refuse_nonsense(awards.question, selection, by)
    return rank_totals(
        awards.question,
        selection,
        award_worths(awards.question, awards.frame, selection),
        by=by,
        top=top,
        notices=awards.notices,
        waiting=awards.waiting,
    )
