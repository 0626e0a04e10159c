"""
Publications: lists that somebody announced, with the hashes of all they rest on.

    made            facts and what is asked of them  ->  Made: the statement, and the ranking
    doubts          a statement, and the day it is  ->  what whoever publishes it should know
    publishing      a statement  ->  the action that records it in a journal
    Publication     the statement: what was asked, of which facts and rules, and what came of it
    JournalHead     the last entry of the journal that the facts are of
    same            whether two statements announce one list of the same facts by the same rules
    named           what a list is called: "wbgf 2005-12-31"
    filed           the same as its files begin: "wbgf-2005-12-31-by-nation"

A statement holds its list, so nothing that is recorded later can change it. It holds ids, ranks,
nations and nanopoints, and no names: whoever is erased afterwards keeps their place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from importlib.metadata import version
from typing import Any

import msgspec
import polars as pl

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import hint, msg
from palmares.facts import Facts
from palmares.facts.text import cleaned
from palmares.journal.commands.transaction import Transaction, action
from palmares.journal.store.entries import Draft, Head
from palmares.journal.store.kinds import (
    Count,
    JournalHead,
    ListSelection,
    PublicationHead,
    Readings,
    TableHash,
)
from palmares.lists.publication.digests import hash_facts, sha256_of
from palmares.lists.publication.rules import code_hash, edition_hash
from palmares.points.awards import Awards, Question, Waiting, award, say_waiting
from palmares.points.empty_lists import evidence, explained
from palmares.points.ledger import rank
from palmares.points.rankings import TOTAL, Ranking, Selection, refuse_nonsense
from palmares.regulations.editions import Edition, Reading

KIND = "publication"


class PublishedRows(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A list column by column; by player it has their ids, by nation how many players count."""

    rank: list[Count]
    nation: list[str | None]
    nanopoints: list[Count]
    player_id: list[str] | msgspec.UnsetType = msgspec.UNSET
    players: list[Count] | msgspec.UnsetType = msgspec.UNSET


class Publication(
    PublicationHead, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"rows": "list"}
):
    """What is announced: the list, what was asked, and the hashes of what it rests on."""

    rows: PublishedRows

    @property
    def name(self) -> str:
        """What the list is called."""
        return list_name(self.question(), self.selection)

    def chosen_results(self) -> Selection:
        """Which results it counts, as rankings take it."""
        given = msgspec.structs.asdict(self.selection)
        del given["by"]
        return Selection(**given)

    def question(self) -> Question:
        """Which rules were asked."""
        return Question(
            regulation=self.regulation, edition=self.edition, chosen=self.readings.chosen
        )

    def frame(self) -> pl.DataFrame:
        """The list by rank and id: rank, player_id or players, nation, nanopoints."""
        whole = dict.fromkeys(("rank", "nanopoints", "players"), pl.Int64)
        kinds = {**whole, "player_id": pl.String, "nation": pl.String}
        columns: dict[str, list[Any]] = msgspec.to_builtins(self.rows)
        return pl.DataFrame(columns, schema={name: kinds[name] for name in columns})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPublication:
    """A statement, and the ranking that it is of, with names."""

    publication: Publication
    ranking: Ranking


def make_publication(
    question: Question,
    facts: Facts,
    selection: Selection,
    *,
    by: str = "player",
    known: Head | None = None,
    note: str | None = None,
    with_waiting_events: bool = False,
) -> NewPublication:
    """The list that facts give, with the hashes of all it rests on.

    Args:
        question: the regulation, and the edition and readings chosen if any.
        facts: checked facts.
        selection: the day and what else decides which awards count.
        by: "player" or "nation".
        known: the last entry of the journal that the facts are of; none for files.
        note: a word on it, kept for good: no names.
        with_waiting_events: make the list even if events wait that would be in it.

    Raises:
        FactsRejected, NotCovered, Refused: as `palmares.points.ledger.rank` does.
        Refused: events wait that would be in the list.
        Refused: something in the note cannot be seen, or it is too long.
    """
    noted = _noted(note)
    refuse_nonsense(question, selection, by)
    awards = award(question, facts, terms=False)
    ranking = rank(awards, selection, by=by)
    ranking = explained(ranking, question, lambda: evidence(question, facts, awards.frame))
    if ranking.waiting and not with_waiting_events:
        raise Refused(_incomplete(ranking.waiting))
    editions = editions_in_force(awards, selection)
    rows, tables = published_rows(ranking), table_hashes(question, facts)
    publication = Publication(
        regulation=question.regulation,
        selection=list_selection(selection, by),
        edition=question.edition,
        editions={edition.id: edition_hash(edition, question.chosen or {}) for edition in editions},
        readings=Readings(
            chosen=dict(question.chosen or {}),
            in_force={
                edition.id: _readings(edition.readings) for edition in editions if edition.readings
            },
        ),
        head=JournalHead(sequence=known.sequence, hash=known.hash) if known else None,
        facts=tables,
        facts_sha256=sha256_of(msgspec.to_builtins(tables)),
        waiting_events=len(ranking.waiting),
        rows=rows,
        list_sha256=sha256_of(msgspec.to_builtins(rows)),
        code=code_hash(question.get_regulation()),
        palmares=version("palmares"),
        note=noted,
    )
    return NewPublication(publication=publication, ranking=ranking)


