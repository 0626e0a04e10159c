"""
New versions of players' records: what reports bring of players who are known.

A report may bring a nation held now (wbgf reading W17: of the latest tournament), an id elsewhere
that was not known, or the wish not to be named. It changes nothing else: names are for officers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

import msgspec

from palmares.core.errors import Problem
from palmares.core.messages import hint
from palmares.facts.text import shown
from palmares.journal.identity.register import (
    PlayedTournament,
    Register,
    ReportedPlayer,
    other_ids,
    player_problem,
)
from palmares.journal.store.entries import Draft
from palmares.journal.store.kinds import Player, draft
from palmares.journal.store.persons import Person, seal

_W17 = "wbgf national-ranking, reading W17"
_PLAYERS = "journal players"


def next_version(
    body: Player,
    person: Person | None,
    *,
    nation: str | None,
    withheld: bool,
    now: Person | None,
) -> Draft | None:
    """The next version of a record; none if it is as it was.

    Args:
        body: of the version that stands.
        person: who it is the record of, if the name is there.
        nation: the nation held now.
        withheld: whether the name is not shown.
        now: who it shall be the record of.
    """
    same = now is None or (
        person is not None and (now == person or now.record() == person.record())
    )
    if same and (nation, withheld) == (body.nation, body.withheld):
        return None
    sealed = () if same or now is None else (seal(now),)
    commitment = sealed[0].commitment if sealed else body.person
    later = msgspec.structs.replace(body, nation=nation, withheld=withheld, person=commitment)
    return draft(body.player_id, later, sealed=sealed)


def updates_from_reports(
    register: Register, met: Mapping[str, Sequence[ReportedPlayer]], persons: Mapping[str, Person]
) -> tuple[list[Draft], list[Problem]]:
    """What reports bring of players who are known.

    Args:
        register: the players.
        met: how reports name each of them.
        persons: their records; nothing of those whose names were erased.
    """
    drafts: list[Draft] = []
    notices: list[Problem] = []
    moved = [one for one, named in met.items() if _other_nation(register, one, named)]
    last = register.last({register.canonical_id(one) for one in moved})
    for player, named in met.items():
        current = register.in_force(player)
        person = persons.get(player)
        if current is None:
            continue
        if person is None:
            notices.append(
                player_problem(player, "the name was erased, and is not recorded again", _PLAYERS,
                        "Leave the name out of reports, if it is to stay unknown.")
            )  # fmt: skip
            continue
        notices += _other_names(player, person, named, withheld=current.body.withheld)
        notices += _other_ids(player, person, named)
        nation, about = _nation(register, player, named, last.get(register.canonical_id(player)))
        notices += about
        withheld = current.body.withheld or any(one.withheld for one in named)
        now = msgspec.structs.replace(person, ids={**_reported_ids(named), **person.ids})
        draft = next_version(current.body, person, nation=nation, withheld=withheld, now=now)
        drafts += [] if draft is None else [draft]
    return drafts, notices


def _reported_ids(named: Sequence[ReportedPlayer]) -> dict[str, str]:
    found: dict[str, str] = {}
    for reported in named:
        found |= other_ids(reported.more)[0]
    return found


def _other_names(
    player: str, person: Person, named: Sequence[ReportedPlayer], *, withheld: bool
) -> Iterator[Problem]:
    """Reports that give the id to another name; a withheld name is not told."""
    for reported in named:
        if reported.given and reported.name != person.name:
            known = "not called so" if withheld else f"{shown(person.name)} in this journal"
            yield player_problem(
                player,
                f"they are {known}, and {shown(reported.name)} in a report",
                _PLAYERS,
                hint(
                    "correct-id-or-name",
                    "If these are two people, correct the id in the report; if the name is another"
                    " now, an officer edits %(player)s.",
                    player=player,
                ),
            )


def _other_ids(player: str, person: Person, named: Sequence[ReportedPlayer]) -> Iterator[Problem]:
    """Ids elsewhere that differ from what is known."""
    for scheme, value in _reported_ids(named).items():
        known = person.ids.get(scheme, value)
        if known != value:
            yield player_problem(
                player,
                f"the {scheme} id is {shown(known)}, and {shown(value)} in a report",
                _PLAYERS,
                hint(
                    "correct-report-or-id",
                    "If these are two people, correct the report; if the id is another now,"
                    " an officer changes it.",
                    player=player,
                    scheme=scheme,
                ),
            )


def _other_nation(register: Register, player: str, named: Sequence[ReportedPlayer]) -> bool:
    """Whether a report gives another nation than a record has, or the one it is part of."""
    held = {
        _recorded_nation(register, player),
        _recorded_nation(register, register.canonical_id(player)),
    }
    return any({reported.nation} != held for reported in named if reported.nation is not None)


def _recorded_nation(register: Register, player: str) -> str | None:
    """The nation of the version that stands."""
    current = register.in_force(player)
    nation: str | None = None if current is None else current.body.nation
    return nation


def _nation(
    register: Register, player: str, named: Sequence[ReportedPlayer], last: PlayedTournament | None
) -> tuple[str | None, list[Problem]]:
    """The nation held now, and what to say of it."""
    held, whole = _recorded_nation(register, player), register.canonical_id(player)
    saying = [reported for reported in named if reported.nation is not None]
    latest = max(saying, key=lambda one: one.last_day or date.min, default=None)
    if latest is None:
        return held, []
    later = last is None or (latest.last_day or date.min) > last.day
    notices = []
    if whole != player and later and latest.nation != _recorded_nation(register, whole):
        what = f"they are {latest.nation} in their latest tournament, and part of {whole}, who is"
        what = f"{what} {_recorded_nation(register, whole) or 'of no nation'}; that stays"
        remedy = hint(
            "if-nation-changed",
            "If they changed it, an officer edits %(player)s: the nation %(nation)s.",
            player=whole,
            nation=latest.nation,
        )
        notices.append(player_problem(player, what, _W17, remedy))
    if latest.nation == held:
        return held, notices
    if held is not None and not later:
        # a report without an id found them by the nation of then: nothing new in that
        what = f"they are {held}, and {latest.nation} in a report no later than their last one"
        kept = player_problem(player, what, _W17, "The nation stays as it is.")
        return held, [kept] if latest.given else []
    if whole == player and held is not None:
        what = (
            f"they were {held}; {latest.nation}, of their latest tournament, is the nation held now"
        )
        remedy = "If these are two people, write the id of each into the report."
        notices.append(player_problem(player, what, _W17, remedy))
    return latest.nation, notices
