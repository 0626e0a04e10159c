"""The causes of changes, and the entries behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from palmares.facts.rates import priced_by
from palmares.journal.commands.rates import stated_rates
from palmares.journal.projection.project import (
    Projection,
    State,
    canonical_ids,
    changed_canonical_ids,
    subject_of,
    withheld_players,
)
from palmares.lists.diff.parts import EXPIRED
from palmares.lists.diff.steps import EntriesByPlace, Step
from palmares.points import inputs
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
    "name": "shown otherwise; rank and points are not touched by it",
}
"""Every cause of a change between two lists."""

START = "the rating to start from"

Row = Mapping[str, Any]
Entries = tuple[int, ...]


def name_changes(steps: Iterable[Step], low: Projection, high: Projection) -> dict[str, str]:
    """Players whose names changed between the lists, with the kind of change."""
    before, after = (inputs.people(projection.facts) for projection in (low, high))
    hidden = withheld_players(low.state), withheld_players(high.state)
    erased = {key for step in steps for group, key in step.entries if group == "erasures"}
    kinds = {}
    for player in before.keys() & after.keys():
        then, now = before[player].name, after[player].name
        if player in erased:
            kinds[player] = "name erased"
        elif (player in hidden[0]) != (
            player in hidden[1]
        ):  # the names themselves may be withheld in both
            kinds[player] = "name withheld" if player in hidden[1] else "name shown again"
        elif then != now:
            kinds[player] = "name changed"
    return dict(sorted(kinds.items()))


def with_entries(
    parts: pl.DataFrame, steps: Sequence[Step], listings: Sequence[Any]
) -> pl.DataFrame:
    """Parts in order of player, cause and size, with ``tournament``, ``note`` and ``entries``.

    Args:
        parts: of changes from the first list to the second.
        steps: between the two lists.
        listings: the first list and the second.
    """
    low, high = sorted((one.projection for one in listings), key=lambda one: one.state.sequence)
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
    ranks = {one: at for at, one in enumerate(CAUSES)}
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
        .sort(order, descending=[one == "_size" for one in order])
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
    steps: Sequence[Step],
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
    names = _by(by_cause.get("name", {}), lambda key: [key])
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
        "name": lambda row: names.get(row["player_id"], ()),
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


def _merging(steps: Sequence[Step], parts: pl.DataFrame) -> Callable[[Row], Entries]:
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
