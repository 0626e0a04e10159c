"""
Decisions of officers on players: merge, keep apart, split, add and edit them, one or many at once.

Reports keep naming the records they name, so an undone merge leaves no trace. An earlier name stays
known: a report that uses it still means the same player.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import hint, msg
from palmares.facts.text import printable
from palmares.journal.commands.decisions import checked_reason, report_of
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.journal.commands.transaction import Transaction, action, already_recorded, checked_row
from palmares.journal.commands.undo_effects import unchanged_nation
from palmares.journal.identity.duplicates import (
    events_of,
    kept_apart,
    limit_per_player,
    possible_duplicates,
)
from palmares.journal.identity.register import (
    Form,
    Register,
    ReportedPlayer,
    player_problem,
    recorded_player_id,
)
from palmares.journal.identity.resolve import first_version, next_version
from palmares.journal.projection.bodies import player_ids, with_overrides
from palmares.journal.store.entries import (
    Apart,
    Draft,
    Merge,
    Override,
    PersonalData,
    Replacement,
    Undo,
    draft,
    tables_of,
)

CLAUSE = "journal merges"
SAME, DIFFERENT, LATER = "same", "different", "later"


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
                player=printable(goes),
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
                one=printable(goes),
                other=printable(stays),
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
    is_hidden = old.withheld or goes not in persons
    if is_hidden and not new.withheld and stays in persons:
        yield player_problem(
            goes,
            f"the name {'is withheld' if goes in persons else 'was erased'}, and that of {stays} is"
            " not: the results will show it",
            CLAUSE,
            hint(
                "withhold-the-name",
                "To hide the name, an officer edits %(player)s: the name withheld.",
                player=stays,
            ),
        )
    yield from _other_nation(register, (goes, old.nation), (stays, new.nation))
    if goes in persons and stays in persons:
        ids = persons[stays].ids
        for scheme, value in sorted(persons[goes].ids.items()):
            if ids.get(scheme, value) != value:
                yield player_problem(
                    goes,
                    f"the {scheme} id is {printable(value)},"
                    f" that of {stays} is {printable(ids[scheme])}",
                    CLAUSE,
                    "Make sure that they are one player.",
                )


def _other_nation(
    register: Register, old: tuple[str, str | None], new: tuple[str, str | None]
) -> Iterator[Problem]:
    """A notice if two records, each with its nation, do not have the same."""
    (goes, was), (stays, now) = old, new
    if None not in (was, now) and was != now:
        last = register.last((goes, stays))
        later = goes in last and (stays not in last or last[goes].day > last[stays].day)
        yield player_problem(
            goes,
            f"the nation is {was}{' in the later tournament' * later}; {now}, of {stays}, stays",
            CLAUSE,
            hint(
                "if-nation-now",
                "If they are %(nation)s now, an officer edits %(player)s: another nation.",
                nation=was,
                player=stays,
            ),
        )


@action
def unmerge(transaction: Transaction, player: str, reason: str) -> None:
    """Undo the merge of a record, so that it is a player of its own again.

    Raises, when it is done:
        Refused: it was not merged.
    """
    why = checked_reason(reason)
    record = recorded_player_id(transaction.projection, player)
    merge = transaction.state.in_force("merges", record)
    if merge is None:
        merged = [printable(part) for part in transaction.register.parts(record)]
        if not merged:
            raise Refused(msg("%(player)s was not merged into another.", player=printable(record)))
        raise Refused(
            hint(
                "say-which-part",
                "%(player)s was not merged into another. Say which of these becomes a separate"
                " player again: %(parts)s. Or decide “Someone else played”, and name the"
                " tournaments.",
                player=printable(record),
                parts=", ".join(merged),
                merged=merged,
            )
        )
    transaction.notices += unchanged_nation(transaction, merge.sequence)
    for each in reversed(transaction.state.not_undone("merges", record)):
        transaction.add(str(each.sequence), Undo(undoes=each.sequence, reason=why))


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
        raise Refused(msg("%(player)s is one record; name two.", player=printable(pair[0])))
    decided = kept_apart(register).get(frozenset(pair))
    if decided is not None:
        players = " and ".join(map(printable, pair))
        transaction.notices.append(
            already_recorded(decided, f"decision that {players} are two players")
        )
        return
    transaction.add(pair[0], Apart(players=pair, reason=why))


@action
def split(
    transaction: Transaction,
    player: str,
    tournaments: Sequence[str] = (),
    reason: str = "",
    *,
    into: str | None = None,
    name: str | None = None,
    nation: str | None = None,
) -> None:
    """Replace a player by another one in some tournaments; without any, undo a merge.

    Args:
        transaction: where it is recorded.
        player: whom the reports name.
        tournaments: by id.
        reason: how the officer knows.
        into: the other player; by default, a new one.
        name: of the new player; by default, that of *player*.
        nation: of the new player; by default, that of *player*.

    Raises, when it is done:
        Refused: a tournament is unknown, or the player is not in it; a name or nation is given
            for a player who is known; nobody was merged.
        FactsRejected: the other player is in one of them, too.
    """
    is_new = (name, nation) != (None, None)
    if into is not None and is_new:
        raise Refused(msg("Name a known player, or give name and nation of a new one, not both."))
    if not tournaments:
        if into is not None or is_new:
            raise Refused(msg("Name the tournaments in which someone else played."))
        unmerge(player, reason)(transaction)
        return
    why = checked_reason(reason)
    register = transaction.register
    record = main_record(register, player)
    ids_by_tournament = _ids_in_reports(transaction, record, tournaments)
    if into is not None:
        other = main_record(register, into)
        if other == record:
            raise Refused(
                msg("%(player)s is one record; name another player.", player=printable(record))
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
                    player=printable(player),
                    tournament=printable(entry.subject),
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
                player=printable(player),
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
    return record_new_player(transaction, row, PersonalData(name=row["name"], more=more))


# ── names, nations, ids ───────────────────────────────────────────────────────────────────────────


@action
def add_player(
    transaction: Transaction,
    name: str = "",
    *,
    nation: str | None = None,
    withheld: str | None = None,
    ids: Mapping[str, str] | None = None,
) -> None:
    """Add a player.

    Args:
        transaction: where it is recorded.
        name: as it is written.
        nation: as in a table of players.
        withheld: whether the name is withheld, as in a table of players.
        ids: their ids elsewhere: {"usbgf": "12345"}.

    Raises, when it is done:
        FactsRejected: the name is empty, or the nation unknown.
    """
    row = checked_player({"name": name, "nation": nation, "withheld": withheld})
    register = transaction.register
    person = PersonalData(name=row["name"], ids=_ids(ids or {}))
    player = record_new_player(transaction, row, person)
    more = {f"{scheme}_id": id_ for scheme, id_ in person.ids.items()}
    new = ReportedPlayer(key=player, name=row["name"], nation=row["nation"], more=more)
    transaction.notices += [
        Problem(
            at=Location(f"new player {pair.player}"),
            what=pair.text,
            clause=POSSIBLE_DUPLICATES,
            remedy=msg("If they are one player, do not add them."),
        )
        for pair in limit_per_player(possible_duplicates(register, {player: new}))
    ]


@action
def edit_player(
    transaction: Transaction,
    player: str,
    *,
    name: str | None = None,
    nation: str | None = None,
    withheld: str | None = None,
    ids: Mapping[str, str] | None = None,
) -> None:
    """Change a player's name, nation or ids.

    Args:
        transaction: where it is recorded.
        player: their id, or a name that no other player has.
        name: a new name.
        nation: a new nation, as in a table of players; an empty one removes it.
        withheld: whether the name is withheld, as in a table of players.
        ids: new or changed ids elsewhere; an empty one is removed.

    Raises, when it is done:
        Refused: the name was erased, and ids are given without a name.
        FactsRejected: the nation is unknown.
    """
    register = transaction.register
    record = main_record(register, player)
    current = register.in_force(record)
    person = register.persons([record]).get(record)
    if current is None:
        absent = msg("There is no player %(player)s in this journal.", player=printable(record))
        raise Refused(absent)
    body = current.body
    row = checked_player(
        {
            "name": name if name is not None else person.name if person is not None else record,
            "nation": body.nation if nation is None else nation,
            "withheld": str(body.withheld).lower() if withheld is None else withheld,
        }
    )
    if ids and person is None and name is None:
        raise Refused(
            hint("ids-need-a-name", "The name of %(player)s was erased. Give a name with the ids.",
                 player=printable(record))
        )  # fmt: skip
    is_named = person is not None or name is not None
    now = _with_ids(person, row["name"], ids or {}) if is_named else None
    later = next_version(
        body, person, nation=row["nation"], withheld=bool(row["withheld"]), now=now
    )
    if later is None:
        transaction.notices.append(
            already_recorded(current.sequence, f"record of {printable(record)}")
        )
    else:
        transaction.extend([later])


def _with_ids(person: PersonalData | None, name: str, ids: Mapping[str, str]) -> PersonalData:
    """A person with a name and with new or changed ids; none yet: nothing else is known."""
    all_ids = {**(person.ids if person else {}), **_ids(ids)}
    all_ids = {scheme: id_ for scheme, id_ in all_ids.items() if id_}
    return PersonalData(name=name, ids=all_ids, more=person.more if person else {})


def _ids(ids: Mapping[str, str]) -> dict[str, str]:
    """Ids elsewhere, normalized.

    Raises:
        FactsRejected: one of them has invisible characters.
    """
    normalized = {}
    for scheme, value in ids.items():
        name, text = (
            "" if not cell.strip() else str(checked_player({"name": cell})["name"])
            for cell in (scheme, value)
        )
        normalized[name] = text
    return normalized


def checked_player(cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row of the table of players, checked, but for its id.

    Raises:
        FactsRejected: a cell is wrong.
    """
    given = {"name": None, "nation": None, "withheld": None, **cells}
    return checked_row("players", {"player_id": "P", **given}, title="player")


