"""Compare a printed list with ours, and explain each difference that the facts can explain."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, NamedTuple

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import msg
from palmares.core.rounding import divided_half_up, exact_text, points_text
from palmares.facts import Facts
from palmares.facts.text import squeezed
from palmares.formats.printed_lists import RULES, PrintedList, PrintedPoints, PrintedRow
from palmares.points import ledger
from palmares.points.award_table import PublicPlayer, in_points, people
from palmares.points.awards import Awards, Question, Waiting, award
from palmares.points.rankings import Selection, award_worths, entering, refuse_nonsense

# ── our list, and how theirs is rounded ───────────────────────────────────────────────────────────

MAX_PLACES = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class OurList:
    """Our list, and the rounding rules under which most of their lines fit."""

    frame: pl.DataFrame  # the ranking
    weights: Mapping[str, int]  # by player: nanopoints times parts
    counts: Mapping[str, int]  # of awards by player
    parts: int
    latest: bool  # whether the latest award replaces those before
    rules: tuple[str, ...]  # of `palmares.formats.printed_lists.RULES`, under which most fit
    lines: int  # of theirs that fit
    places: int  # decimals of their list

    @property
    def rule(self) -> str:
        """The rounding rule of their list, as far as it fits."""
        return self.rules[0]

    def bounds(self, player_id: str, row: PrintedRow, rule: str = "") -> tuple[int, int]:
        """The least and the greatest weight that are printed as in a line."""
        return row.points.bounds(rule or self.rule, self.parts, self.counts.get(player_id, 1))

    def fits(self, player_id: str, row: PrintedRow) -> bool:
        """Whether a line has our number of a player."""
        return _fits(self.weights, player_id, self.bounds(player_id, row))

    def points(self, weight: int) -> str:
        """A weight as points, with the decimals of their list."""
        return points_text(divided_half_up(weight, self.parts), min(MAX_PLACES, self.places))


def our_list(
    awards: Awards, selection: Selection, lines: Sequence[tuple[str, PrintedRow]], places: int
) -> OurList:
    """Our list, and how their list is rounded.

    Args:
        awards: of all players.
        selection: the day, and which awards count.
        lines: of their list, with the ids of their players.
        places: decimals of their list.
    """
    book, latest = ledger.ledger(awards), awards.question.aggregate.latest
    frame = ledger.ranking(book, selection).frame
    totals, parts = ledger.player_totals(book, selection)
    ids, on_list = book.players["player_id"], set(frame["player_id"])
    weights = {
        player: total
        for player, total in zip(ids, totals.tolist(), strict=True)
        if player in on_list
    }
    counts = selection.apply(awards.frame).group_by("player_id").len()
    many = {} if latest else dict(counts.iter_rows())
    fitting = {
        rule: sum(
            _fits(weights, player, row.points.bounds(rule, parts, many.get(player, 1)))
            for player, row in lines
        )
        for rule in RULES
    }
    most = max(fitting.values())
    return OurList(
        frame=frame,
        weights=weights,
        counts=many,
        parts=parts,
        latest=latest,
        rules=tuple(rule for rule in RULES if fitting[rule] == most),
        lines=most,
        places=places,
    )


def _fits(weights: Mapping[str, int], player_id: str, bounds: tuple[int, int]) -> bool:
    return player_id in weights and bounds[0] <= weights[player_id] <= bounds[1]


# ── match their lines to our players, by exact ids and names ──────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMatch:
    """The player of a line, or why they are unknown."""

    player_id: str | None = None
    how: str = ""  # a key of `MATCH_KEYS`; empty: not found
    several: tuple[str, ...] = ()  # ids of players it may be
    lines: tuple[int, ...] = ()  # other lines of the same player


class _Identity(NamedTuple):
    """What is compared of a player and of a line."""

    id: str | None
    name: str | None  # none: withheld
    nation: str | None


MATCH_KEYS: Mapping[str, Callable[[_Identity], object]] = {
    "id": lambda who: who.id,
    "name and nation": lambda who: (who.name, who.nation) if who.name and who.nation else None,
    "name": lambda who: who.name,
    "name in other letters": lambda who: who.name.casefold() if who.name else None,
}
"""How lines are matched, the surest way first; each must fit exactly one player."""


def match_rows(
    rows: Sequence[PrintedRow], facts: Facts, with_awards: Collection[str]
) -> tuple[PlayerMatch, ...]:
    """Match each line to a player.

    Args:
        rows: of a printed list.
        facts: with our players; withheld names are not compared.
        with_awards: ids of players with awards; others are compared if none of these fits.
    """
    people = _people(facts)
    pools = (
        [person for person in people if person.id in with_awards],
        [person for person in people if person.id not in with_awards],
    )
    matches: list[PlayerMatch | None] = [None] * len(rows)
    row_of: dict[str, int] = {}  # by player
    for pool in pools:
        for how, key in MATCH_KEYS.items():
            _match_by(how, key, rows, pool, matches, row_of)
    return tuple(match or PlayerMatch() for match in matches)


def _people(facts: Facts) -> list[_Identity]:
    columns = ("player_id", "name", "nation", "withheld")
    return [
        _Identity(player, None if withheld else squeezed(name), nation)
        for player, name, nation, withheld in facts.tables["players"].select(columns).iter_rows()
    ]


def _match_by(
    how: str,
    key: Callable[[_Identity], object],
    rows: Sequence[PrintedRow],
    pool: Iterable[_Identity],
    matches: list[PlayerMatch | None],
    row_of: dict[str, int],
) -> None:
    """Match the lines that have no player yet by one key."""
    players: dict[object, list[str]] = {}
    for person in pool:
        if (value := key(person)) is not None:
            players.setdefault(value, []).append(str(person.id))
    proposed: dict[int, str] = {}
    for number, row in enumerate(rows):
        fits = players.get(key(_Identity(row.id, squeezed(row.name), row.nation)), [])
        if matches[number] is not None or not fits:
            continue
        if len(fits) > 1:
            matches[number] = PlayerMatch(several=tuple(sorted(fits)))
        elif fits[0] in row_of:
            matches[number] = PlayerMatch(several=(fits[0],), lines=(rows[row_of[fits[0]]].line,))
        else:
            proposed[number] = fits[0]
    often = Counter(proposed.values())
    for number, player in proposed.items():
        if often[player] == 1:
            matches[number] = PlayerMatch(player_id=player, how=how)
            row_of[player] = number
            continue
        others = (
            rows[other].line for other in proposed if proposed[other] == player and other != number
        )
        matches[number] = PlayerMatch(several=(player,), lines=tuple(others))


# ── why points differ, if one award or another rounding explains it ───────────────────────────────

MISSING, EXTRA = "award missing", "award extra"
HARMLESS = "below their list"
FOLLOWS = "rank follows"

CAUSES = {
    "rounding": "the number is ours, printed by another rule than the rest of the list",
    MISSING: "without one award, our number is theirs",
    EXTRA: "with one award that we do not count, or count once, our number is theirs",
    "ties counted otherwise": "the points are ours; equal points are ranked in another way",
    FOLLOWS: msg("the points are ours; the rank is that of the points on their own list"),
    "rank alone": msg(
        "the points are ours; the rank follows neither from our points nor from theirs"
    ),
    "unknown player": "we have no player with this name or id",
    "unclear player": "the name fits several of our players, or two of their lines fit one of our"
    " players",
    "nothing counts": "the player is known, but has no award that counts",
    "not on their list": "we list the player, they do not",
    HARMLESS: "we list the player, with fewer points than anyone on their list",
    "unexplained": "neither another rounding nor one award makes the number fit",
}
"""Every cause of a difference."""

MAX_AWARDS = 8  # listed for a line that stays unexplained
GRACE = timedelta(days=31)  # results so long after the day of a list may be on theirs


class LineCause(NamedTuple):
    """Why a line differs: one of `CAUSES`, and a sentence."""

    key: str
    detail: str


class PlayerAward(NamedTuple):
    """An award of a player, in nanopoints times parts."""

    flight: tuple[str, str]  # the ids of the event and of its flight
    event: str
    where: str  # the flight, and the kind if there are several
    tournament: str
    effective: date
    weight: int  # on the day; in full if it has faded, or does not count yet
    why: str  # why it does not count; empty if it does

    def text(self, ours: OurList) -> str:
        """The award in words."""
        more = f", {self.why}" if self.why else ""
        return f"{self.event} of {self.tournament} ({self.where}: {ours.points(self.weight)}{more})"


def awards_of(
    awards: Awards, facts: Facts, selection: Selection, ours: OurList, players: Sequence[str]
) -> dict[str, list[PlayerAward]]:
    """All awards of some players, whether they count or not, in the order of time."""
    soon = pl.col("effective") - GRACE <= selection.as_of  # there is a last day of all
    theirs = awards.frame.filter(pl.col("player_id").is_in(players), soon).sort("order")
    theirs = theirs.with_row_index("row")
    left = award_worths(awards.question, theirs, Selection(as_of=selection.as_of))
    left = left.select("row", "weight", parts_of="parts")
    rows = theirs.with_columns(selection.counts().alias("counts")).join(left, on="row", how="left")
    names = dict(facts.tables["tournaments"].select("tournament_id", "name").iter_rows())
    several = len(awards.question.get_regulation().kinds) > 1
    awards_by_player: dict[str, list[PlayerAward]] = {player: [] for player in players}
    for row in rows.sort("row").iter_rows(named=True):
        weight = row["nanopoints"] * ours.parts
        if row["weight"] is not None:
            weight = row["weight"] * ours.parts // row["parts_of"]
        words = (row["flight"], row["kind"] if several else "")
        awards_by_player[row["player_id"]].append(
            PlayerAward(
                flight=(row["event_id"], row["flight"]),
                event=row["event"],
                where=", ".join(word for word in words if word),
                tournament=names.get(row["tournament_id"], row["tournament_id"]),
                effective=row["effective"],
                weight=weight,
                why=_why(row, selection, latest=ours.latest),
            )
        )
    return awards_by_player


def _why(row: Mapping[str, Any], selection: Selection, *, latest: bool) -> str:
    """Why an award does not count; empty if it does."""
    if row["effective"] > selection.as_of:
        return f"which counts from {row['effective']} only"
    if not row["counts"]:
        return "which was not asked for"
    return "" if latest or row["weight"] is not None else "in full, though nothing of it is left"


def flights_of_differing(
    awards: Awards, selection: Selection, fitting: Collection[str], differ: Collection[str]
) -> Collection[tuple[str, str]]:
    """The flights of which several lines have points, and none of these lines fits.

    Of one line it may be chance, and so it may be where most lines differ: then there are none.

    Args:
        awards: of all players.
        selection: which count.
        fitting: players whose lines have our numbers.
        differ: players whose lines have others.
    """
    if len(fitting) <= len(differ):
        return ()
    rows = selection.apply(awards.frame)["player_id", "event_id", "flight"].unique()
    fits = rows.filter(pl.col("player_id").is_in(list(fitting)))
    others = rows.filter(pl.col("player_id").is_in(list(differ)))
    flights = others.join(fits, on=["event_id", "flight"], how="anti")
    several = flights.group_by("event_id", "flight").len().filter(pl.col("len") > 1)
    return set(several["event_id", "flight"].iter_rows())


def cause_of(
    ours: OurList,
    awards: Sequence[PlayerAward],
    player: str,
    row: PrintedRow,
    differing: Collection[tuple[str, str]],
) -> LineCause:
    """Why the points of a line are not those of its player.

    Args:
        ours: our list.
        awards: of the player.
        player: of the line.
        row: the line.
        differing: of `flights_of_differing`.
    """
    find = _earlier_rating if ours.latest else _one_award
    return (
        _rounding(ours, player, row)
        or find(ours, awards, player, row)
        or LineCause(
            "unexplained" if player in ours.weights else "nothing counts",
            _differing_in_words(ours, awards, differing) or _awards_in_words(ours, awards),
        )
    )


def _rounding(ours: OurList, player: str, row: PrintedRow) -> LineCause | None:
    """Their number is ours under another rounding rule."""
    if player not in ours.weights:
        return None
    weight = ours.weights[player]
    for rule, words in RULES.items():
        low, high = ours.bounds(player, row, rule)
        if low <= weight <= high:
            exact = exact_text(divided_half_up(weight, ours.parts))
            usual = RULES[ours.rule]
            return LineCause("rounding", f"{exact} is {words} here; most of the list is {usual}")
    return None


def _earlier_rating(
    ours: OurList, awards: Sequence[PlayerAward], player: str, row: PrintedRow
) -> LineCause | None:
    """Their number is the rating after another event."""
    low, high = ours.bounds(player, row)
    fits = [award for award in awards if low <= award.weight <= high]
    if not fits:
        return None
    last = fits[-1]
    after = "which does not count here" if last.why else "what came later is missing"
    return LineCause(
        EXTRA if last.why else MISSING,
        f"their rating is the one after {last.event} ({last.effective}); {after}",
    )


def _one_award(
    ours: OurList, awards: Sequence[PlayerAward], player: str, row: PrintedRow
) -> LineCause | None:
    """Their number is ours with one more award, or without one."""
    if not ours.places:  # in whole numbers, some award fits by chance
        return None
    low, high = ours.bounds(player, row)
    weight = ours.weights.get(player, 0)
    causes = []
    for candidate in awards:
        text = candidate.text(ours)
        if low <= weight + candidate.weight <= high:
            again = "" if candidate.why else " counted twice"
            causes.append(LineCause(EXTRA, f"with {text}{again}"))
        if not candidate.why and low <= weight - candidate.weight <= high:
            causes.append(LineCause(MISSING, f"without {text}"))
    return causes[0] if len(causes) == 1 else None


def _differing_in_words(
    ours: OurList, awards: Sequence[PlayerAward], differing: Collection[tuple[str, str]]
) -> str:
    """The awards of flights of which no line fits; empty: there are none."""
    if ours.latest:  # a rating follows from all those before it
        return ""
    texts = [award.text(ours) for award in awards if not award.why and award.flight in differing]
    if not texts:
        return ""
    return msg("look at %(awards)s: no line with points of it fits", awards="; ".join(texts))


def _awards_in_words(ours: OurList, awards: Sequence[PlayerAward]) -> str:
    """The awards that we have, for a person to check."""
    counted = [award for award in awards if not award.why]
    if not awards:
        return "no award of this player is among our facts"
    if not counted:
        return f"we have: {'; '.join(award.text(ours) for award in awards[-MAX_AWARDS:])}"
    if ours.latest:
        return f"our number is the one after {counted[-1].text(ours)}"
    counted.sort(key=lambda award: -abs(award.weight))
    more = f"; and {len(counted) - MAX_AWARDS} more" if len(counted) > MAX_AWARDS else ""
    return f"we have {'; '.join(award.text(ours) for award in counted[:MAX_AWARDS])}{more}"


# ── rows: each player's ranks and points on both lists, and why they differ ───────────────────────

STATUSES = {
    "same": "rank and points are ours",
    "differs": "rank or points are not ours",
    "only theirs": "not on our list",
    "only ours": "not on theirs",
    "unclear": "it may be several of our players",
}
"""The statuses of players."""

KEYS = (
    *("status", "player_id", "player", "nation", "line", "their_rank", "our_rank"),
    *("their_points", "our_points", "difference", "cause", "detail"),
)
IN_POINTS = ("their_points", "our_points", "difference")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A player of either list."""

    status: str  #: one of ``STATUSES``
    player: str
    line: int | None = None  #: of their file
    player_id: str | None = None
    nation: str | None = None
    their_rank: int | None = None
    our_rank: int | None = None
    theirs: PrintedPoints | None = None
    our_points: int | None = None  #: in nanopoints
    cause: str = ""  #: one of ``palmares.lists.compare.CAUSES``
    detail: str = ""

    @property
    def their_points(self) -> int | None:
        """Their points, in nanopoints."""
        return self.theirs.nanopoints if self.theirs else None

    @property
    def difference(self) -> int | None:
        """Their points minus ours, in nanopoints."""
        if self.their_points is None or self.our_points is None:
            return None
        return self.their_points - self.our_points

    @property
    def matters(self) -> bool:
        """Whether it is a difference; their list may end before ours."""
        return self.status != "same" and self.cause != HARMLESS

    @property
    def is_listed(self) -> bool:
        """Whether it is a difference that does not follow from others."""
        return self.matters and self.cause != FOLLOWS


