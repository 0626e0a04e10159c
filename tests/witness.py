"""
Change every number of every sheet, one at a time: does a test notice?

    python tests/witness.py [REGULATION...]

Each number of each [constants] entry and inside each table is raised a little: a whole number that
counts something by one, any other by a thousandth; of flags, 0 becomes 1 and 1 becomes 0. The
changed sheet must load, and the module accept it; then the regulation's tests
(``tests/regulations/test_<name>*.py``) run on a copy of the rules. Only a failed assertion is a
witness: if more of a number breaks tests without one, less of it is tried. Files of tests that
read the sheets themselves, or their hashes, are left out. Exit status 1 if a number has no witness.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from palmares.editions import Edition, read_sheet, rules, rules_directory
from palmares.regulations import REGULATIONS, Regulation

TESTS = Path(__file__).parent
PROCESSES = 2
SLIGHTLY = Fraction(1, 1000)
COUNTS = ("days", "calendar year", "entrants", "rank", "division rank", "event level")
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "--hypothesis-profile", "witness"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
LOOKS = ("rules_directory", "read_sheet", "sha256", "hashlib")  # at a sheet's text or hash

HELD = {one.name for one in REGULATIONS}

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


def changes(held: Regulation) -> list[Change]:
    """Every change to every sheet of a regulation."""
    found = []
    for path in sorted((rules_directory() / held.name).glob("*.toml")):
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
                    place=place,
                    before=inside[key],
                    after=more,
                    otherwise=less,
                )
            )
    return found


def write(change: Change, folder: Path) -> str:
    """The rules with one number changed, in a folder; a complaint if more or less has changed."""
    held = next(one for one in REGULATIONS if one.name == change.regulation)
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
        rules(edition, held.load().Constants)
        if values(edition) != expected:
            return f"{path.name} could not be rewritten"
    return ""


def asked(regulation: str) -> list[str]:
    """The files of a regulation's tests, but those that look at its sheets themselves."""
    paths = (TESTS / "regulations").glob(f"test_{regulation.replace('-', '_')}*.py")
    texts = {str(path): path.read_text("utf-8") for path in sorted(paths)}
    return [path for path, text in texts.items() if not any(word in text for word in LOOKS)]


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
        watch = Watch()
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            pytest.main([*OPTIONS, *asked(change.regulation)], plugins=[watch])
        if not watch.passed and not watch.witness:
            watch.broken = watch.broken or f"no test of {change.regulation} passed"
        return Verdict(change=change, witness=watch.witness, broken=watch.broken)


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


def main(names: list[str]) -> int:
    """Try every change of the regulations named, or of all; 1 if a number has no witness."""
    chosen = [one for one in REGULATIONS if not names or one.name in names]
    for one in chosen:
        one.load()  # once, before the processes fork
    unchanged = [
        Change(regulation=one.name, sheet=path)
        for one in chosen
        for path in sorted((rules_directory() / one.name).glob("*.toml"))[:1]
    ]
    if strays := {path.parent.name for path in rules_directory().glob("*/*.toml")} - HELD:
        print(f"No regulation in the registry has these sheets: {', '.join(sorted(strays))}")
    planned = [change for one in chosen for change in changes(one)]
    unseen, begun = [], time.monotonic()
    with multiprocessing.get_context("fork").Pool(PROCESSES, maxtasksperchild=1) as pool:
        for verdict in pool.imap_unordered(tried, unchanged, 1):
            if verdict.witness or verdict.broken:
                print(f"{verdict.change}: the tests fail: {verdict.witness or verdict.broken}")
                return 1
        for done, verdict in enumerate(pool.imap_unordered(tried_both_ways, planned, 1), 1):
            if verdict.witness:
                test = verdict.witness.partition("/test_")[2]
                print(f"[{done}/{len(planned)}] {verdict.change}: test_{test}", flush=True)
                continue
            unseen.append(verdict)
            why = f" ({verdict.broken})" if verdict.broken else ""
            print(f"[{done}/{len(planned)}] {verdict.change}: NO TEST NOTICES{why}", flush=True)
    print(f"\n{len(planned)} numbers, {time.monotonic() - begun:.0f} s.")
    for verdict in unseen:
        print(f"No test notices {verdict.change}")
    return 1 if unseen or strays or not planned else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
