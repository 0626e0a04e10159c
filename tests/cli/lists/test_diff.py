"""palmares diff: what people read, what programs get, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from palmares.journal.store.journal import Journal, create_journal
from palmares.lists.publication import Publication
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.differing import alone, rated
from tests.packages import error, rows, run

DAY_10, DAY_15 = "2019-11-25", "2019-11-30"
"""Days after the only tournament; 10.95 points lose 0.01 a day."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Ada and Ben: Ada's 10.95 points (entry 3) become 21.90 (4), Ben has 10.95 (5)."""
    found = create_journal(str(tmp_path / "x.db"))
    found.record([say.player("P1", "Ada"), say.player("P2", "Ben"), alone("T")], OFFICER)
    found.record([alone("T", points="21.9"), alone("U", "P2")], OFFICER)
    yield found
    found.close()


def diff(journal: Journal, a: str, b: str, *more: str) -> str:
    """What is printed for two lists."""
    result = run("diff", "wbgf", a, b, "--journal", journal.url, *more)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def today(journal: Journal) -> str:
    return journal.head().recorded_at[:10]


class TestForPeople:
    def test_the_table(self, journal: Journal) -> None:
        by = f"by Rita Officer, {today(journal)}"
        assert diff(journal, f"{DAY_10}@#3", DAY_15).splitlines() == [
            f"WBGF Backgammon World Ranking, A: {DAY_10}, as known at entry 3; B: {DAY_15}",
            "2 players: 1 new, 1 with other points at the same rank.",
            (
                "Causes: new result +10.80 (1 result), correction +10.85 (1 result), "
                "decay -0.10 (1 result)."
            ),
            "",
            "rank A  rank B  player  points A  points B  change  why",
            (
                "     1       1  Ada        10.85     21.60   10.75  "
                f"correction: T Open, Main +10.85 (entry 4, {by}); decay: T Open, Main -0.10"
            ),
            (
                "             2  Ben                  10.80   10.80  "
                f"new result: U Open, Main +10.80 (entry 5, {by})"
            ),
        ]

    def test_one_player_in_full(self, journal: Journal) -> None:
        by = f"by Rita Officer, {today(journal)}"
        assert diff(journal, f"{DAY_10}@#3", DAY_15, "--player", "Ada").splitlines()[2:] == [
            "Ada: rank 1, 10.85 points on A; rank 1, 21.6 points on B",
            "",
            f"   +10.85  correction: T Open, Main (entry 4, {by})",
            "     -0.1  decay: T Open, Main",
            "   +10.75  change",
        ]

    def test_many_entries_behind_a_part(self, journal: Journal) -> None:
        journal.record([alone("T", points="32.85")], OFFICER)
        text = diff(journal, f"{DAY_10}@#3", DAY_10, "--player", "Ada")
        assert f"(entry 6, by Rita Officer, {today(journal)}; also 4)" in text

    def test_decay_of_many_results_is_one_sum(self, journal: Journal) -> None:
        """21.90 and 10.95 lose 0.02 and 0.01 a day."""
        journal.record([alone("V")], OFFICER)
        assert "decay: 2 results -0.15" in diff(journal, DAY_10, DAY_15)

    def test_a_record_that_was_merged_is_asked_for_by_its_id(self, journal: Journal) -> None:
        journal.record([say.merge("P2", "P1")], OFFICER)
        lines = diff(journal, f"{DAY_10}@#5", DAY_10, "--player", "P2").splitlines()
        assert lines[2] == "Ben: rank 2, 10.85 points on A; not on the list on B"
        assert lines[4].startswith("   -10.85  merge: U Open, Main (entry 6, ")

    def test_nothing_changed(self, journal: Journal) -> None:
        assert diff(journal, DAY_10, DAY_10).splitlines()[2:] == ["No difference."]
        parts = (f"{DAY_10}@#4", DAY_10, "--player", "Ada")
        assert diff(journal, *parts).splitlines()[2:] == ["Nothing changed for this player."]

    def test_others_moved(self, journal: Journal) -> None:
        journal.record([alone("V", "P2", "32.85")], OFFICER)
        lines = diff(journal, f"{DAY_10}@#5", DAY_10).splitlines()
        assert lines[1:3] == [
            "2 players: 1 up, 1 down.",
            "Causes: new result +32.55 (1 result), others moved (1).",
        ]
        assert lines[-1].endswith("  others moved")


class TestForPrograms:
    def test_csv_has_a_row_a_part(self, journal: Journal) -> None:
        text = diff(journal, f"{DAY_10}@#3", DAY_15, "--format", "csv")
        found = list(csv.DictReader(io.StringIO(text)))
        assert [(row["player"], row["change"], row["cause"], row["part"], row["entry"])
                for row in found] == [
            ("Ada", "10.75", "correction", "10.85", "4"),
            ("Ada", "10.75", "decay", "-0.1", ""),
            ("Ben", "10.8", "new result", "10.8", "5"),
        ]  # fmt: skip
        assert found[0]["author"] == "Rita Officer"
        assert found[0]["recorded"] == today(journal)

    def test_json_has_an_object_a_part(self, journal: Journal) -> None:
        found = json.loads(diff(journal, f"{DAY_10}@#3", DAY_15, "--format", "json"))
        assert [(one["player"], one["cause"], one["part"]) for one in found] == [
            ("Ada", "correction", 10.85),
            ("Ada", "decay", -0.1),
            ("Ben", "new result", 10.8),
        ]
        ada, _, ben = found
        assert (ada["rank_a"], ada["points_a"], ada["points_b"]) == (1, 10.85, 21.6)
        assert (ben["rank_a"], ben["points_a"]) == (None, None)
        assert (ben["entry"], ben["author"]) == (5, "Rita Officer")
        assert ben["recorded"] == today(journal)

    @pytest.mark.parametrize("suffix", ["html", "md", "xlsx", "parquet", "txt"])
    def test_files(self, journal: Journal, tmp_path: Path, suffix: str) -> None:
        file = tmp_path / f"diff.{suffix}"
        assert diff(journal, f"{DAY_10}@#3", DAY_15, "-o", str(file)) == ""
        assert file.stat().st_size > 100

    def test_a_rating_that_starts_belongs_to_no_tournament(self, journal: Journal) -> None:
        journal.record([rated("D", DAY_10, {"P1": 1})], OFFICER)
        found = rows("diff", "dptr", "2019-01-01", DAY_15, "--journal", journal.url)
        assert [(one["tournament"], one["part"]) for one in found] == [
            (None, 40),
            ("D Open", 7),
        ]


