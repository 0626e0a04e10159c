"""A damaged SQLite file: whatever byte is wrong, the journal is unchanged or verifying says so."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palmares.core.errors import FactsRejected, Refused, StoreError
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import open_journal
from palmares.journal.store.verify import verify
from tests.amounts import amount
from tests.databases import Fresh, served, stopped_and_started
from tests.journal.filled import DIRECTOR, OFFICER, filled, report

EVERYTHING = (
    "SELECT sequence, * FROM entries ORDER BY +sequence",
    "SELECT sequence, * FROM persons ORDER BY +commitment",
    "SELECT 0, type, name, tbl_name, sql FROM sqlite_schema ORDER BY name",
)


@pytest.fixture
def whole(fresh_url: Fresh) -> Path:
    """The file of a journal that nobody has open."""
    path = Path(fresh_url("sqlite"))
    filled(str(path)).close()
    assert not path.with_name(f"{path.name}-wal").exists()
    return path


def complaints(path: Path) -> str:
    """What verifying says; nothing if all is well."""
    try:
        journal = open_journal(str(path))
    except (Refused, StoreError) as refused:
        return str(refused)
    try:
        with journal.reading() as reader:
            verify(reader)
    except (FactsRejected, Refused, StoreError) as error:
        return str(error)
    finally:
        journal.close()
    return ""


def everything(path: Path) -> Iterator[tuple[Any, ...]]:
    """Every row as SQL sees it."""
    connection = sqlite3.connect(path)
    try:
        for query in EVERYTHING:
            yield from connection.execute(query)
    finally:
        connection.close()


def flipped(content: bytes, at: int, chance: random.Random) -> bytes:
    return content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]


def test_any_flipped_bit_of_the_file(whole: Path, tmp_path: Path) -> None:
    """Entries, names, indexes, SQLite's own pages: all that is not empty, and some that is."""
    before = list(everything(whole))
    content = whole.read_bytes()
    chance = random.Random("bits")  # noqa: S311
    used = [at for at, byte in enumerate(content) if byte]
    places = [
        *chance.sample(used, amount(300, 60)),
        *chance.sample(range(len(content)), amount(100, 20)),
    ]
    found = 0
    for number, at in enumerate(places):
        path = tmp_path / f"{number}.db"
        path.write_bytes(flipped(content, at, chance))
        told = complaints(path)
        found += bool(told)
        if not told:
            assert list(everything(path)) == before, f"byte {at} of page {at // 4096 + 1}"
    assert found > len(places) / 2


def cells(path: Path) -> dict[int, range]:
    """Where in the file the columns of each entry lie, one behind the other."""
    content = path.read_bytes()
    found = {}
    for _, sequence, *columns in list(everything(path))[:10]:
        row = "".join(one for one in columns if one is not None).encode()
        assert content.count(row) == 1
        found[sequence] = range(content.index(row), content.index(row) + len(row))
    return found


def test_a_flipped_bit_in_an_entry_names_the_entry(whole: Path, tmp_path: Path) -> None:
    content = whole.read_bytes()
    chance = random.Random("entries")  # noqa: S311
    path = tmp_path / "flipped.db"
    for sequence, places in cells(whole).items():
        for at in chance.sample(places, amount(20, 4)):
            path.write_bytes(flipped(content, at, chance))
            assert f"\nentry {sequence}: " in complaints(path)


def test_a_flipped_bit_in_a_name_names_the_entry_that_brought_it(
    whole: Path, tmp_path: Path
) -> None:
    content = whole.read_bytes()
    chance = random.Random("names")  # noqa: S311
    path = tmp_path / "flipped.db"
    with_names = [row for row in everything(whole) if len(row) == 5 and row[0] and row[4]]
    assert len(with_names) == 4
    for sequence, _, _, salt, record in with_names:
        start = content.index(f"{salt}{record}".encode())
        for at in chance.sample(
            range(start, start + len(salt) + len(record.encode())), amount(20, 4)
        ):
            path.write_bytes(flipped(content, at, chance))
            assert f"\nentry {sequence}: " in complaints(path)


def test_a_flipped_bit_in_the_log_shortens_the_journal_at_most(
    fresh_url: Fresh, tmp_path: Path
) -> None:
    """The log of a journal that somebody has open, or that was left by a crash."""
    source = Path(fresh_url("sqlite"))
    filled(str(source)).close()
    journal = open_journal(str(source))
    for number in range(3, 9):
        journal.record(report(number), DIRECTOR)
    with journal.reading() as reader:
        hashes = [one.hash for one in reader.entries()]
    database = source.read_bytes()
    log = source.with_name(f"{source.name}-wal").read_bytes()
    journal.close()
    chance = random.Random("log")  # noqa: S311
    lengths = []
    apart = len(log) // amount(100, 20)  # one place in each part of the log, the first included
    for number, start in enumerate(range(0, len(log) - apart + 1, apart)):
        at = start + chance.randrange(apart)
        path = tmp_path / f"{number}.db"
        path.write_bytes(database)
        path.with_name(f"{path.name}-wal").write_bytes(flipped(log, at, chance))
        copy = open_journal(str(path))
        with copy.reading() as reader:
            head = verify(reader).head
        lengths.append(head.sequence)
        assert head.hash == hashes[head.sequence - 1]
        if head.sequence < len(hashes):
            with pytest.raises(FactsRejected, match="No entry has the hash"), copy.reading() as r:
                verify(r, hashes[-1])
        copy.close()
    assert min(lengths) == 10
    assert max(lengths) < len(hashes) == 28  # SQLite hears nothing from behind a damaged page


