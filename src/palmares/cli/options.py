"""Options and arguments that several commands share, and how they become values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from palmares.cli.sources import Source, encoding, from_journal, known_at, sourcing
from palmares.render.tables import Column, Rows, emit, format_of, print_text

if TYPE_CHECKING:
    from palmares.engines import Engine
    from palmares.journal.projection.project import Projection
    from palmares.points.awards import Question, Waiting
    from palmares.points.rankings import Selection

F = TypeVar("F", bound=Callable[..., Any])


class Day(click.ParamType[date]):
    """A date as ISO 8601 writes it."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The date, or a usage error that shows how dates are written."""
        if isinstance(value, date):
            return value
        try:
            found = date.fromisoformat(value)
        except ValueError:
            found = None
        if found is None or found.isoformat() != value:
            self.fail(f"{value!r} is no date; write it like 2019-12-31.", param, ctx)
        return found


class Choice(click.ParamType[tuple[str, str]]):
    """A reading chosen: ID=CHOICE."""

    name = "id=choice"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Reading and option, or a usage error."""
        if isinstance(value, tuple):
            return value
        reading, sign, option = value.partition("=")
        if not (reading and sign and option):
            self.fail(f"{value!r} is no choice; write it like W3=skip-29-feb.", param, ctx)
        return reading, option


DAY = Day()


def today() -> date:
    """Today in UTC, so that the clock's time zone changes no list."""
    return datetime.now(UTC).date()


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, shown in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


writing = together(
    click.option(
        "--format",
        "format",
        type=click.Choice(["table", "csv", "json", "md", "html"]),
        default="table",
        show_default=True,
        help="How to print.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False),
        help="Write a file; its suffix chooses the format (.csv .json .xlsx .parquet .html .md).",
    ),
)

_REGULATION = click.argument("regulation")

_OF_FACTS = together(
    click.argument("path", nargs=-1, type=click.Path()),
    click.option("--edition", metavar="ID", help="Use this edition for every date."),
    click.option(
        "--reading",
        "readings",
        type=Choice(),
        multiple=True,
        metavar="ID=CHOICE",
        help="Choose a named alternative where the text is silent; may be repeated.",
    ),
    from_journal,
    known_at,
    encoding,
)

_AS_OF = click.option("--as-of", type=DAY, help="The day of the list (default: today, UTC).")
counting = together(
    click.option("--setting", type=click.Choice(["live", "online"]), help="Only such results."),
    click.option(
        "--kind", metavar="KIND", default="total", help="match, placement, or total (default)."
    ),
    click.option("--since", type=DAY, help="Only results that count from this day or later."),
    click.option("--until", type=DAY, help="Only results that count from this day or earlier."),
)


_RUNNING = together(
    click.option(
        "--engine",
        type=click.Choice(["inprocess", "duckdb", "spark"]),
        help="duckdb: facts larger than memory; spark: larger than a machine. All print the same.",
    ),
    click.option("--memory", metavar="SIZE", help="duckdb: for it and its workers, such as 4GB."),
    click.option("--workers", type=click.IntRange(min=1), help="duckdb: how many processes."),
    click.option("--scratch", type=click.Path(file_okay=False), help="duckdb: temporary files."),
    click.option("--master", metavar="URL", help="spark: its master, such as local[2]."),
    click.option("--shard-rows", type=click.IntRange(min=1), help="Placings worked on at a time."),
)


@dataclass(frozen=True, kw_only=True)
class Asked(Source):
    """A regulation asked about the facts of files, or of a journal."""

    regulation: str
    edition: str | None
    readings: tuple[tuple[str, str], ...]

    def question(self) -> Question:
        """The regulation with edition and readings; refused if there is no such one."""
        return question(self.regulation, self.edition, self.readings)


@dataclass(frozen=True, kw_only=True)
class Counted:
    """Which awards shall count, as the options say."""

    setting: str | None
    kind: str
    since: date | None
    until: date | None

    def on(self, day: date, nation: str | None = None) -> Selection:
        """The same as rankings take it, on a day."""
        from palmares.points.rankings import Selection

        return Selection(
            as_of=day,
            since=self.since,
            until=self.until,
            setting=self.setting,
            kind=self.kind,
            nation=nation,
        )


