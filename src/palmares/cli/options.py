"""Options and arguments that several commands share, and how they become values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from functools import wraps
from getpass import getuser
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from msgspec import Struct
from msgspec.structs import replace

from palmares.cli.app import CHOICE, DAY, complete_awarding, complete_editions, to_mapping
from palmares.cli.sources import (
    Source,
    encoding,
    every_warning,
    from_journal,
    known_at,
)
from palmares.core.clock import today
from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.core.settings import SETTINGS
from palmares.core.toml import read_text
from palmares.render import pdf
from palmares.render.charts import SUFFIXES, Chart, draw
from palmares.render.tables import (
    OutputColumn,
    OutputTable,
    Rows,
    check_folder,
    emit,
    format_of,
    print_text,
    write_atomically,
)

if TYPE_CHECKING:
    from palmares.engines import Engine
    from palmares.facts import Facts
    from palmares.journal.store.entries import Actor
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection
    from palmares.render.pdf import Cited

F = TypeVar("F", bound=Callable[..., Any])


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
        help="The format of the output.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False),
        help="Write a file; its suffix chooses .csv .json .xlsx .pdf .html .md .parquet.",
    ),
    click.option("--wide", is_flag=True, help="Show every column in full, ids too."),
)

_FILES = click.argument("path", nargs=-1, type=click.Path())
reading_option = click.option(
    "--reading",
    "readings",
    type=CHOICE,
    multiple=True,
    metavar="ID=CHOICE",
    help="Choose an alternative where the regulation is silent; may be repeated.",
)
rules_options = together(
    click.option(
        "--edition",
        metavar="ID",
        shell_complete=complete_editions,
        help="Use this edition for every date.",
    ),
    reading_option,
)
top_option = click.option("--top", type=click.IntRange(min=1), help="Only ranks up to this one.")
yes_option = click.option("--yes", is_flag=True, help="Record without being asked, as scripts do.")
reason_option = click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept.")
ranked_options = together(
    click.option("--by", type=click.Choice(["player", "nation"]), default="player",
                 show_default=True),
    click.option("--nation", metavar="CODE", help="Only players of this nation, such as GER."),
    click.option("--race", type=click.Path(), metavar="FILE",
                 help="Count the results of the race that FILE declares (TOML)."),
)  # fmt: skip
"""--by, --nation and --race of a list."""
counting = together(
    click.option(
        "--setting",
        type=click.Choice(["live", "online"]),
        help="Only live, or only online results.",
    ),
    click.option(
        "--kind",
        metavar="KIND",
        default="total",
        help="The kind of points: match, placement or total (default).",
    ),
    click.option("--since", type=DAY, help="Only results that count from this day or later."),
    click.option("--until", type=DAY, help="Only results that count from this day or earlier."),
)


def selection(
    setting: str | None,
    kind: str,
    since: date | None,
    until: date | None,
    as_of: date | None = None,
    nation: str | None = None,
) -> Selection:
    """Which awards a list counts; its day is today by default."""
    from palmares.points.rankings import Selection

    return Selection(
        as_of=as_of or today(), since=since, until=until, setting=setting, kind=kind, nation=nation
    )


def in_race(file: str | None, question: Question, chosen: Selection) -> Selection:
    """A selection, or the one of the race that a file declares."""
    if file is None:
        return chosen
    from palmares.journal.commands.announcements import parse_race
    from palmares.lists.races import race_selection

    race = parse_race(read_text(file), file)
    if race.regulation != question.regulation:
        raise Refused(
            f"{file}: this race is of {race.regulation}, and {question.regulation} was asked for."
        )
    if (chosen.since, chosen.until, chosen.setting, chosen.kind) != (None, None, None, "total"):
        raise click.UsageError(
            "--race says which results count: leave out --since, --until, --setting, --kind."
        )
    return replace(race_selection(race, chosen.as_of), nation=chosen.nation)


class EngineChoice(Struct, frozen=True, kw_only=True):
    """The engine to use, and its settings."""

    engine: str | None
    memory: str | None
    workers: int | None
    scratch: str | None
    master: str | None
    shard_rows: int | None

    def __post_init__(self) -> None:
        """Refuse options that the engine does not use."""
        for name, engines in (
            ("memory", ("duckdb",)),
            ("workers", ("duckdb",)),
            ("scratch", ("duckdb",)),
            ("master", ("spark",)),
            ("shard_rows", ("duckdb", "spark")),
        ):
            if getattr(self, name) is not None and self.engine not in engines:
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} is for --engine {' or '.join(engines)}.")

    @contextmanager
    def on(self, source: Source) -> Iterator[Facts | Engine]:
        """The facts in memory, or an engine that reads them."""
        from palmares.engines import ROWS_PER_SHARD, EngineSettings, engine

        if self.engine in (None, "inprocess"):
            yield source.rated(source.read())
            return
        if source.journal:
            raise click.UsageError(
                "The facts of a journal fit in memory. Leave out --engine, or write them into a"
                " folder first: palmares convert --journal."
            )
        settings = EngineSettings(
            rows_per_shard=self.shard_rows or ROWS_PER_SHARD,
            memory=self.memory,
            workers=self.workers,
            scratch=self.scratch,
            master=self.master,
            encoding=source.encoding,
        )
        with closing(engine(str(self.engine), source.path, settings)) as started:
            yield started


def question(regulation: str, edition: str | None, readings: Iterable[tuple[str, str]]) -> Question:
    """The regulation with edition and readings; unknown names are refused."""
    from palmares.points.awards import Question

    result = Question(regulation=regulation, edition=edition, chosen=to_mapping(readings))
    result.rulebook()
    return result


def cited(question: Question, day: date) -> list[Cited]:
    """The editions by which a list of a day is made, for a printed page."""
    return pdf.cited(question.rulebook().by(day))


class Output(Struct, frozen=True, kw_only=True):
    """The format and the file of a command's output."""

    format: str
    output: str | None
    wide: bool

    def __post_init__(self) -> None:
        """Refuse a file that cannot be written so before any work is done."""
        if self.output is None:
            return
        if self.format not in ("table", self.kind):
            raise click.UsageError(
                f"-o {self.output} writes {self.kind}. Leave out --format, or name a file"
                f" .{self.format}."
            )
        if "://" not in self.output:
            check_folder(Path(self.output))

    @property
    def kind(self) -> str:
        """The format, by the suffix of the file or by --format."""
        return format_of(Path(self.output), self.format) if self.output else self.format

    @property
    def is_printed(self) -> bool:
        """Whether a table is printed for people, not for a program or a file."""
        return self.format == "table" and self.output is None

    def emit(self, rows: Rows, columns: Sequence[OutputColumn], **more: Any) -> None:
        """Write rows; title, notes and source as `palmares.render.tables.OutputTable` has them."""
        self.write(OutputTable(rows=rows, columns=columns, **more))

    def write(self, table: OutputTable) -> None:
        """Write a table."""
        table = replace(table, wide=self.wide, remedy="--wide shows every column")
        emit(table, self.format, self.output)

    def print(self, lines: Iterable[str]) -> None:
        """Write lines of text."""
        print_text(lines, self.output)


