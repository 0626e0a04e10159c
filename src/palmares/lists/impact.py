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
from palmares.facts.subsets import played_in, subset
from palmares.journal.projection.project import Delta
from palmares.lists.live.update import Given, affected_tournaments
from palmares.points.awards import Awards, Question, Waiting, award
from palmares.points.ledger import AWARD_CLASS
from palmares.regulations import regulations

EFFECT = ("regulation", "tournament_id", "tournament", "player_id", "player",
          "before", "after", "change")  # fmt: skip
"""Points are nanopoints; before and after are empty where a player had, or has, no award.

The change is 0 where the same points count otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effect:
    """What a regulation makes of statements."""

    question: Question
    frame: pl.DataFrame  # the columns of EFFECT; only rows of which lists see a change
    waits: tuple[Waiting, ...]  # events that will wait: the reported ones, and others from now on
    mended: tuple[Waiting, ...]  # events that waited until now and will not
    notices: tuple[Problem, ...]
    given: Given | None = None  # the awards after, of the tournaments that were looked at

    @property
    def counts_otherwise(self) -> bool:
        """Whether points of somebody stay, and count from another day or on other lists."""
        return bool((self.frame["before"] == self.frame["after"]).any())


def effects(delta: Delta, questions: Sequence[Question] | None = None) -> list[Effect]:
    """What the regulations award after some entries, and what they awarded before.

    Args:
        delta: how the facts grew.
        questions: the regulations to ask; without it, all we hold that award points.
    """
    moved = _of_another_nation(delta)
    tournaments = affected_tournaments(delta) | played_in(delta.after.tables, moved)
    if not tournaments:
        return []
    before, after = (
        Facts(subset(one.tables, tournaments), may_wait=True) for one in (delta.before, delta.after)
    )
    if questions is None:
        held = [regulation for regulation in regulations().values() if regulation.kinds]
        questions = [Question(regulation=one.name) for one in held]
    found = []
    disciplines = _disciplines(before) | _disciplines(after)
    for question in questions:
        if disciplines & {None, question.get_regulation().discipline}:
            if question.aggregate.latest:
                whole = delta.before.facts, delta.after.facts
                found.append(_effect(question, *whole, delta.tournaments))
            else:
                found.append(_effect(question, before, after, delta.tournaments, tournaments))
    return [one for one in found if one.waits or one.mended or one.frame.height]


def _disciplines(facts: Facts) -> set[str | None]:
    """Of tournaments; without one, every regulation sees them."""
    of = facts["tournaments"]["discipline"].to_list()
    return {None if one is None else one.lower() for one in of}


def _of_another_nation(delta: Delta) -> set[str]:
    """Players who have another nation now: lists of nations move."""
    stated = pl.col("player_id").is_in(list(delta.players))
    old, new = (one.tables["players"].filter(stated) for one in (delta.before, delta.after))
    both = old.join(new, on="player_id", suffix="_new")
    return set(both.filter(pl.col("nation").ne_missing(pl.col("nation_new")))["player_id"])


# ── what they award ──────────────────────────────────────────────────────────────────────────────


def _effect(
    question: Question,
    before: Facts,
    after: Facts,
    reported: Collection[str],
    of: Collection[str] = (),
) -> Effect:
    """The awards of two sets of facts, whole or *of* some tournaments, against each other."""
    old, new = (
        None if one["tournaments"].is_empty() else award(question, one, terms=False)
        for one in (before, after)
    )
    waited, waits = ({one.event_id: one for one in (each.waiting if each else ())}
                     for each in (old, new))  # fmt: skip
    return Effect(
        question=question,
        frame=_changed_rows(
            question, _points(question, before, old), _points(question, after, new)
        ),
        waits=tuple(
            one
            for event, one in waits.items()
            if event not in waited or one.tournament_id in reported
        ),
        mended=tuple(one for event, one in waited.items() if event not in waits),
        notices=new.notices if new else (),
        given=Given(frozenset(of), new) if new and of else None,
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
        pl.col(one).cast(pl.String).fill_null("")
        for one in (*AWARD_CLASS, "nanopoints", "nation_now")
    ),
    separator="|",
)
"""All that a list looks at in an award."""


def _points(question: Question, facts: Facts, given: Awards | None) -> pl.DataFrame:
    """Points by tournament and player, and how they count; of a rating, the latest by player."""
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
    """Rows of which a list sees a change: the points, or how they count."""
    keys = ["tournament_id", "player_id"]
    both = old.join(new, on=keys, how="full", nulls_equal=True, suffix="_new", coalesce=True)
    change = pl.col("points_new").fill_null(0) - pl.col("points").fill_null(0)
    return (
        both.filter(pl.col("counted").ne_missing(pl.col("counted_new")))
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
