"""Points and ranks of players over time, and their curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import chain, dropwhile, groupby
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.core.errors import FactsRejected, NotCovered, Refused
from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import Nanopoints
from palmares.facts.text import visible
from palmares.journal.projection.project import State, Statement, rewound
from palmares.journal.store.entries import (
    Entry,
    Merge,
    Override,
    Rate,
    Undo,
    body_of,
    tables_of,
)
from palmares.journal.store.journal import Journal, Reader
from palmares.lists.diff import Listing, changes_between
from palmares.lists.figures.movement import (
    Earlier,
    EarlierList,
    corrections,
    published_list,
)
from palmares.lists.figures.players import day_totals
from palmares.lists.figures.rows import RowFigures, row_figures
from palmares.lists.live import JournalAwards
from palmares.lists.publication import manifests
from palmares.lists.publication.manifests import Manifest
from palmares.points.awards import Question
from palmares.points.history import days
from palmares.points.ledger import DayTotals, order_totals, ranks_by_number
from palmares.points.rankings import Selection
from palmares.render.entries import words_of_override
from palmares.web.http.state import SingleFlightCache, Snapshot, cached
from palmares.web.shared.lists import A_YEAR, moved_since, published_days
from palmares.web.shared.names import PlayerChange, merged_into, shown_player, with_name
from palmares.web.shared.results import ResultRow, fading, player_results

MONTHS, TREND = 240, 13
"""Ends of months in a player's history; points of the curve beside a name: a year and the day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPoint:
    """Points and rank at the end of a month, or on the last day."""

    day: date
    nanopoints: Nanopoints
    rank: int | None  # none: not on the list


@cached
def rank_history(
    snapshot: Snapshot, regulation: str, player: str, until: date
) -> tuple[HistoryPoint, ...]:
    """A player's points and rank at the end of every month, and on a day; the latest last.

    It begins when they were first on the list.
    """
    theirs = player_results(snapshot, regulation, player)
    first = min((result.effective for result in theirs.results), default=until)
    if theirs.number is None or first > until:
        return ()
    on = list(days(first, until, "month"))[-MONTHS:]
    ranks = [int(_month(snapshot, regulation, day)[theirs.number]) for day in on[:-1]]
    ranks.append(totals_on(snapshot, regulation, until).rank(theirs.number) or 0)
    months = dropwhile(lambda month: not month[1], zip(on, ranks, strict=True))
    return tuple(
        HistoryPoint(day=day, nanopoints=theirs.nanopoints(day), rank=rank or None)
        for day, rank in months
    )


def _month(snapshot: Snapshot, regulation: str, day: date) -> Any:
    """All ranks at the end of a month, by player number; 0: not on the list."""
    ranks_by_day: dict[date, Any] = snapshot.once(("ranks of months", regulation), dict)
    if day not in ranks_by_day:
        book = snapshot.awards(regulation).ledger
        ranks_by_day[day] = ranks_by_number(book, Selection(as_of=day))
    return ranks_by_day[day]


DAYS = 40
"""Days of a regulation whose totals are cached: anybody may ask for any day."""


def totals_on(snapshot: Snapshot, regulation: str, day: date) -> DayTotals:
    """All totals on a day; a day to come assumes that no result is added."""
    by_day = snapshot.once(("totals on", regulation), lambda: SingleFlightCache(DAYS))
    return by_day.once(day, lambda: day_totals(snapshot.awards(regulation), day))


def ranks_on(snapshot: Snapshot, regulation: str, selection: Selection) -> Any:
    """All ranks of a list of players, by player number; 0: not on it."""
    lists = snapshot.once(("ranks on", regulation), lambda: SingleFlightCache(DAYS))
    given = snapshot.awards(regulation)
    return lists.once(selection, lambda: ranks_by_number(given.ledger, selection))


def numbers_of(given: JournalAwards, players: pl.Series) -> pl.Series:
    """The numbers of some players who have or had awards, ascending."""
    return given.names.players["player_id"].is_in(players.implode()).arg_true()


