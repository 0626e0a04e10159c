"""What was typed, before a command sees it: text, numbers below zero, pairs; and as told again."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import Any

import click

_NUMBER = re.compile(r"-[.,]?[0-9][0-9.,eE+-]*")
VARIABLES = "PALMARES_"


def refuse_no_text(arguments: Sequence[str], variables: Mapping[str, str] = os.environ) -> None:
    """Refuse bytes that are not UTF-8, which Python hands on as lone surrogates, and NUL.

    Raises:
        click.UsageError: an argument or a variable of ours has them.
    """
    for one in arguments:
        if not _is_text(one):
            raise click.UsageError(
                f"{one!r} is no text: it must be UTF-8. Where it names a file, rename the file."
            )
    for name, value in variables.items():
        if name.startswith(VARIABLES) and not _is_text(value):
            raise click.UsageError(f"The variable {name} is no text: it must be UTF-8.")


def _is_text(value: str) -> bool:
    return "\0" not in value and not any("\ud800" <= one <= "\udfff" for one in value)


def with_numbers(command: click.Command, arguments: Sequence[str]) -> click.Command:
    """The command, to which an argument such as -1 is a number and no option.

    No option of ours is a digit; so the command itself can say what is wrong with the number.
    """
    takes = {
        name
        for one in command.params
        if isinstance(one, click.Option) and not (one.is_flag or one.count)
        for name in one.opts
    }
    if not any(
        _NUMBER.fullmatch(one) and before not in takes for before, one in pairwise(["", *arguments])
    ):
        return command
    found = copy(command)
    found.context_settings = {**command.context_settings, "ignore_unknown_options": True}
    return found


def harmless(text: str) -> str:
    """What a terminal is told of texts that somebody typed: invisible letters by their codes."""
    if text.replace("\n", "").isprintable():
        return text
    from palmares.facts.text import visible

    return visible(text, keep="\n")


def count_of(number: int, noun: str, several: str = "") -> str:
    """``1 board``, ``8 boards``; with another plural where it is said."""
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


class Pair(click.ParamType[tuple[str, str]]):
    """Two texts with a sign between them: NAME=ID."""

    def __init__(self, name: str, wrong: str, *, last: bool = False, empty: bool = True) -> None:
        """Say what a pair is.

        Args:
            name: of the type.
            wrong: what is said of another text.
            last: whether the last sign parts it, not the first.
            empty: whether the second text may be empty.
        """
        self.name, self.wrong, self.last, self.empty = name, wrong, last, empty

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Both texts, or a usage error."""
        if isinstance(value, tuple):
            return value
        parted = value.rpartition("=") if self.last else value.partition("=")
        name, sign, text = (one.strip() for one in parted)
        if not (name and sign and (text or self.empty)):
            self.fail(self.wrong.format(repr(value)), param, ctx)
        return name, text
