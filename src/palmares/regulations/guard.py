"""
What a regulation of another package supplies, checked once, where it enters.

Its functions are tried when it is registered, and each call is checked: one that fails, or gives
what it must not, raises an error that names the regulation. Formulas are checked where they run
(`palmares.points.awards`), as machine code is made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from functools import partial, wraps
from typing import Any

from msgspec import structs

from palmares.core.errors import (
    LONGEST_VALUE,
    FactsRejected,
    Location,
    PalmaresError,
    Problem,
    Refused,
    brief,
    brief_repr,
)
from palmares.core.messages import msg
from palmares.core.rounding import GREATEST
from palmares.regulations.editions import Rulebook, Rules
from palmares.regulations.model import (
    BEFORE,
    Advice,
    Grant,
    Memberships,
    Tournament,
    Unusable,
    parameters,
    row_values,
)
from palmares.regulations.protocol import Aggregate, Decay, Outcome, Regulation, Sum

MOST_DAYS = 1_000_000
"""Days in all over which a result may fade: some 2,700 years."""
_TRIED = (date(2023, 12, 31), date(2024, 2, 29))  # days from which a result counts
_AGES = [timedelta(days) for days in (*range(32), *range(32, 20_000, 28))]


def failure(regulation: Regulation, at: Location, error: Exception) -> Problem:
    """The problem that says that a regulation of another package failed."""
    return Problem(
        at=at,
        what=msg("the regulation %(name)s failed: %(why)s", name=regulation.name, why=_why(error)),
        clause=f"{regulation.name} {regulation.module}",
        remedy=msg("Tell its authors. No other list is affected."),
    )


def guarded(regulation: Regulation) -> Regulation:
    """A regulation of another package whose failures name it and stop nothing else.

    Raises:
        Refused: a function of it fails, or gives what it must not, when it is tried.
    """
    for name in ("kinds", "asks", "event_kinds", "settings"):
        words = getattr(regulation, name)
        if not (isinstance(words, tuple) and all(isinstance(word, str) for word in words)):
            raise Refused(f"its {name} is {brief_repr(words)}, and must be a tuple of texts.")
    checked = structs.replace(
        regulation,
        advice=_advice(regulation) if regulation.advice else None,
        level=_checked(regulation, "level", _level) if regulation.level else None,
        aggregate=_aggregate(regulation),
    )
    _try(checked)
    return structs.replace(checked, award=_award(checked))


def _award(regulation: Regulation) -> Callable[..., list[Outcome]]:
    """Its award; where it fails on a tournament, it rejects the facts of it.

    What is granted is tried: what is left of it as it grows old, and the formula of a rating.
    """
    aggregate, tried = regulation.aggregate, set()

    @wraps(regulation.award)
    def award(rulebook: Rulebook, tournament: Tournament, members: Memberships) -> list[Outcome]:
        try:
            given = list(_outcomes(regulation, regulation.award(rulebook, tournament, members)))
            for grant in given:
                if isinstance(grant, Grant):
                    _try_fold(aggregate, grant)
                    chosen = tuple(sorted(grant.rules.chosen.items()))
                    counts = grant.rules.edition.id, chosen, grant.effective
                    if counts not in tried:
                        _try_left(aggregate, grant.rules, grant.effective)
                        tried.add(counts)
        except FactsRejected:
            raise
        except Exception as error:
            its = error.__cause__ if isinstance(error.__cause__, Exception) else error
            raise FactsRejected([failure(regulation, tournament.where, its)]) from error
        return given

    return award


def _try_left(aggregate: Aggregate, rules: Rules, effective: date) -> None:
    """Ask what is left of a result as it grows old, until nothing is."""
    any(aggregate.left(rules, effective, effective + age)[0] <= 0 for age in _AGES)


def _try_fold(aggregate: Aggregate, grant: Grant) -> None:
    """Work out a grant of a rating, as if it were the first event of all its players."""
    if BEFORE in parameters(grant.formula):
        for row in range(len(grant.players)):
            points = row_values(grant, row, aggregate.opening)[""]
            if not _points(points):
                raise ValueError(f"a formula gave {brief_repr(points)}")


def _outcomes(regulation: Regulation, given: Iterable[Any]) -> Iterator[Outcome]:
    """What it gives, if it is what it must be."""
    for outcome in given:
        match outcome:
            case Grant():
                if outcome.kind not in regulation.kinds:
                    raise ValueError(f"it has no kind {brief_repr(outcome.kind)}")
                fields: tuple[Any, Any] = outcome.effective, outcome.rules
                if not (isinstance(fields[0], date) and isinstance(fields[1], Rules)):
                    raise TypeError("a grant needs a day in effective and an edition in rules")
            case Unusable():
                days: tuple[Any, Any] = outcome.first, outcome.last
                if not all(isinstance(day, date) for day in days):
                    raise TypeError("an unusable event needs days in first and last")
            case Advice(problem=Problem()):
                pass
            case _:
                raise TypeError(f"award gave {brief_repr(outcome)}")
        yield outcome


def _advice(regulation: Regulation) -> Callable[[Rulebook, Tournament], list[Advice]]:
    """Its advice; where it fails on a tournament, it rejects the facts of it."""
    advice: Callable[..., Iterable[Any]] = regulation.advice or (lambda *_: ())

    @wraps(advice)
    def advise(rulebook: Rulebook, tournament: Tournament) -> list[Advice]:
        try:
            return list(_notices(advice(rulebook, tournament)))
        except Exception as error:
            raise FactsRejected([failure(regulation, tournament.where, error)]) from error

    return advise


def _notices(given: Iterable[Any]) -> Iterator[Advice]:
    for notice in given:
        if not (isinstance(notice, Advice) and isinstance(notice.problem, Problem)):
            raise TypeError(f"advice gave {brief_repr(notice)}")
        yield notice


def _aggregate(regulation: Regulation) -> Any:
    """How its awards make a total, with each of its functions checked."""
    aggregate, checked = regulation.aggregate, partial(_checked, regulation)
    if not isinstance(aggregate, Sum):
        opening = aggregate.opening and checked("aggregate.opening", _points)
        return structs.replace(aggregate, opening=opening)
    decay = aggregate.decay and Decay(
        left=checked("aggregate.decay.left", _days),
        worth=aggregate.decay.worth and checked("aggregate.decay.worth", _points),
    )
    by_event = aggregate.nation_at_event and checked("aggregate.nation_at_event", _yes_or_no)
    return structs.replace(aggregate, decay=decay, nation_at_event=by_event)


def _checked(regulation: Regulation, name: str, fits: Callable[..., bool]) -> Callable[..., Any]:
    """A function of a regulation that refuses in its name where it fails.

    Args:
        regulation: whose it is.
        name: of the function, from the regulation on.
        fits: whether a value is what the function must give for its arguments.
    """
    function: Any = regulation
    for part in name.split("."):
        function = getattr(function, part)

    @wraps(function)
    def applied(*arguments: Any) -> Any:
        try:
            value = function(*arguments)
            if fits(value, *arguments):
                return value
            error: Exception = ValueError(f"{name} gave {brief_repr(value)}")
        except Exception as its:  # noqa: BLE001  whatever it is, it is theirs, and harms no other
            error = its
        raise Refused(
            msg(
                "The regulation %(name)s failed: %(why)s. Tell its authors. No other list is"
                " affected.",
                name=regulation.name,
                why=_why(error),
            )
        ) from error

    return applied


def _try(regulation: Regulation) -> None:
    """Call each function that a list needs, so that one that always fails is found at once."""
    for table in regulation.words.values():
        if any(table not in edition.tables for edition in regulation.editions()):
            raise Refused(f"its words name the table {table!r}, which an edition file lacks.")
    if regulation.level:
        for points in (Fraction(0), Fraction(1)):
            regulation.level({"Master": Fraction(1)}, points)
    aggregate = regulation.aggregate
    for number in (float, Fraction):
        for rules in regulation.rulebook(number=number).all:
            aggregate.by_event(rules)
            if aggregate.opening:
                aggregate.opening(rules)
            if aggregate.decay and aggregate.decay.worth:
                aggregate.decay.worth(rules, Fraction(1), 1)
            for day in _TRIED:
                _try_left(aggregate, rules, day)


def _days(value: Any, _rules: Rules, effective: date, as_of: date) -> bool:
    """Whether a value is days left, and days in all."""
    match value:
        case (int(left), int(days)):
            return 0 < days <= MOST_DAYS and (left <= days or as_of < effective)
    return False


def _points(value: Any, *_: Any) -> bool:
    return isinstance(value, int | float | Fraction) and -GREATEST < value < GREATEST


def _yes_or_no(value: Any, _rules: Rules) -> bool:
    return isinstance(value, bool)


def _level(value: Any, thresholds: Mapping[str, Any], _points_reached: Any) -> bool:
    return value is None or value in thresholds


def _why(error: Exception) -> str:
    text = str(error) if isinstance(error, PalmaresError) else f"{type(error).__name__}: {error}"
    return brief(text, LONGEST_VALUE)
