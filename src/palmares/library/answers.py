"""Questions that the command line and ``import palmares`` answer by the same functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from palmares.engines import Engine
from palmares.engines.shards import write_parquet
from palmares.facts import Facts
from palmares.formats.load import MOST_NOTICES
from palmares.points import awards, empty_lists, ledger, master_points
from palmares.points.awards import Awards, Question
from palmares.points.master_points import MasterPoints
from palmares.points.rankings import Ranking, Selection

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from palmares.engines.queries import EngineAwards
    from palmares.lists.live import JournalAwards


def is_engine(facts: object) -> TypeIs[Engine]:
    """Whether facts are those of an engine."""
    return hasattr(facts, "by_tournament")


def award(question: Question, facts: Facts | Engine) -> Awards | EngineAwards:
    """Every award, with its terms; if there is none, it says why."""
    if is_engine(facts):
        from palmares.engines import queries

        return queries.award(facts, question)
    given = awards.award(question, facts, most_notices=MOST_NOTICES + 1)
    return empty_lists.explained_awards(given, facts)


def write_awards(given: Awards | EngineAwards, path: str, partition_by: Sequence[str]) -> None:
    """Write awards as Parquet, in a folder for each value of some columns."""
    if isinstance(given, Awards):
        write_parquet(given.published().lazy(), path, partition_by)
    else:
        given.write(path, partition_by)


def rank(
    question: Question,
    facts: Facts | Engine | JournalAwards,
    selection: Selection,
    *,
    by: str = "player",
    top: int | None = None,
) -> Ranking:
    """A ranking; an empty one says why it is empty."""
    if is_engine(facts):
        from palmares.engines import queries

        return queries.rank(facts, question, selection, by=by, top=top)
    if isinstance(facts, Facts):
        given = _for_a_list(question, facts)
        ranking = ledger.rank(given, selection, by=by, top=top)
        return empty_lists.explained(ranking, lambda: (facts, given.frame))
    from palmares.lists import live

    ranking = live.ranking(facts, selection, top, by=by)
    return empty_lists.explained(
        ranking, lambda: (facts.projection.facts, live.award_classes(facts))
    )


def rank_master_points(
    question: Question,
    facts: Facts | Engine,
    selection: Selection,
    levels: Mapping[str, Fraction] | None = None,
) -> MasterPoints:
    """Master points side by side; an empty list says why it is empty."""
    if is_engine(facts):
        from palmares.engines import queries

        return queries.rank_master_points(facts, question, selection, levels)
    given = _for_a_list(question, facts)
    totals = master_points.rank_master_points(given, selection, levels)
    return empty_lists.explained(totals, lambda: (facts, given.frame))


def _for_a_list(question: Question, facts: Facts) -> Awards:
    return awards.award(question, facts, terms=False, most_notices=MOST_NOTICES + 1)
