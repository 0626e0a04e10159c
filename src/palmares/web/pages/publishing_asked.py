"""
What an officer asks of a list that is published: the same as the command line does.

    action      what was typed  ->  the action that publishes the list
    KINDS       the kinds of points that stand beside others under the same regulation
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from palmares import publication
from palmares.awards import Question
from palmares.journal.recording import Action, Desk
from palmares.rankings import TOTAL, Selection
from palmares.regulations import regulations
from palmares.web.pages import days

KINDS = tuple(
    dict.fromkeys(
        kind for one in regulations().values() if len(one.kinds) > 1 for kind in one.kinds
    )
)


def action(typed: Mapping[str, str]) -> Action:
    """The action that publishes the list.

    Raises:
        Refused: a day is none of a list.
    """
    question = Question(regulation=typed["regulation"])
    chosen = Selection(
        as_of=days.chosen(typed["day"]),
        since=_day(typed["since"]),
        until=_day(typed["until"]),
        setting=typed["setting"] or None,
        kind=typed["kind"] or TOTAL,
        nation=typed["nation"].upper() or None,
    )
    by = typed["by"] or "player"

    def act(desk: Desk) -> None:
        known = desk.projection
        given = publication.made(
            question, known.facts, chosen,
            by=by, known=known.state.head, note=typed["note"] or None,
        )  # fmt: skip
        publication.publishing(given.publication)(desk)

    return act


def _day(text: str) -> date | None:
    return days.chosen(text) if text else None
