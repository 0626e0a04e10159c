"""What an undo takes with it, what it leaves, and what it may not do."""

from __future__ import annotations

from collections.abc import Iterator

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import msg, plural
from palmares.facts.merge import named_players, of_tournaments
from palmares.facts.text import printable
from palmares.journal.commands.transaction import Transaction
from palmares.journal.projection.project import State
from palmares.journal.store.entries import Override


def refuse_unpaid(state: State, sequence: int) -> None:
    """Refuse an undo after which a payment would count that nobody has granted.

    Raises:
        Refused: money is paid of a grant, or a payment would count again.
    """
    for (group, key), root in state.places_of({*state.roots([sequence])}):
        paid = [
            statement.sequence
            for statement in state.not_undone("transfers", key)
            if statement.body.flow == "payment"
        ]
        if group == "grants" and paid:
            raise Refused(
                msg(
                    "Money of this grant is paid, by entry %(entry)s. Undo the payment first, or"
                    " decide again with another amount.",
                    entry=str(paid[-1]),
                )
            )
        is_payment = group == "transfers" and root.body.flow == "payment"
        if is_payment and root.sequence not in paid:
            raise Refused(msg("A payment that was undone does not come back. Record it again."))


def with_new_player(transaction: Transaction, sequence: int) -> list[int]:
    """The entries to undo for one: a player recorded to replace another goes with the replacement.

    They come back with it, too. A player whom another entry names stays, with a notice.
    """
    state = transaction.state
    (root,) = state.roots([sequence])
    body = next((statement.body for _, statement in state.places_of({root})), None)
    if not isinstance(body, Override) or body.player is None:
        return [sequence]
    new = body.player.after
    first = state.group("players")[new][0].sequence
    pair = [each for _, each in state.places_of({first + 1}) if each.kind == "apart"]
    if not pair or new not in pair[0].body.players or pair[0].body.reason != body.reason:
        return [sequence]  # the player was recorded before the decision
    recorded = [first, first + 1]
    if state.is_undone(root):
        undos = [undo for each in recorded for undo in state.undos.get(each, ())]
        return [*(undo for undo in undos if not state.is_undone(undo)), sequence]
    naming = [
        entry.sequence
        for entry in transaction.writer.entries(after=first + 1)
        if f'"{new}"' in entry.body or entry.subject == new
        if entry.sequence != root and not state.is_undone(entry.sequence)
    ]
    if not naming:
        return [sequence, *(each for each in reversed(recorded) if not state.is_undone(each))]
    transaction.notices.append(
        Problem(
            at=Location(f"player {printable(new)}"),
            what=msg(
                "this player stays, because entry %(entry)s names them", entry=str(naming[-1])
            ),
            clause="journal undo",
            remedy=msg(
                "To remove the player once no entry names them, undo entry %(entry)s.",
                entry=str(first),
            ),
        )
    )
    return [sequence]


def remaining_players(transaction: Transaction, sequence: int) -> list[Problem]:
    """A notice if players have no tournament once the report of an entry is undone."""
    state = transaction.state
    ((_, tournament), root), *_ = state.places_of({*state.roots([sequence])})
    *before, last = [root, *state.not_undone("tournaments", tournament)]
    earlier_counts = len(before) > 1 and before[-1].kind == "report"
    if last != root or root.kind != "report" or earlier_counts or not before:
        return []
    tables = transaction.projection.tables
    own = named_players(of_tournaments(tables, [tournament]))
    others = named_players(of_tournaments(tables, [tournament], "anti"))
    many = own.join(others, on="player_id", how="anti").height
    if not many:
        return []
    return [
        Problem(
            at=Location(f"entry {root.sequence}"),
            what=plural(
                "%(many)s player of this report has no other tournament and stays, on no list",
                "%(many)s players of this report have no other tournament and stay, on no list",
                many,
            ),
            clause="journal undo",
            remedy=msg("If it is reported again, the same names are found again."),
        )
    ]


def without_effect(state: State, sequence: int) -> list[Problem]:
    """A notice if a later entry replaced this one, so that nothing changes now."""
    (root,) = state.roots([sequence])
    group, key = next((place for place, _ in state.places_of({root})), ("", ""))
    current = state.in_force(group, key)
    does_not_replace = group in ("overrides", "erasures", "transfers")
    if does_not_replace or current is None or current.sequence <= root:
        return []
    return [
        Problem(
            at=Location(f"entry {sequence}"),
            what=msg(
                "entry %(entry)s has replaced it, so nothing changes now",
                entry=str(current.sequence),
            ),
            clause="journal undo",
            remedy=msg(
                "To let neither of them count, undo entry %(entry)s too.",
                entry=str(current.sequence),
            ),
        )
    ]


def unchanged_nation(transaction: Transaction, merge: int) -> Iterator[Problem]:
    """A notice if a player's nation has changed since a merge: undoing it does not change it."""
    ((_, statement),) = transaction.state.places_of({merge})
    record = statement.body.player_id
    player = transaction.register.canonical_id(record)
    versions = transaction.state.not_undone("players", player)
    before = [version.body.nation for version in versions if version.sequence < merge]
    if player != record and before and before[-1] != versions[-1].body.nation:
        yield Problem(
            at=Location(f"player {printable(player)}"),
            what=msg(
                "the nation was %(before)s before the merge and is %(now)s since entry %(entry)s;"
                " it stays",
                before=before[-1] or (msg("none"),),
                now=versions[-1].body.nation or (msg("none"),),
                entry=str(versions[-1].sequence),
            ),
            clause="journal merges",
            remedy=msg(
                "If that nation is the other player's, an officer edits %(player)s.",
                player=printable(player),
            ),
        )
