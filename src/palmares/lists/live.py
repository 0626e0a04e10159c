"""
A journal's awards, kept in memory: a new entry costs what it touches.

A report touches its tournament; a membership those in which its player was placed; an exchange rate
those in its currency that state none. Where a rating is made from the one before, all tournaments
that end on the same day are awarded again, for what is said of simultaneous events. Awards on disk
lie beside the snapshot of the facts they are of, without a name: names are read from the journal
with the facts. Under another edition, another reading or other code they have another key, and what
is missing or damaged is made again.
"""

from __future__ import annotations

import hashlib
import shutil
from bisect import insort
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
import polars as pl

from palmares.core.code import package_files
from palmares.core.errors import FactsRejected, Problem
from palmares.facts import Facts
from palmares.facts.merge import named_players, played_in, subset, with_people
from palmares.facts.rates import priced_by
from palmares.facts.schema import FILE, LINE
from palmares.journal.projection.project import LOOKUP_LIMIT as FEW_PEOPLE
from palmares.journal.projection.project import Delta, Projection, updated
from palmares.journal.projection.snapshots import (
    Damaged,
    FromSnapshot,
    from_snapshot,
    last_known_entry,
    open_tables,
    write_tables,
)
from palmares.journal.store.journal import Journal
from palmares.points import awards, ledger, rankings
from palmares.points.award_table import PUBLIC_NAME, of_frame
from palmares.points.awards import Awards, Question, Waiting, in_order
from palmares.points.kernels.sums import Array
from palmares.points.ledger import Ledger, PlayerRows, player_rows
from palmares.points.ledger_rows import (
    CLASS_COLUMNS,
    EVENTS,
    MOMENT,
    NOBODY,
    Names,
    in_time,
    number_awards,
    overlaid,
    row_schema,
    rows_of_players,
)
from palmares.points.rankings import Ranking, Selection

AT_ONCE = 1_000_000
"""Placings that are awarded at once: enough for batches, and little in memory."""
NEWER = 8
"""Newer rows are merged into the others once they are one in so many of them."""
FEW = 10_000
"""How many newer rows are kept apart in any case."""
MOST = 4
"""All tournaments are awarded where more than one in so many is touched."""


class DatedNotice(NamedTuple):
    """A notice, and the tournament it is about."""

    end_date: date
    start_date: date
    tournament_id: str
    problem: Problem


