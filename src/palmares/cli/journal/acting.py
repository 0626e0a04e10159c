"""Options of commands that read or write a journal: which one, and in whose name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from getpass import getuser
from typing import TYPE_CHECKING, Any, TypeVar

import click

from palmares.cli.options import gathered, together
from palmares.cli.sources import WHERE, opened

if TYPE_CHECKING:
    from palmares.journal.store.entries import Actor
    from palmares.journal.store.journal import Journal

F = TypeVar("F", bound=Callable[..., Any])


class EntryNumber(click.ParamType[int]):
    """The number of an entry, as 57 or, as elsewhere, #57."""

    name = "entry"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or a usage error."""
        if isinstance(value, int):
            return value
        digits = value.removeprefix("#")
        if not (
            digits.isascii() and digits.isdigit() and int(digits[:18]) and digits == digits[:18]
        ):
            self.fail(f"{value!r} is no number of an entry; write it like 57 or '#57'.", param, ctx)
        return int(digits)


ROLES = ("administrator", "officer", "director")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A journal that was named."""

    journal: str

    def opened(self) -> closing[Journal]:
        """The journal; closed in the end."""
        return opened(self.journal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """Who writes, where a journal may be named or not."""

    author: str
    role: str

    def at(self, journal: str) -> Acting:
        """The same with a journal."""
        return Acting(journal=journal, author=self.author, role=self.role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting(Held):
    """The same, and who writes into it."""

    author: str
    role: str

    @property
    def actor(self) -> Actor:
        """Who writes, in which role."""
        from palmares.journal.store.entries import Actor

        return Actor(self.author, self.role)


def login() -> str:
    """The name of whoever is logged in; empty where the system does not tell."""
    try:
        return getuser()
    except (KeyError, OSError):
        return ""


_JOURNAL = click.option(
    "--journal", metavar="URL", envvar="PALMARES_JOURNAL", required=True, help=WHERE
)
_AUTHOR = click.option(
    "--author",
    metavar="NAME",
    envvar="PALMARES_AUTHOR",
    default=login,
    show_default="who is logged in",
    help="Who records (or PALMARES_AUTHOR).",
)
_ROLE = click.option(
    "--role",
    type=click.Choice(ROLES),
    envvar="PALMARES_ROLE",
    default="officer",
    show_default=True,
    help="In which role (or PALMARES_ROLE).",
)


holding = gathered("held", Held, _JOURNAL)
"""The option --journal, as `Held`."""

acting = gathered("acting", Acting, together(_JOURNAL, _AUTHOR, _ROLE))
"""The options --journal, --author and --role, as `Acting`."""

signing = gathered("signed", Signed, together(_AUTHOR, _ROLE))
"""The options --author and --role alone, as `Signed`."""
