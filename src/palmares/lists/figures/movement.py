"""Why players moved since an earlier list: results, days that passed, corrections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import Any

import polars as pl

from palmares.core.rounding import Nanopoints, divided_half_up
from palmares.facts.merge import subset
from palmares.facts.schema import FILE, KEYS, LINE
from palmares.journal.projection.bodies import key_cell
from palmares.journal.projection.project import Projection, State, Statement, apply_entries
from palmares.journal.projection.snapshots import from_snapshot
from palmares.journal.store.journal import Reader
from palmares.lists import live
from palmares.lists.figures.players import (
    AwardResult,
    OfEvent,
    PlayerResults,
    day_totals,
    number_of,
    opening_rating,
    results_of_players,
    won_in,
)
from palmares.lists.live import JournalAwards
from palmares.points import ledger
from palmares.points.awards import Question
from palmares.points.history import Fading
from palmares.points.ledger import DayTotals
from palmares.points.rankings import Selection

CAUSES = ("new result", "expired", "decay", "correction")
"""What moves a player between two lists; the words are those of `palmares.lists.diff`."""
CLIMBERS_TOP = 100
"""Who climbs far down the list is no news."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EarlierList:
    """A list that movement is measured from: as published, or as made again today."""

    day: date
    places: Mapping[str, tuple[int, int]]  # player id -> rank, nanopoints
    last_entry: int | None = None  # the last entry that it counted; none: all that is known now
    merged: dict[str, str] = field(default_factory=dict)  # today's id -> that on the list


Earlier = EarlierList | DayTotals
"""What movement is measured from: a list as it was, or everybody's totals as they are known now."""


def place_on(
    earlier: Earlier, player_id: str, number: int | None, together: Collection[str] = ()
) -> tuple[int, int] | None:
    """A player's rank and nanopoints; none: not on the list.

    Args:
        earlier: the list.
        player_id: of the player.
        number: of the player.
        together: everybody on a list published later: a record among them was not yet theirs.
    """
    if not isinstance(earlier, EarlierList):
        return earlier.place(number)
    record = earlier.merged.get(player_id, player_id)
    return earlier.places.get(player_id if record in together else record)


@dataclass(frozen=True, slots=True, kw_only=True)
class MovementCause:
    """A part of a movement: they add up to it, and of a first rating to what it moved by."""

    cause: str  # one of `CAUSES`
    tournament_id: str | None  # of new results, and of what expired
    tournament: str | None
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """How a player moved from an earlier list to that of a day; points are nanopoints."""

    player_id: str
    since: date
    day: date
    rank_before: int | None  # none: was not on the list
    rank: int | None
    nanopoints_before: Nanopoints
    nanopoints: Nanopoints
    causes: tuple[MovementCause, ...]  # the largest first

    @property
    def up(self) -> int | None:
        """Ranks up, negative: down; none: not on both lists."""
        return self.rank_before - self.rank if self.rank_before and self.rank else None

    @property
    def change(self) -> int:
        """How many nanopoints more."""
        return self.nanopoints - self.nanopoints_before


def earlier_list(given: JournalAwards, day: date) -> EarlierList:
    """The list of a day, made again from all that is known now."""
    players, ranks, nanopoints = ledger.rank_rows(given.ledger, Selection(as_of=day))
    ids = given.names.players["player_id"].gather(players)
    places = zip(ranks.tolist(), nanopoints.tolist(), strict=True)
    return EarlierList(day=day, places=dict(zip(ids, places, strict=True)))


def published_list(
    frame: pl.DataFrame, day: date, last_entry: int, merged: Mapping[str, str] | None = None
) -> EarlierList:
    """A list as it was published.

    Args:
        frame: its player_id, rank and nanopoints.
        day: which it is of.
        last_entry: the last one that it counted.
        merged: the players of whom records became a part, by the id of the record.
    """
    places = zip(frame["rank"].to_list(), frame["nanopoints"].to_list(), strict=True)
    official = EarlierList(
        day=day, places=dict(zip(frame["player_id"], places, strict=True)), last_entry=last_entry
    )
    records = (
        (into, record) for record, into in (merged or {}).items() if record in official.places
    )
    for into, record in sorted(records, key=lambda each: official.places[each[1]]):
        if into not in official.places:
            official.merged.setdefault(into, record)
    return official


# ── one player ───────────────────────────────────────────────────────────────────────────────────


