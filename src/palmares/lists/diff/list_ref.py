"""
The two lists of a comparison, as they are named, and what each of them is.

    End         one of them: a day, a day and what was known when, or a list that was published
    Held        where their facts are: files, or one state of a journal
    complaint   two ends that make no sense together  ->  why
    listings    two ends  ->  the lists to compare
    whom        a player by id or name  ->  their id on these lists
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from palmares.core.errors import Refused
from palmares.facts import Facts
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import last_known_entry, read_projection
from palmares.journal.projection.state import State
from palmares.journal.store.journal import Reader
from palmares.lists.diff import Listing
from palmares.lists.publication import Publication, manifest
from palmares.points.awards import Question
from palmares.points.explain import find_player
from palmares.points.ledger import rank
from palmares.points.rankings import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRef:
    """A list, as it was named."""

    said: str
    day: date | None = None
    known_at: str | None = None
    entry: int | None = None  # a publication in the journal
    file: str | None = None  # a manifest

    def in_words(self, day: date) -> str:
        """The list in words, given its day."""
        if self.known_at:
            return f"{day}, as known at {self.known_at.replace('#', 'entry ')}"
        if self.entry:
            return f"{day}, published as entry {self.entry}"
        return f"{day}, published in {Path(self.file).name}" if self.file else f"{day}"

    @property
    def needs_a_journal(self) -> bool:
        """Whether files cannot answer it."""
        return bool(self.known_at or self.entry)


ListRefs = tuple[ListRef, ListRef]


def refusal_of(ends: ListRefs, *, in_journal: bool, chosen: bool) -> str:
    """Why two ends make no sense; empty if they do.

    Args:
        ends: the lists.
        in_journal: whether their facts are of a journal.
        chosen: whether rules or results were chosen beside them.
    """
    if not in_journal and any(one.needs_a_journal for one in ends):
        return (
            "What was known when, and the number of a publication, are for a journal: files know"
            " only what is in them."
        )
    if chosen and any(one.day is None for one in ends):
        return (
            "A published list says itself which edition, readings and results it is of; the other"
            " list takes them from it."
        )
    return ""


@dataclass(frozen=True, slots=True)
class ListSource:
    """Files, or one state of a journal."""

    files: Projection | None
    reader: Reader | None

    @classmethod
    def of_facts(cls, facts: Facts) -> ListSource:
        """Facts of files."""
        return cls(Projection(State(), facts.tables, facts.may_wait), None)

    def projection_at(self, known_at: str | None) -> Projection:
        """What was known then, or is known now."""
        if self.reader is not None:
            return read_projection(self.reader, last_known_entry(self.reader, known_at))
        if self.files is None:  # pragma: no cover
            raise AssertionError
        return self.files

    def publication(self, end: ListRef) -> Publication | None:
        """The published list that an end names; none if it names a day.

        Raises:
            Refused: there is none, it is by nation, or it was made from something else.
        """
        if end.entry is not None and self.reader is not None:
            found = manifest.manifest_of_entry(self.reader.entry(end.entry)).publication
        elif end.file is not None:
            found = manifest.read_manifest(end.file).publication
        else:
            return None
        if found.selection.by != "player":
            raise Refused(f"{end.said} is a list by nation; only lists of players are compared.")
        if self.reader is not None:
            if found.head is None:
                raise Refused(f"{end.said} was made from files, not from this journal: name them.")
            number = found.head.sequence
            if number and self.reader.entry(number).hash != found.head.hash:
                raise Refused(f"{end.said} was not made from this journal: entry {number} differs.")
        return found


def resolve_lists(
    held: ListSource,
    ends: ListRefs,
    questions: tuple[Question, Question],
    selection: Callable[[date], Selection],
) -> tuple[Listing, Listing]:
    """The lists that two ends name.

    Args:
        held: where the facts are.
        ends: the first list and the second.
        questions: the rules of both, where no published list says them.
        selection: the results that count on a day, where no published list says them.

    Raises:
        Refused: one of them is no list of the regulation, or no longer what was published.
    """
    published = (held.publication(ends[0]), held.publication(ends[1]))
    regulation = questions[0].regulation
    for one in published:
        if one is not None and one.regulation != regulation:
            raise Refused(f"{one.name} is no list of {regulation}.")
    beside = next((one for one in published if one is not None), None)
    first, second = (
        _of_day(held, end, beside, question, selection) if mine is None else _again(held, end, mine)
        for end, mine, question in zip(ends, published, questions, strict=True)
    )
    return first, second


def _again(held: ListSource, end: ListRef, mine: Publication) -> Listing:
    """A published list, made again from what was known."""
    number = mine.head.sequence if mine.head else 0
    found = Listing(
        question=mine.question(),
        projection=held.projection_at(f"#{number}" if number else None),
        selection=mine.chosen_results(),
    )
    _refuse_another(found, mine, end)
    return found


def _of_day(
    held: ListSource,
    end: ListRef,
    beside: Publication | None,
    question: Question,
    selection: Callable[[date], Selection],
) -> Listing:
    """The list of a day; beside a published one it counts as that does."""
    day = end.day or date.min
    counted = selection(day)
    if beside is not None:
        question, counted = beside.question(), replace(beside.chosen_results(), as_of=day)
    return Listing(
        question=question, projection=held.projection_at(end.known_at), selection=counted
    )


def _refuse_another(listing: Listing, published: Publication, end: ListRef) -> None:
    """Refuse to explain a list that is no longer what was published."""
    columns = ("rank", "player_id", "nanopoints")
    now = rank(listing.awards(), listing.selection).frame.select(columns)
    if set(now.iter_rows()) != set(published.frame().select(columns).iter_rows()):
        raise Refused(
            f"{end.said}: recomputed, the list is not what was published."
            f" 'palmares verify' says where it differs."
        )


def find_player_id(player: str, a: Listing, b: Listing) -> str:
    """The id of a player by id, or by the name that is known later; merged records have an id.

    Raises:
        Refused: nobody goes by it, or more than one.
    """
    earlier, later = sorted((a, b), key=lambda one: one.projection.state.sequence)
    if player in earlier.projection.tables["players"]["player_id"]:
        return player
    return find_player(later.projection.facts, player)
