"""
Updates of known players' records by reports.

A report may bring a new nation (wbgf reading W17: that of the latest tournament), a new id
elsewhere, or the wish not to be named. Only officers change names.
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
    """The next version of a record; none if nothing changes.

    Args:
        body: of the current version.
        person: name and ids of the current version, unless erased.
        nation: the new nation.
        withheld: whether the name is withheld from now on.
        now: the new name and ids; none: they stay.
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
    register: Register,
    reports: Mapping[str, Sequence[ReportedPlayer]],
    persons: Mapping[str, Person],
) -> tuple[list[Draft], list[Problem]]:
    """New versions of known players' records that reports lead to, and notices.

    Args:
        register: the players.
        reports: how reports name each of the players.
        persons: the players' current names and ids, without erased ones.
    """
    drafts: list[Draft] = []
    notices: list[Problem] = []
    moved = [player for player, named in reports.items() if _other_nation(register, player, named)]
    last = register.last({register.canonical_id(player) for player in moved})
    for player, named in reports.items():
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
        withheld = current.body.withheld or any(reported.withheld for reported in named)
        now = msgspec.structs.replace(person, ids={**_reported_ids(named), **person.ids})
        draft = next_version(current.body, person, nation=nation, withheld=withheld, now=now)
        drafts += [] if draft is None else [draft]
    return drafts, notices


def _reported_ids(named: Sequence[ReportedPlayer]) -> dict[str, str]:
    return {scheme: id_ for reported in named for scheme, id_ in reported.ids.items()}


def _other_names(
    player: str, person: Person, named: Sequence[ReportedPlayer], *, withheld: bool
) -> Iterator[Problem]:
    """Notices of reports that give the id to another name; withheld names are not shown."""
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
    """Notices of ids elsewhere that differ from the recorded ones."""
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
    """Whether a report gives another nation than the record or its player has."""
    recorded = {
        _recorded_nation(register, player),
        _recorded_nation(register, register.canonical_id(player)),
    }
    return any({reported.nation} != recorded for reported in named if reported.nation is not None)


def _recorded_nation(register: Register, player: str) -> str | None:
    """The nation of a record."""
    current = register.in_force(player)
    nation: str | None = None if current is None else current.body.nation
    return nation


def _nation(
    register: Register, player: str, named: Sequence[ReportedPlayer], last: PlayedTournament | None
) -> tuple[str | None, list[Problem]]:
    """The nation after some reports, and notices about it."""
    recorded, main = _recorded_nation(register, player), register.canonical_id(player)
    with_nation = [reported for reported in named if reported.nation is not None]
    latest = max(with_nation, key=lambda reported: reported.last_day or date.min, default=None)
    if latest is None:
        return recorded, []
    later = last is None or (latest.last_day or date.min) > last.day
    notices = []
    if main != player and later and latest.nation != _recorded_nation(register, main):
        what = f"they are {latest.nation} in their latest tournament, and part of {main}, who is"
        what = f"{what} {_recorded_nation(register, main) or 'of no nation'}; that stays"
        remedy = hint(
            "if-nation-changed",
            "If they changed it, an officer edits %(player)s: the nation %(nation)s.",
            player=main,
            nation=latest.nation,
        )
        notices.append(player_problem(player, what, _W17, remedy))
    if latest.nation == recorded:
        return recorded, notices
    if recorded is not None and not later:
        # a report without an id found them by the nation of then: nothing new in that
        what = f"they are {recorded}, and {latest.nation} in a report no later than their last one"
        notice = player_problem(player, what, _W17, "The nation stays as it is.")
        return recorded, [notice] if latest.given else []
    if main == player and recorded is not None:
        what = (
            f"they were {recorded}; their nation is now {latest.nation}, of their latest tournament"
        )
        remedy = "If these are two people, write the id of each into the report."
        notices.append(player_problem(player, what, _W17, remedy))
    return latest.nation, notices