def row_values(row: Row) -> dict[str, Any]:
    """The columns of a row, points in nanopoints."""
    return {name: getattr(row, name) for name in KEYS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What rows are made from."""

    pairs: Sequence[tuple[PrintedRow, PlayerMatch]]
    ours: OurList
    our_rows: Mapping[str, Mapping[str, Any]]  # of our list, by player
    awards: Mapping[str, Sequence[PlayerAward]]  # of players whose lines differ
    differing: Collection[tuple[str, str]]  # of `flights_of_differing`
    people: Mapping[str, PublicPlayer]
    theirs: Sequence[int]  # nanopoints on their list, ascending


# ── their lines ──────────────────────────────────────────────────────────────────────────────────


def rows(side: Sides) -> Iterator[Row]:
    """The rows of their lines in order, then of the players only on our list."""
    on_theirs: set[str | None] = set()
    for row, match in side.pairs:
        on_theirs.update((match.player_id, *match.several))
        if match.player_id is None:
            yield _unknown(side, row, match)
        else:
            yield _known(side, row, match.player_id)
    for player, mine in side.our_rows.items():
        if player not in on_theirs:
            yield _only_ours(side, player, mine)


def _known(side: Sides, row: PrintedRow, player: str) -> Row:
    """The row of a line with a known player."""
    mine = side.our_rows.get(player)
    cause: LineCause | None = None
    if not side.ours.fits(player, row):
        cause = cause_of(side.ours, side.awards[player], player, row, side.differing)
    elif mine and row.rank and row.rank != mine["rank"]:
        cause = _rank(side, row, row.rank)
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
        our_points=mine["nanopoints"] if mine else None,
        cause=cause.key if cause else "",
        detail=cause.detail if cause else "",
    )


def _rank(side: Sides, row: PrintedRow, rank: int) -> LineCause:
    """Why only the rank differs: equal points on their own list have these places."""
    points = row.points.nanopoints
    above = len(side.theirs) - bisect_right(side.theirs, points)
    shared_by = len(side.theirs) - above - bisect_left(side.theirs, points)
    dense = len(set(side.theirs[bisect_right(side.theirs, points) :])) + 1
    if rank == above + 1:
        return LineCause(FOLLOWS, CAUSES[FOLLOWS])
    if dense <= rank <= above + shared_by:
        return LineCause(
            "ties counted otherwise",
            f"players with equal points share the best place: {above + 1} for the {shared_by} with"
            " these points on their list",
        )
    return LineCause("rank alone", CAUSES["rank alone"])


def _unknown(side: Sides, row: PrintedRow, match: PlayerMatch) -> Row:
    """The row of a line without a known player."""
    if match.several:
        key, status, detail = "unclear player", "unclear", _several(side, row, match)
    else:
        key, status = "unknown player", "only theirs"
        detail = msg("we have no player with this name")
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


def _several(side: Sides, row: PrintedRow, match: PlayerMatch) -> str:
    """Which of our players it may be, or which other lines are theirs."""
    players = " or ".join(_described(side, player, row) for player in match.several)
    if match.lines:
        which = f"line{'s' * (len(match.lines) > 1)} {', '.join(map(str, match.lines))}"
        return f"this is {players}, and so is {which}"
    return f"this may be {players}: give the id"


def _described(side: Sides, player: str, row: PrintedRow) -> str:
    """One of our players in words: name, id, points."""
    person = side.people[player]
    name = f"{person.name} ({person.nation})" if person.nation else person.name
    mine = side.our_rows.get(player)
    if mine is None:
        return f"{name} [{player}], not on our list"
    points = points_text(mine["nanopoints"], min(MAX_PLACES, side.ours.places))
    as_theirs = ", as they print" * side.ours.fits(player, row)
    return f"{name} [{player}] with {points}{as_theirs}"


def _only_ours(side: Sides, player: str, mine: Mapping[str, Any]) -> Row:
    """The row of a player only on our list."""
    harmless = mine["nanopoints"] < side.theirs[0]
    return Row(
        status="only ours",
        player=mine["player"],
        player_id=player,
        nation=mine["nation"],
        our_rank=mine["rank"],
        our_points=mine["nanopoints"],
        cause=HARMLESS if harmless else "not on their list",
    )


# ── a comparison ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A printed list and ours, compared."""

    question: Question  #: of our list
    selection: Selection  #: of our list
    printed: PrintedList
    ours: OurList
    rows: tuple[Row, ...]  #: their lines in order, then the players only on our list
    notices: tuple[Problem, ...]
    waiting: tuple[Waiting, ...]  #: events that are missing in our list

    def published(self) -> pl.DataFrame:
        """A row for each player: status, ranks and points of both lists, cause and detail."""
        schema: dict[str, Any] = dict.fromkeys(KEYS, pl.String)
        schema |= dict.fromkeys(("line", "their_rank", "our_rank"), pl.Int64)
        schema |= dict.fromkeys(IN_POINTS, pl.Int64)
        frame = pl.DataFrame(list(map(row_values, self.rows)), schema=schema)
        return frame.with_columns(in_points(frame[name]).alias(name) for name in IN_POINTS)

    @property
    def agrees(self) -> bool:
        """Whether their list is the same as ours, down to its end."""
        return not any(row.matters for row in self.rows)


def compare(
    question: Question, facts: Facts, selection: Selection, printed: PrintedList
) -> Comparison:
    """Compare a printed list with ours.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        selection: the day, and which awards count.
        printed: their list.

    Raises:
        Refused: the regulation has no such list.
        FactsRejected: facts are missing that a formula needs.
    """
    refuse_nonsense(question, selection, "player")
    awards = award(question, facts, terms=False)
    matches = match_rows(printed.rows, facts, set(awards.frame["player_id"]))
    pairs = list(zip(printed.rows, matches, strict=True))
    lines = [(match.player_id, row) for row, match in pairs if match.player_id]
    ours = our_list(awards, selection, lines, printed.places)
    differ = [player for player, row in lines if not ours.fits(player, row)]
    sides = Sides(
        pairs=pairs,
        ours=ours,
        our_rows={row["player_id"]: row for row in ours.frame.iter_rows(named=True)},
        awards=awards_of(awards, facts, selection, ours, differ),
        differing=flights_of_differing(
            awards, selection, {player for player, _ in lines}.difference(differ), differ
        ),
        people=people(facts),
        theirs=sorted(row.points.nanopoints for row in printed.rows),
    )
    return Comparison(
        question=question,
        selection=selection,
        printed=printed,
        ours=ours,
        rows=tuple(rows(sides)),
        notices=awards.notices,
        waiting=entering(question, selection, awards.waiting),
    )


def tally(comparison: Comparison) -> Counter[str]:
    """How many players have each status; `HARMLESS` and `FOLLOWS` are counted apart."""
    return Counter(
        row.cause if row.cause in (HARMLESS, FOLLOWS) else row.status for row in comparison.rows
    )
