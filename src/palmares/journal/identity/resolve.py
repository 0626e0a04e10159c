"""
Match the people that reports name to players of the journal, known or new.

People are matched by id, or by exactly one player's name and nation, as it is now or was earlier,
never by a guess. Anyone else becomes a new player, with possible duplicates listed. A report keeps
naming a record that was merged into another, so that a merge can be undone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import count
from unicodedata import normalize

import msgspec

from palmares.core.errors import FactsRejected, Problem
from palmares.core.messages import hint, msg
from palmares.facts.names import parse_name
from palmares.facts.text import printable
from palmares.journal.identity.duplicates import (
    PossibleDuplicate,
    limit_per_player,
    may_be_one_person,
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
from palmares.journal.store.entries import Apart, Draft, Merge, PersonalData, Player, draft, seal

NEW = "new"
CLAUSE = "journal players"
MAX_LISTED = 10
REASON = "decided when a report was recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Who the people of some reports are."""

    ids: Mapping[str, str] = field(default_factory=dict)  # ReportedPlayer.key -> id in the journal
    drafts: tuple[Draft, ...] = ()  # to be recorded before the reports, in this order
    new: tuple[str, ...] = ()  # ids of new players
    notices: tuple[Problem, ...] = ()
    possible_duplicates: tuple[PossibleDuplicate, ...] = ()  # of new players


def resolve_players(
    register: Register, people: Sequence[ReportedPlayer], chosen: Mapping[str, str]
) -> Resolution:
    """Find out who the people of some reports are.

    Args:
        register: the known players, while no one else writes.
        people: everyone the reports name, each once.
        chosen: an officer's decisions: a name, a name with nation or a key -> an id, or `NEW`.

    Raises:
        FactsRejected: a name fits several players, or an id is unknown.
    """
    resolver = _Resolver(register, count(register.next_number()))
    unique, merged_keys = _merge_same_names(people)
    players_by_key = _chosen_by_key(resolver, unique, chosen, merged_keys)
    resolver.look_up(unique, players_by_key.values())
    for person in sorted(unique, key=lambda person: (person.file, not person.given)):
        if person.key in players_by_key:
            _resolve_chosen(resolver, person, players_by_key[person.key])
        elif person.given:
            _resolve_by_id(resolver, person)
        else:
            _resolve_by_name(resolver, person)
    if resolver.problems:
        raise FactsRejected(resolver.problems, so=msg("nothing was recorded"))
    updates, notices = _updates(resolver)
    pairs = possible_duplicates(register, resolver.new, _events(resolver, unique))
    for pair in limit_per_player(pair for pair in pairs if resolver.is_decided(pair)):
        players = sorted((pair.player, pair.other))
        resolver.drafts.append(draft(players[0], Apart(players=players, reason=REASON)))
    return Resolution(
        ids={
            person.key: resolver.ids[merged_keys.get(person.key, person.key)] for person in people
        },
        drafts=(*resolver.drafts, *updates),
        new=tuple(resolver.new),
        notices=tuple(notices),
        possible_duplicates=tuple(pair for pair in pairs if not resolver.is_decided(pair)),
    )


def _events(resolver: _Resolver, people: Iterable[ReportedPlayer]) -> dict[str, set[str]]:
    """The events in which the reports name each player."""
    events: defaultdict[str, set[str]] = defaultdict(set)
    for person in people:
        record = resolver.ids[person.key]
        record = resolver.register.canonical_id(resolver.merged_into.get(record, record))
        events[record].update(person.events)
    return events


def _merge_same_names(
    people: Sequence[ReportedPlayer],
) -> tuple[list[ReportedPlayer], dict[str, str]]:
    """Treat people of one name and nation, without an id, as one person.

    Returns:
        Everyone once, and for each key that is left out the key of the person it belongs to.
    """
    unique: dict[str, ReportedPlayer] = {}
    key_by_form: dict[Form, str] = {}
    merged_keys: dict[str, str] = {}
    for person in people:
        first = None
        if not person.given:
            first = unique.get(key_by_form.setdefault(person.form, person.key))
        if first is None or _differing(first.ids, person.ids):
            unique[person.key] = person
            continue
        merged_keys[person.key] = first.key
        days = [day for day in (first.last_day, person.last_day) if day is not None]
        unique[first.key] = replace(
            first,
            withheld=first.withheld or person.withheld,
            more={**person.more, **first.more},
            last_day=max(days, default=None),
            events=(*first.events, *person.events),
        )
    return list(unique.values()), merged_keys


