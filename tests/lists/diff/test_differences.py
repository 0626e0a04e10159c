"""Between two lists: every change in parts, each with its cause, and the parts add up."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from msgspec import structs

from palmares.core.errors import Refused
from palmares.journal.projection.project import EMPTY, Projection, State
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from palmares.lists.diff import Listing, diff_lists
from palmares.lists.diff.parts import (
    Award,
    Counted,
    PathPoint,
    Worth,
    split_change,
)
from palmares.lists.diff.sums import Totals, rank_changes
from palmares.points.awards import Question
from palmares.points.ledger import Weights
from palmares.points.rankings import Selection
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.differing import (
    DPTR,
    END,
    USBGF,
    WBGF,
    alone,
    between,
    match_won,
    ranks,
    rated,
    told,
)

DAY_10, DAY_15 = "2019-11-25", "2019-11-30"
"""Days after END."""
UNKNOWN = " not known to the second list"
TODAY = date(2020, 1, 1)
END_DAY = date.fromisoformat(END)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Three players in an empty journal: entries 1 to 3."""
    found = create_journal(str(tmp_path / "journal.db"))
    found.record([say.player("P1", "Ada", "CZE"), say.player("P2"), say.player("P3")], OFFICER)
    yield found
    found.close()


class TestDays:
    def test_five_days_of_decay(self, journal: Journal) -> None:
        """10.95 x 1085/1095 = 10.85; x 1080/1095 = 10.80."""
        journal.record([alone("T")], OFFICER)
        found = between(journal, DAY_10, DAY_15)
        [one] = found.changes
        assert (one.nanopoints_a, one.nanopoints_b) == (10_850_000_000, 10_800_000_000)
        assert (one.rank_a, one.rank_b) == (1, 1)
        assert told(found) == {"P1": ["decay T Open -0.05"]}

    def test_the_last_day_of_a_result(self, journal: Journal) -> None:
        journal.record([alone("T")], OFFICER)
        found = between(journal, "2022-11-13", "2022-11-14")
        assert told(found) == {"P1": ["decay T Open -0.01 expired"]}
        assert ranks(found) == {"P1": (1, None)}

    def test_a_result_of_a_day_between(self, journal: Journal) -> None:
        """Played on 20 November; 10.85 after ten days."""
        journal.record([alone("T", day="2019-11-20")], OFFICER)
        found = between(journal, END, DAY_15)
        assert told(found) == {"P1": ["new result T Open 10.85 #4"]}
        assert ranks(found) == {"P1": (None, 1)}

    def test_back_in_time(self, journal: Journal) -> None:
        journal.record([alone("T", day="2019-11-20"), alone("U", "P2")], OFFICER)
        assert told(between(journal, DAY_15, END)) == {
            "P2": ["decay U Open 0.15"],
            "P1": ["new result T Open -10.85 #4 after 2019-11-15"],
        }

    def test_files_have_no_entries(self, journal: Journal) -> None:
        journal.record([alone("T")], OFFICER)
        facts = Projection(State(), load_projection(journal).tables)
        a, b = (
            Listing(question=WBGF, projection=facts, selection=Selection(as_of=day))
            for day in (date(2019, 1, 1), date(2019, 11, 25))
        )
        assert told(diff_lists(a, b)) == {"P1": ["new result T Open 10.85"]}

    def test_without_the_journal_nobody_is_named(self, journal: Journal) -> None:
        """Both lists know the same, so they can be compared without it."""
        journal.record([alone("T", day="2019-11-20")], OFFICER)
        facts = load_projection(journal)
        a, b = (
            Listing(question=WBGF, projection=facts, selection=Selection(as_of=day))
            for day in (date(2019, 1, 1), date(2019, 11, 30))
        )
        assert told(diff_lists(a, b)) == {"P1": ["new result T Open 10.85"]}


