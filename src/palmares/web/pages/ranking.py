"""A ranking as of a day: a hundred rows at a time, with the movement since the list before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import polars as pl

from palmares.rankings import Selection
from palmares.regulations import regulation as held
from palmares.web.hall import Known

ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One player of the list."""

    rank: int
    player_id: str
    player: str
    nation: str | None
    nanopoints: int
    moved: int | None  # ranks up since the list before; none: was not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPage:
    """A ranking as of a day."""

    regulation: str
    title: str
    as_of: date
    before: date  # the list that movement is measured from
    after: date | None  # none: it lies ahead
    setting: str | None
    kind: str
    kinds: tuple[str, ...]
    nation: str | None
    search: str
    players: int  # on the whole list, or found
    page: int  # from 1
    pages: int
    rows: tuple[RankingRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a visitor asks of a ranking."""

    regulation: str
    as_of: date
    setting: str | None = None
    kind: str = "total"
    nation: str | None = None
    search: str = ""
    page: int = 1

    def selection(self, day: date) -> Selection:
        """The same as rankings take it."""
        return Selection(as_of=day, setting=self.setting, kind=self.kind, nation=self.nation)


def list_before(day: date) -> date:
    """The last day of the month before: lists are compared month by month."""
    return day.replace(day=1) - timedelta(days=1)


def list_after(day: date) -> date:
    """The last day of the month, or of the next one where the day is that."""
    first = (day + timedelta(days=1)).replace(day=1)
    return (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)


def ranking_page(known: Known, asked: Asked, today: date) -> RankingPage:
    """The page of a ranking."""
    regulation = held(asked.regulation, awards=True)
    frame = known.ranking(asked.regulation, asked.selection(asked.as_of)).frame
    earlier = known.ranking(asked.regulation, asked.selection(list_before(asked.as_of))).frame
    found = frame
    if asked.search:
        text = pl.col("player").str.to_lowercase()
        found = frame.filter(text.str.contains(asked.search.lower(), literal=True))
    pages = max(1, -(-len(found) // ROWS))
    page = min(asked.page, pages)
    here = found.slice((page - 1) * ROWS, ROWS).join(
        earlier.select("player_id", pl.col("rank").alias("was")),
        on="player_id", how="left", maintain_order="left",
    )  # fmt: skip
    after = list_after(asked.as_of)
    return RankingPage(
        regulation=asked.regulation,
        title=regulation.title,
        as_of=asked.as_of,
        before=list_before(asked.as_of),
        after=after if after <= today else (today if asked.as_of < today else None),
        setting=asked.setting,
        kind=asked.kind,
        kinds=regulation.kinds,
        nation=asked.nation,
        search=asked.search,
        players=len(found),
        page=page,
        pages=pages,
        rows=tuple(_row(row) for row in here.iter_rows(named=True)),
    )


def _row(row: dict[str, Any]) -> RankingRow:
    return RankingRow(
        rank=row["rank"],
        player_id=row["player_id"],
        player=row["player"],
        nation=row["nation"],
        nanopoints=row["nanopoints"],
        moved=None if row["was"] is None else row["was"] - row["rank"],
    )
