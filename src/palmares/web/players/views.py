"""Players: on every list, under one regulation, and why they have their points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from anyio import to_thread
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from palmares.core.rounding import Nanopoints
from palmares.facts.text import LONGEST
from palmares.lists import live
from palmares.lists.figures.players import PlayerResults, RivalDay, number_of, results_until
from palmares.points.awards import Question
from palmares.points.explain import (
    AwardKey,
    ExplainedAward,
    UnawardedResult,
    explained,
    unawarded_results,
)
from palmares.points.rankings import Selection, entering
from palmares.regulations import get_regulation
from palmares.regulations.model import Membership
from palmares.web.http.replies import redirected
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot, awarding_regulations, cached
from palmares.web.players.figures import (
    Fee,
    Format,
    Held,
    Like,
    PlayerAgainst,
    PlayerFigures,
    PlayerGains,
    PlayerIdentity,
    Players,
    memberships,
    nobody,
    person,
    player_against,
    player_figures,
    player_gains,
    projection,
)
from palmares.web.shared.history import (
    TOP,
    HistoryPoint,
    RankCurve,
    TimeScale,
    draw_curve,
    polyline,
    rank_history,
    totals_on,
)
from palmares.web.shared.lists import (
    WaitingEvent,
    awarding,
    day_after,
    day_before,
    listable_day,
    ranked_regulations,
    regulations_waiting,
    waiting_events,
)
from palmares.web.shared.names import (
    ListAsOf,
    ShownPlayer,
    extended,
    matching_players,
    merged_into,
    shown_players,
)
from palmares.web.shared.parameters import (
    AsOf,
    EventId,
    Flight,
    KnownAt,
    OfPage,
    Page,
    PlayerId,
    RegulationName,
    page_count,
    page_of,
)
from palmares.web.shared.results import (
    AwardOfDay,
    LevelReached,
    ResultRow,
    WorkedAward,
    level_of,
    player_results,
    result_rows,
    worked,
)

# ── one of them ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerOnList:
    """A regulation under which a player has results."""

    regulation: str
    title: str
    total: str  # sum | latest
    results: int
    nanopoints: Nanopoints | None  # none: not on the list
    rank: int | None
    ranked: int  # how many are on the list


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerOverview:
    """A player on every list."""

    person: PlayerIdentity
    as_of: date
    known_at: str  # the day, moment or entry up to which reports are counted; empty: all
    lists: tuple[PlayerOnList, ...]
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    memberships: tuple[Membership, ...]


def player_page(
    snapshot: Snapshot, player_id: PlayerId, today: date, known_at: KnownAt = ""
) -> PlayerOverview:
    """A player on every list.

    The address of a record that was merged into another shows that one, here and below.

    Raises:
        NotFoundException: there is none of that id.
    """
    who = person(snapshot, player_id)
    return PlayerOverview(
        person=who,
        as_of=today,
        known_at=known_at,
        lists=tuple(place for place in _places(snapshot, who.player_id, today) if place.results),
        waiting=regulations_waiting(snapshot, today),
        memberships=() if who.withheld else memberships(snapshot, who.player_id),
    )


def _places(snapshot: Snapshot, player_id: str, day: date) -> Iterator[PlayerOnList]:
    """Where a player stands under every regulation, also those where they have no results."""
    for regulation in ranked_regulations():
        given = snapshot.awards(regulation.name)
        number = number_of(given, player_id)
        own = results_until(given, number, day)
        now = totals_on(snapshot, regulation.name, day) if own else None
        yield PlayerOnList(
            regulation=regulation.name,
            title=regulation.title,
            total=regulation.aggregate.word,
            results=own,
            nanopoints=now.nanopoints(number) if now else None,
            rank=now.rank(number) if now else None,
            ranked=int(now.on_list.sum()) if now else 0,
        )


# ── under one regulation ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class UnderRegulation(ListAsOf):
    """Something of a player under one regulation."""

    person: PlayerIdentity
    known_at: str  # what was asked for; empty: now


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerListPage(UnderRegulation):
    """A player under one regulation."""

    total: str  # sum | latest
    today: bool
    before: date
    after: date | None
    nanopoints: Nanopoints | None  # none: not on the list
    rank: int | None
    ranked: int
    level: LevelReached | None  # of recognition, up to the day; none: none
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    fades: bool  # whether results of it ever count less
    results: tuple[ResultRow, ...]  # the latest first
    later_results: int  # results that begin to count after the day
    history: tuple[HistoryPoint, ...]  # the latest first
    other_regulations: tuple[PlayerOnList, ...]  # under other regulations
    memberships: tuple[Membership, ...]
    figures: PlayerFigures


def player_list_page(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> PlayerListPage:
    """A player under one regulation, with everything that belongs to it.

    Raises:
        NotFoundException: there is no such player.
    """
    who, day = person(snapshot, player_id), listable_day(as_of, today)
    return _player_list(snapshot, app_state, today, who, awarding(regulation), day, known_at)


@cached
def _player_list(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    who: PlayerIdentity,
    regulation: str,
    day: date,
    known_at: str,
) -> PlayerListPage:
    """The same for a day: chart and cards are asked for after it, with the day or without."""
    player_id = who.player_id
    player = player_results(snapshot, regulation, player_id)
    waiting = entering(
        Question(regulation=regulation), Selection(as_of=day), snapshot.awards(regulation).waiting
    )
    places = {place.regulation: place for place in _places(snapshot, player_id, day)}
    history = rank_history(snapshot, regulation, player_id, min(day, today))
    return extended(
        PlayerListPage,
        places.pop(regulation),
        person=who,
        as_of=day,
        known_at=known_at,
        today=day == today,
        before=day_before(snapshot, regulation, day, today),
        after=day_after(snapshot, regulation, day, today),
        level=level_of(snapshot, regulation, player_id, day),
        waiting=waiting_events(waiting),
        fades=not player.fades.lasts,
        results=result_rows(snapshot, regulation, player_id, day),
        later_results=sum(result.effective > day for result in player.results),
        history=history[::-1],
        figures=player_figures(app_state.journal, snapshot, regulation, who, day, today, history),
        other_regulations=tuple(place for place in places.values() if place.results),
        memberships=() if who.withheld else memberships(snapshot, player_id),
    )


# ── why ──────────────────────────────────────────────────────────────────────────────────────────


Effective = Annotated[
    date | None,
    QueryParameter(
        description="The day from which it counts, where a flight was played on several days and"
        " each gave points. The first of them, if it is not given; `others` has the rest.",
        examples=[Example(value="2019-11-10")],
    ),
]
KindOfAward = Annotated[
    str, PathParameter(description="A kind of points.", examples=[Example(value="performance")])
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayAward:
    """Another day of play that gave points of the same kind in the same flight."""

    effective: date
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardPage(UnderRegulation, AwardOfDay, WorkedAward):
    """One result of a player, and how its points came about."""

    total: str  # sum | latest
    other_days: tuple[DayAward, ...]


def award_page(
    snapshot: Snapshot,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    event_id: EventId,
    flight: Flight,
    kind: KindOfAward,
    effective: Effective = None,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> AwardPage:
    """Why a player has the points of one result, clause by clause.

    Raises:
        NotFoundException: there is none.
    """
    day, award = listable_day(as_of, today), (event_id, flight, kind)
    who, rules = person(snapshot, player_id), get_regulation(awarding(regulation))
    player = player_results(snapshot, regulation, who.player_id)
    tournament_id, entries = _explained(snapshot, player, day, award)
    entry = next((each for each in entries if effective in {None, each.effective}), None)
    if entry is None:
        raise nobody()
    seen: set[str] = set()
    return extended(
        AwardPage,
        entry,
        person=who,
        title=rules.title,
        total=rules.aggregate.word,
        regulation=regulation,
        as_of=day,
        known_at=known_at,
        tournament_id=tournament_id,
        summary=entry.summary.sentence,
        formula=entry.summary.formula,
        lines=worked(entry.lines, seen),
        fading=worked(entry.fading, seen) if entry.parts > 1 else (),
        other_days=tuple(extended(DayAward, other) for other in entries if other is not entry),
    )


def _explained(
    snapshot: Snapshot, player: PlayerResults, day: date, award: AwardKey
) -> tuple[str, list[ExplainedAward]]:
    """The tournament of a player's award, and every day of play that gave it, explained in order.

    Where a rating goes on, all that they played is gone through.
    """
    tournament_id = next(
        (each.tournament_id for each in player.results
         if (each.event_id, each.flight, each.kind) == award),
        None,
    )  # fmt: skip
    if player.number is None or tournament_id is None:
        raise nobody()
    theirs = live.of_players(player.given, player.number)
    if not player.latest:
        theirs = theirs.filter(event_id=award[0])
    entries = explained(
        player.given.question, snapshot.facts, player.player_id, theirs, Selection(as_of=day), award
    )
    return tournament_id, sorted(entries, key=lambda entry: entry.effective)


# ── results without points ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class UnawardedPage:
    """The results of a player that give no points under a regulation, the latest first."""

    person: PlayerIdentity
    regulation: str
    title: str
    known_at: str
    items: tuple[UnawardedResult, ...]


def unawarded_page(
    snapshot: Snapshot, player_id: PlayerId, regulation: RegulationName, known_at: KnownAt = ""
) -> UnawardedPage:
    """The results of a player that give no points under a regulation, each with the reason.

    Raises:
        NotFoundException: there is no such player.
    """
    who, name = person(snapshot, player_id), awarding(regulation)
    awarded = {each.event_id for each in player_results(snapshot, name, who.player_id).results}
    return UnawardedPage(
        person=who,
        regulation=name,
        title=get_regulation(name).title,
        known_at=known_at,
        items=unawarded_results(Question(regulation=name), snapshot.facts, who.player_id, awarded),
    )


# ── with its drawings and forms ──────────────────────────────────────────────────────────────────

RIVAL_HEIGHT = 102
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePage(PlayerListPage):
    """A player under one regulation, with the drawing of their points and ranks."""

    curve: RankCurve | None  # none: there are not two days to join


def curve_page(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    as_of: AsOf = None,
    known_at: KnownAt = "",
) -> CurvePage:
    """A player's points and rank over time and in the year to come, as a drawing and a table."""
    page = player_list_page(snapshot, app_state, today, player_id, regulation, as_of, known_at)
    until = min(page.as_of, today)
    ahead = projection(snapshot, page.regulation, page.person.player_id, until)
    first = min((result.effective for result in page.results), default=until)
    begun = [result.effective for result in page.results if result.effective <= until]
    eves = (day - ONE_DAY for day in begun if day > first)  # before each, as the line jumps there
    days = {until, *begun, *eves, *(point.day for point in page.history)}
    player = player_results(snapshot, page.regulation, page.person.player_id)
    values = {day: player.nanopoints(day) for day in sorted(days)}
    drawn = ahead if page.fades else ()
    curve = draw_curve(page.history[::-1], values, until, drawn, page.results)
    return extended(CurvePage, page, curve=curve)


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalCurve:
    """The points of two players, as lines in one box."""

    own: str
    theirs: str
    most: Nanopoints