class Places:
    """The row of each player in the table of players, kept while awards grow.

    To join 150,000 ids anew took as long as to add up five million awards. The table has names in
    it, so this does not keep it alive.
    """

    def __init__(self) -> None:
        self._cached: tuple[ref[pl.DataFrame] | None, pl.Series] = None, pl.Series(dtype=pl.UInt32)

    def of(self, players: pl.DataFrame, people: pl.DataFrame) -> pl.Series:
        """The row of each player, by number; null if they are not in the table."""
        table, rows = self._cached
        if table is None or table() is not people:
            rows = rows.clear()
        if len(rows) < len(players):
            fresh = players[len(rows) :]
            ids = people.select("player_id").with_row_index("row")
            if len(rows):
                ids = ids.filter(pl.col("player_id").is_in(fresh["player_id"].implode()))
            more = fresh.join(ids, on="player_id", how="left", maintain_order="left")["row"]
            rows = pl.concat([rows, more])
            self._cached = ref(people), rows
        return rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JournalAwards:
    """The awards of a question for the facts of a journal."""

    question: Question
    projection: Projection
    names: Names
    rows: PlayerRows  # of every player
    newer: PlayerRows  # of players whose rows have changed since: these replace the others
    dated_notices: tuple[DatedNotice, ...]
    waiting: tuple[Waiting, ...] = ()
    places: Places = field(default_factory=Places)

    def people(self, numbers: Array) -> pl.DataFrame:
        """Name, nation and withheld of some players, by their numbers, in the order given."""
        ids, columns = self.names.players[numbers], ("name", "nation", "withheld")
        lookup = self.projection.lookup
        if lookup is not None and len(ids) <= FEW_PEOPLE:
            some = lookup(ids["player_id"].to_list())
            return ids.join(some, on="player_id", how="left", maintain_order="left").select(columns)
        people = self.projection.tables["players"]
        rows = self.places.of(self.names.players, people)[numbers]
        return people.select(pl.col(columns).gather(rows))

    def of(self, players: Array) -> pl.DataFrame:
        """The rows of some players, given their numbers."""
        below = np.setdiff1d(players, self.newer.players)
        return pl.concat([self.rows.of(below), self.newer.of(players)])

    @property
    def ledger(self) -> Ledger:
        """The ledger that lists are made from."""
        return Ledger(
            question=self.question,
            players=self.names.players,
            award_classes=self.names.award_classes,
            base=self.rows,
            newer=self.newer if len(self.newer.players) else None,
            people=self.people,
            notices=self.notices,
            waiting=self.waiting,
        )

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What a person should know, in the order of awards."""
        return tuple(notice.problem for notice in self.dated_notices)


# ── awarding ─────────────────────────────────────────────────────────────────────────────────────


def award_all(question: Question, projection: Projection) -> JournalAwards:
    """Award every tournament of a projection.

    Raises:
        FactsRejected: a fold comes to no number.
        NotCovered, Refused: no such regulation, edition or reading.
    """
    names, frames = NOBODY, [pl.DataFrame(schema=row_schema(question))]
    dated_notices: list[DatedNotice] = []
    waiting: list[Waiting] = []
    for facts in _portions(question, projection):
        names, rows, given = _award_some(question, facts, names)
        frames.append(rows)
        dated_notices += _dated(given.notices, facts)
        waiting += given.waiting
    everybody = np.arange(len(names.players))
    return JournalAwards(
        question=question,
        projection=projection,
        names=names,
        rows=_rows_by_player(question, projection, names, everybody, pl.concat(frames)),
        newer=no_rows(question),
        dated_notices=tuple(sorted(dated_notices, key=_moment(question))),
        waiting=in_order(waiting),
    )


def no_rows(question: Question) -> PlayerRows:
    """Rows of no player."""
    return player_rows(np.arange(0), pl.DataFrame(schema=row_schema(question)))


def _portions(question: Question, projection: Projection) -> Iterator[Facts]:
    """The facts in portions; whole if awards of one tournament depend on another."""
    tables = projection.tables
    rows = tables["placings"].height + tables["matches"].height
    in_one = question.aggregate.latest or not projection.may_wait  # files name all that is missing
    portions = 1 if in_one else rows // AT_ONCE
    if portions <= 1:
        yield projection.facts
        return
    tournaments = tables["tournaments"]["tournament_id"]
    edges = np.linspace(0, len(tournaments), portions + 1).astype(int).tolist()
    for start, end in pairwise(edges):
        yield Facts(subset(tables, tournaments[start:end].to_list()), may_wait=True)


def _award_some(
    question: Question, facts: Facts, names: Names
) -> tuple[Names, pl.DataFrame, Awards]:
    """The rows of some tournaments, not folded yet, and their awards."""
    fold = question.aggregate.step is not None
    given = awards.award(question, facts, terms=fold, unfolded=fold)
    names, rows = number_awards(given, facts, names)
    return names, rows, given


def _dated(notices: Collection[Problem], facts: Facts) -> list[DatedNotice]:
    """Notices with the tournaments whose entries they name."""
    if not notices:
        return []
    start = pl.col("start_date").fill_null(pl.col("end_date"))
    table = facts.tables["tournaments"].select(FILE, "end_date", start, "tournament_id")
    of = {entry: (end, start, tournament) for entry, end, start, tournament in table.iter_rows()}
    none = (date.min, date.min, "")  # of what names no entry
    return [DatedNotice(*of.get(notice.at.file, none), notice) for notice in notices]


def _moment(question: Question) -> Callable[[DatedNotice], Any]:
    """The key that sorts notices: tournaments in the order of time; in a fold, days."""
    return itemgetter(0) if question.aggregate.latest else itemgetter(0, 1, 2)


def _rows_by_player(
    question: Question, projection: Projection, names: Names, players: Array, rows: pl.DataFrame
) -> PlayerRows:
    """Rows by player; where a fold comes to no number, awarding all says which event."""
    try:
        return rows_of_players(question, names, players, rows)
    except FactsRejected:
        awards.award(question, projection.facts)
        raise


# ── after more entries ────────────────────────────────────────────────────────────────────────────


def apply_delta(before: JournalAwards, delta: Delta) -> JournalAwards:
    """The awards after some entries.

    Args:
        before: awards of the facts before.
        delta: the entries since, and the facts after them.

    Raises:
        FactsRejected: as `award_all` does.
        ValueError: the entries do not follow the facts that were awarded.
    """
    if delta.before.state.head != before.projection.state.head:
        raise ValueError("the entries do not follow the facts that were awarded")
    question, projection = before.question, delta.after
    tournaments = _to_award_anew(question, delta)
    if not tournaments:
        return replace(before, projection=projection)
    if len(tournaments) > max(MOST, projection.tables["tournaments"].height // MOST):
        return award_all(question, projection)
    gone = before.names.events["tournament_id"].is_in(list(tournaments)).to_numpy()
    same = tournaments == delta.tournaments
    tables = projection.tables
    own = _reported(delta) if same else subset(tables, tournaments)
    facts = Facts(own, may_wait=True)
    names, fresh, anew = _award_some(question, facts, before.names)
    players = _players_touched(before, gone, fresh)
    theirs = before.of(players)
    other_rows = theirs.filter(pl.Series(~gone[theirs["event"].to_numpy()]))
    theirs = in_time(names, pl.concat([other_rows, fresh])).drop("time")
    changed = _rows_by_player(question, projection, names, players, theirs)
    rows, newer = _with_newer(before, changed, players, len(names.players))
    dated_notices = [each for each in before.dated_notices if each.tournament_id not in tournaments]
    waiting = [each for each in before.waiting if each.tournament_id not in tournaments]
    for each in _dated(anew.notices, facts):
        insort(dated_notices, each, key=_moment(question))
    return JournalAwards(
        question=question,
        projection=projection,
        names=names,
        rows=rows,
        newer=newer,
        dated_notices=tuple(dated_notices),
        waiting=in_order([*waiting, *anew.waiting]),
        places=before.places,
    )


def _to_award_anew(question: Question, delta: Delta) -> set[str]:
    """The tournaments that entries touch; where ratings are folded, all of the same days."""
    touched = affected_tournaments(delta, money=question.get_regulation().money)
    if touched and question.aggregate.latest:
        return _same_days(delta.before.tables, delta.after.tables, touched)
    return touched


def _with_newer(
    before: JournalAwards, changed: PlayerRows, players: Array, players_in_all: int
) -> tuple[PlayerRows, PlayerRows]:
    """The rows, and the newer ones above them; merged into them once they are many."""
    newer = overlaid(before.newer, changed, np.union1d(before.newer.players, players))
    if len(newer.frame) <= max(FEW, len(before.rows.frame) // NEWER):
        return before.rows, newer
    return overlaid(before.rows, newer, np.arange(players_in_all)), no_rows(before.question)


def _reported(delta: Delta) -> dict[str, pl.DataFrame]:
    """The facts of reports, with the players whom they name and no others."""
    projection = delta.after
    players = projection.people(named_players(delta.rows)["player_id"])
    return with_people(delta.rows, updated(projection.tables, {"players": lambda: players}))


def _players_touched(before: JournalAwards, gone: Array, fresh: pl.DataFrame) -> Array:
    """The players with rows of the events that are awarded again, before or after."""
    players = [fresh["player"].unique().to_numpy()]
    if gone.any():
        players += [before.rows.touched(gone), before.newer.touched(gone)]
    return np.unique(np.concatenate(players)).astype(np.int64)


def affected_tournaments(delta: Delta, *, money: bool = True) -> set[str]:
    """The tournaments whose awards some entries may have changed.

    Those that they report; those in which somebody played whose membership they state; and, where
    money counts, those whose fees a rate of theirs may turn into euro.
    """
    if not delta.places:
        return set()
    before, after = delta.before.tables, delta.after.tables
    members = _differing(before["memberships"], after["memberships"])["player_id"]
    affected = delta.tournaments | (played_in(after, set(members)) if len(members) else set())
    rates = _differing(before["rates"], after["rates"])
    if money and len(rates):
        affected |= priced_by(rates, after["tournaments"])
    return set(affected)


def _differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The rows that only one of two tables has."""
    if before is after:
        return before.clear()
    columns = [name for name in before.columns if name not in (FILE, LINE)]
    return pl.concat(
        each.join(other, on=columns, how="anti", nulls_equal=True)
        for each, other in ((before, after), (after, before))
    )


