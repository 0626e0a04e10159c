"""What a player could gain: an event like one that was played, awarded for each place, not kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

import numpy as np
from msgspec import structs

from palmares.core.errors import Problem, Refused
from palmares.core.messages import msg
from palmares.core.rounding import TIE, Nanopoints, divided_half_up
from palmares.lists.figures.players import PlayerResults, day_totals, number_of, opening_rating
from palmares.lists.live import JournalAwards
from palmares.points import inputs
from palmares.points.awards import Question, outcomes, usable, work
from palmares.points.history import Fading
from palmares.points.kernels.formulas import Worked, uncountable
from palmares.points.ledger import DayTotals
from palmares.points.ratings import CONSTANTS, fold_parameters
from palmares.regulations import Regulation
from palmares.regulations.editions import Rules
from palmares.regulations.model import (
    MAIN,
    Advice,
    Flight,
    Grant,
    Membership,
    Memberships,
    Tournament,
    Unusable,
    parameters,
)

FORMATS = ("knockout", "double_knockout", "swiss", "round_robin")
BRACKETS = ("knockout", "double_knockout")
"""Formats in which all who lose in one round share a place."""
MOST_PLAYERS = 1_000
"""The most entrants of an event to come; larger fields do not occur and would be slow."""

Group = tuple[int, int]
"""The first and the last of the places that some players share: 3 and 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextEvent:
    """An event to come: as one that was played, but for what is said here."""

    like: str  # the id of that event
    day: date  # on which it ends
    entrants: int
    entry_fee: Fraction | None = None  # in the currency of that tournament; none: as there
    format: str | None = None  # of the Main, see `main_format`; none: as there


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceGain:
    """What a place, or several that share theirs, would give; points are nanopoints."""

    first: int  # 3 of 3-4
    last: int
    nanopoints: Nanopoints  # won; of a rating, how it would change
    total: Nanopoints  # of the player on the day from which all of it counts
    rank: int | None  # on that day; none: not on the list


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """An event to come for a player, if nobody else plays until then."""

    day: date  # from which all of it counts, and on which totals and ranks are
    total: Nanopoints  # without it, in nanopoints
    rank: int | None
    places: tuple[PlaceGain, ...]  # from first to last
    problems: tuple[Problem, ...]  # why the event could not be used
    earns: bool  # whether any place gives points
    rival_total: Nanopoints | None = None  # on the day; none: nobody is to be passed
    rival_rank: int | None = None
    needed: PlaceGain | None = None  # the last place that passes the rival; none: no place does
    already_ahead: bool = False  # whether the player outranks the rival without the event


def gains(player: PlayerResults, event: NextEvent, rival: str | None = None) -> Gains:
    """What each place of an event would give a player: points, total and rank.

    A made-up tournament is awarded as any other and never recorded. The player is taken for a
    member of the federation whose members alone earn points, if there is one. Points for matches
    are not in it: nobody knows which are won.

    Args:
        player: who; they need not have results.
        event: the event to come.
        rival: whom they want to pass.

    Raises:
        Refused: there is no such event to go by, or nobody or too many play in it.
    """
    given, number = player.given, player.number
    if not 0 < event.entrants <= MOST_PLAYERS:
        raise Refused(msg("Say how many players enter: from 1 to %(most)s.", most=MOST_PLAYERS))
    tournament, groups = _supposed_tournament(given, event)
    before = day_totals(given, event.day)
    awarded, problems = _points_of_groups(
        given.question, tournament, event.like, len(groups), _rating(given, number, event.day)
    )
    day = max([event.day, *(award.grant.effective for award in awarded)])
    then = before if day == event.day else day_totals(given, day)
    totals = [_total(then, number, awarded, at, player.fades) for at in range(len(groups))]
    own = _held(then, number, given.question, awarded)
    rows = [
        _gain(then, number, group, total, own) for group, total in zip(groups, totals, strict=True)
    ]
    offered = Gains(
        day=day,
        total=then.nanopoints(number) or 0,
        rank=then.rank(number),
        places=() if problems else tuple(rows),
        problems=problems,
        earns=any(award.nanopoints for award in rows),
    )
    return (
        offered
        if rival is None or problems
        else _passing(given, offered, then, totals, number, rival)
    )


# ── the event ────────────────────────────────────────────────────────────────────────────────────


def _supposed_tournament(
    given: JournalAwards, wanted: NextEvent
) -> tuple[Tournament, Sequence[Group]]:
    """The tournament of an event to come; its players are numbers, one for each group of places."""
    events = given.projection.tables["events"]
    at = events["event_id"].index_of(wanted.like)
    tournament_id = events["tournament_id"][at] if at is not None else ""
    regulation = given.question.get_regulation()
    played = inputs.unplayed(given.projection.facts, regulation, tournament_id)
    if played is None or wanted.like not in {other.event_id for other in played.events}:
        raise Refused(msg("There is no event to go by. Choose one that was played."))
    event = next(other for other in played.events if other.event_id == wanted.like)
    main = event.flight(MAIN) or Flight(name=MAIN, entrants=wanted.entrants)
    played_as = main_format(regulation, wanted.format or main.format)
    groups = tuple(_groups(wanted.entrants, shared_places=played_as in BRACKETS))
    main = structs.replace(
        main,
        format=played_as,
        entrants=wanted.entrants,
        players=[*range(len(groups))],
        ranks=[first for first, _ in groups],
        tied=[last - first + 1 for first, last in groups],
        designated=[False] * len(groups),
        rounds_behind=[None] * len(groups),
    )
    fee = event.entry_fee if wanted.entry_fee is None else wanted.entry_fee
    changed = structs.replace(
        event,
        entrants=wanted.entrants,
        entry_fee=fee,
        date_of_record=None,
        completed_on=None,
        flights=(main, *(other for other in event.flights if other.name != MAIN)),
    )
    return structs.replace(
        played,
        start_date=None,
        end_date=wanted.day,
        date_of_record=None,
        events=tuple(changed if other is event else other for other in played.events),
    ), groups


