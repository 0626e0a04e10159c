"""Preview a report: its names, and the points and ranks that it would change."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from typing import Any

import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import LocalNumber, joined, msg, term
from palmares.core.rounding import Nanopoints
from palmares.facts import Facts
from palmares.facts.schema import LINE, WITHHELD
from palmares.facts.text import plain, printable
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES, report, reported_players
from palmares.journal.commands.transaction import Action, Transaction, dry_run
from palmares.journal.identity.duplicates import limit_per_player
from palmares.journal.identity.register import Register, ReportedPlayer, recorded_player_id
from palmares.journal.identity.resolve import NEW, Resolution, resolve_players
from palmares.journal.projection.project import Delta, State
from palmares.journal.store.entries import Actor, Entry
from palmares.journal.store.journal import Journal
from palmares.lists import live
from palmares.lists.impact import Effect, effects
from palmares.points.ledger import PLACES
from palmares.points.rankings import Selection
from palmares.regulations import get_regulation
from palmares.web.http.parameters import field
from palmares.web.http.state import Snapshot
from palmares.web.shared.names import players_with_names
from palmares.web.submissions.submissions import Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A player that a name may be, with nation and latest tournament."""

    player_id: str
    name: str
    nation: str | None
    last: str | None  # the latest tournament they played in
    last_day: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedName:
    """One name of a report."""

    key: str
    written: str  # as the report has it
    state: str  # known, new, unclear
    chosen: str  # an id or "new": what was said, or what an exact name says; or nothing
    player: Candidate | None  # whom they were matched to
    candidates: tuple[Candidate, ...]  # whom they may be

    @property
    def undecided(self) -> bool:
        """Whether this new name looks like known players, and nobody has chosen one."""
        return self.state == "new" and bool(self.candidates) and not self.chosen

    @property
    def unsettled(self) -> bool:
        """Whether someone has to choose the player."""
        return self.undecided or self.state == "unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentChange:
    """A player's points of a tournament, and their total and rank on a list."""

    player_id: str
    player: str
    tournament_id: str | None  # none: of a rating, which goes on
    tournament: str | None
    before: Nanopoints | None  # what the tournament gave them; of a rating, the rating
    after: Nanopoints | None
    change: Nanopoints
    total_before: Nanopoints | None
    total_after: Nanopoints | None
    rank_before: int | None  # none: not on the list
    rank_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationChanges:
    """What one regulation makes of it, tournament by tournament, the most points first."""

    regulation: str
    title: str
    as_of: date  # of the lists: today, or the last day of what has faded since
    waiting: tuple[str, ...]  # events that will wait, each with what is missing
    no_longer_waiting: tuple[str, ...]  # events that waited until now and will not
    rows: tuple[TournamentChange, ...]
    more: int  # rows that are not shown
    change: int  # what all rows come to, in nanopoints
    rank_only: int  # players whose ranks alone change
    counts_differently: (
        bool  # whether points of some stay, and count from another day or on other lists
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPreview:
    """What a submission would do."""

    people: tuple[ReportedName, ...]
    in_force: Mapping[str, int]  # tournaments that are reported already  ->  the entry in force
    problems: tuple[Problem, ...]
    refusal: str  # why it cannot be recorded; empty if it can
    notices: tuple[Problem, ...]
    entries: tuple[Entry, ...] | None  # that it would record; none: it cannot be recorded
    names: Mapping[str, str]  # new ones in these entries, by id or seal
    points: tuple[RegulationChanges, ...]

    @property
    def ready(self) -> bool:
        """Whether it can be submitted: an officer could approve it as it is."""
        undecided = any(person.undecided for person in self.people)
        return bool(self.entries) and not undecided


NO_PREVIEW = ReportPreview(
    people=(),
    in_force={},
    problems=(),
    refusal="",
    notices=(),
    entries=None,
    names={},
    points=(),
)


def agreed(facts: Facts, submission: Submission) -> Action:
    """Record a report as an officer may agree to it.

    Raises, when it is done:
        FactsRejected: a new name looks like a known player and is not settled.
    """

    def refuse_undecided(_: Transaction, who: Resolution) -> None:
        undecided = [
            Problem(
                at=Location(f"new player {lookalike.player}"),
                what=lookalike.text,
                clause=POSSIBLE_DUPLICATES,
                remedy=msg("Return the report: its director says who this is."),
            )
            for lookalike in limit_per_player(who.possible_duplicates)
            if lookalike.other not in who.new
        ]
        if undecided:
            raise FactsRejected(undecided, so=msg("nothing was recorded"))

    def act(transaction: Transaction) -> None:
        chosen = _chosen_players(transaction, reported_players(facts), submission)
        _report(facts, submission, chosen, refuse_undecided)(transaction)

    return act


def _report(
    facts: Facts,
    submission: Submission,
    chosen: Mapping[str, str],
    on_resolved: Callable[[Transaction, Resolution], None],
) -> Action:
    """The action that records a report with the players its names were matched to."""
    replaces = submission.matches.replaces
    return report(facts, replaces=replaces, chosen=chosen, on_resolved=on_resolved)


def _chosen_players(
    transaction: Transaction, people: Sequence[ReportedPlayer], submission: Submission
) -> dict[str, str]:
    """The player of each name: as chosen, else the only one with exactly that name."""
    keys = {person.key for person in people}
    settled = {key: player for key, player in submission.matches.names.items() if key in keys}
    return {**_by_name_alone(transaction, people), **settled}


def _by_name_alone(transaction: Transaction, people: Sequence[ReportedPlayer]) -> dict[str, str]:
    """The player who alone has exactly the name, where a nation is missing on one side.

    With both nations `palmares.journal.identity.resolve` says who it is. Of two in a report who
    share a name, nothing is presumed.
    """
    register = transaction.register
    counts = Counter(person.name for person in people)
    people = [person for person in people if not person.given and counts[person.name] == 1]
    by_name = register.by_name({person.name for person in people})
    forms, _ = register.forms_and_persons({record for some in by_name.values() for record in some})
    presumed = {}
    for person in people:
        records = by_name.get(person.name, ())
        players = {register.canonical_id(record) for record in records}
        if len(players) != 1 or any(person.form in forms[record] for record in records):
            continue
        (player,) = players
        statement = register.in_force(player)
        if person.nation is None or statement is None or statement.body.nation is None:
            presumed[person.key] = player
    return presumed


def to_come(facts: Facts, today: date) -> list[Problem]:
    """A notice for every tournament whose last day lies ahead."""
    rows = facts["tournaments"].filter(pl.col("end_date") > today)
    return [
        Problem(
            at=Location(str(name)),
            what=msg(
                "it ends on %(day)s, which has not come; lists count it from that day on",
                day=LocalNumber(day.isoformat()),
            ),
            clause="report end_date",
            remedy=msg("Look at the year again."),
        )
        for name, day in rows.select("name", "end_date").iter_rows()
    ]


def preview_report(
    journal: Journal,
    snapshot: Snapshot,
    by: Actor,
    facts: Facts,
    submission: Submission,
    today: date,
) -> ReportPreview:
    """What a submission would do, if it were recorded now.

    Args:
        journal: where it would be recorded; it is as before afterwards.
        snapshot: what is known, to begin with.
        by: who looks at it.
        facts: of the submission.
        submission: with what was said of its names.
        today: the day of the lists whose ranks are looked at.
    """
    people: list[ReportedName] = []
    reported = reported_players(facts)

    def act(transaction: Transaction) -> None:
        chosen = _chosen_players(transaction, reported, submission)

        def keep_names(transaction: Transaction, who: Resolution) -> None:
            people.extend(_reported_names(transaction, reported, chosen, who))
            _refuse_placed_twice(facts, people, with_lines=submission.format != "toml")

        try:
            _report(facts, submission, chosen, keep_names)(transaction)
        except FactsRejected as rejected:
            if not people:
                people.extend(_unclear_names(transaction, reported, chosen, rejected))
            raise

    preview = replace(NO_PREVIEW, in_force=_in_force(snapshot.projection.state, facts))
    try:
        done = dry_run(journal, by, act, start=snapshot.projection)
    except FactsRejected as rejected:
        return replace(preview, people=tuple(people), problems=tuple(rejected.problems))
    except Refused as error:
        return replace(preview, people=tuple(people), refusal=str(error))
    return replace(
        preview,
        people=tuple(people),
        notices=done.notices,
        entries=done.entries,
        names=done.names,
        points=changes_of(done.delta, snapshot, today),
    )


def _in_force(state: State, facts: Facts) -> dict[str, int]:
    """The entry of each tournament's report, if there is one."""
    tournaments = facts["tournaments"]["tournament_id"]
    reports = ((tournament, state.report(tournament)) for tournament in tournaments)
    return {tournament: report.sequence for tournament, report in reports if report is not None}


# ── the names of a report ────────────────────────────────────────────────────────────────────────


def _reported_names(
    transaction: Transaction,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    who: Resolution,
    unclear: Sequence[ReportedPlayer] = (),
) -> list[ReportedName]:
    """Each name of a report with the player it was matched to, or the players it may be."""
    register = transaction.register
    chosen = {key: register.canonical_id(player) for key, player in chosen.items()}  # merged since
    candidates = _candidates(register, people, chosen, who, unclear)
    matched = {
        key: register.canonical_id(player)
        for key, player in who.ids.items()
        if player not in who.new
    }
    described = _described(register, {*matched.values(), *chain(*candidates.values())})
    unclear_keys = {person.key for person in unclear}
    names = []
    for person in people:
        key = person.key
        state = "unclear" if key in unclear_keys else "known" if key in matched else "new"
        match = described.get(matched.get(key, ""))
        if match is None and state != "unclear" and chosen.get(key) in described:
            match, state = described[chosen[key]], "known"  # a new record, merged into them
        possible = dict.fromkeys(candidates[key])
        names.append(
            ReportedName(
                key=key,
                written=str(person.form),
                state=state,
                chosen=chosen.get(key, ""),
                player=match,
                candidates=tuple(described[each] for each in possible if each in described),
            )
        )
    order = ("unclear", "new", "known")
    return sorted(names, key=lambda name: (order.index(name.state), not name.candidates))


def _refuse_placed_twice(facts: Facts, people: Sequence[ReportedName], *, with_lines: bool) -> None:
    """Refuse a report in which several names of one flight were matched to one player.

    Args:
        facts: of the report.
        people: its names, matched.
        with_lines: whether its director sees the lines of the report.

    Raises:
        FactsRejected: a player would be placed twice.
    """
    names = {person.key: person for person in people if person.player}
    written: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    rows = facts["placings"].select("event_id", "flight", "player_id", LINE)
    for event, flight, key, line in rows.iter_rows():
        if (person := names.get(key)) and person.player:
            place = msg("%(name)s on line %(line)s", name=person.written, line=str(line))
            of_flight = written[event, flight][person.player.player_id]
            of_flight.append(place if with_lines else person.written)
    matched = {each.player.player_id: each.player.name for each in people if each.player}
    problems = [
        Problem(
            at=Location(matched[player]),
            what=msg("several names in the %(flight)s are this player: %(names)s",
                     flight=term(flight), names=(joined(several),)),
            clause="journal players",
            remedy=msg("Choose someone else for one of them, or delete the line that is wrong: a"
                       " player has one place per flight."),
        )
        for (_, flight), by_player in written.items()
        for player, several in by_player.items()
        if len(several) > 1
    ]  # fmt: skip
    if problems:
        raise FactsRejected(problems)


def _candidates(
    register: Register,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    who: Resolution,
    unclear: Sequence[ReportedPlayer],
) -> Mapping[str, list[str]]:
    """The players that each name may be: of the same name, alike, or chosen."""
    by_name = register.by_name({person.name for person in unclear})
    candidates: dict[str, list[str]] = defaultdict(list)
    for person in unclear:
        candidates[person.key] += map(register.canonical_id, by_name.get(person.name, ()))
    keys = {who.ids[person.key]: person.key for person in people if person.key in who.ids}
    for lookalike in limit_per_player(who.possible_duplicates):
        candidates[keys[lookalike.player]].append(lookalike.other)
    for key, player in chosen.items():
        if player != NEW:
            candidates[key].append(player)
    return candidates


def _unclear_names(
    transaction: Transaction,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    rejected: FactsRejected,
) -> list[ReportedName]:
    """The preview of a report that was rejected because some names are unclear."""
    places = {problem.at.file for problem in rejected.problems}
    unclear = [
        person
        for person in people
        if {f"player {printable(text)}" for text in (str(person.form), person.key)} & places
    ]
    clear = [person for person in people if person not in unclear]
    settled = {person.key: chosen[person.key] for person in clear if person.key in chosen}
    try:
        register = transaction.register
        who = resolve_players(register, clear, settled)
    except FactsRejected:
        who, unclear = Resolution(), list(people)
    return _reported_names(transaction, people, chosen, who, unclear)


def _described(register: Register, players: set[str]) -> dict[str, Candidate]:
    """Players by ID, each with nation and latest tournament."""
    rows = register.projection.tables["players"].filter(pl.col("player_id").is_in(list(players)))
    last_played = register.last(players)
    candidates = {}
    for row in rows.iter_rows(named=True):
        last = last_played.get(row["player_id"])
        candidates[row["player_id"]] = Candidate(
            player_id=row["player_id"],
            name=WITHHELD if row["withheld"] else row["name"],
            nation=row["nation"],
            last=last.tournament if last else None,
            last_day=last.day if last else None,
        )
    return candidates


@dataclass(frozen=True, slots=True)
class NamesOfForm:
    """The players chosen for the names of a report in a form."""

    chosen: dict[str, str]  # the key of a name -> the id of a player, or "new"
    unclear: dict[str, str]  # the key of a name -> what was typed, where it is no player
    problem: str  # why it is none; empty: all of it is clear


def names_of_form(form: Mapping[str, Any], snapshot: Snapshot) -> NamesOfForm:
    """Who the names of a report are.

    A name is a field ``name.3``; its player a choice ``who.3``, or in ``other.3`` an id or a name.
    """
    chosen, unclear, problems = dict[str, str](), dict[str, str](), []
    for key in form:
        before, _, number = key.partition(".")
        name = field(form, key)
        if before != "name" or not name:
            continue
        if other := field(form, f"other.{number}").strip():
            try:
                chosen[name] = _find_player(snapshot, other)
            except Refused as error:
                unclear[name] = other
                problems.append(str(error))
        elif player := field(form, f"who.{number}"):
            chosen[name] = player
    return NamesOfForm(chosen, unclear, "\n".join(problems))


def _find_player(snapshot: Snapshot, text: str) -> str:
    """The id of a player by id or by name; capitals and accents do not matter.

    Raises:
        Refused: no player, or more than one, has the name; similar names are suggested.
    """
    try:
        return recorded_player_id(snapshot.projection, text)
    except Refused:
        spelled = plain(pl.Series([text], dtype=pl.String))[0]
        ids = players_with_names(snapshot).filter(plain=spelled)["player_id"]
        if len(ids) == 1:
            return str(ids[0])
        raise


# ── points and ranks ─────────────────────────────────────────────────────────────────────────────

MOST_CHANGES = 500
"""Rows of points that a preview shows."""


def changes_of(delta: Delta, snapshot: Snapshot, today: date) -> tuple[RegulationChanges, ...]:
    """The points and ranks that every regulation changes.

    Args:
        delta: of the facts.
        snapshot: has lists that were made already.
        today: the day it is.

    Raises:
        FactsRejected: something is missing that a formula needs.
    """
    return tuple(_changes(effect, delta, snapshot, today) for effect in effects(delta))


def _changes(effect: Effect, delta: Delta, snapshot: Snapshot, today: date) -> RegulationChanges:
    """The changes under one regulation, on the lists of today.

    Where their points have faded since, the lists are those of the last day of the tournaments.
    """
    name = effect.question.regulation
    before = snapshot if delta.before.state.head == snapshot.head else Snapshot(delta.before)
    after = live.apply_delta(before.awards(name), delta)
    tournaments = pl.concat(
        facts.tables["tournaments"].select("tournament_id", "end_date")
        for facts in (delta.before, delta.after)
    )
    last = tournaments.join(effect.frame, on="tournament_id", how="semi")["end_date"].max()
    for day in (today, last if isinstance(last, date) and last < today else today):
        selection = Selection(as_of=day)
        ranks = _with_suffix(before.ranking(name, selection).frame.select(PLACES), "before").join(
            _with_suffix(live.places(after, selection), "after"),
            on="player_id",
            how="full",
            coalesce=True,
        )
        if len(ranks.join(effect.frame, on="player_id", how="semi")):
            break
    other_ranks = ranks.filter(pl.col("rank_before").ne_missing(pl.col("rank_after")))
    rows = effect.frame.head(MOST_CHANGES).drop("regulation")
    rows = rows.join(ranks, on="player_id", how="left", maintain_order="left")
    return RegulationChanges(
        regulation=name,
        title=get_regulation(name, awards=True).title,
        as_of=day,
        waiting=tuple(wait.why for wait in effect.waits),
        no_longer_waiting=tuple(f"{wait.event} ({wait.tournament})" for wait in effect.mended),
        rows=tuple(TournamentChange(**row) for row in rows.iter_rows(named=True)),
        more=max(0, effect.frame.height - MOST_CHANGES),
        change=int(effect.frame["change"].sum()),
        rank_only=len(other_ranks.join(effect.frame, on="player_id", how="anti")),
        counts_differently=effect.counts_otherwise,
    )


def _with_suffix(ranking: pl.DataFrame, suffix: str) -> pl.DataFrame:
    return ranking.rename({"rank": f"rank_{suffix}", "nanopoints": f"total_{suffix}"})
