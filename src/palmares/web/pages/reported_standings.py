"""
What a report of bridge teams gives: the list of each of its events, before anybody records it.

    reported_standings      the facts of a report  ->  a list for each event with matches of teams
    ReportedStandings       one of them
"""

from __future__ import annotations

from dataclasses import dataclass

from palmares.errors import Refused
from palmares.facts import Facts
from palmares.standings import ranked
from palmares.team_results import desk
from palmares.tiebreaks import TIE_BREAKS
from palmares.web.pages.bridge_event import TeamRow, team_row


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedStandings:
    """The list of an event by the continuous scale; its page will have the others."""

    event: str
    carried: bool  # some team carried VPs forward
    adjusted: bool  # some team has an adjustment
    teams: tuple[TeamRow, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str = ""  # why there is none


def reported_standings(facts: Facts) -> tuple[ReportedStandings, ...]:
    """A list for each event with matches of teams, in the order of the report."""
    ids = facts["team_matches"]["event_id"].unique(maintain_order=True).to_list()
    names = dict(facts["events"].select("event_id", "name").iter_rows())
    return tuple(_list(facts, one, names[one]) for one in ids)


def _list(facts: Facts, event_id: str, name: str) -> ReportedStandings:
    try:
        made = ranked(desk(facts, event_id), tuple(TIE_BREAKS))
    except Refused as refused:
        return ReportedStandings(event=name, carried=False, adjusted=False, refused=str(refused))
    return ReportedStandings(
        event=name,
        carried=any(one.carried for one in made.teams),
        adjusted=any(one.adjustments for one in made.teams),
        teams=tuple(team_row(one, made.ties) for one in made.teams),
        notes=made.notes,
    )
