"""Commands in groups, imported when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from palmares.cli.types import with_numbers

Commands = Mapping[str, tuple[str, str]]
"""Name: (module and function, one line of help)."""


class Lazy(click.Group):
    """A group of commands: ``@click.group(cls=Lazy, subcommands=SUBCOMMANDS)``.

    They take a number below zero as an argument.
    """

    def __init__(self, *args: Any, subcommands: Commands, **more: Any) -> None:
        super().__init__(*args, **more)
        self.subcommands = subcommands

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the work."""
        del ctx
        return list(self.subcommands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        del ctx
        if cmd_name not in self.subcommands:
            return None
        module, function = self.subcommands[cmd_name][0].split(":")
        found: click.Command = getattr(import_module(module), function)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.subcommands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, its name, and what else was typed."""
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group):
            command = with_numbers(command, rest)
        return name, command, rest
