"""Rankings of players and nations, the four totals, and the front page, as of a day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any

import polars as pl
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.journal.store.journal import Journal
from palmares.lists.figures.levels import thresholds_of
from palmares.lists.figures.rows import RowFigures
from palmares.lists.live import as_awards, places
from palmares.points import master_points
from palmares.points.awards import Question, Waiting
from palmares.points.empty_lists import explained
from palmares.points.master_points import MasterPoints
from palmares.points.rankings import TOTAL, Selection, by_event
from palmares.web.http.state import AppState, Snapshot
from palmares.web.shared.history import (
    figures_of,
    nation_ranks,
    numbers_of,
    official_frame,
    official_list,
    ranks_of_nation,
    ranks_on,
)
from palmares.web.shared.lists import (
    ListChanges,
    ListOptions,
    WaitingEvent,
    awarding,
    current_day,
    day_after,
    day_before,
    days_ahead,
    list_options,
    list_step,
    listable_day,
    moved_since,
    nearest_day,
    published_days,
    ranked_regulations,
    reason_empty,
    waiting_events,
    with_national_ranks,
)
from palmares.web.shared.names import (
    ListAsOf,
    RankedPlayer,
    ShownPlayer,
    extended,
    matching_nations,
    matching_players,
)
from palmares.web.shared.parameters import (
    AsOf,
    KnownAt,
    ListedNation,
    OfPage,
    PageOfList,
    RegulationName,
    Search,
    Slice,
)
from palmares.web.shared.results import NarrowedPlayers, OwnPlace, best_results, own_place

ROWS = 50
"""Rows of a page."""
PROJECTED = 3
"""Lists that lie ahead, as links."""
TOP = 10
"""Rows of a list on the front page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """What a visitor asks of a list."""

    regulation: str
    as_of: date
    setting: str | None = None
    kind: str = TOTAL
    nation: str | None = None
    search: str = ""

    def selection(self, day: date | None = None) -> Selection:
        """The selection that this asks for; of another day, if one is given."""
        return Selection(
            as_of=day or self.as_of, setting=self.setting, kind=self.kind, nation=self.nation
        )


def list_query(
    today: date,
    regulation: str,
    as_of: date | None,
    search: str = "",
    setting: str | None = None,
    kind: str = TOTAL,
    nation: str | None = None,
) -> ListQuery:
    """What is asked of a list, of a regulation that has one, of a day that can have one.

    Raises:
        NotFoundException: there is no such list.
        Refused: there is none of that day.
    """
    return ListQuery(
        regulation=awarding(regulation),
        as_of=listable_day(as_of, today),
        setting=setting,
        kind=kind,
        nation=nation and (codes.nation(nation) or nation),
        search=search.strip(),
    )