@dataclass(frozen=True, kw_only=True)
class Selected(Counted):
    """The same, and the day of the list."""

    as_of: date | None

    def selection(self, nation: str | None = None) -> Selection:
        """The same as rankings take it, today being the day if none was given."""
        return self.on(self.as_of or today(), nation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """On which engine to work, and how."""

    engine: str | None
    memory: str | None
    workers: int | None
    scratch: str | None
    master: str | None
    shard_rows: int | None

    def __post_init__(self) -> None:
        """Refuse what the engine has no use for."""
        for name, engines in (
            ("memory", ("duckdb",)),
            ("workers", ("duckdb",)),
            ("scratch", ("duckdb",)),
            ("master", ("spark",)),
            ("shard_rows", ("inprocess", "duckdb", "spark")),
        ):
            if getattr(self, name) is not None and self.engine not in engines:
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} is for --engine {' or '.join(engines)}.")

    @contextmanager
    def on(self, source: Source, known: Projection | None = None) -> Iterator[Engine]:
        """The engine on some facts; what it took is given back in the end.

        Args:
            source: where the facts are.
            known: what the journal knows, if it was read already.
        """
        from palmares.engines import ROWS_PER_SHARD, Settings, engine

        settings = Settings(
            rows_per_shard=self.shard_rows or ROWS_PER_SHARD,
            memory=self.memory,
            workers=self.workers,
            scratch=self.scratch,
            master=self.master,
            encoding=source.encoding,
            bank_rates=source.journal is None,
        )
        with (
            source.paths(known) as paths,
            closing(engine(self.engine or "inprocess", paths, settings)) as started,
        ):
            yield started

    @contextmanager
    def asked(self, asked: Asked) -> Iterator[tuple[Engine, tuple[Waiting, ...] | None]]:
        """The engine on the facts of a question; of a journal, also the events of it that wait."""
        from palmares.points.awards import award

        known = asked.projection()
        waiting = (
            None if known is None else award(asked.question(), known.facts, terms=False).waiting
        )
        with self.on(asked, known) as started:
            yield started, waiting


def gathered(name: str, holder: Any, options: Callable[[F], F]) -> Callable[[F], F]:
    """Options that reach the command as one value: *holder*, under one name."""
    keys = [field.name for field in fields(holder)]

    def decorate(function: F) -> F:
        @wraps(function)
        def command(**given: Any) -> Any:
            held = holder(**{key: given.pop(key) for key in keys if key in given})
            return function(**{name: held}, **given)

        return options(cast("F", command))

    return decorate


sourced = gathered("source", Source, sourcing)
"""PATH, --journal, --known-at and --encoding, as `Source`."""

asking = gathered("asked", Asked, together(_REGULATION, _OF_FACTS))
asking_beside = gathered(
    "asked", Asked, together(_REGULATION, click.argument("file", type=click.Path()), _OF_FACTS)
)
"""The same with somebody else's FILE between REGULATION and PATH, as ``file``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How a command prints, or into which file it writes."""

    format: str
    output: str | None

    @property
    def kind(self) -> str:
        """The format: as the suffix of the file says, or as asked for."""
        return format_of(Path(self.output), self.format) if self.output else self.format

    @property
    def is_printed(self) -> bool:
        """Whether people read it at once."""
        return self.format == "table" and self.output is None

    def emit(
        self, rows: Rows, columns: Sequence[Column], *, title: str = "", notes: Sequence[str] = ()
    ) -> None:
        """Write rows."""
        emit(rows, columns, format=self.format, output=self.output, title=title, notes=notes)

    def explain(
        self,
        lines: Iterable[str],
        nested: tuple[Rows, Sequence[Column]],
        flat: tuple[Rows, Sequence[Column]],
        title: str,
    ) -> None:
        """Write what is text for people, nested values in JSON, and else a row for each step."""
        if self.kind == "table":
            self.print(lines)
        else:
            rows, columns = nested if self.kind == "json" else flat
            self.emit(rows, columns, title=title)

    def print(self, lines: Iterable[str]) -> None:
        """Write lines of text."""
        print_text(lines, self.output)


printing = gathered("out", Output, writing)
"""--format and --output, as `Output`."""

selecting = gathered("selected", Selected, together(_AS_OF, counting))
running = gathered("run", Running, _RUNNING)


def question(regulation: str, edition: str | None, readings: Sequence[tuple[str, str]]) -> Question:
    """The regulation asked for, with edition and readings; refused if there is no such one."""
    from palmares.points.awards import Question

    asked = Question(regulation=regulation, edition=edition, chosen=dict(readings))
    asked.rulebook()
    return asked
