"""
The impact of entries on points, before they are recorded.

Where awards add up, only changed tournaments are computed; a rating has a row for each player whose
rating changes in the end. Points that stay have a row if lists count them differently.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import polars as pl

from palmares.core.errors import Problem
from palmares.facts import Facts
from palmares.facts.merge import played_in, subset
from palmares.journal.projection.project import Delta
from palmares.lists.live import affected_tournaments
from palmares.points.awards import Awards, Question, Waiting, award
from palmares.points.ledger import AWARD_CLASS
from palmares.regulations import regulations

EFFECT = ("regulation", "tournament_id", "tournament", "player_id", "player",
          "before", "after", "change")  # fmt: skip
"""The columns of effects. Points are nanopoints, empty if a player had, or has, no award; a change
of 0 means that the same points count differently."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effect:
    """The effect of entries under a regulation."""

    question: Question
    frame: pl.DataFrame  # the columns of EFFECT
    waits: tuple[Waiting, ...]  # events that will wait: reported ones, and others from now on
    mended: tuple[Waiting, ...]  # events that will wait no longer
    notices: tuple[Problem, ...]

    @property
    def counts_otherwise(self) -> bool:
        """Whether some points stay, but count from another day or on other lists."""
        return bool((self.frame["before"] == self.frame["after"]).any())


def effects(delta: Delta, questions: Sequence[Question] | None = None) -> list[Effect]:
    """The effects of some entries, by regulation.

    Args:
        delta: the facts before and after.
        questions: the regulations; by default, all that award points.
    """
    moved = _of_another_nation(delta)
    tournaments = affected_tournaments(delta) | played_in(delta.after.tables, moved)
    if not tournaments:
        return []
    before, after = (
        Facts(subset(projection.tables, tournaments), may_wait=True)
        for projection in (delta.before, delta.after)
    )
    if questions is None:
        awarding = [regulation for regulation in regulations().values() if regulation.kinds]
        questions = [Question(regulation=regulation.name) for regulation in awarding]
    all_effects = []
    disciplines = _disciplines(before) | _disciplines(after)
    for question in questions:
        if disciplines & {None, question.get_regulation().discipline}:
            facts = before, after
            if question.aggregate.latest:
                facts = delta.before.facts, delta.after.facts
            all_effects.append(_effect(question, *facts, delta.tournaments))
    return [
        effect for effect in all_effects if effect.waits or effect.mended or effect.frame.height
    ]


def _disciplines(facts: Facts) -> set[str | None]:
    """The disciplines of tournaments; None belongs to every regulation."""
    return set(facts["tournaments"]["discipline"].str.to_lowercase())


def _of_another_nation(delta: Delta) -> set[str]:
    """Players with another nation now."""
    changed = pl.col("player_id").is_in(list(delta.players))
    old, new = (
        projection.tables["players"].filter(changed) for projection in (delta.before, delta.after)
    )
    joined = old.join(new, on="player_id", suffix="_new")
    return set(joined.filter(pl.col("nation").ne_missing(pl.col("nation_new")))["player_id"])


# ── awards before and after ──────────────────────────────────────────────────────────────────────


def _effect(
    question: Question,
    before: Facts,
    after: Facts,
    reported: Collection[str],
) -> Effect:
    """Compare the awards of two sets of facts."""
    old, new = (
        None if facts["tournaments"].is_empty() else award(question, facts, terms=False)
        for facts in (before, after)
    )
    waited, waits = (
        {event.event_id: event for event in (awards.waiting if awards else ())}
        for awards in (old, new)
    )
    return Effect(
        question=question,
        frame=_changed_rows(
            question, _points(question, before, old), _points(question, after, new)
        ),
        waits=tuple(
            event
            for id_, event in waits.items()
            if id_ not in waited or event.tournament_id in reported
        ),
        mended=tuple(event for id_, event in waited.items() if id_ not in waits),
        notices=new.notices if new else (),
    )


_SCHEMA = {
    "tournament_id": pl.String,
    "tournament": pl.String,
    "player_id": pl.String,
    "player": pl.String,
    "points": pl.Int64,
    "counted": pl.String,
}
_COUNTED = pl.concat_str(
    *(
        pl.col(name).cast(pl.String).fill_null("")
        for name in (*AWARD_CLASS, "nanopoints", "nation_now")
    ),
    separator="|",
)
"""Everything in an award that matters to lists."""


def _points(question: Question, facts: Facts, given: Awards | None) -> pl.DataFrame:
    """Points by tournament and player, and how they count; in a rating, the last by player."""
    if given is None:
        return pl.DataFrame(schema=_SCHEMA)
    if question.aggregate.latest:
        rows = given.frame.sort("order", "nanopoints").group_by("player_id").last()
        rows = rows.with_columns(
            pl.lit(None, pl.String).alias("tournament_id"), _COUNTED.alias("counted")
        )
    else:
        rows = given.frame.with_columns(_COUNTED.alias("counted"))
        rows = rows.group_by("tournament_id", "player_id").agg(
            pl.col("player").first(),
            pl.col("nanopoints").sum(),
            pl.col("counted").sort().str.join("\n"),
        )
    names = facts["tournaments"].select("tournament_id", pl.col("name").alias("tournament"))
    rows = rows.join(names, on="tournament_id", how="left").with_columns(points="nanopoints")
    return rows.select(*_SCHEMA)


def _changed_rows(question: Question, old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The rows with other points, or points that count differently."""
    keys = ["tournament_id", "player_id"]
    joined = old.join(new, on=keys, how="full", nulls_equal=True, suffix="_new", coalesce=True)
    change = pl.col("points_new").fill_null(0) - pl.col("points").fill_null(0)
    return (
        joined.filter(pl.col("counted").ne_missing(pl.col("counted_new")))
        .select(
            pl.lit(question.regulation).alias("regulation"),
            "tournament_id",
            pl.coalesce("tournament_new", "tournament").alias("tournament"),
            "player_id",
            pl.coalesce("player_new", "player").alias("player"),
            pl.col("points").alias("before"),
            pl.col("points_new").alias("after"),
            change.alias("change"),
        )
        .sort("tournament_id", "after", "player", "player_id",
              descending=[False, True, False, False], nulls_last=True)
    )  # fmt: skip