def _same_days(
    before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame], tournaments: set[str]
) -> set[str]:
    """Some tournaments, and all that end on their days."""
    tables = [each["tournaments"].select("tournament_id", "end_date") for each in (before, after)]
    wanted = pl.col("tournament_id").is_in(list(tournaments))
    days = {day for each in tables for day in each.filter(wanted)["end_date"]}
    more = (each.filter(pl.col("end_date").is_in(list(days)))["tournament_id"] for each in tables)
    return tournaments.union(*more)


AWARDS = (
    "tournament_id",
    "tournament",
    "event_id",
    "event",
    "player_id",
    *CLASS_COLUMNS,
    "nanopoints",
)
"""The columns of awards of one tournament or player."""


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def ranking(
    given: JournalAwards, selection: Selection, top: int | None = None, *, by: str = "player"
) -> Ranking:
    """The ranked list of a day, of players or of nations.

    Where a nation keeps the points won under it, all awards are made again: kept ones have no
    nation.

    Args:
        given: awards of one regulation.
        selection: the day and what else decides which awards count.
        top: only ranks up to this one.
        by: "player" or "nation".

    Raises:
        Refused: the regulation has no such kind of points, or makes no sums over a nation.
    """
    question = given.question
    rankings.refuse_nonsense(question, selection, by)
    if (selection.nation or by == "nation") and rankings.by_event(question):
        all_awards = awards.award(question, given.projection.facts, terms=False)
        return ledger.rank(all_awards, selection, by=by, top=top)
    return ledger.ranking(given.ledger, selection, top, by=by)


