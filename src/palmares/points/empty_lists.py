"""Why a list is empty, or nothing is awarded, from the facts, the question and the selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, TypeVar

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Location, Problem
from palmares.core.messages import LocalNumber, msg
from palmares.facts import Facts
from palmares.facts.problems import NO_RESULTS
from palmares.points import inputs
from palmares.points.awards import Awards, Question
from palmares.points.rankings import RankedList, Selection
from palmares.regulations import Regulation

List = TypeVar("List", bound=RankedList)

_NO_RESULTS = msg("no event has placings, or matches of players")
_WIDER = msg("Choose another day, or ask for less.")


def explained(ranking: List, find: Callable[[], tuple[Facts, pl.DataFrame]]) -> List:
    """A ranking, or totals, with the reason if it is empty.

    Args:
        ranking: the list.
        find: gives the facts that it was made from, and their awards; called only if the list is
            empty, as a journal reads all its facts for it.
    """
    if len(ranking.frame):
        return ranking
    facts, awards = find()
    return replace(ranking, empty=_unless_said(why_empty(ranking, facts, awards), facts))


def unexplained(ranking: List) -> List:
    """A ranking of facts that are not in memory; an empty one says how to learn the reason."""
    if len(ranking.frame):
        return ranking
    return replace(ranking, empty=(nothing_counts(ranking.question),))


def nothing_counts(question: Question) -> Problem:
    """That a list or awards are empty, and how to learn the reason."""
    remedy = msg("Choose another day, or ask for less. The engine inprocess says why.")
    return _problem(question, msg("nothing counts in it"), remedy)


def explained_awards(given: Awards, facts: Facts) -> Awards:
    """Awards, with the reason if there is none.

    Args:
        given: all awards.
        facts: that they were made from.
    """
    if len(given.frame):
        return given
    ranking = RankedList(
        question=given.question,
        selection=Selection(as_of=date.max),
        frame=given.frame,
        waiting=given.waiting,
    )
    return replace(given, empty=_unless_said(why_empty(ranking, facts, given.frame), facts))


def _unless_said(reason: Problem, facts: Facts) -> tuple[Problem, ...]:
    """The reason; nothing where a warning about the facts says the same of an event."""
    is_said = reason.what == _NO_RESULTS and any(each.code == NO_RESULTS for each in facts.notices)
    return () if is_said else (reason,)


def why_empty(ranking: RankedList, facts: Facts, awards: pl.DataFrame) -> Problem:
    """Why a list is empty.

    Args:
        ranking: the list, and the events that would be in it if they could be used.
        facts: that it was made from.
        awards: of these facts, or what many have in common: `AWARD_CLASS` is looked at.
    """
    reasons = _of_facts(ranking, facts) if awards.is_empty() else _of_awards(ranking, awards)
    return _problem(ranking.question, *next(reasons))


def _problem(question: Question, what: str, remedy: str) -> Problem:
    at = Location(question.regulation)
    return Problem(at=at, what=what, clause="empty list", remedy=remedy)


def _words(column: pl.Series) -> list[str]:
    """The different words of a column; an empty one where there is none."""
    return column.fill_null("").unique().sort().to_list()


def _of_facts(ranking: RankedList, facts: Facts) -> Iterator[tuple[str, str]]:
    """Why the facts give no award, and what to do; the first reason is shown."""
    question, selection = ranking.question, ranking.selection
    regulation = question.get_regulation()
    yield from _of_disciplines(regulation, facts["tournaments"]["discipline"])
    rules = question.rulebook()
    own = facts["tournaments"].filter(inputs.of_discipline(regulation))
    events = facts["events"].filter(~inputs.left_out_of(question.regulation))
    events = events.join(own.select("tournament_id", "end_date"), on="tournament_id")
    if events.is_empty():
        yield (
            msg("no tournament has an event that it counts"),
            msg("Add the events, or correct their not_counted_in."),
        )
    days = events["end_date"].drop_nulls()
    if len(days) and days.filter(days <= selection.last_day).is_empty():
        yield _not_yet(selection, days)
    if ranking.waiting:
        yield (
            msg("no event counts yet: every one that would waits"),
            msg("Record what is missing; it is named with each event."),
        )
    if len(days) and not any(rules.on(day) for day in days.unique()):
        first = min(book.edition.in_force for book in rules.all if book.edition.in_force)
        yield (
            msg("every event is before the first edition, of %(day)s", day=_day(first)),
            msg("Look at the dates of the tournaments, or choose an edition for every day."),
        )
    yield from _of_events(regulation, facts, events)
    yield (
        msg("no event gives points"),
        msg("The other warnings say what is wrong with which event."),
    )


def _of_disciplines(regulation: Regulation, column: pl.Series) -> Iterator[tuple[str, str]]:
    """Why no tournament is one of the regulation."""
    disciplines = {word.lower() for word in _words(column)}
    if not disciplines:
        yield msg("there is no tournament"), msg("Add reports, or ask for what was known later.")
    if not disciplines & {"", regulation.discipline}:
        yield (
            msg(
                "no tournament is of the discipline %(discipline)s; there are: %(others)s",
                discipline=(regulation.discipline,),
                others=tuple(sorted(disciplines)),
            ),
            msg("Choose another regulation, or look at the discipline of the tournaments."),
        )


def _of_events(
    regulation: Regulation, facts: Facts, events: pl.DataFrame
) -> Iterator[tuple[str, str]]:
    """Why events of the right discipline and days give no award."""
    results = [facts[name].select("event_id") for name in ("placings", "matches")]
    if events.join(pl.concat(results), on="event_id", how="semi").is_empty():
        yield (
            _NO_RESULTS,
            msg("Add the results of the events."),
        )
    kinds = set(_words(events["kind"]))
    if regulation.event_kinds and kinds and not kinds & set(regulation.event_kinds):
        yield (
            msg("no event is of a kind that earns points: %(kinds)s", kinds=regulation.event_kinds),
            msg("Fill in the kind of the events."),
        )
    members = {word.lower() for word in _words(facts["memberships"]["federation"])}
    if regulation.members_of and regulation.members_of not in members:
        yield (
            msg("%(federation)s has no members", federation=regulation.members_of),
            msg("Add memberships: only members earn points."),
        )


def _of_awards(ranking: RankedList, awards: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """Why a list has none of the awards, and what to do; the first reason is shown."""
    selection = ranking.selection
    if awards.filter(pl.col("effective") <= selection.last_day).is_empty():
        yield _not_yet(selection, awards["effective"])
    counted = selection.apply(awards)
    if counted.is_empty():
        yield msg("no result is of the days, the setting and the kind asked for"), _WIDER
    left = ranking.question.days_left()
    if not any(
        left(day, edition, selection.as_of)[0] > 0
        for day, edition in counted.select("effective", "edition").unique().iter_rows()
    ):
        newest = _day(counted["effective"].max())
        yield msg("every result has expired; the last one is of %(day)s", day=newest), _WIDER
    if selection.nation:
        yield (
            msg("no player of %(nation)s has points in it", nation=selection.nation),
            msg("Ask for another nation, or for all."),
        )
    yield (
        msg("no player has more than 0 points"),
        msg("Look at the entry fees and the number of entrants of the events."),
    )


def _not_yet(selection: Selection, days: pl.Series) -> tuple[str, str]:
    what = msg(
        "no result counts up to %(day)s; the first one is of %(first)s",
        day=_day(selection.last_day),
        first=_day(days.min()),
    )
    return what, _WIDER


def _day(day: Any) -> LocalNumber:
    return LocalNumber(day.isoformat())
