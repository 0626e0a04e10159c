"""
From facts to awards: the one place that calls a regulation.

The tournaments that a regulation sees are granted awards, the formulas are applied, and the points
are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cached_property, partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import polars as pl
from msgspec import Struct

from palmares.core.errors import FactsRejected, Problem
from palmares.core.messages import LocalNumber, chained, msg, plural
from palmares.core.progress import gc_paused, over, task
from palmares.facts import Facts
from palmares.facts.schema import FILE, LINE
from palmares.points import award_table, inputs
from palmares.points.award_table import POINTS, Numbered
from palmares.points.inputs import Tables
from palmares.points.kernels import formulas
from palmares.points.kernels.formulas import Worked, uncountable
from palmares.regulations import get_regulation, of_another_package
from palmares.regulations.editions import Rulebook, Rules
from palmares.regulations.guard import failure
from palmares.regulations.model import Advice, Grant, Memberships, Opening, Tournament, Unusable
from palmares.regulations.protocol import Aggregate, Latest, Outcome, Regulation

if TYPE_CHECKING:
    from palmares.points.batches import Batches

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


class Question(Struct, frozen=True, kw_only=True, dict=True):
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
        """The days left of a result, and those in all, by its first day, its edition and a day."""
        editions, left = self._editions, self.aggregate.left
        return lambda effective, edition, day: left(editions[edition], effective, day)

    @cached_property
    def _editions(self) -> Mapping[str, Rules]:
        """What results fade by, by the ids of editions; a player's page asks for forty days."""
        return {rules.edition.id: rules for rules in self.rulebook().all}

    def rulebook(self, number: type[float | Fraction] = float) -> Rulebook:
        """The editions to apply, with constants of one type of number; made once."""
        if number not in self._rulebooks:
            self._rulebooks[number] = self.get_regulation().rulebook(
                number=number, chosen=self.chosen, edition=self.edition
            )
        return self._rulebooks[number]

    @cached_property
    def _rulebooks(self) -> dict[type[float | Fraction], Rulebook]:
        return {}


class Waiting(Struct, frozen=True, kw_only=True):
    """An event of a journal that is left out until what it lacks is recorded."""

    tournament_id: str
    tournament: str
    event_id: str
    event: str
    setting: str  # live | online
    first: date  # from which the first of its awards would count
    last: date  # from which the last would
    problems: tuple[Problem, ...]

    @property
    def why(self) -> str:
        """The event, and what is missing."""
        return msg(
            "%(event)s (%(tournament)s, %(day)s): %(why)s",
            event=self.event,
            tournament=self.tournament,
            day=LocalNumber(self.first.isoformat()),
            why=self.missing,
        )

    @property
    def missing(self) -> str:
        """What is missing, and what to do."""
        return chained([problem.sentences for problem in self.problems])


