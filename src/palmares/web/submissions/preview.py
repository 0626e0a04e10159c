"""Preview a report: its names, and the points and ranks that it would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import Nanopoints
from palmares.facts import Facts
from palmares.facts.schema import WITHHELD
from palmares.facts.text import shown
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES, report, reported_players
from palmares.journal.commands.transaction import Action, Transaction, dry_run
from palmares.journal.identity.duplicates import limit_per_player
from palmares.journal.identity.register import PlayedTournament, Register, ReportedPlayer
from palmares.journal.identity.resolve import NEW, Resolution, resolve_players
from palmares.journal.projection.project import Delta
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal
from palmares.lists.impact import Effect, effects
from palmares.lists.live import query
from palmares.lists.live import update as keeping
from palmares.points.ledger import PLACES
from palmares.points.rankings import Selection
from palmares.web.http.state import Snapshot
from palmares.web.submissions.submissions import Submission


def ranking_before_after(
    effect: Effect, delta: Delta, snapshot: Snapshot, days: Sequence[date]
) -> tuple[pl.DataFrame, date]:
    """Everybody's rank and total before and after, and the day of these two lists.

    Args:
        effect: what the delta does under one regulation.
        delta: of the facts.
        snapshot: what is known, for lists that were made already.
        days: that may be looked at; the first on which anybody is whose points move, else the last.

    Raises:
        FactsRejected: something is missing that a formula needs.
    """
    name = effect.question.regulation
    before = snapshot if delta.before.state.head == snapshot.head else Snapshot(delta.before)
    after = keeping.apply_delta(before.awarded(name), delta, effect.given)
    for day in days:
        selection = Selection(as_of=day)
        old = before.ranking(name, selection).frame.select(PLACES)
        new = query.places(after, selection)
        found = _named(old, "before").join(
            _named(new, "after"), on="player_id", how="full", coalesce=True
        )
        if day == days[-1] or len(found.join(effect.frame, on="player_id", how="semi")):
            break
    return found, day


def others(effect: Effect, ranks: pl.DataFrame) -> int:
    """How many players have another rank, and no other points."""
    moving = ranks.filter(pl.col("rank_before").ne_missing(pl.col("rank_after")))
    return len(moving.join(effect.frame, on="player_id", how="anti"))


def _named(ranking: pl.DataFrame, when: str) -> pl.DataFrame:
    return ranking.rename({"rank": f"rank_{when}", "nanopoints": f"total_{when}"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A player, and what tells them from others."""

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
        """Whether this new name looks like known players and is not settled yet."""
        return self.state == "new" and bool(self.candidates) and not self.chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerChange:
    """One player; points in nanopoints."""

    player_id: str
    player: str
    before: Nanopoints | None  # what these tournaments gave them; of a rating, the rating
    after: Nanopoints | None
    rank_before: int | None  # none: not on the list
    rank_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMove(PlayerChange):
    """A player's points of a report, and in all."""

    total_before: Nanopoints | None
    total_after: Nanopoints | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationOutcome:
    """What one regulation makes of it."""

    regulation: str
    waiting: tuple[str, ...]  # events that will wait, each with what is missing
    counts_differently: (
        bool  # whether points of some stay, and count from another day or on other lists
    )
    rank_only: int  # players whose ranks alone change
    as_of: date  # of the lists: today, or the last day of what has faded since


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationMoves(RegulationOutcome):
    """The same with the players whose points change or count otherwise, the most first."""

    rows: tuple[PlayerMove, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPreview:
    """What a submission would do."""

    people: tuple[ReportedName, ...]
    in_force: Mapping[str, int]  # tournaments that are reported already  ->  the entry in force
    problems: tuple[Problem, ...]
    refusal: str  # why it cannot be recorded; empty if it can
    notices: tuple[Problem, ...]
    entries: int  # that it would add
    moves: tuple[RegulationMoves, ...]

    @property
    def ready(self) -> bool:
        """Whether it can be handed in: an officer could approve it as it is."""
        undecided = any(person.undecided for person in self.people)
        return not self.problems and not self.refusal and not undecided and self.entries > 0


NO_PREVIEW = ReportPreview(
    people=(), in_force={}, problems=(), refusal="", notices=(), entries=0, moves=()
)


def arrival(
    facts: Facts,
    submission: Submission,
    on_resolved: Callable[[Transaction, Resolution], None] | None = None,
) -> Action:
    """The action that records a submission's report; see `report` for `on_resolved`."""

    def act(transaction: Transaction) -> None:
        record = report(
            facts,
            replaces=submission.matches.replaces,
            chosen=_chosen(transaction, facts, submission),
            on_resolved=on_resolved,
        )
        record(transaction)

    return act


def agreed(facts: Facts, submission: Submission) -> Action:
    """The same as an officer may agree to it.

    Raises, when it is done:
        FactsRejected: a new name looks like a known player and is not settled.
    """
    return arrival(facts, submission, _refuse_undecided)


def _refuse_undecided(_: Transaction, who: Resolution) -> None:
    new = set(who.new)
    undecided = [
        Problem(
            at=Location(f"new player {lookalike.player}"),
            what=lookalike.text,
            clause=POSSIBLE_DUPLICATES,
            remedy=msg("Return the report: its director says who this is."),
        )
        for lookalike in limit_per_player(who.possible_duplicates)
        if lookalike.other not in new
    ]
    if undecided:
        raise FactsRejected(undecided, so=msg("nothing was recorded"))


def _chosen(transaction: Transaction, facts: Facts, submission: Submission) -> dict[str, str]:
    """Who somebody is: what was said of people who are still named, else what their names say."""
    people = reported_players(facts)
    keys = {person.key for person in people}
    told = {key: who for key, who in submission.matches.names.items() if key in keys}
    return {**_by_name_alone(transaction, people), **told}


def _by_name_alone(transaction: Transaction, people: Sequence[ReportedPlayer]) -> dict[str, str]:
    """Who goes by exactly the name of one known player, where a nation is missing on one side.

    With both nations `palmares.journal.identity.resolve` says who it is. Of two in a report who
    share a name, nothing is presumed.
    """
    register = Register.of(transaction.projection, transaction.writer)
    often = Counter(person.name for person in people)
    alone = [person for person in people if not person.given and often[person.name] == 1]
    records = register.by_name({one.name for one in alone})
    wholes = {
        name: {register.canonical_id(one) for one in found} for name, found in records.items()
    }
    unique = {name: next(iter(found)) for name, found in wholes.items() if len(found) == 1}
    forms, _ = register.forms_and_persons({one for found in records.values() for one in found})
    presumed = {}
    for one in alone:
        if (player := unique.get(one.name)) is None:
            continue
        known = any(one.form in forms[record] for record in records[one.name])
        standing = register.in_force(player)
        nation = standing.body.nation if standing is not None else None
        if not known and None in (one.nation, nation):
            presumed[one.key] = player
    return presumed


def to_come(facts: Facts, today: date) -> list[Problem]:
    """A remark for every tournament whose last day has not come: hardly a result, then."""
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
    name: str,
    facts: Facts,
    submission: Submission,
    today: date,
) -> ReportPreview:
    """What a submission would do, if it were recorded now.

    Args:
        journal: where it would be recorded; it is as before afterwards.
        snapshot: what is known, to begin with.
        name: of the director.
        facts: of the submission.
        submission: with what was said of its names.
        today: the day of the lists whose ranks are looked at.
    """
    people: list[ReportedName] = []
    named = reported_players(facts)
    reports = {
        one: snapshot.projection.state.report(one) for one in facts["tournaments"]["tournament_id"]
    }
    standing = {one: there.sequence for one, there in reports.items() if there is not None}

    def told(transaction: Transaction, who: Resolution) -> None:
        people.extend(_people(transaction, named, _chosen(transaction, facts, submission), who))

    def act(transaction: Transaction) -> None:
        try:
            arrival(facts, submission, told)(transaction)
        except FactsRejected as rejected:
            if not people:
                chosen = _chosen(transaction, facts, submission)
                people.extend(_puzzled(transaction, named, chosen, rejected))
            raise

    found = replace(NO_PREVIEW, in_force=standing)
    try:
        done = dry_run(journal, Actor(name, "director"), act, start=snapshot.projection)
    except FactsRejected as rejected:
        return replace(found, people=tuple(people), problems=tuple(rejected.problems))
    except Refused as error:
        return replace(found, people=tuple(people), refusal=str(error))
    return replace(
        found,
        people=tuple(people),
        notices=tuple(notice for notice in done.notices if notice.clause != POSSIBLE_DUPLICATES),
        entries=len(done.entries),
        moves=tuple(_moves(done.delta, snapshot, _days(facts, today))),
    )


