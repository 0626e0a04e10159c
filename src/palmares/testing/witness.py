"""
Change every number of every sheet of a regulation, one at a time: does a test notice?

Each number of each [constants] entry and inside each table is raised a little: a whole number that
counts something by one, any other by a thousandth; of flags, 0 becomes 1 and 1 becomes 0. Then the
tests run on a copy of the sheets. Only a failed assertion is a witness.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from palmares.regulations import Regulation, get_regulation
from palmares.regulations.editions import Edition, editions, read_sheet, rules, rules_directory

PROCESSES = 2
SLIGHTLY = Fraction(1, 1000)
COUNTS = ("days", "calendar year", "entrants", "rank", "division rank", "event level")
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "--hypothesis-profile", "witness"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)

Sheet = dict[str, Any]
Place = tuple[str, ...]  # ("tables", "event_weights", "is", "Level 6")


# ── sheets ───────────────────────────────────────────────────────────────────────────────────────


def toml(value: Any) -> str:
    """A value as TOML, all on one line."""
    match value:
        case bool():
            return str(value).lower()
        case Mapping():
            return f"{{ {', '.join(f'{json.dumps(k)} = {toml(v)}' for k, v in value.items())} }}"
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case _:  # a whole number, a decimal number, a date
            return str(value)


def numbers(value: Any, place: Place = ()) -> Iterator[Place]:
    """Where the numbers of a nested value are."""
    match value:
        case bool():
            return
        case Mapping():
            for key, inner in value.items():
                yield from numbers(inner, (*place, key))
        case list():
            for index, inner in enumerate(value):
                yield from numbers(inner, (*place, str(index)))
        case _:
            yield place


def fixed_by(sheet: Sheet) -> list[Place]:
    """Where a sheet's constants and the numbers of its tables are."""
    return [
        (part, name, "is", *place)
        for part in ("constants", "tables")
        for name, entry in sheet.get(part, {}).items()
        for place in numbers(entry["is"])
    ]


def holder(sheet: Any, place: Place) -> tuple[Any, Any]:
    """The mapping or list that holds a place, and its key in it."""
    for key in place[:-1]:
        sheet = sheet[int(key)] if isinstance(sheet, list) else sheet[key]
    return sheet, int(place[-1]) if isinstance(sheet, list) else place[-1]


def nudged(number: Any, unit: str, *, flags: bool, up: bool) -> Any:
    """A little more or less: one if it counts something, else a thousandth; a flag is turned."""
    step = 1 if up else -1
    if flags:
        return 1 - number
    if isinstance(number, int) and unit in COUNTS:
        return number + step
    more = Fraction(number) * (1 + step * SLIGHTLY) or SLIGHTLY
    if isinstance(number, str):
        return str(more)
    return Decimal(more.numerator) / Decimal(more.denominator)


def are_flags(entry: Any) -> bool:
    """Whether an entry holds several numbers, each 0 or 1."""
    held = [holder(entry, place) for place in numbers(entry) if place]
    return bool(held) and all(inside[key] in {0, 1} for inside, key in held)


def values(edition: Edition) -> dict[Place, Fraction]:
    """Every number of an edition as loaded, by its place."""
    found: dict[Place, Fraction] = {}

    def look(value: Any, place: Place) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                look(inner, (*place, key))
        elif isinstance(value, tuple):
            for index, inner in enumerate(value):
                look(inner, (*place, str(index)))
        else:
            found[place] = value

    for part, entries in (("constants", edition.constants), ("tables", edition.tables)):
        for name, entry in entries.items():
            look(entry.value, (part, name, "is"))
    return found


# ── one change ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One number of one sheet, and what it becomes; without a place, nothing changes."""

    regulation: str
    sheet: Path
    tests: tuple[str, ...] = ()  # files, folders, or single tests, as pytest takes them
    place: Place = ()
    before: Any = None
    after: Any = None
    otherwise: Any = None  # what is tried if that breaks a test without an assertion

    def __str__(self) -> str:
        name = f"{self.regulation}/{self.sheet.stem}"
        if not self.place:
            return f"{name} as it is"
        return f"{name} {'.'.join(self.place)}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the tests said to a change."""

    change: Change
    witness: str = ""  # the test whose assertion failed
    broken: str = ""  # why the change was no fair trial, or a test that broke without an assertion


def sheets(held: Regulation) -> list[Path]:
    """The sheets of a regulation."""
    return sorted(((held.sheets or rules_directory()) / held.name).glob("*.toml"))