def figures_of(
    snapshot: Snapshot, regulation: str, selection: Selection, numbers: pl.Series
) -> Mapping[str, RowFigures]:
    """What the points of some players on a list come from, by player, for their numbers.

    Made once, as rows are opened one by one.
    """
    day, given = selection.as_of, numbers.to_numpy()
    months = tuple(days(day - A_YEAR, day, "month"))[-TREND:]
    return snapshot.lists.once(
        ("figures", regulation, selection, given.tobytes()),
        lambda: row_figures(
            snapshot.awards(regulation), given, selection, months, fading(snapshot, regulation)
        ),
    )


def ranks_of_nation(
    snapshot: Snapshot, regulation: str, day: date, nation: str
) -> tuple[pl.Series, Any]:
    """The players of a nation on the list of a day, in its order: their IDs and national ranks."""
    given = snapshot.awards(regulation)
    everyone = np.arange(len(given.names.players))
    nations = snapshot.once(
        ("nations of players", regulation), lambda: given.people(everyone)["nation"]
    )
    theirs = (nations == nation).arg_true()
    totals = totals_on(snapshot, regulation, day)
    own, ranks, _ = order_totals(
        totals.exact[theirs.to_numpy()], totals.parts, latest=totals.latest
    )
    return given.names.players["player_id"].gather(theirs.gather(own)), ranks


def earlier(
    journal: Journal, snapshot: Snapshot, regulation: str, day: date, today: date
) -> Earlier:
    """The list that movement up to a day is measured from, as `moved_since` has it."""
    since, entry = moved_since(snapshot, regulation, day, today)
    if entry is None:
        return totals_on(snapshot, regulation, since)
    return official_list(snapshot, journal, regulation, since)


@cached
def published_manifest(_: Snapshot, journal: Journal, entry: int) -> Manifest:
    """The manifest of the list that an entry published."""
    with journal.reading() as reader:
        return manifests.manifest_of_entry(reader.entry(entry))


@cached
def official_frame(
    snapshot: Snapshot, journal: Journal, regulation: str, day: date, by: str
) -> pl.DataFrame:
    """The rows of the list of players or nations that was published for a day."""
    entry = published_days(snapshot, regulation, by)[day]
    return published_manifest(snapshot, journal, entry).publication.frame()


def nation_ranks(
    journal: Journal, snapshot: Snapshot, regulation: str, selection: Selection, entry: int | None
) -> Mapping[str, int]:
    """The ranks of nations on an earlier list: as an entry published it, else as known now."""
    if entry:
        frame = official_frame(snapshot, journal, regulation, selection.as_of, "nation")
    else:
        frame = snapshot.ranking(regulation, selection, by="nation").frame
    return dict(frame.select("nation", "rank").iter_rows())


@cached
def official_list(snapshot: Snapshot, journal: Journal, regulation: str, day: date) -> EarlierList:
    """The list of players that was published for a day, as it was published."""
    entry = published_days(snapshot, regulation)[day]
    head = published_manifest(snapshot, journal, entry).publication.head
    frame = official_frame(snapshot, journal, regulation, day, "player")
    return published_list(frame, day, head.sequence if head else 0, merged_into(snapshot))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPlayer(PlayerChange):
    """A player whose points on the last official list would differ today."""

    tournament_id: str | None  # the first that was reported again
    tournament: str | None
    what: tuple[str, ...]  # was changed there, in words; empty: nothing that an entry says


def corrected_players(
    journal: Journal,
    snapshot: Snapshot,
    regulation: str,
    published: EarlierList,
    today: EarlierList | None = None,
) -> tuple[CorrectedPlayer, ...]:
    """The players whose points on an official list would differ today, the largest change first.

    Args:
        journal: where reasons are read.
        snapshot: what is known.
        regulation: of the list.
        published: the list as it was published.
        today: the same list as it is known now; none: that of all players and results.
    """
    corrected = corrections(snapshot.awards(regulation), published, today)
    if not corrected:
        return ()
    names = dict(snapshot.facts["tournaments"].select("tournament_id", "name").iter_rows())
    since, rows, what = published.last_entry or 0, [], dict[str, tuple[str, ...]]()
    undone, gone = _taken_back(journal, snapshot, since)
    ids = [correction.player_id for correction in corrected]
    of_others = _words_of_other_causes(journal, snapshot, regulation, published, ids)
    for correction in corrected:
        theirs = (*correction.tournaments, *gone.get(correction.player_id, ()))
        for tournament in theirs:
            if tournament not in what:
                values = corrected_values(snapshot, tournament, since)
                what[tournament] = (*values, *undone.get(tournament, ()))
        first = next(iter(theirs), None)
        rows.append(
            with_name(
                CorrectedPlayer,
                snapshot,
                correction,
                change=correction.nanopoints - correction.nanopoints_before,
                tournament_id=first,
                tournament=names.get(first, first),
                what=(
                    *chain.from_iterable(what[each] for each in dict.fromkeys(theirs)),
                    *of_others.get(correction.player_id, ()),
                ),
            )
        )
    return tuple(rows)


