"""
From facts to awards: the one place that calls a regulation.

    award       facts x regulation  ->  Awards, one row per player, event, flight and kind
    grants      the same before the last formulas, in the order of time, with every notice

Read aloud: take the tournaments the regulation sees; let it grant; apply the formulas; count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

import polars as pl

from palmares import award_rows, results
from palmares.award_rows import POINTS
from palmares.cycles import unsought
from palmares.editions import Rulebook, rulebook
from palmares.errors import FactsRejected, Problem
from palmares.facts import Facts
from palmares.kernels.formulas import work
from palmares.placings import Grant, Notice, Tournament
from palmares.progress import over, task
from palmares.regulations import Regulation, regulation
from palmares.sentences import said

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

    def held(self) -> Regulation:
        """The regulation's line in the registry."""
        return regulation(self.regulation, awards=True)

    def rulebook(self, number: type[float | Fraction] = float) -> Rulebook:
        """The editions that answer, on numbers of one kind."""
        return rulebook(
            self.regulation,
            self.held().load().Constants,
            number=number,
            chosen=self.chosen,
            edition=self.edition,
            directory=self.held().sheets,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Awards:
    """Every award, counted.

    ``frame`` has the columns of `KEYS` with ``nanopoints`` (Int64) in the place of ``points``,
    then ``tournament_id``, ``setting``, ``nation_now``, ``nation`` (held at the event), ``order``
    (of time), then one column per name in ``terms``.
    """

    question: Question
    frame: pl.DataFrame
    terms: tuple[str, ...]
    notices: tuple[Problem, ...]

    def published(self) -> pl.DataFrame:
        """The awards as the contract names them: `KEYS`, then the terms; points as floats."""
        keys = [POINTS if key == "points" else pl.col(key) for key in KEYS]
        return self.frame.select(*keys, *self.terms)


@unsought()
def award(
    question: Question,
    facts: Facts,
    only: Iterable[str] | None = None,
    *,
    terms: bool = True,
    unfolded: bool = False,
) -> Awards:
    """Award every point the facts give under a regulation.

    Args:
        question: the regulation, and the edition and readings chosen if any.
        facts: checked facts.
        only: ids of the tournaments to look at; without it, all.
        terms: whether to give them, too; a list needs none.
        unfolded: leave folds for later (`palmares.fold_rows`): each row has what its formula takes,
            and 0 points.

    Raises:
        FactsRejected: something is missing that a formula needs; every such place is named.
        NotCovered, Refused: no such regulation, edition or reading.
    """
    held = question.held()
    module = held.load()
    with task("steps to awards", 4) as step:
        numbered, ids = results.coded(facts)
        tournaments = results.tournaments(numbered, held, only)
        step()
        given, notices = grants(question, question.rulebook(), tournaments, numbered)
        step()
        if held.total == "latest":
            notices += _simultaneous(given)
        opening = getattr(module, "opening", None)
        worked = work([grant for _, grant in given], opening, ids=ids.to_list(), unfolded=unfolded)
        step()
        frame, names = award_rows.table([one for one, _ in given], worked, facts, ids, terms=terms)
        step()
    return Awards(
        question=question, frame=frame, terms=names, notices=tuple(dict.fromkeys(notices))
    )


def grants(
    question: Question, rules: Rulebook, tournaments: Sequence[Tournament], facts: Facts
) -> tuple[list[tuple[Tournament, Grant]], list[Problem]]:
    """What a regulation grants for tournaments, in the order of time, and its notices."""
    held = question.held()
    module, advise = held.load(), held.advisor()
    memberships = results.memberships(facts)
    given: list[tuple[Tournament, Grant]] = []
    notices: list[Problem] = []
    problems: list[Problem] = []
    for tournament in over(tournaments, "tournaments"):
        if advise:
            notices += _problems(advise(rules, tournament))
        try:
            for one in module.award(rules, tournament, memberships):
                if isinstance(one, Notice):
                    notices.append(one.problem)
                elif one.players:
                    given.append((tournament, one))
        except FactsRejected as rejected:
            problems += rejected.problems
    if problems:
        raise FactsRejected(problems)
    return sorted(given, key=lambda pair: time_order(*pair)), notices


def _problems(notices: Any) -> list[Problem]:
    return [notice.problem for notice in notices]


def time_order(tournament: Tournament, grant: Grant) -> tuple[Any, ...]:
    """The order in which results happened (dptr reading D7); ids settle what is left."""
    return (*_moment(tournament, grant), grant.event.event_id)


def _moment(tournament: Tournament, grant: Grant) -> tuple[Any, ...]:
    sequence = grant.event.sequence
    return (
        tournament.end_date,
        tournament.start_date or tournament.end_date,
        -1 if sequence is None else sequence,
    )


def _simultaneous(given: Sequence[tuple[Tournament, Grant]]) -> list[Problem]:
    """Events of a fold that nothing puts in order, though somebody played in both (D7)."""
    found = []
    for _, group in groupby(given, key=lambda pair: _moment(*pair)):
        seen: dict[str, Grant] = {}
        for _, grant in group:
            clash = next((seen[one] for one in grant.players if one in seen), None)
            if clash:
                found.append(
                    Problem(
                        where=grant.event.where,
                        what=said(
                            "%(one)s and %(other)s have the same dates and sequence, and a player"
                            " in both; they were taken in the order of ids",
                            one=clash.event.name,
                            other=grant.event.name,
                        ),
                        clause="dptr new-rating, reading D7",
                        remedy=said("Number the events in their column 'sequence'."),
                    )
                )
            seen.update(dict.fromkeys(grant.players, grant))
    return found
