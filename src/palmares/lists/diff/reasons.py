"""Why players changed between two lists: causes, notes, and the entries that caused a part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

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
from palmares.lists.diff.parts import (
    EXPIRED,
    DiffStep,
    EntriesByPlace,
    ExactPart,
    ExactParts,
    PartKey,
)
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

Entries = tuple[int, ...]
Finder = Callable[[str, PartKey], Entries]
"""Finds the entries behind a part, given its player and key."""


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """What is said of parts beside their numbers: the tournament, a note, the entries."""

    rules: str  # of both lists, in words
    day: date  # of the second list
    projections: Sequence[Projection]  # the facts of both lists
    unknown: Collection[str]  # tournaments that the second list does not know
    finders: Mapping[str, Finder]  # by cause

    def names(self, tournaments: Collection[str]) -> Mapping[str, str]:
        """The names of some tournaments; on the second list, if it knows them."""
        names: dict[str, str] = {}
        for facts in reversed(self.projections):
            if unnamed := set(tournaments).difference(names):
                here = pl.col("tournament_id").is_in(list(unnamed))
                table = facts.tables["tournaments"].filter(here)
                names |= dict(table["tournament_id", "name"].iter_rows())
        return names

    def entries(self, player: str, key: PartKey) -> Entries:
        """The entries that caused a part of a player's change."""
        find = self.finders.get(key.cause)
        return () if find is None else find(player, key)

    def note(self, key: PartKey, part: ExactPart, nanopoints: int) -> str:
        """What is said beside a part."""
        if key.cause == "edition":
            return self.rules
        if part.note == EXPIRED and nanopoints > 0:
            return "expired on the first list"
        if not key.tournament_id:
            return START
        if key.cause != "new result":
            return part.note
        if key.tournament_id in self.unknown:
            return "not known to the second list"
        return f"after {self.day}" if part.effective and part.effective > self.day else ""


def reasons_between(
    questions: Sequence[Question],
    day: date,
    projections: Sequence[Projection],
    taken: Sequence[DiffStep],
    along: ExactParts,
) -> Reasons:
    """What is said of parts.

    Args:
        questions: of the first list and the second.
        day: of the second.
        projections: the facts of both.
        taken: the steps between them.
        along: the parts of changes by these steps.
    """
    low, high = sorted(projections, key=lambda facts: facts.state.sequence)
    second = projections[1].state
    return Reasons(
        rules=" → ".join(map(rules_in_words, questions)),
        day=day,
        projections=projections,
        unknown={each for step in taken for each in step.tournaments if not second.report(each)},
        finders=_finders(taken, high.state, low, along),
    )


def rules_in_words(question: Question) -> str:
    """Edition and readings of a question: "2019-01, U4=new"; "by date" where none is chosen."""
    chosen = [f"{reading}={option}" for reading, option in (question.chosen or {}).items()]
    return ", ".join([question.edition or "by date", *chosen])


# ── the entries that caused a part ───────────────────────────────────────────────────────────────


def _finders(
    steps: Sequence[DiffStep],
    high: State,
    low: Projection,
    parts: ExactParts,
) -> dict[str, Finder]:
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

    def report(_: str, key: PartKey) -> Entries:
        statement = high.report(key.tournament_id)
        return reports.get(key.tournament_id) or (
            () if statement is None else (statement.sequence,)
        )

    return {
        "new result": report,
        "withdrawal": report,
        "correction": report,
        "override": lambda _, key: overrides.get(key.tournament_id, ()),
        "rate": lambda _, key: rates.get(key.tournament_id, ()),
        "membership": lambda player, _: members.get(player, ()),
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


def _merging(steps: Sequence[DiffStep], parts: ExactParts) -> Finder:
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

    def merge(player: str, key: PartKey) -> Entries:
        others = pairs.get(player, [])
        given = [entries for other, entries in others if key in parts.by_player.get(other, {})]
        chosen = given or [entries for _, entries in others]
        return tuple(sorted({entry for entries in chosen for entry in entries}))

    return merge
