"""Compare the numbers that a page of the World Diplomacy Database prints with our regulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction

from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import half_up
from palmares.facts.decoding import Findings
from palmares.facts.parsers import FLAGS
from palmares.regulations import dptr

RATING = "dptr"  # what the database computes on these pages
PRINTED = Fraction(5, 1000)
"""How far a number of two decimals may lie from the exact one, on either side of a half."""
DECIMALS = 2
_SEVERAL = 2  # any number of rounds above one


def compare(
    findings: Findings,
    last_day: str | None,
    event: Mapping[str, str | None],
    value_line: int,
    scores: Sequence[tuple[int, str, str]],
) -> None:
    """Report each printed number that is not what the regulation gives for the page.

    Args:
        findings: where problems go.
        last_day: of the tournament.
        event: the columns of its event.
        value_line: where the value stands.
        scores: line, rank and score of each row.
    """
    players, rounds = (_count(event.get(key)) for key in ("entrants", "rounds"))
    try:
        day = date.fromisoformat(last_day or "")
    except ValueError:
        return
    rules = dptr.REGULATION.rulebook(number=Fraction).on(day)
    if rules is None or not players:
        return
    for line, rank, printed in scores:
        exact = dptr.percentile(rules.constants, players, int(rank))
        if not _fits(printed, exact):
            _problem_of_score(findings, line, int(rank), players, exact, printed)
    if printed_value := event.get("printed_coeff1"):
        worlds = FLAGS.get((event.get("world_championship") or "").lower(), False)
        values = {
            (each, title): dptr.tournament_value(rules.constants, players, each, day.year, title)
            for each in ((rounds,) if rounds else (1, _SEVERAL))
            for title in (worlds, not worlds)
        }
        fits = {title for (_, title), value in values.items() if _fits(printed_value, value)}
        if worlds not in fits:
            exact = values[rounds or _SEVERAL, worlds]
            _problem_of_value(
                findings, value_line, exact, printed_value, worlds=worlds if fits else None
            )


def _problem_of_score(
    findings: Findings, line: int, rank: int, players: int, exact: Fraction, printed: str
) -> None:
    findings.problem(
        line,
        msg(
            "rank %(rank)s of %(players)s players scores %(ours)s, and the page prints %(score)s",
            rank=rank,
            players=players,
            ours=_shown(exact),
            score=_shown(Fraction(printed)),
        ),
        f"{RATING} percentile",
        msg(
            "Correct the rank, the score or the number of players; a page of another rating of"
            " the database cannot be read."
        ),
    )


def _problem_of_value(
    findings: Findings, line: int, exact: Fraction, printed: str, *, worlds: bool | None
) -> None:
    """The value is another; *worlds*: what the page says, if the opposite would explain it."""
    remedy = msg(
        "Check the number of players, the number of rounds and the day; put what is right in"
        " lines above the page: %(lines)s.",
        lines="'entrants: 56', 'rounds: 3', 'end_date: 2004-08-15'",
    )
    if worlds is not None:
        what = (
            msg("That is not a World Championship: remove the line %(line)s.")
            if worlds
            else msg(
                "That is the value of a World Championship: put a line above the page, %(line)s."
            )
        )
        remedy = msg(what, line="'world_championship: true'")
    findings.problem(
        line,
        msg(
            "the page prints the coefficient %(printed)s, and the value of the event is %(ours)s",
            printed=_shown(Fraction(printed)),
            ours=_shown(exact),
        ),
        f"{RATING} value",
        remedy,
    )


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < len("1000000") else None


def _fits(printed: str, exact: Fraction) -> bool:
    """Whether a printed number is the exact one to two decimals, whichever way a half went."""
    return abs(Fraction(printed) - exact) <= PRINTED


def _shown(number: Fraction) -> LocalNumber:
    exact = half_up(number, DECIMALS)
    return LocalNumber(f"{Decimal(exact.numerator) / Decimal(exact.denominator):.{DECIMALS}f}")
