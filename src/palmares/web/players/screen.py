"""The page of a player: its drawings, one page of results, and the answers to its forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from palmares.core.errors import Refused
from palmares.core.rounding import Nanopoints
from palmares.web.http.state import Snapshot
from palmares.web.players.figures import (
    GainsQuery,
    PlayerAgainst,
    PlayerGains,
    RivalMonth,
    player_against,
    player_gains,
    projection,
)
from palmares.web.players.views import PlayerListPage
from palmares.web.shared.history import TOP, Curve, TimeScale, draw_curve, polyline
from palmares.web.shared.names import ShownPlayer, extended, matching_players, shown_players
from palmares.web.shared.paging import page_count, page_of
from palmares.web.shared.results import ResultRow, player_results

RIVAL_HEIGHT = 102
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePage(PlayerListPage):
    """A player under one regulation, with the drawing of their points and ranks."""

    curve: Curve | None  # none: there are not two days to join


def curve_of_player(snapshot: Snapshot, page: PlayerListPage, today: date) -> Curve | None:
    """The drawing of a player under a regulation; none: there are not two days to join.

    Args:
        snapshot: what is known.
        page: the player under the regulation.
        today: the day it is.
    """
    until = min(page.as_of, today)
    ahead = projection(snapshot, page.regulation, page.person.player_id, until)
    first = min((result.effective for result in page.results), default=until)
    days = {*_days_of(page.results, first, until), *(point.day for point in page.history)}
    player = player_results(snapshot, page.regulation, page.person.player_id)
    values = {day: player.nanopoints(day) for day in sorted(days)}
    return draw_curve(page.history[::-1], values, until, ahead if page.fades else (), page.results)


def _days_of(results: Iterable[ResultRow], first: date, until: date) -> Iterable[date]:
    """The days on which results begin and the days before: there the line jumps."""
    yield until
    for result in results:
        if result.effective <= until:
            yield result.effective
            if result.effective > first:
                yield result.effective - ONE_DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalCurve:
    """The points of two players, as lines in one box."""

    own: str
    theirs: str
    most: Nanopoints


def rival_curve(months: Sequence[RivalMonth]) -> RivalCurve | None:
    """Two lines; none: there are not two days to join."""
    if len(months) < 2:  # noqa: PLR2004
        return None
    first = months[0].day
    scale = TimeScale(first.toordinal(), (months[-1].day - first).days)
    most = max([1, *(max(month.own, month.theirs) for month in months)])

    def line(values: Iterable[int]) -> str:
        heights = (TOP + RIVAL_HEIGHT * (1 - points / most) for points in values)
        return polyline(
            (scale.x(month.day), round(high, 1))
            for month, high in zip(months, heights, strict=True)
        )

    return RivalCurve(
        own=line(month.own for month in months),
        theirs=line(month.theirs for month in months),
        most=most,
    )


ROWS = 20
CANDIDATES = 8
COUNTING, EXPIRED = "counting", "expired"
SORTS: Mapping[str, Callable[[ResultRow], Any]] = {
    "latest": lambda one: -one.effective.toordinal(),
    "worth": lambda one: -one.worth,
    "won": lambda one: -one.nanopoints,
    "expiring": lambda one: one.expires_on or date.max,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenQuery:
    """What a visitor asks of the page, beside the day."""

    which: str = COUNTING
    sort: str = "latest"
    page: int = 1
    asks: bool = False  # whether to work out gains and a rival
    rival: str = ""  # an id or a name; empty: the player next above
    gains: GainsQuery = field(default_factory=GainsQuery)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsTable:
    """One page of results."""

    which: str  # counting | expired
    sort: str  # one of `SORTS`
    page: int
    pages: int
    counting: int
    expired: int
    items: tuple[ResultRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerScreen(PlayerListPage):
    """A player under one regulation, with one page of results and the answers to the forms."""

    table: ResultsTable
    asks: bool  # whether gains and a rival were asked for; they are not worked out unasked
    gains: PlayerGains | None  # none: not asked, or the day is not today
    against: PlayerAgainst | None  # none: not asked, or nobody to be beside
    curve: RivalCurve | None
    rival_search: str  # what was typed
    rivals: tuple[ShownPlayer, ...]  # who may be meant, where it is not one
    problem: str  # why what was asked cannot be answered


def player_screen(
    snapshot: Snapshot, page: PlayerListPage, query: ScreenQuery, today: date
) -> PlayerScreen:
    """The page of a player with the answers to its forms.

    Args:
        snapshot: what is known.
        page: the player under a regulation.
        query: what was asked.
        today: the day it is.

    Raises:
        NoSuchPage: there are not so many results.
    """
    player_id, regulation = page.person.player_id, page.regulation
    rival, rivals = _rival(snapshot, query.rival, player_id)
    above = page.figures.above
    rival = rival or (above.player_id if above and not query.rival else "")
    gains, against, problem = None, None, ""
    if query.asks and page.today and not page.published and not page.known_at:
        wanted = extended(GainsQuery, query.gains, rival=rival)
        try:
            gains = player_gains(snapshot, regulation, player_id, wanted, today)
        except Refused as refused:
            problem = str(refused)
    if query.asks and rival:
        against = player_against(snapshot, regulation, player_id, rival, page.as_of)
    return extended(
        PlayerScreen,
        page,
        table=results_table(page, query),
        asks=query.asks,
        gains=gains,
        against=against,
        curve=rival_curve(against.months) if against else None,
        rival_search=query.rival,
        rivals=rivals,
        problem=problem,
    )


def results_table(page: PlayerListPage, query: ScreenQuery) -> ResultsTable:
    """One page of the results that count, or of those that do not."""
    latest = page.total == "latest"
    counting = [result for result in page.results if result.counts or latest]
    expired = [result for result in page.results if not result.counts and not latest]
    which = query.which if query.which in (COUNTING, EXPIRED) else COUNTING
    if not counting and expired and not query.which:
        which = EXPIRED
    sort = query.sort if query.sort in SORTS else "latest"
    rows = tuple(sorted(expired if which == EXPIRED else counting, key=SORTS[sort]))
    return ResultsTable(
        which=which,
        sort=sort,
        page=query.page,
        pages=page_count(len(rows), ROWS),
        counting=len(counting),
        expired=len(expired),
        items=page_of(rows, query.page, ROWS),
    )


def _rival(snapshot: Snapshot, typed: str, player_id: str) -> tuple[str, tuple[ShownPlayer, ...]]:
    """Who is meant by an id or a name, and who may be meant where it is not one."""
    if not typed:
        return "", ()
    if typed in shown_players(snapshot)["player_id"]:
        return (typed, ()) if typed != player_id else ("", ())
    names = matching_players(snapshot, typed)
    rows = [
        ShownPlayer(player_id=other, player=name, nation=nation)
        for other, name, nation in names.select("player_id", "player", "nation")
        .head(CANDIDATES + 1)
        .iter_rows()
        if other != player_id
    ]
    return (rows[0].player_id, ()) if len(rows) == 1 else ("", tuple(rows[:CANDIDATES]))
