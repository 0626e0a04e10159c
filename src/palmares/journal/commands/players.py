"""
What officers decide about players: each of these is an action, and can be undone like any other.

    merge       two records are one player
    unmerge     a record that was merged is somebody of his own again
    split       somebody else played in these tournaments under his name
    apart       two players who look alike are two
    merged_by   the entry that merged a record
    at_odds     what two records say differently that are to be merged

A player is given by id or by a name that is exactly his (`palmares.journal.identity.find`). Nothing
is moved: reports keep naming the record they name, so a merge that is undone leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from palmares.errors import Problem, Refused
from palmares.facts.texts import shown
from palmares.journal.bodies import WHO, Tables, changed
from palmares.journal.decisions import reasoned, report_of, undo
from palmares.journal.entries import Draft
from palmares.journal.finding import find
from palmares.journal.lookalikes import apart_by
from palmares.journal.naming import put, row_of, whole_of
from palmares.journal.people import Person
from palmares.journal.projection import tables_of
from palmares.journal.recording import Action, Desk
from palmares.journal.register import Register
from palmares.journal.repeats import unchanged
from palmares.journal.state import State
from palmares.sentences import either, said

CLAUSE = "journal merges"


# ── together and apart ───────────────────────────────────────────────────────────────────────────


def merge(player: str, into: str, reason: str) -> Action:
    """Let a player's record be part of another one; his results count for that one.

    Args:
        player: whose record goes.
        into: whose record stays, with its name and nation.
        reason: how it is known.

    Raises, when it is done:
        Refused: one is not known, is part of another record already, or was kept apart.
        FactsRejected: both played in one flight, say; somebody cannot be there twice.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        register = Register.of(desk.projection, desk.writer)
        goes, stays = (whole_of(register, find(desk.projection, one)) for one in (player, into))
        if goes == stays:
            raise Refused(
                said(
                    "%(player)s is one record; there is nobody to merge it with.",
                    player=shown(goes),
                )
            )
        decided = apart_by(register).get(frozenset((goes, stays)))
        if decided is not None:
            raise Refused(
                either(
                    f"Entry {decided} says that {shown(goes)} and {shown(stays)} are two players."
                    f" If that was wrong, undo it first: palmares journal undo {decided}.",
                    said(
                        "Entry %(entry)s says that %(one)s and %(other)s are two players. If that"
                        " was wrong, undo entry %(entry)s first.",
                        entry=str(decided),
                        one=shown(goes),
                        other=shown(stays),
                    ),
                )
            )
        body = {"player_id": goes, "into": stays, "reason": why}
        desk.add(Draft(kind="merge", subject=goes, body=body))
        desk.notices += at_odds(register, goes, stays)

    return act


def merged_by(state: State, player: str) -> int:
    """The entry that merged a record.

    Raises:
        Refused: it was not merged.
    """
    found = state.standing("merges", player)
    if found is None:
        raise Refused(said("%(player)s was not merged into anybody.", player=shown(player)))
    return found.sequence


def at_odds(register: Register, goes: str, stays: str) -> Iterator[Problem]:
    """What two records say differently; what the one says that stays, counts."""
    here, there = (register.standing(one) for one in (goes, stays))
    if here is None or there is None:
        return
    persons = register.persons((goes, stays))
    if here.body["withheld"] and not there.body["withheld"]:
        yield _notice(
            goes,
            f"his name is withheld, and that of {stays} is not: his results will show it",
            either(
                f"If it shall not be shown: palmares player edit {stays} --withheld.",
                said(
                    "If it shall not be shown, an officer edits %(player)s: the name withheld.",
                    player=stays,
                ),
            ),
        )
    if None not in (here.body["nation"], there.body["nation"]) and (
        here.body["nation"] != there.body["nation"]
    ):
        last = register.last((goes, stays))
        later = goes in last and (stays not in last or last[goes].day > last[stays].day)
        yield _notice(
            goes,
            f"his nation is {here.body['nation']}{' in the later tournament' * later};"
            f" {there.body['nation']}, of {stays}, stays",
            _if_nation(stays, here.body["nation"]),
        )
    if goes in persons and stays in persons:
        known = persons[stays].ids
        for scheme, value in sorted(persons[goes].ids.items()):
            if known.get(scheme, value) != value:
                yield _notice(
                    goes,
                    f"his {scheme} id is {shown(value)}, that of {stays} is {shown(known[scheme])}",
                    "Make sure that they are one player.",
                )


def _if_nation(player: str, nation: str) -> str:
    """What to do where a record that goes has another nation."""
    return either(
        f"If he is {nation} now: palmares player edit {player} --nation {nation}.",
        said(
            "If he is %(nation)s now, an officer edits %(player)s: another nation.",
            nation=nation,
            player=player,
        ),
    )


def _notice(player: str, what: str, remedy: str) -> Problem:
    return Problem(where=f"player {shown(player)}", what=what, clause=CLAUSE, remedy=remedy)


