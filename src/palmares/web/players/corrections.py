"""The corrections that touched a player: who made them, when, why, and what each moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from palmares.core.rounding import Nanopoints
from palmares.journal.projection.project import Statement
from palmares.journal.store.entries import Override
from palmares.journal.store.journal import Reader
from palmares.lists.figures.movement import CorrectionImpact, PlayerMove, correction_impact
from palmares.points.awards import Question
from palmares.regulations import get_regulation
from palmares.render.entries import words_of_row
from palmares.web.http.state import AppState, Snapshot
from palmares.web.players.figures import PlayerIdentity, person
from palmares.web.shared.history import names_of, statement_words
from palmares.web.shared.lists import awarding
from palmares.web.shared.names import extended, merged_into
from palmares.web.shared.parameters import KnownAt, PlayerId, RegulationName
from palmares.web.shared.results import player_results


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCorrection(PlayerMove):
    """A correction, and how it moved a player on the list of the day."""

    tournament_id: str
    tournament: str
    entry: int  # of the journal
    kind: str  # report: reported again; override: an officer set a value; withdrawal
    day: date  # on which it was recorded
    role: str  # of who recorded it
    what: tuple[str, ...]  # was corrected, in words
    reason: str  # the officer's; empty: none was given
    as_of: date  # the day of the list: that of the record, or when the tournament counts later
    change: Nanopoints
    expired: bool  # whether the player's results in the tournament had expired by that day


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCorrections:
    """The corrections that touched a player under a regulation, the latest first."""

    person: PlayerIdentity
    regulation: str
    title: str
    known_at: str
    items: tuple[PlayerCorrection, ...]


def player_corrections(
    app_state: AppState,
    snapshot: Snapshot,
    player_id: PlayerId,
    regulation: RegulationName,
    known_at: KnownAt = "",
) -> PlayerCorrections:
    """The corrections that touched a player under one regulation, and what each moved.

    Ranks and points are those of one list, known up to the entry before the correction and up to
    it: `palmares diff` shows the same.

    Raises:
        NotFoundException: there is no such player.
    """
    who, name = person(snapshot, player_id), awarding(regulation)
    merged = merged_into(snapshot)
    ids = (who.player_id, *(each for each, into in merged.items() if into == who.player_id))
    with app_state.journal.reading() as reader:
        rows = [
            row
            for tournament, statement in _statements(snapshot, reader, name, ids)
            if (row := _row(app_state, snapshot, reader, name, ids, tournament, statement))
        ]
    return PlayerCorrections(
        person=who,
        regulation=name,
        title=get_regulation(name).title,
        known_at=known_at,
        items=tuple(sorted(rows, key=lambda row: -row.entry)),
    )


def _statements(
    snapshot: Snapshot, reader: Reader, regulation: str, ids: Sequence[str]
) -> Iterator[tuple[str, Statement]]:
    """What followed the first report of each tournament that has, or had, the player in it."""
    state, results = snapshot.projection.state, player_results(snapshot, regulation, ids[0]).results
    own = {result.tournament_id for result in results}
    for tournament in state.group("tournaments"):
        reports = state.not_undone("tournaments", tournament)
        later = [*reports[1:], *state.not_undone("overrides", tournament)]
        if later and (tournament in own or _names_any(reader, reports, ids)):
            yield from ((tournament, statement) for statement in later)


def _names_any(reader: Reader, reports: list[Statement], ids: Sequence[str]) -> bool:
    """Whether any of a tournament's reports names one of some players."""
    entries = reader.by_number([statement.sequence for statement in reports])
    return any(f'"{each}"' in entry.body for entry in entries for each in ids)


def _row(
    app_state: AppState,
    snapshot: Snapshot,
    reader: Reader,
    regulation: str,
    ids: Sequence[str],
    tournament: str,
    statement: Statement,
) -> PlayerCorrection | None:
    """A correction as it is shown; none: it neither moved the player nor is it about them.

    It moved the record that the results were of then: the player's, or one that was merged since.
    """
    question, state = Question(regulation=regulation), snapshot.projection.state
    impact = app_state.impacts.once(
        (regulation, statement.sequence),
        lambda: correction_impact(reader, question, tournament, statement.sequence, state),
    )
    there = (each for each in ids if each in impact.moves)
    player_id = max(there, key=lambda each: abs(impact.moves[each].gained), default=ids[0])
    move, entry = impact.moves.get(player_id), reader.entry(statement.sequence)
    what = _words(snapshot, impact, player_id, tournament, statement)
    moved = move and (move.rank, move.nanopoints) != (move.rank_before, move.nanopoints_before)
    if move is None or not (what or moved):
        return None
    return extended(
        PlayerCorrection,
        move,
        tournament_id=tournament,
        tournament=names_of(snapshot).get(tournament, tournament),
        entry=statement.sequence,
        kind=statement.kind,
        day=date.fromisoformat(entry.recorded_at[:10]),
        role=entry.role,
        what=what or (statement_words(snapshot, tournament, statement),),
        reason=getattr(statement.body, "reason", ""),
        as_of=impact.day,
        change=move.gained,
        expired=player_id in impact.expired,
    )


def _words(
    snapshot: Snapshot,
    impact: CorrectionImpact,
    player_id: str,
    tournament: str,
    statement: Statement,
) -> tuple[str, ...]:
    """What was corrected about the tournament, its events and the player, in words.

    Empty: only rows of other players.
    """
    body = statement.body
    of_tournament = any(row.table == "tournaments" and not (row.before and row.after)
                for row in impact.rows)  # fmt: skip
    if of_tournament or (isinstance(body, Override) and body.player is not None):
        return (statement_words(snapshot, tournament, statement),)
    names = names_of(snapshot, [player_id])
    return tuple(
        words_of_row(tournament, row.table, row.key, row.after, names, row.before)
        for row in impact.rows
        if row.key.get("player_id", player_id) == player_id
    )
