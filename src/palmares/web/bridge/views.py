"""
An event of bridge teams: its list, its crosstable, how ties were broken, match by match.

    bridge_page         every such event
    bridge_event_page   one of them
    bridge_events       the ids of all
    desk_of, list_of    an event ready to be scored, and its list, made once
    team_row            a team in a list  ->  TeamRow
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from palmares.standings import Standing, Standings, crosstable, ranked, running, vp_text
from palmares.team_results import BYE, VOID, Desk, Result, desk
from palmares.tiebreaks import TIE_BREAKS, Tie, shown_imps
from palmares.vp import SCALES
from palmares.web.hall import Known
from palmares.web.pages.bridge_why import MatchBoards, TeamWhy, match_boards, team_why
from palmares.web.pages.tie_words import step_words, team_words

CHART_LEAST, CHART_PER_TEAM, CHART_ROOM, CHART_NAME = 260, 16, 60, 9
"""Pixels of the chart of running totals: at least, for each team, for the axis, for a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeHead:
    """An event of bridge teams among others."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str
    end_date: date
    teams: int
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgePage:
    """Every event of bridge teams, the latest first."""

    events: tuple[BridgeHead, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCell:
    """What a team has from its matches against another; empty: they have not met."""

    own: bool  # the team itself
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossRow:
    """A team against each other, in the order of the list."""

    rank: int | None
    name: str
    cells: tuple[CrossCell, ...]
    points: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TieText:
    """Teams that were level, and how they were parted, step by step."""

    points: str
    teams: tuple[str, ...]
    steps: tuple[str, ...]
    order: tuple[str, ...]  # best first; those that share a rank stand together


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match."""

    match_id: str
    home: str
    away: str | None  # none: a bye
    boards: int | None
    status: str  # played | bye | void
    home_imps: str
    away_imps: str
    split: str  # the score that counts for the other side, where the director split it
    home_vp: str
    away_vp: str
    home_adjustment: str  # empty: none
    away_adjustment: str
    by_boards: bool  # its boards are known


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundText:
    """The matches of a round."""

    round: str | None
    matches: tuple[MatchRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """A team's totals: before the first round, and after each."""

    name: str
    totals: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeEventPage:
    """An event of bridge teams."""

    event_id: str
    event: str
    tournament_id: str
    tournament: str
    end_date: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    scale: str
    scales: tuple[str, ...]
    rounds: tuple[str, ...]  # all that there are
    until: str | None  # the last one that counts here; none: all do
    unfinished: bool  # there are rounds after it
    adjusted: bool  # some team has an adjustment
    carried: bool  # some team carried VPs forward
    teams: tuple[TeamRow, ...]
    cross: tuple[CrossRow, ...]
    ties: tuple[TieText, ...]
    notes: tuple[str, ...]
    played: tuple[RoundText, ...]
    running_rounds: tuple[str, ...]
    running: tuple[RunningRow, ...]
    charted: bool  # there is a chart of it: some teams, some rounds
    chart_height: int  # pixels
    why: TeamWhy | None  # of the team that was asked for
    boards: MatchBoards | None  # of the match that was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOfEvent:
    """What a visitor asks of an event."""

    event_id: str
    scale: str
    until: str | None = None
    team: str | None = None
    match: str | None = None
    known_at: str = ""  # the day, moment or entry that it is known at; empty: now


def bridge_events(known: Known) -> frozenset[str]:
    """The ids of every event with matches of teams."""
    return known.once(
        "bridge events", lambda: frozenset(known.facts["team_matches"]["event_id"].unique())
    )


def bridge_page(known: Known) -> BridgePage:
    """Every event of bridge teams, the latest first."""
    matches = known.facts["team_matches"].group_by("event_id").agg(pl.len().alias("matches"))
    rows = (
        known.facts["events"]
        .select("event_id", "tournament_id", pl.col("name").alias("event"))
        .join(matches, on="event_id")
        .join(
            known.facts["tournaments"].select(
                "tournament_id", pl.col("name").alias("tournament"), "end_date"
            ),
            on="tournament_id",
        )
        .sort("end_date", "event_id", descending=[True, False])
    )
    sides = pl.concat(
        known.facts["team_matches"].select("event_id", pl.col(side).alias("team"))
        for side in ("home", "away")
    )
    teams = dict(
        sides.drop_nulls()
        .group_by("event_id")
        .agg(pl.col("team").n_unique())
        .iter_rows()
    )  # fmt: skip
    return BridgePage(
        events=tuple(
            BridgeHead(**row, teams=teams.get(row["event_id"], 0))
            for row in rows.iter_rows(named=True)
        )
    )


def desk_of(known: Known, event_id: str, scale: str) -> Desk:
    """An event ready to be scored.

    Raises:
        Refused: there is no such scale.
    """
    return known.once(
        ("desk", event_id, scale), lambda: desk(known.facts, event_id, scale=scale)
    )  # fmt: skip


def list_of(known: Known, event_id: str, scale: str, until: str | None) -> Standings:
    """The list of an event, after a round or after all."""
    held = desk_of(known, event_id, scale)
    return known.once(
        ("standings", event_id, scale, until), lambda: ranked(held, tuple(TIE_BREAKS), until)
    )


def bridge_event_page(known: Known, asked: AskedOfEvent) -> BridgeEventPage:
    """An event of bridge teams.

    Raises:
        Refused: there is no such scale, round, team or match.
    """
    held = desk_of(known, asked.event_id, asked.scale)
    made = list_of(known, asked.event_id, asked.scale, asked.until)
    event = known.facts["events"].row(by_predicate=pl.col("event_id") == asked.event_id, named=True)
    tournament = known.facts["tournaments"].row(
        by_predicate=pl.col("tournament_id") == event["tournament_id"], named=True
    )
    by_boards = set(known.facts["boards"]["match_id"].unique())
    names = {team: entry.name for team, entry in held.entries.items()}
    totals = running(made)
    return BridgeEventPage(
        event_id=asked.event_id,
        event=made.event,
        tournament_id=event["tournament_id"],
        tournament=tournament["name"],
        end_date=tournament["end_date"],
        known_at=asked.known_at,
        scale=made.scale,
        scales=SCALES,
        rounds=_named(held.rounds),
        until=asked.until,
        unfinished=made.unfinished,
        adjusted=any(one.adjustments for one in made.teams),
        carried=any(one.carried for one in made.teams),
        teams=tuple(team_row(one, made.ties) for one in made.teams),
        cross=tuple(_cross(made)),
        ties=tuple(_tie(one) for one in made.ties),
        notes=made.notes,
        played=tuple(_round(held, one, names, by_boards) for one in made.rounds),
        running_rounds=_named(made.rounds),
        running=tuple(
            RunningRow(name=one.name, totals=tuple(vp_text(vp) for vp in totals[one.team]))
            for one in made.teams
        ),
        charted=bool(made.rounds) and any(not one.withdrawn for one in made.teams),
        chart_height=CHART_ROOM
        + max(CHART_LEAST, CHART_PER_TEAM * len(made.teams))
        + CHART_NAME * len(made.teams),
        why=team_why(held, made, asked.team) if asked.team else None,
        boards=match_boards(known.facts, held, asked.match) if asked.match else None,
    )


def _named(rounds: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(one or "–" for one in rounds)


def team_row(one: Standing, ties: Sequence[Tie]) -> TeamRow:
    """A team in the list."""
    return TeamRow(
        rank=one.rank,
        team=one.team,
        name=one.name,
        points=vp_text(one.points),
        match_points=vp_text(one.match_points),
        carried=vp_text(one.carried),
        adjustments=vp_text(one.adjustments),
        played=one.played,
        won=one.won,
        drawn=one.drawn,
        lost=one.lost,
        imps_for=shown_imps(one.imps_for),
        imps_against=shown_imps(one.imps_against),
        tie_break=team_words(one.team, ties),
    )


def _cross(made: Standings) -> list[CrossRow]:
    table = crosstable(made)
    return [
        CrossRow(
            rank=one.rank,
            name=one.name,
            cells=tuple(
                CrossCell(
                    own=other.team == one.team,
                    points=tuple(vp_text(match.vp) for match in table[one.team][other.team]),
                )
                for other in made.teams
            ),
            points=vp_text(one.points),
        )
        for one in made.teams
    ]


def _tie(tie: Tie) -> TieText:
    return TieText(
        points=vp_text(tie.points),
        teams=tie.named(tie.teams),
        steps=tuple(step_words(step) for step in tie.steps),
        order=tuple(" = ".join(tie.named(group)) for group in tie.groups),
    )


def _round(held: Desk, round_: str | None, names: dict[str, str], by_boards: set[str]) -> RoundText:
    rows = [row for row in held.rows if row["round"] == round_]
    return RoundText(
        round=round_, matches=tuple(_match(held, row, names, by_boards) for row in rows)
    )


def _match(held: Desk, row: Any, names: dict[str, str], by_boards: set[str]) -> MatchRow:
    home = held.result(row, "home", "away")
    away = None if home.status == BYE else held.result(row, "away", "home")
    split = row["split_home_imps"] is not None and away is not None
    return MatchRow(
        match_id=row["match_id"],
        home=names[row["home"]],
        away=None if away is None else names[row["away"]],
        boards=row["boards"],
        status=home.status,
        home_imps=shown_imps(home.imps_for),
        away_imps=shown_imps(home.imps_against),
        split=f"{shown_imps(away.imps_against)}–{shown_imps(away.imps_for)}"
        if split and away
        else "",
        home_vp=vp_text(home.vp),
        away_vp=vp_text(away.vp) if away and home.status != VOID else "",
        home_adjustment=_adjustment(home),
        away_adjustment=_adjustment(away) if away else "",
        by_boards=row["match_id"] in by_boards,
    )


def _adjustment(one: Result) -> str:
    return f"+{vp_text(one.adjustment)}" if one.adjustment > 0 else (
        vp_text(one.adjustment) if one.adjustment else ""
    )  # fmt: skip
