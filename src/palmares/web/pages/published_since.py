"""
Whether a published list is still the list of its day, by all that was recorded since.

    since   a published list  ->  ListStep, from it to the same list as it is known now
"""

from __future__ import annotations

from contextlib import suppress

from palmares.errors import FactsRejected, NotCovered, Refused
from palmares.publication import Publication
from palmares.web.hall import Known
from palmares.web.pages.list_steps import ListStep, step


def since(known: Known, entry: int, given: Publication) -> ListStep | None:
    """How the list of that day came to be another one; counted once for each head.

    Returns:
        None where it cannot be said: an edition or reading was chosen for it, or the list cannot be
        made of what is known now.
    """
    if given.edition is not None or given.readings.chosen:
        return None
    return known.once(("since published", entry), lambda: _since(known, given))


def _since(known: Known, given: Publication) -> ListStep | None:
    with suppress(FactsRejected, NotCovered, Refused):
        listed = known.nations if given.selection.by == "nation" else known.ranking
        now = listed(given.regulation, given.selection.selection())
        return step(given.frame(), now.frame)
    return None
