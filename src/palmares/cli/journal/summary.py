"""What a command recorded, about whom, in the one line that it ends with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from palmares.cli.types import count_of
from palmares.facts.subsets import appearances
from palmares.facts.text import shown
from palmares.journal.store.entries import Entry
from palmares.journal.store.kinds import (
    Apart,
    Erasure,
    Membership,
    Merge,
    Override,
    Player,
    Rate,
    ReportHead,
    Undo,
    Withdrawal,
    body_of,
)
from palmares.journal.wording import counts, names_in, said

if TYPE_CHECKING:
    from palmares.journal.commands.transaction import Recorded
    from palmares.journal.projection.project import Projection

MOST = 3
"""Decisions that are told one by one; of more, how many of each kind there are."""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The words for entries, given what was known before and is known after them."""

    before: Projection
    after: Projection
    undone: Mapping[int, Entry] = field(default_factory=dict)  # entries that count no longer

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of players, by id; those from before where there is none any more."""
        after = {one: name for one, name in names_in(self.after).items() if name != one}
        return names_in(self.before) | after

    def of(self, done: Recorded) -> str:
        """``erased Ada Novak, P7, from 3 tournaments``."""
        kinds = {entry.kind for entry in done.entries}
        beside = {"player", "rate"} if kinds - {"player", "rate"} else set()
        parts = [*self._told([entry for entry in done.entries if entry.kind not in beside])]
        if len(parts) > MOST:
            return counts(done.entries)
        known = self.before.state.group("players")
        players = [
            entry.subject in known for entry in done.entries if entry.kind in beside & {"player"}
        ]
        rates = sum(entry.kind in beside & {"rate"} for entry in done.entries)
        more = (
            (players.count(False), "new player"),
            (sum(players), "changed player"),
            (rates, "exchange rate"),
        )
        return "; ".join([*parts, *(count_of(many, what) for many, what in more if many)])

    def _told(self, entries: Sequence[Entry]) -> Iterator[str]:
        """What each entry states; erasures of one player's records are one."""
        for erasures, group in groupby(entries, key=lambda entry: entry.kind == "erasure"):
            if erasures:
                yield self._erased([entry.subject for entry in group])
            else:
                yield from map(self.entry, group)

    def entry(self, entry: Entry) -> str:  # noqa: C901, PLR0911  one case a kind
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
                of = f"{shown(body.federation)} from {body.start}{until}"
                return f"{self._player(body.player_id)}, in {of}"
            case Merge():
                return f"merged {self._player(subject)}, into {self._player(body.into)}"
            case Apart():
                return f"kept {', and '.join(map(self._player, body.players))}, apart"
            case Override(player=None):
                return f"corrected {body.table} of {self._tournament(subject)}"
            case Override(player=replacement) if replacement:
                both = [self._player(one) for one in (replacement.after, replacement.before)]
                return f"{both[0]}, in the place of {both[1]}, in {self._tournament(subject)}"
            case Undo():
                undone = self.undone.get(body.undoes)
                return f"undid entry {body.undoes}" + (f": {self.entry(undone)}" if undone else "")
            case Erasure():
                return self._erased([subject])
            case Rate():
                return said(entry, {})
            case _:
                return f"{entry.kind} {shown(subject)}"

    def _erased(self, records: Sequence[str]) -> str:
        events = self.before.tables["events"].select("event_id", "tournament_id")
        played = appearances(self.before.tables, records).join(events, on="event_id")
        many = count_of(played["tournament_id"].n_unique(), "tournament")
        return f"erased {' and '.join(map(self._player, records))}, from {many}"

    def _player(self, player: str) -> str:
        """``Ada Novak, P7``; by the name from before where there is none any more."""
        name = self.names.get(player, player)
        return shown(player) if name == player else f"{shown(name)}, {shown(player)}"

    def _tournament(self, tournament: str) -> str:
        for projection in (self.after, self.before):
            rows = projection.tables["tournaments"]
            at = rows["tournament_id"].index_of(tournament)
            if at is not None:
                return f"{shown(rows['name'][at])}, {shown(tournament)}"
        return shown(tournament)