def record_new_player(
    transaction: Transaction, row: Mapping[str, Any], person: PersonalData
) -> str:
    """Record a new player and return the id."""
    player = f"P{transaction.register.next_number()}"
    transaction.extend([first_version(player, person, row["nation"], withheld=row["withheld"])])
    return player


def main_record(register: Register, wanted: str) -> str:
    """The record, not a merged one, of a player given by id or name.

    Raises:
        Refused: no player fits, or several do, or the record was merged.
    """
    player = recorded_player_id(register.projection, wanted)
    main = register.canonical_id(player)
    if main != player:
        raise Refused(
            hint(
                "name-the-whole",
                "%(player)s was merged into %(whole)s. Name %(whole)s instead, or undo the merge"
                " first.",
                player=printable(player),
                whole=printable(main),
                id=player,
            )
        )
    return player


# ── many possible duplicates at once ──────────────────────────────────────────────────────────────


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
    review = _Review(
        register=register,
        planned=dataclasses.replace(register, merged=dict(register.merged)),
        forms={row[0]: str(Form(*row[1:])) for row in register.named_players().iter_rows()},
        events={id_: set(events) for id_, events in events_of(register, players).items()},
        apart=kept_apart(register),
    )
    for pair in sorted(decided, key=lambda pair: pair.decision == DIFFERENT):
        review.decide(pair, why)
    if review.problems:
        raise FactsRejected(review.problems, so=msg("nothing was recorded"))
    transaction.notices += review.notices
    transaction.extend(review.drafts)