Setting = Annotated[
    str | None,
    QueryParameter(
        description="Only results of this setting, where a regulation keeps them apart.",
        examples=[Example(value="live"), Example(value="online")],
    ),
]
Kind = Annotated[
    str,
    QueryParameter(
        description="Only points of this kind, such as `match` or `placement`; `total`: all.",
        examples=[Example(value=TOTAL)],
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """The lists that there are."""

    items: tuple[ListOptions, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOfDay(ListAsOf, Slice):
    """Some rows of a list, and the other lists of it."""

    options: ListOptions
    lists: Mapping[str, str]  # the title of every list, by the name of its regulation
    known_at: str  # what was asked for; empty: now
    today: bool  # whether it is the list of today
    before: date  # the list day before
    after: date | None  # the next list day; none: it lies more than a year ahead
    in_future: bool  # whether the day lies ahead: the list if nothing more is reported
    projected: tuple[date, ...]  # the next days whose lists lie ahead
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty_reason: str  # why it is empty; empty: it is not


def _head(
    snapshot: Snapshot,
    query: ListQuery,
    today: date,
    known_at: str,
    waiting: tuple[Waiting, ...],
    empty: str,
) -> dict[str, Any]:
    """The fields of a `ListOfDay`, but for those of its slice."""
    options = list_options(query.regulation)
    return {
        "regulation": query.regulation,
        "title": options.title,
        "options": options,
        "lists": {regulation.name: regulation.title for regulation in ranked_regulations()},
        "as_of": query.as_of,
        "known_at": known_at,
        "today": query.as_of == today,
        "before": day_before(snapshot, query.regulation, query.as_of, today),
        "after": day_after(snapshot, query.regulation, query.as_of, today),
        "in_future": query.as_of > today,
        "projected": days_ahead(today)[:PROJECTED],
        "waiting": waiting_events(waiting),
        "empty_reason": empty,
    }


# ── players ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow(RankedPlayer):
    """One player of the list that is asked for."""

    world_rank: int | None  # among players of all nations
    national_rank: int | None  # among those of the nation; none: they have none, or it ranks
    # its players by the points that they won for it
    moved: int | None  # ranks up since the earlier list; none: was not on it
    figures: RowFigures | None = None  # what the points come from; none: it is not looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrowedList(ListOfDay):
    """A list of some or all results as of a day, with the movement since an earlier list."""

    publication: int | None  # the entry that published the list of this day
    later_changes: ListChanges | None  # from that to this one; none: nothing was published
    since: date  # the day of the list that movement is measured from
    since_entry: int | None  # that published it; none: it is that list as it is known now
    setting: str | None
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingList(NarrowedPlayers, NarrowedList):
    """A ranking of players as of a day."""

    nearest_day: date | None  # of which somebody is on the list, where nobody is on this one
    items: tuple[RankingRow, ...]


def ranking(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    pinned: str,
    regulation: RegulationName,
    rows: PageOfList,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    setting: Setting = None,
    kind: Kind = TOTAL,
    nation: ListedNation = None,
    search: Search = "",
    open: OfPage = "",  # noqa: A002  the name in the address
) -> RankingList:
    """A ranking of players as of a day.

    Best first; players with equal results share a rank.
    """
    query = list_query(today, regulation, as_of, search, setting, kind, nation)
    every = _every(snapshot, query)
    rows = rows.turned_to(every, open, ROWS)
    here, part = rows.cut(every, "player_id", snapshot.head.sequence, ROWS)
    everybody = snapshot.ranking(regulation, Selection(as_of=query.as_of)).frame
    nearest = None
    if everybody.is_empty():
        nearest = nearest_day(snapshot, regulation, query.as_of, today)
    (since, entry), items = ranked_rows(
        app_state.journal, snapshot, query, here, today, figures=True
    )
    return RankingList(
        **part,
        **_narrowed_head(app_state.journal, snapshot, query, today, known_at, "player"),
        since=since,
        since_entry=entry,
        nation=query.nation,
        nations=_nations(snapshot, query, everybody, query.nation),
        search=query.search,
        nearest_day=nearest if nearest != query.as_of else None,
        players=len(every),
        opened=best_results(snapshot, regulation, query.selection(), every, open),
        own=own_place(snapshot, pinned, every, ROWS),
        items=items,
    )


def _narrowed_head(
    journal: Journal, snapshot: Snapshot, query: ListQuery, today: date, known_at: str, by: str
) -> dict[str, Any]:
    """The fields of a `NarrowedList`, but for those of its slice and of its movement."""
    ranked = snapshot.ranking(query.regulation, query.selection(), by)
    is_narrowed = query.setting or query.nation or query.kind != TOTAL
    published = published_days(snapshot, query.regulation, by)
    publication = None if is_narrowed else published.get(query.as_of)
    return {
        **_head(snapshot, query, today, known_at, ranked.waiting, reason_empty(snapshot, ranked)),
        "publication": publication,
        "later_changes": publication and _later_changes(journal, snapshot, query, by),
        "setting": query.setting,
        "kind": query.kind,
    }


def _later_changes(journal: Journal, snapshot: Snapshot, query: ListQuery, by: str) -> ListChanges:
    """How the list that was published for a day became the one that is known now."""

    def make() -> ListChanges:
        official = official_frame(snapshot, journal, query.regulation, query.as_of, by)
        if by == "player":
            merged = official_list(snapshot, journal, query.regulation, query.as_of).merged
            into = {record: player for player, record in merged.items()}
            official = official.with_columns(pl.col("player_id").replace(into))
        return list_step(official, snapshot.ranking(query.regulation, query.selection(), by).frame)

    return snapshot.lists.once(("later changes", by, query.regulation, query.as_of), make)


def all_ranked(snapshot: Snapshot, query: ListQuery) -> pl.DataFrame:
    """Every row that is asked for: its ranks, player_id, player, nation, nanopoints.

    There is one ``rank``, or on the list of one nation ``national_rank`` and ``world_rank``.
    """
    every = _every(snapshot, query)
    return every if query.nation else every.drop("national_rank")


def _every(snapshot: Snapshot, query: ListQuery) -> pl.DataFrame:
    """The same with ``national_rank`` also where no nation is asked for."""
    ranks = ["national_rank", "world_rank"] if query.nation else ["rank", "national_rank"]
    frame = _of_nation(snapshot, query) if query.nation else _national(snapshot, query)
    if query.search:
        frame = frame.join(matching_players(snapshot, query.search), on="player_id", how="semi")
    return frame[[*ranks, "player_id", "player", "nation", "nanopoints"]]


def _of_nation(snapshot: Snapshot, query: ListQuery) -> pl.DataFrame:
    """The list of one nation: a part of everybody's, unless its players rank by other points."""
    everybody = replace(query, nation=None).selection()
    world = snapshot.ranking(query.regulation, everybody).frame.rename({"rank": "world_rank"})
    if nation := _plain_nation(query):
        _, ranks = ranks_of_nation(snapshot, query.regulation, query.as_of, nation)
        national = pl.Series("national_rank", ranks, pl.Int64)
        return world.filter(pl.col("nation") == nation).with_columns(national)
    frame = snapshot.ranking(query.regulation, query.selection()).frame
    return frame.rename({"rank": "national_rank"}).join(
        world.select("player_id", "world_rank"),
        on="player_id", how="left", maintain_order="left",
    )  # fmt: skip


def _plain_nation(query: ListQuery) -> str | None:
    """The nation of a list that is the whole list of its day but for the nation, else none."""
    whole = Selection(as_of=query.as_of, nation=query.nation)
    if query.selection() != whole or by_event(Question(regulation=query.regulation)):
        return None
    return query.nation


def ranked_rows(
    journal: Journal,
    snapshot: Snapshot,
    query: ListQuery,
    here: pl.DataFrame,
    today: date,
    *,
    figures: bool = False,
) -> tuple[tuple[date, int | None], tuple[RankingRow, ...]]:
    """What movement is measured from, as `moved_since` has it, and rows of a list with it.

    Args:
        journal: where official lists are read.
        snapshot: what is known.
        query: the list.
        here: the rows of it.
        today: the day it is.
        figures: whether to say what the points come from, too.
    """
    wanted, given = here["player_id"], snapshot.awards(query.regulation)
    numbers = numbers_of(given, wanted)
    is_complete = query.selection() == Selection(as_of=query.as_of) or _plain_nation(query)
    since, entry = moved_since(
        snapshot, query.regulation, query.as_of, today, of_all=bool(is_complete)
    )
    if entry:
        ranks_before = _official_ranks(journal, snapshot, query, since, wanted)
    else:
        ranks_before = _ranks_before(snapshot, query, since, wanted, numbers)
    figures_by_player = (
        figures_of(snapshot, query.regulation, query.selection(), numbers) if figures else {}
    )
    return (since, entry), tuple(
        RankingRow(
            rank=rank,
            world_rank=other if query.nation else rank,
            national_rank=rank if query.nation else other,
            player_id=player_id,
            player=player,
            nation=nation,
            nanopoints=nanopoints,
            moved=ranks_before[player_id] - rank if player_id in ranks_before else None,
            figures=figures_by_player.get(player_id),
        )
        for rank, other, player_id, player, nation, nanopoints in here.iter_rows()
    )


def _official_ranks(
    journal: Journal, snapshot: Snapshot, query: ListQuery, day: date, players: pl.Series
) -> Mapping[str, int]:
    """The ranks of some players on the list that was published for a day."""
    official = official_list(snapshot, journal, query.regulation, day)
    records = {player: official.merged.get(player, player) for player in players}
    ranks = {
        record: official.places[record][0]
        for record in records.values()
        if record in official.places
    }
    if nation := _plain_nation(query):
        frame = official_frame(snapshot, journal, query.regulation, day, "player")
        own = frame.filter(frame["nation"] == nation)
        ranks = dict(zip(own["player_id"], own["rank"].rank("min").to_list(), strict=True))
    return {player: ranks[record] for player, record in records.items() if record in ranks}


def _ranks_before(
    snapshot: Snapshot, query: ListQuery, before: date, players: pl.Series, numbers: pl.Series
) -> Mapping[str, int]:
    """The ranks of some players, who have numbers, on the list of the day before."""
    given, selection = snapshot.awards(query.regulation), query.selection(before)
    if nation := _plain_nation(query):
        own, national = ranks_of_nation(snapshot, query.regulation, before, nation)
        return dict(zip(own, national.tolist(), strict=True))
    if query.nation and by_event(given.question):
        return _values(places(given, selection), "rank", players)
    ids = given.names.players["player_id"]
    ranks = ranks_on(snapshot, query.regulation, selection)[numbers.to_numpy()].tolist()
    return {player: rank for player, rank in zip(ids[numbers], ranks, strict=True) if rank}


def _values(frame: pl.DataFrame, column: str, players: pl.Series) -> Mapping[str, int]:
    """A column of a list by player, for some players.

    A join would make an index of everybody, on all cores, for a hundred of them; and columns are
    filtered one by one since a frame would ask all cores, too.
    """
    wanted = frame["player_id"].is_in(players.implode())
    return dict(zip(frame["player_id"].filter(wanted), frame[column].filter(wanted), strict=True))


def _national(snapshot: Snapshot, query: ListQuery) -> pl.DataFrame:
    """The whole list with national ranks."""
    ranked = snapshot.ranking(query.regulation, query.selection())
    return snapshot.lists.once(
        ("national ranks", query.regulation, query.selection()),
        lambda: with_national_ranks(ranked.frame, ranked.question),
    )


def _nations(
    snapshot: Snapshot, query: ListQuery, everybody: pl.DataFrame, nation: str | None
) -> tuple[str, ...]:
    """The nations of players on the whole list, and the one asked for, by code."""
    there = snapshot.once(
        ("nations of a list", query.regulation, query.as_of),
        lambda: frozenset(everybody["nation"].drop_nulls().unique()),
    )
    return tuple(sorted({*there, *([nation] if nation else [])}))


# ── nations ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class NationRow:
    """One nation of the list."""

    rank: int
    nation: str
    nanopoints: Nanopoints
    players: int  # who count for it
    moved: int | None  # ranks up since the earlier list; none: was not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class NationsList(NarrowedList):
    """A ranking of nations as of a day."""

    without_nation: str  # players who count for none, in words; empty: there are none
    search: str
    nations: int  # on the whole list, or found
    items: tuple[NationRow, ...]


def nation_list(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    regulation: RegulationName,
    rows: PageOfList,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    setting: Setting = None,
    kind: Kind = TOTAL,
    search: Search = "",
) -> NationsList:
    """A ranking of nations as of a day.

    Raises:
        Refused: the regulation makes no sums over a nation.
    """
    query = list_query(today, regulation, as_of, search, setting, kind)
    ranked = snapshot.ranking(query.regulation, query.selection(), by="nation")
    is_complete = query.selection() == Selection(as_of=query.as_of)
    since, entry = moved_since(
        snapshot, query.regulation, query.as_of, today, "nation", of_all=is_complete
    )
    was = nation_ranks(app_state.journal, snapshot, regulation, query.selection(since), entry)
    every = all_nations(snapshot, query)
    here, part = rows.cut(every, "nation", snapshot.head.sequence)
    return NationsList(
        **part,
        **_narrowed_head(app_state.journal, snapshot, query, today, known_at, "nation"),
        since=since,
        since_entry=entry,
        without_nation=next(
            (notice.what for notice in ranked.notices if notice.at.file == "players"), ""
        ),
        search=query.search,
        nations=len(every),
        items=tuple(
            NationRow(
                **row, moved=was[row["nation"]] - row["rank"] if row["nation"] in was else None
            )
            for row in here.iter_rows(named=True)
        ),
    )


def all_nations(snapshot: Snapshot, query: ListQuery) -> pl.DataFrame:
    """Every row that is asked for: rank, nation, nanopoints, players."""
    frame = snapshot.ranking(query.regulation, query.selection(), by="nation").frame
    if query.search:
        frame = matching_nations(frame, query.search)
    return frame.select("rank", "nation", "nanopoints", "players")


# ── master points: live and online, match and placement, side by side ────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsRow(ShownPlayer):
    """One player, points in nanopoints."""

    rank: int
    live_match: Nanopoints
    live_placement: Nanopoints
    online_match: Nanopoints
    online_placement: Nanopoints
    total: Nanopoints
    level: str | None  # of recognition; none: not reached, or no levels are recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsList(ListOfDay):
    """The four totals of every player, and their sum, as of a day."""

    search: str
    players: int  # on the whole list, or found
    own: OwnPlace | None  # of the visitor's player; none: nobody is pinned, or not on the list
    items: tuple[TotalsRow, ...]


def totals(
    snapshot: Snapshot,
    today: date,
    pinned: str,
    regulation: RegulationName,
    rows: PageOfList,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    search: Search = "",
) -> TotalsList:
    """The four totals of master points as of a day.

    Live and online, match and placement points of every player, and their sum.

    Raises:
        Refused: the regulation keeps no such totals.
    """
    query = list_query(today, regulation, as_of, search)
    day = _totals(snapshot, query)
    every = all_totals(snapshot, query)
    here, part = rows.cut(every, "player_id", snapshot.head.sequence, ROWS)
    return TotalsList(
        **part,
        **_head(
            snapshot, query, today, known_at, day.waiting, day.empty[0].what if day.empty else ""
        ),
        search=query.search,
        players=len(every),
        own=own_place(snapshot, pinned, every[["rank", "player_id"]], ROWS),
        items=tuple(TotalsRow(**row) for row in here.iter_rows(named=True)),
    )


def all_totals(snapshot: Snapshot, query: ListQuery) -> pl.DataFrame:
    """Every row that is asked for: its columns, points as nanopoints."""
    frame = _totals(snapshot, query).frame
    if query.search:
        frame = frame.join(matching_players(snapshot, query.search), on="player_id", how="semi")
    return frame


def _totals(snapshot: Snapshot, query: ListQuery) -> MasterPoints:
    """The whole list of a day."""
    selection, question = query.selection(), Question(regulation=query.regulation)
    master_points.refuse_others(question)

    def make() -> MasterPoints:
        awards = as_awards(snapshot.awards(query.regulation))
        thresholds = thresholds_of(snapshot.projection.state, query.regulation)
        ranked = master_points.rank_master_points(awards, selection, thresholds)
        return explained(ranked, lambda: (snapshot.facts, awards.frame))

    return snapshot.lists.once(("totals", query.regulation, selection), make)


# ── the front page ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontList(RankingList):
    """The top of a current list; of the last one with anybody on it if today's is empty."""

    changed: bool  # whether anybody among the first fifty has moved


def front_lists(app_state: AppState, snapshot: Snapshot, today: date) -> Iterator[FrontList]:
    """The tops of the current lists that are not empty."""
    for regulation in ranked_regulations():
        day = current_day(snapshot, regulation.name, today)
        page = ranking(snapshot, app_state, today, "", regulation.name, PageOfList(day=today), day)
        if page.players:
            changed = any(row.moved != 0 for row in page.items)
            yield extended(FrontList, page, items=page.items[:TOP], changed=changed)
