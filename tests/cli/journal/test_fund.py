"""``palmares fund``: from a request to a statement, at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli


@pytest.fixture
def journal(tmp_path: Path) -> str:
    path = str(tmp_path / "federation.db")
    assert CliRunner().invoke(cli, ["journal", "init", path]).exit_code == 0
    return path


def say(journal: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["fund", *arguments, "--journal", journal])


def record(journal: str, *arguments: str) -> str:
    done = say(journal, *arguments, "--yes", "--author", "rita")
    assert done.exit_code == 0, done.output
    return done.output


def supported(journal: str) -> None:
    record(
        journal, "ask", "open", "--on", "2019-11-15", "--on", "2019-11-16", "--name", "Open 2019",
        "--from", "2019-11-15", "--to", "2019-11-17", "--day", "2019-11-01",
    )  # fmt: skip
    decided = ("--by", "President", "--reason", "Prime", "--day", "2019-11-02")
    record(journal, "decide", "open", "--grant", *decided)
    donor = ("--donor", "Jane Doe", "--named", "--day", "2019-11-16")
    record(journal, "donate", "180", "--source", "tip-jar", "--tournament", "open", *donor)


def test_a_statement_says_what_is_carried_over(journal: str) -> None:
    supported(journal)
    rows = json.loads(say(journal, "statement", "open", "--format", "json").output)
    amounts = {row["figure"]: row["amount"] for row in rows if not row["part"]}
    assert amounts == {
        "raised": 180, "guarantee": 100, "baggage": 50, "expenses": 150, "paid": 0, "owed": 150,
        "contributed": 0, "carried over": 30,
    }  # fmt: skip
    printed = say(journal, "statement").output
    assert "Open 2019   granted  180.00    150.00  0.00         30.00" in printed
    assert "available: 30.00 USD" in printed
    assert "Did you mean open?" in say(journal, "statement", "opne").output


def test_a_plan_is_borne_or_lacks_money(journal: str) -> None:
    supported(journal)
    assert "lacks 70.00 for it" in say(journal, "plan", "1").output
    record(journal, "donate", "70", "--source", "other")
    assert "100.00 USD available and bears it" in say(journal, "plan", "1").output


def test_a_support_is_refused(journal: str) -> None:
    supported(journal)
    again = ("--by", "President", "--reason", "no staff", "--day", "2019-11-03")
    record(journal, "decide", "open", "--refuse", *again)
    printed = say(journal, "statement", "open").output
    assert "Refused by President: no staff" in printed
    assert "180 − 0 = 180.00" in printed


def test_books_are_exported_without_names(journal: str, tmp_path: Path) -> None:
    supported(journal)
    printed = say(journal, "export", "--format", "csv").output
    assert "3,2019-11-16,open,donation: tip-jar,Assets:Fund,180,USD\n" in printed
    file = tmp_path / "fund.beancount"
    assert say(journal, "export", "--beancount", str(file)).exit_code == 0
    assert "  Income:Donations:Tip-Jar  -180.00 USD\n" in file.read_text("utf-8")
    assert "Jane" not in printed + file.read_text("utf-8")


def test_the_log_names_a_donor_until_the_name_is_erased(journal: str) -> None:
    supported(journal)
    log = ["journal", "log", "--journal", journal]
    assert "tip-jar, 2019-11-16, Jane Doe" in CliRunner().invoke(cli, log).output
    done = record(journal, "forget", "Jane Doe", "--reason", "asked")
    assert "erased a name, open: asked." in done
    assert "Jane" not in CliRunner().invoke(cli, log).output


def test_the_sheet_of_letters_is_empty_without_members(journal: str) -> None:
    printed = say(journal, "letters", "--format", "csv").output
    assert printed == "player_id,player,nation,federation,level\n"


def test_letters_to_a_wrong_name_are_refused(journal: str) -> None:
    supported(journal)
    for wrong, words in (
        (["opne"], "Nobody is recorded as streamed at opne"),
        (["--federation", "usbfg"], "usbfg has no members on"),
        (["open", "--federation", "usbgf"], "Leave TOURNAMENT out"),
    ):
        refused = say(journal, "letters", *wrong)
        assert refused.exit_code != 0
        assert words in refused.output


def test_a_payment_beyond_what_is_approved_is_refused(journal: str) -> None:
    supported(journal)
    refused = say(journal, "pay", "open", "streamer", "100.01", "--yes")
    assert refused.exit_code == 1
    assert "100.01 would be paid for streamer, and 100.00 is approved" in refused.output
    assert "Pay less or later, or decide again with another amount." in refused.output
