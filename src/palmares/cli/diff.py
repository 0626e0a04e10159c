"""diff: what changed between two lists, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from palmares.cli.options import (
    DAY,
    Choice,
    Counted,
    Output,
    counting,
    gathered,
    printing,
    question,
    together,
)
from palmares.cli.sources import Source, encoding, from_journal, warn_of_waiting

if TYPE_CHECKING:
    from palmares.journal.store.journal import Reader
    from palmares.lists.diff import Listing
    from palmares.lists.diff.list_ref import End, Held
    from palmares.points.awards import Question

F = TypeVar("F", bound=Callable[..., Any])

_NUMBER = re.compile(r"#([1-9][0-9]{0,17})")
_DAY = re.compile(r"[0-9-]+")


class EndType(click.ParamType["End"]):
    """A list to compare."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> End:
        """What was named, or a usage error that shows how lists are named."""
        from palmares.lists.diff.list_ref import End

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


@dataclass(frozen=True, kw_only=True)
class Compared(Counted, Source):
    """Two lists of one regulation, as the options say."""

    regulation: str
    a: End
    b: End
    edition: str | None
    readings: tuple[tuple[str, str], ...]
    edition_b: str | None
    readings_b: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        """Refuse at once what cannot be known, and what a published list says itself."""
        from palmares.lists.diff.list_ref import complaint

        super().__post_init__()
        said = (self.edition, self.readings, self.edition_b, self.readings_b, self.setting,
                self.since, self.until, self.kind != "total")  # fmt: skip
        in_journal = self.journal is not None
        if wrong := complaint((self.a, self.b), in_journal=in_journal, chosen=any(said)):
            raise click.UsageError(wrong)

    def questions(self) -> tuple[Question, Question]:
        """The rules of both lists; those of the second are the first's where nothing is said."""
        readings = {**dict(self.readings), **dict(self.readings_b)}
        return (
            question(self.regulation, self.edition, self.readings),
            question(self.regulation, self.edition_b or self.edition, tuple(readings.items())),
        )

    @contextmanager
    def listings(self) -> Iterator[tuple[Listing, Listing, Reader | None]]:
        """Both lists, and the journal, if their facts are of one."""
        from palmares.lists.diff.list_ref import Asked, listings

        asked = Asked(questions=self.questions(), selection=self.on)
        with _held(self) as facts:
            yield (*listings(facts, (self.a, self.b), asked), facts.reader)


@contextmanager
def _held(source: Source) -> Iterator[Held]:
    """Where the facts of both lists are, while it is open."""
    from palmares.lists.diff.list_ref import Held

    if source.journal is None:
        yield Held.of_facts(source.facts())
        return
    with source.opened() as journal, journal.reading() as reader:
        yield Held(None, reader)


def _reading(name: str, key: str, text: str) -> Callable[[F], F]:
    return click.option(name, key, type=Choice(), multiple=True, metavar="ID=CHOICE", help=text)


comparing = gathered(
    "compared",
    Compared,
    together(
        click.argument("regulation"),
        click.argument("a", type=END),
        click.argument("b", type=END),
        click.argument("path", nargs=-1, type=click.Path()),
        click.option("--edition", metavar="ID", help="Use this edition for every date."),
        _reading("--reading", "readings", "Choose a named alternative; may be repeated."),
        click.option("--edition-b", metavar="ID", help="Another edition for list B."),
        _reading("--reading-b", "readings_b", "An alternative for list B; may be repeated."),
        counting,
        from_journal,
        encoding,
    ),
)


@click.command()
@comparing
@click.option("--player", metavar="ID_OR_NAME", help="One player's change, every part of it.")
@printing
def diff(
    compared: Compared,
    player: str | None,
    out: Output,
) -> None:
    """What changed from list A to list B of REGULATION, and why.

    A and B are days. With --journal, DATE@WHEN is the list of a day with what was known at the end
    of another day, at a moment (2019-12-31T18:00Z), or with an entry (#41); without @WHEN, now.
    A list that was published is named by its entry ('#57') or by its manifest. Every change of
    rank or points is split by its causes, and the parts add up.

    \b
    Examples:
        palmares diff wbgf 2005-09-30 2005-12-31 examples/backgammon
        palmares diff wbgf 2005-12-31@2006-01-02 2005-12-31 --journal federation.db
        palmares diff wbgf '#57' 2005-12-31 --journal federation.db
    """
    from palmares.cli import diff_words as words
    from palmares.lists import diff as differences
    from palmares.lists.diff import rows as flat
    from palmares.lists.diff.list_ref import whom

    with compared.listings() as (a, b, reader):
        wanted = None if player is None else whom(player, a, b)
        found = differences.differences(a, b, reader)
    warn_of_waiting(found.waiting)
    changes = list(found.each(wanted))
    ends = (compared.a.told(a.selection.as_of), compared.b.told(b.selection.as_of))
    title = f"{a.question.held().title}, A: {ends[0]}; B: {ends[1]}"
    chosen = out.kind
    if chosen == "table" and (wanted or not changes):
        out.print([title, "", *words.in_full(found, changes)])
    elif chosen in ("table", "md", "html"):
        above = "\n".join([title, *words.summary(found)]) if chosen == "table" else title
        rows = [words.row(one, found) for one in changes]
        out.emit(rows, words.COLUMNS, title=above)
    elif chosen == "json":
        out.emit(list(map(words.as_json, changes)), words.NESTED)
    else:
        rows = [row for one in changes for row in flat.flat(one)]
        out.emit(rows, words.FLAT, title=title)