def corrected_values(snapshot: Snapshot, tournament: str, since: int) -> tuple[str, ...]:
    """What was changed in a tournament after an entry, in words, the earliest first.

    Of a report that replaces another it says only that, of an override also why, as the officer
    wrote. Names are those that may be shown.
    """
    state = snapshot.projection.state
    later = sorted(
        (
            statement
            for group in ("tournaments", "overrides")
            for statement in state.not_undone(group, tournament)
            if statement.sequence > since and statement.kind != "withdrawal"
        ),
        key=lambda statement: statement.sequence,
    )
    return tuple(_with_reason(snapshot, tournament, statement) for statement in later)


def _with_reason(snapshot: Snapshot, tournament: str, statement: Statement) -> str:
    words = statement_words(snapshot, tournament, statement)
    if statement.kind != "override":
        return words
    return msg("%(what)s (%(reason)s)", what=words, reason=_in_brackets(statement.body.reason))


def _in_brackets(reason: str) -> str:
    return visible(reason).removesuffix(".")


def statement_words(snapshot: Snapshot, tournament: str, statement: Statement) -> str:
    """What one report, withdrawal or override changed in a tournament, in words."""
    if statement.kind == "override":
        body: Override = statement.body
        players = [body.row[key] for key in body.row if key == "player_id"]
        if body.player is not None:
            players += [body.player.before, body.player.after]
        return words_of_override(tournament, body, names_of(snapshot, map(str, players)))
    name = names_of(snapshot).get(tournament, tournament)
    if statement.kind == "withdrawal":
        return msg("%(tournament)s was withdrawn", tournament=name)
    first = snapshot.projection.state.not_undone("tournaments", tournament)[0]
    if statement.sequence == first.sequence:
        return msg("%(tournament)s was reported", tournament=name)
    return msg("%(tournament)s was reported again", tournament=name)


def names_of(snapshot: Snapshot, players: Iterable[str] = ()) -> Mapping[str, str]:
    """The names of tournaments and events, and those of some players that may be shown, by id."""
    names = _names(snapshot)
    who = {each: shown_player(snapshot, each).player for each in players}
    return {**names, **who} if who else names


