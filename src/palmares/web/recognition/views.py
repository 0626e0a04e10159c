"""Races with their standings, and recognition levels with the players who reached them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated

import polars as pl
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, PathParameter

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.journal.store.entries import Race
from palmares.lists.figures.levels import levels_of
from palmares.lists.races import WEEK, published_standings, race_selection, standings
from palmares.points.awards import Question
from palmares.regulations import get_regulation
from palmares.render.pdf import cited
from palmares.web.http.state import Request, Snapshot
from palmares.web.shared.downloads import SavedList, sent_feed
from palmares.web.shared.lists import awarding, listable_day
from palmares.web.shared.names import ListAsOf, RankedPlayer, matching_players
from palmares.web.shared.parameters import (
    AsOf,
    ListedNation,
    OfPage,
    PageOfList,
    RegulationName,
    Search,
    Slice,
)
from palmares.web.shared.results import (
    LevelReached,
    NarrowedPlayers,
    best_results,
    levels_reached,
    own_place,
)

ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRow:
    """A race that was declared."""

    race: str  # in its address
    name: str
    regulation: str
    title: str  # of the regulation
    since: date | None
    until: date | None  # none: it has no end
    final: bool  # whether its last day is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Races:
    """Every race, those that go on first."""

    items: tuple[RaceRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceStanding(RankedPlayer):
    """A player's place in a race."""

    rank_before: int | None  # a week ago; none: was not on it
    gained: Nanopoints  # in the week

    @property
    def moved(self) -> int | None:
        """Ranks up in the week; none: was not on it."""
        return self.rank_before - self.rank if self.rank_before else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedStandings:
    """Standings of a race that were published."""

    entry: int
    as_of: date


@dataclass(frozen=True, slots=True, kw_only=True)
class RacePage(NarrowedPlayers, Slice):
    """The standings of a race as of a day."""

    race: RaceRow
    kinds: tuple[str, ...]  # of points that count; none: all
    setting: str | None
    divisions: tuple[int, ...]  # none: all
    as_of: date
    since: date  # a week before
    published: tuple[PublishedStandings, ...]  # the latest first
    items: tuple[RaceStanding, ...]

    @property
    def rating(self) -> bool:
        """Whether a player's last rating counts alone."""
        return get_regulation(self.race.regulation).aggregate.latest


def _row(race: Race, today: date) -> RaceRow:
    return RaceRow(
        race=race.race,
        name=race.name,
        regulation=race.regulation,
        title=get_regulation(race.regulation).title,
        since=race.since,
        until=race.until,
        final=race.until is not None and race.until < today,
    )


def race_page(
    snapshot: Snapshot,
    race: RaceName,
    today: date,
    pinned: str,
    rows: PageOfList,
    as_of: AsOf = None,
    nation: ListedNation = None,
    search: Search = "",
    open: OfPage = "",  # noqa: A002  the name in the address
) -> RacePage:
    """The standings of a race as of a day, and what changed in the week before.

    After the last day of a race they are final.

    Raises:
        NotFoundException: there is no such race, or nobody of the ID to open is in it.
    """
    declared = _declared(snapshot, race)
    day = listable_day(as_of, today)
    selection = race_selection(declared, day)
    everybody = _standings(snapshot, declared, day)
    every = _matching(snapshot, everybody, nation, search)
    rows = rows.turned_to(every, open, ROWS)
    here, part = rows.cut(every, "player_id", snapshot.head.sequence, ROWS)
    columns = ("rank", "rank_before", "player_id", "player", "nation", "nanopoints", "gained")
    return RacePage(
        **part,
        race=_row(declared, today),
        kinds=tuple(declared.kinds),
        setting=declared.setting,
        divisions=selection.divisions,
        as_of=selection.as_of,
        since=selection.as_of - WEEK,
        players=len(everybody),
        nation=nation and (codes.nation(nation) or nation),
        nations=tuple(sorted(everybody["nation"].drop_nulls().unique())),
        search=search,
        own=own_place(snapshot, pinned, every[["rank", "player_id"]], ROWS),
        opened=best_results(snapshot, declared.regulation, selection, everybody, open),
        published=tuple(
            PublishedStandings(entry=entry, as_of=as_of)
            for entry, as_of in published_standings(snapshot.projection.state, declared)
        ),
        items=tuple(RaceStanding(**row) for row in here.select(columns).iter_rows(named=True)),
    )


