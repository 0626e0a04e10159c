"""
Why a player has these points: the trace of the computation, clause by clause.

The clauses are run again on exact fractions with every step recorded; nothing is described a
second time. The words are the edition's own, so an award of 2015 quotes the text of 2015.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.messages import LocalNumber, chained, msg, term
from palmares.core.rounding import divided_half_up, to_nanopoints
from palmares.facts import Facts
from palmares.facts.checks import repeated_rows
from palmares.facts.names import find_player_id
from palmares.points import inputs
from palmares.points.award_table import people
from palmares.points.awards import (
    Question,
    Waiting,
    advice_on,
    award,
    award_tournaments,
    outcomes,
    say_waiting,
    time_order,
)
from palmares.points.ledger import rank
from palmares.points.rankings import Selection
from palmares.points.summary import AwardSummary, Valued, summary
from palmares.regulations import Regulation
from palmares.regulations.model import (
    MAIN,
    Advice,
    Event,
    Grant,
    Memberships,
    Tournament,
    Unusable,
    row_values,
)
from palmares.regulations.protocol import Outcome
from palmares.regulations.tracing import TraceStep, traced
from palmares.regulations.words import ClauseLine, in_text_order, worded

FLOAT_ERROR = 1e-12
"""Of its size, by which a float may miss an exact number of points after a few operations."""

EXACT_UP_TO = 1000
"""Entrants up to which fractions are quick enough; larger fields are traced on floats."""


AwardKey = tuple[str, str, str]
"""Which award of a player: event, flight, kind; on each day of play that gave one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedAward:
    """One award of the player and how it came about."""

    event_id: str
    event: str
    tournament: str
    flight: str
    kind: str
    effective: date
    edition: str
    sha256: str
    nanopoints: int
    lines: tuple[ClauseLine, ...]
    counts: bool  #: on the day, under the selection
    worth: int  #: nanopoints on the day, rounded for show; the total sums unrounded
    summary: AwardSummary
    weight: int  #: nanopoints times days left, exact
    parts: int  #: days in all
    fading: tuple[ClauseLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnawardedResult:
    """An event in which a player was placed or played, and has no points."""

    tournament_id: str
    tournament: str
    event_id: str
    event: str
    day: date  # on which the tournament ended
    why: str

    @property
    def sentence(self) -> str:
        """The event, and why."""
        return msg(
            "%(event)s (%(tournament)s, %(day)s): %(why)s",
            event=self.event,
            tournament=self.tournament,
            day=LocalNumber(self.day.isoformat()),
            why=self.why,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerExplanation:
    """Every award of one player and the sum that makes the total."""

    regulation: str
    title: str
    player_id: str
    player: str
    nation: str | None
    as_of: date
    total: str  #: sum | latest
    nanopoints: int
    rank: int | None
    ranked: int  #: how many are on the list
    entries: tuple[ExplainedAward, ...]
    notices: tuple[Problem, ...]
    waiting: tuple[Waiting, ...]  #: events that are not in the list
    unawarded: tuple[UnawardedResult, ...]  #: the player's results that give no points


def player_id_of(facts: Facts, wanted: str) -> str:
    """The id of a player given by id, or by a name that is not withheld.

    Raises:
        Refused: no player fits, or several; names similar ones.
    """
    withheld = pl.col("withheld").fill_null(value=False)
    name = pl.when(~withheld).then("name")
    return find_player_id(facts.tables["players"].with_columns(name=name), wanted)


def explain(
    question: Question, facts: Facts, player: str, selection: Selection
) -> PlayerExplanation:
    """Explain one player's points.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        player: id or name.
        selection: the day, and which awards count.

    Raises:
        Refused: no such player, or one without any award.
    """
    player_id = player_id_of(facts, player)
    awards = award(question, facts)
    theirs = awards.frame.filter(pl.col("player_id") == player_id)
    person = people(facts)[player_id]
    if theirs.is_empty():
        nothing = f"{person.name} ({player_id}) has no points under {question.regulation}."
        why = [each.sentence for each in unawarded_results(question, facts, player_id, ())]
        lines = why or ["No placing and no match names them."]
        raise Refused("\n".join([nothing, *lines, *say_waiting(awards.waiting)]))
    ranking = rank(awards, selection)
    place = ranking.frame.filter(pl.col("player_id") == player_id)
    regulation = question.get_regulation()
    return PlayerExplanation(
        regulation=regulation.name,
        title=regulation.title,
        player_id=player_id,
        player=person.name,
        nation=person.nation,
        as_of=selection.as_of,
        total=regulation.aggregate.word,
        nanopoints=0 if place.is_empty() else place["nanopoints"][0],
        rank=None if place.is_empty() else place["rank"][0],
        ranked=len(ranking.frame),
        entries=tuple(explained(question, facts, player_id, theirs, selection)),
        notices=awards.notices,
        waiting=ranking.waiting,
        unawarded=unawarded_results(question, facts, player_id, theirs["event_id"]),
    )


def explained(
    question: Question,
    facts: Facts,
    player: str,
    theirs: pl.DataFrame,
    selection: Selection,
    only: AwardKey | None = None,
) -> Iterator[ExplainedAward]:
    """A player's awards explained.

    Args:
        question: the regulation, edition and readings.
        facts: with the tournaments of these awards.
        player: their id.
        theirs: the awards in the order of time, all of their events; all of all events where only
            the latest counts.
        selection: the day, and which awards count.
        only: the award that is asked for, where it is one.

    Raises:
        FactsRejected: a player is placed twice in a flight.
    """
    tournaments = inputs.tournaments(facts, question.get_regulation(), set(theirs["tournament_id"]))
    traced_grants = _traced_grants(
        question,
        tournaments,
        inputs.memberships(facts, tournaments),
        player,
        set(theirs["event_id"]),
    )
    counting = selection.apply(theirs.with_row_index("place"))["place"].to_list()
    points = theirs["nanopoints"].to_list()
    if len(traced_grants) != len(points) and (twice := repeated_rows(facts)):
        raise FactsRejected(twice)  # commands refuse such entries; made by hand they get in
    yield from _entries(question, player, traced_grants, points, counting, selection.as_of, only)


def _entries(
    question: Question,
    player: str,
    traced_grants: Sequence[TracedGrant],
    nanopoints: Sequence[int],
    counting: Collection[int],
    day: date,
    only: AwardKey | None = None,
    before: Fraction | None = None,
) -> Iterator[ExplainedAward]:
    """A player's awards explained.

    Args:
        question: the regulation, edition and readings.
        player: their id.
        traced_grants: their grants in the order of time.
        nanopoints: of each.
        counting: the places in this order of those that count on the day.
        day: on which they are valued.
        only: the award that is asked for; none: every one.
        before: points that a fold starts from; none: what the regulation says.
    """
    aggregate = question.aggregate
    last: Any = before
    latest = max(counting, default=None)
    for place, (points, traced_grant) in enumerate(zip(nanopoints, traced_grants, strict=True)):
        grant = traced_grant[1]
        with traced() as final:
            values = _values(question, grant, player, last)
        last = values[""]
        off = abs(to_nanopoints(last) - points)
        if off > 1 + FLOAT_ERROR * abs(points):  # pragma: no cover
            raise AssertionError(f"{grant.event.name}: the trace gives {float(last)}")
        if only not in (None, (grant.event.event_id, grant.flight, grant.kind)):
            continue
        with traced() as fading:
            left, parts = aggregate.left(grant.rules, grant.effective, day)
            if parts > 1 and aggregate.decay and aggregate.decay.worth:
                aggregate.decay.worth(grant.rules, Fraction(points, 10**9), left)
        valued = Valued(
            nanopoints=points,
            counts=place in counting and left > 0,
            replaced=aggregate.latest and place != latest,
            left=left,
            parts=parts,
            day=day,
        )
        yield _entry(player, traced_grant, final, values, valued, fading)


class TriedReport(NamedTuple):
    """What a made-up report gives one player."""

    entries: tuple[ExplainedAward, ...]
    no_points: tuple[ClauseLine, ...]  # where there is no award: the clauses that say why
    notices: tuple[Problem, ...]


def try_report(
    question: Question, facts: Facts, player: str, day: date, before: Fraction | None = None
) -> TriedReport:
    """What a made-up report gives one player, and how it comes about.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts of one tournament.
        player: their id; everybody placed has such an id.
        day: on which the awards are valued.
        before: the points held before, for a regulation whose points fold over events.

    Raises:
        FactsRejected: something is missing that a formula needs.
    """
    tournaments = inputs.tournaments(facts, question.get_regulation())
    memberships = inputs.memberships(facts)
    worked, notices = award_tournaments(question, tournaments, memberships)
    theirs = [each for each in worked if player in each.grant.players]
    if not theirs:
        ended = tournaments[0].end_date
        lines = _passed_by(question, tournaments, memberships, player, ended)
        return TriedReport((), lines, notices)
    events = {each.grant.event.event_id for each in theirs}
    traced_grants = _traced_grants(question, tournaments, memberships, player, events)
    nanopoints = [each.nanopoints[list(each.grant.players).index(player)] for each in theirs]
    counting = [place for place, each in enumerate(theirs) if each.grant.effective <= day]
    if before is not None:  # one event continues the points held before it
        grant = traced_grants[0][1]
        traced_grants, counting, day = traced_grants[:1], [0], grant.effective
        nanopoints = [to_nanopoints(_values(question, grant, player, before)[""])]
    entries = _entries(question, player, traced_grants, nanopoints, counting, day, before=before)
    return TriedReport(tuple(entries), (), notices)


def _entry(
    player: str,
    traced_grant: TracedGrant,
    final: Sequence[TraceStep],
    values: Mapping[str, Any],
    valued: Valued,
    fading: Sequence[TraceStep],
) -> ExplainedAward:
    """One award of a player, explained.

    Args:
        player: their id.
        traced_grant: the grant, and the clauses that made its terms.
        final: the clauses from the terms to the points.
        values: what the formula takes, by name.
        valued: the points, and what becomes of them.
        fading: the clauses that value them on the day.
    """
    tournament, grant, steps = traced_grant
    rules = grant.rules
    terms = in_text_order([rules], [*steps, *final[:-1]])  # then the formula
    weight = valued.nanopoints * valued.left if valued.counts else 0
    return ExplainedAward(
        event_id=grant.event.event_id,
        event=grant.event.name,
        tournament=tournament.name,
        flight=grant.flight,
        kind=grant.kind,
        effective=grant.effective,
        edition=rules.edition.name,
        sha256=rules.edition.sha256,
        nanopoints=valued.nanopoints,
        lines=tuple(worded([rules], [*terms, *final[-1:]])),
        counts=valued.counts,
        worth=divided_half_up(weight, valued.parts),
        summary=summary(grant, player, values, valued),
        weight=weight,
        parts=valued.parts,
        fading=tuple(worded([rules], in_text_order([rules], fading))),
    )


def _passed_by(
    question: Question,
    tournaments: Sequence[Tournament],
    memberships: Memberships,
    player: str,
    day: date,
) -> tuple[ClauseLine, ...]:
    """The clauses at work on tournaments in which a player has no award: they say why.

    Those that led to an award of others, or to a notice, which says itself why, do not. Where no
    edition was in force on the day, there is none.
    """
    rules = question.rulebook(Fraction).on(day)
    if rules is None:
        return ()
    clauses: list[TraceStep] = []
    with traced() as steps:
        for tournament in tournaments:
            done = len(steps)
            for _ in outcomes(
                question.get_regulation(), question.rulebook(Fraction), tournament, memberships
            ):
                done = len(steps)
            clauses += steps[done:]
    return tuple(worded([rules], in_text_order([rules], _about(player, clauses))))


TracedGrant = tuple[Tournament, Grant, Sequence[TraceStep]]
"""A grant with the steps that led to it."""


def _traced_grants(
    question: Question,
    tournaments: Sequence[Tournament],
    memberships: Memberships,
    player: str,
    counted_events: Collection[str],
) -> list[TracedGrant]:
    """The player's grants in the order of time, each with the steps that led to it."""
    regulation = question.get_regulation()
    exact, quick = question.rulebook(Fraction), question.rulebook(float)
    grants = []
    for tournament in tournaments:
        fields = [flight.entrants for event in tournament.events for flight in event.flights]
        rules = exact if max(fields, default=0) <= EXACT_UP_TO else quick
        with traced() as steps:
            done = 0
            for outcome in outcomes(regulation, rules, tournament, memberships):
                if isinstance(outcome, Grant):
                    if player in outcome.players and outcome.event.event_id in counted_events:
                        grants.append((tournament, outcome, _about(player, steps[done:])))
                    done = len(steps)
    return sorted(grants, key=lambda traced_grant: time_order(traced_grant[0], traced_grant[1]))


def _about(player: str, steps: Sequence[TraceStep]) -> tuple[TraceStep, ...]:
    """The steps that are about everyone or about this player."""
    return tuple(step for step in steps if dict(step.inputs).get("player", player) == player)


def _values(question: Question, grant: Grant, player: str, last: Any) -> dict[str, Any]:
    """The values of one row by name, traced; the points have the name ""."""
    return row_values(grant, list(grant.players).index(player), question.aggregate.opening, last)


# ── results without points ───────────────────────────────────────────────────────────────────────


def unawarded_results(
    question: Question, facts: Facts, player: str, awarded: Collection[str]
) -> tuple[UnawardedResult, ...]:
    """The events of a player that give them no points, the latest first.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        player: their id.
        awarded: the events that give them points.
    """
    regulation = question.get_regulation()
    placings = facts.tables["placings"].filter(pl.col("player_id") == player)
    flight = pl.col("flight").fill_null(MAIN)
    best_last = placings.sort(flight == MAIN, "rank", descending=[False, True])
    places = best_last.select("event_id", "rank", flight).iter_rows()
    place_by_event = {event: _of_place(*place) for event, *place in places}
    played = (pl.col("winner_id") == player) | (pl.col("loser_id") == player)
    matches = facts.tables["matches"].filter(played)["event_id"]
    ids = {*place_by_event, *matches} - set(awarded)
    events = facts.tables["events"].filter(pl.col("event_id").is_in(list(ids)))
    tournaments = facts.tables["tournaments"].filter(
        pl.col("tournament_id").is_in(events["tournament_id"].implode()),
        inputs.of_discipline(regulation),
    )
    names = {row[0]: row for row in tournaments[["tournament_id", "name", "end_date"]].rows()}
    reasons = _reasons(question, facts, player, tuple(names))
    for event, kind in events.filter(inputs.left_out_of(regulation.name))[
        ["event_id", "kind"]
    ].rows():
        reasons[event] = [
            msg("officers left the event out of this list"),
            *_of_kind(regulation, kind),
        ]
    results = [
        UnawardedResult(
            tournament_id=tournament,
            tournament=names[tournament][1],
            event_id=event,
            event=name,
            day=names[tournament][2],
            why=chained(reasons.get(event) or [place_by_event.get(event) or _of_place()]),
        )
        for event, name, tournament in events[["event_id", "name", "tournament_id"]].rows()
        if tournament in names
    ]
    return tuple(sorted(results, key=lambda result: (result.day, result.event_id), reverse=True))


def _of_place(rank: int | None = None, flight: str = MAIN) -> str:
    if rank is None:
        return msg("no match won, and no place that earns points")
    if flight != MAIN:
        return msg(
            "place %(rank)s of the %(flight)s earns no points in it",
            rank=str(rank),
            flight=term(flight),
        )
    return msg("place %(rank)s earns no points in it", rank=str(rank))


def _reasons(
    question: Question, facts: Facts, player: str, ids: Sequence[str]
) -> dict[str, list[str]]:
    """All that is why events give a player nothing, by event, where it is not their place."""
    regulation, rulebook = question.get_regulation(), question.rulebook()
    tournaments = inputs.tournaments(facts, regulation, ids)
    memberships = inputs.memberships(facts, tournaments)
    reasons = {}
    for tournament in tournaments:
        with traced() as steps:
            results = list(outcomes(regulation, rulebook, tournament, memberships))
        theirs = [step for step in steps if dict(step.inputs).get("player") == player]
        rules = rulebook.on(tournament.end_date)
        refusals = [] if any(step.value for step in theirs) else theirs
        lines = worded([rules], refusals) if rules else ()
        of_player = dict.fromkeys(
            msg("%(clause)s: no. %(text)s", clause=line.label, text=line.says) for line in lines
        )
        outcome = [*results, *map(Advice, advice_on(regulation, rulebook, tournament))]
        for event in tournament.events:
            reasons[event.event_id] = [*_of_event(regulation, event, outcome), *of_player]
    return reasons


def _of_kind(regulation: Regulation, kind: str | None) -> list[str]:
    """Why an event gives nobody points, if its kind is one that earns none."""
    if kind and regulation.event_kinds and kind not in regulation.event_kinds:
        return [msg("events of its kind earn no points")]
    return []


def _of_event(regulation: Regulation, event: Event, outcome: Sequence[Outcome]) -> list[str]:
    """Why an event gives no points to anyone: what is missing, its kind, or the advice on it."""
    given = [each for each in outcome if not isinstance(each, Advice)]
    own = [each for each in given if each.event.event_id == event.event_id]
    missing = [problem for each in own if isinstance(each, Unusable) for problem in each.problems]
    if not missing and any(isinstance(each, Grant) and each.players for each in own):
        return []
    why = [problem.sentences for problem in missing] + _of_kind(regulation, event.kind)
    advice = [each.problem for each in outcome if isinstance(each, Advice)]
    return why or [problem.what for problem in advice if problem.at == event.where]
