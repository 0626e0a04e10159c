"""
Why nobody is on a list, said from the facts, the question and what was selected.

    evidence    facts and their awards  ->  a few rows, which shards can make apart
    why_empty   a question, a selection and the evidence  ->  the reason
    explained   a ranking, or totals  ->  the same, with the reason if it is empty
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

import polars as pl

from palmares.awards import Question, Waiting
from palmares.errors import Problem
from palmares.facts import Facts
from palmares.ledgers import STAMP
from palmares.rankings import Ranking, Selection, faded
from palmares.sentences import Figures, said
from palmares.totals import Totals

List = TypeVar("List", Ranking, Totals)

EVIDENCE = pl.Schema(
    {
        "what": pl.String(),  # tournament | event | member | award
        "word": pl.String(),  # its discipline, kind, federation, edition
        "effective": pl.Date(),  # of a tournament and its events, the last day
        "setting": pl.String(),
        "kind": pl.String(),
    }
)


_WIDER = said("Choose another day, or ask for less.")


def evidence(question: Question, facts: Facts, awards: pl.DataFrame) -> pl.DataFrame:
    """What a reason is looked for in.

    Args:
        question: the regulation, and what was chosen.
        facts: the facts.
        awards: what they are awarded; of the columns, `STAMP` is looked at.

    Returns:
        The columns of `EVIDENCE`, each row once.
    """
    tournaments = facts["tournaments"]
    own = tournaments.filter(
        pl.col("discipline").is_null()
        | (pl.col("discipline").str.to_lowercase() == question.held().discipline)
    ).select("tournament_id", pl.col("end_date").alias("effective"))
    left_out = pl.col("not_counted_in").fill_null("").str.split(" ")
    events = (
        facts["events"]
        .filter(~left_out.list.contains(question.regulation))
        .join(own, on="tournament_id")
    )
    found = (
        ("tournament", tournaments, {"word": "discipline", "effective": "end_date"}),
        ("event", events, {"word": "kind", "effective": "effective"}),
        ("member", facts["memberships"], {"word": "federation"}),
        ("award", awards, {"word": "edition", **{one: one for one in STAMP if one != "edition"}}),
    )
    return pl.concat(_rows(*one) for one in found)


def _rows(what: str, table: pl.DataFrame, columns: dict[str, str]) -> pl.DataFrame:
    """Some columns of a table as rows of `EVIDENCE`, each once."""
    held = {"what": pl.lit(what), **{name: pl.col(of) for name, of in columns.items()}}
    return table.select(
        held.get(name, pl.lit(None)).cast(kind).alias(name) for name, kind in EVIDENCE.items()
    ).unique()


def explained(found: List, question: Question, find: Callable[[], pl.DataFrame]) -> List:
    """A ranking, or totals, with the reason why nobody is on the list, if nobody is.

    Args:
        found: the list.
        question: what was asked.
        find: gathers the `evidence`; asked only if the list is empty.
    """
    if len(found.frame):
        return found
    why = why_empty(question, found.selection, find(), found.waiting)
    return replace(found, empty=(why,))


def why_empty(
    question: Question, selection: Selection, found: pl.DataFrame, waiting: Sequence[Waiting] = ()
) -> Problem:
    """Why nobody is on a list.

    Args:
        question: the regulation, and what was chosen.
        selection: the day and what else decides which awards count.
        found: the `evidence`.
        waiting: the events that would be in the list if they could be used.
    """
    if found.filter(pl.col("what") == "award").is_empty():
        what, remedy = next(_of_facts(question, selection, found, waiting))
    else:
        what, remedy = next(_of_awards(question, selection, found))
    return Problem(where=question.regulation, what=what, clause="empty list", remedy=remedy)


def _words(found: pl.DataFrame, what: str) -> list[str]:
    """The different words of one kind of rows; empty where there is none."""
    return found.filter(pl.col("what") == what)["word"].fill_null("").unique().sort().to_list()


def _of_facts(
    question: Question, selection: Selection, found: pl.DataFrame, waiting: Sequence[Waiting]
) -> Iterator[tuple[str, str]]:
    """Why the facts give no award at all, and what to do; the first reason is the one."""
    held = question.held()
    disciplines = {one.lower() for one in _words(found, "tournament")}
    if not disciplines:
        yield said("there is no tournament"), said("Add reports.")
    if not disciplines & {"", held.discipline}:
        yield (
            said(
                "no tournament is of the discipline %(discipline)s; there are: %(others)s",
                discipline=(held.discipline,),
                others=tuple(sorted(disciplines)),
            ),
            said("Choose another regulation, or look at the column discipline of the tournaments."),
        )
    rules = question.rulebook()
    events = found.filter(pl.col("what") == "event")
    days = events["effective"].drop_nulls()
    if len(days) and days.filter(days <= selection.last_day).is_empty():
        yield _not_yet(selection, days)
    if waiting:
        yield (
            said("no event counts yet: every one that would waits"),
            said("Record what is missing; it is named with each event."),
        )
    if len(days) and not any(rules.on(day) for day in days.unique()):
        first = min(one.edition.in_force for one in rules.all if one.edition.in_force)
        yield (
            said("every event is before the first edition, of %(day)s", day=_day(first)),
            said("Look at the dates of the tournaments, or choose an edition for every day."),
        )
    kinds = set(_words(found, "event"))
    if held.event_kinds and kinds and not kinds & set(held.event_kinds):
        yield (
            said("no event is of a kind that earns points: %(kinds)s", kinds=held.event_kinds),
            said("Fill in the column kind of the events."),
        )
    members = {one.lower() for one in _words(found, "member")}
    if held.members_of and held.members_of not in members:
        yield (
            said("nobody is a member of %(federation)s", federation=held.members_of),
            said("Add memberships: only members earn points."),
        )
    yield (
        said("no event gives anybody points"),
        said("The other warnings say what is wrong with which event."),
    )


def _of_awards(
    question: Question, selection: Selection, found: pl.DataFrame
) -> Iterator[tuple[str, str]]:
    """Why none of the awards is in a list, and what to do; the first reason is the one."""
    awards = found.filter(pl.col("what") == "award")
    if awards.filter(pl.col("effective") <= selection.last_day).is_empty():
        yield _not_yet(selection, awards["effective"])
    counted = selection.apply(awards)
    if counted.is_empty():
        yield said("no result is of the days, the setting and the kind asked for"), _WIDER
    fade, editions = faded(question), {one.edition.id: one for one in question.rulebook().all}
    if not any(
        fade(editions[edition], day, selection.as_of)[0] > 0
        for day, edition in counted.select("effective", "word").iter_rows()
    ):
        newest = _day(counted["effective"].max())
        yield said("every result has expired; the last one is of %(day)s", day=newest), _WIDER
    if selection.nation:
        yield (
            said("nobody of %(nation)s has points in it", nation=selection.nation),
            said("Ask for another nation, or for all."),
        )
    yield (
        said("nobody has more than 0 points"),
        said("Look at the entry fees and the number of entrants of the events."),
    )


def _not_yet(selection: Selection, days: pl.Series) -> tuple[str, str]:
    """All results are of later days."""
    what = said(
        "no result counts up to %(day)s; the first one is of %(first)s",
        day=_day(selection.last_day),
        first=_day(days.min()),
    )
    return what, _WIDER


def _day(day: Any) -> Figures:
    return Figures(day.isoformat() if isinstance(day, date) else "?")
