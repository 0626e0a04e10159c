"""Commands in groups, imported when they are used."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import click

Commands = Mapping[str, tuple[str, str]]
"""Name: (module and function, one line of help)."""


class Lazy(click.Group):
    """A group of commands: ``@click.group(cls=Lazy, subcommands=SUBCOMMANDS)``."""

    def __init__(self, *args: Any, subcommands: Commands, **more: Any) -> None:
        super().__init__(*args, **more)
        self.subcommands = subcommands

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  Click gives it
        """Every command, in the order of the work."""
        return list(self.subcommands)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self.subcommands:
            return None
        module, function = self.subcommands[cmd_name][0].split(":")
        return cast("click.Command", getattr(import_module(module), function))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.subcommands.items()])


def typed(arguments: Sequence[str]) -> str:
    """A command as it is typed in the shell of this system."""
    given = ["palmares", *arguments]
    return subprocess.list2cmdline(given) if os.name == "nt" else shlex.join(given)


def run(ctx: click.Context, arguments: Sequence[str]) -> int:
    """Run another command as if it had been typed; its exit status."""
    group = ctx.find_root().command
    return group.main(list(arguments), prog_name="palmares", standalone_mode=False) or 0