def _taken_back(
    journal: Journal, snapshot: Snapshot, since: int
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    """What was withdrawn or undone after an entry.

    Returns:
        In words by tournament what was, and why; and the tournaments of which a report counts no
        more, by the players of the report.
    """
    about = _entries_taken_back(snapshot.projection.state, since)
    names = {**_names(snapshot)}
    words, players = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    if not about:
        return words, players
    with journal.reading() as reader:
        for entry in reader.by_number(about):
            tournament = about[entry.sequence]
            if entry.kind == "report":
                tables = tables_of(entry)
                names.setdefault(tournament, next(iter(tables["tournaments"]["name"]), tournament))
                for player in dict.fromkeys(tables.get("placings", {}).get("player_id", ())):
                    players[merged_into(snapshot).get(player, player)].append(tournament)
            elif entry.sequence > since and entry.kind in _TAKEN_BACK:
                taken_back = msg(
                    _TAKEN_BACK[entry.kind],
                    tournament=names.get(tournament, tournament),
                    reason=_in_brackets(body_of(entry).reason),
                )
                words[tournament].append(taken_back)
    return words, players


def _entries_taken_back(state: State, since: int) -> Mapping[int, str]:
    """What was withdrawn or undone after an entry, and by which entries: tournaments by entry."""
    about: dict[int, str] = {}
    for group in ("tournaments", "overrides"):
        for tournament, statements in state.group(group).items():
            last = statements[-1]
            withdrawn = last.kind == "withdrawal" and not state.is_undone(last.sequence)
            if withdrawn and last.sequence > since:
                about |= {each.sequence: tournament for each in statements}
            for statement in statements if state.undos else ():
                later = [by for by in state.undos.get(statement.sequence, ()) if by > since]
                if later and statement.sequence <= since and state.is_undone(statement.sequence):
                    about |= {statement.sequence: tournament, later[-1]: tournament}
    return about


_TAKEN_BACK = {
    "withdrawal": msg("%(tournament)s was withdrawn (%(reason)s)"),
    "undo": msg("an entry of %(tournament)s was undone (%(reason)s)"),
}


OTHER_CAUSES = {"merge": "merges", "membership": "memberships", "rate": "rates"}
"""Causes of changes that are no report, and the groups of their entries."""


def _words_of_other_causes(
    journal: Journal,
    snapshot: Snapshot,
    regulation: str,
    published: EarlierList,
    players: Collection[str],
) -> Mapping[str, Iterable[str]]:
    """What merges, memberships and rates changed the points of some players, in words by player."""
    now, since, words = (
        snapshot.projection,
        published.last_entry or 0,
        defaultdict[str, dict[str, None]](dict),
    )
    later = range(since + 1, now.state.sequence + 1)
    groups = {place[0] for place, _ in now.state.places_of(set(now.state.roots(later)))}
    if groups.isdisjoint(OTHER_CAUSES.values()):
        return words
    question, selection = Question(regulation=regulation), Selection(as_of=published.day)
    # Where no list can be made of that time, the page of changes says why.
    with suppress(FactsRejected, NotCovered, Refused), journal.reading() as reader:
        then = Listing(
            question=question, projection=rewound(now, since, reader), selection=selection
        )
        last = Listing(
            question=question, projection=now, selection=selection, kept=snapshot.awards(regulation)
        )
        for change in changes_between(then, last, reader).of(reader, players):
            for part in change.parts:
                if part.cause in OTHER_CAUSES:
                    entries = reader.by_number([each.sequence for each in part.entries])
                    words[change.player_id] |= {
                        _entry_words(snapshot, reader, entry): None for entry in entries
                    }
    return words


def _entry_words(snapshot: Snapshot, reader: Reader, entry: Entry) -> str:
    """What a merge, a membership, a rate or an undo of one changed, in words."""
    match body := body_of(entry):
        case Undo():
            undone = _entry_words(snapshot, reader, reader.entry(body.undoes))
            reason = _in_brackets(body.reason)
            return msg("%(what)s: undone (%(reason)s)", what=undone, reason=reason)
        case Rate():
            unit, euro = (body.currency, "EUR") if body.eur_per_unit else ("EUR", body.currency)
            number = LocalNumber(body.eur_per_unit or body.units_per_eur)
            return msg(
                "exchange rate of %(day)s: 1 %(unit)s = %(number)s %(other)s",
                day=LocalNumber(body.date), unit=unit, number=number, other=euro,
            )  # fmt: skip
        case Merge():
            player = names_of(snapshot, [body.player_id])[body.player_id]
            reason = _in_brackets(body.reason)
            return msg(
                "two records of %(player)s became one (%(reason)s)", player=player, reason=reason
            )
    player = names_of(snapshot, [body.player_id])[body.player_id]
    return msg(
        "membership of %(player)s in %(federation)s from %(day)s",
        player=player,
        federation=visible(body.federation),
        day=LocalNumber(body.start),
    )


@cached
def _names(snapshot: Snapshot) -> Mapping[str, str]:
    """The names of all tournaments and events by id."""
    return {
        key: name
        for table, column in (("tournaments", "tournament_id"), ("events", "event_id"))
        for key, name in snapshot.facts[table].select(column, "name").iter_rows()
    }


WIDTH, TOP, POINTS_HEIGHT, RANKS_HEIGHT = 1000, 8, 182, 82
"""Lines are drawn in a box of this width that is stretched; heights are in pixels."""
LETTERS = 16
"""Pixels that a number stands below its line: ranks, and points to come, as lines fall."""
ABOVE = 4
"""Pixels that the points of the day stand above their line."""
MOST_TICKS = 8


class Tick(NamedTuple):
    """A year on the axis of days: per cent of the width."""

    x: float
    year: int


class Dot(NamedTuple):
    """A result on the curve: per cent of the width, pixels from the top."""

    x: float
    y: float
    result: ResultRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCurve:
    """Points above and rank below, up to a day and sometimes a year on."""

    points: str  # the line so far, as points of a polyline
    points_ahead: str  # empty: nothing changes
    ranks: tuple[str, ...]  # lines, broken where there was no rank
    ranks_ahead: str
    today: float  # per cent of the width; of an earlier list, its day
    nanopoints: Nanopoints  # there
    points_y: float  # where these points are written
    rank: int | None  # there; none: not on the list
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    most: Nanopoints  # at the top of the points
    worst: int  # the rank at the bottom; the first is at the top
    rank_y: float | None  # where the rank of the day is written; none: not on the list
    left: Nanopoints | None  # in a year, if nothing is added; none: nothing fades
    left_y: float | None  # where these points are written


class TimeScale(NamedTuple):
    """The axis of days."""

    first: int
    days: int

    def x(self, day: date, width: float = WIDTH) -> float:
        """How far right a day is drawn."""
        return round((day.toordinal() - self.first) / self.days * width, 2)


def draw_curve(
    history: Sequence[HistoryPoint],
    values: Mapping[date, int],
    until: date,
    ahead: Sequence[HistoryPoint] = (),
    results: Iterable[ResultRow] = (),
) -> RankCurve | None:
    """The lines of points and ranks; none: there are not two days to join.

    Args:
        history: ranks so far, the earliest first.
        values: points on days in order, `until` the last of them.
        until: the day up to which it is history.
        ahead: the days to come, as if nothing were added.
        results: drawn as dots.
    """
    first = min(values, default=until)
    if not history or first >= until:
        return None
    last = ahead[-1].day if ahead else until
    scale = TimeScale(first.toordinal(), (last - first).days)
    most = max([*values.values(), *(point.nanopoints for point in ahead), 1])
    worst = max([2, *(point.rank or 1 for point in (*history, *ahead))])
    now = HistoryPoint(day=until, nanopoints=values[until], rank=history[-1].rank)
    coming = (now, *ahead) if ahead else ()
    ranked = [point for point in coming if point.rank] if now.rank else []
    return RankCurve(
        points=polyline((scale.x(day), _high(points, most)) for day, points in values.items()),
        points_ahead=polyline(
            (scale.x(point.day), _high(point.nanopoints, most)) for point in coming
        ),
        ranks=tuple(_rank_lines(history, scale, worst)),
        ranks_ahead=polyline((scale.x(each.day), _deep(each.rank or 1, worst)) for each in ranked),
        today=scale.x(until, 100),
        nanopoints=now.nanopoints,
        points_y=_high(now.nanopoints, most) - ABOVE,
        rank=now.rank,
        dots=tuple(
            Dot(scale.x(result.effective, 100), _high(values[result.effective], most), result)
            for result in results
            if result.effective <= until
        ),
        ticks=_years(scale, first, last),
        most=most,
        worst=worst,
        rank_y=_deep(now.rank, worst) + LETTERS if now.rank else None,
        left=ahead[-1].nanopoints if ahead else None,
        left_y=_high(ahead[-1].nanopoints, most) + LETTERS if ahead else None,
    )


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Points as SVG has them."""
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _high(nanopoints: Nanopoints, most: Nanopoints) -> float:
    """How far down points are drawn, in pixels of their box."""
    return round(TOP + POINTS_HEIGHT * (1 - nanopoints / most), 1)


def _deep(rank: int, worst: int) -> float:
    """How far down a rank is drawn, in pixels of its own box."""
    return round(TOP + RANKS_HEIGHT * (rank - 1) / (worst - 1), 1)


def _rank_lines(history: Sequence[HistoryPoint], scale: TimeScale, worst: int) -> Iterable[str]:
    """The lines of ranks, broken where there was none."""
    for has_rank, points in groupby(history, lambda point: point.rank is not None):
        if has_rank:
            yield polyline((scale.x(each.day), _deep(each.rank or 1, worst)) for each in points)


def _years(scale: TimeScale, first: date, last: date) -> tuple[Tick, ...]:
    years = range(first.year + 1, last.year + 1)
    step = len(years) // MOST_TICKS + 1
    return tuple(Tick(scale.x(date(year, 1, 1), 100), year) for year in years[::step])
