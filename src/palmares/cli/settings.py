"""settings: what is in force on this machine, and from where."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import click

from palmares.cli.app import command
from palmares.cli.options import Output, login, printing
from palmares.core.files import cache_folder
from palmares.core.settings import SETTINGS, Setting, unknown
from palmares.render.tables import Column

_PASSWORD = re.compile(r"(://[^:/@]*:).*(@)|([?&]\w*password=)[^&]*", re.IGNORECASE)
COLUMNS = (
    Column("setting"),
    Column("value", "in force"),
    Column("source", "from"),
    Column("variable"),
    Column("default", hidden=True),
    Column("means", hidden=True),
)


@command()
@printing
def settings(out: Output) -> None:
    """What is in force, and from where: each setting, its value and its variable.

    An option of a command counts before its variable, the variable before the default. Secrets and
    passwords are not shown.

    \b
    Examples:
        palmares settings
        PALMARES_PORT=8080 palmares settings
    """
    out.emit(
        list(rows()),
        COLUMNS,
        title="Settings",
        notes=[
            *invalid(),
            *(f"{name} is no setting of palmares: nothing reads it." for name in unknown()),
        ],
    )


def invalid() -> Iterator[str]:
    """What is wrong with values of the environment, as the commands that take them say it."""
    from palmares.regulations.editions import rules_directory

    context = click.get_current_context()
    commands = cast("click.Group", context.find_root().command)
    options = {
        option.envvar: option
        for name in ("publish", "serve")
        for option in cast("click.Command", commands.get_command(context, name)).params
    }
    for entry in SETTINGS.values():
        if entry.given is None or entry.variable not in options:
            continue
        try:
            options[entry.variable].type_cast_value(context, entry.given)
        except click.BadParameter as error:
            yield f"{entry.variable} is invalid: {error.message}"
    if not rules_directory().is_dir():
        yield f"{SETTINGS['rules'].variable} is invalid: there is no folder {rules_directory()}."


def rows() -> Iterator[dict[str, str]]:
    """Each setting with its value and where that is from."""
    for entry in SETTINGS.values():
        yield {
            "setting": entry.name,
            "value": value_of(entry),
            "source": "environment" if entry.given else "default",
            "variable": entry.variable,
            "default": entry.default or entry.otherwise,
            "means": entry.means,
        }


def value_of(entry: Setting) -> str:
    """The value in force; secrets are hidden."""
    if entry.given is None:
        return entry.default or _there(entry.name) or entry.otherwise
    return "not shown" if entry.secret else _PASSWORD.sub(r"\1\3***\2", entry.given)


def _there(name: str) -> str:
    """The value that this system provides."""
    from palmares.regulations.editions import rules_directory

    if name == "author":
        return login()
    if name == "cache":
        return str(cache_folder())
    return str(rules_directory()) if name == "rules" else ""