@dataclass(slots=True)
class _Resolver:
    """What is known while people are resolved one by one."""

    register: Register
    numbers: Iterator[int]  # of new ids
    ids: dict[str, str] = field(default_factory=dict)  # by key
    drafts: list[Draft] = field(default_factory=list)
    new: dict[str, ReportedPlayer] = field(default_factory=dict)  # by id
    problems: list[Problem] = field(default_factory=list)
    mentions_by_player: dict[str, list[ReportedPlayer]] = field(default_factory=dict)
    """By player, after merges."""
    new_by_decision: set[str] = field(default_factory=set)
    merged_into: dict[str, str] = field(default_factory=dict)  # new records of known players
    new_with_ids: dict[Form, list[str]] = field(default_factory=dict)
    records_by_name: Mapping[str, Sequence[str]] = field(default_factory=dict)
    forms: Mapping[str, set[Form]] = field(default_factory=dict)  # by record, now and earlier
    persons: Mapping[str, PersonalData] = field(default_factory=dict)
    records_by_other_id: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def look_up(self, people: Iterable[ReportedPlayer], chosen: Iterable[str]) -> None:
        """Read from the journal what is needed about everyone, at once."""
        register = self.register
        records = {player for player in chosen if register.in_force(player) is not None}
        given = {person.key for person in people if person.given}
        ours = {key for key in given if register.in_force(key) is not None}
        self.records_by_other_id = register.by_other_id(given - ours)
        self.records_by_name = register.by_name({person.name for person in people})
        records |= ours.union(*self.records_by_name.values())
        records |= {player for owners in self.records_by_other_id.values() for _, player in owners}
        records |= {register.canonical_id(player) for player in records}
        self.forms, self.persons = register.forms_and_persons(records)

    def records_of_form(self, form: Form) -> list[str]:
        """The records that are or were written so, the oldest first."""
        records = self.records_by_name.get(form.name, ())
        fits = (record for record in records if form in self.forms[record])
        return sorted(fits, key=self.register.first)

    def is_decided(self, pair: PossibleDuplicate) -> bool:
        """Whether an officer said that every new player of a pair is new."""
        new = self.new.keys() & {pair.player, pair.other}
        return new <= self.new_by_decision

    def new_id(self) -> str:
        """The next id of our own."""
        return f"P{next(self.numbers)}"

    def match(self, person: ReportedPlayer, player: str) -> None:
        """A person is a known player."""
        self.ids[person.key] = player
        self.mentions_by_player.setdefault(self.register.canonical_id(player), []).append(person)

    def add_record(self, person: ReportedPlayer, player: str) -> None:
        """A person gets a new record."""
        ids, rest = other_ids(person.more)
        data = PersonalData(name=person.name, ids=ids, more=rest)
        self.drafts.append(first_version(player, data, person.nation, withheld=person.withheld))
        self.ids[person.key] = player

    def add_new(self, person: ReportedPlayer, player: str) -> None:
        """A person is a new player."""
        self.add_record(person, player)
        self.new[player] = person

    def problem(self, person: ReportedPlayer | str, what: str, remedy: str) -> None:
        """A person cannot be resolved."""
        who = person if isinstance(person, str) else str(person.form)
        self.problems.append(player_problem(who, what, CLAUSE, remedy))

    def ambiguous(
        self, person: ReportedPlayer, players: Iterable[str], what: str, remedy: str
    ) -> None:
        """A person may be any of several players: "P3 (CZE, last in Prague Open, 2019-11-17)"."""
        ids = sorted(players)
        last = self.register.last(ids)
        candidates = []
        for player in ids[:MAX_LISTED]:
            version = self.register.in_force(player)
            nation = (version.body.nation if version is not None else None) or "no nation"
            played = "in no tournament yet"
            if player in last:
                played = f"last in {printable(last[player].tournament)}, {last[player].day}"
            candidates.append(f"{player} ({nation}, {played})")
        if len(ids) > MAX_LISTED:
            candidates.append(f"{len(ids) - MAX_LISTED} more")
        self.problem(person, f"{what} {' or '.join(candidates)}", remedy)


