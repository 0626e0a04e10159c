"""Snapshots: taken from the disk where they are of the journal's own past, without any name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palmares.core.messages import msg
from palmares.journal.projection.project import EMPTY
from palmares.journal.projection.snapshots import (
    SNAPSHOT_EVERY,
    FromSnapshot,
    from_snapshot,
    load_projection,
    open_tables,
    snapshot_folder,
    write_tables,
)
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER, as_rows, placed


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


def opened(journal: Journal, last: int | None = None) -> FromSnapshot:
    """How the facts grew from the nearest snapshot."""
    with journal.reading() as reader:
        return from_snapshot(reader, last).loaded()


def sequence_of(found: FromSnapshot) -> int:
    """The entry that a snapshot ends with."""
    return found.delta.before.state.sequence


def test_messages_are_written_as_their_text(tmp_path: Path) -> None:
    """Notices of awards are kept with them, and are messages that every language can say."""
    said = msg("%(event)s has no number of players above 0", event="Prague Open")
    write_tables(tmp_path / "kept", {}, (said,), {})
    found = open_tables(tmp_path / "kept", tuple[str, ...])
    assert found is not None
    assert found.details == ("Prague Open has no number of players above 0",)


class TestWhereTheyAre:
    def test_the_first_reading_leaves_one(self, journal: Journal) -> None:
        found = opened(journal)
        assert sequence_of(found) == SNAPSHOT_EVERY + 1
        assert found.folder is not None
        assert found.folder.name.startswith(f"{SNAPSHOT_EVERY + 1:018}-")
        assert found.delta.places == ()

    def test_the_next_one_grows_from_it(self, journal: Journal) -> None:
        first = opened(journal)
        journal.record([say.report("U", {"P3": 1})], OFFICER)
        found = opened(journal)
        assert found.folder == first.folder
        assert found.delta.tournaments == {"U"}
        assert placed(found.delta.after) == [("T/main", "P1", 1), ("T/main", "P2", 2),
                                              ("U/main", "P3", 1)]  # fmt: skip

    def test_few_entries_need_none(self, journal: Journal) -> None:
        found = opened(journal, last=3)
        assert found.folder is None
        assert found.delta.before is EMPTY
        assert found.delta.after.tables["players"].height == 3

    def test_before_the_first_entry(self, tmp_path: Path) -> None:
        empty = create_journal(str(tmp_path / "empty.db"))
        found = opened(empty)
        assert (found.folder, found.delta.after) == (None, EMPTY)
        empty.close()


class TestWhatIsTaken:
    def test_facts_are_the_same_from_the_disk(self, journal: Journal) -> None:
        first = load_projection(journal)
        assert as_rows(load_projection(journal)) == as_rows(first)

    def test_one_of_another_past_is_not(self, journal: Journal) -> None:
        place = opened(journal).folder
        assert place is not None
        place.rename(place.with_name(f"{SNAPSHOT_EVERY + 1:018}-{'0' * 64}"))
        found = opened(journal)
        assert found.folder == place  # made again
        assert placed(found.delta.after) == [("T/main", "P1", 1), ("T/main", "P2", 2)]

    @pytest.mark.parametrize("file", ["head.msgpack", "placings.arrow", "players.msgpack"])
    def test_nor_is_a_damaged_one(self, journal: Journal, file: str) -> None:
        place = opened(journal).folder
        assert place is not None
        size = (place / file).stat().st_size
        (place / file).write_bytes(b"\xff" * 100)
        found = load_projection(journal)
        assert placed(found) == [("T/main", "P1", 1), ("T/main", "P2", 2)]
        assert found.tables["players"].height == SNAPSHOT_EVERY
        assert (place / file).stat().st_size == size  # made again

    @pytest.mark.parametrize("table", ["placings", "events", "tournaments"])
    def test_nor_is_one_that_somebody_throws_away_meanwhile(
        self, journal: Journal, table: str
    ) -> None:
        place = opened(journal).folder
        assert place is not None
        (place / f"{table}.arrow").unlink()
        assert placed(load_projection(journal)) == [("T/main", "P1", 1), ("T/main", "P2", 2)]

    def test_nor_is_one_with_a_flipped_bit(self, journal: Journal) -> None:
        place = opened(journal).folder
        assert place is not None
        whole = (place / "placings.arrow").read_bytes()
        for byte in range(0, len(whole), len(whole) // 20):
            flipped = bytes([whole[byte] ^ 1])
            (place / "placings.arrow").write_bytes(whole[:byte] + flipped + whole[byte + 1 :])
            assert placed(load_projection(journal)) == [("T/main", "P1", 1), ("T/main", "P2", 2)]

    def test_a_cache_that_cannot_be_looked_at(
        self, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ("x" * 300)))  # too long for a name
        assert opened(journal).folder is None
        assert placed(load_projection(journal)) == [("T/main", "P1", 1), ("T/main", "P2", 2)]

    def test_no_name_is_on_the_disk(self, journal: Journal, cache: Path) -> None:
        journal.record([say.player("Q", "Ünal Nobody")], OFFICER)
        load_projection(journal)
        written = [one for one in cache.rglob("*") if one.is_file()]
        assert written
        for one in written:
            assert b"Player P1" not in one.read_bytes()

    def test_an_erased_name_is_gone_at_once(self, journal: Journal) -> None:
        commitment = load_projection(journal).state.group("players")["P1"][0].body.person
        body = {"reason": "asked for it", "persons": [commitment]}
        with journal.writing(OFFICER) as writer:
            writer.extend([Draft(kind="erasure", subject="P1", body=body)])
            writer.erase([commitment])
        row = load_projection(journal).tables["players"].filter(player_id="P1").row(0, named=True)
        assert (row["name"], row["withheld"]) == ("P1", True)

    def test_the_oldest_go(self, journal: Journal) -> None:
        for number in range(4):
            journal.record(
                [say.player(f"X{number}-{one}") for one in range(SNAPSHOT_EVERY + 1)], OFFICER
            )  # fmt: skip
            load_projection(journal)
        with journal.reading() as reader:
            kept = [int(one.name[:18]) for one in sorted(snapshot_folder(reader).iterdir())]
        ends = [SNAPSHOT_EVERY + 1 + number * (SNAPSHOT_EVERY + 1) for number in range(5)]
        assert kept == ends[-3:]

    def test_those_of_a_future_that_is_no_more_go_first(
        self, journal: Journal, tmp_path: Path
    ) -> None:
        """A copy from before is what others go on with: it needs a snapshot of its own."""
        journal.close()
        backup = tmp_path / "backup.db"
        backup.write_bytes((tmp_path / "federation.db").read_bytes())
        for number in range(4):
            journal.record(
                [say.player(f"X{number}-{one}") for one in range(SNAPSHOT_EVERY + 1)], OFFICER
            )  # fmt: skip
            load_projection(journal)
        restored = create_journal(str(backup))
        restored.record([say.player("Y")], OFFICER)
        assert sequence_of(opened(restored)) == SNAPSHOT_EVERY + 2
        assert opened(restored).folder is not None
        restored.close()
