"""Types of arguments and options, and text for a terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from textwrap import wrap
from typing import Any

import click

from palmares.core.settings import PREFIX

LONGEST = 40  # letters of what was typed, in a message
NARROWEST = 20  # letters a line to which text is broken
INDENT = "    "


def refuse_no_text(arguments: Sequence[str], variables: Mapping[str, str] = os.environ) -> None:
    """Refuse bytes that are not UTF-8, which Python hands on as lone surrogates, and NUL.

    Raises:
        click.UsageError: an argument or a variable of ours has them.
    """
    for argument in arguments:
        if not _is_text(argument):
            raise click.UsageError(
                f"{argument!r} is no text: it must be UTF-8. "
                "Where it names a file, rename the file."
            )
    for name, value in variables.items():
        if name.startswith(PREFIX) and not _is_text(value):
            raise click.UsageError(f"The variable {name} is no text: it must be UTF-8.")


def _is_text(value: str) -> bool:
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)


def harmless(text: str) -> str:
    """Text that is safe to print on a terminal: invisible letters by their codes."""
    if text.replace("\n", "").isprintable():
        return text
    from palmares.facts.text import visible

    return visible(text, keep="\n")


def folded(text: str, *, err: bool = False) -> str:
    """Text whose lines are broken at words where a terminal is narrower; elsewhere as it is.

    Args:
        text: lines; what goes on below a line stands four letters further in.
        err: whether it is for standard error.
    """
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        return text
    width = max(NARROWEST, shutil.get_terminal_size().columns)
    lines = []
    for line in text.split("\n"):
        left = " " * (len(line) - len(line.lstrip()))
        lines += wrap(
            line, width, subsequent_indent=left or INDENT,
            break_long_words=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
    return "\n".join(lines)


def count_of(number: int, noun: str, several: str = "") -> str:
    """``1 board``, ``1,008 boards``."""
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


class Typed(click.ParamType[Any]):
    """A value that a function reads from text."""

    def __init__(self, name: str, read: Callable[[str], Any], wrong: str) -> None:
        """Say how it is read.

        Args:
            name: of the type, as help shows it.
            read: a text to its value; raises ValueError if it is none.
            wrong: what is said then; ``{}`` is what was typed.
        """
        self.name, self.read, self.wrong = name, read, wrong

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, or a usage error that quotes what was typed."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError:
            text = value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}…"
            return self.fail(self.wrong.format(repr(text)), param, ctx)


def pattern(form: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Read the first group of a regular expression that must match the text."""
    compiled = re.compile(form, re.ASCII)

    def read_group(text: str) -> Any:
        match = compiled.fullmatch(text)
        if match is None:
            raise ValueError(text)
        return read(match[1])

    return read_group


def pair(text: str, *, last: bool = False, empty: bool = True) -> tuple[str, str]:
    """Two texts with ``=`` between them, the first or the last one; the second may be *empty*."""
    name, sign, value = text.rpartition("=") if last else text.partition("=")
    if not (sign and name.strip() and (value.strip() or empty)):
        raise ValueError(text)
    return name.strip(), value.strip()


DAY = Typed(
    "date",
    pattern(r"(\d{4}-\d\d-\d\d)", date.fromisoformat),
    "{} is not a date; write it like 2019-12-31.",
)
CHOICE = Typed(
    "id=choice", partial(pair, empty=False), "{} is no choice; write it like W3=skip-29-feb."
)
"""A reading and the option chosen for it."""
ENTRY = Typed(
    "entry",
    pattern(r"#?((?=0*[1-9])\d{1,18})", int),
    "{} is not the number of an entry; write it like 57 or '#57'.",
)
"""The number of an entry, as 57 or, as elsewhere, #57."""
