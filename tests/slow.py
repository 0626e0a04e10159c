"""The ranked list of a day the slow, obvious way: what every other way must come to."""

from __future__ import annotations

from palmares.points.awards import Awards
from palmares.points.rankings import Ranking, Selection, listed, refuse_nonsense, worth


def rank(
    awards: Awards, selection: Selection, *, by: str = "player", top: int | None = None
) -> Ranking:
    """Each award that counts with its exact worth, grouped and sorted as tables."""
    refuse_nonsense(awards.question, selection, by)
    return listed(
        awards.question,
        selection,
        worth(awards.question, awards.frame, selection),
        by=by,
        top=top,
        notices=awards.notices,
        waiting=awards.waiting,
    )