class Awards(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """Every award, counted."""

    question: Question
    numbered: Numbered
    terms: tuple[str, ...] = ()
    notices: tuple[Problem, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    empty: tuple[Problem, ...] = ()  # why nothing is awarded

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The columns of `KEYS` with ``nanopoints`` (Int64) in the place of ``points``.

        Then ``tournament_id``, ``setting``, ``nation_now``, ``nation`` (at the event), ``order``
        (of time), and a column for each name in ``terms``.
        """
        return self.numbered.frame()

    def published(self) -> pl.DataFrame:
        """The awards as the contract names them: `KEYS`, then the terms; points as floats."""
        keys = [POINTS if key == "points" else pl.col(key) for key in KEYS]
        return self.frame.select(*keys, *self.terms)


BATCHES_FROM = 500
"""Tournaments from which it pays to award those of one shape in batches."""
FEW = 5
"""How many waiting events are named at the head of a list."""
_TOURNAMENTS_AT_ONCE = 500
"""Tournaments whose advice is collected before counting notices."""


def in_order(waiting: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """Waiting events in the order of time."""
    return tuple(sorted(waiting, key=attrgetter("first", "tournament_id", "event_id")))


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
    lines = [f"{count_waiting(waiting)}:", *(event.why for event in waiting[:FEW])]
    more = len(waiting) - FEW
    return lines + ([msg("… and %(more)s more", more=more)] if more > 0 else [])


class Granted(Struct, frozen=True):
    """What a regulation makes of tournaments before the last formulas."""

    grants: list[tuple[Tournament, Grant]]  # in the order of time
    notices: list[Problem]
    unusable: list[tuple[Tournament, Unusable]]

    def without(self, problems: Mapping[str, Problem]) -> Granted:
        """The grants without those of events that have a problem, by their ids."""
        events = {grant.event.event_id: (where, grant) for where, grant in self.grants}
        more = [
            (tournament, Unusable(event=grant.event, first=grant.effective, last=grant.effective,
                                  problems=[problems[event_id]]))
            for event_id, (tournament, grant) in events.items() if event_id in problems
        ]  # fmt: skip
        usable = [pair for pair in self.grants if pair[1].event.event_id not in problems]
        return Granted(usable, self.notices, self.unusable + more)

    def refuse_unusable(self) -> None:
        """Refuse facts with events that the regulation cannot use.

        Raises:
            FactsRejected: there are such events; every problem is named.
        """
        if self.unusable:
            raise FactsRejected(
                problem for _, unusable in self.unusable for problem in unusable.problems
            )

    def waiting(self) -> tuple[Waiting, ...]:
        """The unusable events, in the order of time."""
        return in_order(
            Waiting(
                tournament_id=tournament.tournament_id,
                tournament=tournament.name,
                event_id=unusable.event.event_id,
                event=unusable.event.name,
                setting=tournament.setting,
                first=unusable.first,
                last=unusable.last,
                problems=tuple(dict.fromkeys(unusable.problems)),
            )
            for tournament, unusable in self.unusable
        )


@gc_paused()
def award(
    question: Question,
    facts: Facts,
    only: Iterable[str] | None = None,
    *,
    terms: bool = True,
    unfolded: bool = False,
    most_notices: int | None = None,
) -> Awards:
    """Award every point the facts give under a regulation.

    Of a journal, an event that the regulation cannot use waits and all others count.

    Args:
        question: the regulation, and the edition and readings chosen if any.
        facts: checked facts.
        only: ids of the tournaments to look at; all if None.
        terms: whether to give terms, too; a list needs none.
        unfolded: leave folds for later (`palmares.points.ratings`): each row has what its formula
            takes, and 0 points.
        most_notices: the first notices by file and line; all if None.

    Raises:
        FactsRejected: something is missing in files that a formula needs; every such place is
            named.
        NotCovered, Refused: no such regulation, edition or reading.
    """
    regulation, aggregate = question.get_regulation(), question.aggregate
    with task("steps to awards", 4) as step:
        numbered, ids = inputs.coded(facts)
        tables = inputs.tables(numbered, regulation, only)
        step()
        granted, batches = _granted(question, tables, terms=terms, most_notices=most_notices)
        step()
        granted, worked = _worked(question, granted, ids.to_list(), unfolded=unfolded)
        if not facts.may_wait:
            granted.refuse_unusable()
        notices = [*granted.notices, *inputs.unknown_left_out(tables.events)]
        if isinstance(aggregate, Latest):
            notices = notices + _simultaneous(granted.grants, aggregate.order_clause)
        step()
        frames = award_table.frames([where for where, _ in granted.grants], worked, terms=terms)
        if batches:
            frames = batches.joined(tables, *frames, terms=terms)
        awards = award_table.numbered(*frames, facts, ids)
        step()
    return Awards(
        question=question,
        numbered=awards,
        terms=tuple(frames[1].columns[len(award_table.OF_ROWS) :]),
        notices=tuple(dict.fromkeys(notices)),
        waiting=granted.waiting(),
    )


def _granted(
    question: Question, tables: Tables, *, terms: bool, most_notices: int | None
) -> tuple[Granted, Batches | None]:
    """What is granted, in batches if there are many tournaments, else one by one."""
    regulation, everything = question.get_regulation(), range(tables.tournaments.height)
    if not regulation.together or len(everything) < BATCHES_FROM:
        return grants(question, tables, everything, everything, most_notices), None
    from palmares.points import batches as batching  # it loads NumPy

    batches = batching.award(regulation, question.rulebook(), tables, terms=terms)
    return grants(question, tables, batches.left, batches.advised, most_notices), batches


def grants(
    question: Question,
    tables: Tables,
    left: Sequence[int],
    advised: Sequence[int],
    most_notices: int | None = None,
) -> Granted:
    """What a regulation grants to tournaments one by one, and the events it cannot use.

    Args:
        question: the regulation.
        tables: what it sees.
        left: the rows of the tournaments to award.
        advised: the rows of those that may have something that officers should look at.
        most_notices: the first of their notices; all if None.
    """
    regulation, rules = question.get_regulation(), question.rulebook()
    memberships = inputs.memberships(tables.facts)
    notices: list[Problem] = []
    awarding, advising = set(left), set(advised) if regulation.advice else set()
    if most_notices is not None and advising:
        advice = partial(_advice_with_tournament, regulation, rules)
        notices, advising = _first_advice(advice, tables, advised, most_notices), set()
    rows = pl.Series(sorted(awarding | advising), dtype=pl.UInt32)
    pairs = zip(rows, inputs.one_by_one(tables, rows), strict=True)
    granted = _grant(
        question,
        ((tournament, row in awarding, row in advising)
         for row, tournament in over(pairs, "tournaments", len(rows))),
        memberships,
    )  # fmt: skip
    granted.notices[:0] = notices
    return granted


def _grant(
    question: Question, wanted: Iterable[tuple[Tournament, bool, bool]], memberships: Memberships
) -> Granted:
    """What a regulation grants, in the order of time.

    Args:
        question: the regulation.
        wanted: tournaments; whether to award each, and whether to ask for advice.
        memberships: of their players.
    """
    regulation, rules = question.get_regulation(), question.rulebook()
    granted = Granted([], [], [])
    for tournament, is_awarded, is_advised in wanted:
        if is_advised:
            granted.notices.extend(_advice_with_tournament(regulation, rules, tournament))
        results = list(outcomes(regulation, rules, tournament, memberships)) if is_awarded else []
        granted.unusable.extend(
            (tournament, each) for each in results if isinstance(each, Unusable)
        )
        for each in usable(results):
            if isinstance(each, Advice):
                granted.notices.append(_with_tournament(tournament, each.problem))
            elif each.players:
                granted.grants.append((tournament, each))
    granted.grants.sort(key=lambda pair: time_order(*pair))
    return granted


def grant_tournaments(
    question: Question,
    tournaments: Sequence[Tournament],
    memberships: Memberships,
    *,
    advised: bool = False,
) -> tuple[Granted, list[Worked]]:
    """What is granted to a few tournaments, in the order of time, with points; players are ids."""
    granted = _grant(question, ((each, True, advised) for each in tournaments), memberships)
    ids = {player: player for _, grant in granted.grants for player in grant.players}
    return _worked(question, granted, ids, unfolded=False)


def award_tournaments(
    question: Question, tournaments: Sequence[Tournament], memberships: Memberships
) -> tuple[list[Worked], tuple[Problem, ...]]:
    """What a few tournaments give, in the order of time, and the notices; players are ids.

    Raises:
        FactsRejected: as of `award`.
    """
    granted, worked = grant_tournaments(question, tournaments, memberships, advised=True)
    granted.refuse_unusable()
    return worked, tuple(dict.fromkeys(granted.notices))


def _first_advice(
    advice: Callable[[Tournament], list[Problem]], tables: Tables, rows: Sequence[int], most: int
) -> list[Problem]:
    """The first notices by file and line; stops at the tournament that makes them enough."""
    lines = inputs.first_lines(tables, pl.Series(list(rows), dtype=pl.UInt32))
    notices: list[Problem] = []
    for part in lines.iter_slices(_TOURNAMENTS_AT_ONCE):
        last = notices[-1].at if len(notices) == most else None
        if last and (last.file, last.line) < part.select(FILE, LINE).row(0):
            break
        for tournament in inputs.one_by_one(tables, part["row"]):
            notices.extend(advice(tournament))
        notices = sorted(dict.fromkeys(notices))[:most]
    return notices


def outcomes(
    regulation: Regulation, rules: Rulebook, tournament: Tournament, memberships: Memberships
) -> Iterator[Outcome]:
    """What a regulation makes of a tournament; where it rejects the facts, no event is usable."""
    problems: Sequence[Problem] | None = None
    try:
        yield from regulation.award(rules, tournament, memberships)
    except FactsRejected as rejected:
        problems = rejected.problems
    day = tournament.end_date
    for event in tournament.events if problems is not None else ():
        yield Unusable(event=event, first=day, last=day, problems=problems or ())


def advice_on(regulation: Regulation, rules: Rulebook, tournament: Tournament) -> list[Problem]:
    """What officers should look at in a tournament."""
    if regulation.advice is None:
        return []
    try:
        return [advice.problem for advice in regulation.advice(rules, tournament)]
    except FactsRejected as rejected:  # of a regulation of another package: it failed
        return list(rejected.problems)


def _advice_with_tournament(
    regulation: Regulation, rules: Rulebook, tournament: Tournament
) -> list[Problem]:
    """The advice on a tournament, with its name where the text lacks it."""
    return [
        _with_tournament(tournament, problem)
        for problem in advice_on(regulation, rules, tournament)
    ]


def _with_tournament(tournament: Tournament, problem: Problem) -> Problem:
    """A notice with the name of its tournament."""
    if tournament.name in str(problem.what):
        return problem
    what = msg("%(tournament)s: %(what)s", tournament=tournament.name, what=problem.what)
    return replace(problem, what=what)


def usable(outcomes: Iterable[Outcome]) -> list[Grant | Advice]:
    """Grants and notices without the grants of unusable events."""
    every = list(outcomes)
    unusable = {each.event.event_id for each in every if isinstance(each, Unusable)}
    return [
        each
        for each in every
        if isinstance(each, Advice)
        or (isinstance(each, Grant) and each.event.event_id not in unusable)
    ]


def _worked(
    question: Question, granted: Granted, ids: list[str] | dict[str, str], *, unfolded: bool
) -> tuple[Granted, list[Worked]]:
    """Grants with their points; an event whose points are no number is unusable."""
    while True:
        grants = [grant for _, grant in granted.grants]
        try:
            worked = work(grants, question.aggregate.opening, unfolded=unfolded)
        except Exception as error:
            if not of_another_package(question.get_regulation()):
                raise
            wrong = _failing(question, grants, error)
        else:
            wrong = {grant.event.event_id: problem for grant, problem in uncountable(worked, ids)}
        if not wrong:
            return granted, worked
        granted = granted.without(wrong)


def _failing(question: Question, grants: Sequence[Grant], error: Exception) -> dict[str, Problem]:
    """The events in which a formula of another package fails; all, if it fails in none alone."""
    regulation, failing = question.get_regulation(), {}
    for grant in grants:
        try:
            work([grant], question.aggregate.opening)
        except Exception as its:  # noqa: BLE001  whatever it is, it is theirs, and harms no other
            failing[grant.event.event_id] = failure(regulation, grant.event.where, its)
    every = {each.event.event_id: failure(regulation, each.event.where, error) for each in grants}
    return failing or every


def work(
    grants: Sequence[Grant], opening: Opening = None, *, unfolded: bool = False
) -> list[Worked]:
    """Every grant with its points, compiled where there are many rows; see `uncountable`.

    Args:
        grants: in the order in which a fold must see them.
        opening: for a fold, what a player starts from, given the rules of their first event.
        unfolded: leave the formulas of folds for later: what they need of a row is worked out, and
            their points are 0.
    """
    if formulas.compiles(sum(len(grant.players) for grant in grants)):
        from palmares.points.kernels import apply  # Numba loads only where it pays

        return apply.work(grants, opening, unfolded=unfolded)
    return formulas.plain(grants, opening, unfolded=unfolded)


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


def _simultaneous(grants: Sequence[tuple[Tournament, Grant]], clause: str) -> list[Problem]:
    """Notices of events that share a player, and whose order nothing states."""
    problems = []
    for _, group in groupby(grants, key=lambda pair: _moment(*pair)[:2]):
        earlier: dict[str, tuple[Tournament, Grant]] = {}
        for tournament, grant in group:
            sequence = grant.event.sequence
            before = (earlier[player] for player in grant.players if player in earlier)
            clash = next(
                (
                    pair
                    for pair in before
                    if sequence is None or pair[1].event.sequence in (None, sequence)
                ),
                None,
            )
            if clash:
                what = msg(
                    "%(one)s and %(other)s have the same dates, and no sequence says which came"
                    " first; a player is in both, and %(one)s was taken first",
                    one=_full_name(*clash),
                    other=_full_name(tournament, grant),
                )
                remedy = msg("Number the events: give each its sequence.")
                problem = Problem(at=grant.event.where, what=what, clause=clause, remedy=remedy)
                problems.append(problem)
            earlier.update(dict.fromkeys(grant.players, (tournament, grant)))
    return problems


def _full_name(tournament: Tournament, grant: Grant) -> str:
    """The name of an event, and of its tournament unless it holds it."""
    name = grant.event.name
    return name if tournament.name in name else f"{name} ({tournament.name})"
