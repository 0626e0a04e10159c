"""Additions to Click: commands loaded when used, help in sections, types, completion."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from palmares.cli.hints import error_text
from palmares.core.errors import PalmaresError
from palmares.core.settings import PREFIX

Commands = Mapping[str, tuple[str, str]]
"""Name: (module below ``palmares.cli`` and function, one line of help)."""

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Output": ("format", "output", "wide", "warnings", "chart", "partition_by"),
    "Facts and rules": ("journal", "known_at", "encoding", "edition", "readings"),
    "Recording": ("author", "role", "yes", "all"),
    "Engine options, for more than memory holds": (
        *("engine", "memory", "workers", "scratch", "master", "shard_rows"),
    ),
}
"""Headings of help after "Options", with their options; required options stand under "Options"."""


_NEGATIVE = re.compile(r"-\d[\d.,]*")


class Command(click.Command):
    """A command whose help has its own options first, and those of engines last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options by section."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Options", *SECTIONS)}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                sections[_section(param)].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; while the Tab key completes the value of an option, leave that option out."""
        if ctx.resilient_parsing and args and args[-1].startswith("-"):
            args = args[:-1]
        given = list(args)  # parsing takes them away
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if number := next(filter(_NEGATIVE.fullmatch, given), None):
                wrong = f"{number} is a negative number. Write a number above 0."
                raise click.UsageError(wrong, ctx) from None
            for param in self.params:
                if f"--{param.name}" == error.option_name:
                    wrong = f"No such option '{error.option_name}'. Did you mean '{param.opts[0]}'?"
                    raise click.UsageError(wrong, ctx) from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless it would write over a file that it reads."""
        for name in ctx.params.keys() & _WRITTEN:
            others = [value for key, value in ctx.params.items() if key != name]
            refuse_overwriting(ctx.params[name], others)
        return super().invoke(ctx)


_WRITTEN = {"output", "chart", "manifest"}
"""The parameters that name a file to write."""


def refuse_overwriting(target: Any, sources: Iterable[Any]) -> None:
    """Refuse to write over a file that is read: it may be the only copy.

    Args:
        target: the file to write, if there is one.
        sources: values of parameters; those that are files are compared, in tuples too.
    """
    for source in sources:
        if isinstance(source, tuple):
            refuse_overwriting(target, source)
        elif isinstance(source, str | Path) and isinstance(target, str | Path):
            place = str(source).removeprefix("sqlite:///")
            with suppress(OSError, ValueError):
                if Path(place).is_file() and Path(place).samefile(target):
                    raise click.UsageError(
                        f"{target} is read, and would be written over. Name another file."
                    )


def _section(param: click.Parameter) -> str:
    if param.required:
        return "Options"
    return next((name for name, names in SECTIONS.items() if param.name in names), "Options")


command: Callable[..., Callable[[Callable[..., Any]], Command]] = partial(
    click.command, cls=Command
)
"""``@command()``: as Click's, with help in sections."""


