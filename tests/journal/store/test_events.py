"""The chains of events: nothing lost, nothing twice, nothing changed unseen."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785
import sqlalchemy as sa

from palmares.core.errors import FactsRejected, Refused, StoreError
from palmares.journal.store.databases import read_head_file
from palmares.journal.store.events import (
    EventDraft,
    EventRecord,
    event_ids,
    event_names,
    event_records,
    record_event,
    rename_entrant,
)
from palmares.journal.store.journal import EVENT_RECORDS, Journal, Reader, create_journal
from palmares.journal.store.verify import verify
from palmares.journal.transfer import export, import_journal
from tests.amounts import amount
from tests.databases import Fresh
from tests.journal.filled import OFFICER
from tests.journal.programs import heard, started, tapping
from tests.journal.tampering import complaints, tampered

ROUNDS = amount(50)


def tap(number: int, winner: str = "ana") -> EventDraft:
    return "result", {"match": f"main:1:{number}", "winner": winner}


def put(
    journal: Journal, *drafts: EventDraft, key: str | None = None, event: str = "cup"
) -> list[EventRecord]:
    return record_event(journal, event, "Dita", lambda _: drafts, key=key)


def records(journal: Journal, event: str | None = None) -> list[EventRecord]:
    with journal.reading() as reader:
        return event_records(reader, event)


# ── a chain ──────────────────────────────────────────────────────────────────────────────────────


def test_a_record_has_the_hash_of_the_one_before(journal: Journal) -> None:
    first, second = put(journal, tap(1), tap(2))
    put(journal, tap(1), event="club night")
    assert records(journal, "cup") == [first, second]
    assert (first.previous, second.previous) == ("0" * 64, first.hash)
    values: dict[str, Any] = {
        "event": "cup", "sequence": 2, "recorded_at": second.recorded_at, "author": "Dita",
        "kind": "result", "key": None, "body": {"match": "main:1:2", "winner": "ana"},
        "previous": first.hash,
    }  # fmt: skip
    assert second.hash == sha256(rfc8785.dumps(values)).hexdigest()
    assert second.recorded_at > first.recorded_at
    with journal.reading() as reader:
        assert event_ids(reader) == ["club night", "cup"]


def test_a_key_is_recorded_once_and_answered_the_same(journal: Journal) -> None:
    done = put(journal, tap(1), tap(2), key="k1")
    put(journal, tap(3))
    assert put(journal, tap(1), tap(2), key="k1") == done
    with pytest.raises(Refused, match="Something else was recorded with this key"):
        put(journal, tap(1, "ben"), key="k1")
    assert len(records(journal)) == 3
    assert len(put(journal, tap(1), key="k1", event="another")) == 1


def test_who_comes_second_checks_what_came_first(journal: Journal) -> None:
    """Another desk records meanwhile: it waits, and sees the record of the first."""
    seen: list[int] = []

    def second(so_far: Sequence[EventRecord]) -> Sequence[EventDraft]:
        seen.append(len(so_far))
        raise Refused("ana won it")

    with ThreadPoolExecutor() as desks:

        def first(so_far: Sequence[EventRecord]) -> Sequence[EventDraft]:
            waiting.append(desks.submit(record_event, journal, "cup", "Ben", second))
            time.sleep(0.1)
            seen.append(len(so_far))
            return [tap(1, "ana")]

        waiting: list[Future[list[EventRecord]]] = []
        record_event(journal, "cup", "Dita", first)
        with pytest.raises(Refused, match="ana won it"):
            waiting[0].result(timeout=30)
    assert seen == [0, 1]
    assert [record.body for record in records(journal)] == ['{"match":"main:1:1","winner":"ana"}']


def test_nothing_to_record(journal: Journal) -> None:
    assert put(journal) == []
    assert records(journal) == []


@pytest.mark.parametrize("wrong", ["", " ", "a\nb", "x" * 201])
def test_ids_are_short_and_visible(journal: Journal, wrong: str) -> None:
    with pytest.raises(Refused, match="has 1 to 200 characters"):
        put(journal, tap(1), event=wrong)
    with pytest.raises(Refused, match="has 1 to 200 characters"):
        put(journal, tap(1), key=wrong)


def test_records_are_only_ever_added_to(journal: Journal) -> None:
    put(journal, tap(1))
    for change in ("UPDATE event_records SET author = 'x'", "DELETE FROM event_records"):
        with (
            pytest.raises(StoreError, match="only ever added to"),
            journal.database.writing() as connection,
        ):
            connection.execute(sa.text(change))


@pytest.mark.parametrize(
    "change", [{"author": "Ben"}, {"body": "{}"}, {"body": "{ }"}, {"previous": "f" * 64},
               {"sequence": 7}, {"recorded_at": "2019-01-01T00:00:00.000000Z"}, {"hash": "0" * 64}],
)  # fmt: skip
def test_a_record_that_was_changed_is_found(journal: Journal, change: dict[str, object]) -> None:
    put(journal, tap(1), tap(2))
    with tampered(journal) as connection:
        second = EVENT_RECORDS.c.sequence == 2
        connection.execute(sa.update(EVENT_RECORDS).where(second).values(**change))
        assert {rule for _, rule in complaints(connection)} == {"event"}
        assert complaints(connection)[0][0] == f"event cup, record {change.get('sequence', 2)}"
    with journal.reading() as reader:
        verify(reader)


def test_a_record_that_was_taken_out_is_found(journal: Journal) -> None:
    put(journal, tap(1), tap(2))
    with tampered(journal) as connection:
        connection.execute(sa.delete(EVENT_RECORDS).where(EVENT_RECORDS.c.sequence == 1))
        assert complaints(connection) == [("event cup, record 2", "event")]


@pytest.mark.parametrize("change", ["changed", "gone"])
def test_nothing_is_read_or_added_behind_it(journal: Journal, change: str) -> None:
    put(journal, tap(1), tap(2), tap(3))
    with tampered(journal) as connection:
        second = EVENT_RECORDS.c.sequence == 2
        statement = sa.update(EVENT_RECORDS).values(author="Ben"), sa.delete(EVENT_RECORDS)
        connection.execute(statement[change == "gone"].where(second))
        with pytest.raises(StoreError, match=r"Record [23] of the event cup, or one before it, is"):
            event_records(Reader(connection), "cup")


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_a_name_is_outside_the_chain_and_can_be_erased(journal: Journal) -> None:
    record_event(
        journal, "cup", "Dita", lambda _: [tap(1)], names={"ana": "Ana Unusual", "ben": "Ben"}
    )
    assert all("Unusual" not in record.body for record in records(journal))
    rename_entrant(journal, "cup", "ana", None)
    rename_entrant(journal, "cup", "ben", "Ben B.")
    record_event(journal, "cup", "Dita", lambda _: [], names={"ana": "Ana Unusual"})
    with journal.reading() as reader:
        assert event_names(reader, "cup") == {"ben": "Ben B."}
        assert event_names(reader, "another") == {}
    if (file := journal.database.file) is not None:
        for path in file.parent.glob(f"{file.name}*"):
            assert b"Unusual" not in path.read_bytes()


# ── export and import ────────────────────────────────────────────────────────────────────────────


def test_an_export_has_the_events(full: Journal, fresh_url: Fresh, tmp_path: Path) -> None:
    put(full, tap(1), tap(2), key="k1")
    record_event(full, "club night", "Dita", lambda _: [tap(1)], names={"ana": "Ana"})
    first, second, bare = (tmp_path / name for name in ("1.jsonl", "2.jsonl", "bare.jsonl"))
    with full.reading() as reader:
        export(reader, first)
        export(reader, bare, names=False)
    there = create_journal(fresh_url("sqlite"))
    import_journal(there, first, OFFICER)
    with there.reading() as reader:
        verify(reader)
        assert event_records(reader) == records(full)
        export(reader, second)
    assert second.read_bytes() == first.read_bytes()
    assert b'"Ana"' in first.read_bytes()
    assert b'"Ana"' not in bare.read_bytes()
    there.close()


def test_the_end_of_an_imported_event_is_remembered(fresh_url: Fresh, tmp_path: Path) -> None:
    """If its records are lost, nothing is recorded in their place."""
    journal, there = (create_journal(fresh_url("sqlite")) for _ in range(2))
    put(journal, tap(1), tap(2))
    with journal.reading() as reader:
        export(reader, tmp_path / "1.jsonl")
    import_journal(there, tmp_path / "1.jsonl", OFFICER)
    with tampered(there) as connection:
        connection.execute(sa.delete(EVENT_RECORDS).where(EVENT_RECORDS.c.sequence == 2))
        (lost,) = Reader(connection, head_file=read_head_file(there.database.file)).lost_ends()
        assert lost.startswith("Record 2 of the event cup was recorded here")
    journal.close()
    there.close()


def test_nothing_is_recorded_beside_a_damaged_head_file(fresh_url: Fresh) -> None:
    journal = create_journal(fresh_url("sqlite"))
    put(journal, tap(1))
    head_file = Path(f"{journal.url}-head")
    head_file.write_text("junk", encoding="ascii")
    with pytest.raises(StoreError, match=r"is damaged\. Nothing was recorded"):
        put(journal, tap(2))
    journal.close()


def test_an_export_that_was_changed_is_refused(
    journal: Journal, fresh_url: Fresh, tmp_path: Path
) -> None:
    put(journal, tap(1), tap(2))
    path = tmp_path / "export.jsonl"
    with journal.reading() as reader:
        export(reader, path)
    empty = create_journal(fresh_url("sqlite"))
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in (
        [line.replace(b"main:1:2", b"main:1:3") for line in lines],
        [lines[0], *lines[2:]],  # without the first record
        [*lines[:2], lines[-1]],  # without the last
    ):
        path.write_bytes(b"".join(changed))
        with pytest.raises(FactsRejected, match="nothing was recorded"):
            import_journal(empty, path, OFFICER)
    empty.close()


# ── crashes ──────────────────────────────────────────────────────────────────────────────────────


def test_two_desks_are_killed_and_lose_nothing_confirmed(journal: Journal) -> None:
    chance = random.Random("desks")  # noqa: S311
    confirmed: set[str] = set()
    for number in range(max(2, ROUNDS // 5)):
        desks = [started(tapping, journal.url, f"{name}{number}") for name in ("a", "b")]
        confirmed |= {hear.recv() for _, hear in desks}
        time.sleep(chance.expovariate(1 / 0.05))
        for process, hear in desks:
            process.kill()
            confirmed |= set(heard(hear))
            process.join()
    with journal.reading() as reader:
        verify(reader)
        assert confirmed <= {record.hash for record in event_records(reader)}
