"""Officers decide, say why, and may change their minds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from palmares.cli.hints import error_text as with_hints
from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Refused
from palmares.facts import Facts
from palmares.formats.load import gathered
from palmares.journal.commands import decisions
from palmares.journal.commands.decisions import override
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import (
    ALREADY_RECORDED,
    Action,
    ActionResult,
    Transaction,
    record_entries,
)
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft, DrawAnnouncement, draft
from palmares.journal.store.events import event_names, record_event
from palmares.journal.store.journal import Journal, create_journal, open_journal
from tests.databases import CopyOf
from tests.journal import statements as say
from tests.journal.filled import OFFICER
from tests.journal.reports import E, T, arrived, prague, prague_journal


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def open_(copy_url: CopyOf) -> Iterator[Journal]:
    """The Prague Open in entries 1 to 5: P1 to P4, then the report."""
    made = open_journal(copy_url(prague_journal))
    yield made
    made.close()


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Journal]:
    """The same in a file alone, for what does not get as far as the database."""
    made = prague_journal(str(tmp_path / "prague.db"))
    yield made
    made.close()


def do(journal: Journal, action: Action) -> ActionResult:
    return record_entries(journal, OFFICER, action)


def put(*drafts: Draft) -> Action:
    def act(desk: Transaction) -> None:
        desk.extend(drafts)

    return act


def refusal(journal: Journal, action: Action) -> str:
    """What is said against an action; nothing is recorded."""
    head = journal.head()
    with pytest.raises((Refused, FactsRejected)) as refused:
        do(journal, action)
    assert journal.head() == head
    return with_hints(refused.value)


def repeated(journal: Journal, action: Action) -> str:
    """What is told of an action that was done before: it adds nothing, and is no error."""
    done = do(journal, action)
    assert done.entries == ()
    (told,) = done.notices
    assert told.clause == ALREADY_RECORDED
    return f"{told.where}: {told.what}"


def ranks(journal: Journal) -> dict[str, int]:
    return dict(load_projection(journal).tables["placings"].select("player_id", "rank").iter_rows())


def event(journal: Journal) -> dict[str, Any]:
    return load_projection(journal).tables["events"].row(0, named=True)


RANKS = {"P1": 1, "P2": 2, "P3": 3, "P4": 3}


class TestUndo:
    def test_a_report(self, open_: Journal) -> None:
        done = do(open_, decisions.undo(5, "wrong file"))
        assert [(one.kind, one.subject, one.read()) for one in done.entries] == [
            ("undo", "5", {"undoes": 5, "reason": "wrong file"})
        ]
        assert ranks(open_) == {}

    def test_of_an_undo_brings_it_back(self, open_: Journal) -> None:
        do(open_, decisions.undo(5, "wrong file"))
        do(open_, decisions.undo(6, "it was right"))
        assert ranks(open_) == RANKS

    def test_of_a_correction_brings_back_what_it_corrected(
        self, open_: Journal, tmp_path: Path
    ) -> None:
        do(open_, arrived(prague(tmp_path, "b.toml", **{"100": "200"}), replaces=[5]))
        assert event(open_)["entry_fee"] == 200
        do(open_, decisions.undo(6, "100 was right"))
        assert event(open_)["entry_fee"] == 100

    def test_of_what_was_corrected_since_changes_nothing_now(
        self, open_: Journal, tmp_path: Path
    ) -> None:
        do(open_, arrived(prague(tmp_path, "b.toml", **{"100": "200"}), replaces=[5]))
        done = do(open_, decisions.undo(5, "never right"))
        assert event(open_)["entry_fee"] == 200
        assert [one.what for one in done.notices] == [
            "entry 6 has replaced it, so nothing changes now"
        ]

    def test_twice_names_the_first_and_how_to_go_back(self, open_: Journal) -> None:
        do(open_, decisions.undo(5, "wrong file"))
        assert refusal(open_, decisions.undo(5, "again")) == (
            "Entry 5 is undone already, by entry 6. To let it count again, undo that one:"
            " palmares journal undo 6."
        )

    def test_of_nothing(self, file: Journal) -> None:
        assert refusal(file, decisions.undo(99, "why")) == "There is no entry 99 in this journal."

    def test_of_a_player_who_is_named(self, open_: Journal) -> None:
        assert "this player is named" in refusal(open_, decisions.undo(1, "nobody"))

    def test_of_an_erasure(self, open_: Journal) -> None:
        do(open_, decisions.erase("P1", "asked"))
        assert "cannot be undone: what was erased is gone" in refusal(
            open_, decisions.undo(6, "sorry")
        )

    def test_of_a_publication(self, open_: Journal) -> None:
        do(open_, put(Draft(kind="publication", subject="wbgf", body={"list": []})))
        assert "cannot be undone: what was published was seen" in refusal(
            open_, decisions.undo(6, "sorry")
        )

    @pytest.mark.parametrize("reason", ["", "  ", "x" * 201, "a\u202eb"])
    def test_without_a_reason_that_can_be_read(self, file: Journal, reason: str) -> None:
        assert refusal(file, decisions.undo(5, reason)).startswith(("Give a reason", "The reason "))


class TestWithdraw:
    def test_a_tournament_counts_no_longer(self, open_: Journal) -> None:
        do(open_, decisions.withdraw(T, "no sanction"))
        assert ranks(open_) == {}
        assert "was withdrawn by entry 6" in refusal(open_, decisions.withdraw(T, "no sanction"))

    def test_and_counts_again_when_that_is_undone(self, open_: Journal) -> None:
        do(open_, decisions.withdraw(T, "no sanction"))
        do(open_, decisions.undo(6, "sanctioned after all"))
        assert ranks(open_) == RANKS

    def test_one_that_nobody_reported(self, open_: Journal) -> None:
        told = refusal(open_, decisions.withdraw("prague", "no sanction"))
        assert told.endswith(f"Did you mean {T}?")


class TestOverride:
    def test_a_fee(self, open_: Journal) -> None:
        done = do(open_, override(T, "events", {"name": "Main"}, {"entry_fee": "120.50"}, "said"))
        assert done.entries[0].read() == {
            "table": "events",
            "row": {"event_id": E},
            "set": {"entry_fee": "120.5"},
            "reason": "said",
        }
        assert event(open_)["entry_fee"] == Decimal("120.5")

    def test_a_currency_beside_a_rate_that_is_stated(self, open_: Journal) -> None:
        def set_cells(**cells: str) -> list[str]:
            done = do(open_, override(T, "tournaments", {"tournament_id": T}, cells, "said"))
            return [notice.what for notice in done.notices]

        assert set_cells(currency="USD", eur_per_unit="0.9") == []
        assert set_cells(currency="CZK") == [
            "the report states 0.9 euro per unit of USD; that number stays, and counts for CZK now"
        ]
        assert set_cells(eur_per_unit="0.04") == []
        assert set_cells(currency="GBP", eur_per_unit="1.2") == []

    def test_a_last_day_that_is_still_to_come(self, open_: Journal) -> None:
        day = {"end_date": "2199-11-15"}
        done = do(open_, override(T, "tournaments", {"tournament_id": T}, day, "said"))
        assert [notice.what for notice in done.notices] == [
            "it ends on 2199-11-15, after today, and is on no list until then"
        ]

    def test_a_place_by_the_name_of_the_player(self, open_: Journal) -> None:
        cells = {"rank": "1", "tied": "2"}
        do(open_, override(T, "placings", {"player_id": "Ben Ode"}, cells, "both won"))
        do(open_, override(T, "placings", {"player_id": "Ada Novak"}, {"tied": "2"}, "both won"))
        assert ranks(open_) == {**RANKS, "P2": 1}

    def test_of_somebody_who_is_part_of_another_now(self, open_: Journal, tmp_path: Path) -> None:
        brno = prague(tmp_path, "b.toml", Prague="Brno", **{"Ada Novak (CZE)": "A. Novak"})
        do(open_, arrived(brno))
        do(open_, put(say.merge("P5", "P1")))
        row = {"player_id": "Ada Novak"}
        done = do(open_, override("brno-open-2019-11-15", "placings", row, {"nation": "SVK"}, "r"))
        assert done.entries[0].read()["row"]["player_id"] == "P5"
        nations = load_projection(open_).tables["placings"].filter(player_id="P1")["nation"]
        assert sorted(nations.to_list(), key=str) == ["CZE", "SVK"]

    def test_a_cell_is_emptied(self, open_: Journal) -> None:
        do(open_, override(T, "tournaments", {"tournament_id": T}, {"city": "Prague"}, "seen"))
        do(open_, override(T, "tournaments", {"tournament_id": T}, {"city": ""}, "unseen"))
        assert load_projection(open_).tables["tournaments"]["city"].to_list() == [None]

    def test_twice(self, open_: Journal) -> None:
        """The second cell was there already: the first override did not have to say it."""
        cells = {"entry_fee": "120", "rounds": ""}
        action = override(T, "events", {"name": "Main"}, cells, "said")
        do(open_, action)
        assert repeated(open_, action) == (
            f"entry 6: this row of events in {T} is here already; nothing was added for it"
        )

    def test_what_the_report_says(self, open_: Journal) -> None:
        do(open_, override(T, "events", {"name": "Main"}, {"entry_fee": "120"}, "said"))
        do(open_, decisions.undo(6, "no"))
        assert repeated(
            open_, override(T, "events", {"name": "Main"}, {"entry_fee": "100"}, "r")
        ) == (f"entry 5: this row of events in {T} is here already; nothing was added for it")

    def test_undone_it_says_what_the_report_says(self, open_: Journal) -> None:
        do(open_, override(T, "events", {"name": "Main"}, {"entry_fee": "120"}, "said"))
        do(open_, decisions.undo(6, "no"))
        assert event(open_)["entry_fee"] == 100

    def test_the_row_it_is_about_cannot_be_undone(self, file: Journal) -> None:
        """P5 is only in the second report, and P6 only by an override: others rest on them."""
        do(file, put(say.player("P5"), say.player("P6")))
        do(file, put(say.report("U", {"P1": 1, "P2": 2})))
        do(file, put(say.report("U", {"P1": 1, "P5": 2})))  # entry 9
        fifth, sixth = {"player_id": "P5"}, {"player_id": "P6"}
        do(file, override("U", "placings", fifth, sixth, "it was P6"))
        do(file, override("U", "placings", sixth, {"rank": "1", "tied": "2"}, "a tie"))
        do(file, override("U", "placings", {"player_id": "P1"}, {"tied": "2"}, "a tie"))
        told = refusal(file, decisions.undo(9, "wrong file"))
        assert "entry 10: the row that this override of U changes is gone" in told
        told = refusal(file, decisions.undo(10, "it was P5"))
        assert "entry 11: the row that this override of U changes is gone" in told
        for entry in (12, 11, 10, 9):
            do(file, decisions.undo(entry, "one after another"))
        assert say.placed(load_projection(file))[:2] == [("U/main", "P1", 1), ("U/main", "P2", 2)]

    @pytest.mark.parametrize(
        ("table", "row", "cells", "told"),
        [
            ("players", {"name": "x"}, {"name": "y"}, "A report has no table players"),
            ("events", {"title": "x"}, {"name": "y"}, "events has no column title"),
            ("events", {"name": "x"}, {"title": "y"}, "events has no column title"),
            ("events", {}, {"name": "y"}, "Name the row"),
            ("events", {"name": "Main"}, {}, "Name the row"),
            ("events", {"name": "Main"}, {"event_id": "y"}, "event_id cannot be overridden"),
            ("events", {"name": "Open"}, {"rounds": "3"}, "No row of events in"),
            ("placings", {"rank": "3"}, {"tied": "2"}, "exactly one must. These fit:\n"),
            ("boards", {"board": "3"}, {"board": "2"}, "There are: none"),
            ("events", {"name": "Main"}, {"rounds": "x"}, "rounds is 'x', not a whole number"),
            ("events", {"rounds": "x"}, {"name": "y"}, "rounds is 'x', not a whole number"),
            ("events", {"name": "Main"}, {"name": ""}, "name is missing"),
            ("placings", {"player_id": "Eve"}, {"rank": "1"}, "No player has the id or the name"),
            ("placings", {"rank": "2"}, {"rank": "9"}, "rank"),
        ],
    )
    def test_what_cannot_be(
        self, file: Journal, table: str, row: dict[str, str], cells: dict[str, str], told: str
    ) -> None:
        assert told in refusal(file, override(T, table, row, cells, "why"))


MATCH = """
matches = '''
2019-11-14  9  Ada Novak > Ben Ode
'''
"""
EARLY = "2019-11-13"
BEFORE = f"{E} was completed on {EARLY}, before its match {E}/m1 of 2019-11-14"


class TestDays:
    """No event is completed, and no tournament ends, before one of its matches (usbgf U16)."""

    @pytest.fixture
    def played(self, tmp_path: Path) -> Journal:
        """The Prague Open with a match on its last day but one."""
        made = create_journal(str(tmp_path / "played.db"))
        file = prague(tmp_path, "played.toml")
        file.write_text(file.read_text() + MATCH)
        record_entries(made, OFFICER, arrived(file))
        return made

    @pytest.fixture
    def early(self, tmp_path: Path) -> Journal:
        """The same as it was recorded when nobody looked: completed before its match."""
        made = create_journal(str(tmp_path / "early.db"))
        file = prague(tmp_path, "early.toml")
        file.write_text(file.read_text() + MATCH)
        facts = gathered(file)
        events = facts["events"].with_columns(completed_on=pl.lit(date.fromisoformat(EARLY)))
        record_entries(made, OFFICER, report(Facts({**facts.tables, "events": events})))
        return made

    def test_an_override_that_says_so_is_refused(self, played: Journal) -> None:
        main = {"name": "Main"}
        cells = {"completed_on": EARLY}
        assert BEFORE in refusal(played, override(T, "events", main, cells, "it was over"))
        ends = {"end_date": EARLY}
        told = refusal(played, override(T, "tournaments", {"tournament_id": T}, ends, "over"))
        assert f"{T} ends on {EARLY}, before its match {E}/m1 of 2019-11-14" in told
        do(played, override(T, "events", main, {"completed_on": "2019-11-14"}, "it was over"))

    def test_an_arriving_report_that_says_so_is_refused(self, tmp_path: Path) -> None:
        file = prague(tmp_path, "arriving.toml", kind=f"completed_on = {EARLY}\nkind")
        file.write_text(file.read_text() + MATCH)
        with pytest.raises(FactsRejected, match=BEFORE):
            gathered(file)

    def test_what_is_recorded_already_can_be_read_merged_and_corrected(
        self, early: Journal
    ) -> None:
        assert event(early)["completed_on"] == date.fromisoformat(EARLY)
        do(early, put(say.player("P9"), say.merge("P2", "P9")))
        do(early, override(T, "events", {"name": "Main"}, {"entry_fee": "120"}, "said"))
        do(early, decisions.undo(8, "no"))
        do(early, override(T, "events", {"name": "Main"}, {"completed_on": "2019-11-14"}, "read"))
        assert event(early)["completed_on"] == date(2019, 11, 14)


class TestRate:
    DAY = date(2019, 5, 30)

    def test_it_is_stated(self, journal: Journal) -> None:
        do(journal, decisions.rate("XAF", self.DAY, "0.001524490", "our bank"))
        rates = load_projection(journal).tables["rates"].drop("_file", "_line")
        assert rates.rows() == [
            ("XAF", self.DAY, Decimal("0.001524490000"), None, "our bank", None)
        ]

    def test_a_later_statement_counts(self, journal: Journal) -> None:
        do(journal, decisions.rate("XAF", self.DAY, "0.0015"))
        done = do(journal, decisions.rate("XAF", self.DAY, "0.0016"))
        assert done.notices[0].what == (
            "this rate of XAF is replaced; until now: eur_per_unit 0.0015"
        )
        assert load_projection(journal).tables["rates"]["eur_per_unit"].to_list() == [
            Decimal("0.0016")
        ]
        assert repeated(journal, decisions.rate("XAF", self.DAY, "0.00160")) == (
            "entry 2: this rate of XAF is here already; nothing was added for it"
        )

    @pytest.mark.parametrize(
        ("currency", "eur"), [("euros", "1"), ("XAF", "0"), ("XAF", "x"), ("EUR", "2")]
    )
    def test_what_is_none(self, file: Journal, currency: str, eur: str) -> None:
        assert "nothing was recorded" in refusal(file, decisions.rate(currency, self.DAY, eur))


class TestMembership:
    FIRST, LAST = date(2019, 1, 1), date(2019, 12, 31)

    def rows(self, journal: Journal) -> list[tuple[Any, ...]]:
        return load_projection(journal).tables["memberships"].drop("_file", "_line").rows()

    def test_from_a_day_on(self, open_: Journal) -> None:
        action = decisions.membership("P1", "usbgf", self.FIRST, level="Basic")
        do(open_, action)
        assert self.rows(open_) == [("P1", "usbgf", "Basic", self.FIRST, None)]
        assert repeated(open_, action) == (
            "entry 6: this membership of P1 is here already; nothing was added for it"
        )

    def test_of_a_federation_that_nobody_knows(self, open_: Journal) -> None:
        done = do(open_, decisions.membership("P1", "USBFG", self.FIRST))
        (notice,) = done.notices
        assert "nobody is a member of USBFG yet" in notice.what
        assert "Did you mean usbgf?" in notice.what

    def test_to_a_day(self, open_: Journal) -> None:
        do(open_, decisions.membership("P1", "usbgf", self.FIRST, level="Basic"))
        do(open_, decisions.end_membership("P1", "usbgf", self.LAST))
        assert self.rows(open_) == [("P1", "usbgf", "Basic", self.FIRST, self.LAST)]
        assert "holds 0 memberships of usbgf on 2019-12-31" in refusal(
            open_, decisions.end_membership("P1", "usbgf", self.LAST)
        )

    def test_of_a_record_that_is_part_of_his(self, file: Journal) -> None:
        do(file, decisions.membership("P1", "usbgf", self.FIRST))
        do(file, put(say.player("P5")))
        do(file, put(say.merge("P1", "P5")))
        do(file, decisions.end_membership("P5", "usbgf", self.LAST))
        assert self.rows(file) == [("P5", "usbgf", None, self.FIRST, self.LAST)]

    def test_the_same_day_of_a_record_that_is_part_of_his(self, file: Journal) -> None:
        """One player is no member twice from one day on: the later statement counts."""
        do(file, put(say.player("P5"), say.membership("P5", "2019-01-01")))
        do(file, put(say.merge("P5", "P1")))
        done = do(file, decisions.membership("P1", "usbgf", self.FIRST, level="Premium"))
        assert [(one.kind, one.subject) for one in done.entries] == [("membership", "P5")]
        assert done.notices[0].what == ("this membership of P5 is replaced; until now: level Basic")
        assert self.rows(file) == [("P1", "usbgf", "Premium", self.FIRST, None)]
        again = decisions.membership("P1", "usbgf", self.FIRST, level="Premium")
        assert "this membership of P1 is here already" in repeated(file, again)
        do(file, decisions.membership("P1", "usbgf", date(2019, 1, 2)))
        assert len(self.rows(file)) == 2

    def test_where_both_records_have_one(self, file: Journal) -> None:
        do(file, put(say.player("P5"), say.membership("P5", "2019-01-01")))
        do(file, put(say.membership("P1", "2019-01-01"), say.merge("P5", "P1")))
        do(file, decisions.membership("P1", "usbgf", self.FIRST, level="Premium"))
        assert self.rows(file) == [("P1", "usbgf", "Premium", self.FIRST, None)] * 2
        do(file, decisions.undo(9, "two sisters"))
        assert {row[0] for row in self.rows(file)} == {"P1", "P5"}

    def test_of_a_player_by_name(self, open_: Journal) -> None:
        do(open_, decisions.membership("Ada Novak", "usbgf", self.FIRST))
        assert self.rows(open_)[0][0] == "P1"
        assert "No player has the id or the name Eve" in refusal(
            open_, decisions.membership("Eve", "usbgf", self.FIRST)
        )

    def test_of_nobody(self, file: Journal) -> None:
        assert "No player has the id or the name P9" in refusal(
            file, decisions.membership("P9", "usbgf", self.FIRST)
        )

    def test_an_end_before_its_start(self, file: Journal) -> None:
        action = decisions.membership("P1", "usbgf", self.LAST, self.FIRST)
        assert "the end, 2019-01-01, is before the start" in refusal(file, action)


class TestErase:
    def test_the_name_goes_and_the_place_stays(self, open_: Journal) -> None:
        do(open_, decisions.erase("P1", "asked"))
        found = load_projection(open_).tables["players"].filter(player_id="P1")
        assert found.select("name", "nation", "withheld").row(0) == ("P1", "CZE", True)
        assert ranks(open_) == RANKS
        with open_.reading() as reader:
            assert not any("Novak" in one for one in reader.records().values())

    def test_of_every_record_that_is_his(self, open_: Journal, tmp_path: Path) -> None:
        do(open_, arrived(prague(tmp_path, "b.toml", Prague="Brno", **{"Ada ": "Adela "})))
        do(open_, put(say.merge("P5", "P1")))
        done = do(open_, decisions.erase("P5", "asked"))
        assert [one.subject for one in done.entries] == ["P1", "P5"]
        with open_.reading() as reader:
            assert not any("Novak" in one for one in reader.records().values())

    def test_where_it_was_typed_in_at_an_event(self, open_: Journal) -> None:
        names = {"1": "ada  Novak", "2": "Ada Novakova"}
        record_event(open_, "night", "Dita", lambda _: [("start", {"a": 1})], names=names)
        done = do(open_, decisions.erase("P1", "asked"))
        with open_.reading() as reader:
            assert event_names(reader, "night") == {"2": "Ada Novakova"}
        (notice,) = done.notices
        assert notice.where == "event night"
        assert "typed in for entrant 1" in notice.what

    def test_twice(self, open_: Journal) -> None:
        do(open_, decisions.erase("P1", "asked"))
        assert "P1 was erased already" in refusal(open_, decisions.erase("P1", "asked"))

    def test_of_nobody(self, file: Journal) -> None:
        told = refusal(file, decisions.erase("P9", "asked"))
        assert "No player has the id or the name P9" in told


def test_a_reason_with_an_erased_name_is_refused_and_an_earlier_one_told(open_: Journal) -> None:
    do(open_, decisions.override(
        "prague-open-2019-11-15", "events", {"name": "Main"}, {"entry_fee": "120"},
        "ADA  Novak paid it"))  # fmt: skip
    assert refusal(open_, decisions.erase("P1", "Ada Novak asked")) == (
        "The reason is kept, and has the name. Give a reason without it."
    )
    notices = do(open_, decisions.erase("P1", "asked")).notices
    assert [(str(one.at), one.what) for one in notices] == [
        (f"entry {open_.head().sequence - 1}", "its reason has this name, and stays as it is")
    ]


def test_a_name_in_what_was_announced_or_done_by_hand_at_an_event_is_told(open_: Journal) -> None:
    """It stays there: neither a chain of an event nor an announcement can be changed."""
    reasons = ("ada  novak had to leave", "the director said so")
    by_hand = [("change", {"reason": reason}) for reason in reasons]
    record_event(open_, "night", "Dita", lambda _: by_hand)
    seal = "0" * 64
    text = canonical({"draw": "six", "notes": {"p1": "Seeded:\nAda Novak"}})
    do(open_, put(draft("six", DrawAnnouncement(announcement=text, sha256=seal))))
    notices = do(open_, decisions.erase("P1", "asked")).notices
    assert [(str(one.at), one.what) for one in notices] == [
        (f"entry {open_.head().sequence - 1}", "its text has this name, and stays as it is"),
        ("event night, record 1", "its reason has this name, and stays as it is"),
    ]