def movement(player: PlayerResults, earlier: Earlier, now: DayTotals) -> Movement:
    """How a player moved since an earlier list, and why.

    What results and days do not explain is a correction: of a report, or of anything else that is
    known today and was not then.

    Args:
        player: who.
        earlier: the list that they moved from.
        now: everybody's totals on the day it is, no earlier than that list's.
    """
    given = player.given
    rank, before = place_on(earlier, player.player_id, player.number) or (None, 0)
    own = [result for result in player.results if result.effective <= now.day]
    after = now.nanopoints(player.number) or 0
    late = _late(
        given.projection.state, earlier.last_entry, {result.tournament_id for result in own}
    )
    ended: dict[str, int] = {}
    if now.latest:
        new = _of_rating(given, own, earlier.day, late)
        first = opening_rating(given.question, own[0].edition) if own else 0
        decay, correction = 0, after - (before if rank else first) - sum(new.values())
    else:
        new, ended, others = _of_sum(player, own, earlier.day, now.day, late)
        correction = _rounded(others) - before
        correction = 0 if abs(correction) <= 1 else correction  # it was rounded once
        decay = after - before - correction - sum(new.values()) - sum(ended.values())
    return Movement(
        player_id=player.player_id,
        since=earlier.day,
        day=now.day,
        rank_before=rank,
        rank=now.rank(player.number),
        nanopoints_before=before,
        nanopoints=after,
        causes=_causes(own, new, ended, decay, correction),
    )


def _late(state: State, last_entry: int | None, tournaments: Collection[str]) -> set[str]:
    """The tournaments of which nothing was reported up to an entry."""
    if last_entry is None:
        return set()
    statements = state.group("tournaments")
    return {
        tournament
        for tournament in tournaments
        if statements.get(tournament) and statements[tournament][0].sequence > last_entry
    }


def _of_rating(
    given: JournalAwards, own: Sequence[AwardResult], since: date, late: Collection[str]
) -> dict[str, int]:
    """What each tournament changed a rating by, since a day."""
    changes: dict[str, int] = {}
    won = won_in(given, own)
    counted = [result for result in own if result.effective > since or result.tournament_id in late]
    for event, tournament in {result.event_id: result.tournament_id for result in counted}.items():
        changes[tournament] = changes.get(tournament, 0) + won[event]
    return changes


def _of_sum(
    player: PlayerResults,
    own: Iterable[AwardResult],
    since: date,
    until: date,
    late: Collection[str],
) -> tuple[dict[str, int], dict[str, int], Fraction]:
    """What new results brought and ended ones took, by tournament; the points of the others.

    The points of the others are those on the earlier day, by all that is known now.
    """
    new: dict[str, Fraction] = defaultdict(Fraction)
    ended: dict[str, Fraction] = defaultdict(Fraction)
    others = Fraction()
    for result in own:
        if result.effective > since or result.tournament_id in late:
            new[result.tournament_id] += player.worth(result, until)
            continue
        before = player.worth(result, since)
        others += before
        if before and not player.worth(result, until):
            ended[result.tournament_id] -= before
    brought, took = (
        {key: _rounded(points) for key, points in sums.items()} for sums in (new, ended)
    )
    return brought, took, others


def _rounded(points: Fraction) -> int:
    """Exact nanopoints as lists show them."""
    return divided_half_up(points.numerator, points.denominator)


def _causes(
    own: Iterable[AwardResult],
    new: Mapping[str, int],
    ended: Mapping[str, int],
    decay: int,
    correction: int,
) -> tuple[MovementCause, ...]:
    rows = [("new result", *each) for each in new.items()]
    rows += [("expired", *each) for each in ended.items()]
    names = {result.tournament_id: result.tournament for result in own}
    causes = [
        MovementCause(
            cause=cause,
            tournament_id=tournament_id,
            tournament=names[tournament_id],
            nanopoints=nanopoints,
        )
        for cause, tournament_id, nanopoints in rows
    ]
    causes += [
        MovementCause(cause=cause, tournament_id=None, tournament=None, nanopoints=nanopoints)
        for cause, nanopoints in (("decay", decay), ("correction", correction))
    ]
    return tuple(
        sorted((each for each in causes if each.nanopoints), key=lambda each: -abs(each.nanopoints))
    )


# ── everybody ────────────────────────────────────────────────────────────────────────────────────


