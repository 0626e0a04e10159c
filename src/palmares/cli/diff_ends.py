"""
The two lists of a comparison, as they are named on the command line.

    END         the type of the arguments A and B
    held        a source of facts  ->  where the facts of both lists are, while it is open
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.options import DAY
from palmares.cli.sources import Source

if TYPE_CHECKING:
    from palmares.differences.ends import End, Held

_NUMBER = re.compile(r"#([1-9][0-9]{0,17})")
_DAY = re.compile(r"[0-9-]+")


class EndType(click.ParamType["End"]):
    """A list to compare."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> End:
        """What was named, or a usage error that shows how lists are named."""
        from palmares.differences.ends import End

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


@contextmanager
def held(source: Source) -> Iterator[Held]:
    """Where the facts of both lists are, while it is open."""
    from palmares.differences.ends import Held

    if source.journal is None:
        yield Held.of_facts(source.facts())
        return
    with source.opened() as journal, journal.reading() as reader:
        yield Held(None, reader)