def changes(held: Regulation, tests: Sequence[str] = ()) -> list[Change]:
    """Every change to every sheet of a regulation."""
    found = []
    for path in sheets(held):
        sheet = tomllib.loads(path.read_text("utf-8"), parse_float=Decimal)
        for place in fixed_by(sheet):
            entry = sheet[place[0]][place[1]]
            inside, key = holder(sheet, place)
            more, less = (
                nudged(inside[key], entry["unit"], flags=are_flags(entry["is"]), up=up)
                for up in (True, False)
            )
            found.append(
                Change(
                    regulation=held.name,
                    sheet=path,
                    tests=tuple(tests),
                    place=place,
                    before=inside[key],
                    after=more,
                    otherwise=less,
                )
            )
    return found


def write(change: Change, folder: Path) -> str:
    """The rules with one number changed, in a folder; a complaint if more or less has changed."""
    held = get_regulation(change.regulation)
    for path in change.sheet.parent.glob("*.toml"):
        sheet = tomllib.loads(path.read_text("utf-8"), parse_float=Decimal)
        expected = values(read_sheet(path))
        if path == change.sheet and change.place:
            inside, key = holder(sheet, change.place)
            inside[key] = change.after
            expected[change.place] = Fraction(change.after)
        copy = folder / held.name / path.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(
            "\n".join(f"{json.dumps(k)} = {toml(v)}" for k, v in sheet.items()), "utf-8"
        )
        edition = read_sheet(copy)
        rules(edition, held.constants)
        if values(edition) != expected:
            return f"{path.name} could not be rewritten"
    return ""


class Watch:
    """A pytest plugin that stops at the first failed assertion."""

    def __init__(self) -> None:
        self.passed = 0
        self.witness = ""
        self.broken = ""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let tests that try many examples come last."""
        items.sort(key=lambda item: hasattr(getattr(item, "function", None), "hypothesis"))

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Note what became of one test."""
        if call.when == "call" and call.excinfo is None:
            self.passed += 1
        elif call.excinfo is not None and call.when == "call" and asserted(call.excinfo.value):
            self.witness = item.nodeid
            item.session.shouldstop = "noticed"
        elif call.excinfo is not None:
            self.broken = f"{item.nodeid}: {call.excinfo.typename}"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file of tests that does not load."""
        if report.failed:
            self.broken = f"{report.nodeid}: does not load"


def asserted(error: BaseException) -> bool:
    """Whether what failed is an assertion, or several and nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(asserted(one) for one in error.exceptions)
    return isinstance(error, AssertionError | pytest.fail.Exception)


def tried_both_ways(change: Change) -> Verdict:
    """One change put before the tests; if more breaks them without an assertion, then less."""
    verdict = tried(change)
    if change.place and verdict.broken and not verdict.witness:
        return tried(replace(change, after=change.otherwise))
    return verdict


def tried(change: Change) -> Verdict:
    """One change put before the regulation's tests; runs in a process of its own."""
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("witness", database=None, deadline=None, phases=phases)
    with tempfile.TemporaryDirectory() as name:
        try:
            complaint = write(change, Path(name))
        except Exception as error:  # noqa: BLE001  whatever it is, no test was asked
            complaint = f"the changed sheet does not load: {error}"
        if complaint:
            return Verdict(change=change, broken=complaint)
        os.environ["PALMARES_RULES"] = name
        held = get_regulation(change.regulation)
        if held.sheets:  # of a package: this process tries one change and ends
            object.__setattr__(held, "sheets", Path(name))
        editions.cache_clear()
        watch = Watch()
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            pytest.main([*OPTIONS, *change.tests], plugins=[watch])
        if not watch.passed and not watch.witness:
            watch.broken = watch.broken or f"no test of {change.regulation} passed"
        return Verdict(change=change, witness=watch.witness, broken=watch.broken)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


def unseen(
    held: Regulation, tests: Sequence[str], tell: Callable[[str], None] = print
) -> list[str]:
    """The numbers of a regulation's sheets of which no test notices that they changed.

    Args:
        held: the regulation.
        tests: its tests, as pytest takes them; none that reads the sheets themselves.
        tell: is told what became of each change.

    Raises:
        RuntimeError: the tests fail as it is.
    """
    planned = changes(held, tests)
    as_it_is = Change(regulation=held.name, sheet=sheets(held)[0], tests=tuple(tests))
    found = []
    with multiprocessing.get_context("fork").Pool(PROCESSES, maxtasksperchild=1) as pool:
        (verdict,) = pool.map(tried, [as_it_is])
        if verdict.witness or verdict.broken:
            raise RuntimeError(f"{as_it_is}: the tests fail: {verdict.witness or verdict.broken}")
        for done, verdict in enumerate(pool.imap_unordered(tried_both_ways, planned, 1), 1):
            why = f" ({verdict.broken})" if verdict.broken else ""
            seen = verdict.witness.rpartition("/")[2] or f"NO TEST NOTICES{why}"
            tell(f"[{done}/{len(planned)}] {verdict.change}: {seen}")
            if not verdict.witness:
                found.append(str(verdict.change))
    return found
