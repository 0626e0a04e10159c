"""
The causes of changes in words: which tournament, which entries, what else there is to say.

    CAUSES      every cause there is, and what it means
    renamed     who is shown otherwise on the later list, and how so
    told        parts  ->  the same in order, with tournaments, notes and the entries behind them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from palmares.facts.rates import priced_by
from palmares.journal.commands.rates import stated_rates
from palmares.journal.projection.project import Projection, withheld_players
from palmares.journal.projection.state import (
    State,
    canonical_ids,
    changed_canonical_ids,
    subject_of,
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
    """Who is shown otherwise on the later list, in words that give no name away."""
    before, after = (inputs.people(one.facts) for one in (low, high))
    hidden = withheld_players(low.state), withheld_players(high.state)
    erased = {key for step in steps for group, key in step.said if group == "erasures"}
    found = {}
    for player in before.keys() & after.keys():
        then, now = before[player].name, after[player].name
        if player in erased:
            found[player] = "name erased"
        elif (player in hidden[0]) != (player in hidden[1]):  # shown or not: it may be hidden now
            found[player] = "name withheld" if player in hidden[1] else "name shown again"
        elif then != now:
            found[player] = "name changed"
    return dict(sorted(found.items()))


def with_entries(parts: pl.DataFrame, steps: Sequence[Step], ends: Sequence[Any]) -> pl.DataFrame:
    """Parts by player, cause and size, with ``tournament``, notes, and their ``entries``.

    Args:
        parts: of changes from the first list to the second.
        steps: that entries made between them, in whichever direction.
        ends: the two `palmares.lists.diff.Listing`, the first list first.
    """
    low, high = sorted((one.projection for one in ends), key=lambda one: one.state.sequence)
    names: dict[str, str] = {}
    for end in ends:
        names.update(end.projection.tables["tournaments"].select("tournament_id", "name").rows())
    behind = _finders(steps, high.state, low.tables["tournaments"], parts)
    found = parts.with_columns(_notes(ends))
    told = pl.col("cause").is_in(list(behind))
    loud, quiet = found.filter(told), found.filter(~told)  # nobody recorded that days passed
    entries = [list(behind[row["cause"]](row)) for row in loud.iter_rows(named=True)]
    listed = pl.List(pl.Int64)
    ranks = {one: at for at, one in enumerate(CAUSES)}
    order = ["player_id", "_cause", "_size", "tournament_id", "event_id", "flight", "kind"]
    return (
        pl.concat(
            [
                loud.with_columns(pl.Series("entries", entries, dtype=listed)),
                quiet.with_columns(pl.lit([], listed).alias("entries")),
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


def _notes(ends: Sequence[Any]) -> pl.Expr:
    """What more there is to say of a part: the column ``note``."""
    rules = " → ".join(rules_in_words(one.question) for one in ends)
    day = ends[1].selection.as_of
    known = ends[1].projection.tables["tournaments"]["tournament_id"].to_list()
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
        .when(~tournament.is_in(known))
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


# ── the entries behind a part ────────────────────────────────────────────────────────────────────


def _finders(
    steps: Sequence[Step],
    high: State,
    tournaments: pl.DataFrame,
    parts: pl.DataFrame,
) -> dict[str, Callable[[Row], Entries]]:
    """For every cause that has entries behind it: how to find them for a part."""
    said = {step.cause: step.said for step in steps}
    reports = {
        key: entries
        for step in steps
        for (group, key), entries in step.said.items()
        if group == "tournaments"
    }
    merged = canonical_ids(high.merges())
    overrides = _by(said.get("override", {}), lambda key: [key])
    names = _by(said.get("name", {}), lambda key: [key])
    rates = _by(said.get("rate", {}), lambda key: priced_by(stated_rates([key]), tournaments))
    members = _by(
        said.get("membership", {}), lambda key: [merged.get(subject_of(key), subject_of(key))]
    )

    def report(row: Row) -> Entries:
        found = high.report(row["tournament_id"])
        return reports.get(row["tournament_id"]) or (() if found is None else (found.sequence,))

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


def _by(said: EntriesByPlace, about: Callable[[str], Iterable[str]]) -> dict[str, Entries]:
    """The entries by the players or tournaments that a key is about."""
    found: dict[str, Entries] = {}
    for (_, key), entries in said.items():
        for one in about(key):
            found[one] = (*found.get(one, ()), *entries)
    return found


def _merging(steps: Sequence[Step], parts: pl.DataFrame) -> Callable[[Row], Entries]:
    """How to find the merges, and the undos of merges, behind a part."""
    pairs: dict[str, list[tuple[str, Entries]]] = {}  # player -> the others, and the entries
    for step in steps:
        if step.cause == "merge":
            for record, (then, now) in changed_canonical_ids(
                step.before.state, step.after.state
            ).items():
                entries = step.said.get(("merges", record), ())
                pairs.setdefault(then, []).append((now, entries))
                pairs.setdefault(now, []).append((then, entries))
    award = ("player_id", "event_id", "flight", "kind")
    held = set(parts.filter(pl.col("cause") == "merge").select(award).iter_rows())

    def merge(row: Row) -> Entries:
        others = pairs.get(row["player_id"], [])
        given = [
            entries
            for other, entries in others
            if (other, row["event_id"], row["flight"], row["kind"]) in held
        ]
        chosen = given or [entries for _, entries in others]
        return tuple(sorted({entry for entries in chosen for entry in entries}))

    return merge
