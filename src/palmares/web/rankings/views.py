"""Rankings of players and nations, the four totals, and the front page, as of a day."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import polars as pl

from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.points import totals as master_points
from palmares.points.awards import Question, Waiting, award
from palmares.points.empty_lists import explained
from palmares.points.rankings import TOTAL, Selection
from palmares.points.totals import Totals
from palmares.web.http.state import Snapshot
from palmares.web.shared.lists import (
    ListHead,
    WaitingEvent,
    current_day,
    day_after,
    day_before,
    list_head,
    nearest_day,
    published_days,
    ranked_regulations,
    reason_empty,
    regulations_waiting,
    waiting_events,
)
from palmares.web.shared.names import matching_players
from palmares.web.shared.paging import ALL_ROWS, Cut, PageNumber, Slice, extended
from palmares.web.shared.publications import PublishedList, published_lists
from palmares.web.shared.tournaments import TournamentRow, latest_tournaments

ROWS = 100
TOP, CLIMBED, LATEST, PUBLISHED = 10, 3, 8, 3
"""Rows of each part of the front page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a visitor asks of a list."""

    regulation: str
    as_of: date
    setting: str | None = None
    kind: str = TOTAL
    nation: str | None = None
    search: str = ""
    known_at: str = ""

    def selection(self, day: date | None = None) -> Selection:
        """The same as rankings take it; of another day, if one is given."""
        return Selection(
            as_of=day or self.as_of, setting=self.setting, kind=self.kind, nation=self.nation
        )

    @property
    def narrowed(self) -> bool:
        """Whether it is less than the whole list."""
        return bool(self.setting or self.nation or self.kind != TOTAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """The lists that there are."""

    items: tuple[ListHead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOfDay(Slice):
    """A list as of a day."""

    regulation: str
    title: str
    as_of: date
    known_at: str  # what was asked for; empty: now
    waiting: tuple[WaitingEvent, ...]  # events that are missing in the list
    empty: str  # why it is empty; empty: it is not


def _head(
    snapshot: Snapshot, asked: Asked, waiting: tuple[Waiting, ...], empty: str
) -> dict[str, Any]:
    """The fields of a `ListOfDay`, but for where it goes on."""
    return {
        "regulation": asked.regulation,
        "title": list_head(asked.regulation).title,
        "as_of": asked.as_of,
        "known_at": asked.known_at,
        "entry": snapshot.head.sequence,
        "waiting": waiting_events(waiting),
        "empty": empty,
    }


# ── players ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One player of the list."""

    rank: int  # on the list that is asked for
    world_rank: int | None  # among players of all nations; none: the list is not of one nation
    national_rank: int | None  # among those of the nation; none: the list is not of one nation
    player_id: str
    player: str
    nation: str | None
    nanopoints: Nanopoints
    moved: int | None  # ranks up since the list before; none: was not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingList(ListOfDay):
    """A ranking of players as of a day."""

    before: date  # the list that movement is measured from
    published: int | None  # the entry that published this list
    setting: str | None
    kind: str
    nation: str | None
    search: str
    players: int  # on the whole list, or found
    items: tuple[RankingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPage(RankingList):
    """A page of a ranking, with the ways to other lists."""

    head: ListHead
    after: date | None  # none: it lies ahead
    nearest: date | None  # of which somebody is on the list, where nobody is on this one
    ahead: bool  # whether the day itself lies ahead
    nations: tuple[str, ...]  # of whom there are players on the list, and the one asked for
    page: int  # from 1
    pages: int


def ranking(snapshot: Snapshot, asked: Asked, rows: Cut) -> RankingList:
    """A ranking as of a day, with the movement since the list before."""
    made = snapshot.ranking(asked.regulation, asked.selection())
    found = all_ranked(snapshot, asked)
    here, following = rows.cut(found, "player_id", snapshot.head.sequence)
    before = day_before(snapshot, asked.regulation, asked.as_of)
    announced = published_days(snapshot, asked.regulation).get(asked.as_of)
    return RankingList(
        **_head(snapshot, asked, made.waiting, reason_empty(snapshot, made)),
        before=before,
        published=None if asked.narrowed else announced,
        setting=asked.setting,
        kind=asked.kind,
        nation=asked.nation,
        search=asked.search,
        players=len(found),
        items=_ranked_rows(snapshot, asked, here, before),
        next=following,
    )


def ranking_page(snapshot: Snapshot, asked: Asked, today: date, page: int = 1) -> RankingPage:
    """The page of a ranking."""
    rows = PageNumber(page, ROWS)
    view = ranking(snapshot, asked, rows)
    nation = codes.nation(asked.nation) or asked.nation if asked.nation else None
    return extended(
        RankingPage,
        view,
        nation=nation,
        head=list_head(asked.regulation),
        after=day_after(snapshot, asked.regulation, asked.as_of, today),
        nearest=_nearest(snapshot, asked, today),
        ahead=asked.as_of > today,
        nations=_nations(snapshot, asked, nation),
        page=page,
        pages=rows.pages(view.players),
    )


def all_ranked(snapshot: Snapshot, asked: Asked) -> pl.DataFrame:
    """Every row that is asked for: its ranks, player_id, player, nation, nanopoints.

    There is one ``rank``, or on the list of one nation ``national_rank`` and ``world_rank``.
    """
    frame = snapshot.ranking(asked.regulation, asked.selection()).frame
    if asked.search:
        frame = frame.join(matching_players(snapshot, asked.search), on="player_id", how="semi")
    ranks = ["rank"]
    if asked.nation:
        everybody = replace(asked, nation=None).selection()
        world = snapshot.ranking(asked.regulation, everybody).frame
        frame = frame.rename({"rank": "national_rank"}).join(
            world.select("player_id", world_rank="rank"),
            on="player_id", how="left", maintain_order="left",
        )  # fmt: skip
        ranks = ["national_rank", "world_rank"]
    return frame[[*ranks, "player_id", "player", "nation", "nanopoints"]]


def _ranked_rows(
    snapshot: Snapshot, asked: Asked, found: pl.DataFrame, before: date
) -> tuple[RankingRow, ...]:
    """Rows of a list, with the movement since the list of the day before."""
    earlier = snapshot.ranking(asked.regulation, asked.selection(before)).frame
    # A join would make an index of everybody, on all cores, for a hundred of them; and columns are
    # filtered one by one since a frame would ask all cores, too.
    these = earlier["player_id"].is_in(found["player_id"].implode())
    ranks = earlier["player_id"].filter(these), earlier["rank"].filter(these)
    was = dict(zip(*ranks, strict=True))
    return tuple(
        RankingRow(
            rank=rank,
            world_rank=world[0] if world else None,
            national_rank=rank if world else None,
            player_id=player_id,
            player=player,
            nation=nation,
            nanopoints=nanopoints,
            moved=was[player_id] - rank if player_id in was else None,
        )
        for rank, *world, player_id, player, nation, nanopoints in found.iter_rows()
    )


def _nearest(snapshot: Snapshot, asked: Asked, today: date) -> date | None:
    """Where to look, if the whole list is empty."""
    if len(snapshot.ranking(asked.regulation, Selection(as_of=asked.as_of)).frame):
        return None
    found = nearest_day(snapshot, asked.regulation, asked.as_of, today)
    return found if found != asked.as_of else None


def _nations(snapshot: Snapshot, asked: Asked, nation: str | None) -> tuple[str, ...]:
    """The nations of players on the whole list, and the one asked for, by code."""

    def make() -> tuple[str, ...]:
        everybody = snapshot.ranking(asked.regulation, Selection(as_of=asked.as_of)).frame
        return tuple(everybody["nation"].drop_nulls().unique().sort())

    found = snapshot.once(("nations of a list", asked.regulation, asked.as_of), make)
    return tuple(sorted({*found, *([nation] if nation else [])}))


# ── nations ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class NationRow:
    """One nation of the list."""

    rank: int
    nation: str
    nanopoints: Nanopoints
    players: int  # who count for it
    moved: int | None  # ranks up since the list before; none: was not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class NationsList(ListOfDay):
    """A ranking of nations as of a day."""

    before: date  # the list that movement is measured from
    published: int | None  # the entry that published this list
    setting: str | None
    kind: str
    stateless: str  # players who count for none, in words; empty: there are none
    nations: int  # on the whole list
    items: tuple[NationRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NationListPage(NationsList):
    """A ranking of nations, with the ways to other lists."""

    head: ListHead
    after: date | None  # none: it lies ahead
    ahead: bool  # whether the day itself lies ahead


def nation_list(snapshot: Snapshot, asked: Asked, rows: Cut) -> NationsList:
    """A ranking of nations as of a day, with the movement since the list before.

    Raises:
        Refused: the regulation makes no sums over a nation.
    """
    before = day_before(snapshot, asked.regulation, asked.as_of)
    made = snapshot.nations(asked.regulation, asked.selection())
    earlier = snapshot.nations(asked.regulation, asked.selection(before)).frame
    was = dict(earlier.select("nation", "rank").iter_rows())
    announced = published_days(snapshot, asked.regulation, "nation").get(asked.as_of)
    here, following = rows.cut(all_nations(snapshot, asked), "nation", snapshot.head.sequence)
    return NationsList(
        **_head(snapshot, asked, made.waiting, reason_empty(snapshot, made)),
        before=before,
        published=None if asked.narrowed else announced,
        setting=asked.setting,
        kind=asked.kind,
        stateless=next((one.what for one in made.notices if one.at.file == "players"), ""),
        nations=len(made.frame),
        items=tuple(
            NationRow(
                **row, moved=was[row["nation"]] - row["rank"] if row["nation"] in was else None
            )
            for row in here.iter_rows(named=True)
        ),
        next=following,
    )


def nation_list_page(
    snapshot: Snapshot, asked: Asked, today: date, page: int = 1
) -> NationListPage:
    """The page of a list of nations, all of them.

    Raises:
        Refused: the regulation makes no sums over a nation.
    """
    del page
    return extended(
        NationListPage,
        nation_list(snapshot, asked, ALL_ROWS),
        head=list_head(asked.regulation),
        after=day_after(snapshot, asked.regulation, asked.as_of, today),
        ahead=asked.as_of > today,
    )


def all_nations(snapshot: Snapshot, asked: Asked) -> pl.DataFrame:
    """Every row of the list: rank, nation, nanopoints, players."""
    frame = snapshot.nations(asked.regulation, asked.selection()).frame
    return frame.select("rank", "nation", "nanopoints", "players")


# ── master points: live and online, match and placement, side by side ────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsRow:
    """One player, points in nanopoints."""

    rank: int
    player_id: str
    player: str
    nation: str | None
    live_match: Nanopoints
    live_placement: Nanopoints
    online_match: Nanopoints
    online_placement: Nanopoints
    total: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsList(ListOfDay):
    """The four totals of every player, and their sum, as of a day."""

    search: str
    players: int  # on the whole list, or found
    items: tuple[TotalsRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalsPage(TotalsList):
    """A page of totals, with the ways to other lists."""

    before: date
    after: date | None  # none: it lies ahead
    ahead: bool  # whether the day itself lies ahead
    page: int  # from 1
    pages: int


def totals(snapshot: Snapshot, asked: Asked, rows: Cut) -> TotalsList:
    """The four totals of every player as of a day.

    Raises:
        Refused: the regulation keeps no such totals.
    """
    made = _totals(snapshot, asked)
    found = all_totals(snapshot, asked)
    here, following = rows.cut(found, "player_id", snapshot.head.sequence)
    return TotalsList(
        **_head(snapshot, asked, made.waiting, made.empty[0].what if made.empty else ""),
        search=asked.search,
        players=len(found),
        items=tuple(TotalsRow(**row) for row in here.iter_rows(named=True)),
        next=following,
    )


def totals_page(snapshot: Snapshot, asked: Asked, today: date, page: int = 1) -> TotalsPage:
    """The page of all four totals.

    Raises:
        Refused: the regulation keeps no such totals.
    """
    rows = PageNumber(page, ROWS)
    view = totals(snapshot, asked, rows)
    return extended(
        TotalsPage,
        view,
        before=day_before(snapshot, asked.regulation, asked.as_of),
        after=day_after(snapshot, asked.regulation, asked.as_of, today),
        ahead=asked.as_of > today,
        page=page,
        pages=rows.pages(view.players),
    )


def all_totals(snapshot: Snapshot, asked: Asked) -> pl.DataFrame:
    """Every row that is asked for: its columns, points as nanopoints.

    Without levels: their thresholds are the federation's own, in a file.
    """
    frame = _totals(snapshot, asked).frame
    if asked.search:
        frame = frame.join(matching_players(snapshot, asked.search), on="player_id", how="semi")
    return frame.drop("level")


def _totals(snapshot: Snapshot, asked: Asked) -> Totals:
    """The whole list of a day."""
    selection, question = asked.selection(), Question(regulation=asked.regulation)
    master_points.refuse_others(question)

    def make() -> Totals:
        awards = snapshot.once(
            ("totals of", asked.regulation), lambda: award(question, snapshot.facts, terms=False)
        )
        found = master_points.totals(awards, selection)
        return explained(found, question, lambda: snapshot.evidence(asked.regulation))

    return snapshot.lists.once(("totals", asked.regulation, selection), make)


# ── the front page ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontList(RankingPage):
    """The top of a current list; of the last one with anybody on it if today's is empty."""

    climbed: tuple[RankingRow, ...]  # who moved up most among the first hundred
    changed: bool  # whether any of them stands elsewhere than before


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """The current lists, the latest tournaments, and the lists published last."""

    as_of: date
    entries: int  # of the journal
    lists: tuple[FrontList, ...]
    waiting: tuple[str, ...]  # regulations in whose lists events are missing, because they wait
    tournaments: tuple[TournamentRow, ...]
    published: tuple[PublishedList, ...]


def front_page(snapshot: Snapshot, today: date) -> FrontPage:
    """The front page of a day."""
    asked = (
        Asked(regulation=one.name, as_of=current_day(snapshot, one.name, today))
        for one in ranked_regulations()
    )
    pages = (ranking_page(snapshot, one, today) for one in asked)
    return FrontPage(
        as_of=today,
        entries=snapshot.head.sequence,
        lists=tuple(_front_list(one) for one in pages if one.players),
        waiting=regulations_waiting(snapshot, today),
        tournaments=latest_tournaments(snapshot, today, LATEST),
        published=published_lists(snapshot)[:PUBLISHED],
    )


def _front_list(page: RankingPage) -> FrontList:
    """The top of a list, and who moved up most, the most ranks first."""
    up = [row for row in page.items if row.moved is not None and row.moved > 0]
    return extended(
        FrontList,
        page,
        items=page.items[:TOP],
        climbed=tuple(sorted(up, key=lambda row: (-(row.moved or 0), row.rank))[:CLIMBED]),
        changed=any(row.moved != 0 for row in page.items),
    )
