"""
What was typed, before a command sees it: text, and numbers below zero; and as it is told again.

    refuse_no_text      arguments and variables that are no text  ->  a usage error
    with_numbers        a command and its arguments  ->  the command, to which -1 is a number
    harmless            what a terminal is told: nothing in it moves a cursor or turns letters round
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import pairwise

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
    from palmares.facts.texts import visible

    return visible(text, keep="\n")