# ── by an officer's decision ─────────────────────────────────────────────────────────────────────


def with_nation_code(name: str) -> str:
    """A name as an officer types it, with its nation's code: Ada Novak (CZE)."""
    who = parse_name(name)
    return name if who.id or who.unclear else who.written


def _chosen_by_key(
    resolver: _Resolver,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    merged_keys: Mapping[str, str],
) -> dict[str, str]:
    """The decisions by key; one about no name of the reports, or about several, is a problem."""
    keys_by_text: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for key, first_key in merged_keys.items():
        keys_by_text[key][first_key] = None
    for person in people:
        for text in (person.key, str(person.form), person.name):
            keys_by_text[text][person.key] = None
    own_keys = {person.key for person in people}
    players_by_key = {}
    for name, player in chosen.items():
        wanted = normalize("NFC", name.strip())
        keys = [wanted] if wanted in own_keys else list(keys_by_text[wanted])
        keys = keys or list(keys_by_text[with_nation_code(wanted)])
        if not keys:
            resolver.problem(
                wanted,
                "you said who this is, but no report names them",
                "Write the name as the report does, with the nation or without.",
            )
        elif len(keys) > 1:
            resolver.problem(
                wanted,
                f"this may be any of {', '.join(printable(key) for key in keys[:5])}",
                "Write the nation too, or the id.",
            )
        elif player != NEW and resolver.register.in_force(player) is None:
            resolver.problem(
                wanted,
                f"no player has the id {printable(player)}",
                hint("find-ids", "The search for players shows the ids."),
            )
        else:
            players_by_key[keys[0]] = player
    return players_by_key


def _resolve_chosen(resolver: _Resolver, person: ReportedPlayer, player: str) -> None:
    """A person is the player that an officer says.

    A name that no record has becomes a record of its own, merged into the player: so it is known
    next time, and the decision can be undone like any other. The name of an erased player does not,
    since that would record it again. A new player by decision is kept apart from who looks alike.
    """
    records = resolver.records_of_form(person.form)
    in_journal = person.given and resolver.register.in_force(person.key) is not None
    if player != NEW:
        if (
            person.key == player
            or records
            or person.form in resolver.forms[player]
            or in_journal
            or (person.given and is_ours(person.key))
            or not {player, resolver.register.canonical_id(player)} <= resolver.persons.keys()
        ):
            resolver.match(person, player)
            return
        record = person.key if person.given else resolver.new_id()
        resolver.add_record(person, record)
        resolver.merged_into[record] = player
        merge = Merge(player_id=record, into=player, reason=REASON)
        resolver.drafts.append(draft(record, merge))
        return
    if in_journal:
        resolver.problem(
            person,
            f"[{printable(person.key)}] is a player's id already, so they cannot be new",
            "Leave the id out of the report, or write another one.",
        )
        return
    record = person.key if person.given and not is_ours(person.key) else resolver.new_id()
    resolver.add_new(person, record)
    resolver.new_by_decision.add(record)


# ── by an id ─────────────────────────────────────────────────────────────────────────────────────


def _resolve_by_id(resolver: _Resolver, person: ReportedPlayer) -> None:
    """A person with an id: one of the journal, an id elsewhere, or a new one."""
    current = resolver.register.in_force(person.key)
    if current is None:
        _resolve_by_other_id(resolver, person)
    else:
        names = {form.name for form in resolver.forms[person.key]}
        same = person.name in names or not names
        if same or any(may_be_one_person(person.name, name) for name in names):
            resolver.match(person, person.key)
            return
        called = "not called so"
        if not current.body.withheld:
            called = " or ".join(sorted(map(printable, names)))
        resolver.problem(
            person,
            f"[{printable(person.key)}] is {called} in the journal",
            hint(
                "say-so-or-change-id",
                "If they are one player, say so. If not, give this one another id, or none.",
                key=person.key,
            ),
        )