class TestWhatWasRecorded:
    """From what was known at entry 4 or 5, on the tenth day, to what is known now, on the 15th."""

    def test_a_new_report(self, journal: Journal) -> None:
        journal.record([alone("T"), alone("U")], OFFICER)
        found = between(journal, f"{DAY_10}@#4", DAY_15)
        assert told(found) == {"P1": ["new result U Open 10.8 #5", "decay T Open -0.05"]}
        [one] = found.changes
        [new, _] = one.parts
        assert [(by.author, by.day) for by in new.entries] == [
            ("Rita Officer", date.fromisoformat(load_projection(journal).state.recorded_at[:10]))
        ]

    def test_from_nothing(self, journal: Journal) -> None:
        journal.record([alone("T")], OFFICER)
        found = between(journal, f"{DAY_10}@2019-01-01", DAY_10)
        assert told(found) == {"P1": ["new result T Open 10.85 #4"]}

    def test_a_correction_and_decay(self, journal: Journal) -> None:
        """21.90 in the place of 10.95: 21.70 - 10.85 on the tenth day, then five days of 0.02."""
        journal.record([alone("T"), alone("T", points="21.9")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#4", DAY_15)) == {
            "P1": ["correction T Open 10.85 #5", "decay T Open -0.1"]
        }

    def test_another_player_in_the_report(self, journal: Journal) -> None:
        journal.record([alone("T"), alone("T", "P2")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#4", DAY_10)) == {
            "P2": ["correction T Open 10.85 #5"],
            "P1": ["correction T Open -10.85 #5"],
        }

    def test_withdrawn_and_back(self, journal: Journal) -> None:
        journal.record([alone("T"), say.withdrawal("T"), say.undo(5)], OFFICER)
        assert told(between(journal, f"{DAY_10}@#4", f"{DAY_10}@#5")) == {
            "P1": ["withdrawal T Open -10.85 #5"]
        }
        assert told(between(journal, f"{DAY_10}@#5", DAY_10)) == {
            "P1": ["new result T Open 10.85 #6"]
        }
        assert told(between(journal, f"{DAY_10}@#4", DAY_10)) == {}

    def test_an_override(self, journal: Journal) -> None:
        journal.record([alone("T"), say.override("T", entry_fee="219")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#4", DAY_10)) == {
            "P1": ["override T Open 10.85 #5"]
        }

    def test_an_override_over_a_correction(self, journal: Journal) -> None:
        """10.95 -> 21.90 -> 32.85 points, 1085 of 1095 days left."""
        journal.record([alone("T"), say.override("T", entry_fee="328.5")], OFFICER)
        journal.record([alone("T", points="21.9"), say.undo(5)], OFFICER)
        assert told(between(journal, f"{DAY_10}@#5", DAY_10)) == {
            "P1": ["override T Open -10.85 #7"]
        }
        assert told(between(journal, f"{DAY_10}@#4", f"{DAY_10}@#6")) == {
            "P1": ["correction T Open 10.85 #6", "override T Open 10.85 #5"]
        }

    def test_a_merge_and_its_undo(self, journal: Journal) -> None:
        journal.record([alone("T"), alone("U", "P2"), say.merge("P2", "P1"), say.undo(6)], OFFICER)
        merged = between(journal, f"{DAY_10}@#5", f"{DAY_10}@#6")
        assert told(merged) == {
            "P1": ["merge U Open 10.85 #6"],
            "P2": ["merge U Open -10.85 #6"],
        }
        assert ranks(merged) == {"P1": (1, 1), "P2": (1, None)}
        parted = between(journal, f"{DAY_10}@#6", DAY_10)
        assert told(parted) == {
            "P1": ["merge U Open -10.85 #7"],
            "P2": ["merge U Open 10.85 #7"],
        }

    def test_two_merges_into_one(self, journal: Journal) -> None:
        journal.record([alone("T", "P2"), alone("U", "P3")], OFFICER)
        journal.record([say.merge("P2", "P1"), say.merge("P3", "P1")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#5", DAY_10)) == {
            "P1": ["merge T Open 10.85 #6", "merge U Open 10.85 #7"],
            "P2": ["merge T Open -10.85 #6"],
            "P3": ["merge U Open -10.85 #7"],
        }

    def test_an_exchange_rate(self, journal: Journal) -> None:
        """219 dollars at 0.50 are 109.50 euro, and at 1 twice as much."""
        dollars = {"table": "tournaments", "row": {"tournament_id": "T"}, "reason": "dollars"}
        in_dollars = Draft(
            kind="override", subject="T", body={**dollars, "set": {"currency": "USD"}}
        )
        rates = [say.rate("USD", END, "0.5"), say.rate("USD", END, "1")]
        journal.record([rates[0], alone("T", points="21.9"), in_dollars, rates[1]], OFFICER)
        assert told(between(journal, f"{DAY_10}@#6", DAY_10)) == {"P1": ["rate T Open 10.85 #7"]}

    def test_a_rate_that_goes_before_its_report(self, journal: Journal) -> None:
        """No list can be made before the last of the three, so it answers for all of them."""
        paid = {"table": "tournaments", "row": {"tournament_id": "T"}, "reason": "slip"}
        in_lari = Draft(kind="override", subject="T", body={**paid, "set": {"currency": "XTS"}})
        journal.record([say.rate("XTS", END, "1"), alone("T"), in_lari], OFFICER)
        journal.record([say.undo(6), say.undo(4), alone("T", points="21.9")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#6", DAY_10)) == {
            "P1": ["override T Open 10.85 #7"]
        }

    def test_what_was_recorded_counts_once(self, journal: Journal) -> None:
        """Reported and withdrawn between the two: nothing to tell."""
        journal.record([alone("T"), alone("U"), say.withdrawal("U")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#4", DAY_10)) == {}


class TestMembership:
    def test_recorded_late(self, journal: Journal) -> None:
        journal.record([match_won("T", "P1", "P2"), say.membership("P1", "2019-01-01")], OFFICER)
        found = between(journal, f"{DAY_10}@#4", DAY_10, USBGF)
        [[part]] = told(found).values()
        assert part.startswith("membership T Open ")
        assert part.endswith(" #5")
        back = between(journal, DAY_10, f"{DAY_10}@#4", USBGF)
        [[part]] = told(back).values()
        assert part.startswith("membership T Open -")

    def test_of_a_record_merged_since(self, journal: Journal) -> None:
        """The membership alone gave P2 nothing: it is the merge that gives P1 the point."""
        journal.record([match_won("T", "P1", "P3")], OFFICER)
        journal.record([say.membership("P2", "2019-01-01"), say.merge("P2", "P1")], OFFICER)
        [[part]] = told(between(journal, f"{DAY_10}@#4", DAY_10, USBGF)).values()
        assert part.startswith("merge T Open ")
        assert part.endswith(" #6")

    def test_of_a_record_merged_before(self, journal: Journal) -> None:
        journal.record([match_won("T", "P1", "P3"), say.merge("P2", "P1")], OFFICER)
        journal.record([say.membership("P2", "2019-01-01")], OFFICER)
        [[part]] = told(between(journal, f"{DAY_10}@#5", DAY_10, USBGF)).values()
        assert part.startswith("membership T Open ")
        assert part.endswith(" #6")


class TestRules:
    def test_a_reading(self, journal: Journal) -> None:
        """116 days to 10 March 2020, or 115 without 29 February: 9.79 or 9.80 points."""
        journal.record([alone("T")], OFFICER)
        other = Question(regulation="wbgf", chosen={"W3": "skip-29-feb"})
        found = between(journal, "2020-03-10", "2020-03-10", WBGF, other)
        assert told(found) == {"P1": ["edition T Open 0.01 by date → by date, W3=skip-29-feb"]}

    def test_an_edition(self, journal: Journal) -> None:
        journal.record([match_won("T", "P1", "P2"), say.membership("P1", "2019-01-01")], OFFICER)
        sheets = [
            Question(regulation="usbgf", edition=one, chosen={}) for one in ("2015-05", "2019-01")
        ]
        found = between(journal, DAY_10, DAY_10, *sheets)
        for parts in told(found).values():
            assert [part.split(" ")[0] for part in parts] == ["edition"]
            assert parts[0].endswith("2015-05 → 2019-01")


class TestRatings:
    """Of two players the first scores 75 per cent, the second 25; everybody starts from 40."""

    def test_a_first_and_a_second_result(self, journal: Journal) -> None:
        """40 + 35/5 = 47; 47 - 22/5 = 42.6."""
        journal.record([rated("T", END, {"P1": 1})], OFFICER)
        journal.record([rated("U", DAY_10, {"P1": 2})], OFFICER)
        assert told(between(journal, "2019-01-01", END, DPTR)) == {
            "P1": ["new result 40 the rating to start from", "new result T Open 7 #4"]
        }
        assert told(between(journal, END, DAY_10, DPTR)) == {"P1": ["new result U Open -4.4 #5"]}

    def test_a_corrected_first_result_moves_the_second(self, journal: Journal) -> None:
        """40 - 15/5 = 37; 37 - 12/5 = 34.6. The first is worth 10 less, the second 2 more."""
        journal.record([rated("T", END, {"P1": 1}), rated("U", DAY_10, {"P1": 2})], OFFICER)
        journal.record([rated("T", END, {"P1": 2})], OFFICER)
        found = between(journal, f"{DAY_10}@#5", DAY_10, DPTR)
        assert told(found) == {"P1": ["correction T Open -10 #6", "rating chain U Open 2"]}

    def test_a_result_before_the_first(self, journal: Journal) -> None:
        journal.record([rated("U", DAY_10, {"P1": 2}), rated("T", END, {"P1": 1})], OFFICER)
        found = between(journal, f"{DAY_10}@#4", DAY_10, DPTR)
        assert told(found) == {"P1": ["new result T Open 7 #5", "rating chain U Open -1.4"]}

    def test_what_ends_after_both_days_is_not_awarded_again(
        self, journal: Journal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        journal.record([rated("T", END, {"P1": 1}), rated("U", DAY_15, {"P1": 2})], OFFICER)
        journal.record([rated("U", DAY_15, {"P2": 1})], OFFICER)
        monkeypatch.delattr("palmares.lists.diff.award")
        assert told(between(journal, f"{DAY_10}@#4", DAY_10, DPTR)) == {}

    def test_a_result_moved_past_the_day(self, journal: Journal) -> None:
        """It ended on the day of the list, and by the correction after it."""
        journal.record([rated("T", END, {"P1": 1}), rated("U", DAY_10, {"P1": 2})], OFFICER)
        journal.record([rated("U", DAY_15, {"P1": 2})], OFFICER)
        assert told(between(journal, f"{DAY_10}@#5", DAY_10, DPTR)) == {
            "P1": ["correction U Open 4.4 #6"]
        }

    def test_others_pass(self, journal: Journal) -> None:
        """P1 has 47; P2 goes from 37 to 44.6, and then to 50.68; P3 falls behind from 48.2."""
        days = ["2019-01-01", "2019-02-01", "2019-03-01", "2019-04-01"]
        journal.record([rated("T", days[0], {"P1": 1, "P2": 2})], OFFICER)
        journal.record([rated("U", days[1], {"P2": 1})], OFFICER)
        journal.record([rated("V", days[2], {"P2": 1})], OFFICER)
        assert told(between(journal, days[1], days[2], DPTR)) == {
            "P2": ["new result V Open 6.08 #6"],
            "P1": ["others moved 0"],
        }
        back = between(journal, days[2], days[1], DPTR)
        assert told(back)["P1"] == ["others moved 0"]

    def test_one_of_two_who_shared_a_rank(self, journal: Journal) -> None:
        journal.record([rated("T", END, {"P1": 1}), rated("U", END, {"P2": 1})], OFFICER)
        journal.record([rated("V", DAY_10, {"P2": 1})], OFFICER)
        found = between(journal, END, DAY_10, DPTR)
        assert told(found)["P1"] == ["others moved 0"]
        assert ranks(found) == {"P2": (1, 1), "P1": (1, 2)}


class TestNames:
    @pytest.mark.parametrize("back", [False, True])
    def test_a_withheld_name_is_shown_on_neither(self, journal: Journal, *, back: bool) -> None:
        """Hidden between the lists, and shown with neither; it moves nobody."""
        journal.record([alone("T")], OFFICER)
        body = load_projection(journal).state.group("players")["P1"][0].body
        hidden = Draft(kind="player", subject="P1", body=structs.replace(body, withheld=True))
        journal.record([hidden, alone("U")], OFFICER)
        days = [f"{DAY_10}@#4", DAY_10]
        found = between(journal, *(reversed(days) if back else days))
        assert told(found) == {"P1": [f"new result U Open {'-' * back}10.85 #6{UNKNOWN * back}"]}
        assert [one.player for one in found.changes] == ["(withheld)"]

    def test_another_name_is_no_change(self, journal: Journal) -> None:
        journal.record([alone("T"), say.player("P1", "Ada Novak")], OFFICER)
        assert told(between(journal, f"{DAY_10}@#4", DAY_10)) == {}


class TestRefused:
    def listing(self, **more: Any) -> Listing:
        asked = {
            "question": WBGF,
            "projection": EMPTY,
            "selection": Selection(as_of=TODAY),
        }
        return Listing(**{**asked, **more})

    def test_two_regulations(self) -> None:
        with pytest.raises(Refused, match="two regulations, wbgf and dptr"):
            diff_lists(self.listing(), self.listing(question=DPTR))

    def test_two_selections(self) -> None:
        live = Selection(as_of=TODAY, setting="live")
        with pytest.raises(Refused, match="count other results than each other"):
            diff_lists(self.listing(), self.listing(selection=live))

    def test_a_nation(self) -> None:
        some = self.listing(selection=Selection(as_of=TODAY, nation="GER"))
        with pytest.raises(Refused, match="whole lists"):
            diff_lists(some, some)

    def test_two_heads_without_the_journal(self, journal: Journal) -> None:
        a, b = (self.listing(projection=load_projection(journal, one)) for one in ("#1", "#2"))
        with pytest.raises(Refused, match="different entries"):
            diff_lists(a, b)


def test_parts_of_unlike_fractions() -> None:
    """From 1/2 to 1/3 is 1/6 less."""

    def at(cause: str, parts: int) -> PathPoint:
        worth = {Award("P1", "T", "T/open", "main", "total"): Worth(1, "Open", END_DAY)}
        return PathPoint(cause, Counted(worth, parts))

    found = split_change([at("", 2), at("edition", 3)], [])
    assert (found.weights(), found.of) == ({"P1": -1}, 6)


def test_one_within_a_millionth_still_shares_the_rank() -> None:
    """Of two who gain, one outranks Sam afterwards; the other still shares what was their rank."""
    moves = {"max": (10**9 + 400, 10**9 + 500), "sam": (10**9, 10**9), "xu": (5, 10**9 + 1300)}
    sides = [
        Totals(
            pl.Series(list(moves)),
            np.array([pair[side] for pair in moves.values()]),
            1,
            Weights(np.array([]), 1),
            latest=False,
        )
        for side in (0, 1)
    ]
    found, players = rank_changes(*sides)
    assert players == 3
    assert found.sort("player_id").select("rank_a", "rank_b").rows() == [(1, 1), (1, 2), (3, 1)]
    assert found.filter(~pl.col("moved"))["player_id"].to_list() == ["sam"]


def test_on_both_databases(journal_url: str) -> None:
    journal = create_journal(journal_url)
    journal.record([say.player("P1"), alone("T"), alone("T", points="21.9")], OFFICER)
    assert told(between(journal, f"{DAY_10}@#2", DAY_10)) == {"P1": ["correction T Open 10.85 #3"]}
    journal.close()