def places(given: JournalAwards, selection: Selection) -> pl.DataFrame:
    """The ranks of everybody on a list; see `palmares.points.ledger.ranks_of_all`."""
    if selection.nation and rankings.by_event(given.question):
        return ranking(given, selection).frame.select(ledger.PLACES)
    return ledger.ranks_of_all(given.ledger, selection)


def effective(given: JournalAwards) -> pl.Series:
    """The days from which awards put a player on a list, each once."""
    # Unless the latest counts, 0 points put nobody on a list.
    above = None if given.question.aggregate.latest else 0
    return award_classes(given, above)["effective"].unique()


def award_classes(given: JournalAwards, above: int | None = None) -> pl.DataFrame:
    """What awards in force have in common, each once; of all, or of those above so many points."""
    unchanged = ~pl.col("player").is_in(pl.Series(given.newer.players).implode())
    counting = pl.lit(value=True) if above is None else pl.col("nanopoints") > above
    rows, newer = (each.frame.select(ledger.ROW_COLUMNS) for each in (given.rows, given.newer))
    parts = (rows.filter(unchanged, counting), newer.filter(counting))
    used = pl.concat([each["award_class"] for each in parts]).unique()
    return given.names.award_classes.select(pl.all().gather(used))


# ── one tournament, one player ───────────────────────────────────────────────────────────────────


def of_tournament(given: JournalAwards, tournament_id: str) -> pl.DataFrame:
    """The awards of one tournament, `AWARDS`; an unknown one has none."""
    return of_tournaments(given, [tournament_id])


def of_tournaments(given: JournalAwards, tournaments: Collection[str]) -> pl.DataFrame:
    """The awards of some tournaments, `AWARDS`."""
    events = given.names.events["tournament_id"].is_in(list(tournaments)).to_numpy()
    pieces = []
    for rows in (given.rows, given.newer):
        here = events[rows.frame["event"].to_numpy()]
        if rows is given.rows and len(given.newer.players):
            here &= ~np.isin(rows.frame["player"].to_numpy(), given.newer.players)
        pieces.append(rows.frame[np.flatnonzero(here)] if here.any() else rows.frame.clear())
    return with_names(given, pl.concat(pieces))


def of_players(given: JournalAwards, *numbers: int) -> pl.DataFrame:
    """The awards of some players, by their numbers, `AWARDS`; in the order of time."""
    return with_names(given, given.of(np.array(sorted(numbers), np.int64)))


