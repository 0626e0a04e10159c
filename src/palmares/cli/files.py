"""check, convert, preview: files before points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from palmares.cli.app import command, complete_awarding, refuse_overwriting
from palmares.cli.hints import with_commands
from palmares.cli.options import question, sourced
from palmares.cli.sources import (
    JOURNAL,
    Source,
    encoding,
    every_warning,
    from_journal,
    known_at,
    warn,
)
from palmares.cli.terminal import count_of, folded, harmless
from palmares.core.errors import FactsRejected, Problem
from palmares.core.toml import content_of
from palmares.render.tables import write_atomically

if TYPE_CHECKING:
    from palmares.facts import Facts


@command()
@sourced
@click.option(
    "--for",
    "regulation",
    shell_complete=complete_awarding,
    metavar="REGULATION",
    help="Also show what this regulation refuses or warns of.",
)
def check(source: Source, regulation: str | None) -> None:
    """Check the reports at PATH: each problem with file, line, clause and remedy.

    The exit status is 1 if anything must be corrected, and 0 with warnings alone.

    \b
    Examples:
        palmares check examples/backgammon
        palmares check examples/backgammon --for wbgf
    """
    from palmares.points.awards import award
    from palmares.points.empty_lists import explained_awards

    for_question = question(regulation, None, ()) if regulation else None
    notices: list[Problem] = []
    try:
        facts = source.read()
        notices += facts.notices
        if for_question:
            rated = source.rated(facts)
            awards = explained_awards(award(for_question, rated), rated)
            notices += (*awards.notices, *awards.empty)
    except FactsRejected as rejected:
        _print_problems("problem", rejected.problems)
        _print_problems("warning", [*notices, *rejected.notices])
        raise click.exceptions.Exit(1) from None
    _print_problems("warning", notices)
    counts = ", ".join(
        count_of(
            len(table), name.removesuffix("es" if name.endswith("matches") else "s"), name
        ).replace("_", " ")
        for name, table in facts.tables.items()
        if len(table)
    )
    click.echo(f"No problems. {counts}.")


def _print_problems(word: str, problems: Sequence[Problem]) -> None:
    for problem in with_commands(problems):
        click.echo(folded(harmless(str(problem))))
    if problems:
        click.echo(f"{count_of(len(problems), word)}.")


@command()
@click.argument("places", metavar="[IN] OUT", nargs=-1, required=True, type=click.Path())
@click.option(
    "--format",
    "format",
    type=click.Choice(["csv", "parquet"]),
    default="csv",
    show_default=True,
    help="Of the tables, where OUT is a directory.",
)
@from_journal
@known_at
@encoding
@every_warning
def convert(
    places: tuple[str, ...],
    format: Literal["csv", "parquet"],  # noqa: A002
    journal: str | None,
    known_at: str | None,
    encoding: str | None,
) -> None:
    """Turn reports into a package of tables, or a tournament's tables into a report.

    IN is left out where --journal says whose facts they are. OUT is a report if it ends in .toml,
    a USEBIO file of one bridge event of teams if it ends in .xml, else a directory that must not
    exist yet or be empty.

    \b
    Examples:
        palmares convert examples/backgammon season/
        palmares convert season/ report.toml
        palmares convert league.toml league.xml
        palmares convert --journal federation.db --known-at 2019-12-31 season/
    """
    from palmares.bridge.results import imps_of_matches
    from palmares.facts import write_package
    from palmares.formats import usebio

    *origin, target = places
    if len(origin) > 1:
        raise click.UsageError(f"One IN and one OUT, not {len(places)} places.")
    if not origin and not journal and not JOURNAL.given:
        raise click.UsageError("Name IN and OUT; or --journal and OUT.")
    refuse_overwriting(target, [*origin, journal])
    source = Source(path=tuple(origin), journal=journal, known_at=known_at, encoding=encoding)
    facts = source.read()
    warn(facts.notices)
    place = Path(target)
    kind = place.suffix[1:].lower()
    if kind not in ("toml", "xml") and not kind.isdigit() and kind:  # season.2019 is a folder
        raise click.UsageError(
            f"{target}: OUT is a report (.toml), a USEBIO file (.xml) or a folder for tables."
        )
    if kind == "toml":
        _write_report(facts, place)
    elif kind == "xml":
        text, left_out = usebio.write(facts.tables, imps_of_matches(facts))
        write_atomically(place, text.encode())
        if left_out:
            click.echo(f"Warning: {target} is without {', '.join(left_out)}.", err=True)
    else:
        write_package(source.rated(facts), place, format=format)
    click.echo(f"{target}: written.")


def _write_report(facts: Facts, place: Path) -> None:
    """Write a tournament as a report, and warn of names that would be read as others."""
    from palmares.facts.decoding import ReportTables
    from palmares.formats.people import warn_of_name
    from palmares.formats.toml import write

    text, findings = write.write(facts.tables), ReportTables(str(place))
    for name in facts["players"]["name"].drop_nulls():
        warn_of_name(findings, name)
    reported = {notice.what for notice in facts.notices}
    warn([notice for notice in findings.notices if notice.what not in reported])
    write_atomically(place, text.encode())


@command()
@click.argument("path", type=click.Path())
@encoding
def preview(path: str, encoding: str | None) -> None:
    """Show how a sheet of placings would be read: columns, first rows, questions.

    The exit status is 1 if the sheet has problems.

    \b
    Example:
        palmares preview examples/formats/2011-dubrovnik-open.csv
    """
    from palmares.facts.decoding import ReportTables
    from palmares.formats.sheets import placings
    from palmares.formats.sheets.headers import STAND_INS

    content = content_of(path)
    for line in placings.preview(content, ReportTables(path), encoding):
        click.echo(harmless(line))
    problems = placings.read(content, path, tournament=STAND_INS, encoding=encoding).problems
    if problems:
        raise FactsRejected(problems, so="this sheet cannot be read as it is")
