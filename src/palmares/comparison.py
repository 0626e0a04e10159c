"""
Somebody else's printed list beside ours, each difference explained as far as the facts allow.

    compare     a printed list x facts x regulation  ->  Comparison
    Row         a player of either list: ranks, points, and why they differ
    STATUSES    what becomes of a player
    tally       how many players have each status

The list as a whole is looked at first: if it is our list of another day, edition or reading, its
lines are compared with that one. Nothing is claimed that does not make the numbers fit exactly, and
nobody is taken for somebody else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmares import results
from palmares.awards import Question, award
from palmares.comparison_awards import held
from palmares.comparison_causes import (
    CAUSES,
    MOST_TOLD,
    SEVERAL,
    Book,
    Cause,
    Shared,
    cause_of,
    not_counted,
    shared_by,
)
from palmares.comparison_lists import Fitted, Line, fit, fitted
from palmares.comparison_people import Match, bare, matched, named, near
from palmares.comparison_ranks import Counting, counting, words
from palmares.errors import Problem
from palmares.facts import Facts
from palmares.rankings import Selection, refuse_nonsense
from palmares.reports.printed_lists import PrintedList, PrintedRow
from palmares.reports.printed_points import PrintedPoints
from palmares.rounding import shown

STATUSES = {
    "same": "rank and points are ours",
    "differs": "rank or points are not ours",
    "only theirs": "not on our list",
    "only ours": "not on theirs",
    "unclear": "nobody can say which of our players it is",
}
"""What becomes of a player."""

HARMLESS = "below their list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A player of either list."""

    status: str  # one of `STATUSES`
    player: str
    line: int | None = None  # of their file
    player_id: str | None = None
    nation: str | None = None
    their_rank: int | None = None
    our_rank: int | None = None
    theirs: PrintedPoints | None = None
    ours: int | None = None  # nanopoints
    cause: str = ""  # one of `palmares.comparison_causes.CAUSES`
    detail: str = ""

    @property
    def difference(self) -> int | None:
        """Theirs less ours, in nanopoints."""
        if self.theirs is None or self.ours is None:
            return None
        return self.theirs.nanopoints - self.ours

    @property
    def matters(self) -> bool:
        """Whether it is a difference: a list may end before ours does."""
        return self.status != "same" and self.cause != HARMLESS


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two lists side by side."""

    question: Question  # as asked
    selection: Selection  # as asked
    printed: PrintedList
    fitted: Fitted  # as what their list fits best; the rows compare with that
    counting: Counting  # how their ranks are counted
    common: Shared  # tournaments, each of which would explain several lines
    rows: tuple[Row, ...]  # their lines in order, then the players whom only we list
    notices: tuple[Problem, ...]

    @property
    def agrees(self) -> bool:
        """Whether their list is ours as asked, as far as it goes."""
        return not self.fitted.changes and not any(row.matters for row in self.rows)


def compare(
    question: Question, facts: Facts, selection: Selection, printed: PrintedList
) -> Comparison:
    """Hold a printed list against ours.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        selection: the day, and which awards count.
        printed: their list.

    Raises:
        Refused: the regulation has nothing of the kind.
        FactsRejected: something is missing that a formula needs.
    """
    refuse_nonsense(question, selection, "player")
    awards = award(question, facts, terms=False)
    matches = matched(printed.rows, facts, set(awards.frame["player_id"]))
    pairs = list(zip(printed.rows, matches, strict=True))
    lines = [Line(match.player_id, row.points) for row, match in pairs if match.player_id]
    best = fitted(facts, selection, awards, lines)
    ranks = counting(
        [(row, match.player_id) for row, match in pairs],
        best.ours,
        best.rule,
        printed.places,
    )
    side = _side_by_side(printed, matches, facts, best)
    return Comparison(
        question=question,
        selection=selection,
        printed=printed,
        fitted=best,
        counting=ranks,
        common={one: lines for one, lines in side.common.items() if lines >= SEVERAL},
        rows=(*_theirs(side, ranks), *_ours(side)),
        notices=best.awards.notices,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """What every row is made from."""

    pairs: Sequence[tuple[PrintedRow, Match]]
    fitted: Fitted
    listed: Mapping[str, Mapping[str, Any]]  # the rows of our list by player
    people: Mapping[str, results.Person]
    open_names: Mapping[str, str]  # of ours who are on no line of theirs, as hints are looked for
    strangers: Mapping[int, PrintedRow]  # lines that are nobody's of ours
    their_names: Mapping[str, str]  # of these, by line, as hints are looked for
    book: Book
    common: Shared
    least: int  # units that the last of their list has


def _side_by_side(
    printed: PrintedList, matches: Sequence[Match], facts: Facts, best: Fitted
) -> _Sides:
    ours = best.ours
    pairs = list(zip(printed.rows, matches, strict=True))
    there = {one for match in matches for one in (match.player_id, *match.several) if one}
    people = results.people(facts)
    differ = [
        (match.player_id, row)
        for row, match in pairs
        if match.player_id and not fit(ours, Line(match.player_id, row.points), best.rule)
    ]
    strangers = [row for row, match in pairs if not match.player_id and not match.several]
    book = Book(
        ours=ours,
        rule=best.rule,
        places=printed.places,
        latest=ours.question.held().total == "latest",
        awards=held(best.awards, facts, ours, [player for player, _ in differ]),
        names={one: person.name for one, person in people.items()},
        absent={one: weight for one, weight in ours.weights.items() if one not in there},
        strangers=strangers,
    )
    return _Sides(
        pairs=pairs,
        fitted=best,
        listed={row["player_id"]: row for row in ours.frame.iter_rows(named=True)},
        people=people,
        open_names=bare({one: name for one, name in named(facts).items() if one not in there}),
        strangers={row.line: row for row in strangers},
        their_names=bare({str(row.line): row.name for row in strangers}),
        book=book,
        common=shared_by(book, differ),
        least=min(row.points.nanopoints for row in printed.rows),
    )


# ── their lines ──────────────────────────────────────────────────────────────────────────────────


def _theirs(side: _Sides, ranks: Counting) -> Iterator[Row]:
    for row, match in side.pairs:
        if match.player_id is None:
            yield _unknown(side, row, match)
        else:
            yield _known(side, row, match.player_id, ranks)


def _known(side: _Sides, row: PrintedRow, player: str, ranks: Counting) -> Row:
    """A line of a player of ours."""
    mine = side.listed.get(player)
    fits = fit(side.fitted.ours, Line(player, row.points), side.fitted.rule)
    cause: Cause | None = None
    if mine is None:
        cause = _nothing_counts(side, row, player)
    elif not fits:
        cause = cause_of(side.book, side.common, player, row)
    elif row.rank and row.rank != mine["rank"]:
        cause = _rank(row, ranks)
    person = side.people[player]
    return Row(
        status="only theirs" if mine is None else "differs" if cause else "same",
        player=person.name,
        line=row.line,
        player_id=player,
        nation=person.nation,
        their_rank=row.rank,
        our_rank=mine["rank"] if mine else None,
        theirs=row.points,
        ours=mine["nanopoints"] if mine else None,
        cause=cause.key if cause else "",
        detail=cause.detail if cause else "",
    )


def _rank(row: PrintedRow, ranks: Counting) -> Cause:
    """Why only the rank differs."""
    if row.line not in ranks.given:
        return Cause("rank alone", CAUSES["rank alone"])
    if ranks.basis == "theirs":
        return Cause("rank follows", f"ranked {words(ranks)}")
    return Cause("ties counted otherwise", f"ranked {words(ranks)}")


def _nothing_counts(side: _Sides, row: PrintedRow, player: str) -> Cause:
    """A player whom our list does not have."""
    awards = side.book.awards[player]
    if not awards:
        return Cause("nothing counts", "no award of this player is among our facts")
    if found := not_counted(side.book, side.common, player, row):
        return found
    told = "; ".join(side.book.told([one]) for one in awards[-MOST_TOLD:])
    return Cause("nothing counts", f"we have: {told}")


def _unknown(side: _Sides, row: PrintedRow, match: Match) -> Row:
    """A line whose player nobody knows."""
    if match.several:
        key, status, detail = "unclear player", "unclear", _several(side, row, match)
    else:
        key, status = "unknown player", "only theirs"
        detail = _nearest(side, row, near(row.name, side.open_names))
    return Row(
        status=status,
        player=row.name,
        line=row.line,
        nation=row.nation,
        their_rank=row.rank,
        theirs=row.points,
        cause=key,
        detail=detail,
    )


def _several(side: _Sides, row: PrintedRow, match: Match) -> str:
    """Which of ours it may be, or whose line it is as well."""
    told = " or ".join(_described(side, one, row) for one in match.several)
    if match.lines:
        which = f"line{'s' * (len(match.lines) > 1)} {', '.join(map(str, match.lines))}"
        return f"this is {told}, and so is {which}"
    return f"this may be {told}: give the id"


def _nearest(side: _Sides, row: PrintedRow, players: Sequence[str]) -> str:
    """Names like this one, as a hint."""
    if not players:
        return "nobody of ours has this name, or one like it"
    told = "; or ".join(_described(side, one, row) for one in players)
    return f"nobody of ours has this name; the nearest: {told}"


def _described(side: _Sides, player: str, row: PrintedRow) -> str:
    """A player of ours in one phrase: name, id, points."""
    person = side.people[player]
    name = f"{person.name} ({person.nation})" if person.nation else person.name
    mine = side.listed.get(player)
    if mine is None:
        return f"{name} [{player}], not on our list"
    same = fit(side.fitted.ours, Line(player, row.points), side.fitted.rule)
    points = shown(mine["nanopoints"], min(9, side.book.places))
    return f"{name} [{player}] with {points}" + ", as they print" * same


# ── ours alone ───────────────────────────────────────────────────────────────────────────────────


def _ours(side: _Sides) -> Iterator[Row]:
    """The players of our list who are on no line of theirs."""
    for player, mine in side.listed.items():
        if player not in side.book.absent:
            continue
        cause = _absent(side, player, mine["nanopoints"])
        yield Row(
            status="only ours",
            player=mine["player"],
            player_id=player,
            nation=mine["nation"],
            our_rank=mine["rank"],
            ours=mine["nanopoints"],
            cause=cause.key,
            detail=cause.detail,
        )


def _absent(side: _Sides, player: str, nanopoints: int) -> Cause:
    """Why a player of ours may be missing there."""
    name = side.people[player].name if player in side.open_names else None
    lines = [side.strangers[int(one)] for one in near(name, side.their_names)] if name else []
    told, fits = [], False
    for row in lines:
        same = fit(side.fitted.ours, Line(player, row.points), side.fitted.rule)
        told.append(f"line {row.line}, {row}" + ", who has these points" * same)
        fits |= same
    if nanopoints < side.least and not fits:
        return Cause(HARMLESS, "")
    return Cause(
        "not on their list", f"the nearest name there: {'; or '.join(told)}" if told else ""
    )


def tally(found: Comparison) -> Counter[str]:
    """How many players have each status; those below the end of their list apart, as `HARMLESS`."""
    return Counter(HARMLESS if row.cause == HARMLESS else row.status for row in found.rows)
