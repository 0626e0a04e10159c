"""Questions to kept awards: lists of a day, days with results, one tournament."""

from __future__ import annotations

import numpy as np
import polars as pl

from palmares.lists.live.update import KeptAwards
from palmares.points import awards, ledger, rankings
from palmares.points.award_table import PUBLIC_NAME, of_frame
from palmares.points.awards import Awards
from palmares.points.ledger_rows import KEPT_CLASS, MOMENT
from palmares.points.rankings import Ranking, Selection

AWARDS = (
    "tournament_id",
    "tournament",
    "event_id",
    "event",
    "player_id",
    *KEPT_CLASS,
    "nanopoints",
)
"""The columns of awards of one tournament or player."""


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def ranking(
    given: KeptAwards, selection: Selection, top: int | None = None, *, by: str = "player"
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
        whole = awards.award(question, given.projection.facts, terms=False)
        return ledger.rank(whole, selection, by=by, top=top)
    return ledger.ranking(given.ledger, selection, top, by=by)


def places(given: KeptAwards, selection: Selection) -> pl.DataFrame:
    """The ranks of everybody on a list; see `palmares.points.ledger.ranks_of_all`."""
    if selection.nation and rankings.by_event(given.question):
        return ranking(given, selection).frame.select(ledger.PLACES)
    return ledger.ranks_of_all(given.ledger, selection)


def effective(given: KeptAwards) -> pl.Series:
    """The days from which awards put a player on a list, each once."""
    rows = given.in_force()
    if not given.question.aggregate.latest:  # 0 points put nobody on a list
        rows = rows.filter(pl.col("nanopoints") > 0)
    return _award_classes(given, rows)["effective"].unique()


def award_classes(given: KeptAwards) -> pl.DataFrame:
    """What awards have in common, each once; not that of withdrawn events."""
    return _award_classes(given, given.in_force())


def _award_classes(given: KeptAwards, rows: pl.DataFrame) -> pl.DataFrame:
    """The classes of some awards, each once."""
    return given.names.award_classes.select(pl.all().gather(rows["award_class"].unique()))


# ── one tournament, one player ───────────────────────────────────────────────────────────────────


def of_tournament(given: KeptAwards, tournament_id: str) -> pl.DataFrame:
    """The awards of one tournament, `AWARDS`; an unknown one has none."""
    wanted = (given.names.events["tournament_id"] == tournament_id).arg_true()
    here = pl.col("event").is_in(wanted.implode())
    replaced = pl.col("player").is_in(pl.Series(given.newer.players).implode())
    older = given.rows.frame.filter(here, ~replaced)
    return with_names(given, pl.concat([older, given.newer.frame.filter(here)]))


def of_players(given: KeptAwards, *numbers: int) -> pl.DataFrame:
    """The awards of some players, by their numbers, `AWARDS`; in the order of time."""
    return with_names(given, given.of(np.array(sorted(numbers), np.int64)))


def as_awards(given: KeptAwards) -> Awards:
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


def with_names(given: KeptAwards, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with what their numbers stand for, `AWARDS`, in the order of time."""
    names = given.names
    frame = pl.concat(
        [
            names.events[rows["event"]].rename(
                {"event_name": "event", "tournament_name": "tournament"}
            ),
            names.award_classes[rows["award_class"]],
            names.players[rows["player"]],
            rows.select("grant", "nanopoints"),
        ],
        how="horizontal",
    )
    return frame.sort(*MOMENT, "grant", nulls_last=False)[list(AWARDS)]
