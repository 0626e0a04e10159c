"""
What officers decide about players: each of these is an action, and can be undone like any other.

A player is given by id or by a name that is exactly theirs (`palmares.journal.identity.resolve`).
Nothing is moved: reports keep naming the record they name, so a merge that is undone leaves no
trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palmares.core.errors import Problem, Refused
from palmares.core.messages import hint, msg
from palmares.facts.text import shown
from palmares.journal.commands.decisions import checked_reason, report_of, undo
from palmares.journal.commands.profiles import checked_player, main_record, record_new_player
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.identity.duplicates import kept_apart
from palmares.journal.identity.register import Register, player_problem
from palmares.journal.identity.search import find_player_id
from palmares.journal.projection.bodies import player_ids, with_overrides
from palmares.journal.projection.state import State
from palmares.journal.store.kinds import Apart, Merge, Override, Replacement, tables_of
from palmares.journal.store.persons import Person

CLAUSE = "journal merges"


# ── together and apart ───────────────────────────────────────────────────────────────────────────


@action
def merge(transaction: Transaction, player: str, into: str, reason: str) -> None:
    """Let a player's record be part of another one; their results count for that one.

    Args:
        transaction: where it is recorded.
        player: whose record goes.
        into: whose record stays, with its name and nation.
        reason: how it is known.

    Raises, when it is done:
        Refused: one is not known, is part of another record already, or was kept apart.
        FactsRejected: both played in one flight, say; somebody cannot be there twice.
    """
    why = checked_reason(reason)
    register = transaction.register
    goes, stays = (main_record(register, one) for one in (player, into))
    if goes == stays:
        raise Refused(
            msg(
                "%(player)s is one record; there is nobody to merge it with.",
                player=shown(goes),
            )
        )
    decided = kept_apart(register).get(frozenset((goes, stays)))
    if decided is not None:
        raise Refused(
            hint(
                "undo-what-keeps-apart",
                "Entry %(entry)s says that %(one)s and %(other)s are two players. If that was"
                " wrong, undo entry %(entry)s first.",
                entry=str(decided),
                one=shown(goes),
                other=shown(stays),
            )
        )
    transaction.add(goes, Merge(player_id=goes, into=stays, reason=why))
    transaction.notices += disagreements(register, goes, stays)


def merge_entry(state: State, player: str) -> int:
    """The entry that merged a record.

    Raises:
        Refused: it was not merged.
    """
    found = state.in_force("merges", player)
    if found is None:
        raise Refused(msg("%(player)s was not merged into anybody.", player=shown(player)))
    return found.sequence


def disagreements(register: Register, goes: str, stays: str) -> Iterator[Problem]:
    """What two records say differently; what the one says that stays, counts."""
    here, there = (register.in_force(one) for one in (goes, stays))
    if here is None or there is None:
        return
    persons = register.persons((goes, stays))
    old, new = here.body, there.body
    if old.withheld and not new.withheld:
        yield player_problem(
            goes,
            f"the name is withheld, and that of {stays} is not: the results will show it",
            CLAUSE,
            hint(
                "withhold-the-name",
                "If it shall not be shown, an officer edits %(player)s: the name withheld.",
                player=stays,
            ),
        )
    if None not in (old.nation, new.nation) and old.nation != new.nation:
        last = register.last((goes, stays))
        later = goes in last and (stays not in last or last[goes].day > last[stays].day)
        yield player_problem(
            goes,
            f"the nation is {old.nation}{' in the later tournament' * later};"
            f" {new.nation}, of {stays}, stays",
            CLAUSE,
            hint(
                "if-nation-now",
                "If they are %(nation)s now, an officer edits %(player)s: another nation.",
                nation=old.nation,
                player=stays,
            ),
        )
    if goes in persons and stays in persons:
        known = persons[stays].ids
        for scheme, value in sorted(persons[goes].ids.items()):
            if known.get(scheme, value) != value:
                yield player_problem(
                    goes,
                    f"the {scheme} id is {shown(value)}, that of {stays} is {shown(known[scheme])}",
                    CLAUSE,
                    "Make sure that they are one player.",
                )


@action
def unmerge(transaction: Transaction, player: str, reason: str) -> None:
    """Let a record that was merged be a player of their own again: undo the merge.

    Raises, when it is done:
        Refused: it was not merged.
    """
    state = transaction.state
    record = find_player_id(transaction.projection, player)
    register = transaction.register
    parts = register.parts(record)
    if state.in_force("merges", record) is None and parts:
        raise Refused(
            hint(
                "say-which-part",
                "%(player)s was not merged into anybody. Say which of these shall be a player of"
                " their own again: %(parts)s. Or decide “Somebody else played”, and name the"
                " tournaments.",
                player=shown(record),
                parts=", ".join(shown(part) for part in parts),
                merged=[shown(part) for part in parts],
            )
        )
    undo(merge_entry(state, record), reason)(transaction)


@action
def apart(transaction: Transaction, player: str, other: str, reason: str) -> None:
    """State that two players who look alike are two.

    Raises, when it is done:
        Refused: one is not known; they are one record.
    """
    why = checked_reason(reason)
    register = transaction.register
    pair = sorted({main_record(register, each) for each in (player, other)})
    if len(pair) == 1:
        raise Refused(msg("%(player)s is one record; name two.", player=shown(pair[0])))
    decided = kept_apart(register).get(frozenset(pair))
    if decided is not None:
        both = " and ".join(map(shown, pair))
        transaction.notices.append(
            already_recorded(decided, f"decision that {both} are two players")
        )
        return
    transaction.add(pair[0], Apart(players=pair, reason=why))


# ── somebody else played ─────────────────────────────────────────────────────────────────────────


@action
def split(
    transaction: Transaction,
    player: str,
    tournaments: Sequence[str],
    reason: str,
    *,
    into: str | None = None,
    name: str | None = None,
    nation: str | None = None,
) -> None:
    """Let somebody else take a player's place in some tournaments.

    Args:
        transaction: where it is recorded.
        player: who stands in their reports.
        tournaments: by id.
        reason: how it is known.
        into: who it was; without it, a new player.
        name: of the new player; without it, that of the player they were taken for.
        nation: of the new player; without it, that of the player they were taken for.

    Raises, when it is done:
        Refused: a tournament is not known, or they are not in it.
        FactsRejected: the other one is in one of them too.
    """
    why = checked_reason(reason)
    register = transaction.register
    record = main_record(register, player)
    mine = _mine(transaction, register, record, tournaments)
    if into is not None:
        other = main_record(register, into)
        if other == record:
            raise Refused(
                msg("%(player)s is one record; name somebody else.", player=shown(record))
            )
    else:
        other = _taken_for(transaction, register, record, name, nation)
        pair = sorted((record, other))
        transaction.add(pair[0], Apart(players=pair, reason=why))
    for tournament, ids in mine.items():
        for one in ids:
            transaction.add(tournament, Override(player=Replacement(one, other), reason=why))


def _mine(
    transaction: Transaction, register: Register, player: str, tournaments: Sequence[str]
) -> dict[str, list[str]]:
    """Under which ids a player stands in the reports of some tournaments.

    Raises:
        Refused: they are not in one of them.
    """
    state = transaction.state
    reports = {report_of(state, one): one for one in dict.fromkeys(tournaments)}
    found = {}
    for entry in transaction.writer.by_number(reports):
        tournament = reports[entry.sequence]
        tables = with_overrides(tables_of(entry), state.overrides(tournament))
        found[tournament] = sorted(
            one for one in player_ids(tables) if register.canonical_id(one) == player
        )  # fmt: skip
        if not found[tournament]:
            raise Refused(
                msg(
                    "%(player)s is not in the report of %(tournament)s.",
                    player=shown(player),
                    tournament=shown(tournament),
                )
            )
    return found


def _taken_for(
    transaction: Transaction, register: Register, player: str, name: str | None, nation: str | None
) -> str:
    """Put a new player down who was taken for another one."""
    version, person = register.in_force(player), register.persons([player]).get(player)
    if person is None and name is None:
        raise Refused(
            hint(
                "say-the-others-name",
                "The name of %(player)s was erased; say that of the other.",
                player=shown(player),
            )
        )
    row = checked_player(
        {
            "name": person.name if name is None and person is not None else name,
            "nation": version.body.nation if nation is None and version is not None else nation,
        }
    )
    is_namesake = person is not None and name is None and nation is None
    more = person.more if is_namesake and person is not None else {}
    return record_new_player(transaction, register, row, Person(name=row["name"], more=more))
