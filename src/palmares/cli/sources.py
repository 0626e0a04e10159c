"""Where a command takes its facts from: files at PATH, or what a journal knew at some time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct
from msgspec.structs import force_setattr

from palmares.cli.hints import with_commands
from palmares.cli.terminal import folded, harmless
from palmares.core.errors import Problem
from palmares.core.messages import message_of
from palmares.core.settings import SETTINGS

if TYPE_CHECKING:
    from palmares.facts import Facts
    from palmares.journal.projection.project import Projection
    from palmares.journal.store.journal import Journal
    from palmares.lists.live import JournalAwards
    from palmares.points.awards import Question, Waiting

MOST_WARNINGS = 20
EXAMPLES = 2
"""Warnings of one kind that are shown."""
EVERY_WARNING = "palmares.every_warning"
JOURNAL = SETTINGS["journal"]

encoding = click.option(
    "--encoding",
    metavar="NAME",
    help="The encoding of text files that are not UTF-8, such as cp1252.",
)
from_journal = click.option(
    "--journal", metavar="URL", help=f"Take the facts of a journal instead of PATH. {JOURNAL.help}"
)
known_at = click.option(
    "--known-at",
    metavar="WHEN",
    help="With --journal: what was known at the end of a day, at a time (2019-12-31T18:00Z) or"
    " with entry #41 (default: now).",
)


def _show_every(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001
    ctx.meta[EVERY_WARNING] = value


every_warning = click.option(
    "--warnings",
    is_flag=True,
    expose_value=False,
    callback=_show_every,
    help="Show every warning, not only two of a kind.",
)
"""--warnings, for whatever calls `warn`."""


class Source(Struct, frozen=True, kw_only=True):
    """Files, or a journal."""

    path: tuple[str, ...] = ()
    journal: str | None = None
    known_at: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        """Refuse both, and neither; without either, take the journal of the environment."""
        if self.path and self.journal:
            raise click.UsageError("Name a PATH or a --journal, not both.")
        for path in filter(_is_journal, self.path):
            raise click.UsageError(f"{path} is a journal. Write --journal {path}.")
        if not self.path and not self.journal:
            if not JOURNAL.given:
                raise click.UsageError(
                    "Missing argument 'PATH...': name reports or tables, or a --journal."
                )
            force_setattr(self, "journal", JOURNAL.given)
        if self.known_at and not self.journal:
            raise click.UsageError("--known-at is for --journal: files know only what is in them.")
        if self.encoding and self.journal:
            raise click.UsageError("--encoding is for files at PATH.")

    def opened(self) -> closing[Journal]:
        """The journal; closed in the end."""
        if self.journal is None:
            raise click.UsageError(f"Name a journal: --journal URL, or {JOURNAL.variable}.")
        return opened(self.journal)

    @contextmanager
    def kept_awards(self, question: Question) -> Iterator[JournalAwards]:
        """The awards of the journal, kept on this machine and brought up to date."""
        from palmares.lists.live import open_awards

        with self.opened() as journal, open_awards(journal, question, self.known_at) as awards:
            yield awards

    def projection(self) -> Projection | None:
        """The state of the journal; none for files."""
        return projection_of(self.journal, self.known_at) if self.journal else None

    def read(self) -> Facts:
        """The checked facts; their notices are not shown."""
        from palmares.formats.load import gathered

        projection = self.projection()
        if projection is None:
            return gathered(*self.path, encoding=self.encoding)
        return projection.facts

    def facts(self) -> Facts:
        """The checked facts with the rates they need; their notices are shown as warnings."""
        facts = self.read()
        warn(facts.notices)
        return self.rated(facts)

    def rated(self, facts: Facts) -> Facts:
        """Facts of files with the bank's rates added; a journal has its own."""
        from palmares.facts.rates import with_bank_rates
        from palmares.regulations import money_disciplines

        return facts if self.journal else with_bank_rates(facts, money_disciplines)


def _is_journal(path: str) -> bool:
    """Whether a file is a database of SQLite, which no report is."""
    with suppress(OSError, ValueError):
        if Path(path).is_file():  # a pipe can be read only once
            with Path(path).open("rb") as stream:
                return stream.read(16) == b"SQLite format 3\0"
    return False


def opened(journal: str) -> closing[Journal]:
    """A journal; closed in the end."""
    from palmares.journal.store.journal import open_journal

    return closing(open_journal(journal))


def projection_of(journal: str, known_at: str | None = None) -> Projection:
    """What a journal knows, or knew at some time."""
    from palmares.journal.projection.snapshots import load_projection

    with opened(journal) as store:
        return load_projection(store, known_at)


def warn_first(
    notices: Iterable[Problem], question: str = "", waiting: Sequence[Waiting] = ()
) -> None:
    """Show notices by file and line, in the same order with every engine.

    Args:
        notices: of facts and of a regulation, in any order.
        question: the command that lists them all, if there is one.
        waiting: events that are missing in a list.
    """
    from palmares.formats.load import MOST_NOTICES, first_notices

    first = first_notices(notices)
    warn(first[:MOST_NOTICES])
    if len(first) > MOST_NOTICES:
        where = f"; '{question}' lists them all" if question else ""
        _warn(f"… and more, which are not counted{where}.")
    warn((), waiting)


def warn(notices: Sequence[Problem], waiting: Sequence[Waiting] = ()) -> None:
    """Show notices on standard error by kind, and the events that are missing in a list.

    Args:
        notices: of facts and of a regulation.
        waiting: events that are missing, and why.
    """
    context = click.get_current_context(silent=True)
    every = bool(context and context.meta.get(EVERY_WARNING))
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for notice in with_commands(notices):
        kind = (notice.clause, notice.several or message_of(notice.what))
        kinds.setdefault(kind, []).append(notice)
    parts: list[list[Problem]] = []  # each becomes one warning
    for those in kinds.values():
        alone = every or len(those) <= EXAMPLES
        parts += [[notice] for notice in those] if alone else [sorted(those, key=attrgetter("at"))]
    most = len(parts) if every else MOST_WARNINGS
    for part in parts[:most]:
        _warn(_group_text(part))
    if rest := sum(map(len, parts[most:])):
        _warn(f"… and {rest:,} more; --warnings shows them all.")
    if waiting:
        from palmares.points.awards import say_waiting

        _warn("\n    ".join(say_waiting(waiting)))


def _warn(text: str) -> None:
    """Show a warning; once where a command runs others, which share the shown ones in `obj`."""
    context = click.get_current_context(silent=True)
    printed: set[str] = (context and context.find_object(set)) or set()
    if text in printed:
        return
    printed.add(text)
    click.echo(folded(harmless(f"Warning: {text}"), err=True), err=True)


def _group_text(notices: Sequence[Problem]) -> str:
    """The text of a notice; of several of one kind, their number and the first ones."""
    first = notices[0]
    if len(notices) == 1:
        return str(first)
    lines = [f"{len(notices):,} {first.several or 'of one kind'} [{first.clause}]"]
    lines += [f"{notice.where}: {notice.what}" for notice in notices[:EXAMPLES]]
    lines += [f"… and {len(notices) - EXAMPLES:,} more; --warnings shows them all."]
    return "\n    ".join([*lines, first.remedy])
