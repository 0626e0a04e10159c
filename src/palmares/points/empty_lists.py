"""Why a list is empty, from the facts, the question and the selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any, TypeVar

import polars as pl
from msgspec.structs import replace

from palmares.core.errors import Location, Problem
from palmares.core.messages import LocalNumber, msg
from palmares.facts import Facts
from palmares.points import inputs
from palmares.points.awards import Question, Waiting
from palmares.points.ledger import AWARD_CLASS
from palmares.points.rankings import RankedList, Selection

List = TypeVar("List", bound=RankedList)

EVIDENCE = pl.Schema(
    {
        "what": pl.String(),  # tournament | event | member | award
        "word": pl.String(),  # its discipline, kind, federation, edition
        "effective": pl.Date(),  # of a tournament and its events, the last day
        "setting": pl.String(),
        "kind": pl.String(),
        "division": pl.Int64(),
    }
)


_WIDER = msg("Choose another day, or ask for less.")


def evidence(question: Question, facts: Facts, awards: pl.DataFrame) -> pl.DataFrame:
    """What a reason is looked for in.

    Args:
        question: the regulation, and what was chosen.
        facts: the facts.
        awards: what they are awarded; of the columns, `AWARD_CLASS` is looked at.

    Returns:
        The columns of `EVIDENCE`, each row once.
    """
    tournaments = facts["tournaments"]
    own = tournaments.filter(inputs.of_discipline(question.get_regulation()))
    events = facts["events"].filter(~inputs.left_out_of(question.regulation))
    events = events.join(own.select("tournament_id", effective="end_date"), on="tournament_id")
    parts = (
        ("tournament", tournaments, {"word": "discipline", "effective": "end_date"}),
        ("event", events, {"word": "kind", "effective": "effective"}),
        ("member", facts["memberships"], {"word": "federation"}),
        (
            "award",
            awards,
            {"word": "edition", **{name: name for name in AWARD_CLASS if name != "edition"}},
        ),
    )
    return pl.concat(_rows(*part) for part in parts)


def _rows(what: str, table: pl.DataFrame, columns: dict[str, str]) -> pl.DataFrame:
    """Some columns of a table as rows of `EVIDENCE`, each once."""
    cells = {"what": pl.lit(what), **{name: pl.col(of) for name, of in columns.items()}}
    return table.select(
        cells.get(name, pl.lit(None)).cast(kind).alias(name) for name, kind in EVIDENCE.items()
    ).unique()


def explained(ranking: List, question: Question, find: Callable[[], pl.DataFrame]) -> List:
    """A ranking, or totals, with the reason if it is empty.

    Args:
        ranking: the list.
        question: the regulation.
        find: gathers the `evidence`; called only if the list is empty.
    """
    if len(ranking.frame):
        return ranking
    why = why_empty(question, ranking.selection, find(), ranking.waiting)
    return replace(ranking, empty=(why,))


def why_empty(
    question: Question, selection: Selection, rows: pl.DataFrame, waiting: Sequence[Waiting] = ()
) -> Problem:
    """Why a list is empty.

    Args:
        question: the regulation, and what was chosen.
        selection: the day and what else decides which awards count.
        rows: the `evidence`.
        waiting: the events that would be in the list if they could be used.
    """
    if rows.filter(pl.col("what") == "award").is_empty():
        what, remedy = next(_of_facts(question, selection, rows, waiting))
    else:
        what, remedy = next(_of_awards(question, selection, rows))
    return Problem(at=Location(question.regulation), what=what, clause="empty list", remedy=remedy)


def _words(rows: pl.DataFrame, what: str) -> list[str]:
    """The different words of one kind of rows; empty where there is none."""
    return rows.filter(pl.col("what") == what)["word"].fill_null("").unique().sort().to_list()


def _of_facts(
    question: Question, selection: Selection, rows: pl.DataFrame, waiting: Sequence[Waiting]
) -> Iterator[tuple[str, str]]:
    """Why the facts give no award, and what to do; the first reason is shown."""
    regulation = question.get_regulation()
    disciplines = {word.lower() for word in _words(rows, "tournament")}
    if not disciplines:
        yield msg("there is no tournament"), msg("Add reports.")
    if not disciplines & {"", regulation.discipline}:
        yield (
            msg(
                "no tournament is of the discipline %(discipline)s; there are: %(others)s",
                discipline=(regulation.discipline,),
                others=tuple(sorted(disciplines)),
            ),
            msg("Choose another regulation, or look at the column discipline of the tournaments."),
        )
    rules = question.rulebook()
    events = rows.filter(pl.col("what") == "event")
    days = events["effective"].drop_nulls()
    if len(days) and days.filter(days <= selection.last_day).is_empty():
        yield _not_yet(selection, days)
    if waiting:
        yield (
            msg("no event counts yet: every one that would waits"),
            msg("Record what is missing; it is named with each event."),
        )
    if len(days) and not any(rules.on(day) for day in days.unique()):
        first = min(book.edition.in_force for book in rules.all if book.edition.in_force)
        yield (
            msg("every event is before the first edition, of %(day)s", day=_day(first)),
            msg("Look at the dates of the tournaments, or choose an edition for every day."),
        )
    kinds = set(_words(rows, "event"))
    if regulation.event_kinds and kinds and not kinds & set(regulation.event_kinds):
        yield (
            msg("no event is of a kind that earns points: %(kinds)s", kinds=regulation.event_kinds),
            msg("Fill in the column kind of the events."),
        )
    members = {word.lower() for word in _words(rows, "member")}
    if regulation.members_of and regulation.members_of not in members:
        yield (
            msg("%(federation)s has no members", federation=regulation.members_of),
            msg("Add memberships: only members earn points."),
        )
    yield (
        msg("no event gives points"),
        msg("The other warnings say what is wrong with which event."),
    )


def _of_awards(
    question: Question, selection: Selection, rows: pl.DataFrame
) -> Iterator[tuple[str, str]]:
    """Why a list has none of the awards, and what to do; the first reason is shown."""
    awards = rows.filter(pl.col("what") == "award")
    if awards.filter(pl.col("effective") <= selection.last_day).is_empty():
        yield _not_yet(selection, awards["effective"])
    counted = selection.apply(awards)
    if counted.is_empty():
        yield msg("no result is of the days, the setting and the kind asked for"), _WIDER
    left = question.days_left()
    if not any(
        left(day, edition, selection.as_of)[0] > 0
        for day, edition in counted.select("effective", "word").iter_rows()
    ):
        newest = _day(counted["effective"].max())
        yield msg("every result has expired; the last one is of %(day)s", day=newest), _WIDER
    if selection.nation:
        yield (
            msg("no player of %(nation)s has points in it", nation=selection.nation),
            msg("Ask for another nation, or for all."),
        )
    yield (
        msg("no player has more than 0 points"),
        msg("Look at the entry fees and the number of entrants of the events."),
    )


def _not_yet(selection: Selection, days: pl.Series) -> tuple[str, str]:
    what = msg(
        "no result counts up to %(day)s; the first one is of %(first)s",
        day=_day(selection.last_day),
        first=_day(days.min()),
    )
    return what, _WIDER


def _day(day: Any) -> LocalNumber:
    return LocalNumber(day.isoformat() if isinstance(day, date) else "?")
