"""
The differences of two lists: every change of rank or points, split by its causes.

We go from one list to the other step by step: the entries of each kind, then edition and readings,
then the day. After each step the awards are computed again; what an award adds more or less than
before is due to that step, so the parts add up to the change exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.facts.rates import priced_by
from palmares.journal.commands.transaction import stated_rates
from palmares.journal.projection.project import (
    Projection,
    State,
    canonical_ids,
    changed_canonical_ids,
    subject_of,
)
from palmares.journal.store.journal import Reader
from palmares.lists.diff import parts as splitting
from palmares.lists.diff.parts import (
    EXPIRED,
    DiffStep,
    EntriesByPlace,
    PathPoint,
    contributions,
    steps,
    updated_awards,
)
from palmares.lists.live import KeptAwards, as_awards
from palmares.points import rankings
from palmares.points.award_table import in_points, people
from palmares.points.awards import Awards, Question, Waiting, award, in_order
from palmares.points.ledger import rank
from palmares.points.rankings import Selection

CAUSES: Mapping[str, str] = {
    "new result": "a result that one of the lists does not know or does not count yet",
    "withdrawal": "a result that was withdrawn, or whose report was undone",
    "correction": "the report of the tournament was replaced",
    "override": "an officer set a value in the report, or took it back",
    "merge": "records became one player, or were parted again",
    "membership": "a membership was recorded, changed or undone",
    "rate": "an exchange rate was recorded, changed or undone",
    "edition": "the lists follow different editions or readings",
    "decay": "days passed",
    "rating chain": "an earlier result changed, so a later one started from another rating",
    "others moved": "only the rank changed: others passed, or fell behind",
}
"""Every cause of a change between two lists."""

START = "the rating to start from"

Row = Mapping[str, Any]
Entries = tuple[int, ...]


def with_entries(
    parts: pl.DataFrame, steps: Sequence[DiffStep], listings: Sequence[Any]
) -> pl.DataFrame:
    """Parts in order of player, cause and size, with ``tournament``, ``note`` and ``entries``.

    Args:
        parts: of changes from the first list to the second.
        steps: between the two lists.
        listings: the first list and the second.
    """
    projections = (listing.projection for listing in listings)
    low, high = sorted(projections, key=lambda projection: projection.state.sequence)
    names: dict[str, str] = {}
    for listing in listings:
        names.update(
            listing.projection.tables["tournaments"].select("tournament_id", "name").rows()
        )
    finders = _finders(steps, high.state, low.tables["tournaments"], parts)
    noted_parts = parts.with_columns(_notes(listings))
    by_entries = pl.col("cause").is_in(list(finders))
    caused, others = noted_parts.filter(by_entries), noted_parts.filter(~by_entries)
    entries = [list(finders[row["cause"]](row)) for row in caused.iter_rows(named=True)]
    entry_list = pl.List(pl.Int64)
    ranks = {cause: rank for rank, cause in enumerate(CAUSES)}
    order = ["player_id", "_cause", "_size", "tournament_id", "event_id", "flight", "kind"]
    return (
        pl.concat(
            [
                caused.with_columns(pl.Series("entries", entries, dtype=entry_list)),
                others.with_columns(pl.lit([], entry_list).alias("entries")),
            ]
        )
        .with_columns(
            _named("tournament_id", names, pl.String).alias("tournament"),
            _named("cause", ranks, pl.Int64).alias("_cause"),
            pl.col("nanopoints").abs().alias("_size"),
        )
        .sort(order, descending=[column == "_size" for column in order])
        .drop("_cause", "_size")
        .with_columns(pl.col("tournament_id", "event_id", "event", "flight").replace("", None))
    )


def _named(column: str, values: Mapping[str, Any], kind: Any) -> pl.Expr:
    return pl.col(column).replace_strict(values, default=None, return_dtype=kind)


def _notes(listings: Sequence[Any]) -> pl.Expr:
    """The column ``note`` of parts."""
    rules = " → ".join(rules_in_words(listing.question) for listing in listings)
    day = listings[1].selection.as_of
    known_ids = listings[1].projection.tables["tournaments"]["tournament_id"].to_list()
    cause, tournament = pl.col("cause"), pl.col("tournament_id")
    return (
        pl.when(cause == "edition")
        .then(pl.lit(rules))
        .when((pl.col("note") == EXPIRED) & (pl.col("weight") > 0))
        .then(pl.lit("expired on the first list"))
        .when(tournament == "")
        .then(pl.lit(START))
        .when(cause != "new result")
        .then(pl.col("note"))
        .when(~tournament.is_in(known_ids))
        .then(pl.lit("not known to the second list"))
        .when(pl.col("effective") > day)
        .then(pl.lit(f"after {day}"))
        .otherwise(pl.lit(""))
        .alias("note")
    )


def rules_in_words(question: Question) -> str:
    """Edition and readings of a question: "2019-01, U4=new"; "by date" where none is chosen."""
    chosen = [f"{reading}={option}" for reading, option in (question.chosen or {}).items()]
    return ", ".join([question.edition or "by date", *chosen])


# ── the entries that caused a part ───────────────────────────────────────────────────────────────


def _finders(
    steps: Sequence[DiffStep],
    high: State,
    tournaments: pl.DataFrame,
    parts: pl.DataFrame,
) -> dict[str, Callable[[Row], Entries]]:
    """For each cause by entries, a function that finds them for a part."""
    by_cause = {step.cause: step.entries for step in steps}
    reports = {
        key: entries
        for step in steps
        for (group, key), entries in step.entries.items()
        if group == "tournaments"
    }
    merged = canonical_ids(high.merges())
    overrides = _by(by_cause.get("override", {}), lambda key: [key])
    rates = _by(by_cause.get("rate", {}), lambda key: priced_by(stated_rates([key]), tournaments))
    members = _by(
        by_cause.get("membership", {}), lambda key: [merged.get(subject_of(key), subject_of(key))]
    )

    def report(row: Row) -> Entries:
        statement = high.report(row["tournament_id"])
        return reports.get(row["tournament_id"]) or (
            () if statement is None else (statement.sequence,)
        )

    return {
        "new result": report,
        "withdrawal": report,
        "correction": report,
        "override": lambda row: overrides.get(row["tournament_id"], ()),
        "rate": lambda row: rates.get(row["tournament_id"], ()),
        "membership": lambda row: members.get(row["player_id"], ()),
        "merge": _merging(steps, parts),
    }


def _by(
    entries_by_place: EntriesByPlace, about: Callable[[str], Iterable[str]]
) -> dict[str, Entries]:
    """Entries by the players or tournaments that their keys are about."""
    entries_by_id: dict[str, Entries] = {}
    for (_, key), entries in entries_by_place.items():
        for id_ in about(key):
            entries_by_id[id_] = (*entries_by_id.get(id_, ()), *entries)
    return entries_by_id


def _merging(steps: Sequence[DiffStep], parts: pl.DataFrame) -> Callable[[Row], Entries]:
    """A function that finds the merges, and undos of merges, that caused a part."""
    pairs: dict[str, list[tuple[str, Entries]]] = {}  # player -> the others, and the entries
    for step in steps:
        if step.cause == "merge":
            for record, (then, now) in changed_canonical_ids(
                step.before.state, step.after.state
            ).items():
                entries = step.entries.get(("merges", record), ())
                pairs.setdefault(then, []).append((now, entries))
                pairs.setdefault(now, []).append((then, entries))
    award = ("player_id", "event_id", "flight", "kind")
    merged_awards = set(parts.filter(pl.col("cause") == "merge").select(award).iter_rows())

    def merge(row: Row) -> Entries:
        others = pairs.get(row["player_id"], [])
        given = [
            entries
            for other, entries in others
            if (other, row["event_id"], row["flight"], row["kind"]) in merged_awards
        ]
        chosen = given or [entries for _, entries in others]
        return tuple(sorted({entry for entries in chosen for entry in entries}))

    return merge


# ── differences ───────────────────────────────────────────────────────────────────────────────────

CHANGE_COLUMNS = ("rank_a", "rank_b", "player_id", "player", "points_a", "points_b", "change")
PART_COLUMNS = (
    *("cause", "tournament_id", "tournament", "event", "flight", "kind", "part"),
    *("note", "entry", "author", "recorded"),
)
IN_POINTS = ("points_a", "points_b", "change", "part")
WHOLE_NUMBERS = ("rank_a", "rank_b", "entry")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """A list: its rules, facts and day."""

    question: Question
    projection: Projection
    selection: Selection
    kept: KeptAwards | None = None  # the awards of these rules and facts, where they are kept

    def awards(self) -> Awards:
        """The awards of all results."""
        if self.kept is not None:
            return as_awards(self.kept)
        return award(self.question, self.projection.facts, terms=False)


@dataclass(frozen=True, slots=True)
class RecordedBy:
    """Who recorded an entry, and on which day."""

    sequence: int
    author: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a player's change."""

    cause: str  # one of `CAUSES`
    tournament_id: str | None
    tournament: str | None
    event: str | None
    flight: str | None
    kind: str | None
    nanopoints: int  # the parts of a change add up
    note: str
    entries: tuple[RecordedBy, ...]  # that caused it


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of one player."""

    player_id: str
    player: str
    rank_a: int | None  # none: not on the first list
    rank_b: int | None
    nanopoints_a: int
    nanopoints_b: int
    parts: tuple[Part, ...]

    @property
    def nanopoints(self) -> int:
        """How many more points the player has on the second list."""
        return self.nanopoints_b - self.nanopoints_a


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChangesOfPlayers:
    """The changes of all players whose rank or points differ.

    ``changes`` has a row for each player, by rank on the second list: player_id, player, rank_a,
    rank_b, nanopoints_a, nanopoints_b, change. ``parts`` has their parts: player_id, cause,
    tournament_id, tournament, event_id, event, flight, kind, weight, nanopoints, note, entries.
    """

    changes: pl.DataFrame
    parts: pl.DataFrame
    recorded_by: Mapping[int, RecordedBy]  # by entry

    def each(self, players: Collection[str] | None = None) -> Iterator[Change]:
        """All changes, or those of some players."""
        wanted = True if players is None else pl.col("player_id").is_in(list(players))
        parts = self.parts.filter(wanted).rows_by_key("player_id", named=True, unique=False)
        for row in self.changes.filter(wanted).iter_rows(named=True):
            yield Change(
                parts=tuple(map(self._part, parts.get(row["player_id"], ()))),
                **{name: row[name] for name in Change.__slots__ if name != "parts"},
            )

    def _part(self, row: Mapping[str, Any]) -> Part:
        plain = ("cause", "tournament_id", "tournament", "event", "flight", "kind", "nanopoints")
        return Part(
            note=row["note"],
            entries=tuple(
                self.recorded_by[entry] for entry in row["entries"] if entry in self.recorded_by
            ),
            **{name: row[name] for name in plain},
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences(ChangesOfPlayers):
    """The differences of two lists."""

    a: Listing
    b: Listing
    players: int  # on either list
    waiting: tuple[Waiting, ...]  # events that are missing in either list


def diff_lists(a: Listing, b: Listing, source: Reader | None = None) -> Differences:
    """The differences of two lists of one regulation, with their causes.

    Args:
        a: the first list.
        b: the second one; of the same journal as the first, or of the same files.
        source: that journal; needed if the lists know different entries, and to name authors.

    Raises:
        FactsRejected: facts are missing that a formula needs.
        Refused: the lists are of two regulations, or count different results.
    """
    _refuse_incomparable(a, b)
    low, high = sorted(
        (a, b), key=lambda listing: (listing.projection.state.sequence, listing.selection.as_of)
    )
    taken = _steps(low, high, source)
    path = list(_path(low, high, taken))
    earlier, later = (
        {*listing.projection.tables["tournaments"]["tournament_id"]} for listing in (low, high)
    )
    days = low.selection.as_of, high.selection.as_of
    exact = splitting.split_change(path, days, later - earlier)
    first, last = rank(path[0].awards, low.selection), rank(path[-1].awards, high.selection)
    changed = splitting.rank_changes(first.frame, last.frame, exact)
    parts = splitting.rounded(exact, changed)
    if low is not a:
        changed, parts = splitting.negated(changed, parts)
    players = changed.height
    parts = pl.concat([parts, splitting.overtaken(changed)])
    all_people = people(low.projection.facts) | people(high.projection.facts)
    names = {player: person.name for player, person in all_people.items()}
    changed = _changed_players(changed, names)
    parts = parts.join(changed, on="player_id", how="semi", maintain_order="left")
    parts = with_entries(parts, taken, (a, b))
    return Differences(
        a=a,
        b=b,
        players=players,
        changes=changed,
        parts=parts,
        recorded_by=_recorded_by(parts, source),
        waiting=in_order({*first.waiting, *last.waiting}),
    )


def _refuse_incomparable(a: Listing, b: Listing) -> None:
    """Refuse two lists that cannot be compared."""
    rankings.refuse_nonsense(a.question, a.selection, "player")
    if a.question.regulation != b.question.regulation:
        raise Refused(
            f"The lists are of two regulations, {a.question.regulation} and"
            f" {b.question.regulation}: their points have nothing in common."
        )
    if a.selection.nation:
        raise Refused("Differences are between whole lists: leave the nation out.")
    if replace(a.selection, as_of=b.selection.as_of) != b.selection:
        raise Refused(
            "The lists count other results than each other (live or online, a kind of points, a"
            " nation, since or until a day). Compare lists that differ in nothing but their day."
        )


def _steps(low: Listing, high: Listing, source: Reader | None) -> list[DiffStep]:
    """The steps by the entries that only one list knows."""
    before, after = low.projection, high.projection
    if before.state.sequence == after.state.sequence:
        return []
    if source is None:
        raise Refused("The two lists know different entries of a journal. Name the journal.")
    return list(steps(before, after, source))


def _path(low: Listing, high: Listing, taken: Sequence[DiffStep]) -> Iterator[PathPoint]:
    """The awards after each step, with what they add on the day of that step.

    If an event waits after a step that waits in neither list, the step is taken together with the
    next: say, a rate is undone before the report that needed it.
    """
    awards = low.awards()
    waited = _waiting_ids(awards)
    yield PathPoint("", awards, contributions(awards, low.selection))
    pending: list[DiffStep] = []
    for step in taken:
        pending.append(step)
        affected = frozenset[str]().union(*(each.tournaments for each in pending))
        if not affected:
            pending.clear()
            continue
        updated = updated_awards(awards, step.after, affected)
        new = _waiting_ids(updated) - waited
        if new and step is not taken[-1] and new - _waiting_ids(high.awards()):
            continue
        awards = updated
        yield PathPoint(step.cause, awards, contributions(awards, low.selection), tuple(pending))
        pending.clear()
    if pending or low.question != high.question:
        awards = high.awards()
        yield PathPoint("edition", awards, contributions(awards, low.selection))
    yield PathPoint("decay", awards, contributions(awards, high.selection))


def _waiting_ids(awards: Awards) -> set[str]:
    """The ids of events that wait."""
    return {event.event_id for event in awards.waiting}


def _changed_players(changed: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """The players who changed, with names, by rank on the second list, then on the first."""
    return (
        changed.filter(pl.col("moved") | pl.col("rank_a").ne_missing(pl.col("rank_b")))
        .with_columns(_named("player_id", names, pl.String).alias("player"))
        .sort("rank_b", "rank_a", "player", "player_id", nulls_last=True)
        .select("player_id", "player", "rank_a", "rank_b", "nanopoints_a", "nanopoints_b", "change")
    )


def _recorded_by(parts: pl.DataFrame, source: Reader | None) -> dict[int, RecordedBy]:
    """Who recorded the entries that caused some parts."""
    wanted = parts["entries"].explode().drop_nulls().unique().to_list()
    if source is None or not wanted:
        return {}
    return {
        entry.sequence: RecordedBy(
            entry.sequence, entry.author, date.fromisoformat(entry.recorded_at[:10])
        )
        for entry in source.by_number(wanted)
    }


# ── as rows ──────────────────────────────────────────────────────────────────────────────────────


def change_values(change: Change) -> dict[str, Any]:
    """The columns of a change, without its parts."""
    return {
        "rank_a": change.rank_a,
        "rank_b": change.rank_b,
        "player_id": change.player_id,
        "player": change.player,
        "points_a": change.nanopoints_a if change.rank_a else None,
        "points_b": change.nanopoints_b if change.rank_b else None,
        "change": change.nanopoints,
    }


def part_values(part: Part) -> dict[str, Any]:
    """The columns of a part, with the last of its entries."""
    last = part.entries[-1] if part.entries else None
    return {
        "cause": part.cause,
        "tournament_id": part.tournament_id,
        "tournament": part.tournament,
        "event": part.event,
        "flight": part.flight,
        "kind": part.kind,
        "part": part.nanopoints,
        "note": part.note,
        "entry": last.sequence if last else None,
        "author": last.author if last else None,
        "recorded": last.day if last else None,
    }


def change_rows(change: Change) -> Iterator[dict[str, Any]]:
    """A row for each part of a change."""
    for part in change.parts or (None,):
        yield change_values(change) | (part_values(part) if part else {})


def changes_frame(changes: Iterable[Change]) -> pl.DataFrame:
    """A row for each part of each change; points are floats."""
    schema: dict[str, Any] = dict.fromkeys((*CHANGE_COLUMNS, *PART_COLUMNS), pl.String)
    schema |= dict.fromkeys((*IN_POINTS, *WHOLE_NUMBERS), pl.Int64)
    schema |= {"recorded": pl.Date}
    rows = [row for change in changes for row in change_rows(change)]
    frame = pl.DataFrame(rows, schema=schema)
    return frame.with_columns(in_points(frame[name]).alias(name) for name in IN_POINTS)