def gathered(**holders: Callable[..., Any]) -> Callable[[F], F]:
    """Pass options to the command as one value each, made by the *holders*."""

    def decorate(function: F) -> F:
        @wraps(function)
        def command(**given: Any) -> Any:
            for name, holder in holders.items():
                keys = [key for key in signature(holder).parameters if key in given]
                given[name] = holder(**{key: given.pop(key) for key in keys})
            return function(**given)

        return cast("F", command)

    return decorate


_SOURCE = together(from_journal, known_at, encoding)

sourced = together(_FILES, _SOURCE, gathered(source=Source))
"""PATH, --journal, --known-at and --encoding, as ``source``."""


def asking_with(*arguments: Callable[[Any], Any]) -> Callable[[F], F]:
    """The same as `asking`, with arguments between REGULATION and PATH."""
    regulation = click.argument("regulation", shell_complete=complete_awarding)
    return together(
        regulation, *arguments, _FILES, rules_options, _SOURCE, every_warning,
        gathered(source=Source, question=question),
    )  # fmt: skip


asking = asking_with()
"""REGULATION, --edition and --reading as ``question``, PATH and the rest as ``source``."""

selecting = together(
    click.option("--as-of", type=DAY, help="The day of the list (default: today, UTC)."),
    counting,
    gathered(chosen=selection),
)
"""--as-of, --setting, --kind, --since, --until and, where there is one, --nation, as ``chosen``."""

