"""Why players changed between two lists: causes, notes, and the entries that caused a part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from palmares.facts.rates import priced_by
from palmares.journal.commands.transaction import stated_rates
from palmares.journal.projection.project import (
    Projection,
    State,
    canonical_ids,
    changed_canonical_ids,
    subject_of,
)
from palmares.lists.diff.parts import EXPIRED, DiffStep, EntriesByPlace
from palmares.points.awards import Question

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


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """What is said of parts beside their numbers: the tournament, a note, the entries."""

    rules: str  # of both lists, in words
    day: date  # of the second list
    tournaments: tuple[pl.DataFrame, ...]  # of both lists: tournament_id, name
    unknown: Collection[str]  # tournaments that the second list does not know
    finders: Mapping[str, Callable[[Row], Entries]]  # by cause

    def with_entries(self, parts: pl.DataFrame) -> pl.DataFrame:
        """Parts by player, cause and size, with ``tournament``, ``note`` and ``entries``."""
        here = pl.col("tournament_id").is_in(parts["tournament_id"].unique().implode())
        names = dict(row for table in self.tournaments for row in table.filter(here).iter_rows())
        ranks = {cause: rank for rank, cause in enumerate(CAUSES)}
        order = ["player_id", "_cause", "_size", "tournament_id", "event_id", "flight", "kind"]
        noted = (
            parts.with_columns(
                self._note(),
                _named("tournament_id", names, pl.String).alias("tournament"),
                _named("cause", ranks, pl.Int64).alias("_cause"),
                pl.col("nanopoints").abs().alias("_size"),
            )
            .sort(order, descending=[column == "_size" for column in order])
            .drop("_cause", "_size")
        )
        entries = [
            find(row) if (find := self.finders.get(row["cause"])) else ()
            for row in noted.iter_rows(named=True)
        ]
        return noted.with_columns(
            pl.Series("entries", entries, pl.List(pl.Int64)),
            pl.col("tournament_id", "event_id", "event", "flight").replace("", None),
        )

    def _note(self) -> pl.Expr:
        """The column ``note`` of parts."""
        cause, tournament = pl.col("cause"), pl.col("tournament_id")
        return (
            pl.when(cause == "edition")
            .then(pl.lit(self.rules))
            .when((pl.col("note") == EXPIRED) & (pl.col("weight") > 0))
            .then(pl.lit("expired on the first list"))
            .when(tournament == "")
            .then(pl.lit(START))
            .when(cause != "new result")
            .then(pl.col("note"))
            .when(tournament.is_in(list(self.unknown)))
            .then(pl.lit("not known to the second list"))
            .when(pl.col("effective") > self.day)
            .then(pl.lit(f"after {self.day}"))
            .otherwise(pl.lit(""))
            .alias("note")
        )


def reasons_between(
    questions: Sequence[Question],
    day: date,
    projections: Sequence[Projection],
    taken: Sequence[DiffStep],
    along: pl.DataFrame,
) -> Reasons:
    """What is said of parts.

    Args:
        questions: of the first list and the second.
        day: of the second.
        projections: the facts of both.
        taken: the steps between them.
        along: parts of changes by these steps.
    """
    low, high = sorted(projections, key=lambda facts: facts.state.sequence)
    second = projections[1].state
    return Reasons(
        rules=" → ".join(map(rules_in_words, questions)),
        day=day,
        tournaments=tuple(
            facts.tables["tournaments"][["tournament_id", "name"]] for facts in projections
        ),
        unknown={each for step in taken for each in step.tournaments if not second.report(each)},
        finders=_finders(taken, high.state, low, along),
    )


def _named(column: str, values: Mapping[str, Any], kind: Any) -> pl.Expr:
    return pl.col(column).replace_strict(values, default=None, return_dtype=kind)


def rules_in_words(question: Question) -> str:
    """Edition and readings of a question: "2019-01, U4=new"; "by date" where none is chosen."""
    chosen = [f"{reading}={option}" for reading, option in (question.chosen or {}).items()]
    return ", ".join([question.edition or "by date", *chosen])


# ── the entries that caused a part ───────────────────────────────────────────────────────────────


def _finders(
    steps: Sequence[DiffStep],
    high: State,
    low: Projection,
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
    rates = _by(
        by_cause.get("rate", {}),
        lambda key: priced_by(stated_rates([key]), low.tables["tournaments"]),
    )
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
    merged = pl.col("cause") == "merge"
    merged_awards = set(parts.filter(merged).select(award).iter_rows()) if pairs else set()

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