def as_awards(given: JournalAwards) -> Awards:
    """Kept awards as `palmares.points.awards.award` gives them, with the nations held now."""
    everybody = np.arange(len(given.names.players))
    people = given.names.players.hstack(given.people(everybody)).select(
        "player_id", PUBLIC_NAME, nation_now="nation"
    )
    frame = (
        of_players(given, *everybody)
        .drop("tournament")
        .join(people, on="player_id", how="left", maintain_order="left")
        .with_columns(pl.int_range(pl.len()).alias("order"), pl.col("nation_now").alias("nation"))
    )
    return Awards(question=given.question, numbered=of_frame(frame), waiting=given.waiting)


def with_names(given: JournalAwards, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with what their numbers stand for, `AWARDS`, in the order of time."""
    names = given.names
    frame = pl.concat(
        [
            names.events[rows["event"]].rename(
                {"event_name": "event", "tournament_name": "tournament"}
            ),
            names.award_classes[rows["award_class"]],
            names.players[rows["player"]],
            rows[["grant", "nanopoints"]],
        ],
        how="horizontal",
    )
    return frame.sort(*MOMENT, "grant", nulls_last=False)[list(AWARDS)]


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────

AWARDING = ("core", "facts", "regulations", "points", "lists.live")
"""The rooms that make awards from facts; the snapshot of facts has a key of its own."""


@contextmanager
def open_awards(
    journal: Journal, question: Question, known_at: str | None = None
) -> Iterator[JournalAwards]:
    """The awards of a question as a journal has them now, or had them then.

    Facts are read on demand, as long as the context lasts.

    Args:
        journal: the journal.
        question: the regulation, and the edition and readings chosen if any.
        known_at: a day, a moment, or ``#41`` for an entry.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: *known_at* is none; the journal cannot be read; no such regulation.
    """
    with journal.reading() as reader:
        yield awards_at(question, from_snapshot(reader, last_known_entry(reader, known_at)))


def awards_at(question: Question, snapshot: FromSnapshot) -> JournalAwards:
    """The awards at a snapshot and the entries since.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: no such regulation.
    """
    delta = snapshot.delta
    if snapshot.folder is None:
        return award_all(question, delta.after)
    place = snapshot.folder / f"awards-{key(question)[:32]}"
    start = _loaded(question, delta.before, place)
    if start is None:
        start = award_all(question, delta.before)
        _store(start, place)
    return apply_delta(start, delta)


def key(question: Question) -> str:
    """A digest of all that awards depend on besides the facts."""
    regulation = question.get_regulation()
    parts: list[object] = [
        _code(*regulation.modules),
        [(edition.id, edition.sha256) for edition in regulation.editions()],
        (question.regulation, question.edition, sorted((question.chosen or {}).items())),
        [list(each.items()) for each in (row_schema(question), EVENTS)],
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _code(*regulation: str) -> str:
    """A digest of the code that makes awards, a regulation's modules among it.

    It covers whole rooms and packages: following imports took longer than making a list.
    """
    own, *_ = __name__.partition(".")
    others = {each.partition(".")[0] for each in regulation} - {own}
    digest = hashlib.sha256()
    for package in (*(f"{own}.{room}" for room in AWARDING), *sorted(others)):
        for file in package_files(package):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _store(given: JournalAwards, place: Path) -> None:
    """Write awards, replacing any that are damaged."""
    names = given.names
    tables = {
        "rows": given.rows.frame,
        "players": names.players,
        "award_classes": names.award_classes,
        "events": names.events,
    }
    shutil.rmtree(place, ignore_errors=True)
    write_tables(place, tables, (given.dated_notices, given.waiting), {})


def _loaded(question: Question, projection: Projection, place: Path) -> JournalAwards | None:
    """The awards stored there; none if they are missing or damaged."""
    schemas = {
        "rows": row_schema(question),
        "players": NOBODY.players.schema,
        "award_classes": NOBODY.award_classes.schema,
        "events": EVENTS,
    }
    stored = open_tables(place, tuple[tuple[DatedNotice, ...], tuple[Waiting, ...]])
    if stored is None:
        return None
    try:
        tables = {name: stored.table(name, schema) for name, schema in schemas.items()}
    except Damaged:
        return None
    dated_notices, waiting = stored.details
    rows = tables.pop("rows")
    names = Names(**tables)
    return JournalAwards(
        question=question,
        projection=projection,
        names=names,
        rows=player_rows(np.arange(len(names.players)), rows),
        newer=no_rows(question),
        dated_notices=dated_notices,
        waiting=waiting,
    )
