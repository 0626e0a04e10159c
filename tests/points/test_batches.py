"""Tournaments awarded in batches: the same awards and notices as one by one, from fewer objects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from msgspec import structs

from palmares.facts import Facts
from palmares.facts.packages import read_package
from palmares.facts.rates import with_bank_rates
from palmares.facts.schema import MONEY
from palmares.formats.load import MOST_NOTICES, first_notices
from palmares.points import awards, batches, inputs
from palmares.points.awards import Question
from palmares.regulations import money_disciplines
from tests.season import season, written

QUESTIONS = (
    Question(regulation="wbgf"),
    Question(regulation="wbgf", chosen={"W6": "own-fee"}),
)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """A season of many currencies and kinds of events, of which hardly two have the same cells."""
    package = written(season(3, 300), tmp_path_factory.mktemp("season"))
    return with_bank_rates(read_package(package), money_disciplines)


def together(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Award tournaments in batches where at least so many have one shape."""
    monkeypatch.setattr(awards, "BATCHES_FROM", few)
    monkeypatch.setattr(batches, "FEWEST", few)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_same_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, facts: Facts, question: Question
) -> None:
    apart = awards.award(question, facts)
    together(monkeypatch, 2)
    made = awards.award(question, facts)
    assert made.frame.schema == apart.frame.schema
    assert made.frame.equals(apart.frame)
    assert made.published().equals(apart.published())
    assert (made.terms, made.notices, made.waiting) == (apart.terms, apart.notices, apart.waiting)


@pytest.mark.parametrize("few", [2, 10**9])
def test_the_first_notices_alone(monkeypatch: pytest.MonkeyPatch, facts: Facts, few: int) -> None:
    every = awards.award(QUESTIONS[0], facts).notices
    together(monkeypatch, few)
    first = awards.award(QUESTIONS[0], facts, most_notices=MOST_NOTICES + 1).notices
    assert len(every) > 200
    assert first_notices(first) == first_notices(every)


def championships(directory: Path) -> Facts:
    """40 championships, of 40 or 200 players; E07 has no fee, and E09 a flight more."""
    tables: dict[str, list[list[str]]] = {
        "players": [["player_id", "name"], *([name, name] for name in "ABCD")],
        "tournaments": [["tournament_id", "name", "end_date"]],
        "events": [["event_id", "tournament_id", "name", "kind", "entry_fee", "added_money"]],
        "flights": [["event_id", "flight", "entrants"]],
        "placings": [["event_id", "flight", "player_id", "rank"]],
    }
    for number in range(40):
        event, tournament = f"E{number:02}", f"T{number:02}"
        fee = "" if number == 7 else str(100 + number % 3)
        tables["tournaments"].append([tournament, f"Cup {number}", "2019-11-15"])
        tables["events"].append([event, tournament, "Open", "championship", fee, "600"])
        size = "40" if number % 2 else "200"
        tables["flights"] += [
            [event, name, size] for name in ("main", "jackpot")[: 1 + (number == 9)]
        ]
        tables["placings"] += [
            [event, "main", player, rank] for player, rank in zip("ABCD", "1233", strict=True)
        ]
    return replace(read_package(written(tables, directory)), may_wait=True)


def test_what_has_something_to_say_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An event without a fee waits, and a flight that the text does not know is noticed."""
    facts = championships(tmp_path)
    apart = awards.award(QUESTIONS[0], facts)
    together(monkeypatch, 4)
    held, rules = QUESTIONS[0].get_regulation(), QUESTIONS[0].rulebook()
    tables = inputs.tables(inputs.coded(facts)[0], held)
    found = batches.award(held, rules, tables, terms=True)
    assert found.left == [7, 9]
    assert sum(len(block.events) for block in found.blocks) == 38
    assert found.advised == [7, 9]  # too few are like them
    made = awards.award(QUESTIONS[0], facts)
    assert made.frame.equals(apart.frame)
    assert [one.event_id for one in made.waiting] == ["E07"]
    assert made.waiting == apart.waiting
    assert made.notices == apart.notices
    assert any("jackpot" in one.what for one in made.notices)


def test_points_too_great_to_be_counted_are_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    facts = championships(tmp_path)
    bonus = pl.when(pl.col("event_id") == "E10").then(10**12).otherwise(1).cast(MONEY)
    events = facts.tables["events"].with_columns(bonus_grade=bonus)
    facts = replace(facts, tables={**facts.tables, "events": events})
    apart = awards.award(QUESTIONS[0], facts)
    together(monkeypatch, 4)
    made = awards.award(QUESTIONS[0], facts)
    assert [one.event_id for one in made.waiting] == ["E07", "E10"]
    assert made.waiting == apart.waiting
    assert made.frame.equals(apart.frame)


def test_an_error_that_nobody_expects_is_let_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Awarding one by one instead would hide it, and be slow."""
    together(monkeypatch, 4)
    held, rules = QUESTIONS[0].get_regulation(), QUESTIONS[0].rulebook()
    tables = inputs.tables(inputs.coded(championships(tmp_path))[0], held)
    constants: dict[str, int] = {}
    wrong = structs.replace(held, award=lambda *_: [constants["no such constant"]])
    with pytest.raises(KeyError, match="no such constant"):
        batches.award(wrong, rules, tables, terms=False)
