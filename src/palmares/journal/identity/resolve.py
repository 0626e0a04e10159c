"""
Who is who: everybody whom reports name  ->  players of the journal, old or new.

Nobody is merged by guess. An id joins; without one, exactly this name with exactly this nation
does, as it stands now or stood before, where it is one player's alone. Everybody else is new, and
whom they look like is told. A record that was merged into another keeps being the one a report
names: so the same report always says the same, and a merge can be undone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from palmares.core.errors import FactsRejected, Problem
from palmares.core.messages import hint, msg
from palmares.facts.names import nation_table, parse_name
from palmares.facts.text import shown
from palmares.journal.identity.duplicates import (
    NewPlayer,
    PossibleDuplicate,
    limit_per_player,
    possible_duplicates,
)
from palmares.journal.identity.register import (
    Form,
    PlayedTournament,
    Register,
    ReportedPlayer,
    is_ours,
    other_ids,
    player_problem,
)
from palmares.journal.identity.similarity import may_be_one_person
from palmares.journal.identity.updates import updates_from_reports
from palmares.journal.store.entries import Draft
from palmares.journal.store.kinds import Apart, Merge, Player, draft
from palmares.journal.store.persons import Person, seal

NEW = "new"
CLAUSE = "journal players"
MAX_LISTED = 10
REASON = "so it was said when a report was recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Who everybody is."""

    ids: Mapping[str, str]  # Reported.key  ->  the id a report is recorded with
    drafts: tuple[Draft, ...]  # to be put down first, in this order
    new: tuple[str, ...]  # ids of players nobody knew
    notices: tuple[Problem, ...]
    possible_duplicates: tuple[
        PossibleDuplicate, ...
    ]  # new players, each beside another one they may be


def resolve_players(
    register: Register, people: Sequence[ReportedPlayer], chosen: Mapping[str, str]
) -> Resolution:
    """Who everybody is whom some reports name.

    Args:
        register: the players that are known, while nobody else writes.
        people: everybody, each once.
        chosen: who somebody is by an officer's word: a name, a name with nation or a key  ->  an
            id, or `NEW`.

    Raises:
        FactsRejected: somebody may be several players, or an id is nobody's.
    """
    work = _Resolver(register, register.next_number())
    persons, same = _merge_same_names(people)
    words = _chosen_by_key(work, persons, chosen, same)
    work.look_up(persons, words.values())
    for one in sorted(persons, key=lambda one: (one.file, not one.given)):
        if one.key in words:
            _resolve_chosen(work, one, words[one.key])
        elif one.given:
            _resolve_by_id(work, one)
        else:
            _resolve_by_name(work, one)
    if work.problems:
        raise FactsRejected(work.problems, so=msg("nothing was recorded"))
    versions, notices = updates_from_reports(register, work.met, work.persons)
    alike = possible_duplicates(register, work.new, _events(work, persons))
    open_pairs, decided = _split_decided(work, alike)
    work.keep_apart((lookalike.player, lookalike.other) for lookalike in limit_per_player(decided))
    return Resolution(
        ids={person.key: work.ids[same.get(person.key, person.key)] for person in people},
        drafts=(*work.drafts, *versions),
        new=tuple(one.player for one in work.new),
        notices=tuple(notices),
        lookalikes=tuple(open_pairs),
    )


def _split_decided(
    work: _Resolver, found: Iterable[PossibleDuplicate]
) -> tuple[list[PossibleDuplicate], list[PossibleDuplicate]]:
    """Pairs to decide on, and those of which an officer said that they are two: of both, if new."""
    new = {one.player for one in work.new}
    pairs: tuple[list[PossibleDuplicate], list[PossibleDuplicate]] = [], []
    for lookalike in found:
        pairs[new.intersection((lookalike.player, lookalike.other)) <= work.told_new].append(
            lookalike
        )
    return pairs


