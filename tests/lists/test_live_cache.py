"""Awards on disk: the same as if they were made again, and made again where they are not."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from pathlib import Path

import pytest

from palmares.core.messages import message_of, message_values
from palmares.facts import write_package
from palmares.journal.projection.snapshots import SNAPSHOT_EVERY, load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from palmares.library import answers
from palmares.lists import live
from palmares.points import awards
from palmares.points.awards import Question
from palmares.points.rankings import Ranking, Selection
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.packages import run
from tests.points import slow

WBGF = Question(regulation="wbgf")
DAY = Selection(as_of=date(2019, 12, 31))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Snapshots of the test's own."""
    place = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    return place


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal with a snapshot, and a report of two players."""
    found = say.with_a_snapshot(tmp_path / "federation.db")
    yield found
    found.close()


def kept(cache: Path) -> list[Path]:
    """The folders of awards on disk."""
    return sorted(one for one in cache.rglob("awards-*") if one.is_dir())


def throw_away(cache: Path, needed: Collection[str] = ()) -> list[Path]:
    """Remove the files of facts but those that are needed, and say which these were."""
    (snapshot,) = {one.parent for one in kept(cache)}
    gone = [
        one
        for one in snapshot.iterdir()
        if one.is_file() and one.name not in {"head.msgpack", *needed}
    ]
    for one in gone:
        one.unlink()
    assert gone
    return gone


def listed(journal: Journal, question: Question = WBGF, known_at: str | None = None) -> Ranking:
    """The list from awards that are kept."""
    with live.open_awards(journal, question, known_at) as kept:
        return answers.rank(question, kept, DAY)


def expected(journal: Journal, question: Question = WBGF, known_at: str | None = None) -> Ranking:
    """The list from all facts."""
    given = awards.award(question, load_projection(journal, known_at).facts, terms=False)
    return slow.rank(given, DAY)


def check(journal: Journal, question: Question = WBGF, known_at: str | None = None) -> None:
    """Refuse lists that differ."""
    found, all_of_it = listed(journal, question, known_at), expected(journal, question, known_at)
    assert found.frame.rows() == all_of_it.frame.rows()
    assert found.notices == all_of_it.notices


class TestWhatIsKept:
    def test_notices_keep_their_messages(self, journal: Journal) -> None:
        """An event without a kind is advice, which every language says."""
        tables = say.tables("U", {"P3": 1})
        del tables["events"]["kind"]
        journal.record([say.reported("U", tables)], OFFICER)
        first, again = (listed(journal).notices for _ in range(2))
        assert first == again
        assert [message_of(each.what) for each in first] == [
            message_of(each.what) for each in again
        ]
        assert any(message_values(each.what) for each in again)

    def test_the_first_question_leaves_them(self, journal: Journal, cache: Path) -> None:
        check(journal)
        assert len(kept(cache)) == 1
        assert {one.name for one in kept(cache)[0].iterdir()} == {
            "events.arrow", "head.msgpack", "players.arrow", "rows.arrow", "award_classes.arrow",
        }  # fmt: skip

    def test_the_next_one_takes_them(self, journal: Journal, cache: Path) -> None:
        check(journal)
        before = [one.stat().st_mtime_ns for one in kept(cache)[0].iterdir()]
        journal.record([say.report("U", {"P2": 1, "P3": 2})], OFFICER)
        check(journal)
        assert [one.stat().st_mtime_ns for one in kept(cache)[0].iterdir()] == before

    @pytest.mark.parametrize("regulation", ["usbgf", "dptr"])
    def test_each_regulation_has_its_own(self, journal: Journal, regulation: str) -> None:
        check(journal)
        check(journal, Question(regulation=regulation))
        check(journal, Question(regulation=regulation))

    def test_so_has_each_reading(self, journal: Journal, cache: Path) -> None:
        check(journal)
        check(journal, Question(regulation="wbgf", chosen={"W3": "skip-29-feb"}))
        assert len(kept(cache)) == 2

    def test_what_was_known(self, journal: Journal) -> None:
        journal.record([say.withdrawal("T")], OFFICER)
        check(journal)
        check(journal, known_at=f"#{SNAPSHOT_EVERY + 1}")
        assert listed(journal).frame.is_empty()
        assert listed(journal, known_at=f"#{SNAPSHOT_EVERY + 1}").frame.height == 2

    def test_few_entries_leave_nothing(self, tmp_path: Path, cache: Path) -> None:
        small = create_journal(str(tmp_path / "small.db"))
        small.record([say.player("P1"), say.report("T", {"P1": 1})], OFFICER)
        check(small)
        small.close()
        assert kept(cache) == []

    def test_no_name_is_on_the_disk(self, journal: Journal, cache: Path) -> None:
        listed(journal)
        for one in kept(cache)[0].iterdir():
            assert b"Player P1" not in one.read_bytes()

    def test_a_list_reads_no_facts(self, journal: Journal, cache: Path) -> None:
        """Awards and the names of those shown are enough."""
        before = listed(journal).frame.rows()
        gone = throw_away(cache)
        assert listed(journal).frame.rows() == before
        assert not any(one.exists() for one in gone)

    def test_nor_does_one_after_another_report(self, journal: Journal, cache: Path) -> None:
        """It asks whether the tournament was there before, and who else is concerned."""
        listed(journal)
        journal.record([say.report("U", {"P2": 1, "P3": 2})], OFFICER)
        needed = {"tournaments.arrow", "tournaments.msgpack", "memberships.arrow", "rates.arrow"}
        gone = throw_away(cache, needed)
        assert set(listed(journal).frame["player"]) == {"Player P1", "Player P2", "Player P3"}
        assert not any(one.exists() for one in gone)

    @pytest.mark.parametrize(
        "since",
        [
            [say.player("P1", "Ada"), say.undo(SNAPSHOT_EVERY + 2)],
            [say.player("P1", "Ada", withheld=True)],
            [say.player("P3", "Cleo"), say.merge("P1", "P3")],
            [say.merge("P1", "P3"), say.undo(SNAPSHOT_EVERY + 2)],
        ],
        ids=["undone", "withheld", "merged", "no longer merged"],
    )
    def test_names_of_those_who_are_shown(self, journal: Journal, since: list[Draft]) -> None:
        listed(journal)
        journal.record(since, OFFICER)
        for known_at in (None, f"#{SNAPSHOT_EVERY + 1}"):
            check(journal, known_at=known_at)

    def test_equal_totals_go_by_name(self, journal: Journal) -> None:
        journal.record([say.player("P2", "Zoe"), say.player("P7", "Ada")], OFFICER)
        journal.record([say.report("U", {"P9": 1, "P2": 2, "P7": 2})], OFFICER)
        journal.record([say.withdrawal("T")], OFFICER)
        check(journal)
        names = [(row["rank"], row["player"]) for row in listed(journal).frame.to_dicts()]
        assert names == [(1, "Player P9"), (2, "Ada"), (2, "Zoe")]

    def test_a_name_that_changed(self, journal: Journal) -> None:
        listed(journal)
        journal.record([say.player("P1", "Ada", "DEU")], OFFICER)
        check(journal)
        assert listed(journal).frame["player"].to_list()[0] == "Ada"


class TestWhatIsNotTaken:
    @pytest.mark.parametrize(
        "file",
        ["rows.arrow", "players.arrow", "award_classes.arrow", "events.arrow", "head.msgpack"],
    )
    @pytest.mark.parametrize("damage", ["cut", "changed", "gone"])
    def test_what_is_damaged(self, journal: Journal, cache: Path, file: str, damage: str) -> None:
        listed(journal)
        place = kept(cache)[0] / file
        whole = place.read_bytes()
        if damage == "gone":
            place.unlink()
        else:
            middle = len(whole) // 2
            changed = bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
            place.write_bytes(whole[:middle] + (b"" if damage == "cut" else changed))
        check(journal)
        assert place.stat().st_size == len(whole)  # made again

    def test_a_report_that_waits_and_is_mended(self, journal: Journal) -> None:
        """A tournament without its fee is in no list until the fee is recorded."""
        report = say.report("U", {"P1": 1})
        del report.body["tables"]["events"]["entry_fee"]
        journal.record([report], OFFICER)
        load_projection(journal)
        for _ in range(2):  # made, then read from the disk
            (waiting,) = listed(journal).waiting
            assert (waiting.tournament_id, waiting.problems[0].clause) == ("U", "wbgf grade")
        journal.record([say.override("U", entry_fee="100")], OFFICER)
        check(journal)


class TestTheCommand:
    @pytest.mark.parametrize("regulation", ["wbgf", "usbgf", "dptr"])
    @pytest.mark.parametrize("more", [(), ("--top", "1"), ("--nation", "GER", "--format", "json")])
    def test_it_prints_what_files_print(
        self, journal: Journal, tmp_path: Path, regulation: str, more: tuple[str, ...]
    ) -> None:
        """The same facts as files, and in the journal: the same bytes, notices but for places."""
        journal.record([say.player("P2", "Ben", "DEU")], OFFICER)
        write_package(load_projection(journal).facts, tmp_path / "facts")
        asked = ("rank", regulation, "--as-of", "2019-12-31", *more)
        files = run(*asked, tmp_path / "facts")
        for _ in range(2):
            found = run(*asked, "--journal", journal.url)
            assert (found.exit_code, found.stdout) == (files.exit_code, files.stdout)
            assert found.stderr.count("Warning") == files.stderr.count("Warning")


@pytest.mark.parametrize("more", [(), ("--top", "1"), ("--reading", "W17=at-event")], ids=str)
def test_a_list_of_nations(
    journal: Journal, tmp_path: Path, cache: Path, more: tuple[str, ...]
) -> None:
    """It is made of the awards that are kept, unless nations keep what was won under them."""
    people = [say.player("P1", nation="CZE"), say.player("P2", nation="DEU")]
    journal.record([*people, say.report("U", {"P2": 1, "P1": 2, "P3": 3})], OFFICER)
    write_package(load_projection(journal).facts, tmp_path / "package")
    asked = ("--by", "nation", "--as-of", "2019-12-31", *more, "--format", "json")
    found = run("rank", "wbgf", "--journal", journal.url, *asked)
    assert found.stdout == run("rank", "wbgf", tmp_path / "package", *asked).stdout
    assert '"nation":"DEU"' in found.stdout
    assert bool(kept(cache)) is ("--reading" not in more)
