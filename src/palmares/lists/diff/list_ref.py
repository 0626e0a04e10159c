"""The two lists of a comparison as users name them, and how they are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.core.messages import hint
from palmares.facts import Facts
from palmares.journal.projection.project import Projection, State
from palmares.journal.projection.snapshots import from_snapshot, last_known_entry
from palmares.journal.store.journal import Reader
from palmares.lists.diff import Listing
from palmares.lists.publication import Publication, manifests
from palmares.points.awards import Question
from palmares.points.explain import player_id_of
from palmares.points.ledger import rank
from palmares.points.rankings import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRef:
    """A list as a user names it: a day, what was known when, or a publication."""

    text: str
    day: date | None = None
    known_at: str | None = None
    entry: int | None = None  # a publication in the journal

    def in_words(self, day: date) -> str:
        """The list in words."""
        if self.known_at:
            return f"{day}, as known at {self.known_at.replace('#', 'entry ')}"
        return f"{day}, published as entry {self.entry}" if self.entry else f"{day}"


ListRefs = tuple[ListRef, ListRef]


def refusal_of(refs: ListRefs, *, in_journal: bool, chosen: bool) -> str:
    """Why two lists cannot be compared; empty if they can.

    Args:
        refs: the lists.
        in_journal: whether the facts are of a journal.
        chosen: whether rules or results were chosen, too.
    """
    if not in_journal and any(ref.known_at or ref.entry for ref in refs):
        return (
            "What was known when, and the number of a publication, are for a journal: files know"
            " only what is in them."
        )
    if chosen and any(ref.day is None for ref in refs):
        return (
            "An official list says itself which edition, readings and results it is of; the other"
            " list takes them from it."
        )
    return ""


@dataclass(frozen=True, slots=True)
class ListSource:
    """The facts of lists: of files, or a journal."""

    files: Facts = field(default_factory=Facts)
    reader: Reader | None = None

    def projection_at(self, known_at: str | None) -> Projection:
        """The facts as known then, or now."""
        if self.reader is None:
            return Projection(State(), self.files.tables, self.files.may_wait)
        return from_snapshot(
            self.reader, last_known_entry(self.reader, known_at)
        ).delta.after.loaded()

    def publication(self, ref: ListRef) -> Publication | None:
        """The official list that is named; None if a day is named.

        Raises:
            Refused: there is none, or it is by nation.
        """
        if ref.entry is None or self.reader is None:
            return None
        listing = manifests.manifest_of_entry(self.reader.entry(ref.entry)).publication
        if listing.selection.by != "player":
            raise Refused(f"{ref.text} is a list by nation; only lists of players are compared.")
        return listing


def resolve_lists(
    source: ListSource,
    refs: ListRefs,
    questions: tuple[Question, Question],
    selection: Callable[[date], Selection],
) -> tuple[Listing, Listing]:
    """Find the two lists that are named.

    Args:
        source: the facts.
        refs: the first list and the second.
        questions: the rules of both; an official list has its own.
        selection: the results that count on a day; an official list has its own.

    Raises:
        Refused: a list is of another regulation, or no longer what was published.
    """
    published = (source.publication(refs[0]), source.publication(refs[1]))
    regulation = questions[0].regulation
    for publication in published:
        if publication is not None and publication.regulation != regulation:
            raise Refused(f"{publication.name} is no list of {regulation}.")
    reference = next((publication for publication in published if publication is not None), None)
    first, second = (
        _of_day(source, ref, reference, question, selection)
        if mine is None
        else _again(source, ref, mine)
        for ref, mine, question in zip(refs, published, questions, strict=True)
    )
    return first, second


def _again(source: ListSource, ref: ListRef, mine: Publication) -> Listing:
    """An official list, computed again."""
    number = mine.head.sequence if mine.head else 0
    listing = Listing(
        question=mine.question(),
        projection=source.projection_at(f"#{number}" if number else None),
        selection=mine.chosen_results(),
    )
    _refuse_another(listing, mine, ref)
    return listing


def _of_day(
    source: ListSource,
    ref: ListRef,
    reference: Publication | None,
    question: Question,
    selection: Callable[[date], Selection],
) -> Listing:
    """The list of a day; compared with a published one, it counts the same results."""
    day = ref.day or date.min
    counted = selection(day)
    if reference is not None:
        question, counted = reference.question(), replace(reference.chosen_results(), as_of=day)
    return Listing(
        question=question, projection=source.projection_at(ref.known_at), selection=counted
    )


def _refuse_another(listing: Listing, published: Publication, ref: ListRef) -> None:
    """Refuse an official list that is computed differently now."""
    columns = ("rank", "player_id", "nanopoints")
    now = rank(listing.awards(), listing.selection).frame.select(columns)
    if set(now.iter_rows()) != set(published.frame().select(columns).iter_rows()):
        raise Refused(
            hint(
                "verify-the-list",
                "%(list)s: recomputed, the list is not what was published. To verify it shows where"
                " it differs.",
                list=ref.text,
            )
        )


def listed_player_id(player: str, a: Listing, b: Listing) -> str:
    """The id of a player given by id or current name.

    Raises:
        Refused: no player fits, or several.
    """
    earlier, later = sorted((a, b), key=lambda listing: listing.projection.state.sequence)
    if player in earlier.projection.tables["players"]["player_id"]:
        return player
    return player_id_of(later.projection.facts, player)
