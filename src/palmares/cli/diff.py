"""diff: what changed between two lists, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from palmares.cli.diff_ends import END, held
from palmares.cli.options import DAY, Choice, gathered, question, together, writing
from palmares.cli.sources import Source, encoding, from_journal, warn_of_waiting

if TYPE_CHECKING:
    from palmares.awards import Question
    from palmares.differences import Listing
    from palmares.differences.ends import End
    from palmares.journal.store import Reader
    from palmares.rankings import Selection

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two lists of one regulation, as the options say."""

    regulation: str
    a: End
    b: End
    path: tuple[str, ...]
    edition: str | None
    readings: tuple[tuple[str, str], ...]
    edition_b: str | None
    readings_b: tuple[tuple[str, str], ...]
    setting: str | None
    kind: str
    since: date | None
    until: date | None
    journal: str | None
    encoding: str | None

    def __post_init__(self) -> None:
        """Refuse at once what cannot be known, and what a published list says itself."""
        from palmares.differences.ends import complaint

        said = (self.edition, self.readings, self.edition_b, self.readings_b, self.setting,
                self.since, self.until, self.kind != "total")  # fmt: skip
        in_journal = self.source.journal is not None
        if wrong := complaint((self.a, self.b), in_journal=in_journal, chosen=any(said)):
            raise click.UsageError(wrong)

    @property
    def source(self) -> Source:
        """Where the facts are."""
        return Source(path=self.path, journal=self.journal, encoding=self.encoding)

    def questions(self) -> tuple[Question, Question]:
        """The rules of both lists; those of the second are the first's where nothing is said."""
        readings = {**dict(self.readings), **dict(self.readings_b)}
        return (
            question(self.regulation, self.edition, self.readings),
            question(self.regulation, self.edition_b or self.edition, tuple(readings.items())),
        )

    def selection(self, day: date) -> Selection:
        """Which awards a list counts."""
        from palmares.rankings import Selection

        return Selection(
            as_of=day,
            since=self.since,
            until=self.until,
            setting=self.setting,
            kind=self.kind,
        )

    @contextmanager
    def listings(self) -> Iterator[tuple[Listing, Listing, Reader | None]]:
        """Both lists, and the journal, if their facts are of one."""
        from palmares.differences.ends import Asked, listings

        asked = Asked(questions=self.questions(), selection=self.selection)
        with held(self.source) as facts:
            yield (*listings(facts, (self.a, self.b), asked), facts.reader)


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
        click.option("--setting", type=click.Choice(["live", "online"]), help="Only such results."),
        click.option(
            "--kind", metavar="KIND", default="total", help="match, placement, or total (default)."
        ),
        click.option("--since", type=DAY, help="Only results that count from this day or later."),
        click.option("--until", type=DAY, help="Only results that count from this day or earlier."),
        from_journal,
        encoding,
    ),
)


@click.command()
@comparing
@click.option("--player", metavar="ID_OR_NAME", help="One player's change, every part of it.")
@writing
def diff(
    compared: Compared,
    player: str | None,
    format: str,  # noqa: A002
    output: str | None,
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
    from palmares import differences
    from palmares.cli import diff_words as words
    from palmares.differences import flat
    from palmares.differences.ends import whom
    from palmares.output import emit, format_of, print_text

    with compared.listings() as (a, b, reader):
        wanted = None if player is None else whom(player, a, b)
        found = differences.differences(a, b, reader)
    warn_of_waiting(found.waiting)
    changes = list(found.each(wanted))
    ends = (compared.a.told(a.selection.as_of), compared.b.told(b.selection.as_of))
    title = f"{a.question.held().title}, A: {ends[0]}; B: {ends[1]}"
    chosen = format_of(Path(output), format) if output else format
    if chosen == "table" and (wanted or not changes):
        print_text([title, "", *words.in_full(found, changes)], output)
    elif chosen in ("table", "md", "html"):
        above = "\n".join([title, *words.summary(found)]) if chosen == "table" else title
        rows = [words.row(one, found) for one in changes]
        emit(rows, words.columns(), format=format, output=output, title=above)
    elif chosen == "json":
        emit(list(map(words.as_json, changes)), words.json_columns(), format=format, output=output)
    else:
        rows = [row for one in changes for row in flat.flat(one)]
        emit(rows, words.flat_columns(), format=format, output=output, title=title)
