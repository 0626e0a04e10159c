"""The command line: its commands and options, and the data they print on the example season."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from palmares.cli import cli
from tests.packages import run
from tests.structure.demo_journal import demo_journal, steady
from tests.structure.shapes import digest, shape

_BACKGAMMON = ("wbgf", "examples/backgammon")
_USBGF = ("usbgf", "examples/usbgf")
_DIPLOMACY = ("dptr", "examples/diplomacy")
_LEAGUE = "examples/bridge/water-birds-league.toml"
_CHICAGO = "examples/backgammon/2005-chicago-open.toml"

PRINTING: tuple[tuple[str, ...], ...] = (
    ("regulations",),
    *(("regulations", name) for name in ("wbgf", "usbgf", "dptr", "wbf-vp", "wbf-imps")),
    ("regulations", "usbgf", "--edition", "2019-01"),
    ("award", *_BACKGAMMON),
    ("award", *_BACKGAMMON, "--reading", "W3=skip-29-feb"),
    ("award", *_BACKGAMMON, "--engine", "duckdb", "--shard-rows", "20"),
    ("award", *_USBGF),
    ("award", *_DIPLOMACY),
    ("rank", *_BACKGAMMON, "--as-of", "2005-12-31"),
    ("rank", *_BACKGAMMON, "--as-of", "2005-12-31", "--by", "nation"),
    ("rank", *_BACKGAMMON, "--as-of", "2005-12-31", "--nation", "CAN"),
    ("rank", *_BACKGAMMON, "--as-of", "2006-12-31", "--since", "2005-06-01"),
    ("rank", *_BACKGAMMON, "--as-of", "2005-12-31", "--top", "3", "--engine", "inprocess"),
    ("rank", *_USBGF, "--as-of", "2019-12-31"),
    ("rank", *_USBGF, "--as-of", "2019-12-31", "--setting", "online", "--kind", "placement"),
    ("rank", *_USBGF, "--as-of", "2019-12-31", "--by", "nation"),
    ("rank", *_DIPLOMACY, "--as-of", "2004-12-31"),
    ("totals", *_USBGF, "--as-of", "2019-12-31"),
    ("totals", *_USBGF, "--as-of", "2019-12-31",
     "--levels", "examples/recognition-levels.toml.example"),
    ("explain", *_BACKGAMMON, "--player", "Todd Obadal", "--as-of", "2005-12-31"),
    ("explain", *_USBGF, "--player", "Alan Grunwald", "--as-of", "2019-12-31"),
    ("explain", *_DIPLOMACY, "--player", "Andy BARTALONE", "--as-of", "2004-12-31"),
    ("history", *_BACKGAMMON, "--player", "Phil Simborg", "--until", "2006-12-31"),
    ("history", *_BACKGAMMON, "--player", "Phil Simborg", "--until", "2006-12-31",
     "--ahead", "2009-12-31"),
    ("history", *_BACKGAMMON, "--player", "Phil Simborg", "--until", "2006-12-31", "--expiries"),
    ("history", *_DIPLOMACY, "--player", "Andy BARTALONE", "--until", "2019-12-31"),
    ("history", *_USBGF, "--player", "Alan Grunwald", "--every", "week", "--until", "2019-06-30"),
    ("diff", "wbgf", "2005-09-30", "2005-12-31", "examples/backgammon"),
    ("diff", "wbgf", "2005-09-30", "2005-12-31", "examples/backgammon", "--player", "Todd Obadal"),
    ("diff", "dptr", "2002-12-31", "2004-12-31", "examples/diplomacy"),
    ("diff", "wbgf", "2005-12-31", "2005-12-31", "examples/backgammon",
     "--reading-b", "W3=skip-29-feb"),
    ("vp", "--boards", "16"),
    ("vp", "--boards", "16", "--margin", "20"),
    ("vp", "--boards", "16", "--points", "12"),
    ("vp", "--boards", "20", "--scale", "discrete"),
    ("vp", "--boards", "20", "--margin", "13", "--scale", "discrete"),
    ("vp", "--matches", "examples/bridge"),
    ("standings", _LEAGUE),
    ("standings", _LEAGUE, "--crosstable"),
    ("standings", _LEAGUE, "--scale", "discrete"),
    ("standings", _LEAGUE, "--explain", "Kingfisher"),
)  # fmt: skip
"""Commands that print JSON, on the examples."""

_AS = ("--author", "Otto Lind", "--role", "officer", "--yes")
_MERIT = "examples/backgammon/2019-merit-open.toml"
JOURNALLED: tuple[tuple[str, ...], ...] = (
    ("rank", "wbgf", "--as-of", "2005-12-31"),
    ("rank", "wbgf", "--as-of", "2011-12-31", "--known-at", "#150"),
    ("diff", "wbgf", "#167", "2006-06-30"),
    ("publication", "show", "167"),
    ("journal", "log", "--limit", "50"),
    ("player", "find", "kobrin"),
    ("player", "suggestions"),
    ("member", "list"),
    ("verify", "#168"),
    ("player", "merge", "P89", "P20", "--reason", "one", *_AS),
    ("player", "split", "P51", "--tournament", "dixie-32-2018-2018-05-27",
     "--reason", "two", *_AS),
    ("player", "edit", "P42", "--name", "Raj Jansari", *_AS),
    ("player", "apart", "P89", "P20", "--reason", "two", *_AS),
    ("member", "add", "P89", "USBGF", "--from", "2019-01-01", *_AS),
    ("journal", "rate", "DKK", "2008-03-20", "0.134", "--source", "bank", *_AS),
    ("journal", "undo", "160", "--reason", "wrong", *_AS),
    ("journal", "withdraw", "dixie-32-2018-2018-05-27", "--reason", "wrong", *_AS),
    ("journal", "override", "dixie-32-2018-2018-05-27", "events", "--row",
     "event_id=dixie-32-2018-2018-05-27/dixie-32-2018", "--set", "entrants=66",
     "--reason", "wrong", *_AS),
    ("journal", "erase", "P89", "--reason", "asked", *_AS),
    ("add", _MERIT, *_AS),
)  # fmt: skip
"""Commands that print JSON, each on a fresh journal of the demonstration."""


def options() -> dict[str, Any]:
    """Every command with its options and arguments, without a word of help."""
    return {
        name: {
            " ".join(param.opts): _option(param)
            for param in sorted(command.params, key=lambda one: one.opts)
        }
        for name, command in sorted(_commands(cli, "palmares"))
    }


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for more in command.list_commands(context):
            found = command.get_command(context, more)
            assert found is not None
            yield from _commands(found, f"{name} {more}")


def _option(param: click.Parameter) -> dict[str, Any]:
    facts = param.to_info_dict()
    kind = {key: value for key, value in facts["type"].items() if key != "param_type"}
    said = {key: facts.get(key) for key in ("required", "nargs", "multiple", "is_flag", "envvar")}
    default = facts["default"] if isinstance(facts["default"], str | int | float | bool) else None
    return {
        "type": {key: value for key, value in kind.items() if value not in (None, False)},
        "also": sorted(set(param.secondary_opts)),
        "default": default,
        **{key: value for key, value in said.items() if value not in (None, False)},
    }


def printed() -> dict[str, Any]:
    """What commands print as JSON on the example season."""
    return {" ".join(given): _printed(given, "--format", "json") for given in PRINTING} | {
        "check": _said("check", "examples/backgammon", "examples/usbgf", "examples/diplomacy"),
        **_converted(),
        **_published(),
    }


def journalled() -> dict[str, Any]:
    """What commands print as JSON on the journal of the demonstration."""
    found = {}
    for given in JOURNALLED:
        with demo_journal() as folder:
            place = ("--journal", str(folder / "federation.db"), "--format", "json")
            found[" ".join(given)] = _printed(given, *place)
    with demo_journal() as folder:
        found["journal export"] = _exported(folder)
    return found


def _printed(given: tuple[str, ...], *more: str) -> dict[str, Any]:
    result = run(*given, *more)
    said = {"status": result.exit_code, "warnings": len(result.stderr.splitlines())}
    try:
        return said | {"data": shape(json.loads(steady(result.stdout)))}
    except json.JSONDecodeError:
        return said | {"printed": digest(steady(result.stdout))}


def _said(*given: str) -> dict[str, Any]:
    result = run(*given)
    return {"status": result.exit_code, "lines": len(result.output.splitlines())}


def _converted() -> dict[str, Any]:
    """A report as tables, these as a report again, and what that gives."""
    with TemporaryDirectory() as folder:
        tables, report = Path(folder) / "tables", Path(folder) / "report.toml"
        first = run("convert", _CHICAGO, tables)
        second = run("convert", tables, report)
        found = {
            one.name: shape(list(csv.DictReader(one.read_text(encoding="utf-8").splitlines())))
            for one in sorted(tables.iterdir())
        }
        given = ("rank", "wbgf", str(report), "--as-of", "2005-12-31")
        again = _printed(given, "--format", "json")
    return {
        "convert": {"status": [first.exit_code, second.exit_code], "tables": found, "rank": again}
    }


def _published() -> dict[str, Any]:
    """A manifest, and the list that is made of it once more."""
    with TemporaryDirectory() as folder:
        manifest = str(Path(folder) / "list.json")
        day = ("--as-of", "2005-12-31", "--manifest", manifest)
        made = _printed(("publish", *_BACKGAMMON, *day), "--format", "json")
        told = shape(json.loads(steady(Path(manifest).read_text(encoding="utf-8"))))
        checked = _printed(("verify", manifest, "examples/backgammon"), "--format", "json")
    return {"publish": made, "publish manifest": told, "verify": checked}


def _exported(folder: Path) -> dict[str, Any]:
    """The journal as lines: its entries, hashes and names are the same every time."""
    file = folder / "journal.jsonl"
    result = run("journal", "export", file, "--journal", folder / "federation.db")
    lines = [json.loads(steady(line)) for line in file.read_text("utf-8").splitlines()]
    return {"status": result.exit_code, "data": shape(lines)}