def unmerge(player: str, reason: str) -> Action:
    """Let a record that was merged be somebody of his own again: undo the merge.

    Raises, when it is done:
        Refused: it was not merged.
    """

    def act(desk: Desk) -> None:
        state = desk.projection.state
        record = find(desk.projection, player)
        register = Register.of(desk.projection, desk.writer)
        parts = register.parts(record)
        if state.standing("merges", record) is None and parts:
            raise Refused(
                either(
                    f"{shown(record)} was not merged into anybody; {_listed(parts)} into him. Say"
                    " which one shall be somebody of his own again, or name the tournaments that"
                    " were somebody else's: --tournament ID.",
                    said(
                        "%(player)s was not merged into anybody. Say which of these shall be"
                        " somebody of his own again: %(parts)s. Or decide “Somebody else played”,"
                        " and name the tournaments.",
                        player=shown(record),
                        parts=", ".join(shown(one) for one in parts),
                    ),
                )
            )
        undo(merged_by(state, record), reason)(desk)

    return act


def _listed(parts: Sequence[str]) -> str:
    names = " and ".join(shown(one) for one in parts)
    return f"{names} {'was' if len(parts) == 1 else 'were'} merged"


def apart(one: str, other: str, reason: str) -> Action:
    """State that two players who look alike are two.

    Raises, when it is done:
        Refused: one is not known; they are one record.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        register = Register.of(desk.projection, desk.writer)
        pair = sorted({whole_of(register, find(desk.projection, each)) for each in (one, other)})
        if len(pair) == 1:
            raise Refused(said("%(player)s is one record; name two.", player=shown(pair[0])))
        decided = apart_by(register).get(frozenset(pair))
        if decided is not None:
            both = " and ".join(map(shown, pair))
            desk.notices.append(unchanged(decided, f"decision that {both} are two players"))
            return
        body = {"players": pair, "reason": why}
        desk.add(Draft(kind="apart", subject=pair[0], body=body))

    return act


# ── somebody else played ─────────────────────────────────────────────────────────────────────────


def split(
    player: str,
    tournaments: Sequence[str],
    reason: str,
    *,
    into: str | None = None,
    cells: Mapping[str, str] | None = None,
) -> Action:
    """Let somebody else take a player's place in some tournaments.

    Args:
        player: who stands in their reports.
        tournaments: by id.
        reason: how it is known.
        into: who it was; without it, a new player.
        cells: of the new player: name, nation; without them, as of the player he was taken for.

    Raises, when it is done:
        Refused: a tournament is not known, or he is not in it.
        FactsRejected: the other one is in one of them too.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        register = Register.of(desk.projection, desk.writer)
        record = whole_of(register, find(desk.projection, player))
        mine = _mine(desk, register, record, tournaments)
        if into is not None:
            other = whole_of(register, find(desk.projection, into))
            if other == record:
                raise Refused(
                    said("%(player)s is one record; name somebody else.", player=shown(record))
                )
        else:
            other = _taken_for(desk, register, record, cells or {})
            body = {"players": sorted((record, other)), "reason": why}
            desk.add(Draft(kind="apart", subject=body["players"][0], body=body))
        for tournament, ids in mine.items():
            for one in ids:
                replaced = {"player": {"from": one, "to": other}, "reason": why}
                desk.add(Draft(kind="override", subject=tournament, body=replaced))

    return act


def _mine(
    desk: Desk, register: Register, player: str, tournaments: Sequence[str]
) -> dict[str, list[str]]:
    """Under which ids a player stands in the reports of some tournaments.

    Raises:
        Refused: he is not in one of them.
    """
    state = desk.projection.state
    reports = {report_of(state, one): one for one in dict.fromkeys(tournaments)}
    found = {}
    for entry in desk.writer.those(reports):
        tournament = reports[entry.sequence]
        tables = changed(tables_of(entry), state.overrides(tournament))
        found[tournament] = sorted(
            one for one in _named(tables) if register.whole(one) == player
        )  # fmt: skip
        if not found[tournament]:
            raise Refused(
                said(
                    "%(player)s is not in the report of %(tournament)s.",
                    player=shown(player),
                    tournament=shown(tournament),
                )
            )
    return found


def _named(tables: Tables) -> set[str]:
    return {
        one
        for name, columns in WHO.items()
        for column in columns
        for one in tables.get(name, {}).get(column, ())
        if one is not None
    }


def _taken_for(desk: Desk, register: Register, player: str, cells: Mapping[str, str]) -> str:
    """Put a new player down who was taken for another one."""
    standing, person = register.standing(player), register.persons([player]).get(player)
    if person is None and "name" not in cells:
        raise Refused(
            either(
                f"The name of {shown(player)} was erased; say that of the other: --name.",
                said(
                    "The name of %(player)s was erased; say that of the other.",
                    player=shown(player),
                ),
            )
        )
    held = {} if person is None else {"name": person.name}
    row = row_of({**held, "nation": standing.body["nation"] if standing else None, **cells})
    more = person.more if person is not None and not cells else {}
    return put(desk, register, row, Person(name=row["name"], more=more))
