"""
The two lists of a comparison, as they are named on the command line, and what each of them is.

    End         one of them: a day, a day and what was known when, or a list that was published
    END         the type of the arguments A and B
    listing     an end and where its facts are  ->  the list to compare
    Facts       files, or one state of a journal
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.options import DAY
from palmares.cli.sources import Source
from palmares.errors import Refused

if TYPE_CHECKING:
    from palmares.awards import Question
    from palmares.differences import Listing
    from palmares.journal.projection import Projection
    from palmares.journal.store import Reader
    from palmares.publication import Publication
    from palmares.publication.manifest import Manifest
    from palmares.rankings import Selection

_NUMBER = re.compile(r"#([1-9][0-9]{0,17})")
_DAY = re.compile(r"[0-9-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A list, as it was named."""

    said: str
    day: date | None = None
    known_at: str | None = None
    entry: int | None = None  # a publication in the journal
    file: str | None = None  # a manifest

    def told(self, day: date) -> str:
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


class EndType(click.ParamType[End]):
    """A list to compare."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> End:
        """What was named, or a usage error that shows how lists are named."""
        if isinstance(value, End):
            return value
        if found := _NUMBER.fullmatch(value):
            return End(said=value, entry=int(found[1]))
        day, at, known_at = value.partition("@")
        if at and not known_at:
            self.fail(f"{value!r} does not say when: write DATE@DATE or DATE@#41.", param, ctx)
        if at or _DAY.fullmatch(value):
            return End(said=value, day=DAY.convert(day, param, ctx), known_at=known_at or None)
        if Path(value).is_file():
            return End(said=value, file=value)
        return self.fail(
            f"{value!r} is no day such as 2019-12-31, no published list such as '#57', and no"
            " file of a manifest.",
            param,
            ctx,
        )


END = EndType()


@dataclass(frozen=True, slots=True)
class Facts:
    """Files, or one state of a journal."""

    files: Projection | None
    reader: Reader | None

    @classmethod
    @contextmanager
    def of(cls, source: Source) -> Iterator[Facts]:
        """What a source has, while it is open."""
        if source.journal is None:
            from palmares.journal.projection import Projection
            from palmares.journal.state import State

            yield cls(Projection(State(), source.facts().tables), None)
            return
        with source.opened() as journal, journal.reading() as reader:
            yield cls(None, reader)

    def known(self, known_at: str | None) -> Projection:
        """What was known then, or is known now."""
        if self.reader is None:
            if self.files is None:  # pragma: no cover
                raise AssertionError
            return self.files
        from palmares.journal.snapshots import read, until

        return read(self.reader, until(self.reader, known_at))

    def behind(self, published: Publication) -> Projection:
        """What was known when a list was published."""
        from palmares.journal.projection import NOTHING

        if self.reader is None or published.known is None:
            return self.known(None)
        number = published.known.sequence
        return self.known(f"#{number}") if number else NOTHING

    def publication(self, end: End) -> Publication | None:
        """The published list that an end names; none if it names a day.

        Raises:
            Refused: there is none, it is by nation, or it was made from something else.
        """
        manifest = self._manifest(end)
        if manifest is None:
            return None
        found = manifest.publication
        if found.selection.by != "player":
            raise Refused(f"{end.said} is a list by nation; only lists of players are compared.")
        if self.reader is not None:
            if found.known is None:
                raise Refused(f"{end.said} was made from files, not from this journal: name them.")
            number = found.known.sequence
            if number and self.reader.entry(number).hash != found.known.hash:
                raise Refused(f"{end.said} was not made from this journal: entry {number} differs.")
        return found

    def _manifest(self, end: End) -> Manifest | None:
        from palmares.publication import manifest

        if end.entry is not None and self.reader is not None:
            return manifest.of_entry(self.reader.entry(end.entry))
        if end.file is None:
            return None
        try:
            content = Path(end.file).read_bytes()
        except OSError as error:
            raise Refused(f"{end.file}: cannot be read ({error.strerror}).") from None
        return manifest.read(content, end.file)


def listing(
    facts: Facts,
    end: End,
    publications: tuple[Publication | None, Publication | None],
    mine: Publication | None,
    question: Question,
    selected: Callable[[date], Selection],
) -> Listing:
    """The list that an end names.

    Args:
        facts: where its facts are.
        end: what was named.
        publications: the published lists among both ends; a day beside one counts as it does.
        mine: the one that this end names, if it does.
        question: the rules, where no published list says them.
        selected: which awards count on a day, where no published list says it.
    """
    from palmares.differences import Listing

    if mine is not None:
        number = mine.known.sequence if mine.known else 0
        known_at = f"#{number}" if number else None
        asked = mine.selection.selection()
        found = Listing(question=mine.question(), projection=facts.known(known_at), selection=asked)
        _refuse_another(found, mine, end)
        return found
    beside = next((one for one in publications if one is not None), None)
    day = end.day or date.min
    selection = selected(day)
    if beside is not None:
        question = beside.question()
        selection = replace(beside.selection.selection(), as_of=day)
    return Listing(question=question, projection=facts.known(end.known_at), selection=selection)


def _refuse_another(listing: Listing, published: Publication, end: End) -> None:
    """Refuse to explain a list that is no longer what was published."""
    from palmares.awards import award
    from palmares.rankings import rank

    given = award(listing.question, listing.projection.facts, terms=False)
    columns = ("rank", "player_id", "nanopoints")
    now = rank(given, listing.selection).frame.select(columns)
    if set(now.iter_rows()) != set(published.frame().select(columns).iter_rows()):
        raise Refused(
            f"{end.said}: recomputed, the list is not what was published."
            f" 'palmares verify' says where it differs."
        )