class LazyGroup(click.Group):
    """A group of commands: ``@click.group(cls=Lazy, sections={"Commands": COMMANDS})``."""

    def __init__(self, *args: Any, sections: Mapping[str, Commands], **more: Any) -> None:
        super().__init__(*args, **more)
        self.sections = sections
        self.places = {
            name: place for names in sections.values() for name, (place, _) in names.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  Click gives it
        """Every command, in the order of help."""
        return list(self.places)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self.places:
            return None
        module, function = self.places[cmd_name].split(":")
        return cast("click.Command", getattr(import_module(f"palmares.cli.{module}"), function))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; one that does not exist is refused, with similar names.

        A command of a group that lacks the group's name, such as ``palmares undo``, is found there.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            groups = {name: self.get_command(ctx, name) for name in self.places}
            if within := [
                f"{ctx.command_path} {name} {error.command_name}"
                for name, group in groups.items()
                if isinstance(group, LazyGroup) and error.command_name in group.places
            ]:
                message = f"No such command '{error.command_name}'. Did you mean"
                meant = " or ".join(f"'{command}'" for command in within)
                raise click.UsageError(f"{message} {meant}?", ctx) from None
            raise click.NoSuchCommand(error.command_name, None, self.places, ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands by section, without importing any."""
        widest = max(map(len, self.places))
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(widest), line) for name, (_, line) in commands.items()]
                )


def typed(arguments: Sequence[str]) -> str:
    """A command as it is typed in the shell of this system."""
    from subprocess import list2cmdline

    given = ["palmares", *arguments]
    return list2cmdline(given) if os.name == "nt" else shlex.join(given)


def run(ctx: click.Context, arguments: Sequence[str]) -> int:
    """Run another command as if it had been typed, with the same `obj`; its exit status."""
    group = ctx.find_root().command
    arguments = list(arguments)
    return group.main(arguments, prog_name="palmares", standalone_mode=False, obj=ctx.obj) or 0


LONGEST = 40  # letters of what was typed, in a message


def refuse_no_text(arguments: Sequence[str], variables: Mapping[str, str] = os.environ) -> None:
    """Refuse bytes that are not UTF-8 (Python passes them on as lone surrogates), and NUL.

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


class Typed(click.ParamType[Any]):
    """A value that a function reads from text."""

    def __init__(self, name: str, read: Callable[[str], Any], wrong: str) -> None:
        """Make a type.

        Args:
            name: of the type, as help shows it.
            read: turns a text into a value; raises ValueError, or an error of ours, if it cannot.
            wrong: the message of a ValueError; ``{}`` is what was typed.
        """
        self.name, self.read, self.wrong = name, read, wrong

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, or a usage error."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except PalmaresError as error:
            return self.fail(error_text(error), param, ctx)
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


def to_mapping(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Pairs of a repeated option by their names; a name that is there twice is refused."""
    by_name: dict[str, str] = {}
    for name, value in pairs:
        if by_name.setdefault(name, value) != value:
            raise click.UsageError(f"{name} is there twice, as {by_name[name]} and {value}.")
    return by_name


DAY = Typed(
    "date",
    pattern(r"(\d{4}-\d\d-\d\d)", date.fromisoformat),
    "{} is not a date; write it like 2019-12-31.",
)
CHOICE = Typed(
    "id=choice", partial(pair, empty=False), "{} is no choice; write it like W3=skip-29-feb."
)
"""A reading and the option chosen for it."""
CELL = Typed("column=value", pair, "{} is no cell; write it like rank=3.")
AMOUNT = Typed(
    "amount",
    partial(pair, last=True, empty=False),
    '{} is no PLAYER=AMOUNT; write it like "Ada Novak=900.50".',
)
ENTRY_OF_JOURNAL = re.compile(r"#([1-9][0-9]{0,17})")
"""An entry where it could be a file or a day: #57."""
ENTRY = Typed(
    "entry",
    pattern(r"#?((?=0*[1-9])\d{1,18})", int),
    "{} is not the number of an entry; write it like 57 or '#57'.",
)
"""The number of an entry, as 57 or, as elsewhere, #57."""


# ── what the Tab key proposes, and the script by which a shell asks for it ────────────────────────

MOST_PROPOSED = 200
"""Players that are proposed at most."""
VARIABLE = "_PALMARES_COMPLETE"
_SIGNS = {"": re.compile(r"([^\w%+,./:=@-])"), '"': re.compile(r'(["$`\\])')}
"""What Bash takes for a sign of its own in a name, outside and inside of double quotes."""

Proposals = Iterable[tuple[str, str]]  # values, and what they are


@add_completion_class
class Bash(BashComplete):
    """Completion for Bash: names of several words get backslashes, as they would be typed."""

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
        return items[:MOST_PROPOSED]

    return callback


@_proposing
def complete_regulations(_ctx: click.Context) -> Proposals:
    """Every regulation by its name."""
    from palmares.regulations import regulations

    return [(each.name, each.title) for each in regulations().values()]


@_proposing
def complete_awarding(_ctx: click.Context) -> Proposals:
    """Every regulation that awards points to players."""
    from palmares.regulations import regulations

    return [(each.name, each.title) for each in regulations().values() if each.kinds]


@_proposing
def complete_editions(ctx: click.Context) -> Proposals:
    """The editions of the regulation on the line."""
    from palmares.regulations import get_regulation

    name = ctx.params.get("regulation") or ctx.params.get("name")
    return [(each.id, each.title) for each in get_regulation(str(name)).editions()]


@_proposing
def complete_players(ctx: click.Context) -> Proposals:
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
