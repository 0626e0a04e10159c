"""An empty list says why: one reason each, the first that holds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import palmares
from palmares.core.errors import PalmaresWarning
from palmares.engines import Engine
from palmares.engines.queries import rank as rank_on
from palmares.facts import Facts, write_package
from palmares.library.points import checked_facts
from palmares.points import awards
from palmares.points.awards import Question
from palmares.points.empty_lists import why_empty
from palmares.points.rankings import RankedList, Selection
from tests.engines import in_process
from tests.packages import run

PLACED: Mapping[str, Mapping[str, list[Any]]] = {
    "tournaments": {
        "tournament_id": ["t"], "name": ["T"], "discipline": ["backgammon"],
        "end_date": ["2019-11-15"],
    },
    "events": {
        "event_id": ["e"], "tournament_id": ["t"], "name": ["E"], "kind": ["championship"],
        "entrants": [2], "entry_fee": ["100"], "rounds": [3], "event_level": [3],
    },
    "players": {"player_id": ["a", "b"], "name": ["Ada", "Ben"], "nation": ["CZE", "DEU"]},
    "placings": {"event_id": ["e", "e"], "player_id": ["a", "b"], "rank": [1, 2]},
}  # fmt: skip


def facts(**cells: Any) -> Facts:
    """One tournament; ``tournaments__end_date="2018-01-01"`` sets a cell of its row."""
    tables: dict[str, dict[str, list[Any]]] = {name: dict(table) for name, table in PLACED.items()}
    for name, value in cells.items():
        table, _, column = name.partition("__")
        tables[table][column] = [value]
    return checked_facts({name: pl.DataFrame(table) for name, table in tables.items()})


REASONS: Mapping[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "another discipline": (
        "dptr", {}, {},
        "no tournament is of the discipline diplomacy; there are: backgammon",
    ),
    "no kind": (
        "wbgf", {"events__kind": None}, {},
        "no event is of a kind that earns points: championship, intermediate, super_jackpot",
    ),
    "left out": (
        "wbgf", {"events__not_counted_in": "wbgf"}, {},
        "no tournament has an event that it counts",
    ),
    "before every edition": (
        "usbgf", {"tournaments__end_date": "2014-11-15"}, {},
        "every event is before the first edition, of 2015-05-01",
    ),
    "no members": ("usbgf", {}, {}, "usbgf has no members"),
    "not yet": (
        "wbgf", {}, {"as_of": date(2019, 11, 14)},
        "no result counts up to 2019-11-14; the first one is of 2019-11-15",
    ),
    "not yet, of the days asked for": (
        "wbgf", {}, {"until": date(2019, 10, 31)},
        "no result counts up to 2019-10-31; the first one is of 2019-11-15",
    ),
    "another setting": (
        "wbgf", {}, {"setting": "online"},
        "no result is of the days, the setting and the kind asked for",
    ),
    "later results alone": (
        "wbgf", {}, {"since": date(2019, 12, 1)},
        "no result is of the days, the setting and the kind asked for",
    ),
    "expired": (
        "wbgf", {}, {"as_of": date(2022, 11, 14)},
        "every result has expired; the last one is of 2019-11-15",
    ),
    "another nation": ("wbgf", {}, {"nation": "FRA"}, "no player of FRA has points in it"),
}  # fmt: skip


@pytest.mark.parametrize("name", REASONS)
@pytest.mark.filterwarnings("ignore")
def test_the_reason(name: str, tmp_path: Path) -> None:
    regulation, cells, asked, reason = REASONS[name]
    held, question = facts(**cells), Question(regulation=regulation)
    selection = Selection(**{"as_of": date(2019, 12, 31), **asked})
    given = awards.award(question, held)
    found = why_empty(empty(question, selection), held, given.frame)
    assert (found.where, found.what) == (regulation, reason)
    assert found.remedy
    with pytest.warns(PalmaresWarning, match=reason[:40]):
        given_list = palmares.rank(regulation, held, **{"as_of": selection.as_of, **asked})
    assert given_list.is_empty()
    write_package(held, tmp_path / "season", format="parquet")
    with engine_of(tmp_path / "season") as started:
        [problem] = rank_on(started, question, selection).empty
    assert (problem.where, problem.what) == (regulation, "nothing counts in it")
    assert "The engine inprocess says why." in problem.remedy


def empty(question: Question, selection: Selection, **more: Any) -> RankedList:
    """A list without rows."""
    return RankedList(question=question, selection=selection, frame=pl.DataFrame(), **more)


def engine_of(path: Path) -> closing[Engine]:
    """The facts in the hands of an engine, closed in the end."""
    return closing(in_process.start("inprocess", [str(path)]))


def test_nothing_at_all() -> None:
    question = Question(regulation="wbgf")
    ranking = empty(question, Selection(as_of=date(2019, 1, 1)))
    found = why_empty(ranking, Facts(), awards.award(question, Facts()).frame)
    assert found.what == "there is no tournament"


@pytest.mark.filterwarnings("ignore")
def test_no_results() -> None:
    tables = {**facts().tables}
    held, question = Facts({**tables, "placings": tables["placings"].clear()}), "wbgf"
    with pytest.warns(PalmaresWarning, match="no event has placings, or matches of players"):
        assert palmares.award(question, held).is_empty()
    with pytest.warns(PalmaresWarning, match="no event has placings, or matches of players"):
        assert palmares.rank(question, held, as_of="2019-12-31").is_empty()


def test_no_results_are_told_once(tmp_path: Path) -> None:
    """As the notice of the event says it, with its line."""
    report = tmp_path / "x.toml"
    report.write_text(
        '[tournament]\nname = "Open"\ndiscipline = "backgammon"\nend_date = "2020-01-19"\n'
        '[[event]]\nname = "Open"\nkind = "championship"\nentry_fee = 100\n'
        "[event.main]\nentrants = 64\n",
        encoding="utf-8",
    )
    with pytest.warns(PalmaresWarning) as warned:
        assert palmares.rank("wbgf", palmares.read(report), as_of="2020-12-31").is_empty()
    assert ["no placing and no match" in str(each.message) for each in warned] == [True]


def test_every_event_waits() -> None:
    held = Facts(facts(events__entry_fee=None).tables, may_wait=True)
    question, selection = Question(regulation="wbgf"), Selection(as_of=date(2019, 12, 31))
    given = awards.award(question, held)
    ranking = empty(question, selection, waiting=given.waiting)
    assert why_empty(ranking, held, given.frame).what == (
        "no event counts yet: every one that would waits"
    )


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_package(facts(), tmp_path / "season")
    for words, reason in (
        (("rank", "dptr", "season"), "no tournament is of the discipline diplomacy"),
        (("award", "dptr", "season"), "no tournament is of the discipline diplomacy"),
        (("rank", "wbgf", "season", "--by", "nation"), "every result has expired"),
        (("totals", "usbgf", "season"), "usbgf has no members"),
    ):
        done = run(*words)
        assert (done.exit_code, reason in done.stderr) == (0, True), done.stderr
    assert "no tournament is of the discipline" in run("check", "season", "--for", "dptr").stdout
