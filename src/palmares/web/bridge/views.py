"""Events of bridge teams: the list, the crosstable, tie-breaks, and every match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import polars as pl
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.bridge.explain import explain_team
from palmares.bridge.results import BYE, VOID, TeamEvent, TeamResult, load_team_event
from palmares.bridge.standings import (
    TIE_BREAKS,
    Standings,
    Tie,
    crosstable,
    rank_teams,
    running,
    shown_imps,
    vp_text,
)
from palmares.bridge.vp import CONTINUOUS, SCALES, board_imps
from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts import Facts
from palmares.web.http.state import Snapshot, cached
from palmares.web.shared.history import polyline
from palmares.web.shared.names import EventName, extended
from palmares.web.shared.parameters import (
    EventId,
    KnownAt,
    PageOfList,
    Slice,
)
from palmares.web.shared.results import WorkedLine, worked
from palmares.web.shared.standings import EventStandings, event_standings


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeSummary(EventName):
    """An event of bridge teams among others."""

    end_date: date
    teams: int
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeEvents(Slice):
    """Every event of bridge teams, the latest first."""

    events: int
    items: tuple[BridgeSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossRow:
    """A team against each other, in the order of the list."""

    rank: int | None
    name: str
    cells: tuple[tuple[str, ...], ...]  # VPs of their matches; empty: the team itself, or none
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
class TeamPart:
    """One match, bye or column of a total."""

    what: str  # "round 2, against Beta, 16 boards"
    points: str  # VPs
    lines: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamExplanationText:
    """The explanation of a team's total, part by part."""

    team: str
    name: str
    points: str
    heading: str  # its rank, and what parted it from teams with as many VPs
    summary: str  # the total as a sum of its parts: "12.03 + 7.97 − 1.00 = 19.00"
    parts: tuple[TeamPart, ...]
    total: tuple[WorkedLine, ...]
    editions: tuple[str, ...]  # with the hashes of their files


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A board: points at both tables, seen from North-South of the home team."""

    board: int
    home_points: int
    away_points: int | None  # none: home_points is the difference already
    home_imps: int
    away_imps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchBoards:
    """A match, board by board."""

    match_id: str
    home: str
    away: str
    rows: tuple[BoardRow, ...]
    home_imps: int
    away_imps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeEventPage(EventName, EventStandings):
    """An event of bridge teams."""

    end_date: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    scale: str
    scales: tuple[str, ...]
    rounds: tuple[str, ...]  # all that there are
    until: str | None  # the last one that counts here; none: all do
    more_rounds: bool  # there are rounds after it
    crosstable: tuple[CrossRow, ...]
    ties: tuple[TieText, ...]
    running_rounds: tuple[str, ...]  # those that count here
    matches_by_round: tuple[tuple[MatchRow, ...], ...]  # as `running_rounds` go
    running_totals: tuple[tuple[str, ...], ...]  # of each team: before the first, after each
    has_chart: bool  # there is something to draw: some teams, some rounds
    explanation: TeamExplanationText | None  # of the team that was asked for
    boards: MatchBoards | None  # of the match that was asked for

    @property
    def lines(self) -> list[str]:
        """Above or below the average of the field, as `running_totals` go, drawn as polylines."""
        totals = [[float(points) for points in row] for row in self.running_totals]
        field = [row for row, team in zip(totals, self.teams, strict=True) if team.rank is not None]
        averages = [sum(column) / len(field) for column in zip(*field, strict=True)]
        above = [[each - average for each, average in zip(row, averages, strict=True)]
                 for row in totals if averages]  # fmt: skip
        most = max((abs(value) for line in above for value in line), default=0) or 1
        return [polyline((100 * at / (len(line) - 1 or 1), 12 - 10 * value / most)
                         for at, value in enumerate(line))
                for line in above]  # fmt: skip


def bridge_events(snapshot: Snapshot, rows: PageOfList) -> BridgeEvents:
    """Every event of bridge teams, the latest first."""
    matches = snapshot.facts["team_matches"]
    sides = pl.concat(matches.select("event_id", pl.col(side).alias("team"))
                      for side in ("home", "away"))  # fmt: skip
    tournaments = snapshot.facts["tournaments"]
    events = (
        snapshot.facts["events"]
        .select("event_id", "tournament_id", pl.col("name").alias("event"))
        .join(matches.group_by("event_id").agg(matches=pl.len()), on="event_id")
        .join(
            sides.drop_nulls().group_by("event_id").agg(teams=pl.col("team").n_unique()),
            on="event_id",
            how="left",
        )
        .with_columns(pl.col("teams").fill_null(0))
        .join(
            tournaments.select("tournament_id", pl.col("name").alias("tournament"), "end_date"),
            on="tournament_id",
        )
        .sort("end_date", "event_id", descending=[True, False])
    )
    here, part = rows.cut(events, "event_id", snapshot.head.sequence)
    return BridgeEvents(
        **part,
        events=len(events),
        items=tuple(BridgeSummary(**row) for row in here.iter_rows(named=True)),
    )


@cached
def team_event_of(snapshot: Snapshot, event_id: str, scale: str) -> TeamEvent:
    """An event ready to be scored.

    Raises:
        NotFoundException: it has no matches of teams.
        Refused: there is no such scale.
    """
    if event_id not in snapshot.facts["team_matches"]["event_id"]:
        raise NotFoundException(msg("There is no such event of bridge teams."))
    return load_team_event(snapshot.facts, event_id, scale=scale)


Scale = Annotated[
    str,
    QueryParameter(
        description="The scale of victory points: `continuous` or `discrete`.",
        examples=[Example(value=CONTINUOUS)],
    ),
]
Until = Annotated[
    str | None, QueryParameter(description="The last round that counts; all, if it is not given.")
]
Team = Annotated[
    str | None, QueryParameter(description="A team: how its total came about is told, too.")
]
Match = Annotated[str | None, QueryParameter(description="A match: its boards are told, too.")]


def bridge_event_page(
    snapshot: Snapshot,
    event_id: EventId,
    scale: Scale = CONTINUOUS,
    until: Until = None,
    team: Team = None,
    match: Match = None,
    known_at: KnownAt = "",
) -> BridgeEventPage:
    """An event of bridge teams: its list, crosstable, how ties were broken, match by match.

    VPs are texts such as `12.03`.

    Raises:
        NotFoundException: it has no matches of teams.
        Refused: there is no such scale, round, team or match.
    """
    team_event = team_event_of(snapshot, event_id, scale)
    standings = snapshot.once(
        ("standings", event_id, scale, until),
        lambda: rank_teams(team_event, tuple(TIE_BREAKS), until),
    )
    event = snapshot.facts["events"].row(by_predicate=pl.col("event_id") == event_id, named=True)
    tournament = snapshot.facts["tournaments"].row(
        by_predicate=pl.col("tournament_id") == event["tournament_id"], named=True
    )
    return extended(
        BridgeEventPage,
        event_standings(standings),
        event_id=event_id,
        tournament_id=event["tournament_id"],
        tournament=tournament["name"],
        end_date=tournament["end_date"],
        known_at=known_at,
        scale=standings.scale,
        scales=SCALES,
        rounds=_round_names(team_event.rounds),
        until=until,
        more_rounds=standings.unfinished,
        crosstable=tuple(_cross(standings)),
        ties=tuple(map(_tie_text, standings.ties)),
        matches_by_round=_matches_by_round(snapshot.facts, team_event, standings),
        running_rounds=_round_names(standings.rounds),
        running_totals=_running_totals(standings),
        has_chart=bool(standings.rounds) and any(not team.withdrawn for team in standings.teams),
        explanation=team_why(team_event, standings, team) if team else None,
        boards=match_boards(snapshot.facts, team_event, match) if match else None,
    )


def _running_totals(standings: Standings) -> tuple[tuple[str, ...], ...]:
    """The total of each team after each round."""
    totals = running(standings)
    return tuple(tuple(map(vp_text, totals[each.team])) for each in standings.teams)


def _tie_text(tie: Tie) -> TieText:
    """A tie, how it was broken, and the order."""
    return TieText(
        points=vp_text(tie.points),
        teams=tie.team_names(tie.teams),
        steps=tuple(map(str, tie.steps)),
        order=tuple(" = ".join(tie.team_names(group)) for group in tie.groups),
    )


def _matches_by_round(
    facts: Facts, team_event: TeamEvent, standings: Standings
) -> tuple[tuple[MatchRow, ...], ...]:
    by_boards = set(facts["boards"]["match_id"].unique())
    return tuple(
        tuple(_match(team_event, row, by_boards) for row in team_event.rows if row["round"] == each)
        for each in standings.rounds
    )


def _round_names(rounds: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(each or "–" for each in rounds)


def _cross(standings: Standings) -> list[CrossRow]:
    table = crosstable(standings)
    return [
        CrossRow(
            rank=team.rank,
            name=team.name,
            cells=tuple(
                tuple(vp_text(match.vp) for match in table[team.team][other.team])
                for other in standings.teams
            ),
            points=vp_text(team.points),
        )
        for team in standings.teams
    ]


def _match(team_event: TeamEvent, row: Any, by_boards: set[str]) -> MatchRow:
    home = team_event.result(row, "home", "away")
    away = None if home.status == BYE else team_event.result(row, "away", "home")
    split = row["split_home_imps"] is not None and away is not None
    return MatchRow(
        match_id=row["match_id"],
        home=team_event.teams[row["home"]].name,
        away=None if away is None else team_event.teams[row["away"]].name,
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


def _adjustment(result: TeamResult) -> str:
    sign = "+" if result.adjustment > 0 else ""
    return f"{sign}{vp_text(result.adjustment)}" if result.adjustment else ""


# ── why ──────────────────────────────────────────────────────────────────────────────────────────


def team_why(team_event: TeamEvent, standings: Standings, team: str) -> TeamExplanationText:
    """The explanation of the total of a team.

    Raises:
        Refused: there is no such team; says which there are.
    """
    why = explain_team(team_event, standings, team)
    seen: set[str] = set()
    return TeamExplanationText(
        team=why.standing.team,
        name=why.standing.name,
        points=vp_text(why.standing.points),
        heading=why.heading,
        summary=why.summary,
        parts=tuple(
            TeamPart(what=part.what, points=vp_text(part.vp), lines=worked(part.lines, seen))
            for part in why.parts
        ),
        total=worked(why.total, seen),
        editions=why.editions,
    )


def match_boards(facts: Facts, team_event: TeamEvent, match: str) -> MatchBoards:
    """A match, board by board.

    Raises:
        Refused: the event has no such match, or nobody said what its boards were.
    """
    row = next((each for each in team_event.rows if each["match_id"] == match), None)
    boards = facts["boards"].filter(pl.col("match_id") == match).sort("board")
    if row is None or boards.is_empty():
        raise Refused(
            msg(
                "%(event)s has no boards of a match %(match)s.",
                event=team_event.event,
                match=match[:40],
            )
        )
    rows = []
    for board in boards.iter_rows(named=True):
        home, away = board_imps(board["home_points"], board["away_points"] or 0)
        points = {key: board[key] for key in ("board", "home_points", "away_points")}
        rows.append(BoardRow(**points, home_imps=home, away_imps=away))
    return MatchBoards(
        match_id=match,
        home=team_event.teams[row["home"]].name,
        away=team_event.teams[row["away"]].name,
        rows=tuple(rows),
        home_imps=sum(row.home_imps for row in rows),
        away_imps=sum(row.away_imps for row in rows),
    )