def climbers(
    given: JournalAwards,
    earlier: Earlier,
    now: DayTotals,
    most: int,
) -> tuple[Movement, ...]:
    """Who of the first `CLIMBERS_TOP` moved up most ranks since an earlier list, and why.

    Args:
        given: the awards of a regulation.
        earlier: the list they moved from.
        now: everybody's totals on the day it is.
        most: so many of them.
    """
    players, ranks, _ = ledger.order_totals(now.exact, now.parts, CLIMBERS_TOP, latest=now.latest)
    ids = given.names.players["player_id"].gather(players)
    up = [
        (place[0] - rank, -rank, player)
        for player, number, rank in zip(ids, players.tolist(), ranks.tolist(), strict=True)
        if (place := place_on(earlier, player, number)) and place[0] > rank
    ]
    best = sorted(up, key=lambda climb: (-climb[0], -climb[1], climb[2]))[:most]
    results = results_of_players(given, [player for *_, player in best])
    return tuple(movement(results[player], earlier, now) for *_, player in best)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCorrection:
    """What an official list would say of a player today, by all that is known now."""

    player_id: str
    rank_before: int | None  # as published; none: not on the list
    rank: int | None  # of the same day, by all that is known now
    nanopoints_before: Nanopoints
    nanopoints: Nanopoints
    tournaments: tuple[str, ...]  # of theirs that were reported, corrected or undone after it
    """Empty: a tournament counts no more, or something beside a report changed."""


def corrections(
    given: JournalAwards, published: EarlierList, today: EarlierList | None = None
) -> tuple[ListCorrection, ...]:
    """The players of whom an official list has other points than it would have today.

    The largest change first. Who has the same points is not among them, even where the rank of the
    day is another because of others.

    Args:
        given: the awards of a regulation.
        published: the list as it was published.
        today: the same list by all that is known now; none: that of all players and results.
    """
    today = today or earlier_list(given, published.day)
    again = _stated_after(given.projection.state, published.last_entry or 0)
    nowhere: tuple[int | None, int] = (None, 0)
    into = {record: player for player, record in published.merged.items()}
    then = {into.get(player, player): place for player, place in published.places.items()}
    places = {
        player: (then.get(player, nowhere), today.places.get(player, nowhere))
        for player in then.keys() | today.places.keys()
    }
    other = {
        player: (was, now)
        for player, (was, now) in places.items()
        if was[1] != now[1] or (was[0] is None) != (now[0] is None)
    }
    reported = _reported_again(given, other, published.day, again) if other and again else {}
    changed = [
        ListCorrection(
            player_id=player,
            rank_before=was[0],
            rank=now[0],
            nanopoints_before=was[1],
            nanopoints=now[1],
            tournaments=tuple(reported.get(player, ())),
        )
        for player, (was, now) in other.items()
    ]
    return tuple(
        sorted(
            changed,
            key=lambda each: (-abs(each.nanopoints - each.nanopoints_before), each.player_id),
        )
    )


def _stated_after(state: State, entry: int) -> set[str]:
    """The tournaments of which anything was reported, overridden or undone after an entry."""
    return {
        tournament
        for group in ("tournaments", "overrides")
        for tournament, statements in state.group(group).items()
        if max(_entries(state, statements)) > entry
    }


def _entries(state: State, statements: Sequence[Statement]) -> Iterator[int]:
    """The last statement, and the undos of all."""
    yield statements[-1].sequence
    if state.undos:
        for statement in statements:
            yield from state.undos.get(statement.sequence, ())


def _reported_again(
    given: JournalAwards, players: Collection[str], until: date, again: Collection[str]
) -> Mapping[str, Mapping[str, None]]:
    """Of some players the tournaments that count until a day and were reported later or again.

    The earliest first.
    """
    ids = given.names.players["player_id"]
    numbers = ids.is_in(pl.Series(list(players), dtype=pl.String).implode()).arg_true()
    tournaments = given.names.events["tournament_id"]
    is_again = tournaments.is_in(pl.Series(list(again)).implode())
    rows = given.of(numbers.to_numpy())
    rows = rows[is_again.gather(rows["event"]).arg_true()]
    awards = zip(
        given.names.award_classes["effective"].gather(rows["award_class"]),
        tournaments.gather(rows["event"]),
        ids.gather(rows["player"]),
        strict=True,
    )
    reported: dict[str, dict[str, None]] = defaultdict(dict)
    for effective, tournament, player in sorted(awards):
        if effective <= until:
            reported[player][tournament] = None
    return reported


# ── winners ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner(OfEvent):
    """Who won an event, and what it gave them."""

    day: date  # on which the tournament ended
    player_id: str
    entrants: int | None
    nanopoints: Nanopoints  # all kinds together, when they were won; of a rating, how it changed


