"""The results of a player that give no points, each with the reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares.core.messages import LocalNumber, chained, msg
from palmares.facts import Facts
from palmares.points import inputs
from palmares.points.awards import Question, advice_on, outcomes
from palmares.regulations import Regulation
from palmares.regulations.model import Advice, Event, Grant, Unusable
from palmares.regulations.protocol import Outcome
from palmares.regulations.tracing import traced
from palmares.regulations.words import worded


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
    rank_by_event = dict(
        facts.tables["placings"]
        .filter(pl.col("player_id") == player)
        .select("event_id", pl.col("rank").min().over("event_id"))
        .iter_rows()
    )
    played = (pl.col("winner_id") == player) | (pl.col("loser_id") == player)
    matches = facts.tables["matches"].filter(played)["event_id"]
    ids = {*rank_by_event, *matches} - set(awarded)
    events = facts.tables["events"].filter(pl.col("event_id").is_in(list(ids)))
    tournaments = facts.tables["tournaments"].filter(
        pl.col("tournament_id").is_in(events["tournament_id"].implode()),
        inputs.of_discipline(regulation),
    )
    names = {row[0]: row for row in tournaments[["tournament_id", "name", "end_date"]].rows()}
    left_out = set(events.filter(inputs.left_out_of(regulation.name))["event_id"])
    reasons = _reasons(question, facts, player, tuple(names))
    results = [
        UnawardedResult(
            tournament_id=tournament,
            tournament=names[tournament][1],
            event_id=event,
            event=name,
            day=names[tournament][2],
            why=msg("officers left the event out of this list")
            if event in left_out
            else reasons.get(event) or _of_place(rank_by_event.get(event)),
        )
        for event, name, tournament in events[["event_id", "name", "tournament_id"]].rows()
        if tournament in names
    ]
    return tuple(sorted(results, key=lambda result: (result.day, result.event_id), reverse=True))


def _of_place(rank: int | None) -> str:
    if rank is None:
        return msg("no match won, and no place that earns points")
    return msg("place %(rank)s earns no points in it", rank=str(rank))


def _reasons(question: Question, facts: Facts, player: str, ids: Sequence[str]) -> dict[str, str]:
    """Why events give a player nothing, by event, where it is not their place."""
    regulation, rulebook = question.get_regulation(), question.rulebook()
    tournaments = inputs.tournaments(facts, regulation, ids)
    memberships = inputs.memberships(facts, tournaments)
    reasons = {}
    for tournament in tournaments:
        with traced() as steps:
            results = list(outcomes(regulation, rulebook, tournament, memberships))
        theirs = [step for step in steps if dict(step.inputs).get("player") == player]
        rules = rulebook.on(tournament.end_date)
        refusals = [] if any(step.value for step in theirs) else theirs[-1:]
        lines = worded([rules], refusals) if rules else ()
        of_player = [
            msg("%(clause)s: no. %(text)s", clause=line.label, text=line.says) for line in lines
        ]
        outcome = [*results, *map(Advice, advice_on(regulation, rulebook, tournament))]
        for event in tournament.events:
            why = _of_event(regulation, event, outcome) or of_player
            reasons[event.event_id] = chained(why) if why else ""
    return reasons


def _of_event(regulation: Regulation, event: Event, outcome: Sequence[Outcome]) -> list[str]:
    """Why an event gives nobody points: what is missing, its kind, or what officers are told."""
    given = [each for each in outcome if not isinstance(each, Advice)]
    own = [each for each in given if each.event.event_id == event.event_id]
    if missing := [
        problem for each in own if isinstance(each, Unusable) for problem in each.problems
    ]:
        return [problem.sentences for problem in missing]
    if any(isinstance(each, Grant) and each.players for each in own):
        return []
    if event.kind and regulation.event_kinds and event.kind not in regulation.event_kinds:
        return [msg("events of its kind earn no points")]
    advice = [each.problem for each in outcome if isinstance(each, Advice)]
    return [problem.what for problem in advice if problem.at == event.where]
