"""settings: what is in force on this machine, and from where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import click

from palmares.cli.app import command
from palmares.cli.options import Output, login, printing
from palmares.core.errors import PalmaresError, Refused
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
    for entry in SETTINGS.values():
        if entry.given is not None:
            try:
                _check(entry, entry.given)
            except (click.BadParameter, PalmaresError) as error:
                yield f"{entry.variable} is invalid: {getattr(error, 'message', error)}"


def _check(entry: Setting, value: str) -> None:
    """Have a value refused by what reads it: the option of a command, or what follows it."""
    from palmares.regulations import listed_regulations
    from palmares.web.settings import address, check_secret, public_url

    context = click.get_current_context()
    commands = cast("click.Group", context.find_root().command)
    for name in ("publish", "serve"):
        for option in cast("click.Command", commands.get_command(context, name)).params:
            if option.envvar == entry.variable:
                option.type_cast_value(context, value)
    checks: Mapping[str, Callable[[str], object]] = {
        "public-url": public_url, "regulations": listed_regulations, "secret": check_secret,
        "host": lambda host: address(SETTINGS["public-url"].given, host, 0),
    }  # fmt: skip
    if entry.name in checks:
        checks[entry.name](value)
    if entry.name in ("rules", "fund") and not Path(value).is_dir():
        raise Refused(f"there is no folder {value}.")


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