def _matching(
    snapshot: Snapshot, everybody: pl.DataFrame, nation: str | None, search: str
) -> pl.DataFrame:
    """The standings that are asked for."""
    if nation:
        everybody = everybody.filter(pl.col("nation") == (codes.nation(nation) or nation))
    if search.strip():
        matching = matching_players(snapshot, search)
        return everybody.join(matching, on="player_id", how="semi", maintain_order="left")
    return everybody


def _declared(snapshot: Snapshot, race: str) -> Race:
    statement = snapshot.projection.state.in_force("races", race)
    if statement is None:
        raise NotFoundException(msg("There is no such race."))
    declared: Race = statement.body
    return declared


def _standings(snapshot: Snapshot, declared: Race, day: date) -> pl.DataFrame:
    name = awarding(declared.regulation)
    return standings(declared, day, lambda chosen: snapshot.ranking(name, chosen).frame)


def saved_race(
    snapshot: Snapshot, race: str, today: date, as_of: date | None, nation: str | None, search: str
) -> SavedList:
    """The standings of a race as a file: what they are, for whoever finds it later."""
    declared, day = _declared(snapshot, race), listable_day(as_of, today)
    everybody = _matching(snapshot, _standings(snapshot, declared, day), nation, search)
    narrowed = [word for word in (nation, search.strip()) if word]
    counted_on = race_selection(declared, day).as_of
    columns = ("rank", "player_id", "player", "nation", "nanopoints")
    return SavedList(
        name=f"{race}-{day}",
        title=f"{declared.name}, as of {counted_on}",
        frame=everybody.select(columns),
        notes=[
            f"Race: {declared.name} ({race})",
            f"Regulation: {get_regulation(declared.regulation).title} ({declared.regulation})",
            f"As of: {counted_on}",
            f"Known at: entry {snapshot.head.sequence} of the journal, {snapshot.head.hash}",
            *([f"Only: {', '.join(narrowed)}"] if narrowed else []),
        ],
        source=cited(Question(regulation=declared.regulation).rulebook().by(counted_on)),
    )


# ── levels ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """A level, and how many have reached it."""

    level: str
    points: str  # of a lifetime
    players: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelsPage(ListAsOf, Slice):
    """The levels of a regulation, and who reached them, the latest first."""

    levels_title: str
    source: str  # where the thresholds were published
    levels: tuple[LevelRow, ...]  # the lowest first
    items: tuple[LevelReached, ...]


def levels_page(
    snapshot: Snapshot, regulation: RegulationName, today: date, rows: PageOfList
) -> LevelsPage:
    """The recognition levels of a regulation, and who reached which through which award.

    The latest come first.

    Raises:
        NotFoundException: the journal has no levels of it.
    """
    awarding(regulation)
    levels = levels_of(snapshot.projection.state, regulation)
    if levels is None:
        raise NotFoundException(msg("No recognition levels are recorded for this regulation."))
    every = levels_reached(snapshot, regulation).filter(pl.col("effective") <= today)
    counts = dict(every.group_by("level").len().iter_rows())
    here, part = rows.cut(every, "row", snapshot.head.sequence, ROWS)
    return LevelsPage(
        **part,
        regulation=regulation,
        title=get_regulation(regulation).title,
        as_of=today,
        levels_title=levels.title,
        source=levels.source,
        levels=tuple(
            LevelRow(level=level.name, points=level.points, players=counts.get(level.name, 0))
            for level in levels.levels
        ),
        items=tuple(LevelReached(**row) for row in here.drop("row").iter_rows(named=True)),
    )


# ── routes ───────────────────────────────────────────────────────────────────────────────────────

LATEST = 50
"""So many of the latest levels are in the feed."""

RaceName = Annotated[
    str,
    PathParameter(
        description="The race, as its file calls it.", examples=[Example(value="points-2019")]
    ),
]


def races(snapshot: Snapshot, today: date) -> Races:
    """Every race that was declared, those that go on first."""
    declared = snapshot.projection.state.all_in_force("races")
    rows = [_row(statement.body, today) for _, statement in declared]
    return Races(items=tuple(sorted(rows, key=lambda row: (row.final, row.name))))


async def levels_feed(request: Request, regulation: FromPath[str]) -> Response[bytes]:
    """Who reached a level last, as Atom."""
    today = request.app_state.today()

    def build(snapshot: Snapshot) -> LevelsPage:
        page = levels_page(snapshot, regulation, today, PageOfList(day=today))
        return replace(page, items=page.items[:LATEST])

    return await sent_feed(request, "levels.xml", build)
