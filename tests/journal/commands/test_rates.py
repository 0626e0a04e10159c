"""Exchange rates are recorded with the reports that need them, and nothing changes them later."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from palmares.facts import Facts
from palmares.facts.rates import NO_BANK, Bank, read_bank
from palmares.formats.load import gathered
from palmares.journal.commands import decisions, transaction
from palmares.journal.commands.decisions import rates_from
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import ActionResult, dry_run, record_entries
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal, create_journal
from palmares.points.awards import Question, award
from tests.journal.filled import OFFICER

OPEN = '''[tournament]
name       = "Lakeside Open"
end_date   = 2019-06-02
discipline = "backgammon"
currency   = "USD"

[[event]]
name      = "Championship"
kind      = "championship"
entry_fee = 200

[event.main]
entrants = 2
placings = """
1 Ada Novak
2 Ben Olsen
"""
'''


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Journal]:
    with closing(create_journal(str(tmp_path / "rates.db"))) as made:
        yield made


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """A bank by which 200 dollars are 160 euro; it publishes nothing on 2 June, a Sunday."""
    return history(tmp_path, "2019-05-31,1.25,0.8", "2019-06-03,2,1")


def history(folder: Path, *lines: str) -> Bank:
    file = folder / "eurofxref-hist.csv"
    file.write_text("Date,USD,GBP\n" + "\n".join(reversed(lines)), encoding="utf-8")
    return read_bank(file)


def opened(folder: Path, name: str = "Lakeside Open", **changes: str) -> Facts:
    text = OPEN.replace("Lakeside Open", name)
    for old, new in changes.items():
        text = text.replace(old.replace("_", "-"), new)
    file = folder / "report.toml"
    file.write_text(text, encoding="utf-8")
    return gathered(file)


def added(journal: Journal, facts: Facts, bank: Bank, *replaces: int) -> ActionResult:
    with shipping(bank):
        return record_entries(journal, OFFICER, report(facts, replaces=replaces))


@contextmanager
def shipping(bank: Bank) -> Iterator[None]:
    """Another bank's rates come with palmares."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "shipped", lambda: bank)
        yield


def rates(journal: Journal) -> list[tuple[object, ...]]:
    return load_projection(journal).tables["rates"].drop("_file", "_line").rows()


def grades(journal: Journal) -> set[float]:
    return set(award(Question(regulation="wbgf"), load_projection(journal).facts).frame["grade"])


OF_SUNDAY = ("USD", date(2019, 6, 2), None, Decimal("1.25"), "European Central Bank",
             date(2019, 5, 31))  # fmt: skip