# ── who is named ─────────────────────────────────────────────────────────────────────────────────


def _people(
    transaction: Transaction,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    who: Resolution,
    unclear: Sequence[ReportedPlayer] = (),
) -> list[ReportedName]:
    """Everybody who is named, with the players they are or may be."""
    register = Register.of(transaction.projection, transaction.writer)
    called = register.by_name({one.name for one in unclear})
    may_be: dict[str, list[str]] = {
        one.key: [register.canonical_id(each) for each in called.get(one.name, ())]
        for one in unclear
    }
    new = {who.ids[person.key]: person.key for person in people if person.key in who.ids}
    for alike in limit_per_player(who.possible_duplicates):
        may_be.setdefault(new[alike.player], []).append(alike.other)
    words = {
        key: register.canonical_id(player) for key, player in chosen.items()
    }  # merged meanwhile
    for key, player in words.items():
        if player != NEW:
            may_be.setdefault(key, []).append(player)
    ids = {key: register.canonical_id(one) for key, one in who.ids.items() if one not in who.new}
    described = _described(
        register, {*ids.values(), *(x for each in may_be.values() for x in each)}
    )
    puzzled = {one.key for one in unclear}
    found = []
    for one in people:
        state = "unclear" if one.key in puzzled else "known" if one.key in ids else "new"
        whole = described.get(ids.get(one.key, ""))
        others = [described[x] for x in dict.fromkeys(may_be.get(one.key, ())) if x in described]
        said = words.get(one.key, "")
        if whole is None and said in described and state != "unclear":
            whole, state = described[said], "known"  # a new record, merged into them
        found.append(
            ReportedName(
                key=one.key,
                written=str(one.form),
                state=state,
                chosen=said,
                player=whole,
                candidates=tuple(others),
            )
        )
    order = ("unclear", "new", "known")
    return sorted(found, key=lambda one: (order.index(one.state), not one.candidates, one.written))


