"""Verifying: a journal that is whole is found whole, and every change to it is found."""

from __future__ import annotations

import random
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected
from palmares.journal.store.entries import FIRST, START, Entry, Head, PersonalData, seal
from palmares.journal.store.journal import ENTRIES, PERSONS, Journal
from palmares.journal.store.verify import Verified, verify
from tests.journal.filled import dumped
from tests.journal.tampering import complaints, tampered

COLUMNS = ("recorded_at", "author", "role", "kind", "subject", "key", "body", "previous", "hash")


def changed(connection: sa.Connection, sequence: int, /, **values: Any) -> None:
    found = connection.execute(
        sa.update(ENTRIES).where(ENTRIES.c.sequence == sequence).values(**values)
    )
    assert found.rowcount == 1


def renamed(connection: sa.Connection, sequence: int, /, **values: Any) -> None:
    """Change the name beside an entry."""
    found = connection.execute(
        sa.update(PERSONS).where(PERSONS.c.sequence == sequence).values(**values)
    )
    assert found.rowcount == 1


def entry(connection: sa.Connection, sequence: int) -> Entry:
    row = connection.execute(sa.select(ENTRIES).where(ENTRIES.c.sequence == sequence)).one()
    return Entry(**row._mapping)


# ── whole ────────────────────────────────────────────────────────────────────────────────────────


def test_a_whole_journal(kept: Journal) -> None:
    """Five names came; one was erased."""
    with kept.reading() as reader:
        assert verify(reader) == Verified(head=reader.head(), names=4, erased=1, absent=0)
        for one in reader.entries():
            verify(reader, one.hash)


def test_an_empty_journal(journal: Journal) -> None:
    with journal.reading() as reader:
        assert verify(reader) == verify(reader, FIRST)
        assert verify(reader) == Verified(head=START, names=0, erased=0, absent=0)


# ── what one field says ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_letter_is_found_and_its_entry_named(kept: Journal, column: str) -> None:
    chance = random.Random(column)  # noqa: S311
    for sequence in (1, 3, 4, 9, 10):
        with tampered(kept) as connection:
            text = getattr(entry(connection, sequence), column)
            if text is None:
                other = "a key"
            else:
                at = chance.randrange(len(text))
                other = text[:at] + chr(ord(text[at]) ^ 1) + text[at + 1 :]
            changed(connection, sequence, **{column: other})
            assert f"entry {sequence}" in dict(complaints(connection))


@pytest.mark.parametrize("column", COLUMNS)
def test_an_emptied_field_is_found(kept: Journal, column: str) -> None:
    with tampered(kept) as connection:
        changed(connection, 3, **{column: None if column == "key" else ""})
        assert "entry 3" in dict(complaints(connection))


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"kind": "gossip"}, "kind"),
        ({"role": "king"}, "role"),
        ({"author": "Otto\u2028Officer"}, "author"),
        ({"subject": "x" * 201}, "subject"),
        ({"body": '{"rate":1.125, "date":"2019-12-31"}'}, "body"),
        ({"body": '{"date":"2019-12-31","rate":1.1250}'}, "body"),
        ({"body": "[" * 100_000}, "body"),
        ({"body": "[]"}, "body"),
        ({"recorded_at": "2026-11-21T18:13:01Z"}, "recorded_at"),
        ({"recorded_at": "9999-02-30T00:00:00.000000Z"}, "recorded_at"),
        ({"recorded_at": "1999-12-31T00:00:00.000000Z"}, "recorded_at"),
        ({"previous": "ab" * 32}, "previous"),
        ({"hash": FIRST}, "hash"),
    ],
)
def test_what_is_no_entry_is_found_even_with_a_hash(
    kept: Journal, values: dict[str, str], rule: str
) -> None:
    with tampered(kept) as connection:
        changed(connection, 4, **values)
        if rule != "hash":
            changed(connection, 4, hash=entry(connection, 4).digest())
        assert ("entry 4", rule) in complaints(connection)


def test_all_faults_are_told_at_once(kept: Journal) -> None:
    with tampered(kept) as connection:
        changed(connection, 2, role="king")
        changed(connection, 4, body="{}")
        renamed(connection, 7, salt="0" * 64)
        assert complaints(connection) == [
            ("entry 2", "role"), ("entry 2", "hash"), ("entry 4", "hash"), ("entry 7", "name"),
        ]  # fmt: skip


# ── entries that are missing, moved, or made up ──────────────────────────────────────────────────


def test_a_missing_entry(kept: Journal) -> None:
    with tampered(kept) as connection:
        connection.execute(sa.delete(ENTRIES).where(ENTRIES.c.sequence.in_([3, 4])))
        assert complaints(connection) == [("entry 5", "sequence")]


def test_a_missing_first_entry(kept: Journal) -> None:
    with tampered(kept) as connection:
        connection.execute(sa.delete(ENTRIES).where(ENTRIES.c.sequence == 1))
        assert ("entry 2", "sequence") in complaints(connection)


def test_a_missing_entry_and_the_others_moved_up(kept: Journal) -> None:
    with tampered(kept) as connection:
        connection.execute(sa.delete(ENTRIES).where(ENTRIES.c.sequence == 4))
        for sequence in range(5, 11):
            changed(connection, sequence, sequence=sequence - 1)
        assert ("entry 4", "previous") in complaints(connection)


@pytest.mark.parametrize("to", [0, -1, 11, 2**40])
def test_an_entry_with_another_number(kept: Journal, to: int) -> None:
    with tampered(kept) as connection:
        changed(connection, 4, sequence=to)
        assert ("entry 5", "sequence") in complaints(connection)
        assert f"entry {to}" in dict(complaints(connection))


