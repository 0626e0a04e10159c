"""The last line of a command that records: what was recorded, about whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from palmares.cli.terminal import count_of
from palmares.facts.merge import appearances
from palmares.facts.text import printable
from palmares.journal.store.entries import (
    Apart,
    Entry,
    Erasure,
    Membership,
    Merge,
    Override,
    Player,
    Rate,
    ReportHead,
    Streamed,
    SupportDecision,
    SupportRequest,
    Transfer,
    Undo,
    Withdrawal,
    body_of,
)
from palmares.render.entries import count_by_kind, describe_entry, name_and_id, player_names

if TYPE_CHECKING:
    from palmares.journal.projection.project import Projection

MOST = 3
"""Decisions that are named one by one; of more, the number of each kind."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Entries in words, by what the journal held before and after them."""

    before: Projection
    after: Projection
    undone: Mapping[int, Entry] = field(default_factory=dict)  # entries that an undo cancels

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of players by id; of an erased one the name from before."""
        after = {
            player: name for player, name in player_names(self.after).items() if name != player
        }
        return player_names(self.before) | after

    def of_all(self, entries: Sequence[Entry]) -> str:
        """``erased Ada Novak [P7] from 3 tournaments``.

        Players and rates that came with reports or decisions are only counted.
        """
        counted = {"player", "rate"}
        if all(entry.kind in counted for entry in entries):
            counted = set()
        decisions = self._decisions([entry for entry in entries if entry.kind not in counted])
        if len(decisions) > MOST:
            return count_by_kind(entries)
        players = self.before.state.group("players")
        kinds = Counter(
            "exchange rate" if entry.kind == "rate"
            else "changed player" if entry.subject in players
            else "new player"
            for entry in entries if entry.kind in counted
        )  # fmt: skip
        order = ("new player", "changed player", "exchange rate")
        return "; ".join(
            [*decisions, *(count_of(kinds[kind], kind) for kind in order if kinds[kind])]
        )

    def _decisions(self, entries: Sequence[Entry]) -> list[str]:
        """What each entry did; successive erasures are records of one player."""
        words: list[str] = []
        for is_erasure, group in groupby(entries, key=lambda entry: entry.kind == "erasure"):
            if is_erasure:
                words.append(self._erased([entry.subject for entry in group]))
            else:
                words += map(self.of_entry, group)
        return words

    def of_entry(self, entry: Entry) -> str:  # noqa: C901, PLR0911  one case a kind
        """What one entry did, and to whom."""
        subject, body = entry.subject, body_of(entry)
        match body:
            case ReportHead():
                return f"{'replaced' if body.replaces else 'reported'} {self._tournament(subject)}"
            case Withdrawal():
                return f"withdrew {self._tournament(subject)}"
            case Player():
                versions = self.before.state.group("players").get(subject, ())
                is_new = all(version.sequence >= entry.sequence for version in versions)
                return f"{'added' if is_new else 'changed'} {self._player(subject)}"
            case Membership():
                until = f" to {body.end}" if body.end else ""
                of = f"{printable(body.federation)} from {body.start}{until}"
                return f"{self._player(body.player_id)} in {of}"
            case Merge():
                return f"merged {self._player(subject)} into {self._player(body.into)}"
            case Apart():
                return f"kept {' and '.join(map(self._player, body.players))} apart"
            case Override(player=None):
                return f"corrected {body.table} of {self._tournament(subject)}"
            case Override(player=other) if other:
                after, before = self._player(other.after), self._player(other.before)
                return f"{after} in the place of {before} in {self._tournament(subject)}"
            case Undo():
                undone = self.undone.get(body.undoes)
                return f"undid entry {body.undoes}" + (
                    f": {self.of_entry(undone)}" if undone else ""
                )
            case Erasure():
                return self._erased([subject])
            case Rate() | SupportRequest() | SupportDecision() | Streamed() | Transfer():
                return describe_entry(entry, {})
            case _:
                return f"{entry.kind} {printable(subject)}"

    def _erased(self, records: Sequence[str]) -> str:
        if self.before.state.group("players").keys().isdisjoint(records):
            return f"erased a donor's name from {count_of(len(records), 'donation')}"
        events = self.before.tables["events"].select("event_id", "tournament_id")
        played = appearances(self.before.tables, records).join(events, on="event_id")
        many = count_of(played["tournament_id"].n_unique(), "tournament")
        return f"erased {' and '.join(map(self._player, records))} from {many}"

    def _player(self, player: str) -> str:
        """``Ada Novak [P7]``."""
        return name_and_id(player, self.names)

    def _tournament(self, tournament: str) -> str:
        for projection in (self.after, self.before):
            rows = projection.tables["tournaments"]
            at = rows["tournament_id"].index_of(tournament)
            if at is not None:
                return f"{printable(rows['name'][at])}, {printable(tournament)}"
        return printable(tournament)
