"""USBGF sheets: what the editions say, and that nothing but the announced changes differs."""

from __future__ import annotations

import tomllib
from difflib import ndiff
from typing import Any

import pytest

from palmares.regulations import usbgf
from palmares.regulations.editions import Edition, editions, rules_directory

OLD, NEW = editions("usbgf")
BOTH = pytest.mark.parametrize("edition", [OLD, NEW], ids=lambda edition: edition.id)


def text(edition: Edition) -> str:
    return (rules_directory() / "usbgf" / f"{edition.id}.toml").read_text("utf-8")


def sheet(edition: Edition) -> dict[str, Any]:
    return tomllib.loads(text(edition))


@BOTH
def test_the_sheet_and_the_module_name_the_same_constants(edition: Edition) -> None:
    assert tuple(edition.constants) == usbgf.Constants._fields


@BOTH
def test_readings_in_order(edition: Edition) -> None:
    """U15 was never given out; U1 and U4 answer sentences that only the text of 2019 has."""
    numbers = [*range(1, 15), *range(16, 36)]
    only_2019 = {"U1", "U4"} if edition is OLD else set()
    assert list(edition.readings) == [f"U{n}" for n in numbers if f"U{n}" not in only_2019]


@BOTH
def test_options(edition: Edition) -> None:
    offered = {one.id: set(one.options) for one in edition.readings.values() if one.options}
    also = {"U1": {"quick-reference"}} if edition is NEW else {}
    assert offered == also | {"U6": {"smaller"}, "U9": {"exclusive"}, "U10": {"sum"}}


def test_what_the_federation_changed() -> None:
    """The 0.6 factor, Circuit Monthly 2 to 3, Divisional 3 to 2, and the quick reference."""
    old, new = sheet(OLD), sheet(NEW)
    assert old.pop("edition") != new.pop("edition")
    assert old["constants"].pop("rank_points_weight") == {
        "is": 1,
        "unit": "1",
        "clause": "rank-points",
        "note": "no such factor in this edition",
    }
    assert new["constants"].pop("rank_points_weight")["is"] == 0.6
    for changed, then, now in (("Circuit Monthly", 2, 3), ("Divisional", 3, 2)):
        assert old["tables"]["event_levels"]["is"]["online"].pop(changed) == then
        assert new["tables"]["event_levels"]["is"]["online"].pop(changed) == now
    assert "0.6 * Event Size Factor" in new["clauses"].pop("rank-points")["says"]
    assert "0.6" not in old["clauses"].pop("rank-points")["says"]
    assert new["clauses"].pop("quick-reference")["says"].startswith("Div. Rank >= 3")
    new["reading"] = [one for one in new["reading"] if one["id"] not in ("U1", "U4")]
    assert old == new


def test_diff_shows_an_officer_no_more_than_that() -> None:
    old, new = (text(edition).splitlines() for edition in (OLD, NEW))
    gone = [line[2:] for line in ndiff(old, new) if line.startswith("- ")]
    assert [line.split("=")[0].strip() for line in gone] == [
        "# USBGF Master Point System, effective May 2015.",
        "title",
        "source",
        "in_force",
        "rank_points_weight",
        '"Circuit Monthly"',
        '"Divisional"',
        "rank-points",
    ]


def test_dates() -> None:
    assert [str(one.in_force) for one in (OLD, NEW)] == ["2015-05-01", "2019-01-01"]


@BOTH
def test_every_clause_that_is_cited_or_computes_is_quoted(edition: Edition) -> None:
    assert all(len(clause.says) > 20 and clause.label for clause in edition.clauses.values())
    computing = {name for name, one in edition.clauses.items() if one.kind == "computes"}
    marked = {
        function.clause
        for function in vars(usbgf).values()
        if hasattr(function, "__wrapped__") and hasattr(function, "clause")
    }
    assert computing == marked - ({"quick-reference"} if edition is OLD else set())
