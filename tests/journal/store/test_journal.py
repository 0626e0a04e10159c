"""The store: a journal is only ever added to, at its end, by somebody, whole or not at all."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from palmares.core.errors import Refused, StoreError
from palmares.journal.store.entries import START, Actor, Draft, Entry, PersonalData, chain, seal
from palmares.journal.store.journal import Journal, create_journal, now, open_journal
from palmares.journal.store.verify import seals_in, verify
from tests.databases import Fresh
from tests.journal.filled import ADMINISTRATOR, DIRECTOR, OFFICER, dumped, player, report

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def rate(number: int = 0, key: str | None = None) -> Draft:
    return Draft(kind="rate", subject="USD", body={"number": number}, key=key)


def entries(journal: Journal) -> list[Entry]:
    with journal.reading() as reader:
        return list(reader.entries())


# ── adding ───────────────────────────────────────────────────────────────────────────────────────


def test_entries_follow_each_other(journal: Journal) -> None:
    first, second = journal.record([rate(1), rate(2)], OFFICER)
    (third,) = journal.record([rate(3)], DIRECTOR)
    assert [one.sequence for one in (first, second, third)] == [1, 2, 3]
    assert second.previous == first.hash
    assert third.previous == second.hash
    assert (third.author, third.role) == ("Dita Ředitelka", "director")
    assert entries(journal) == [first, second, third]
    assert journal.head() == third.head


def test_nothing_is_recorded_without_an_actor(journal: Journal) -> None:
    with pytest.raises(TypeError):
        journal.record([rate()])  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        journal.writing()  # type: ignore[call-arg]
    with pytest.raises(Refused, match="The name of an author has"):
        Actor("", "officer")
    assert journal.head() == START


def test_no_role_but_three() -> None:
    assert {one.role for one in (ADMINISTRATOR, OFFICER, DIRECTOR)} == {
        "administrator", "officer", "director",
    }  # fmt: skip
    with pytest.raises(Refused, match="A role is"):
        Actor("Eve", "editor")


def test_what_fails_leaves_nothing(journal: Journal) -> None:
    journal.record([rate(1)], OFFICER)
    before = entries(journal)
    with pytest.raises(Refused, match="no entry of the kind"):
        journal.record([*report(1), Draft(kind="gossip", subject="x", body={})], OFFICER)
    with suppress(KeyboardInterrupt), journal.writing(OFFICER) as writer:
        writer.extend(report(2))
        raise KeyboardInterrupt
    assert entries(journal) == before
    with journal.reading() as reader:
        assert dumped(reader.connection)["persons"] == []


def test_a_key_is_used_once(journal: Journal) -> None:
    (first,) = journal.record([rate(1, key="a program's own")], OFFICER)
    with pytest.raises(StoreError, match=r"Nothing was recorded"):
        journal.record([rate(2), rate(3, key="a program's own")], OFFICER)
    assert entries(journal) == [first]
    with journal.reading() as reader:
        assert reader.by_key("a program's own") == first
        assert reader.by_key("another") is None
    journal.record([rate(4), rate(5)], OFFICER)  # any number may be without


def test_a_clock_that_goes_back(journal_url: str) -> None:
    times = iter([NOON, NOON - timedelta(days=1), NOON + timedelta(seconds=1)])
    journal = create_journal(journal_url, clock=lambda: next(times))
    for number in range(3):
        journal.record([rate(number)], OFFICER)
    assert [one.recorded_at for one in entries(journal)] == [
        "2026-11-21T12:00:00.000000Z",
        "2026-11-21T12:00:00.000001Z",
        "2026-11-21T12:00:01.000000Z",
    ]
    with journal.reading() as reader:
        verify(reader)
    journal.close()


@pytest.mark.parametrize(
    "statement",
    ["UPDATE entries SET author = 'x'", "DELETE FROM entries", "UPDATE entries SET sequence = 5"],
)
def test_the_database_refuses_any_change(full: Journal, statement: str) -> None:
    before = entries(full)
    with (
        pytest.raises(StoreError, match="a journal is only ever added to"),
        full.writing(ADMINISTRATOR) as writer,
    ):
        writer.connection.execute(sa.text(statement))
    assert entries(full) == before


def test_postgresql_refuses_to_empty_the_table(fresh_url: Fresh) -> None:
    journal = create_journal(fresh_url("postgresql"))
    journal.record([rate()], OFFICER)
    with (
        pytest.raises(StoreError, match="a journal is only ever added to"),
        journal.writing(ADMINISTRATOR) as writer,
    ):
        writer.connection.execute(sa.text("TRUNCATE entries CASCADE"))
    assert journal.head().sequence == 1
    journal.close()


def test_two_entries_never_follow_the_same_one(full: Journal) -> None:
    """Somebody who takes no turn: the database itself refuses a fork."""
    last = entries(full)[-1]
    given = {name: getattr(last, name) for name in Entry.__struct_fields__}
    fork = Entry(**{**given, "sequence": 11, "key": None, "hash": "f" * 64})
    with pytest.raises(StoreError, match="Nothing was recorded"), full.writing(OFFICER) as writer:
        writer.put([fork], [])
    assert entries(full)[-1] == last


# ── two at once ──────────────────────────────────────────────────────────────────────────────────


def test_a_second_writer_waits_for_the_first(journal_url: str) -> None:
    first, second = create_journal(journal_url), open_journal(journal_url)
    begun = threading.Event()

    def late() -> None:
        begun.set()
        second.record([rate(2)], DIRECTOR)

    thread = threading.Thread(target=late)
    with first.writing(OFFICER) as writer:
        writer.extend([rate(1)])
        thread.start()
        begun.wait()
        assert second.head() == START  # reading does not wait, and sees what is committed
    thread.join()
    assert [one.author for one in entries(first)] == ["Otto Officer", "Dita Ředitelka"]
    with first.reading() as reader:
        verify(reader)
    first.close()
    second.close()


def test_a_reader_sees_one_state(journal_url: str) -> None:
    journal, other = create_journal(journal_url), open_journal(journal_url)
    journal.record([rate(1)], OFFICER)
    with journal.reading() as reader:
        assert reader.head().sequence == 1
        other.record([rate(2)], OFFICER)
        assert reader.head().sequence == 1
        assert [one.sequence for one in reader.entries()] == [1]
    assert journal.head().sequence == 2
    journal.close()
    other.close()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def test_some_entries(full: Journal) -> None:
    everything = entries(full)
    with full.reading() as reader:
        assert list(reader.entries(after=3, until=5)) == everything[3:5]
        assert list(reader.by_number([9, 2, 99])) == [everything[1], everything[8]]
        assert reader.entry(4) == everything[3]
        with pytest.raises(Refused, match="There is no entry 11"):
            reader.entry(11)
        with pytest.raises(Refused, match=f"There is no entry {10**30}"):
            reader.entry(10**30)


def test_what_was_known_then(full: Journal) -> None:
    everything = entries(full)
    with full.reading() as reader:
        assert reader.at("2000-01-01T00:00:00.000000Z") == START
        for one in everything:
            assert reader.at(one.recorded_at) == one.head
        assert reader.at("9999-01-01T00:00:00.000000Z") == everything[-1].head


def test_thousands_of_entries(journal: Journal) -> None:
    journal.record([rate(number) for number in range(2345)], OFFICER)
    with journal.reading() as reader:
        assert sum(1 for _ in reader.entries()) == 2345
        assert sum(1 for _ in reader.by_number(range(1, 2346))) == 2345
        assert verify(reader).head.sequence == 2345


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_an_erased_name_is_gone_from_the_file(fresh_url: Fresh) -> None:
    """Not only from the table: what stood there is overwritten."""
    path = Path(fresh_url("sqlite"))
    journal, other = create_journal(str(path)), open_journal(str(path))
    journal.record([player("P1", "Forgetmenot"), player("P2", "Remember")], OFFICER)
    assert other.head().sequence == 2  # another program that stays
    with journal.writing(ADMINISTRATOR) as writer:
        gone = [name.commitment for sequence, name in writer.sealed() if sequence == 1]
        writer.erase(gone)
        writer.extend(
            [Draft(kind="erasure", subject="P1", body={"persons": gone, "reason": "asked"})]
        )
    files = b"".join(one.read_bytes() for one in path.parent.glob(f"{path.name}*"))
    assert b"Remember" in files
    assert b"Forgetmenot" not in files
    journal.close()
    other.close()


def test_a_seal_holds_one_record() -> None:
    ada = PersonalData(name="Ada", ids={"usbgf": "7"}, more={"club": "Prague"})
    one, other = seal(ada), seal(ada)
    assert one.is_sound
    assert one.person() == ada
    assert one.commitment != other.commitment  # nobody finds out by trying whose it is


def test_what_a_body_has_the_seals_of() -> None:
    one, two = "a" * 64, "b" * 64

    def sealed(kind: str, body: dict[str, object]) -> tuple[str, ...]:
        return seals_in(chain(Draft(kind=kind, subject="P", body=body), OFFICER, START, now()))

    assert sealed("player", {"player_id": "P1", "person": one}) == (one,)
    assert sealed("player", {"player_id": "P1", "person": None}) == ()
    assert sealed("player", {"player_id": "P1"}) == ()
    assert sealed("erasure", {"persons": [one, two], "reason": "asked"}) == (one, two)
    assert sealed("report", {"person": one, "persons": [two]}) == ()


# ── opening ──────────────────────────────────────────────────────────────────────────────────────


def test_a_journal_is_made_once(journal_url: str) -> None:
    first = create_journal(journal_url)
    first.record([rate()], OFFICER)
    first.close()
    again = create_journal(journal_url)
    assert again.head().sequence == 1
    again.close()


def test_what_is_no_journal(fresh_url: Fresh, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="There is no journal at"):
        open_journal(str(tmp_path / "none.db"))
    (tmp_path / "empty.db").touch()
    with pytest.raises(Refused, match="holds no journal yet"):
        open_journal(str(tmp_path / "empty.db"))
    with pytest.raises(Refused, match="holds no journal yet"):
        open_journal(fresh_url("postgresql"))
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE other (one)")
    other.commit()
    other.close()
    before = (tmp_path / "other.db").read_bytes()
    for attempt in (open_journal, create_journal):
        with pytest.raises(Refused, match="the database of another program: it has the table othe"):
            attempt(str(tmp_path / "other.db"))
    assert (tmp_path / "empty.db").read_bytes() == b""
    assert (tmp_path / "other.db").read_bytes() == before  # not another kind of log in its head
    (tmp_path / "text.db").write_text("no database" * 100)
    for attempt in (open_journal, create_journal):
        with pytest.raises(StoreError, match="the file is no SQLite database"):
            attempt(str(tmp_path / "text.db"))
    assert {file.name for file in tmp_path.iterdir()} == {"empty.db", "other.db", "text.db"}
    with pytest.raises(StoreError, match="no such database"):
        open_journal(fresh_url("postgresql").replace("/journal_", "/none_"))


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    for attempt in (open_journal, create_journal):
        with pytest.raises(Refused, match="is a folder"):
            attempt(str(tmp_path))


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "nothing://", "://", "http://x"])
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(Refused, match=r"A journal is a file, such as federation\.db"):
        open_journal(url)


def test_a_password_is_not_shown() -> None:
    with pytest.raises(StoreError) as refused:
        open_journal("postgresql://ada:secret@/none?host=/nowhere")
    assert "secret" not in str(refused.value)
    assert "nowhere" in str(refused.value)