def _events(work: _Resolver, people: Iterable[ReportedPlayer]) -> dict[str, set[str]]:
    """The events in which some reports name each player."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for person in people:
        record = work.ids[person.key]
        found[work.register.canonical_id(work.into.get(record, record))].update(person.events)
    return found


def _merge_same_names(
    people: Sequence[ReportedPlayer],
) -> tuple[list[ReportedPlayer], dict[str, str]]:
    """Those of one name and nation without an id as one, as if their reports had come one by one.

    Returns:
        Everybody once, and the key of each of those left out with the key of whom they are.
    """
    found: dict[str, ReportedPlayer] = {}
    by_form: dict[Form, str] = {}
    same: dict[str, str] = {}
    for person in people:
        first = None if person.given else found.get(by_form.setdefault(person.form, person.key))
        if first is None or _differing(other_ids(first.more)[0], other_ids(person.more)[0]):
            found[person.key] = person
            continue
        same[person.key] = first.key
        days = [day for day in (first.last_day, person.last_day) if day is not None]
        found[first.key] = replace(
            first,
            withheld=first.withheld or person.withheld,
            more={**person.more, **first.more},
            last_day=max(days, default=None),
            events=(*first.events, *person.events),
        )
    return list(found.values()), same


# ── the work at hand ─────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Resolver:
    """Who was told apart so far."""

    register: Register
    number: int
    ids: dict[str, str] = field(default_factory=dict)
    drafts: list[Draft] = field(default_factory=list)
    new: list[NewPlayer] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    met: dict[str, list[ReportedPlayer]] = field(default_factory=dict)  # known players by id
    told_new: set[str] = field(default_factory=set)  # who is new by an officer's word
    into: dict[str, str] = field(default_factory=dict)  # new records of known players
    apart: set[tuple[str, str]] = field(default_factory=set)
    fresh: dict[Form, list[str]] = field(default_factory=dict)  # new ones with ids, by form
    candidates: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by name
    forms: Mapping[str, set[Form]] = field(default_factory=dict)
    persons: Mapping[str, Person] = field(default_factory=dict)
    elsewhere: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def look_up(self, people: Iterable[ReportedPlayer], chosen: Iterable[str]) -> None:
        """Ask the journal for everybody at once."""
        register = self.register
        known = {one for one in chosen if register.in_force(one) is not None}
        names, elsewhere = set(), set()
        for person in people:
            names.add(person.name)
            if person.given and register.in_force(person.key) is not None:
                known.add(person.key)
            elif person.given:
                elsewhere.add(person.key)
        self.elsewhere = register.by_other_id(elsewhere)
        self.candidates = register.by_name(names)
        known |= {one for found in self.candidates.values() for one in found}
        known |= {player for found in self.elsewhere.values() for _, player in found}
        known |= {register.canonical_id(one) for one in known}
        self.forms, self.persons = register.forms_and_persons(known)

    def known(self, form: Form) -> list[str]:
        """The records that are or were written so, the oldest first."""
        found = [one for one in self.candidates.get(form.name, ()) if form in self.forms[one]]
        return sorted(found, key=self.register.first)

    def is_nameless(self, player: str) -> bool:
        """Whether a player, or the one they are part of, was erased and has no name since."""
        state = self.register.projection.state
        return any(
            state.in_force("erasures", one) is not None and one not in self.persons
            for one in (player, self.register.canonical_id(player))
        )

    def numbered(self) -> str:
        """The next id of our own."""
        self.number += 1
        return f"P{self.number - 1}"

    def meet(self, one: ReportedPlayer, player: str) -> None:
        """Somebody is a known player."""
        self.ids[one.key] = player
        self.met.setdefault(player, []).append(one)

    def bring(self, one: ReportedPlayer, player: str) -> None:
        """Somebody is a new record."""
        ids, rest = other_ids(one.more)
        sealed = seal(Person(name=one.name, ids=ids, more=rest))
        body = Player(
            player_id=player,
            nation=one.nation,
            withheld=bool(one.withheld),
            person=sealed.commitment,
        )
        self.drafts.append(draft(player, body, sealed=[sealed]))
        self.ids[one.key] = player

    def add(self, one: ReportedPlayer, player: str) -> None:
        """Somebody is a new player."""
        self.bring(one, player)
        self.new.append(NewPlayer(player, one.form, other_ids(one.more)[0]))

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Put down that new players are not known ones, each pair once."""
        for one, other in pairs:
            if (one, other) not in self.apart:
                self.apart.add((one, other))
                pair = sorted((one, other))
                self.drafts.append(draft(pair[0], Apart(players=pair, reason=REASON)))

    def problem(self, one: ReportedPlayer | str, what: str, remedy: str) -> None:
        """Somebody cannot be told apart."""
        who = one if isinstance(one, str) else str(one.form)
        self.problems.append(player_problem(who, what, CLAUSE, remedy))

    def unclear(self, one: ReportedPlayer, players: Iterable[str], what: str, remedy: str) -> None:
        """Somebody may be any of some players."""
        ids = sorted(players)
        last = self.register.last(ids)
        told = [self._described(each, last.get(each)) for each in ids[:MAX_LISTED]]
        told += [f"{len(ids) - MAX_LISTED} more"] if len(ids) > MAX_LISTED else []
        self.problem(one, f"{what} {' or '.join(told)}", remedy)

    def _described(self, player: str, last: PlayedTournament | None) -> str:
        """A player with what tells them apart: P3 (CZE, last in Prague Open, 2019-11-17)."""
        found = self.register.in_force(player)
        nation = (found.body.nation if found is not None else None) or "no nation"
        played = f"last in {shown(last.tournament)}, {last.day}" if last else "in no tournament yet"
        return f"{player} ({nation}, {played})"


