"""
Decisions on many possible duplicates at once, from a file of pairs.

A decision is recorded if both players still are as the file says; otherwise the problem says what
has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.core.messages import msg
from palmares.facts.text import shown
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.players import disagreements
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.identity.duplicates import events_of, kept_apart, players_with_names
from palmares.journal.identity.register import Form, Register
from palmares.journal.store.entries import Draft
from palmares.journal.store.kinds import Apart, Merge, draft

SAME, DIFFERENT, LATER = "same", "different", "later"
CLAUSE = "journal review"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedPair:
    """A row: two players as they were when the file was written, and the decision."""

    where: Location  # pairs.xlsx:5
    decision: str  # SAME, DIFFERENT or LATER
    player_id: str
    player: str  # name and nation
    other_id: str
    other: str


@action
def review(transaction: Transaction, pairs: Sequence[DecidedPair], reason: str) -> None:
    """Merge the pairs that are the same player, and keep apart those that are different.

    Args:
        transaction: where it is recorded.
        pairs: with decisions; nothing is recorded of those for later.
        reason: how the officer knows.

    Raises, when it is done:
        FactsRejected: rows are outdated, or contradict others.
    """
    why = checked_reason(reason)
    decided = [pair for pair in pairs if pair.decision != LATER]
    register = transaction.register
    players = {id_ for pair in decided for id_ in (pair.player_id, pair.other_id)}
    columns = players_with_names(register).select("player_id", "name", "nation")
    work = _Review(
        register=register,
        forms={row[0]: str(Form(*row[1:])) for row in columns.iter_rows() if row[0] in players},
        events={id_: set(events) for id_, events in events_of(register, players).items()},
        apart=kept_apart(register),
    )
    for pair in sorted(decided, key=lambda pair: pair.decision == DIFFERENT):
        if not work.is_outdated(pair):
            work.decide(pair, why)
    if work.problems:
        raise FactsRejected(work.problems, so=msg("nothing was recorded"))
    transaction.notices += work.notices
    transaction.extend(work.drafts)


@dataclass(slots=True)
class _Review:
    """The effect of the rows so far."""

    register: Register
    forms: dict[str, str]  # current names and nations
    events: dict[str, set[str]]  # by player
    apart: dict[frozenset[str], int]  # pairs kept apart, with the entry; 0: in this review
    into: dict[str, str] = field(default_factory=dict)  # merges of this review
    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)

    def canonical_id(self, player: str) -> str:
        """The canonical id of a record after the rows before."""
        player = self.register.canonical_id(player)
        while player in self.into:
            player = self.into[player]
        return player

    def refuse(
        self,
        pair: DecidedPair,
        what: str,
        remedy: str = "Write the file of pairs again, or set this row to later.",
    ) -> None:
        """Add the problem of a row that cannot be recorded."""
        self.problems.append(Problem(at=pair.where, what=what, clause=CLAUSE, remedy=remedy))

    def is_outdated(self, pair: DecidedPair) -> bool:
        """Whether a player is not as the row says, or the decision is recorded already."""
        for player, written in ((pair.player_id, pair.player), (pair.other_id, pair.other)):
            main = self.register.canonical_id(player)
            if self.register.in_force(player) is None:
                what = f"there is no player {shown(player)}"
            elif main != player and self._is_recorded(pair):
                return True
            elif main != player:
                what = f"{shown(player)} is part of {shown(main)} now"
            elif self.forms.get(player, player) != written:
                now = self.forms.get(player, player)
                what = f"{shown(player)} is {shown(now)} now, and {shown(written)} in this row"
            else:
                continue
            self.refuse(pair, what)
            return True
        return False

    def _is_recorded(self, pair: DecidedPair) -> bool:
        """Whether the decision of a row is recorded already."""
        players = (pair.player_id, pair.other_id)
        mains = frozenset(map(self.register.canonical_id, players))
        if pair.decision == DIFFERENT:
            entry = self.apart.get(mains)
        else:
            state = self.register.projection.state
            merges = [state.in_force("merges", player) for player in players]
            entry = max((merge.sequence for merge in merges if merge), default=None)
            entry = entry if len(mains) == 1 else None
        if entry is None:
            return False
        merge = f"merge of {shown(pair.other_id)} and {shown(pair.player_id)}"
        what = _apart_of(pair) if pair.decision == DIFFERENT else merge
        self.notices.append(already_recorded(entry, what))
        return True

    def decide(self, pair: DecidedPair, why: str) -> None:
        """Add the entry that a row needs."""
        players = self.canonical_id(pair.player_id), self.canonical_id(pair.other_id)
        if pair.decision == SAME:
            self._merge(pair, *players, why)
        elif players[0] == players[1]:
            what = (
                f"{shown(pair.player_id)} and {shown(pair.other_id)} are one player by other rows"
            )
            self.refuse(pair, what, "Decide which of these rows is right.")
        elif (entry := self.apart.get(frozenset(players))) is not None:
            if entry:
                self.notices.append(already_recorded(entry, _apart_of(pair)))
        else:
            self.apart[frozenset(players)] = 0
            apart = Apart(players=sorted(players), reason=why)
            self.drafts.append(draft(apart.players[0], apart))

    def _merge(self, pair: DecidedPair, first: str, second: str, why: str) -> None:
        if first == second:
            return  # by other rows
        stays, goes = sorted((first, second), key=self.register.first)
        entry = self.apart.get(frozenset((stays, goes)))
        met = self.events.get(stays, set()) & self.events.get(goes, set())
        players = f"{shown(stays)} and {shown(goes)}"
        if entry is not None:
            self.refuse(pair, f"entry {entry} says that {players} are two players")
        elif met:
            what = f"{players} both played in {shown(min(met))}"
            self.refuse(pair, what, "They are two players: write different.")
        else:
            self.into[goes] = stays
            self.apart = {
                frozenset(stays if id_ == goes else id_ for id_ in ids): entry
                for ids, entry in self.apart.items()
            }
            self.events[stays] = self.events.get(stays, set()) | self.events.get(goes, set())
            self.notices += disagreements(self.register, goes, stays)
            self.drafts.append(draft(goes, Merge(player_id=goes, into=stays, reason=why)))


def _apart_of(pair: DecidedPair) -> str:
    return f"decision that {shown(pair.player_id)} and {shown(pair.other_id)} are two players"
