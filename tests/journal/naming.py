"""
Players as tests have them reported, and journals that know some.

    who         a name, a nation  ->  somebody as a report writes him
    known_to    a journal and people  ->  who they are; new players are recorded
    handed_in   a journal and reports  ->  what was recorded
    season      rows in short  ->  the facts of reports
    names       a journal  ->  name by id
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from palmares.facts import Facts
from palmares.facts.frames import from_frames
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import Action, ActionResult, Transaction, record_entries
from palmares.journal.identity.register import Register, ReportedPlayer
from palmares.journal.identity.resolve import Resolution, resolve_players
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal
from tests.journal.statements import OFFICER


def who(
    name: str, nation: str | None = None, key: str | None = None, **more: Any
) -> ReportedPlayer:
    """Somebody as a report writes him; with a key, by an id."""
    written = f"{name} ({nation})" if nation else name
    return ReportedPlayer(
        key=key or written, name=name, nation=nation, given=key is not None, **more
    )


def known_to(
    journal: Journal, *people: ReportedPlayer, chosen: Mapping[str, str] | None = None
) -> Resolution:
    """Who some people are; what must be recorded first is recorded."""
    found: list[Resolution] = []

    def act(desk: Transaction) -> None:
        found.append(
            resolve_players(Register.of(desk.projection, desk.writer), people, chosen or {})
        )
        for draft in found[0].drafts:
            desk.extend([draft])

    record_entries(journal, OFFICER, act)
    return found[0]


def done(journal: Journal, action: Action) -> ActionResult:
    """An officer's action."""
    return record_entries(journal, OFFICER, action)


def season(*tournaments: tuple[str, str, Sequence[tuple[str, str | None]]]) -> Facts:
    """Reports: an id, the last day, and who was placed, in order, by name and nation."""
    named = {one: None for _, _, placed in tournaments for one in placed}
    return from_frames(
        {
            "players": _columns(
                ("player_id", "name", "nation"), [(key(*one), *one) for one in named]
            ),
            "tournaments": _columns(
                ("tournament_id", "name", "discipline", "end_date"),
                [(one, f"{one} Open", "backgammon", day) for one, day, _ in tournaments],
            ),
            "events": _columns(
                ("event_id", "tournament_id", "name", "kind", "entrants", "entry_fee"),
                [
                    (f"{one}/main", one, "Main", "championship", len(placed), "100")
                    for one, _, placed in tournaments
                ],
            ),
            "placings": _columns(
                ("event_id", "player_id", "rank"),
                [
                    (f"{one}/main", key(*each), rank)
                    for one, _, placed in tournaments
                    for rank, each in enumerate(placed, 1)
                ],
            ),
        }
    )


def key(name: str, nation: str | None) -> str:
    """The id of somebody who was given none."""
    return f"{name} ({nation})" if nation else name


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    import polars as pl

    return pl.DataFrame(
        [[None if cell is None else str(cell) for cell in row] for row in rows],
        dict.fromkeys(names, pl.String),
        orient="row",
    )


def handed_in(journal: Journal, *tournaments: Any, **more: Any) -> ActionResult:
    """Reports that a director hands in."""
    return record_entries(journal, OFFICER, report(season(*tournaments), **more))


def names(journal: Journal) -> dict[str, str]:
    """The name of everybody, by id."""
    players = (
        load_projection(journal).tables["players"].select("player_id", "name").sort("player_id")
    )
    return dict(players.iter_rows())


def day(text: str) -> date:
    """A day."""
    return date.fromisoformat(text)