@pytest.mark.parametrize("junk", [b"\0", b"\xff"])
def test_a_page_that_was_overwritten(fresh_url: Fresh, tmp_path: Path, junk: bytes) -> None:
    """Of a thousand entries, those that cannot be read are named; the others are still checked."""
    url = fresh_url("sqlite")
    journal = filled(url)
    drafts = [Draft(kind="rate", subject="USD", body={"n": n}) for n in range(990)]
    journal.record(drafts, OFFICER)
    journal.close()
    content = Path(url).read_bytes()
    page = content.index(b'{"n":500}') // 4096
    lost = {
        sequence
        for sequence in range(11, 1001)
        if content.index(b'{"n":%d}' % (sequence - 11)) // 4096 == page
    }
    assert 511 in lost
    path = tmp_path / "overwritten.db"
    path.write_bytes(content[: page * 4096] + junk * 4096 + content[(page + 1) * 4096 :])
    journal = open_journal(str(path))
    with pytest.raises(FactsRejected) as rejected, journal.reading() as reader:
        verify(reader)
    journal.close()
    named = {one.where for one in rejected.value.problems}
    assert {f"entry {one}" for one in lost} | {"database"} == named


def test_a_journal_of_which_nothing_can_be_read(whole: Path) -> None:
    content = whole.read_bytes()
    whole.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    assert "the file is damaged" in complaints(whole)
    whole.write_bytes(b"\0" * len(content))
    assert "no SQLite database" in complaints(whole)
    whole.write_bytes(content[: len(content) // 2])
    assert "damaged" in complaints(whole)


def test_a_damaged_page_of_postgresql() -> None:
    """Its own checksums refuse the page; the entries on it are named."""
    with served() as server:
        journal = filled(server.get_uri())
        drafts = [Draft(kind="rate", subject="USD", body={"n": n}) for n in range(200)]
        journal.record(drafts, OFFICER)
        with journal.reading() as reader:
            path = reader.connection.exec_driver_sql("SELECT pg_relation_filepath('entries')")
            file = server.pgdata / str(path.scalar())
            where = "SELECT sequence FROM entries WHERE ctid >= '(2,0)' AND ctid < '(3,0)'"
            lost = {row[0] for row in reader.connection.exec_driver_sql(where)}
        journal.close()
        stopped_and_started(server, lambda: file.write_bytes(spoilt(file.read_bytes())))
        journal = open_journal(server.get_uri())
        with pytest.raises(FactsRejected) as rejected, journal.reading() as reader:
            verify(reader)
        journal.close()
    assert len(lost) > 5
    assert {f"entry {one}" for one in lost} == {one.where for one in rejected.value.problems}


def spoilt(content: bytes) -> bytes:
    """A byte of the third page is another."""
    at = 2 * 8192 + 6000
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


# ── what keeps the tables as they are ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DROP TRIGGER entries_no_update", "no trigger entries_no_update any more"),
        ("DROP INDEX ix_persons_sequence", "no index ix_persons_sequence any more"),
        (
            """DROP TRIGGER entries_no_update;
            CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT 1; END""",
            "trigger entries_no_update is not as palmares made it",
        ),
        (
            "CREATE TRIGGER other AFTER INSERT ON entries BEGIN SELECT 1; END",
            "a trigger other that palmares did not make",
        ),
    ],
)
def test_a_guard_that_was_taken_away_in_sqlite(whole: Path, statement: str, told: str) -> None:
    connection = sqlite3.connect(whole)
    connection.executescript(statement)
    connection.close()
    assert told in complaints(whole)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("DROP TRIGGER entries_no_truncate ON entries", "no trigger entries_no_truncate any"),
        ("ALTER TABLE entries DISABLE TRIGGER ALL", "trigger entries_no_update is not as"),
    ],
)
def test_a_guard_that_was_taken_away_in_postgresql(
    fresh_url: Fresh, statement: str, told: str
) -> None:
    journal = filled(fresh_url("postgresql"))
    with journal.database.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    with journal.reading() as reader, pytest.raises(FactsRejected, match=told):
        verify(reader)
    journal.close()


def test_an_index_of_ones_own_is_no_fault(whole: Path) -> None:
    connection = sqlite3.connect(whole)
    connection.execute("CREATE INDEX mine ON entries (kind)")
    connection.close()
    assert complaints(whole) == ""
