"""
Decisions of officers that merge, part and keep apart players.

Reports keep naming the records they name, so an undone merge leaves no trace.
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
from palmares.journal.store.kinds import Apart, Merge, Override, Replacement, tables_of
from palmares.journal.store.persons import Person

CLAUSE = "journal merges"


@action
def merge(transaction: Transaction, player: str, into: str, reason: str) -> None:
    """Merge a player's record into another one; their results count for that one.

    Args:
        transaction: where it is recorded.
        player: whose record is merged.
        into: whose record stays, with its name and nation.
        reason: how the officer knows.

    Raises, when it is done:
        Refused: a player is unknown, was merged already, or the two were kept apart.
        FactsRejected: the facts would contradict each other: both played in one flight, say.
    """
    why = checked_reason(reason)
    register = transaction.register
    goes, stays = (main_record(register, wanted) for wanted in (player, into))
    if goes == stays:
        raise Refused(
            msg(
                "%(player)s is one record; name two to merge.",
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


def disagreements(register: Register, goes: str, stays: str) -> Iterator[Problem]:
    """Notices of differences between two records to be merged."""
    old_version, new_version = register.in_force(goes), register.in_force(stays)
    if old_version is None or new_version is None:
        return
    persons = register.persons((goes, stays))
    old, new = old_version.body, new_version.body
    if old.withheld and not new.withheld:
        yield player_problem(
            goes,
            f"the name is withheld, and that of {stays} is not: the results will show it",
            CLAUSE,
            hint(
                "withhold-the-name",
                "To hide the name, an officer edits %(player)s: the name withheld.",
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
    """Undo the merge of a record, so that it is a player of its own again.

    Raises, when it is done:
        Refused: it was not merged.
    """
    record = find_player_id(transaction.projection, player)
    merge = transaction.state.in_force("merges", record)
    if merge is None:
        merged = [shown(part) for part in transaction.register.parts(record)]
        if not merged:
            raise Refused(msg("%(player)s was not merged into another.", player=shown(record)))
        raise Refused(
            hint(
                "say-which-part",
                "%(player)s was not merged into another. Say which of these becomes a separate"
                " player again: %(parts)s. Or decide “Someone else played”, and name the"
                " tournaments.",
                player=shown(record),
                parts=", ".join(merged),
                merged=merged,
            )
        )
    undo(merge.sequence, reason)(transaction)


@action
def apart(transaction: Transaction, player: str, other: str, reason: str) -> None:
    """Record that two possible duplicates are two players.

    Raises, when it is done:
        Refused: a player is unknown, or both are one record.
    """
    why = checked_reason(reason)
    register = transaction.register
    pair = sorted({main_record(register, each) for each in (player, other)})
    if len(pair) == 1:
        raise Refused(msg("%(player)s is one record; name two.", player=shown(pair[0])))
    decided = kept_apart(register).get(frozenset(pair))
    if decided is not None:
        players = " and ".join(map(shown, pair))
        transaction.notices.append(
            already_recorded(decided, f"decision that {players} are two players")
        )
        return
    transaction.add(pair[0], Apart(players=pair, reason=why))


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
    """Replace a player by another one in some tournaments.

    Args:
        transaction: where it is recorded.
        player: whom the reports name.
        tournaments: by id.
        reason: how the officer knows.
        into: the other player; by default, a new one.
        name: of the new player; by default, that of *player*.
        nation: of the new player; by default, that of *player*.

    Raises, when it is done:
        Refused: a tournament is unknown, or the player is not in it.
        FactsRejected: the other player is in one of them, too.
    """
    why = checked_reason(reason)
    register = transaction.register
    record = main_record(register, player)
    ids_by_tournament = _ids_in_reports(transaction, record, tournaments)
    if into is not None:
        other = main_record(register, into)
        if other == record:
            raise Refused(
                msg("%(player)s is one record; name another player.", player=shown(record))
            )
    else:
        other = _new_namesake(transaction, record, name, nation)
        pair = sorted((record, other))
        transaction.add(pair[0], Apart(players=pair, reason=why))
    for tournament, ids in ids_by_tournament.items():
        for id_ in ids:
            transaction.add(tournament, Override(player=Replacement(id_, other), reason=why))


def _ids_in_reports(
    transaction: Transaction, player: str, tournaments: Sequence[str]
) -> dict[str, list[str]]:
    """The ids by which the reports of some tournaments name a player.

    Raises:
        Refused: they are not in one of them.
    """
    state = transaction.state
    reports = [report_of(state, tournament) for tournament in dict.fromkeys(tournaments)]
    ids = {}
    for entry in transaction.writer.by_number(reports):
        tables = with_overrides(tables_of(entry), state.overrides(entry.subject))
        in_report = set(transaction.register.records(player)) & player_ids(tables)
        if not in_report:
            raise Refused(
                msg(
                    "%(player)s is not in the report of %(tournament)s.",
                    player=shown(player),
                    tournament=shown(entry.subject),
                )
            )
        ids[entry.subject] = sorted(in_report)
    return ids


def _new_namesake(
    transaction: Transaction, player: str, name: str | None, nation: str | None
) -> str:
    """Record a new player with the name and nation of another one, or with given ones."""
    register = transaction.register
    version, person = register.in_force(player), register.persons([player]).get(player)
    if person is None and name is None:
        raise Refused(
            hint(
                "say-the-others-name",
                "The name of %(player)s was erased; give the other player's name.",
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
    return record_new_player(transaction, row, Person(name=row["name"], more=more))
