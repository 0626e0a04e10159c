"""
Pairs of players who may be one, decided many at a time.

A pair was written into a file some time ago. It is recorded as long as both players still are what
the file says; else the row is named, with what has changed, and nothing is recorded.
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
    """One row: two players as they stood when the pairs were written, and what they are."""

    where: Location  # pairs.xlsx:5
    decision: str  # SAME, DIFFERENT or LATER
    player_id: str
    player: str  # name and nation
    other_id: str
    other: str


@action
def review(transaction: Transaction, pairs: Sequence[DecidedPair], reason: str) -> None:
    """Merge the players who are the same and keep those apart who are different.

    Args:
        transaction: where it is recorded.
        pairs: what was decided; of those to be decided later nothing is recorded.
        reason: how it is known.

    Raises, when it is done:
        FactsRejected: a row is stale, or contradicts another one; names every such row.
    """
    why = checked_reason(reason)
    decided = [pair for pair in pairs if pair.decision != LATER]
    register = transaction.register
    players = {each for one in decided for each in (one.player_id, one.other_id)}
    columns = players_with_names(register).select("player_id", "name", "nation")
    work = _Review(
        register=register,
        forms={row[0]: str(Form(*row[1:])) for row in columns.iter_rows() if row[0] in players},
        events={one: set(found) for one, found in events_of(register, players).items()},
        apart=kept_apart(register),
    )
    for one in sorted(decided, key=lambda each: each.decision == DIFFERENT):
        if not work.is_stale(one):
            work.decide(one, why)
    if work.problems:
        raise FactsRejected(work.problems, so=msg("nothing was recorded"))
    transaction.notices += work.notices
    transaction.extend(work.drafts)


@dataclass(slots=True)
class _Review:
    """The rows that were looked at so far."""

    register: Register
    forms: dict[str, str]  # how players are called now
    events: dict[str, set[str]]  # in which they stand; those of a merged record are its player's
    apart: dict[frozenset[str], int]  # the entries that keep players apart
    into: dict[str, str] = field(default_factory=dict)  # merges of this review
    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)

    def canonical_id(self, player: str) -> str:
        """The record that a record is part of after the rows before."""
        player = self.register.canonical_id(player)
        while player in self.into:
            player = self.into[player]
        return player

    def refuse(self, one: DecidedPair, what: str, remedy: str = "") -> None:
        """A row that cannot be recorded."""
        mend = "Write the file of pairs again, or set this row to later."
        self.problems.append(Problem(at=one.where, what=what, clause=CLAUSE, remedy=remedy or mend))

    def is_stale(self, one: DecidedPair) -> bool:
        """Whether a player of a row is not what the row says, or nothing is left to decide."""
        for player, written in ((one.player_id, one.player), (one.other_id, one.other)):
            whole = self.register.canonical_id(player)
            if self.register.in_force(player) is None:
                what = f"there is no player {shown(player)}"
            elif whole != player and self._says_so(one):
                return True
            elif whole != player:
                what = f"{shown(player)} is part of {shown(whole)} now"
            elif self.forms.get(player, player) != written:
                now = self.forms.get(player, player)
                what = f"{shown(player)} is {shown(now)} now, and {shown(written)} in this row"
            else:
                continue
            self.refuse(one, what)
            return True
        return False

    def _says_so(self, one: DecidedPair) -> bool:
        """Whether what a row asks for is recorded already, of the records it names or of others."""
        players = (one.player_id, one.other_id)
        wholes = frozenset(map(self.register.canonical_id, players))
        if one.decision == DIFFERENT:
            entry = self.apart.get(wholes)
        else:
            state = self.register.projection.state
            merges = [state.in_force("merges", player) for player in players]
            entry = max((merge.sequence for merge in merges if merge), default=None)
            entry = entry if len(wholes) == 1 else None
        if entry is None:
            return False
        what = _apart_of(one) if one.decision == DIFFERENT else _merge_of(one)
        self.notices.append(already_recorded(entry, what))
        return True

    def decide(self, one: DecidedPair, why: str) -> None:
        """Put down what a row says."""
        players = self.canonical_id(one.player_id), self.canonical_id(one.other_id)
        if one.decision == SAME:
            self._merge(one, *players, why)
        elif players[0] == players[1]:
            both = f"{shown(one.player_id)} and {shown(one.other_id)}"
            what = f"{both} are one player by other rows"
            self.refuse(one, what, "Decide which of these rows is right.")
        elif (entry := self.apart.get(frozenset(players))) is not None:
            if entry:
                self.notices.append(already_recorded(entry, _apart_of(one)))
        else:
            pair = sorted(players)
            self.apart[frozenset(players)] = 0
            self.drafts.append(draft(pair[0], Apart(players=pair, reason=why)))

    def _merge(self, one: DecidedPair, first: str, second: str, why: str) -> None:
        if first == second:
            return  # by other rows
        stays, goes = sorted((first, second), key=self.register.first)
        entry = self.apart.get(frozenset((stays, goes)))
        met = self.events.get(stays, set()) & self.events.get(goes, set())
        both = f"{shown(stays)} and {shown(goes)}"
        if entry is not None:
            self.refuse(one, f"entry {entry} says that {both} are two players")
        elif met:
            what = f"{both} both played in {shown(min(met))}"
            self.refuse(one, what, "They are two players: write different.")
        else:
            self.into[goes] = stays
            self.apart = {
                frozenset(stays if each == goes else each for each in pair): entry
                for pair, entry in self.apart.items()
            }
            self.events[stays] = self.events.get(stays, set()) | self.events.get(goes, set())
            self.notices += disagreements(self.register, goes, stays)
            self.drafts.append(draft(goes, Merge(player_id=goes, into=stays, reason=why)))


def _merge_of(one: DecidedPair) -> str:
    return f"merge of {shown(one.other_id)} and {shown(one.player_id)}"


def _apart_of(one: DecidedPair) -> str:
    return f"decision that {shown(one.player_id)} and {shown(one.other_id)} are two players"
