"""Reports come in once, whole, and nobody writes over what he has not seen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.cli.hints import error_text as with_hints
from palmares.core.errors import FactsRejected, Refused
from palmares.facts import TABLES, Facts
from palmares.facts.rates import with_bank_rates
from palmares.formats.load import gathered
from palmares.journal.commands import decisions
from palmares.journal.commands.players import edit_player
from palmares.journal.commands.reports import reported_players
from palmares.journal.commands.transaction import Action, ActionResult, record_entries
from palmares.journal.projection.bodies import by_tournament, of_tournaments
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal, create_journal, open_journal
from palmares.regulations import money_disciplines
from tests.amounts import amount
from tests.databases import CopyOf
from tests.journal.filled import DIRECTOR, OFFICER
from tests.journal.reports import E, T, arrived, prague, prague_journal, tabled
from tests.packages import BACKGAMMON, write
from tests.season import season, shuffled, written

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def prague_open(copy_url: CopyOf) -> Iterator[Journal]:
    """The report in entries 1 to 5: four players, then what it says."""
    made = open_journal(copy_url(by_director))
    yield made
    made.close()


def by_director(url: str) -> Journal:
    """A journal in which a director recorded it."""
    return prague_journal(url, DIRECTOR)


def do(journal: Journal, action: Action) -> ActionResult:
    return record_entries(journal, OFFICER, action)


def refusal(journal: Journal, action: Action) -> str:
    """What is said against an action; nothing is recorded."""
    head = journal.head()
    with pytest.raises((Refused, FactsRejected)) as refused:
        do(journal, action)
    assert journal.head() == head
    return with_hints(refused.value)


def kinds(done: ActionResult) -> list[tuple[str, str]]:
    return [(one.kind, one.subject) for one in done.entries]


def said(done: ActionResult) -> list[str]:
    return [f"{one.where}: {one.what}" for one in done.notices]


def placed(journal: Journal) -> list[tuple[Any, ...]]:
    """Name and rank of everybody who was placed."""
    tables = load_projection(journal).tables
    found = tables["placings"].join(tables["players"], on="player_id")
    return sorted(found.select("name", "rank").iter_rows())


class TestAReport:
    def test_its_players_come_first_in_one_transaction(
        self, journal: Journal, tmp_path: Path
    ) -> None:
        done = record_entries(journal, DIRECTOR, arrived(prague(tmp_path)))
        players = [("player", f"P{number}") for number in (1, 2, 3, 4)]
        assert kinds(done) == [*players, ("report", T)]
        assert {one.author for one in done.entries} == {"Dita Ředitelka"}
        assert placed(journal) == [
            ("Ada Novak", 1), ("Ben Ode", 2), ("Cy Pell", 3), ("Dee Rix", 3)
        ]  # fmt: skip

    def test_no_name_is_in_the_chain(self, prague_open: Journal) -> None:
        with prague_open.reading() as reader:
            assert b"Novak" not in b"".join(one.line() for one in reader.entries())

    def test_the_same_file_again_changes_nothing(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        done = do(prague_open, arrived(prague(tmp_path)))
        assert kinds(done) == []
        assert said(done) == [
            f"entry 5: this report of {T} is here already; nothing was added for it"
        ]

    def test_nor_does_the_same_content_in_other_words(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        other = prague(tmp_path, "again.toml", **{"2    Ben": "2 Ben", "100": "100.00"})
        assert kinds(do(prague_open, arrived(other))) == []

    def test_a_second_report_finds_the_players_of_the_first(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        brno = prague(tmp_path, "brno.toml", Prague="Brno", **{"Cy Pell": "Eve Sims"})
        assert kinds(do(prague_open, arrived(brno))) == [
            ("player", "P5"), ("report", "brno-open-2019-11-15")
        ]  # fmt: skip

    def test_a_package_of_many_tables(self, journal: Journal, tmp_path: Path) -> None:
        tables = BACKGAMMON | {
            "memberships": "player_id,federation,level,start\na,usbgf,Basic,2019-01-01\n",
            "rates": "currency,date,eur_per_unit,source\nUSD,2019-11-15,0.9050,our bank\n",
        }
        package = write(tmp_path / "p", **tables)
        done = do(journal, arrived(package))
        assert kinds(done)[4:] == [("membership", "a"), ("rate", "USD"), ("report", "T")]
        bodies = [one.read() for one in done.entries]
        assert bodies[4]["start"], bodies[4]["end"] == ("2019-01-01", None)
        assert bodies[5]["eur_per_unit"] == "0.905"
        assert kinds(do(journal, arrived(package))) == []

    def test_a_membership_of_nobody(self, journal: Journal, tmp_path: Path) -> None:
        rows = "player_id,federation,start\nx,usbgf,2019-01-01\n"
        package = write(tmp_path / "p", memberships=rows)
        assert "x is no player of these facts or of the journal" in refusal(
            journal, arrived(package)
        )

    def test_a_later_membership_is_told_to_replace(self, journal: Journal, tmp_path: Path) -> None:
        head = "player_id,federation,level,start\n"
        tables = BACKGAMMON | {"memberships": f"{head}a,usbgf,Basic,2019-01-01\n"}
        do(journal, arrived(write(tmp_path / "p", **tables)))
        later = write(tmp_path / "q", memberships=f"{head}a,usbgf,Premium,2019-01-01\n")
        done = do(journal, arrived(later))
        assert kinds(done) == [("membership", "a")]
        assert said(done) == ["entry 5: this membership of a is replaced; until now: level Basic"]

    def test_columns_nobody_reads(self, journal: Journal, tmp_path: Path) -> None:
        tables = BACKGAMMON | {
            "placings": BACKGAMMON["placings"].replace("rank\n", "rank,table\n").replace(
                "E,a,1\n", "E,a,1,7\n"
            ).replace("b,2", "b,2,").replace("c,3", "c,3,").replace("d,3", "d,3,"),
            "players": BACKGAMMON["players"].replace("nation\n", "nation,town\n").replace(
                "CZE\n", "CZE,Brno\n").replace("GER\n", "GER,\n").replace("Pell,\n", "Pell,,\n"),
        }  # fmt: skip
        done = do(journal, arrived(write(tmp_path / "p", **tables)))
        assert said(done)[0].endswith("placings has columns that a journal does not keep: table")
        with journal.reading() as reader:
            assert '{"more":{"town":"Brno"},"name":"Ada Novak"}' in reader.records().values()

    def test_an_event_of_another_tournament(self, journal: Journal, tmp_path: Path) -> None:
        do(journal, arrived(write(tmp_path / "p", **BACKGAMMON)))
        other = {name: text.replace("T,", "U,") for name, text in BACKGAMMON.items()}
        events = BACKGAMMON["events"].replace("E,T,", "E,U,")
        tables = other | {"events": events, "placings": BACKGAMMON["placings"]}
        assert "an event with the id E is in entry 5 already" in refusal(
            journal, arrived(write(tmp_path / "q", **tables))
        )


class TestAnotherVersion:
    def test_without_a_word_it_is_refused_and_both_are_shown(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        swapped = prague(
            tmp_path, "other.toml", **{"100": "200", "1    Ada": "2 Ada", "2    Ben": "1 Ben"}
        )
        told = refusal(prague_open, arrived(swapped)).splitlines()
        assert told[0].startswith(f"{T} is reported otherwise in entry 5, by Dita Ředitelka (dir")
        assert [line.split("  ") for line in (" ".join(one.split()) for one in told[2:6])] == [
            ["table row column entry 5 yours"],
            [f"events {E} entry_fee 100 200"],
            [f"placings {E}, main, Ada Novak [P1] rank 1 2"],
            [f"placings {E}, main, Ben Ode [P2] rank 2 1"],
        ]
        assert told[-2:] == [
            "If yours is right, say that it replaces what is there: --replaces 5.",
            "Nothing was recorded.",
        ]

    def test_a_withheld_name_is_not_told_to_who_does_not_know_it(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        do(prague_open, edit_player("P2", withheld="true"))
        told = refusal(prague_open, arrived(prague(tmp_path, **{"Ben Ode (GER)": "Eve Hall"})))
        assert f"placings  {E}, main, (withheld) [P2]  " in told
        assert "Ben Ode" not in told
        told = refusal(prague_open, arrived(prague(tmp_path, **{"2    Ben": "1    Ben"})))
        assert f"placings  {E}, main, Ben Ode [P2]  rank    2        1" in told  # his own words

    def test_it_takes_the_place_of_the_entry_it_names(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        other = prague(tmp_path, "other.toml", **{"100": "200"})
        done = do(prague_open, arrived(other, replaces=[5]))
        assert kinds(done) == [("report", T)]
        assert done.entries[0].read()["replaces"] == 5
        again = do(prague_open, arrived(other, replaces=[5]))  # the same, sent twice
        assert kinds(again) == []
        by_content = prague(tmp_path, "third.toml", **{"100": "200.0"})
        assert kinds(do(prague_open, arrived(by_content, replaces=[5]))) == []

    def test_a_stale_edit_is_refused(self, prague_open: Journal, tmp_path: Path) -> None:
        do(prague_open, arrived(prague(tmp_path, "b.toml", **{"100": "200"}), replaces=[5]))
        mine = prague(tmp_path, "c.toml", **{"100": "300"})
        told = refusal(prague_open, arrived(mine, replaces=[5]))
        assert "Entry 5 is not the report in force" in told
        assert "reported otherwise in entry 6, by Otto Officer" in told
        assert "entry_fee  200      300" in told

    def test_after_a_withdrawal_it_is_reported_anew(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        do(prague_open, decisions.withdraw(T, "no sanction"))
        assert placed(prague_open) == []
        other = prague(tmp_path, "other.toml", **{"100": "200"})
        assert refusal(prague_open, arrived(other, replaces=[5])) == (
            "Entry 5 is not the report in force of any tournament in these facts."
            " Leave out --replaces 5.\nNothing was recorded."
        )
        assert kinds(do(prague_open, arrived(other))) == [("report", T)]
        assert len(placed(prague_open)) == 4

    def test_overrides_stay_in_force(self, prague_open: Journal, tmp_path: Path) -> None:
        do(
            prague_open,
            decisions.override(T, "events", {"name": "Main"}, {"entry_fee": "120"}, "as said"),
        )
        other = prague(tmp_path, "other.toml", **{"entrants = 4": "entrants = 5"})
        do(prague_open, arrived(other, replaces=[5]))
        events = load_projection(prague_open).tables["events"]
        assert events["entry_fee"].cast(int).to_list() == [120]

    def test_an_override_that_finds_its_row_no_longer(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        row = {"player_id": "Cy Pell"}
        do(prague_open, decisions.override(T, "placings", row, {"designated": "yes"}, "protest"))
        other = prague(tmp_path, "other.toml", **{"Cy Pell": "Cy Bell"})
        lost = f"entry 6: the row that this override of {T} changes is gone"
        assert lost in refusal(prague_open, arrived(other, replaces=[5]))
        do(prague_open, decisions.withdraw(T, "no sanction"))
        assert lost in refusal(prague_open, arrived(other))
        do(prague_open, decisions.undo(6, "no protest"))
        assert kinds(do(prague_open, arrived(other))) == [("player", "P5"), ("report", T)]


class TestAKey:
    def test_the_same_again_is_answered(self, journal: Journal, tmp_path: Path) -> None:
        first = do(journal, arrived(prague(tmp_path), key="k-1"))
        assert [one.key for one in first.entries] == [None, None, None, None, "k-1"]
        again = do(journal, arrived(prague(tmp_path), key="k-1"))
        assert kinds(again) == []
        assert [one.where for one in again.notices] == ["entry 5"]

    def test_even_when_it_was_replaced_since(self, journal: Journal, tmp_path: Path) -> None:
        do(journal, arrived(prague(tmp_path), key="k-1"))
        other = prague(tmp_path, "other.toml", **{"100": "200"})
        do(journal, arrived(other, key="k-2", replaces=[5]))
        assert kinds(do(journal, arrived(prague(tmp_path), key="k-1"))) == []
        assert kinds(do(journal, arrived(other, key="k-2", replaces=[5]))) == []

    @pytest.mark.parametrize("changes", [{"100": "200"}, {"Prague": "Brno"}])
    def test_for_something_else_it_is_refused(
        self, journal: Journal, tmp_path: Path, changes: dict[str, str]
    ) -> None:
        do(journal, arrived(prague(tmp_path), key="k-1"))
        other = prague(tmp_path, "other.toml", **changes)
        assert "The key k-1 was used for entry 5" in refusal(journal, arrived(other, key="k-1"))

    def test_many_reports_under_one(self, journal: Journal, tmp_path: Path) -> None:
        folder = tmp_path / "reports"
        folder.mkdir()
        prague(folder)
        prague(folder, "brno.toml", Prague="Brno")
        assert len(do(journal, arrived(folder, key="k")).entries) == 6
        assert kinds(do(journal, arrived(folder, key="k"))) == []


class TestWhateverHappenedToPlayers:
    """A report whose content is another one since its players were decided on is never taken."""

    def test_one_was_erased(self, prague_open: Journal, tmp_path: Path) -> None:
        do(prague_open, decisions.erase("P1", "asked"))
        said = refusal(prague_open, arrived(prague(tmp_path)))
        assert "entry 5" in said

    def test_a_correction_that_still_has_an_erased_name(
        self, prague_open: Journal, tmp_path: Path
    ) -> None:
        do(prague_open, decisions.erase("P1", "asked"))
        other = prague(tmp_path, "b.toml", **{"100": "200"})
        done = do(prague_open, arrived(other, replaces=[5]))
        assert "they are in entry 5, their name was erased" in done.notices[0].what
        do(prague_open, decisions.undo(done.entries[-1].sequence, "by id instead"))
        other = prague(tmp_path, "c.toml", **{"100": "200", "(CZE)": "(CZE) [P1]"})
        done = do(prague_open, arrived(other, replaces=[5]))
        assert kinds(done) == [("report", T)]
        told = [one.what for one in done.notices]
        assert told == ["the name was erased, and is not recorded again"]

    def test_an_officer_says_who_somebody_is(self, prague_open: Journal, tmp_path: Path) -> None:
        brno = prague(tmp_path, "brno.toml", Prague="Brno", **{"Ada Novak (CZE)": "A. Novak"})
        do(prague_open, arrived(brno, chosen={"A. Novak": "P1"}))
        assert placed(prague_open).count(("Ada Novak", 1)) == 2
        assert kinds(do(prague_open, arrived(brno))) == []


class TestWhatIsReported:
    def test_days_and_ids(self, tmp_path: Path) -> None:
        other = prague(tmp_path, "b.toml", **{"2019-11-15": "2020-02-01", "Cy Pell": "Cy Pell [7]"})
        found = {one.name: one for one in reported_players(gathered(prague(tmp_path), other))}
        assert found["Ada Novak"].last_day == date(2020, 2, 1)
        assert not found["Ada Novak"].given
        seven = [one for one in reported_players(gathered(other)) if one.key == "7"]
        assert [(one.name, one.given) for one in seven] == [("Cy Pell", True)]


@given(st.integers(min_value=0, max_value=10_000), st.integers(min_value=0, max_value=10_000))
@settings(max_examples=amount(500))
def test_a_journal_gives_the_facts_it_was_given(number: int, order: int) -> None:
    with TemporaryDirectory() as folder:
        package = written(shuffled(season(number, 6), order), Path(folder) / "season")
        facts = with_bank_rates(gathered(package), money_disciplines)
        journal = create_journal(f"{folder}/journal.db")
        do(journal, arrived(package))
        found = load_projection(journal).facts
        assert kinds(do(journal, arrived(package))) == []
        journal.close()
    for name in facts.tables:
        assert rows(found, name) == rows(facts, name)


def rows(facts: Facts, name: str) -> list[tuple[Any, ...]]:
    """The rows of a table; who is not said to be withheld is not."""
    table = facts[name].select(list(TABLES[name]))
    if name == "players":
        table = table.with_columns(pl.col("withheld").fill_null(value=False))
    return sorted(table.iter_rows(), key=repr)


@pytest.mark.parametrize("folder", ["backgammon", "usbgf", "diplomacy", "bridge"])
def test_each_tournament_is_kept_as_if_it_came_alone(folder: str) -> None:
    facts = gathered(EXAMPLES / folder)
    whole = by_tournament(facts)
    assert list(whole) == [
        one for _, one in sorted(facts["tournaments"].select("end_date", "tournament_id").rows())
    ]
    for one in whole:
        tables = {
            name: table.filter(of == one) for name, (table, of) in of_tournaments(facts).items()
        }
        assert whole[one] == tabled(Facts(tables))


SILENT = {'discipline = "backgammon"\n': ""}


class TestDiscipline:
    """'an empty `discipline` means any, a journal takes none without'"""

    def test_a_report_without_one_is_refused(self, journal: Journal, tmp_path: Path) -> None:
        said = refusal(journal, arrived(prague(tmp_path, **SILENT)))
        assert "prague.toml:2: Prague Open has no discipline [facts tournaments.discipline]" in said
        assert 'State the discipline, such as `discipline = "backgammon"`.' in said

    def test_every_such_report_is_named(self, journal: Journal, tmp_path: Path) -> None:
        files = [
            prague(tmp_path, f"{name}.toml", Prague=name, **SILENT) for name in ("Brno", "Ulm")
        ]
        said = refusal(journal, arrived(*files))
        assert said.startswith("2 problems, nothing was recorded.")

    def test_a_correction_cannot_empty_it(self, prague_open: Journal) -> None:
        row = {"tournament_id": T}
        said = refusal(
            prague_open, decisions.override(T, "tournaments", row, {"discipline": ""}, "slip")
        )
        assert "a tournament of a journal always has a discipline" in said
        do(prague_open, decisions.override(T, "tournaments", row, {"discipline": "chess"}, "slip"))
        assert load_projection(prague_open).tables["tournaments"]["discipline"].to_list() == [
            "chess"
        ]

    def test_another_version_needs_one_too(self, prague_open: Journal, tmp_path: Path) -> None:
        other = prague(tmp_path, "other.toml", **SILENT, **{"= 100": "= 200"})
        assert "has no discipline" in refusal(prague_open, arrived(other, replaces=[5]))