def test_a_cut_off_end_is_found_by_who_knows_the_head(kept: Journal) -> None:
    head = kept.head()
    with tampered(kept) as connection:
        connection.execute(sa.delete(ENTRIES).where(ENTRIES.c.sequence == 10))
        assert complaints(connection) == []
        assert complaints(connection, head.hash) == [("head", "head")]


def test_a_chain_forged_from_the_first_entry_is_found_by_who_knows_a_head(kept: Journal) -> None:
    """Whoever holds the database may write every hash anew; nobody can where a head was printed."""
    head = kept.head()
    with tampered(kept) as connection:
        before = START
        forged: list[Entry] = []
        for sequence in range(1, 11):
            one = entry(connection, sequence)
            one = replace(one, author="Somebody Else", previous=before.hash)
            forged.append(replace(one, hash=one.digest()))
            before = Head(sequence, forged[-1].hash, one.recorded_at)
        for one in forged:
            values = {"author": one.author, "previous": one.previous, "hash": one.hash}
            changed(connection, one.sequence, **values)
        assert complaints(connection) == []
        assert complaints(connection, head.hash) == [("head", "head")]


# ── names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "values",
    [
        {"record": '{"ids":{"usbgf":"u-T2-b"},"name":"Ünal c of 2"}'},
        {"record": '{"ids":{"usbgf":"u-T2-b"}, "name":"Ünal b of 2"}'},
        {"record": ""},
        {"record": None},
        {"salt": None},
        {"salt": "00"},
        {"salt": "no hexadecimal"},
    ],
)
def test_a_changed_name(kept: Journal, values: dict[str, str | None]) -> None:
    with tampered(kept) as connection:
        renamed(connection, 7, **values)
        assert complaints(connection) == [("entry 7", "name")]


def test_a_record_that_is_no_person(kept: Journal) -> None:
    """Sealed as it is, but nobody's name."""
    sealed = seal(PersonalData(name="x"))
    from palmares.journal.store.entries import _commitment

    other = _commitment(str(sealed.salt), "[]")
    with tampered(kept) as connection:
        body = canonical({**entry(connection, 7).read(), "person": other})
        changed(connection, 7, body=body)
        renamed(connection, 7, commitment=other, salt=sealed.salt, record="[]")
        assert ("entry 7", "name") in complaints(connection)


def test_a_missing_name(kept: Journal) -> None:
    with tampered(kept) as connection:
        connection.execute(sa.delete(PERSONS).where(PERSONS.c.sequence == 7))
        assert complaints(connection) == [("entry 7", "seal")]


def test_a_name_under_another_seal(kept: Journal) -> None:
    with tampered(kept) as connection:
        renamed(connection, 7, commitment="ab" * 32)
        assert complaints(connection) == [("entry 7", "seal"), ("entry 7", "name")]


@pytest.mark.parametrize("to", [3, 4, 6, 8])
def test_a_name_beside_another_entry(kept: Journal, to: int) -> None:
    with tampered(kept) as connection:
        renamed(connection, 7, sequence=to)
        assert (f"entry {to}", "name") in complaints(connection)


@pytest.mark.parametrize("to", [-5, 0, 11])
def test_a_name_beside_no_entry(kept: Journal, to: int) -> None:
    with tampered(kept) as connection:
        commitment = entry(connection, 7).read()["person"]
        renamed(connection, 7, sequence=to)
        assert (f"name {commitment[:12]}", "name") in complaints(connection)


def test_a_name_said_again_must_have_been_there_before(kept: Journal) -> None:
    """Entry 5 says the player of entry 2 again: his name stays beside entry 2."""
    with tampered(kept) as connection:
        renamed(connection, 2, sequence=5)
        assert complaints(connection) == [("entry 2", "seal")]


def test_a_name_that_was_erased_and_is_there_again(kept: Journal) -> None:
    with tampered(kept) as connection:
        sealed = seal(PersonalData(name="Ünal a of 1"))
        renamed(connection, 1, record=sealed.record, salt=sealed.salt)
        assert complaints(connection) == [("entry 1", "name")]


def test_a_name_that_was_kept_though_it_was_erased(kept: Journal) -> None:
    with tampered(kept) as connection:
        kept = entry(connection, 7).read()["person"]
        body = canonical({"persons": [kept], "reason": "asked"})
        changed(connection, 10, body=body, hash=FIRST)
        changed(connection, 10, hash=entry(connection, 10).digest())
        assert complaints(connection) == [("entry 7", "erasure")]


def test_names_that_are_not_here_are_counted(kept: Journal) -> None:
    """As after an import without names: no fault."""
    with tampered(kept) as connection:
        connection.execute(sa.update(PERSONS).values(record=None, salt=None))
        assert complaints(connection) == []


@pytest.mark.parametrize("person", [7, [], {}, "short", "AB" * 32, True])
def test_something_else_in_the_place_of_a_seal(kept: Journal, person: Any) -> None:
    with tampered(kept) as connection:
        changed(connection, 7, body=canonical({**entry(connection, 7).read(), "person": person}))
        assert ("entry 7", "seal") in complaints(connection)


@pytest.mark.parametrize("body", ["{}", '{"persons":"all"}', '{"persons":[1]}', "[]"])
def test_an_erasure_of_nobody(kept: Journal, body: str) -> None:
    with tampered(kept) as connection:
        changed(connection, 10, body=body)
        assert ("entry 10", "seal") in complaints(connection)


def test_looking_changes_nothing(kept: Journal) -> None:
    with kept.reading() as reader:
        before = dumped(reader.connection)
        verify(reader)
        with pytest.raises(FactsRejected, match="1 problem, the journal is not valid"):
            verify(reader, "f" * 64)
        assert dumped(reader.connection) == before