# ── by an officer's word ─────────────────────────────────────────────────────────────────────────


def with_nation_code(name: str) -> str:
    """A name as an officer types it, with the code of its nation: Ada Novak (CZE)."""
    who = parse_name(name, nation_table())
    return name if who.id or who.unclear else who.written


def _chosen_by_key(
    work: _Resolver,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    same: Mapping[str, str],
) -> dict[str, str]:
    """What was chosen, by key; a word about nobody, or about several, is a problem."""
    goes_by: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for key, meant in same.items():
        goes_by[key][meant] = None
    for person in people:
        for each in (person.key, str(person.form), person.name):
            goes_by[each][person.key] = None
    words = {}
    for name, player in chosen.items():
        wanted = normalize("NFC", name.strip())
        keys = [wanted] if wanted in {person.key for person in people} else list(goes_by[wanted])
        keys = keys or list(goes_by[with_nation_code(wanted)])
        if not keys:
            work.problem(
                wanted,
                "they were said to be somebody, but no report names them",
                "Write the name as the report does, with the nation or without.",
            )
        elif len(keys) > 1:
            work.problem(
                wanted,
                f"this may be any of {', '.join(shown(one) for one in keys[:5])}",
                "Write the nation too, or the id.",
            )
        elif player != NEW and work.register.in_force(player) is None:
            work.problem(
                wanted,
                f"{shown(player)} is nobody's id",
                hint("find-ids", "The search for players shows the ids."),
            )
        else:
            words[keys[0]] = player
    return words


def _resolve_chosen(work: _Resolver, one: ReportedPlayer, player: str) -> None:
    """Somebody is who an officer says.

    A name that was nobody's becomes a record of its own, merged into the player: so it is known
    the next time, and the decision can be undone like any other. The name of somebody who was
    erased does not: it would be recorded again. Who is said to be new is kept apart from everybody
    they look like.
    """
    known = work.known(one.form)
    if player != NEW:
        unknown = work.register.in_force(one.key) is None
        if (
            one.key == player
            or known
            or one.form in work.forms[player]
            or (one.given and (not unknown or is_ours(one.key)))
            or work.is_nameless(player)
        ):
            work.meet(one, player)
            return
        record = one.key if one.given else work.numbered()
        work.bring(one, record)
        work.into[record] = player
        work.drafts.append(draft(record, Merge(player_id=record, into=player, reason=REASON)))
        return
    if one.given and work.register.in_force(one.key) is not None:
        work.problem(
            one,
            f"[{shown(one.key)}] is a player's id already, so they cannot be new",
            "Leave the id out of the report, or write another one.",
        )
        return
    record = one.key if one.given and not is_ours(one.key) else work.numbered()
    work.add(one, record)
    work.told_new.add(record)
    work.keep_apart((record, other) for other in sorted(map(work.register.canonical_id, known)))


