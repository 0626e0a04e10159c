"""diff: what changed between two lists, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from palmares.cli.options import DAY, Choice, gathered, question, together, writing
from palmares.cli.sources import Source, encoding, from_journal

if TYPE_CHECKING:
    from palmares.awards import Question
    from palmares.differences import Listing
    from palmares.journal.projection import Projection
    from palmares.journal.store import Reader
    from palmares.rankings import Selection

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class End:
    """One of the two lists, as it was named: DATE, or DATE@WHEN."""

    day: date
    known_at: str | None

    def __str__(self) -> str:
        return f"{self.day}" + (f", known at {self.known_at}" if self.known_at else "")


class EndType(click.ParamType[End]):
    """A list to compare."""

    name = "date[@when]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> End:
        """The day, and when it was known, or a usage error that shows how it is written."""
        if isinstance(value, End):
            return value
        day, at, known_at = value.partition("@")
        if at and not known_at:
            self.fail(f"{value!r} does not say when: write DATE@DATE or DATE@#41.", param, ctx)
        return End(DAY.convert(day, param, ctx), known_at or None)


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
        """Refuse at once what cannot be known."""
        if self.source.journal is None and (self.a.known_at or self.b.known_at):
            raise click.UsageError("DATE@WHEN is for --journal: files know only what is in them.")

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

    def selection(self, end: End) -> Selection:
        """Which awards a list counts."""
        from palmares.rankings import Selection

        return Selection(
            as_of=end.day,
            since=self.since,
            until=self.until,
            setting=self.setting,
            kind=self.kind,
        )

    @contextmanager
    def listings(self) -> Iterator[tuple[Listing, Listing, Reader | None]]:
        """Both lists, and the journal, if their facts are of one."""
        from palmares.differences import Listing

        first, second = self.questions()
        with self._known() as (a, b, reader):
            yield (
                Listing(question=first, projection=a, selection=self.selection(self.a)),
                Listing(question=second, projection=b, selection=self.selection(self.b)),
                reader,
            )

    @contextmanager
    def _known(self) -> Iterator[tuple[Projection, Projection, Reader | None]]:
        """The facts of both lists."""
        from palmares.journal.projection import Projection
        from palmares.journal.state import State

        source = self.source
        if source.journal is None:
            found = Projection(State(), source.facts().tables)
            yield found, found, None
            return
        from palmares.journal.snapshots import read, until

        with source.opened() as journal, journal.reading() as reader:
            a = read(reader, until(reader, self.a.known_at))
            same = self.a.known_at == self.b.known_at
            yield a, a if same else read(reader, until(reader, self.b.known_at)), reader


def _reading(name: str, key: str, text: str) -> Callable[[F], F]:
    return click.option(name, key, type=Choice(), multiple=True, metavar="ID=CHOICE", help=text)


comparing = gathered(
    "compared",
    Compared,
    together(
        click.argument("regulation"),
        click.argument("a", type=EndType()),
        click.argument("b", type=EndType()),
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
    Every change of rank or points is split by its causes, and the parts add up.

    \b
    Examples:
        palmares diff wbgf 2005-09-30 2005-12-31 examples/backgammon
        palmares diff wbgf 2005-12-31@2006-01-02 2005-12-31 --journal federation.db
    """
    from palmares import differences
    from palmares.cli import diff_words as words
    from palmares.explanations import find_player
    from palmares.output import emit, format_of, print_text

    with compared.listings() as (a, b, reader):
        wanted = None
        if player is not None:
            later = max((a, b), key=lambda one: one.projection.state.sequence)
            wanted = find_player(later.projection.facts, player)
        found = differences.differences(a, b, reader)
    changes = [one for one in found.each() if wanted in (None, one.player_id)]
    title = f"{a.question.held().title}, from A: {compared.a} to B: {compared.b}"
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
        rows = [row for one in changes for row in words.flat(one)]
        emit(rows, words.flat_columns(), format=format, output=output, title=title)