def winners(given: JournalAwards, since: date, until: date, most: int) -> tuple[Winner, ...]:
    """Who won the latest events that gave points to their winners, the latest first.

    Args:
        given: the awards of a regulation.
        since: the first day on which a tournament may have ended.
        until: the last.
        most: so many of them.
    """
    tables = given.projection.tables
    ended = tables["tournaments"].filter(pl.col("end_date").is_between(since, until))
    tournaments = ended.select("tournament_id", "end_date", tournament="name")
    events = tables["events"].select(
        "event_id", "tournament_id", "entrants", "sequence", event="name"
    )
    flight = pl.col("flight").fill_null("main") == "main"
    first = tables["placings"].filter((pl.col("rank") == 1) & flight)
    rows = (
        first.select("event_id", "player_id")
        .join(events.join(tournaments, on="tournament_id"), on="event_id")
        .sort(
            "end_date",
            "tournament_id",
            "sequence",
            "event_id",
            "player_id",
            descending=[True, False, False, False, False],
        )
    )
    latest: list[Winner] = []
    for some in rows.drop("sequence").iter_slices(2 * most):
        results = results_of_players(given, some["player_id"].unique().to_list())
        for row in some.iter_rows(named=True):
            won = won_in(given, results[row["player_id"]].results)
            if points := won.get(row["event_id"], 0):
                latest.append(Winner(day=row.pop("end_date"), nanopoints=points, **row))
        if len(latest) >= most:
            break
    return tuple(latest[:most])


# ── one correction of a report ───────────────────────────────────────────────────────────────────

CORRECTED = ("tournaments", "events", "flights", "placings")
"""The tables whose rows are compared before and after a correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerMove:
    """A player's rank and points before and after a correction."""

    rank_before: int | None  # none: not on the list
    rank: int | None
    nanopoints_before: Nanopoints
    nanopoints: Nanopoints

    @property
    def gained(self) -> int:
        """How many nanopoints more."""
        return self.nanopoints - self.nanopoints_before


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRow:
    """A row of a report with other cells; no cells before: it was added, none after: removed."""

    table: str
    key: Mapping[str, Any]
    before: Mapping[str, Any]  # the cells that differ
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrectionImpact:
    """What one entry about a tournament changed on the list of the day on which it was recorded."""

    day: date  # or a later one, on which all of the tournament counts
    moves: Mapping[str, PlayerMove]  # of the players with points in the tournament, before or after
    rows: tuple[ChangedRow, ...]
    expired: frozenset[str]  # players whose results in the tournament all had expired by that day


def correction_impact(
    reader: Reader, question: Question, tournament: str, entry: int, now: State
) -> CorrectionImpact:
    """What one entry changed: the same list, known up to the entry before it and up to the entry.

    Args:
        reader: the journal.
        question: the regulation of the list.
        tournament: that the entry is about.
        entry: its number.
        now: the latest state at hand.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: the journal cannot be read.
    """
    before = live.awards_at(question, from_snapshot(reader, entry - 1, since=now))
    delta = apply_entries(before.projection, reader, entry)
    after = live.apply_delta(before, delta)
    rows = [live.of_tournament(given, tournament) for given in (before, after)]
    recorded = date.fromisoformat(delta.after.state.recorded_at[:10])
    day = max([recorded, *(each for frame in rows for each in frame["effective"])])
    players = sorted({each for frame in rows for each in frame["player_id"]})
    old, new = (
        {player: totals.place(number_of(given, player)) or (None, 0) for player in players}
        for given, totals in ((given, day_totals(given, day)) for given in (before, after))
    )
    fades = Fading(question)
    counting = {
        player
        for frame in rows
        for player, *since in frame["player_id", "effective", "edition"].iter_rows()
        if fades.left(*since, day)[0] > 0
    }
    return CorrectionImpact(
        day=day,
        moves={
            player: PlayerMove(
                rank_before=old[player][0],
                rank=new[player][0],
                nanopoints_before=old[player][1],
                nanopoints=new[player][1],
            )
            for player in players
        },
        expired=frozenset(players) - counting,
        rows=tuple(_rows_that_differ(before.projection, delta.after, tournament)),
    )


def _rows_that_differ(
    before: Projection, after: Projection, tournament: str
) -> Iterator[ChangedRow]:
    """The rows of a tournament that one entry changed, added or removed."""
    old, new = (subset(projection.tables, {tournament}) for projection in (before, after))
    for table in CORRECTED:
        key = KEYS[table]
        were, are = (
            {
                tuple(key_cell(name, row[name]) for name in key): row
                for row in tables[table].iter_rows(named=True)
            }
            for tables in (old, new)
        )
        for at in dict.fromkeys((*were, *are)):
            was, now = were.get(at, {}), are.get(at, {})
            cells = [name for name in was or now
                     if name not in (FILE, LINE) and was.get(name) != now.get(name)]  # fmt: skip
            if cells:
                yield ChangedRow(
                    table=table,
                    key=dict(zip(key, at, strict=True)),
                    before={name: was[name] for name in cells if was},
                    after={name: now[name] for name in cells if now},
                )