def _resolve_by_other_id(resolver: _Resolver, person: ReportedPlayer) -> None:
    """A person with an id that no record has: one that is known elsewhere, or a new one."""
    register = resolver.register
    records = [record for _, record in resolver.records_by_other_id.get(person.key, ())]
    record_by_player = {register.canonical_id(record): record for record in records}
    if len(record_by_player) == 1:
        ((player, record),) = record_by_player.items()
        resolver.match(person, player if player in records else record)
    elif record_by_player:
        resolver.ambiguous(
            person,
            record_by_player,
            f"{printable(person.key)} is the id elsewhere of",
            _say_who_hint(person.key, "ID"),
        )
    elif is_ours(person.key):
        resolver.problem(
            person,
            f"this journal never gave the id {printable(person.key)}",
            hint(
                "correct-the-id",
                "Correct the id, or leave it out: the search for players shows the ids.",
            ),
        )
    else:
        resolver.add_new(person, person.key)
        resolver.new_with_ids.setdefault(person.form, []).append(person.key)


# ── by name ──────────────────────────────────────────────────────────────────────────────────────


def _resolve_by_name(resolver: _Resolver, person: ReportedPlayer) -> None:
    """A person without an id: exactly one player's name and nation, or a new player."""
    new_with_ids = resolver.new_with_ids.get(person.form, ())
    records = [*resolver.records_of_form(person.form), *new_with_ids]
    players = _with_their_ids(resolver, person, records)
    if not players:
        resolver.add_new(person, resolver.new_id())
        return
    if len(players) > 1:
        resolver.ambiguous(
            person,
            players,
            "several players are called so:",
            hint(
                "write-or-say",
                "Write the id into the report, %(example)s, or say who this is.",
                example=f"{person.form} [ID]",
                form=str(person.form),
                new=NEW,
            ),
        )
        return
    (player,) = players
    scheme = _differing(_ids_of(resolver, player, records), person.ids)
    if scheme:
        resolver.problem(
            person,
            f"{player} is called so, but their {scheme} id is another",
            _say_who_hint(str(person.form), player, NEW),
        )
        return
    record = next(each for each in records if resolver.register.canonical_id(each) == player)
    if record in new_with_ids:
        resolver.ids[person.key] = record
    else:
        resolver.match(person, record)


def _with_their_ids(
    resolver: _Resolver, person: ReportedPlayer, records: Sequence[str]
) -> dict[str, None]:
    """The players of records; one alone if only their ids agree with the person's."""
    players = dict.fromkeys(map(resolver.register.canonical_id, records))
    if len(players) <= 1 or not person.ids:
        return players
    ids_by_player = {player: _ids_of(resolver, player, records) for player in players}
    agreeing = [
        player
        for player, theirs in ids_by_player.items()
        if theirs.items() & person.ids.items() and not _differing(theirs, person.ids)
    ]
    return dict.fromkeys(agreeing) if len(agreeing) == 1 else players


def _ids_of(resolver: _Resolver, player: str, records: Iterable[str]) -> dict[str, str]:
    """The ids elsewhere of a player and of those records that are part of them."""
    ids: dict[str, str] = {}
    for record in (*records, player):
        if resolver.register.canonical_id(record) == player and record in resolver.persons:
            ids |= resolver.persons[record].ids
    return ids


def _say_who_hint(key: str, *ids: str) -> str:
    return hint("say-who", "Say who this is.", key=key, ids=ids)


def _differing(recorded: Mapping[str, str], reported: Mapping[str, str]) -> str | None:
    """The first scheme in which two ids differ."""
    schemes = sorted(recorded.keys() & reported.keys())
    return next((scheme for scheme in schemes if recorded[scheme] != reported[scheme]), None)


# ── updates of known players ──────────────────────────────────────────────────────────────────────

# A report may bring a new nation, a new id elsewhere, or the wish not to be named; of a merged
# record, to the one it is part of. Only officers change names.

_W17 = "wbgf national-ranking, reading W17"
"""The reading by which the nation is that of the latest tournament."""


def first_version(
    player: str, person: PersonalData, nation: str | None, *, withheld: bool | None
) -> Draft:
    """The first version of a record."""
    sealed = seal(person)
    body = Player(
        player_id=player, nation=nation, withheld=bool(withheld), person=sealed.commitment
    )
    return draft(player, body, sealed=[sealed])