running = together(
    click.option(
        "--engine",
        type=click.Choice(["inprocess", "duckdb", "spark"]),
        help="duckdb: for facts larger than memory; spark: larger than a machine.",
    ),
    click.option("--memory", metavar="SIZE", help="duckdb: memory of all processes, such as 4GB."),
    click.option("--workers", type=click.IntRange(min=1), help="duckdb: the number of processes."),
    click.option("--scratch", type=click.Path(file_okay=False), help="duckdb: temporary files."),
    click.option("--master", metavar="URL", help="spark: its master, such as local[2]."),
    click.option(
        "--shard-rows", type=click.IntRange(min=1), help="Placings that are computed at a time."
    ),
    gathered(run=EngineChoice),
)
"""--engine and its settings, as ``run``."""

printing = together(writing, gathered(out=Output))
"""--format and --output, as ``out``."""

# ── charts ──────────────────────────────────────────────────────────────────────────────────────


def chart_option(text: str) -> Callable[[F], F]:
    """--chart FILE, whose suffix says which kind of picture it is."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("--chart", type=kind, callback=_refuse_others, help=text)


def _refuse_others(_ctx: click.Context, _param: click.Parameter, value: Path | None) -> Path | None:
    """Refuse another suffix, and a missing library, before any work is done."""
    if value is not None:
        if value.suffix.lower() not in SUFFIXES:
            kinds = " or ".join(SUFFIXES)
            raise Refused(f"A picture is {kinds}, not {value.suffix or 'without a suffix'}.")
        needs("charts", "A picture")
    return value


def write_chart(path: Path, chart: Chart) -> None:
    """Draw a chart into a file."""
    write_atomically(path, draw(chart, path.suffix.lower()[1:]))


# ── settings ─────────────────────────────────────────────────────────────────────────────────────


def setting(name: str, **more: Any) -> Callable[[F], F]:
    """The option of a setting: name, help and default stand in `SETTINGS`."""
    entry = SETTINGS[name]
    options: dict[str, Any] = {"show_default": entry.otherwise or None}
    if entry.default:
        options = {"default": entry.default, "show_default": True}
    return click.option(f"--{name}", envvar=entry.variable, help=entry.help, **(options | more))


# ── of a journal ─────────────────────────────────────────────────────────────────────────────────


def login() -> str:
    """The name of the user who is logged in; empty where the system has none."""
    try:
        return getuser()
    except (KeyError, OSError):
        return ""


def actor(author: str, role: str) -> Actor:
    """Who writes, in which role."""
    from palmares.journal.store.entries import Actor

    return Actor(author, role)


in_journal = setting("journal", metavar="URL", required=True)
"""--journal, for commands that need one."""

signing = together(
    setting("author", metavar="NAME", default=login),
    setting("role", type=click.Choice(("administrator", "officer", "director"))),
    gathered(actor=actor),
)
"""--author and --role as ``actor``."""

acting = together(in_journal, signing)
"""--journal, and --author and --role as ``actor``."""