class TestAReportBringsItsRate:
    def test_in_the_same_step(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        done = added(file, opened(tmp_path), bank)
        assert [(one.kind, one.subject) for one in done.entries[2:]] == [
            ("rate", "USD"), ("report", "lakeside-open-2019-06-02")
        ]  # fmt: skip
        assert done.last.kind == "report"
        assert rates(file) == [OF_SUNDAY]
        assert grades(file) == {1.6}  # 200 / 1.25 = 160 euro of 100

    def test_so_what_is_known_with_it_has_the_rate(
        self, file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        done = added(file, opened(tmp_path), bank)
        then = load_projection(file, f"#{done.last.sequence}").facts
        assert set(award(Question(regulation="wbgf"), then).frame["grade"]) == {1.6}

    def test_which_is_shown_before(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        action = report(opened(tmp_path))
        with shipping(bank):
            seen = dry_run(file, OFFICER, action)
            assert rates(file) == []
            done = record_entries(file, OFFICER, action, preview=seen)
        assert done.comparable() == seen.comparable()

    @pytest.mark.parametrize(
        ("why", "changes"),
        [
            ("the euro needs none", {"USD": "EUR"}),
            ("the report says its own", {'"USD"': '"USD"\neur_per_unit = 0.9'}),
            ("no regulation with money sees it", {"backgammon": "diplomacy"}),
        ],
    )
    def test_only_where_it_is_needed(
        self, why: str, changes: dict[str, str], file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        added(file, opened(tmp_path, **changes), bank)
        assert rates(file) == [], why

    def test_and_no_officer_has_recorded_one(
        self, file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        record_entries(file, OFFICER, decisions.rate("USD", date(2019, 5, 27), "0.5"))
        added(file, opened(tmp_path), bank)
        assert len(rates(file)) == 1
        assert grades(file) == {1.0}

    def test_a_second_report_of_the_day_finds_it(
        self, file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        added(file, opened(tmp_path), bank)
        added(file, opened(tmp_path, "Hillside Open"), bank)
        assert rates(file) == [OF_SUNDAY]

    def test_a_rate_answers_for_its_day_alone(
        self, file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        added(file, opened(tmp_path), bank)
        added(file, opened(tmp_path, "Hillside Open", **{"2019_06_02": "2019-06-03"}), bank)
        assert [(day, units) for _, day, _, units, *_ in rates(file)] == [
            (date(2019, 6, 2), Decimal("1.25")), (date(2019, 6, 3), Decimal(2))
        ]  # fmt: skip

    def test_so_does_a_new_version(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        first = added(file, opened(tmp_path, USD="EUR"), bank).last.sequence
        assert rates(file) == []
        added(file, opened(tmp_path), bank, first)
        assert rates(file) == [OF_SUNDAY]

    @pytest.mark.parametrize(
        ("column", "value", "found"),
        [("currency", "GBP", ("GBP", Decimal("0.8"))), ("end_date", "2019-06-03", ("USD", 2))],
    )
    def test_so_does_an_override(
        self,
        column: str,
        value: str,
        found: tuple[str, object],
        file: Journal,
        bank: Bank,
        tmp_path: Path,
    ) -> None:
        added(file, opened(tmp_path), bank)
        tournament = "lakeside-open-2019-06-02"
        row = {"tournament_id": tournament}
        action = decisions.override(tournament, "tournaments", row, {column: value}, "a slip")
        with shipping(bank):
            record_entries(file, OFFICER, action)
        assert found in [(currency, units) for currency, _, _, units, *_ in rates(file)]

    def test_a_rate_that_was_undone_stays_so(
        self, file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        rate = added(file, opened(tmp_path), bank).entries[-2].sequence
        with shipping(bank):
            record_entries(file, OFFICER, decisions.undo(rate, "the hotel's was agreed"))
        assert rates(file) == []

    def test_a_package_does_not_replace_what_an_officer_says(
        self, file: Journal, tmp_path: Path
    ) -> None:
        record_entries(file, OFFICER, decisions.rate("USD", date(2019, 6, 2), "0.5"))
        looked_up = (
            '[[rate]]\ncurrency = "USD"\ndate = 2019-06-02\nunits_per_eur = 1.25\n'
            "published_on = 2019-05-31\n"
        )
        report_file = tmp_path / "r.toml"
        report_file.write_text(OPEN + looked_up, encoding="utf-8")
        added(file, gathered(report_file), NO_BANK)
        assert [row[2] for row in rates(file)] == [Decimal("0.5")]


class TestNothingChangesThem:
    def test_whatever_the_bank_says_later(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        """The bank that palmares ships says 1.1151, and was never asked."""
        added(file, opened(tmp_path), bank)
        assert grades(file) == {1.6}

    def test_without_any_bank(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        """The same bytes where the package with the bank's data is gone."""
        added(file, opened(tmp_path), bank)
        program = (
            "import sys; sys.modules['currency_converter'] = None\n"
            "from palmares.__main__ import main; main()"
        )
        asked = ["rank", "wbgf", "--journal", str(file.database.file), "--as-of", "2019-06-02",
                 "--format", "csv"]  # fmt: skip
        listed = [
            subprocess.run([sys.executable, *start, *asked], capture_output=True, check=True).stdout
            for start in (["-m", "palmares"], ["-c", program])
        ]
        assert listed[0] == listed[1]
        assert b"Ada Novak" in listed[0]

    def test_a_day_past_the_end_of_the_data_waits(
        self, file: Journal, bank: Bank, tmp_path: Path
    ) -> None:
        done = added(file, opened(tmp_path, **{"2019_06_02": "2019-06-04"}), bank)
        assert rates(file) == []
        assert [one.what for one in done.notices if one.clause == "journal rates"] == [
            "no rate of USD on 2019-06-04: the bank's rates end on 2019-06-03"
        ]


class TestFromAFile:
    def test_what_tournaments_wait_for(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        added(file, opened(tmp_path), bank)
        waiting = {"2019_06_02": "2019-06-08"}  # a Saturday
        added(file, opened(tmp_path, "Hillside Open", **waiting), bank)
        newer = history(tmp_path, "2019-06-06,5,1", "2019-06-07,4,1", "2019-06-10,8,1")
        done = record_entries(file, OFFICER, rates_from(newer))
        assert [(one.kind, one.subject) for one in done.entries] == [("rate", "USD")]
        assert rates(file)[1:] == [
            ("USD", date(2019, 6, 8), None, Decimal(4), "European Central Bank",
             date(2019, 6, 7))
        ]  # fmt: skip
        assert grades(file) == {1.6, 0.5}
        assert record_entries(file, OFFICER, rates_from(newer)).entries == ()

    def test_what_the_file_does_not_have(self, file: Journal, bank: Bank, tmp_path: Path) -> None:
        added(file, opened(tmp_path, USD="PLN"), NO_BANK)
        done = record_entries(file, OFFICER, rates_from(bank))
        assert done.entries == ()
        assert [one.what for one in done.notices] == [
            "no rate of PLN on 2019-06-02 or the 7 days before"
        ]