# ── by an id ─────────────────────────────────────────────────────────────────────────────────────


def _resolve_by_id(work: _Resolver, one: ReportedPlayer) -> None:
    """Somebody with an id: one of the journal, one from elsewhere, or a new one."""
    current = work.register.in_force(one.key)
    if current is not None:
        names = {form.name for form in work.forms[one.key]}
        if (
            names
            and one.name not in names
            and not any(may_be_one_person(one.name, name) for name in names)
        ):
            called = "not called so"
            if not current.body.withheld:
                called = " or ".join(sorted(map(shown, names)))
            work.problem(
                one,
                f"[{shown(one.key)}] is {called} in the journal",
                hint(
                    "say-so-or-change-id",
                    "If they are one player, say so. If not, give this one another id, or none.",
                    key=one.key,
                ),
            )
            return
        work.meet(one, one.key)
        return
    found = {
        work.register.canonical_id(player): player for _, player in work.elsewhere.get(one.key, ())
    }
    if len(found) == 1:
        ((whole, part),) = found.items()
        having = [player for _, player in work.elsewhere[one.key]]
        work.meet(one, whole if whole in having else part)
    elif found:
        work.unclear(
            one,
            found,
            f"{shown(one.key)} is the id elsewhere of",
            _say_who_hint(one.key, "ID"),
        )
    elif is_ours(one.key):
        work.problem(
            one,
            f"this journal never gave the id {shown(one.key)}",
            hint(
                "correct-the-id",
                "Correct the id, or leave it out: the search for players shows the ids.",
            ),
        )
    else:
        work.add(one, one.key)
        work.fresh.setdefault(one.form, []).append(one.key)


# ── by name ──────────────────────────────────────────────────────────────────────────────────────


def _resolve_by_name(work: _Resolver, one: ReportedPlayer) -> None:
    """Somebody without an id: exactly one player's name and nation, or a new player."""
    records = [*work.known(one.form), *work.fresh.get(one.form, ())]
    wholes = {work.register.canonical_id(each): None for each in records}
    ids = other_ids(one.more)[0]
    if len(wholes) > 1 and ids:
        agreeing = [each for each in wholes if _same(_ids(work, each, records), ids)]
        wholes = dict.fromkeys(agreeing) if len(agreeing) == 1 else wholes
    if not wholes:
        work.add(one, work.numbered())
    elif len(wholes) > 1:
        work.unclear(
            one,
            wholes,
            "several players are called so:",
            hint(
                "write-or-say",
                "Write the id into the report, %(example)s, or say who this is.",
                example=f"{one.form} [ID]",
                form=str(one.form),
                new=NEW,
            ),
        )
    else:
        (whole,) = wholes
        other = _differing(_ids(work, whole, records), ids)
        if other:
            work.problem(
                one,
                f"{whole} is called so, but their {other} id is another",
                _say_who_hint(str(one.form), whole, NEW),
            )
            return
        record = next(each for each in records if work.register.canonical_id(each) == whole)
        if record in work.fresh.get(one.form, ()):
            work.ids[one.key] = record
        else:
            work.meet(one, record)


def _ids(work: _Resolver, whole: str, records: Iterable[str]) -> dict[str, str]:
    """The ids elsewhere of a player and of the records that are part of them."""
    found: dict[str, str] = {}
    for each in (
        *(record for record in records if work.register.canonical_id(record) == whole),
        whole,
    ):
        if each in work.persons:
            found |= work.persons[each].ids
    return found


def _say_who_hint(key: str, *ids: str) -> str:
    return hint("say-who", "Say who this is.", key=key, ids=ids)


def _same(known: Mapping[str, str], said: Mapping[str, str]) -> bool:
    return any(known.get(scheme) == value for scheme, value in said.items()) and not _differing(
        known, said
    )


def _differing(known: Mapping[str, str], said: Mapping[str, str]) -> str | None:
    """The first scheme in which two ids differ."""
    return next((one for one in sorted(said) if known.get(one, said[one]) != said[one]), None)