class TestPublished:
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def publish(self, journal: Journal, *more: str) -> None:
        result = run("publish", "wbgf", "--journal", journal.url, "--as-of", DAY_10, *more, "--yes")
        assert result.exit_code == 0, result.stderr

    def test_what_changed_since(self, journal: Journal) -> None:
        """Published at entry 5 as entry 6; then Ben's report is withdrawn."""
        self.publish(journal)
        journal.record([say.withdrawal("U")], OFFICER)
        [row] = rows("diff", "wbgf", "#6", DAY_10, "--journal", journal.url)
        assert (row["player"], row["cause"], row["part"]) == ("Ben", "withdrawal", -10.85)

    def test_it_is_told_by_its_day(self, journal: Journal) -> None:
        self.publish(journal)
        assert diff(journal, "#6", DAY_10).splitlines() == [
            f"WBGF Backgammon World Ranking, A: {DAY_10}, published as entry 6; B: {DAY_10}",
            "",
            "No difference.",
        ]

    def test_its_readings_hold_for_the_other_list(self, journal: Journal) -> None:
        self.publish(journal, "--reading", "W3=skip-29-feb")
        assert rows("diff", "wbgf", "#6", DAY_10, "--journal", journal.url) == []

    def test_two_of_them(self, journal: Journal) -> None:
        self.publish(journal)
        journal.record([alone("V", "P2")], OFFICER)
        self.publish(journal, "--manifest", "second.json")
        [row] = rows("diff", "wbgf", "#6", "#8", "--journal", journal.url)
        assert (row["player"], row["change"]) == ("Ben", 10.85)

    def test_options_that_a_list_says_itself(self, journal: Journal) -> None:
        self.publish(journal)
        result = run("diff", "wbgf", "#6", DAY_10, "--journal", journal.url, "--setting", "live")
        assert result.exit_code == 2
        assert "says itself" in result.stderr

    def test_no_publication(self, journal: Journal) -> None:
        message = error("diff", "wbgf", "#4", DAY_10, "--journal", journal.url)
        assert "no publication: it is of the kind report" in message

    def test_of_another_regulation(self, journal: Journal) -> None:
        self.publish(journal)
        assert "no list of dptr" in error("diff", "dptr", "#6", DAY_10, "--journal", journal.url)

    def test_by_nation(self, journal: Journal) -> None:
        self.publish(journal, "--by", "nation")
        assert "by nation" in error("diff", "wbgf", "#6", DAY_10, "--journal", journal.url)

    def test_a_list_that_is_computed_differently_now(
        self, journal: Journal, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.publish(journal)
        doubled = pl.col("nanopoints") * 2
        before = Publication.frame
        monkeypatch.setattr(Publication, "frame", lambda self: before(self).with_columns(doubled))
        assert "'palmares verify' says" in error(
            "diff", "wbgf", "#6", DAY_10, "--journal", journal.url
        )


class TestUsage:
    @pytest.mark.parametrize(
        ("a", "message"),
        [
            ("2019-02-30", "'2019-02-30' is not a date; write it like 2019-12-31."),
            ("2019-12-31@", "write DATE@DATE or DATE@#41"),
            ("list.json", "no day such as 2019-12-31, and no official list such as '#57'"),
            (f"{DAY_10}@#1", "files know only what is in them"),
            ("#1", "files know only what is in them"),
        ],
    )
    def test_what_is_no_list(self, backgammon: Path, a: str, message: str) -> None:
        result = run("diff", "wbgf", a, DAY_10, backgammon)
        assert result.exit_code == 2
        assert message in " ".join(result.stderr.split())

    def test_when_nothing_was_known(self, journal: Journal) -> None:
        assert "no entry 9" in error(
            "diff", "wbgf", f"{DAY_10}@#9", DAY_10, "--journal", journal.url
        )

    def test_nobody_of_that_name(self, journal: Journal) -> None:
        assert "No player has the id or the name Eve" in error(
            "diff", "wbgf", DAY_10, DAY_15, "--journal", journal.url, "--player", "Eve"
        )

    def test_files(self, backgammon: Path) -> None:
        found = rows("diff", "wbgf", "2019-11-15", DAY_15, backgammon)
        assert {row["cause"] for row in found} == {"decay"}
        other = ("--reading-b", "W3=skip-29-feb")
        found = rows("diff", "wbgf", "2020-03-10", "2020-03-10", backgammon, *other)
        assert {row["cause"] for row in found} == {"edition"}
