"""
What stands at the head of a list: the events that are missing in it, and why it is empty.

    waiting_events  events that wait  ->  the same as pages show them
    reason          a ranking  ->  why nobody is on it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from palmares.awards import Waiting
from palmares.empty_lists import why_empty
from palmares.rankings import Ranking
from palmares.web.hall import Known


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingEvent:
    """An event that is not in a list: something is missing that its points are made of."""

    tournament_id: str
    tournament: str
    event_id: str
    event: str
    day: date  # from which it would count
    why: str  # what is missing, and what to do


def waiting_events(waiting: Sequence[Waiting]) -> tuple[WaitingEvent, ...]:
    """Waiting events as pages show them."""
    return tuple(
        WaitingEvent(
            tournament_id=one.tournament_id,
            tournament=one.tournament,
            event_id=one.event_id,
            event=one.event,
            day=one.first,
            why="; ".join(f"{each.what}. {each.remedy}" for each in one.problems),
        )
        for one in waiting
    )


def reason(known: Known, ranking: Ranking) -> str:
    """Why nobody is on a list; empty if somebody is."""
    if len(ranking.frame):
        return ""
    question = ranking.question
    found = known.evidence(question.regulation)
    why = why_empty(question, ranking.selection, found, ranking.waiting)
    return why.what
