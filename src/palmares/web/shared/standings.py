"""Teams in their order, as the page of an event shows them and the preview of a report."""

from __future__ import annotations

from dataclasses import dataclass

from palmares.bridge.results import load_team_event
from palmares.bridge.standings import (
    TIE_BREAKS,
    Standings,
    TeamStanding,
    rank_teams,
    shown_imps,
    vp_text,
)
from palmares.core.errors import Refused
from palmares.facts import Facts
from palmares.web.shared.names import extended


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRow:
    """A team in the list. VPs are texts: "12.03"."""

    rank: int | None  # none: it withdrew
    team: str
    name: str
    points: str
    match_points: str
    carried: str
    adjustments: str
    played: int
    won: int
    drawn: int
    lost: int
    imps_for: str
    imps_against: str
    tie_break: str  # what parted it from teams with as many VPs


def team_row(result: TeamStanding) -> TeamRow:
    """A team in the list."""
    return TeamRow(
        rank=result.rank,
        team=result.team,
        name=result.name,
        points=vp_text(result.points),
        match_points=vp_text(result.match_points),
        carried=vp_text(result.carried),
        adjustments=vp_text(result.adjustments),
        played=result.played,
        won=result.won,
        drawn=result.drawn,
        lost=result.lost,
        imps_for=shown_imps(result.imps_for),
        imps_against=shown_imps(result.imps_against),
        tie_break=result.tie_break,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventStandings:
    """The list of an event."""

    event: str
    has_carried: bool  # some team carried VPs forward
    has_adjustments: bool  # some team has an adjustment
    teams: tuple[TeamRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedStandings(EventStandings):
    """The list of an event by the continuous scale; its page will have the others."""

    refusal: str  # why there is none; empty: there is one


def event_standings(standings: Standings) -> EventStandings:
    """The list of an event."""
    teams = standings.teams
    return EventStandings(
        event=standings.event,
        has_carried=any(team.carried for team in teams),
        has_adjustments=any(team.adjustments for team in teams),
        teams=tuple(team_row(team) for team in teams),
        notes=standings.notes,
    )


def reported_standings(facts: Facts) -> tuple[ReportedStandings, ...]:
    """A list for each event with matches of teams, in the order of the report."""
    ids = facts["team_matches"]["event_id"].unique(maintain_order=True).to_list()
    names = dict(facts["events"].select("event_id", "name").iter_rows())
    return tuple(_reported(facts, event_id, names[event_id]) for event_id in ids)


def _reported(facts: Facts, event_id: str, name: str) -> ReportedStandings:
    try:
        standings = rank_teams(load_team_event(facts, event_id), tuple(TIE_BREAKS))
    except Refused as error:
        return ReportedStandings(
            event=name,
            has_carried=False,
            has_adjustments=False,
            teams=(),
            notes=(),
            refusal=str(error),
        )
    return extended(ReportedStandings, event_standings(standings), refusal="")
