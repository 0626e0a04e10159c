"""
Change each number of each edition of a regulation, one at a time, and run its tests.

Each number of each [constants] entry and inside each table is raised a little: a whole number that
counts something by one, any other by a thousandth; of flags, 0 becomes 1 and 1 becomes 0. Then the
tests run with the changed edition in the place of its file. Only a failed assertion counts.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import Phase, settings
from msgspec import structs

from palmares.regulations import Regulation
from palmares.regulations import editions as editions_module
from palmares.regulations.editions import Edition, read_edition, rules_directory

PROCESSES = 2
SLIGHTLY = Fraction(1, 1000)
COUNTS = ("days", "calendar year", "entrants", "rank", "division rank", "event level")
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "--hypothesis-profile", "witness"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)

Place = tuple[Any, ...]  # ("tables", "event_weights", "Level 6")


# ── editions ─────────────────────────────────────────────────────────────────────────────────────


def numbers(value: Any, place: Place = ()) -> Iterator[tuple[Place, Fraction]]:
    """The numbers of a nested value, each with its place."""
    if isinstance(value, Fraction):
        yield place, value
        return
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield from numbers(inner, (*place, key))


def changed_number(number: Fraction, unit: str, *, flags: bool, up: bool) -> Fraction:
    """A number changed by one if it counts something, else by a thousandth; a flag flipped."""
    step = 1 if up else -1
    if flags:
        return 1 - number
    if number.denominator == 1 and unit in COUNTS:
        return number + step
    return number * (1 + step * SLIGHTLY) or SLIGHTLY


def are_flags(value: Any) -> bool:
    """Whether a value holds several numbers, each 0 or 1."""
    distinct = {number for place, number in numbers(value) if place}
    return bool(distinct) and distinct <= {0, 1}


def replace_number(value: Any, place: Place, number: Fraction) -> Any:
    """A nested value with another number at a place."""
    if not place:
        return number
    key, *rest = place
    if isinstance(value, Mapping):
        return MappingProxyType({**value, key: replace_number(value[key], tuple(rest), number)})
    return (*value[:key], replace_number(value[key], tuple(rest), number), *value[key + 1 :])


# ── one change ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One number of one edition, and what it becomes; without a place, nothing changes."""

    regulation: str
    file: Path
    tests: tuple[str, ...] = ()  # files, folders, or single tests, as pytest takes them
    place: Place = ()
    before: Fraction = Fraction(0)
    after: Fraction = Fraction(0)
    otherwise: Fraction = Fraction(0)  # tried if that breaks a test without an assertion

    def __str__(self) -> str:
        name = f"{self.regulation}/{self.file.stem}"
        if not self.place:
            return f"{name} as it is"
        part, constant, *place = self.place
        keys = ".".join(map(str, (part, constant, "is", *place)))
        return f"{name} {keys}: {self.before} -> {self.after}"

    def read(self, path: Path) -> Edition:
        """A file as an edition, with the change if it is the file that changes."""
        edition = read_edition(path)
        if path != self.file or not self.place:
            return edition
        part, name, *place = self.place
        entries = getattr(edition, part)
        entry = structs.replace(
            entries[name], value=replace_number(entries[name].value, tuple(place), self.after)
        )
        more: dict[str, Any] = {part: MappingProxyType({**entries, name: entry})}
        return structs.replace(edition, sha256=f"{edition.sha256} changed", **more)


def edition_files(regulation: Regulation) -> list[Path]:
    """The edition files of a regulation."""
    return sorted(
        ((regulation.rules_directory or rules_directory()) / regulation.name).glob("*.toml")
    )


def mutations(regulation: Regulation, tests: Sequence[str] = ()) -> list[Mutation]:
    """Every change to every edition of a regulation."""
    return [
        Mutation(
            regulation=regulation.name,
            file=path,
            tests=tuple(tests),
            place=(part, name, *place),
            before=number,
            after=changed_number(number, entry.unit, flags=are_flags(entry.value), up=True),
            otherwise=changed_number(number, entry.unit, flags=are_flags(entry.value), up=False),
        )
        for path in edition_files(regulation)
        for part in ("constants", "tables")
        for name, entry in getattr(read_edition(path), part).items()
        for place, number in numbers(entry.value)
    ]


@dataclass(slots=True, eq=False)
class Verdict:
    """The result of the tests for a change; a pytest plugin that stops at the first failure."""

    change: Mutation
    passed: int = 0
    witness: str = ""  # the test whose assertion failed
    broken: str = ""  # why the change was no fair trial, or a test that broke without an assertion

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let tests that try many examples come last."""
        items.sort(key=lambda item: hasattr(getattr(item, "function", None), "hypothesis"))

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Note what became of one test."""
        if call.when == "call" and call.excinfo is None:
            self.passed += 1
        elif call.excinfo is not None and call.when == "call" and is_assertion(call.excinfo.value):
            self.witness = item.nodeid
            item.session.shouldstop = "noticed"
        elif call.excinfo is not None:
            self.broken = f"{item.nodeid}: {call.excinfo.typename}"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file of tests that does not load."""
        if report.failed:
            self.broken = f"{report.nodeid}: does not load"


def is_assertion(error: BaseException) -> bool:
    """Whether what failed is an assertion, or several and nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_assertion(exception) for exception in error.exceptions)
    return isinstance(error, AssertionError | pytest.fail.Exception)


def run_both_ways(change: Mutation) -> Verdict:
    """One change put before the tests; if more breaks them without an assertion, then less."""
    verdict = run_tests(change)
    if change.place and verdict.broken and not verdict.witness:
        return run_tests(replace(change, after=change.otherwise))
    return verdict


def run_tests(change: Mutation) -> Verdict:
    """One change put before the regulation's tests; runs in a process of its own."""
    phases = [Phase.explicit, Phase.generate]
    settings.register_profile("witness", database=None, deadline=None, phases=phases)
    verdict = Verdict(change)
    editions_module.editions.cache_clear()
    with (
        patch.object(editions_module, "read_edition", change.read),
        Path(os.devnull).open("w") as nowhere,
        redirect_stdout(nowhere),
    ):
        pytest.main([*OPTIONS, *change.tests], plugins=[verdict])
    if not verdict.passed and not verdict.witness:
        verdict.broken = verdict.broken or f"no test of {change.regulation} passed"
    return verdict


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


def unseen(
    regulation: Regulation, tests: Sequence[str], report: Callable[[str], None] = print
) -> list[str]:
    """The numbers of a regulation's editions that can change without a failing test.

    Args:
        regulation: the regulation.
        tests: its tests, as pytest takes them; none that reads the edition files themselves.
        report: called with a line for each change.

    Raises:
        RuntimeError: the tests fail as it is.
    """
    every_change = mutations(regulation, tests)
    unchanged = Mutation(
        regulation=regulation.name, file=edition_files(regulation)[0], tests=tuple(tests)
    )
    unnoticed = []
    with multiprocessing.get_context("fork").Pool(PROCESSES, maxtasksperchild=1) as pool:
        (verdict,) = pool.map(run_tests, [unchanged])
        if verdict.witness or verdict.broken:
            raise RuntimeError(f"{unchanged}: the tests fail: {verdict.witness or verdict.broken}")
        for done, verdict in enumerate(pool.imap_unordered(run_both_ways, every_change, 1), 1):
            why = f" ({verdict.broken})" if verdict.broken else ""
            seen = verdict.witness.rpartition("/")[2] or f"NO TEST NOTICES{why}"
            report(f"[{done}/{len(every_change)}] {verdict.change}: {seen}")
            if not verdict.witness:
                unnoticed.append(str(verdict.change))
    return unnoticed