@dataclass(slots=True)
class _Review:
    """The effect of the rows so far."""

    register: Register  # before
    planned: Register  # after the merges so far
    forms: dict[str, str]  # current names and nations
    events: dict[str, set[str]]  # by player
    apart: dict[frozenset[str], int]  # pairs kept apart, with the entry; 0: in this review
    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)

    def decide(self, pair: DecidedPair, why: str) -> None:
        """Add the entry that a row needs, or why there is none."""
        players = pair.player_id, pair.other_id
        first, second = map(self.planned.canonical_id, players)
        if entry := self._recorded(pair):
            merge = f"merge of {printable(pair.other_id)} and {printable(pair.player_id)}"
            apart = f"decision that {' and '.join(map(printable, players))} are two players"
            what = apart if pair.decision == DIFFERENT else merge
            self.notices.append(already_recorded(entry, what))
        elif outdated := self._outdated(pair):
            self._refuse(pair, outdated)
        elif pair.decision == SAME:
            self._merge(pair, first, second, why)
        elif first == second:
            what = f"{' and '.join(map(printable, players))} are one player by other rows"
            self._refuse(pair, what, "Decide which of these rows is right.")
        elif frozenset((first, second)) not in self.apart:
            self.apart[frozenset((first, second))] = 0
            body = Apart(players=sorted((first, second)), reason=why)
            self.drafts.append(draft(body.players[0], body))

    def _refuse(
        self,
        pair: DecidedPair,
        what: str,
        remedy: str = "Write the file of pairs again, or set this row to later.",
    ) -> None:
        """Add the problem of a row that cannot be recorded."""
        problem = Problem(at=pair.where, what=what, clause="journal review", remedy=remedy)
        self.problems.append(problem)

    def _recorded(self, pair: DecidedPair) -> int | None:
        """The entry that has recorded the decision of a row already."""
        players = pair.player_id, pair.other_id
        mains = frozenset(map(self.register.canonical_id, players))
        if pair.decision == DIFFERENT:
            return self.apart.get(mains)
        state = self.register.projection.state
        merges = [state.in_force("merges", player) for player in players]
        last = max((merge.sequence for merge in merges if merge), default=None)
        return last if len(mains) == 1 else None

    def _outdated(self, pair: DecidedPair) -> str | None:
        """What has changed about the players of a row since the file was written."""
        for player, written in ((pair.player_id, pair.player), (pair.other_id, pair.other)):
            main, now = self.register.canonical_id(player), self.forms.get(player, player)
            if self.register.in_force(player) is None:
                return f"there is no player {printable(player)}"
            if main != player:
                return f"{printable(player)} is part of {printable(main)} now"
            if now != written:
                found_in_row = f"and {printable(written)} in this row"
                return f"{printable(player)} is {printable(now)} now, {found_in_row}"
        return None

    def _merge(self, pair: DecidedPair, first: str, second: str, why: str) -> None:
        stays, goes = sorted((first, second), key=self.register.first)
        entry = self.apart.get(frozenset((stays, goes)))
        met = self.events.get(stays, set()) & self.events.get(goes, set())
        players = f"{printable(stays)} and {printable(goes)}"
        if stays == goes:
            return  # by other rows
        if entry is not None:
            self._refuse(pair, f"entry {entry} says that {players} are two players")
        elif met:
            what = f"{players} both played in {printable(min(met))}"
            self._refuse(pair, what, "They are two players: write different.")
        else:
            self.planned.merged.update(dict.fromkeys(self.planned.records(goes), stays))
            self.apart = {
                frozenset(map(self.planned.canonical_id, ids)): entry
                for ids, entry in self.apart.items()
            }
            self.events[stays] = self.events.get(stays, set()) | self.events.get(goes, set())
            self.notices += disagreements(self.register, goes, stays)
            self.drafts.append(draft(goes, Merge(player_id=goes, into=stays, reason=why)))