def table_hashes(question: Question, facts: Facts) -> dict[str, TableHash]:
    """The hash of every table of facts; of rates only where the regulation counts money."""
    if question.get_regulation().money:
        return hash_facts(facts)
    return hash_facts(Facts({name: facts[name] for name in facts if name != "rates"}))


def publish_warnings(given: Publication, today: date) -> tuple[Problem, ...]:
    """What whoever publishes a list should know before: it is empty, or its day has not come.

    Neither is refused: a federation may have a list of nobody, or announce one ahead of its day.
    """
    found = []
    if not given.rows.rank:
        found.append((
            msg("The list is empty: nobody has points that count in it."),
            msg("Look at its day and at what else was asked. Once published it stays in the"
                 " journal for good."),
        ))  # fmt: skip
    if given.selection.as_of > today:
        found.append((
            msg("Its day has not come: what is reported until then is not in it."),
            msg("Publish it when that day has come."),
        ))  # fmt: skip
    return tuple(
        Problem(at=Location(given.name), what=what, clause="publish", remedy=remedy)
        for what, remedy in found
    )


def _incomplete(waiting: Sequence[Waiting]) -> str:
    """Why a list from which events are missing is not published, and how it can be."""
    why = "\n    ".join(say_waiting(waiting))
    return hint(
        "publish-without-waiting",
        "%(why)s\nNothing was published. Record what is missing; or choose to publish the list"
        " without these events.",
        why=why,
    )


def _noted(note: str | None) -> str | None:
    """A note in one spelling."""
    values, wrong = cleaned(pl.Series([(note or "").strip() or None], dtype=pl.String))
    if wrong:
        raise Refused(f"The note {next(iter(wrong.values()))}.")
    return None if values[0] is None else str(values[0])


def editions_in_force(awards: Awards, selection: Selection) -> list[Edition]:
    """The editions that could speak on a list: those in force by its day, and those that did."""
    rulebook = awards.question.rulebook()
    by_day = rulebook.by(selection.as_of)
    spoke = set(selection.apply(awards.frame)["edition"].unique())
    held = [rules.edition for rules in rulebook.all]
    return [one for one in held if one in by_day or one.id in spoke]


def _readings(readings: Mapping[str, Reading]) -> dict[str, str]:
    """The sha256 of what each reading says."""
    return {
        name: sha256_of(
            {
                "clause": one.clause,
                "id": one.id,
                "options": dict(one.options),
                "silent": one.silent,
                "since": one.since,
                "we": one.we,
            }
        )
        for name, one in readings.items()
    }


def published_rows(ranking: Ranking) -> PublishedRows:
    """A ranking column by column, by rank and then by id: names decide nothing in it."""
    key = "player_id" if ranking.by == "player" else "nation"
    frame = ranking.frame.sort("rank", key)
    names = [name for name in PublishedRows.__struct_fields__ if name in frame.columns]
    return PublishedRows(**{name: frame[name].to_list() for name in names})


# ── in a journal ─────────────────────────────────────────────────────────────────────────────────


def list_selection(selection: Selection, by: str) -> ListSelection:
    """What was asked of `palmares.points.ledger.rank`."""
    return ListSelection(**asdict(selection), by=by)


def list_name(question: Question, asked: ListSelection) -> str:
    """What a list is called: its regulation and day, then whatever else was asked.

    A list under a chosen edition or reading has a name of its own: it never takes the place of the
    list that the federation's own rules give.
    """
    parts = (
        question.regulation,
        str(asked.as_of),
        f"since {asked.since}" if asked.since else "",
        f"until {asked.until}" if asked.until else "",
        asked.setting,
        asked.kind if asked.kind != TOTAL else "",
        f"of {asked.nation}" if asked.nation else "",
        "by nation" if asked.by == "nation" else "",
        f"edition {question.edition}" if question.edition else "",
        *(f"{reading}={option}" for reading, option in sorted((question.chosen or {}).items())),
    )
    return " ".join(filter(None, parts))


def file_stem(name: str) -> str:
    """How the files of a list begin: what it is called, with hyphens."""
    return re.sub(r"[^\w.-]+", "-", name)


@action
def publish_list(transaction: Transaction, publication: Publication) -> None:
    """Record a list; nothing is added if the last one of its name is the same.

    Raises, when it is done:
        Refused: the list was not made from this journal.
    """
    known = publication.head
    if known is None:
        raise Refused("A list of files is published without a journal: they are not in it.")
    if known.sequence and transaction.writer.entry(known.sequence).hash != known.hash:
        raise Refused(
            f"Entry {known.sequence} of this journal is not the one that the list was made at."
        )
    last = transaction.state.in_force("publications", publication.name)
    if last is None or not announces_same(last.body, publication):
        transaction.extend([Draft(kind=KIND, subject=publication.name, body=publication)])


def announces_same(one: PublicationHead, other: PublicationHead) -> bool:
    """Whether two bodies announce one list of the same facts by the same rules."""
    return _computes(one) == _computes(other)


def _computes(body: PublicationHead) -> tuple[Any, ...]:
    """What a list is made of and by: words that explain are left out."""
    return (
        body.regulation,
        body.selection,
        body.edition,
        body.facts_sha256,
        body.waiting_events,
        body.list_sha256,
        {edition: sheet.computed_sha256 for edition, sheet in body.editions.items()},
        body.readings.chosen,
        body.code.sha256,
    )
