"""completion: what the Tab key proposes, and the script by which a shell asks for it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import wraps

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from palmares.cli.app import command
from palmares.core.errors import PalmaresError

MOST = 200
"""Players that are proposed at most."""
VARIABLE = "_PALMARES_COMPLETE"
_SIGNS = {"": re.compile(r"([^\w%+,./:=@-])"), '"': re.compile(r'(["$`\\])')}
"""What Bash takes for a sign of its own in a name, outside and inside of double quotes."""

Proposals = Iterable[tuple[str, str]]  # values, and what they are


@add_completion_class
class Bash(BashComplete):
    """Bash, which is given a name of several words with backslashes, as it would be typed."""

    def format_completion(self, item: CompletionItem[str]) -> str:
        """``plain,Ada\\\\ Novak``: the script takes one of two backslashes."""
        typed = os.environ["COMP_WORDS"].split("\n")[int(os.environ["COMP_CWORD"])]
        if typed.startswith("'"):
            value = item.value.replace("'", "'\\''")
        else:
            value = _SIGNS['"' if typed.startswith('"') else ""].sub(r"\\\1", item.value)
        return f"{item.type},{value}".replace("\\", "\\\\")


@command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes palmares in SHELL with the Tab key.

    Commands, options, files, regulations, editions, and the players of the PATH or --journal on
    the line.

    \b
    Examples:
        palmares completion bash >> ~/.bashrc
        palmares completion zsh >> ~/.zshrc
        palmares completion fish > ~/.config/fish/completions/palmares.fish
    """
    root = click.get_current_context().find_root().command
    if completion_class := get_completion_class(shell):
        click.echo(completion_class(root, {}, "palmares", VARIABLE).source())


def _proposing(
    propose: Callable[[click.Context], Proposals],
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem[str]]]:
    """Make a callback for Click: the proposals that begin with what was typed; none on errors."""

    @wraps(propose)
    def callback(
        ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        typed, items = incomplete.casefold(), list[CompletionItem[str]]()
        with suppress(PalmaresError, click.ClickException, ImportError, OSError):
            for value, what in propose(ctx):
                if value.casefold().startswith(typed):
                    items.append(CompletionItem(value, help=what or None))
        return items[:MOST]

    return callback


@_proposing
def regulations(_ctx: click.Context) -> Proposals:
    """Every regulation by its name."""
    from palmares.regulations import regulations as registry

    return [(each.name, each.title) for each in registry().values()]


@_proposing
def awarding(_ctx: click.Context) -> Proposals:
    """Every regulation that awards points to players."""
    from palmares.regulations import regulations as registry

    return [(each.name, each.title) for each in registry().values() if each.kinds]


@_proposing
def editions(ctx: click.Context) -> Proposals:
    """The editions of the regulation on the line."""
    from palmares.regulations import get_regulation

    name = ctx.params.get("regulation") or ctx.params.get("name")
    return [(each.id, each.title) for each in get_regulation(str(name)).editions()]


@_proposing
def players(ctx: click.Context) -> Proposals:
    """The players of the files or the journal on the line: names, or ids of those who share one."""
    from palmares.cli.sources import Source

    path, journal = ctx.params.get("path") or (), ctx.params.get("journal")
    tables = Source(path=tuple(path), journal=journal).read().tables
    rows = tables["players"].select("player_id", "name", "nation", "withheld").sort("name")
    return _by_name([row[:3] for row in rows.iter_rows() if not row[3]])


def _by_name(rows: list[tuple[str, str | None, str | None]]) -> Iterator[tuple[str, str]]:
    names = [name for _, name, _ in rows]
    for player, name, nation in rows:
        if name and names.count(name) == 1:
            yield name, " ".join(filter(None, (player if player != name else "", nation)))
    for player, name, nation in rows:
        if player != name:
            yield player, " ".join(filter(None, (name, nation)))
