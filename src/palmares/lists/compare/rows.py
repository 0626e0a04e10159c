"""
What becomes of each player of two lists.

    rows        a printed list, whose its lines are, as what it fits  ->  Row, one a player
    Row         ranks, points, and why they differ
    values      a row  ->  its columns, in nanopoints: `KEYS`
    frame       rows  ->  the same as a table, in points
    Sides       what rows are made from
    STATUSES    what becomes of a player
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from palmares.core.rounding import NANO, shown
from palmares.facts import Facts
from palmares.formats.printed_lists import PrintedList, PrintedPoints, PrintedRow
from palmares.lists.compare.candidates import Fitted, Line, fit
from palmares.lists.compare.causes import (
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
from palmares.lists.compare.matching import Match, bare, named, near
from palmares.lists.compare.ranks import Counting, words
from palmares.lists.compare.subsets import MISSING, held
from palmares.points import inputs

STATUSES = {
    "same": "rank and points are ours",
    "differs": "rank or points are not ours",
    "only theirs": "not on our list",
    "only ours": "not on theirs",
    "unclear": "nobody can say which of our players it is",
}
"""What becomes of a player."""

KEYS = (
    *("status", "player_id", "player", "nation", "line", "their_rank", "our_rank"),
    *("their_points", "our_points", "difference", "cause", "detail"),
)
IN_POINTS = ("their_points", "our_points", "difference")

HARMLESS = "below their list"
FOLLOWS = "rank follows"


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
    cause: str = ""  # one of `palmares.lists.compare.causes.CAUSES`
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

    @property
    def tells(self) -> bool:
        """Whether it says something that other rows do not."""
        return self.matters and self.cause != FOLLOWS


def values(row: Row) -> dict[str, Any]:
    """A row as plain values, points in nanopoints."""
    return {
        "status": row.status,
        "player_id": row.player_id,
        "player": row.player,
        "nation": row.nation,
        "line": row.line,
        "their_rank": row.their_rank,
        "our_rank": row.our_rank,
        "their_points": row.theirs.nanopoints if row.theirs else None,
        "our_points": row.ours,
        "difference": row.difference,
        "cause": row.cause,
        "detail": row.detail,
    }


def frame(rows: Iterable[Row]) -> pl.DataFrame:
    """Rows as a table; points are floats."""
    schema: dict[str, Any] = dict.fromkeys(KEYS, pl.String)
    schema |= dict.fromkeys(("line", "their_rank", "our_rank"), pl.Int64)
    schema |= dict.fromkeys(IN_POINTS, pl.Float64)
    found = (values(one) for one in rows)
    return pl.DataFrame(
        [
            row | {name: None if row[name] is None else row[name] / NANO for name in IN_POINTS}
            for row in found
        ],
        schema=schema,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What every row is made from."""

    pairs: Sequence[tuple[PrintedRow, Match]]
    fitted: Fitted
    listed: Mapping[str, Mapping[str, Any]]  # the rows of our list by player
    people: Mapping[str, inputs.Person]
    open_names: Mapping[str, str]  # of ours who are on no line of theirs, as hints are looked for
    strangers: Mapping[int, PrintedRow]  # lines that are nobody's of ours
    their_names: Mapping[str, str]  # of these, by line, as hints are looked for
    book: Book
    common: Shared
    lost: Mapping[str, str]  # players all of whose points are of tournaments they do not have
    least: int  # nanopoints that the last of their list has


def side_by_side(
    printed: PrintedList, matches: Sequence[Match], facts: Facts, best: Fitted
) -> Sides:
    """What rows are made from, for a list and whose its lines are."""
    ours = best.ours
    pairs = list(zip(printed.rows, matches, strict=True))
    there = {one for match in matches for one in (match.player_id, *match.several) if one}
    people = inputs.people(facts)
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
        latest=ours.question.aggregate.latest,
        awards=held(best.awards, facts, ours, [player for player, _ in differ]),
        names={one: person.name for one, person in people.items()},
        absent={one: weight for one, weight in ours.weights.items() if one not in there},
        strangers=strangers,
    )
    common = {one: lines for one, lines in shared_by(book, differ).items() if lines >= SEVERAL}
    return Sides(
        pairs=pairs,
        fitted=best,
        listed={row["player_id"]: row for row in ours.frame.iter_rows(named=True)},
        people=people,
        open_names=bare({one: name for one, name in named(facts).items() if one not in there}),
        strangers={row.line: row for row in strangers},
        their_names=bare({str(row.line): row.name for row in strangers}),
        book=book,
        common=common,
        lost=_lost(book, common, best, facts),
        least=min(row.points.nanopoints for row in printed.rows),
    )


def _lost(book: Book, common: Shared, best: Fitted, facts: Facts) -> dict[str, str]:
    """Players all of whose points are of tournaments that their list lacks."""
    missing = {tournament for key, tournament in common if key == MISSING}
    found = {}
    if missing:
        for player, awards in held(best.awards, facts, best.ours, list(book.absent)).items():
            theirs = {one.tournament for one in awards if not one.why}
            if theirs <= missing:
                found[player] = " and ".join(sorted(theirs))
    return found


# ── their lines ──────────────────────────────────────────────────────────────────────────────────


def rows(side: Sides, ranks: Counting) -> Iterator[Row]:
    """Their lines in order, then the players whom only we list."""
    yield from _theirs(side, ranks)
    yield from _ours(side)


def _theirs(side: Sides, ranks: Counting) -> Iterator[Row]:
    for row, match in side.pairs:
        if match.player_id is None:
            yield _unknown(side, row, match)
        else:
            yield _known(side, row, match.player_id, ranks)


def _known(side: Sides, row: PrintedRow, player: str, ranks: Counting) -> Row:
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
        return Cause(FOLLOWS, f"ranked {words(ranks)}")
    return Cause("ties counted otherwise", f"ranked {words(ranks)}")


def _nothing_counts(side: Sides, row: PrintedRow, player: str) -> Cause:
    """A player whom our list does not have."""
    awards = side.book.awards[player]
    if not awards:
        return Cause("nothing counts", "no award of this player is among our facts")
    if found := not_counted(side.book, side.common, player, row):
        return found
    told = "; ".join(side.book.told([one]) for one in awards[-MOST_TOLD:])
    return Cause("nothing counts", f"we have: {told}")


def _unknown(side: Sides, row: PrintedRow, match: Match) -> Row:
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


def _several(side: Sides, row: PrintedRow, match: Match) -> str:
    """Which of ours it may be, or whose line it is as well."""
    told = " or ".join(_described(side, one, row) for one in match.several)
    if match.lines:
        which = f"line{'s' * (len(match.lines) > 1)} {', '.join(map(str, match.lines))}"
        return f"this is {told}, and so is {which}"
    return f"this may be {told}: give the id"


def _nearest(side: Sides, row: PrintedRow, players: Sequence[str]) -> str:
    """Names like this one, as a hint."""
    if not players:
        return "nobody of ours has this name, or one like it"
    told = "; or ".join(_described(side, one, row) for one in players)
    return f"nobody of ours has this name; the nearest: {told}"


def _described(side: Sides, player: str, row: PrintedRow) -> str:
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


def _ours(side: Sides) -> Iterator[Row]:
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


def _absent(side: Sides, player: str, nanopoints: int) -> Cause:
    """Why a player of ours may be missing there."""
    if player in side.lost:
        return Cause(MISSING, f"all the points are of {side.lost[player]}, which other lines lack")
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
