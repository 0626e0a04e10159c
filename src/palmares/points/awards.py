"""
From facts to awards: the one place that calls a regulation.

    award       facts x regulation  ->  Awards, one row per player, event, flight and kind
    grants      the same before the last formulas, with every notice and every unusable event
    Waiting     an event of a journal that is left out until what it lacks is recorded

Read aloud: take the tournaments the regulation sees; let it grant; apply the formulas; count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import groupby
from typing import Any

import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.core.messages import LocalNumber, msg, plural
from palmares.core.progress import gc_paused, over, task
from palmares.facts import Facts
from palmares.facts.schema import FILE, LINE
from palmares.points import award_table, inputs
from palmares.points.award_table import POINTS, Joined, Numbered
from palmares.points.inputs import Tables
from palmares.points.kernels.dispatch import work
from palmares.points.kernels.formulas import Worked, uncountable
from palmares.regulations import get_regulation
from palmares.regulations.editions import Rulebook
from palmares.regulations.model import Grant, Memberships, Notice, Tournament, Unusable
from palmares.regulations.protocol import Aggregate, Latest, Outcome, Regulation

KEYS = (
    "player_id",
    "player",
    "event_id",
    "event",
    "flight",
    "kind",
    "points",
    "effective",
    "edition",
)
"""The columns every award has, in order; the terms of the regulation follow by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which rules to apply: a regulation, and what was chosen where there is a choice."""

    regulation: str
    edition: str | None = None
    chosen: Mapping[str, str] | None = None

    def get_regulation(self) -> Regulation:
        """The regulation's line in the registry."""
        return get_regulation(self.regulation, awards=True)

    @property
    def aggregate(self) -> Aggregate:
        """How awards make a total."""
        return self.get_regulation().aggregate

    def days_left(self) -> Callable[[date, str, date], tuple[int, int]]:
        """What gives the days left, and those in all, of a day, an edition's id and a day."""
        editions = {rules.edition.id: rules for rules in self.rulebook().all}
        left = self.aggregate.left
        return lambda effective, edition, day: left(editions[edition], effective, day)

    def rulebook(self, number: type[float | Fraction] = float) -> Rulebook:
        """The editions that answer, on numbers of one kind."""
        return self.get_regulation().rulebook(
            number=number, chosen=self.chosen, edition=self.edition
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An event of a journal that waits: something is missing that its points are made of."""

    tournament_id: str
    tournament: str
    event_id: str
    event: str
    setting: str  # live | online
    first: date  # from which anything of it would count
    last: date  # the same of the last of it
    problems: tuple[Problem, ...]

    @property
    def why(self) -> str:
        """The event, and what is missing."""
        return msg(
            "%(event)s (%(tournament)s, %(day)s): %(why)s",
            event=self.event,
            tournament=self.tournament,
            day=LocalNumber(self.first.isoformat()),
            why=_listed([msg("%(what)s. %(remedy)s", what=problem.what, remedy=problem.remedy)
                         for problem in self.problems]),
        )  # fmt: skip


def _listed(sentences: Sequence[str]) -> str:
    """Sentences in a row, which still know their messages."""
    return reduce(lambda one, other: msg("%(one)s; %(other)s", one=one, other=other), sentences)


@dataclass(frozen=True, kw_only=True, eq=False)
class Awards:
    """Every award, counted."""

    question: Question
    numbered: Numbered
    terms: tuple[str, ...] = ()
    notices: tuple[Problem, ...] = ()
    waiting: tuple[Waiting, ...] = ()

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The columns of `KEYS` with ``nanopoints`` (Int64) in the place of ``points``.

        Then ``tournament_id``, ``setting``, ``nation_now``, ``nation`` (held at the event),
        ``order`` (of time), then one column per name in ``terms``.
        """
        return self.numbered.frame()

    def published(self) -> pl.DataFrame:
        """The awards as the contract names them: `KEYS`, then the terms; points as floats."""
        keys = [POINTS if key == "points" else pl.col(key) for key in KEYS]
        return self.frame.select(*keys, *self.terms)


MANY = 500
"""Tournaments from which it pays to award those together that are alike."""
FEW = 5
"""So many waiting events are named at the head of a list."""


def in_order(waiting: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """Waiting events in the order of time."""
    return tuple(sorted(waiting, key=lambda one: (one.first, one.tournament_id, one.event_id)))


def count_waiting(waiting: Sequence[Waiting]) -> str:
    """How many events are not in a list; empty if none waits."""
    if not waiting:
        return ""
    return plural(
        "%(many)s event waits and is not in this list",
        "%(many)s events wait and are not in this list",
        len(waiting),
    )


def say_waiting(waiting: Sequence[Waiting]) -> list[str]:
    """The lines at the head of a list from which events are missing; none if none waits."""
    if not waiting:
        return []
    lines = [f"{count_waiting(waiting)}:", *(one.why for one in waiting[:FEW])]
    more = len(waiting) - FEW
    return lines + ([msg("… and %(more)s more", more=more)] if more > 0 else [])


@dataclass(frozen=True, slots=True)
class Given:
    """What a regulation makes of tournaments before the last formulas."""

    grants: list[tuple[Tournament, Grant]]  # in the order of time
    notices: list[Problem]
    unusable: list[tuple[Tournament, Unusable]]

    def without(self, problems: Mapping[str, Problem]) -> Given:
        """The same without some events, by id, of which something is wrong."""
        events = {grant.event.event_id: (one, grant) for one, grant in self.grants}
        lost = [
            (one, Unusable(event=grant.event, first=grant.effective, last=grant.effective,
                           problems=[problems[event_id]]))
            for event_id, (one, grant) in events.items() if event_id in problems
        ]  # fmt: skip
        kept = [pair for pair in self.grants if pair[1].event.event_id not in problems]
        return Given(kept, self.notices, self.unusable + lost)

    def waiting(self) -> tuple[Waiting, ...]:
        """The unusable events, in the order of time."""
        return in_order(
            Waiting(
                tournament_id=tournament.tournament_id,
                tournament=tournament.name,
                event_id=one.event.event_id,
                event=one.event.name,
                setting=tournament.setting,
                first=one.first,
                last=one.last,
                problems=tuple(dict.fromkeys(one.problems)),
            )
            for tournament, one in self.unusable
        )


@gc_paused()
def award(
    question: Question,
    facts: Facts,
    only: Iterable[str] | None = None,
    *,
    terms: bool = True,
    unfolded: bool = False,
    noted: int | None = None,
) -> Awards:
    """Award every point the facts give under a regulation.

    Of a journal, an event that the regulation cannot use waits and all others count.

    Args:
        question: the regulation, and the edition and readings chosen if any.
        facts: checked facts.
        only: ids of the tournaments to look at; without it, all.
        terms: whether to give them, too; a list needs none.
        unfolded: leave folds for later (`palmares.points.ratings`): each row has what its formula
            takes, and 0 points.
        noted: how many notices are wanted, the first by file and line; without it, all.

    Raises:
        FactsRejected: something is missing in files that a formula needs; every such place is
            named.
        NotCovered, Refused: no such regulation, edition or reading.
    """
    held = question.get_regulation()
    with task("steps to awards", 4) as step:
        numbered, ids = inputs.coded(facts)
        tables = inputs.tables(numbered, held, only)
        step()
        given, joined = _granted(question, tables, terms=terms, noted=noted)
        step()
        given, worked = _worked(question, given, ids.to_list(), unfolded=unfolded)
        if given.unusable and not facts.may_wait:
            raise FactsRejected(problem for _, one in given.unusable for problem in one.problems)
        notices = given.notices
        if isinstance(held.aggregate, Latest):
            notices = notices + _simultaneous(given.grants, held.aggregate.order_clause)
        step()
        rows, names = award_table.numbered(
            [one for one, _ in given.grants],
            worked,
            facts,
            ids,
            terms=terms,
            joined=joined,
        )
        step()
    return Awards(
        question=question,
        numbered=rows,
        terms=names,
        notices=tuple(dict.fromkeys(notices)),
        waiting=given.waiting(),
    )


def _granted(
    question: Question, tables: Tables, *, terms: bool, noted: int | None
) -> tuple[Given, Joined | None]:
    """What is granted one by one, and what adds the awards that were made together, if any were."""
    held, rules = question.get_regulation(), question.rulebook()
    left: Sequence[int] = range(tables.tournaments.height)
    if not held.together or len(left) < MANY:
        return grants(question, rules, tables, left, left, noted), None
    from palmares.points import alike  # a report of one tournament needs no NumPy

    together = alike.awarded(held, rules, tables, terms=terms)
    joined = partial(alike.joined, together.blocks, tables, terms=terms)
    return grants(question, rules, tables, together.left, together.advised, noted), joined


def grants(
    question: Question,
    rules: Rulebook,
    tables: Tables,
    left: Sequence[int],
    advised: Sequence[int],
    noted: int | None = None,
) -> Given:
    """What a regulation grants to tournaments one by one, and the events it cannot use.

    Args:
        question: the regulation.
        rules: its editions.
        tables: what it sees.
        left: the rows of tournaments that are to be awarded.
        advised: the rows of those that may have something that officers should look at.
        noted: how many of the notices about that are wanted; without it, all.
    """
    held = question.get_regulation()
    memberships = inputs.memberships(tables.facts)
    given = Given([], [], [])
    awarding, advising = set(left), set(advised)
    if noted is not None and held.advice:
        given.notices.extend(_first_advice(partial(held.advice, rules), tables, advised, noted))
        advising = set()
    rows = pl.Series(sorted(awarding | advising), dtype=pl.UInt32)
    for row, tournament in over(zip(rows, inputs.one_by_one(tables, rows), strict=True),
                                "tournaments", len(rows)):  # fmt: skip
        if held.advice and row in advising:
            given.notices.extend(notice.problem for notice in held.advice(rules, tournament))
        found = list(outcomes(held, rules, tournament, memberships)) if row in awarding else []
        given.unusable.extend(
            (tournament, outcome) for outcome in found if isinstance(outcome, Unusable)
        )
        for one in usable(found):
            if isinstance(one, Notice):
                given.notices.append(one.problem)
            elif one.players:
                given.grants.append((tournament, one))
    given.grants.sort(key=lambda pair: time_order(*pair))
    return given


_AT_ONCE = 64


def _first_advice(
    advice: Callable[[Tournament], Iterable[Notice]], tables: Tables, rows: Sequence[int], most: int
) -> list[Problem]:
    """The first notices by file and line of some tournaments; no more tournaments are looked at."""
    lines = inputs.first_lines(tables, pl.Series(list(rows), dtype=pl.UInt32))
    found: list[Problem] = []
    for part in lines.iter_slices(_AT_ONCE):
        last = found[-1].at if len(found) == most else None
        if last and (last.file, last.line) < part.select(FILE, LINE).row(0):
            break
        for tournament in inputs.one_by_one(tables, part["row"]):
            found.extend(notice.problem for notice in advice(tournament))
        found = sorted(dict.fromkeys(found))[:most]
    return found


def outcomes(
    held: Regulation, rules: Rulebook, tournament: Tournament, memberships: Memberships
) -> Iterator[Outcome]:
    """What a regulation makes of a tournament; where it rejects the facts, no event is usable."""
    try:
        yield from held.award(rules, tournament, memberships)
    except FactsRejected as rejected:
        day = tournament.end_date
        for event in tournament.events:
            yield Unusable(event=event, first=day, last=day, problems=rejected.problems)


def usable(found: Iterable[Outcome]) -> list[Grant | Notice]:
    """Grants and notices without the grants of unusable events."""
    every = list(found)
    lost = {outcome.event.event_id for outcome in every if isinstance(outcome, Unusable)}
    return [
        outcome
        for outcome in every
        if isinstance(outcome, Notice)
        or (isinstance(outcome, Grant) and outcome.event.event_id not in lost)
    ]


def _worked(
    question: Question, given: Given, ids: list[str], *, unfolded: bool
) -> tuple[Given, list[Worked]]:
    """Grants with their points; an event whose points are no number is unusable."""
    opening = question.aggregate.opening
    while True:
        worked = work([grant for _, grant in given.grants], opening, unfolded=unfolded)
        wrong = {grant.event.event_id: problem for grant, problem in uncountable(worked, ids)}
        if not wrong:
            return given, worked
        given = given.without(wrong)


def time_order(tournament: Tournament, grant: Grant) -> tuple[Any, ...]:
    """The order in which results happened; ids settle what is left."""
    return (*_moment(tournament, grant), grant.event.event_id)


def _moment(tournament: Tournament, grant: Grant) -> tuple[Any, ...]:
    sequence = grant.event.sequence
    return (
        tournament.end_date,
        tournament.start_date or tournament.end_date,
        -1 if sequence is None else sequence,
    )


def _simultaneous(given: Sequence[tuple[Tournament, Grant]], clause: str) -> list[Problem]:
    """Events that nothing puts in order, though a rated player played in both."""
    found = []
    for _, group in groupby(given, key=lambda pair: _moment(*pair)):
        seen: dict[str, Grant] = {}
        for _, grant in group:
            clash = next((seen[player] for player in grant.players if player in seen), None)
            if clash:
                found.append(
                    Problem(
                        at=grant.event.where,
                        what=msg(
                            "%(one)s and %(other)s have the same dates and sequence, and a player"
                            " in both; they were taken in the order of ids",
                            one=clash.event.name,
                            other=grant.event.name,
                        ),
                        clause=clause,
                        remedy=msg("Number the events in their column 'sequence'."),
                    )
                )
            seen.update(dict.fromkeys(grant.players, grant))
    return found