def main_format(regulation: Regulation, stated: str | None) -> str:
    """How the Main of an event is played; empty where no matches are, as in Diplomacy.

    Backgammon of which no report says it is taken for a knockout.
    """
    return (stated or BRACKETS[0]) if regulation.discipline == "backgammon" else ""


def _groups(entrants: int, *, shared_places: bool) -> Iterator[Group]:
    """The places of a field: in a bracket 1, 2, 3-4, 5-8 and so on, else one by one."""
    first = 1
    while first <= entrants:
        size = 1 << max(first - 1, 1).bit_length() - 1 if shared_places else 1
        last = min(first + size - 1, entrants)
        yield first, last
        first = last + 1


# ── its points ───────────────────────────────────────────────────────────────────────────────────


def _points_of_groups(
    question: Question, tournament: Tournament, event_id: str, many: int, rating: float | None
) -> tuple[list[Worked], tuple[Problem, ...]]:
    """The points of every group of places, and why there are none if the event is not usable.

    Args:
        question: the regulation.
        tournament: the event to come, as if it had been played.
        event_id: which of its events.
        many: how many groups of places.
        rating: of the player before, where each rating is made from the one before; none: they
            have none yet.
    """
    regulation, rules = question.get_regulation(), question.rulebook()
    member = Membership(regulation.members_of, "", date.min, None)
    memberships: Memberships = dict.fromkeys(range(many), (member,))  # type: ignore[arg-type]
    every = [outcome for outcome in outcomes(regulation, rules, tournament, memberships)
             if isinstance(outcome, Advice) or outcome.event.event_id == event_id]  # fmt: skip
    missing = [
        problem
        for outcome in every
        if isinstance(outcome, Unusable)
        for problem in outcome.problems
    ]
    if missing:
        return [], tuple(dict.fromkeys(missing))

    def opening(rules: Rules) -> float:
        """What the rating is made from."""
        first = question.aggregate.opening
        return rating if rating is not None else float(first(rules) if first else 0)

    folds = opening if question.aggregate.step else None
    grants = [
        outcome for outcome in usable(every) if isinstance(outcome, Grant) and outcome.players
    ]
    worked = work(grants, folds)
    wrong = [problem for _, problem in uncountable(worked, [str(at) for at in range(many)])]
    return ([], tuple(wrong)) if wrong else (worked, ())


def _rating(given: JournalAwards, number: int | None, day: date) -> float | None:
    """A player's rating on a day in full precision, where each is made from the one before."""
    question = given.question
    step, opening = question.aggregate.step, question.aggregate.opening
    if step is None or number is None:
        return None
    editions = {rules.edition.id: rules for rules in question.rulebook().all}
    rows = given.of(np.array([number]))
    classes = given.names.award_classes[rows["award_class"]]
    rating: float | None = None
    for row, effective, edition in zip(
        rows.select(fold_parameters(step)).iter_rows(named=True),
        classes["effective"],
        classes["edition"],
        strict=True,
    ):
        if effective > day:
            break
        rules = editions[edition]
        more = {CONSTANTS: rules.constants} if CONSTANTS in parameters(step) else {}
        start = float(opening(rules)) if opening else 0.0
        rating = step(before=start if rating is None else rating, **row, **more)
    return rating


def _total(
    then: DayTotals, number: int | None, worked: Sequence[Worked], at: int, fades: Fading
) -> Fraction:
    """The total of a player who takes the places of one group, in nanopoints."""
    total = then.base(number)
    for award in worked:
        players: Sequence[int] = award.grant.players  # type: ignore[assignment]
        if at in players:
            won = int(award.nanopoints[list(players).index(at)])
            left, parts = fades.left(award.grant.effective, award.grant.rules.edition.id, then.day)
            total = Fraction(won) if then.latest else total + Fraction(won * left, parts)
    return total


def _held(
    then: DayTotals, number: int | None, question: Question, worked: Sequence[Worked]
) -> Fraction:
    """What a player has before the event; of a first rating, what it starts from."""
    if not then.latest or not worked or then.total(number) is not None:
        return then.base(number)
    return Fraction(opening_rating(question, worked[0].grant.rules.edition.id))


def _gain(
    then: DayTotals, number: int | None, group: Group, total: Fraction, own: Fraction
) -> PlaceGain:
    """What a place gives a player who has some points of their own before it."""
    won = total - own
    return PlaceGain(
        first=group[0],
        last=group[1],
        nanopoints=divided_half_up(won.numerator, won.denominator),
        total=divided_half_up(total.numerator, total.denominator),
        rank=then.rank_with(total, number) if total > 0 or then.latest else None,
    )


def _passing(
    given: JournalAwards,
    offered: Gains,
    then: DayTotals,
    totals: Sequence[Fraction],
    number: int | None,
    rival: str,
) -> Gains:
    """The gains, and the last place that is enough to outrank a rival."""
    other = number_of(given, rival)
    theirs = then.base(other)
    enough = [
        row for row, total in zip(offered.places, totals, strict=True) if total - theirs > TIE
    ]
    return replace(
        offered,
        rival_total=then.nanopoints(other) or 0,
        rival_rank=then.rank(other),
        needed=enough[-1] if enough else None,
        already_ahead=then.base(number) - theirs > TIE,
    )