def next_version(
    body: Player,
    person: PersonalData | None,
    *,
    nation: str | None,
    withheld: bool,
    now: PersonalData | None,
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


def _updates(resolver: _Resolver) -> tuple[list[Draft], list[Problem]]:
    """New versions of known players' records that reports lead to, and notices."""
    register, reports = resolver.register, resolver.mentions_by_player
    drafts: list[Draft] = []
    notices: list[Problem] = []
    current = {player: version.body for player in reports if (version := register.in_force(player))}
    last = register.last(
        [
            player
            for player, body in current.items()
            if any(reported.nation not in (None, body.nation) for reported in reports[player])
        ]
    )
    for player, body in current.items():
        mentions, person = reports[player], resolver.persons.get(player)
        if person is None:
            notices.append(
                player_problem(player, "the name was erased, and is not recorded again", CLAUSE,
                        "Leave the name out of reports, if it is to stay unknown.")
            )  # fmt: skip
            continue
        notices += _disagreements(resolver, player, person, withheld=body.withheld)
        nation, moved = _nation(player, body.nation, mentions, last.get(player))
        notices += moved
        withheld = body.withheld or any(reported.withheld for reported in mentions)
        now = msgspec.structs.replace(person, ids={**_reported_ids(mentions), **person.ids})
        draft = next_version(body, person, nation=nation, withheld=withheld, now=now)
        drafts += [] if draft is None else [draft]
    return drafts, notices


def _reported_ids(mentions: Sequence[ReportedPlayer]) -> dict[str, str]:
    return {scheme: id_ for reported in mentions for scheme, id_ in reported.ids.items()}


def _disagreements(
    resolver: _Resolver, player: str, person: PersonalData, *, withheld: bool
) -> Iterator[Problem]:
    """Notices of reports with an unknown name or another id elsewhere; hide withheld names."""
    mentions = resolver.mentions_by_player[player]
    recorded_names = {
        form.name
        for record in resolver.register.records(player)
        for form in resolver.forms.get(record, ())
    }
    for reported in mentions:
        if reported.given and reported.name not in recorded_names:
            recorded = "not called so" if withheld else f"{printable(person.name)} in this journal"
            yield player_problem(
                player,
                f"they are {recorded}, and {printable(reported.name)} in a report",
                CLAUSE,
                hint(
                    "correct-id-or-name",
                    "If these are two people, correct the id in the report; if the name is another"
                    " now, an officer edits %(player)s.",
                    player=player,
                ),
            )
    for scheme, value in _reported_ids(mentions).items():
        recorded = person.ids.get(scheme, value)
        if recorded != value:
            yield player_problem(
                player,
                f"the {scheme} id is {printable(recorded)}, and {printable(value)} in a report",
                CLAUSE,
                hint(
                    "correct-report-or-id",
                    "If these are two people, correct the report; if the id is another now,"
                    " an officer changes it.",
                    player=player,
                    scheme=scheme,
                ),
            )


def _nation(
    player: str,
    recorded: str | None,
    mentions: Sequence[ReportedPlayer],
    last: PlayedTournament | None,
) -> tuple[str | None, list[Problem]]:
    """The nation after some reports, and a notice if it changes or an older report differs."""
    with_nation = [reported for reported in mentions if reported.nation is not None]
    latest = max(with_nation, key=lambda reported: reported.last_day or date.min, default=None)
    if latest is None or latest.nation == recorded:
        return recorded, []
    if recorded is None:
        return latest.nation, []
    if last is not None and (latest.last_day or date.min) <= last.day:
        # a report without an id found them by the nation of then: nothing new in that
        what = f"they are {recorded}, and {latest.nation} in a report no later than their last one"
        notice = player_problem(player, what, _W17, "The nation stays as it is.")
        return recorded, [notice] if latest.given else []
    what = (
        f"they were {recorded}; their nation is now {latest.nation}, as in their latest tournament"
    )
    remedy = "If these are two people, write the id of each into the report."
    return latest.nation, [player_problem(player, what, _W17, remedy)]
