"""Public draws: all that were announced, and one with its steps and its places."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import polars as pl
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.core.messages import msg
from palmares.journal.projection.project import Statement, key_of
from palmares.journal.store.journal import Reader
from palmares.tournaments.draw import draw as drawing
from palmares.tournaments.draw.announcement import Announced, DrawRefused, Source, read, tag_of
from palmares.tournaments.draw.draw import choosers, explanation
from palmares.web.http.state import AppState, Snapshot, cached
from palmares.web.shared.names import shown_players

FORMATS = {
    "knockout": msg("knockout"),
    "groups": msg("groups"),
    "pairs": msg("first round of a Swiss"),
    "order": msg("order by lot"),
    "late": msg("late entries"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRow:
    """A draw that was announced."""

    entry: int  # of the announcement
    draw: str
    event: str
    format: str  # knockout | groups | pairs | order | late
    format_name: str  # in words
    entrants: int
    state: str  # announced | drawn | replaced
    replaced_by: int | None  # the entry of the announcement that took its place


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Every draw that was announced, the latest first."""

    items: tuple[DrawRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawResult:
    """The draw that follows from the announcement and its randomness."""

    entry: int  # of the randomness
    recorded_at: str
    early: bool  # recorded before the randomness was due
    randomness: str  # as JSON
    seed_text: str
    seed: str
    attempts: int
    steps: tuple[str, ...]
    places: tuple[str | None, ...]  # the ids that were announced; none: a bye
    players: Mapping[str, str]  # names of those ids that are players of the journal


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawPage:
    """A public draw: what was announced, what was revealed, and what follows."""

    row: DrawRow
    recorded_at: str  # the announcement
    author: str
    sha256: str  # of the announcement
    announcement: str  # canonical JSON
    replaces: int | None  # the entry of the announcement that it takes the place of
    reason: str
    sources: tuple[Source, ...]  # of the randomness
    choosers: tuple[str, ...]  # who can still choose among draws after the announcement
    result: DrawResult | None  # none: its randomness is not recorded yet
    refusal: str  # why no draw follows from what was recorded; empty: one does, or none is due


def draws(snapshot: Snapshot) -> Draws:
    """Every draw that was announced, the latest first."""
    rows = [
        _row(snapshot, statement, following)
        for statements in snapshot.projection.state.group("draws").values()
        for statement, following in zip(statements, [*statements[1:], None], strict=True)
    ]
    return Draws(items=tuple(sorted(rows, key=lambda row: -row.entry)))


Announcement = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the draw was announced.",
        examples=[Example(value=41)],
    ),
]


@cached
def draw_page(snapshot: Snapshot, app_state: AppState, entry: Announcement) -> DrawPage:
    """An announced draw: what decides it, each step in words, and the places.

    The draw is computed again from the announcement and the recorded randomness.

    Raises:
        NotFoundException: that entry announced no draw.
    """
    return app_state.read(_draw_page, snapshot, entry)


def _draw_page(reader: Reader, snapshot: Snapshot, entry: int) -> DrawPage:
    row = next((row for row in draws(snapshot).items if row.entry == entry), None)
    if row is None:
        raise NotFoundException(msg("There is no such draw."))
    filed = reader.entry(entry)
    announced = read(json.loads(filed.body)["announcement"].encode())
    content = announced.content
    recorded_at = f"{filed.recorded_at[:19]}Z"
    result, refusal = None, ""
    try:
        result = _result(snapshot, reader, announced, recorded_at)
    except DrawRefused as error:
        refusal = error.problems[0].what
    return DrawPage(
        row=row,
        recorded_at=recorded_at,
        author=filed.author,
        sha256=announced.sha256,
        announcement=announced.text,
        replaces=next(
            (
                statement.sequence
                for statement in snapshot.projection.state.group("draws")[row.draw]
                if statement.body.sha256 == content.replaces
            ),
            None,
        ),
        reason=content.reason or "",
        sources=tuple(content.randomness),
        choosers=tuple(choosers(announced)),
        result=result,
        refusal=refusal,
    )


def _row(snapshot: Snapshot, statement: Statement, following: Statement | None) -> DrawRow:
    announcement = read(statement.body.announcement.encode())
    content = announcement.content
    revealed = _reveal(snapshot, announcement)
    state = "drawn" if revealed else "replaced" if following else "announced"
    form = tag_of(content)
    return DrawRow(
        entry=statement.sequence,
        draw=content.draw,
        event=content.event,
        format=form,
        format_name=FORMATS[form],
        entrants=len(content.entries),
        state=state,
        replaced_by=following.sequence if following else None,
    )


def _reveal(snapshot: Snapshot, announced: Announced) -> Statement | None:
    key = key_of(announced.content.draw, announced.sha256)
    return snapshot.projection.state.in_force("reveals", key)


def _result(
    snapshot: Snapshot, reader: Reader, announced: Announced, recorded_at: str
) -> DrawResult | None:
    """The draw, computed again from the two entries.

    Raises:
        DrawRefused: none follows.
    """
    revealed = _reveal(snapshot, announced)
    if revealed is None:
        return None
    randomness = revealed.body.randomness
    drawn = drawing.run(announced.text.encode(), recorded_at, json.loads(randomness))
    at = f"{reader.entry(revealed.sequence).recorded_at[:19]}Z"
    players = shown_players(snapshot).filter(pl.col("player_id").is_in(drawn.places))
    names = dict(players.select("player_id", "player").iter_rows())
    return DrawResult(
        entry=revealed.sequence,
        recorded_at=at,
        early=at < max(source.when for source in announced.content.randomness),
        randomness=randomness,
        seed_text=drawn.seed.text,
        seed=drawn.seed.seed,
        attempts=len(drawn.attempts),
        steps=tuple(explanation(drawn, names)),
        places=tuple(drawn.places),
        players=names,
    )
