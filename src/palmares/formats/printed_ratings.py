"""The value and the scores that a page of the World Diplomacy Database prints, against ours."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import half_up
from palmares.facts.parsers import FLAGS
from palmares.formats.decoding import Findings
from palmares.regulations import dptr

RATING = "dptr"  # what the database computes on these pages
PRINTED = Fraction(5, 1000)
"""How far a number of two decimals may lie from the exact one, on either side of a half."""
DECIMALS = 2
MOST_PLAYERS = 10_000  # the largest field that is looked for
_SEVERAL = 2  # any number of rounds above one


@dataclass(frozen=True, slots=True)
class Score:
    """One printed row."""

    line: int
    rank: int
    score: Fraction


@dataclass(frozen=True, slots=True)
class Printed:
    """What a page prints of its event."""

    last_day: date
    players: int
    rounds: int | None
    world_championship: bool
    value: Fraction | None  # "Coeff 1"
    value_line: int
    scores: tuple[Score, ...]


def printed(
    last_day: str | None,
    event: Mapping[str, str | None],
    value_line: int,
    scores: list[tuple[int, str, str]],
) -> Printed | None:
    """What a page prints, if everything that the scores depend on can be read.

    Args:
        last_day: of the tournament.
        event: the columns of its event.
        value_line: where the value stands.
        scores: line, rank and score of each row.
    """
    players, rounds = (_whole(event.get(key)) for key in ("entrants", "rounds"))
    if not last_day or not players:
        return None
    try:
        day = date.fromisoformat(last_day)
    except ValueError:
        return None
    value = event.get("printed_coeff1")
    return Printed(
        last_day=day,
        players=players,
        rounds=rounds,
        world_championship=FLAGS.get((event.get("world_championship") or "").lower(), False),
        value=Fraction(value) if value else None,
        value_line=value_line,
        scores=tuple(Score(line, int(rank), Fraction(score)) for line, rank, score in scores),
    )


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < len("1000000") else None


def compare(found: Findings, page: Printed) -> None:
    """Report each printed number that is not what the regulation gives for the page."""
    rules = dptr.REGULATION.rulebook(number=Fraction).on(page.last_day)
    if rules is None:
        return
    ours = _Ours(rules.constants, page)
    ours.scores(found)
    ours.value(found)


@dataclass(frozen=True, slots=True)
class _Ours:
    """The regulation's own clauses for one page."""

    constants: Any
    page: Printed

    def score_of(self, rank: int, players: int) -> Any:
        return dptr.percentile(self.constants, players, rank)

    def value_of(self, players: int, rounds: int, *, worlds: bool) -> Any:
        year = self.page.last_day.year
        return dptr.tournament_value(self.constants, players, rounds, year, worlds)

    # ── the scores ───────────────────────────────────────────────────────────────────────────────

    def scores(self, found: Findings) -> None:
        """Each score that is not that of its rank; one problem where another field explains all."""
        page = self.page
        wrong = [one for one in page.scores if not _fits(one.score, self._score(one))]
        if not wrong:
            return
        field = self._field_that_fits() if len(wrong) * 2 > len(page.scores) else None
        if field:
            found.problem(
                wrong[0].line,
                msg(
                    "%(some)s of %(all)s printed scores are not those of %(players)s players",
                    some=len(wrong),
                    all=len(page.scores),
                    players=page.players,
                ),
                f"{RATING} percentile",
                msg(
                    "They fit %(players)s players: put a line above the page, %(line)s; or"
                    " correct the ranks.",
                    players=field,
                    line=f"'entrants: {field}'",
                ),
            )
            return
        for one in wrong:
            self._tell_score(found, one)

    def _score(self, one: Score) -> Any:
        return self.score_of(one.rank, self.page.players)

    def _field_that_fits(self) -> int | None:
        """The number of players of which every printed score is the score.

        A score rises with the number of players, the most for the last rank.
        """
        last = max(self.page.scores, key=lambda one: one.rank)
        fields = range(last.rank, MOST_PLAYERS + 1)

        def score(players: int) -> Any:
            return self.score_of(last.rank, players)

        first = bisect_left(fields, last.score - PRINTED, key=score)
        end = bisect_right(fields, last.score + PRINTED, key=score)
        for players in fields[first:end]:
            if all(_fits(one.score, self.score_of(one.rank, players)) for one in self.page.scores):
                return players
        return None

    def _rank_that_fits(self, score: Fraction) -> int | None:
        """The rank that has a score; scores fall with the ranks."""
        players = self.page.players
        ranks = range(1, players + 1)
        at = bisect_left(ranks, -score - PRINTED, key=lambda rank: -self.score_of(rank, players))
        return (
            ranks[at] if at < players and _fits(score, self.score_of(ranks[at], players)) else None
        )

    def _tell_score(self, found: Findings, one: Score) -> None:
        """One row whose score is another rank's, or nobody's."""
        page = self.page
        rank = self._rank_that_fits(one.score)
        remedy = (
            msg(
                "%(score)s is the score of rank %(rank)s: correct the rank, or the score.",
                score=_shown(one.score),
                rank=rank,
            )
            if rank
            else msg(
                "Correct the rank, the score or the number of players; a page of another rating"
                " of the database cannot be read."
            )
        )
        found.problem(
            one.line,
            msg(
                "rank %(rank)s of %(players)s players scores %(ours)s, and the page prints"
                " %(score)s",
                rank=one.rank,
                players=page.players,
                ours=_shown(self._score(one)),
                score=_shown(one.score),
            ),
            f"{RATING} percentile",
            remedy,
        )

    # ── the value ────────────────────────────────────────────────────────────────────────────────

    def value(self, found: Findings) -> None:
        """The value of the event, where it is printed."""
        page = self.page
        if page.value is None:
            return
        worlds = page.world_championship
        rounds = (page.rounds,) if page.rounds else (1, _SEVERAL)
        ours = [self.value_of(page.players, each, worlds=worlds) for each in rounds]
        if any(_fits(page.value, each) for each in ours):
            return
        found.problem(
            page.value_line,
            msg(
                "the page prints the coefficient %(printed)s, and the value of the event is"
                " %(ours)s",
                printed=_shown(page.value),
                ours=_shown(ours[-1]),
            ),
            f"{RATING} value",
            self._what_to_set(page.value, worlds=worlds),
        )

    def _what_to_set(self, value: Fraction, *, worlds: bool) -> str:
        """What the page would have to say for its value to be right."""
        page = self.page
        other = page.rounds or _SEVERAL
        if _fits(value, self.value_of(page.players, other, worlds=not worlds)):
            if worlds:
                return msg(
                    "That is no World Championship: take the line %(line)s away.",
                    line="'world_championship: true'",
                )
            return msg(
                "That is the value of a World Championship: put a line above the page, %(line)s.",
                line="'world_championship: true'",
            )
        for rounds, line in ((1, "'rounds: 1'"), (_SEVERAL, f"'rounds: {_SEVERAL}'")):
            if not worlds and _fits(value, self.value_of(page.players, rounds, worlds=False)):
                return msg(
                    "It fits another number of rounds: put a line above the page, such as"
                    " %(line)s.",
                    line=line,
                )
        return msg(
            "Check the number of players, the number of rounds and the day; put what is right in"
            " lines above the page: %(lines)s.",
            lines="'entrants: 56', 'rounds: 3', 'end_date: 2004-08-15'",
        )


def _fits(printed_number: Fraction, exact: Fraction) -> bool:
    """Whether a printed number is the exact one to two decimals, whichever way a half went."""
    return abs(printed_number - exact) <= PRINTED


def _shown(number: Fraction) -> LocalNumber:
    exact = half_up(number, DECIMALS)
    return LocalNumber(f"{Decimal(exact.numerator) / Decimal(exact.denominator):.{DECIMALS}f}")