def rival_curve(months: Sequence[RivalDay]) -> RivalCurve | None:
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
SORTS: Mapping[str, Callable[[ResultRow], Any]] = {
    "latest": lambda result: -result.effective.toordinal(),
    "worth": lambda result: -result.worth,
    "won": lambda result: -result.nanopoints,
    "expiring": lambda result: result.expires_on or date.max,
}


Which = Annotated[Literal["", "counting", "expired"], QueryParameter(include_in_schema=False)]
"""Which results the table has; empty: those that count, if there are any."""
Sort = Annotated[
    Literal["latest", "worth", "won", "expiring"], QueryParameter(include_in_schema=False)
]
RivalName = Annotated[str, QueryParameter(include_in_schema=False, max_length=LONGEST)]
"""The name or the ID of another player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsTable:
    """One page of results."""

    which: Which
    sort: Sort
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
    is_own: bool  # whether the visitor has pinned this player


def player_screen(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    pinned: str,
    player_id: PlayerId,
    regulation: RegulationName,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    which: Which = "",
    sort: Sort = "latest",
    page: Page = 1,
    ask: OfPage = "",
    rival: RivalName = "",
    like: Like = "",
    players: Players = 0,
    fee: Fee = "",
    format: Format = "",  # noqa: A002
    held: Held = None,
) -> PlayerScreen:
    """The page of a player with the answers to its forms.

    Gains and a rival are worked out only if one of `ask`, `rival` and `like` is there; `ask` is
    sent by what loads them when they come into view.

    Raises:
        NotFoundException: there is no such player, or there are not so many results.
    """
    own = player_list_page(snapshot, app_state, today, player_id, regulation, as_of, known_at)
    asks, player_id = bool(ask or rival or like), own.person.player_id
    typed, gains, against = rival.strip(), None, None
    rival, rivals = _rival(snapshot, typed, own)
    if asks and own.today and not known_at:
        gains = player_gains(
            snapshot, today, player_id, regulation, like, players, fee, format, held, rival
        )
    if asks and rival:
        against = player_against(snapshot, today, player_id, regulation, rival, own.as_of)
    return extended(
        PlayerScreen, own, asks=asks, gains=gains, against=against, rivals=rivals,
        rival_search=typed,
        table=results_table(own, which, sort, page),
        curve=rival_curve(against.months) if against else None,
        is_own=player_id == merged_into(snapshot).get(pinned, pinned),
    )  # fmt: skip


def results_table(own: PlayerListPage, which: Which, sort: Sort, page: int) -> ResultsTable:
    """One page of the results that count, or of those that do not."""
    latest = own.total == "latest"
    counting = [result for result in own.results if result.counts or latest]
    expired = [result for result in own.results if not result.counts and not latest]
    which = which or ("expired" if expired and not counting else "counting")
    rows = tuple(sorted(expired if which == "expired" else counting, key=SORTS[sort]))
    return ResultsTable(
        which=which,
        sort=sort,
        page=page,
        pages=page_count(len(rows), ROWS),
        counting=len(counting),
        expired=len(expired),
        items=page_of(rows, page, ROWS),
    )


def _rival(
    snapshot: Snapshot, typed: str, own: PlayerListPage
) -> tuple[str, tuple[ShownPlayer, ...]]:
    """Who is meant by an ID or a name, and who may be meant where it is not one.

    Where nothing was typed, it is the player next above.
    """
    player_id, above = own.person.player_id, own.figures.above
    if not typed:
        return above.player_id if above else "", ()
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


# ── where a player's address leads ───────────────────────────────────────────────────────────────


async def player(
    request: Request, player_id: FromPath[str], known_at: FromQuery[str] = ""
) -> Response[Any]:
    """Leads to the player's page under the regulation in which they have most results."""
    snapshot, today = await request.app_state.now(), request.app_state.today()
    page = await to_thread.run_sync(player_page, snapshot, player_id, today)
    most = max(page.lists, key=lambda place: place.results, default=None)
    regulation = most.regulation if most else awarding_regulations()[0]
    return redirected(to.player_list(page.person.player_id, regulation, known_at=known_at))