def _puzzled(
    transaction: Transaction,
    people: Sequence[ReportedPlayer],
    chosen: Mapping[str, str],
    rejected: FactsRejected,
) -> list[ReportedName]:
    """The same where some names are unclear."""
    wrong = {problem.at.file for problem in rejected.problems}
    unclear = [
        person
        for person in people
        if {f"player {shown(each)}" for each in (str(person.form), person.key)} & wrong
    ]
    puzzled = {one.key for one in unclear}
    rest = [person for person in people if person.key not in puzzled]
    said = {key: player for key, player in chosen.items() if key not in puzzled}
    try:
        who = resolve_players(Register.of(transaction.projection, transaction.writer), rest, said)
    except FactsRejected:  # of nobody, then
        who = Resolution()
        unclear = list(people)
    return _people(transaction, people, chosen, who, unclear)


def _described(register: Register, players: set[str]) -> dict[str, Candidate]:
    """Players by id, with what tells them apart."""
    rows = register.projection.tables["players"].filter(pl.col("player_id").is_in(list(players)))
    last: Mapping[str, PlayedTournament] = register.last(players)
    found = {}
    for row in rows.iter_rows(named=True):
        played = last.get(row["player_id"])
        found[row["player_id"]] = Candidate(
            player_id=row["player_id"],
            name=WITHHELD if row["withheld"] else row["name"],
            nation=row["nation"],
            last=played.tournament if played else None,
            last_day=played.day if played else None,
        )
    return found


# ── points and ranks ─────────────────────────────────────────────────────────────────────────────


def _days(facts: Facts, today: date) -> list[date]:
    """The days of lists that may move: today, and the last day of what is reported."""
    last = facts["tournaments"]["end_date"].max()
    return [today, *([last] if isinstance(last, date) and last < today else [])]


def _moves(delta: Delta, snapshot: Snapshot, days: Sequence[date]) -> Iterator[RegulationMoves]:
    """What every regulation that sees it makes of it."""
    for effect in effects(delta):
        ranks, as_of = ranking_before_after(effect, delta, snapshot, days)
        rows = (
            effect.frame.group_by("player_id", maintain_order=True)
            .agg(pl.col("player").last(), _sum("before"), _sum("after"))
            .join(ranks, on="player_id", how="left", maintain_order="left")
            .sort("after", "player", descending=[True, False], nulls_last=True)
        )
        yield RegulationMoves(
            regulation=effect.question.regulation,
            waiting=tuple(wait.why for wait in effect.waits),
            rows=tuple(PlayerMove(**row) for row in rows.iter_rows(named=True)),
            counts_differently=effect.counts_otherwise,
            rank_only=others(effect, ranks),
            as_of=as_of,
        )


def _sum(column: str) -> pl.Expr:
    """The sum of what there is; nothing where there is none."""
    return pl.when(pl.col(column).is_not_null().any()).then(pl.col(column).sum()).alias(column)
