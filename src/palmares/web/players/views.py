"""Players: on every list, under one regulation, and why they have their points."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any

from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts.text import LONGEST
from palmares.journal.store.journal import Journal
from palmares.lists import live
from palmares.lists.figures.gains import FORMATS
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
from palmares.web.http.state import Snapshot
from palmares.web.players.figures import (
    GainsQuery,
    PlayerAgainst,
    PlayerFigures,
    PlayerGains,
    PlayerIdentity,
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
    parse_day,
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
    rows_of_player,
    shown_players,
)
from palmares.web.shared.parameters import (
    AsOf,
    EventId,
    Flight,
    KnownAt,
    PlayerId,
    RegulationName,
    page_count,
    page_of,
)
from palmares.web.shared.results import (
    AwardOfDay,
    LevelReached,
    ResultRow,
    level_of,
    player_results,
    result_rows,
)
from palmares.web.shared.working import WorkedAward, worked

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
        memberships=_memberships(snapshot, who),
    )


def _memberships(snapshot: Snapshot, who: PlayerIdentity) -> tuple[Membership, ...]:
    """The memberships of a player who is not withheld, the latest first."""
    if who.withheld:
        return ()
    rows = rows_of_player(snapshot.facts["memberships"], who.player_id)
    times = (
        Membership(federation, level or "", start, end)
        for federation, level, start, end in rows[["federation", "level", "start", "end"]].rows()
    )
    return tuple(sorted(times, key=lambda time: time.start, reverse=True))


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
    journal: Journal,
    snapshot: Snapshot,
    player_id: str,
    regulation: str,
    day: date,
    today: date,
    known_at: str = "",
) -> PlayerListPage:
    """A player under one regulation.

    Args:
        journal: where official lists are read.
        snapshot: what is known.
        player_id: who; a merged record is the one it is part of.
        regulation: under which.
        day: of the list.
        today: the day it is.
        known_at: the day, moment or entry that is asked for.

    Raises:
        NotFoundException: there is none of that id.
    """
    who = person(snapshot, player_id)
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
        figures=player_figures(journal, snapshot, regulation, who, day, today, history),
        other_regulations=tuple(place for place in places.values() if place.results),
        memberships=_memberships(snapshot, who),
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


def curve_of_player(snapshot: Snapshot, page: PlayerListPage, today: date) -> RankCurve | None:
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
COUNTING, EXPIRED = "counting", "expired"
SORTS: Mapping[str, Callable[[ResultRow], Any]] = {
    "latest": lambda one: -one.effective.toordinal(),
    "worth": lambda one: -one.worth,
    "won": lambda one: -one.nanopoints,
    "expiring": lambda one: one.expires_on or date.max,
}


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
    is_own: bool  # whether the visitor has pinned this player


def player_screen(
    snapshot: Snapshot, page: PlayerListPage, asked: Mapping[str, str], today: date, own: str
) -> PlayerScreen:
    """The page of a player with the answers to its forms.

    Args:
        snapshot: what is known.
        page: the player under a regulation.
        asked: parameters of the address; gains and a rival are worked out only if one of `ask`,
            `rival` and `like` is there.
        today: the day it is.
        own: the id of the player whom the visitor has pinned; empty: nobody.

    Raises:
        NotFoundException: there are not so many results.
    """
    player_id, regulation = page.person.player_id, page.regulation
    asks = any(asked.get(name) for name in ("ask", "rival", "like"))
    typed = asked.get("rival", "").strip()[:LONGEST]
    rival, rivals = _rival(snapshot, typed, player_id)
    above = page.figures.above
    rival = rival or (above.player_id if above and not typed else "")
    wanted = _gains_query(asked, rival)
    gains, against, problem = None, None, ""
    if asks and page.today and not page.known_at:
        try:
            gains = player_gains(snapshot, regulation, player_id, wanted, today)
        except Refused as refused:
            problem = str(refused)
    if asks and rival:
        against = player_against(snapshot, regulation, player_id, rival, page.as_of)
    return extended(
        PlayerScreen,
        page,
        table=results_table(page, asked),
        asks=asks,
        gains=gains,
        against=against,
        curve=rival_curve(against.months) if against else None,
        rival_search=typed,
        rivals=rivals,
        problem=problem,
        is_own=player_id == merged_into(snapshot).get(own, own),
    )


def _gains_query(asked: Mapping[str, str], rival: str) -> GainsQuery:
    """The event to come that a form describes."""
    players, held = asked.get("players", "").strip(), asked.get("held")
    return GainsQuery(
        like=asked.get("like", ""),
        players=int(players or 0) if re.fullmatch(r"[0-9]{0,6}", players) else -1,
        fee=asked.get("fee", ""),
        format=_one_of(asked, "format", FORMATS, ""),
        held=parse_day(held) if held else None,
        rival=rival,
    )


def _one_of(asked: Mapping[str, str], name: str, known: Collection[str], usual: str) -> str:
    """The value of a parameter; the usual one if it is not given.

    Raises:
        Refused: there is no such value.
    """
    value = asked.get(name) or usual
    if value != usual and value not in known:
        raise Refused(
            msg(
                "%(name)s=%(value)s cannot be used here. There are: %(known)s.",
                name=name,
                value=brief(value),
                known=", ".join(known),
            )
        )
    return value


def results_table(page: PlayerListPage, asked: Mapping[str, str]) -> ResultsTable:
    """One page of the results that count, or of those that do not."""
    latest = page.total == "latest"
    counting = [result for result in page.results if result.counts or latest]
    expired = [result for result in page.results if not result.counts and not latest]
    which = _one_of(asked, "which", (COUNTING, EXPIRED), COUNTING)
    sort = _one_of(asked, "sort", SORTS, "latest")
    if not counting and expired and not asked.get("which"):
        which = EXPIRED
    number = int(asked.get("page", 1))
    rows = tuple(sorted(expired if which == EXPIRED else counting, key=SORTS[sort]))
    return ResultsTable(
        which=which,
        sort=sort,
        page=number,
        pages=page_count(len(rows), ROWS),
        counting=len(counting),
        expired=len(expired),
        items=page_of(rows, number, ROWS),
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
