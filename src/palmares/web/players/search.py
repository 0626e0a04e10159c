"""Players by name, nation, year and letter; players, tournaments and nations by a few words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

import polars as pl
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.points.rankings import Selection
from palmares.web.http.i18n import wording
from palmares.web.http.state import Snapshot, cached
from palmares.web.shared.lists import current_day, ranked_regulations
from palmares.web.shared.names import (
    ListAsOf,
    ShownPlayer,
    TournamentRow,
    all_tournaments,
    matching_nations,
    matching_players,
    matching_rows,
    players_with_names,
    searchable_tournaments,
    searched_words,
    shown_players,
    tournament_rows,
)
from palmares.web.shared.parameters import PageOfList, Search, Slice

ROWS = 50
FIRST_MATCHES = 20
"""Players and tournaments on the page of a search."""
_FAMILY_NAME = pl.col("plain").str.split(" ").list.last()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceOnList(ListAsOf):
    """Where a player stands on a list: today's, or the last one with anybody on it."""

    rank: int
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerRow(ShownPlayer):
    """A player who was found."""

    standings: tuple[PlaceOnList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersList(Slice):
    """Players by name, and where they stand on every list."""

    as_of: date
    search: str
    nation: str
    letter: str
    year: str
    total_players: int  # players that there are
    players: int  # found
    nations: tuple[str, ...]  # to choose from
    letters: tuple[str, ...]
    years: tuple[int, ...]
    items: tuple[PlayerRow, ...]


Nation = Annotated[
    str,
    QueryParameter(
        description="Only players of this nation.", examples=[Example(value="CZE")], max_length=100
    ),
]
Letter = Annotated[
    str,
    QueryParameter(
        description="Only players whose last name begins with this letter.",
        examples=[Example(value="N")],
        max_length=1,
    ),
]
Year = Annotated[
    str,
    QueryParameter(
        description="Only players who were placed in a tournament of this year.",
        pattern="^([0-9]{4})?$",
        examples=[Example(value="2019")],
    ),
]


def players(
    snapshot: Snapshot,
    today: date,
    rows: PageOfList,
    search: Search = "",
    nation: Nation = "",
    letter: Letter = "",
    year: Year = "",
) -> PlayersList:
    """Players by name, and where they stand on every list.

    Without a search all players, those whose names are withheld among them; with one those whose
    names have every word, or nearly, by their best rank on any list. With a letter alone those
    whose family name begins with it, by family name.
    """
    every = shown_players(snapshot)
    matching = every
    if search.strip():
        matching = _by_rank(snapshot, matching_players(snapshot, search), today)
    nation = codes.nation(nation) or nation
    if nation:
        matching = matching.filter(nation=nation)
    letter = "".join(searched_words(letter))[:1].upper()
    if letter:
        initials = players_with_names(snapshot).filter(_FAMILY_NAME.str.starts_with(letter.lower()))
        by_family = initials.sort(_FAMILY_NAME, "plain", "player_id").select("player_id")
        order: Literal["left", "right"] = "right" if search.strip() else "left"
        matching = by_family.join(matching, on="player_id", maintain_order=order)
    if year:
        placed = _placed_by_year(snapshot).filter(year=int(year))
        matching = matching.join(placed, on="player_id", how="semi", maintain_order="left")
    here, part = rows.cut(matching, "player_id", snapshot.head.sequence, ROWS)
    return PlayersList(
        **part,
        search=search,
        nation=nation,
        letter=letter,
        year=year,
        as_of=today,
        total_players=len(every),
        players=len(matching),
        nations=tuple(every["nation"].drop_nulls().unique().sort()),
        letters=_letters(snapshot),
        years=tuple(_placed_by_year(snapshot)["year"].unique().sort(descending=True)),
        items=_player_rows(snapshot, here, today),
    )


@cached
def _letters(snapshot: Snapshot) -> tuple[str, ...]:
    """The letters that names begin with."""
    first = players_with_names(snapshot).select(_FAMILY_NAME.str.slice(0, 1).alias("letter"))[
        "letter"
    ]
    return tuple(letter.upper() for letter in first.unique().sort() if letter.isalpha())


@cached
def _placed_by_year(snapshot: Snapshot) -> pl.DataFrame:
    """The player_id of everybody who was placed in a tournament, and its year."""
    events = snapshot.facts["events"].join(all_tournaments(snapshot), on="tournament_id")
    placed = snapshot.facts["placings"].join(events, on="event_id")
    return placed.select("player_id", "year").unique()


def _by_rank(snapshot: Snapshot, matching: pl.DataFrame, today: date) -> pl.DataFrame:
    """Players by their best rank on any list; those on none last, by name."""

    def make() -> pl.DataFrame:
        lists = [
            snapshot.ranking(
                regulation.name,
                Selection(as_of=current_day(snapshot, regulation.name, today)),
            ).frame.select("player_id", "rank")
            for regulation in ranked_regulations()
        ]
        return pl.concat(lists).group_by("player_id").agg(pl.col("rank").min())

    ranks = snapshot.once(("best ranks", today), make)
    joined = matching.join(ranks, on="player_id", how="left")
    return joined.sort("rank", "player", "player_id", nulls_last=True).drop("rank")


def _player_rows(snapshot: Snapshot, matching: pl.DataFrame, day: date) -> tuple[PlayerRow, ...]:
    """Some players, and where they stand on every list of a day."""
    places: dict[str, list[PlaceOnList]] = {player: [] for player in matching["player_id"]}
    for regulation in ranked_regulations() if places else ():
        as_of = current_day(snapshot, regulation.name, day)
        frame = snapshot.ranking(regulation.name, Selection(as_of=as_of)).frame
        rows = frame.filter(frame["player_id"].is_in(list(places)))
        for player, rank, points in rows.select("player_id", "rank", "nanopoints").iter_rows():
            place = PlaceOnList(
                regulation=regulation.name,
                title=regulation.title,
                as_of=as_of,
                rank=rank,
                nanopoints=points,
            )
            places[player].append(place)
    return tuple(
        PlayerRow(player_id=player, player=name, nation=nation, standings=tuple(places[player]))
        for player, name, nation in matching.select("player_id", "player", "nation").iter_rows()
    )


# ── everything ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class NationSummary:
    """A nation that players play for."""

    nation: str  # its code
    name: str  # in English
    players: int  # whom we know


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """Players, tournaments and nations with some words in their names."""

    search: str
    as_of: date
    players: tuple[PlayerRow, ...]  # the first of them, by their best rank on any list
    player_count: int  # found
    tournaments: tuple[TournamentRow, ...]  # the latest of them
    tournament_count: int
    nations: tuple[NationSummary, ...]


def search_page(snapshot: Snapshot, today: date, search: Search = "") -> SearchPage:
    """Players, tournaments and nations with every word in their names, or nearly."""
    text = search.strip()
    people = _by_rank(snapshot, matching_players(snapshot, text), today)
    tournaments = matching_rows(searchable_tournaments(snapshot), text)
    counts = shown_players(snapshot)["nation"].drop_nulls().value_counts(name="players")
    every = counts.sort("players", "nation", descending=[True, False])
    nations = matching_nations(every, text)
    return SearchPage(
        search=text,
        as_of=today,
        players=_player_rows(snapshot, people.head(FIRST_MATCHES), today),
        player_count=len(people),
        tournaments=tournament_rows(tournaments.head(FIRST_MATCHES)),
        tournament_count=len(tournaments),
        nations=tuple(
            NationSummary(nation=code, name=wording("en").country(code), players=many)
            for code, many in nations[["nation", "players"]].iter_rows()
        ),
    )
