"""What statements do to points is told before they are recorded: officer's sums."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from palmares.journal.commands import decisions, players
from palmares.journal.commands.decisions import override
from palmares.journal.commands.transaction import Action, dry_run, record_entries
from palmares.journal.store.journal import Journal, create_journal
from palmares.lists import impact
from palmares.points.awards import Question
from tests.journal import statements as say
from tests.journal.commands.test_decisions import put
from tests.journal.filled import OFFICER
from tests.journal.reports import POINTS, T, arrived, prague
from tests.packages import DIPLOMACY, write


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """An empty journal in a file: nothing here asks which database it is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = create_journal(str(tmp_path / "journal.db"))
    yield made
    made.close()


def effect(journal: Journal, action: Action, regulation: str = "wbgf") -> list[tuple[Any, ...]]:
    """Tournament, player, points before and after, as one regulation sees an action."""
    delta = record_entries(journal, OFFICER, action).delta
    for one in impact.effects(delta):
        if one.question.regulation == regulation:
            assert one.waits == ()
            return list(one.frame.select("tournament_id", "player", "before", "after").iter_rows())
    return []


def nano(points: float) -> int:
    return round(points * 10**9)


FOUR = [(name, nano(points)) for name, points in POINTS.items()]


def test_a_first_report(journal: Journal, tmp_path: Path) -> None:
    assert effect(journal, arrived(prague(tmp_path))) == [
        (T, name, None, points) for name, points in FOUR
    ]


def test_only_the_tournaments_that_were_touched(journal: Journal, tmp_path: Path) -> None:
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    found = effect(journal, arrived(prague(tmp_path, "brno.toml", Prague="Brno")))
    assert {row[0] for row in found} == {"brno-open-2019-11-15"}


def test_a_correction(journal: Journal, tmp_path: Path) -> None:
    """At EUR 200 the grade is 2: a factor of 2"""
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    other = arrived(prague(tmp_path, "b.toml", **{"100": "200"}), replaces=[5])
    found = effect(journal, other)
    assert [(name, before) for _, name, before, _ in found] == FOUR
    assert [after for *_, after in found] == [nano(2 * points) for points in POINTS.values()]


@pytest.mark.parametrize("cells", [{"end_date": "2017-11-15"}, {"setting": "online"}])
def test_points_that_stay_and_count_otherwise(
    journal: Journal, tmp_path: Path, cells: dict[str, Any]
) -> None:
    """The same points, which fade from another day on, or are on another list"""
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    action = override(T, "tournaments", {"tournament_id": T}, cells, "a slip")
    found = effect(journal, action)
    assert found == [(T, name, points, points) for name, points in FOUR]
    delta = record_entries(journal, OFFICER, decisions.undo(6, "no slip")).delta
    (told,) = [one for one in impact.effects(delta) if one.question.regulation == "wbgf"]
    assert told.frame["change"].to_list() == [0, 0, 0, 0]
    assert told.counts_otherwise


def test_what_changes_nothing(journal: Journal, tmp_path: Path) -> None:
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    row = {"tournament_id": T}
    assert effect(journal, override(T, "tournaments", row, {"city": "Praha"}, "r")) == []
    assert effect(journal, decisions.erase("P1", "asked")) == []


def test_a_withdrawal(journal: Journal, tmp_path: Path) -> None:
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    found = effect(journal, decisions.withdraw(T, "no sanction"))
    assert sorted(found) == sorted((T, name, points, None) for name, points in FOUR)


def test_a_merge_moves_points(journal: Journal, tmp_path: Path) -> None:
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    brno = prague(tmp_path, "b.toml", Prague="Brno", **{"Ada Novak (CZE)": "A. Novak"})
    record_entries(journal, OFFICER, arrived(brno))
    assert effect(journal, put(say.merge("P5", "P1"))) == [
        ("brno-open-2019-11-15", "Ada Novak", None, FOUR[0][1]),
        ("brno-open-2019-11-15", "A. Novak", FOUR[0][1], None),
    ]


def test_a_rate_of_the_fees(journal: Journal, tmp_path: Path) -> None:
    """At EUR 0.5 for each of 100 units: G = 50/100"""
    money = {"end_date ": 'currency = "XAF"\nend_date '}
    done = record_entries(journal, OFFICER, arrived(prague(tmp_path, **money)))
    (told,) = [one for one in impact.effects(done.delta) if one.question.regulation == "wbgf"]
    (one,) = told.waits
    assert one.why.startswith("Main (Prague Open, 2019-11-15): no exchange rate from XAF to EUR")
    rate = decisions.rate("XAF", date(2019, 11, 15), "0.5")
    rehearsal = dry_run(journal, OFFICER, rate).delta
    (told,) = [one for one in impact.effects(rehearsal) if one.question.regulation == "wbgf"]
    assert (told.waits, told.mended) == ((), (one,))
    assert effect(journal, rate) == [
        (T, name, None, nano(points / 2)) for name, points in POINTS.items()
    ]


def test_a_membership(journal: Journal, tmp_path: Path) -> None:
    """Master Points are for members alone"""
    main = {
        'kind      = "championship"': 'event_type = "ABT Main Event"\ndivision_rank = 1',
        "entrants = 4": "entrants = 32",
    }
    record_entries(journal, OFFICER, arrived(prague(tmp_path, **main)))
    member = decisions.membership("P1", "usbgf", date(2019, 1, 1), level="Basic")
    found = effect(journal, member, "usbgf")
    assert [(row[1], row[2]) for row in found] == [("Ada Novak", None)]
    assert found[0][3] > 0


def test_another_nation_moves_lists_of_nations(journal: Journal, tmp_path: Path) -> None:
    """Nobody has other points; Ada's count for another nation, and a new name moves nothing."""
    record_entries(journal, OFFICER, arrived(prague(tmp_path)))
    ada = (T, *FOUR[0], FOUR[0][1])
    assert effect(journal, players.edit_player("P1", nation="SVK")) == [ada]
    assert effect(journal, players.edit_player("P1", name="Ada Other")) == []


def test_a_rating_goes_on(journal: Journal, tmp_path: Path) -> None:
    """The first event of two is withdrawn: the second stands on another rating"""
    package = write(tmp_path / "p", **DIPLOMACY)
    first = effect(journal, arrived(package), "dptr")
    assert [(row[0], row[2]) for row in first] == [(None, None)] * 2
    before = {row[1]: row[3] for row in first}
    found = {row[1]: row[2:] for row in effect(journal, decisions.withdraw("T", "r"), "dptr")}
    assert found["Ben Ode"] == (before["Ben Ode"], None)
    assert found["Ada Novak"][0] == before["Ada Novak"]
    assert found["Ada Novak"][1] not in (None, before["Ada Novak"])


def test_the_questions_may_be_chosen(journal: Journal, tmp_path: Path) -> None:
    delta = record_entries(journal, OFFICER, arrived(prague(tmp_path))).delta
    found = impact.effects(delta, [Question(regulation="dptr")])
    assert found == []


def test_nothing_touched_nothing_told(journal: Journal) -> None:
    action = decisions.rate("XAF", date(2019, 11, 15), "0.5")
    assert impact.effects(record_entries(journal, OFFICER, action).delta) == []
