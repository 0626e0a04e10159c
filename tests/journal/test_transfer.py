"""Export and import: nothing is lost, nothing is let in that is damaged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
import rfc8785
import sqlalchemy as sa

from palmares.core.errors import FactsRejected, Refused
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import PERSONS, Journal, Reader, create_journal
from palmares.journal.store.verify import verify
from palmares.journal.transfer import ImportSummary, export, import_journal
from tests.databases import Fresh
from tests.journal.filled import ADMINISTRATOR, DIRECTOR, OFFICER, dumped, filled, player, report
from tests.journal.tampering import tampered

OTHER = {"sqlite": "postgresql", "postgresql": "sqlite"}


@pytest.fixture
def another(fresh_url: Fresh) -> Iterator[Callable[[str], Journal]]:
    """More empty journals, by kind of database."""
    made: list[Journal] = []

    def empty(kind: str = "sqlite") -> Journal:
        made.append(create_journal(fresh_url(kind)))
        return made[-1]

    yield empty
    for one in made:
        one.close()


def exported(journal: Journal, path: Path, *, names: bool = True) -> Path:
    with journal.reading() as reader:
        export(reader, path, names=names)
    return path


def rows(journal: Journal) -> object:
    with journal.reading() as reader:
        return dumped(reader.connection)


def kind_of(journal: Journal) -> str:
    return journal.database.engine.dialect.name


def problems(journal: Journal, path: Path) -> list[tuple[str, str]]:
    """Line and rule of everything wrong with a file; the journal stays as it was."""
    before = rows(journal)
    with pytest.raises(FactsRejected, match="nothing was recorded") as rejected:
        import_journal(journal, path, OFFICER)
    assert rows(journal) == before
    return [
        (one.where.removeprefix(f"{path}:"), one.clause.removeprefix("journal "))
        for one in rejected.value.problems
    ]


# ── there and back ───────────────────────────────────────────────────────────────────────────────


def test_into_the_other_database_and_back(
    full: Journal, another: Callable[[str], Journal], tmp_path: Path
) -> None:
    there, back = another(OTHER[kind_of(full)]), another(kind_of(full))
    first = exported(full, tmp_path / "first.jsonl")
    assert import_journal(there, first, OFFICER) == ImportSummary(names=4, head=full.head())
    second = exported(there, tmp_path / "second.jsonl")
    import_journal(back, second, OFFICER)
    third = exported(back, tmp_path / "third.jsonl")
    assert first.read_bytes() == second.read_bytes() == third.read_bytes()
    assert rows(full) == rows(there) == rows(back)


def test_the_same_file_again_changes_nothing(full: Journal, tmp_path: Path) -> None:
    """An import whose answer was lost can be tried again."""
    path = exported(full, tmp_path / "all.jsonl")
    before = rows(full)
    again = ImportSummary(names=0, head=full.head(), is_new=False)
    assert import_journal(full, path, OFFICER) == again
    assert rows(full) == before


@pytest.mark.parametrize("change", ["shorter", "longer", "another", "without names", "gone"])
def test_another_file_is_refused_where_there_are_entries(
    full: Journal, tmp_path: Path, change: str
) -> None:
    path = exported(full, tmp_path / "all.jsonl", names=change != "without names")
    content = path.read_bytes()
    changes = {"shorter": content[:-200], "longer": content + b"{}\n", "gone": b""}
    path.write_bytes(changes.get(change, content))
    if change == "gone":
        path.unlink()
    if change == "another":
        full.record(report(3), DIRECTOR)
    before = rows(full)
    with pytest.raises(Refused, match=r"has entries already\. Nothing was recorded"):
        import_journal(full, path, OFFICER)
    assert rows(full) == before


def test_a_restored_journal_goes_on(
    full: Journal, another: Callable[[], Journal], tmp_path: Path
) -> None:
    copy = another()
    import_journal(copy, exported(full, tmp_path / "a"), OFFICER)
    copy.record(report(3), DIRECTOR)
    with copy.reading() as reader:
        assert verify(reader, full.head().hash).head.sequence == 13


def test_an_empty_journal(journal: Journal, another: Callable[[], Journal], tmp_path: Path) -> None:
    path = exported(journal, tmp_path / "none.jsonl")
    assert path.read_text().splitlines() == [
        '{"format":1,"palmares":"journal"}',
        f'{{"entries":0,"head":"{"0" * 64}"}}',
    ]
    assert import_journal(another(), path, OFFICER).head.sequence == 0


def test_many_entries_come_in_more_than_one_step(
    journal: Journal, another: Callable[[str], Journal], tmp_path: Path
) -> None:
    journal.record([player(f"p{number}", f"N{number}") for number in range(1203)], OFFICER)
    copy = another(OTHER[kind_of(journal)])
    path = exported(journal, tmp_path / "a")
    assert import_journal(copy, path, OFFICER).names == 1203
    assert exported(copy, tmp_path / "b").read_bytes() == path.read_bytes()


def test_what_an_auditor_does_with_two_libraries(full: Journal, tmp_path: Path) -> None:
    """RFC 8785 and sha256; nothing of palmares."""
    before = "0" * 64
    seals: list[str | None] = []
    first, *lines, last = exported(full, tmp_path / "a").read_bytes().splitlines()
    assert msgspec.json.decode(first) == {"format": 1, "palmares": "journal"}
    for line in map(msgspec.json.decode, lines):
        if "commitment" in line:
            if line["record"] is not None:
                salted = bytes.fromhex(line["salt"]) + rfc8785.dumps(line["record"])
                assert sha256(salted).hexdigest() == line["commitment"]
            assert line["commitment"] == seals[-1]
            continue
        found = line.pop("hash")
        assert line["previous"] == before
        before = sha256(rfc8785.dumps(line)).hexdigest()
        assert found == before
        seals.append(line["body"].get("person"))
    assert msgspec.json.decode(last) == {"entries": 10, "head": before}


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_without_names(full: Journal, another: Callable[[], Journal], tmp_path: Path) -> None:
    path = exported(full, tmp_path / "a", names=False)
    assert "Ünal" not in path.read_text(encoding="utf-8")
    copy = another()
    assert import_journal(copy, path, OFFICER).names == 0
    with copy.reading() as reader:
        found = verify(reader, full.head().hash)
    assert (found.names, found.erased, found.absent) == (0, 1, 4)
    assert exported(copy, tmp_path / "b").read_bytes() == path.read_bytes()


def test_an_erased_name_does_not_come_back_from_an_older_file(
    journal: Journal, another: Callable[[], Journal], tmp_path: Path
) -> None:
    """The old file's names, the new file's entries: put together by hand, or by mistake."""
    journal.record(report(1, ("a",)), DIRECTOR)
    old = exported(journal, tmp_path / "old").read_bytes().splitlines(keepends=True)
    with journal.writing(ADMINISTRATOR) as writer:
        gone = [name.commitment for _, name in writer.sealed()]
        body = {"persons": gone, "reason": "asked"}
        writer.extend([Draft(kind="erasure", subject="T1-a", body=body)])
        writer.erase(gone)
    new = exported(journal, tmp_path / "new").read_bytes().splitlines(keepends=True)
    both = tmp_path / "both"
    both.write_bytes(b"".join([*old[:-1], *new[-2:]]))
    assert "Ünal a of 1" in both.read_text(encoding="utf-8")

    copy = another()
    assert import_journal(copy, both, OFFICER) == ImportSummary(names=0, head=journal.head())
    assert rows(copy) == rows(journal)


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def lines(fresh_url: Fresh, tmp_path: Path) -> list[bytes]:
    """The lines of an export: a header, 10 entries with 5 names, an end."""
    journal = filled(fresh_url("sqlite"))
    found = exported(journal, tmp_path / "lines").read_bytes().splitlines(keepends=True)
    journal.close()
    return found


def test_every_cut_is_noticed(
    lines: list[bytes], another: Callable[[], Journal], tmp_path: Path
) -> None:
    journal, path = another(), tmp_path / "cut"
    whole = b"".join(lines)
    chance = random.Random("cuts")  # noqa: S311
    cuts = {len(b"".join(lines[:one])) for one in range(len(lines))}
    cuts |= {chance.randrange(len(whole)) for _ in range(40)} | {len(whole) - 1}
    for cut in sorted(cuts):
        path.write_bytes(whole[:cut])
        with pytest.raises((FactsRejected, Refused)):
            import_journal(journal, path, OFFICER)
    assert journal.head().sequence == 0


def test_every_flipped_byte_is_noticed(
    lines: list[bytes], another: Callable[[], Journal], tmp_path: Path
) -> None:
    journal, path = another(), tmp_path / "flipped"
    whole = b"".join(lines)
    chance = random.Random("flips")  # noqa: S311
    for at in chance.sample(range(len(whole)), 150):
        flipped = whole[at] ^ (1 << chance.randrange(8))
        path.write_bytes(whole[:at] + bytes([flipped]) + whole[at + 1 :])
        with pytest.raises((FactsRejected, Refused)):
            import_journal(journal, path, OFFICER)
    assert journal.head().sequence == 0


def test_lines_that_end_as_in_windows(
    lines: list[bytes], another: Callable[[], Journal], tmp_path: Path
) -> None:
    """As after a checkout by git, or an e-mail: the content is what was written."""
    path, journal = tmp_path / "crlf", another()
    path.write_bytes(b"".join(line.replace(b"\n", b"\r\n") for line in lines))
    assert import_journal(journal, path, OFFICER).head.sequence == 10
    assert exported(journal, tmp_path / "again").read_bytes() == b"".join(lines)


def test_all_problems_of_a_file_are_told_at_once(
    lines: list[bytes], another: Callable[[], Journal], tmp_path: Path
) -> None:
    """Line 6 is the third entry, line 7 the fourth; the names lie in lines 3, 5, 10, 12 and 14."""
    lines[5] = lines[5].replace(b'"director"', b'"king"')
    lines[6] = lines[6].replace(b"1.125", b"1.1250")
    del lines[11]
    lines[-1] = lines[-1].replace(b'"entries":10', b'"entries":11')
    path = tmp_path / "wrong"
    path.write_bytes(b"".join(lines))
    assert problems(another(), path) == [
        ("6", "role"), ("6", "hash"), ("7", "body"), ("7", "hash"), ("11", "seal"), ("16", "end"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        (lambda lines: lines.insert(3, lines[2]), "name"),
        (lambda lines: lines.insert(4, lines.pop(5)), "name"),
        (lambda lines: lines.insert(6, lines[2]), "name"),
        (lambda lines: lines.insert(1, lines[2]), "name"),
        (lambda lines: lines.insert(4, lines[3]), "sequence"),
        (lambda lines: lines.pop(6), "sequence"),
        (lambda lines: lines.append(lines[-1]), "end"),
        (lambda lines: lines.insert(4, b"\n"), "line"),
        (lambda lines: lines.insert(4, b"\xff\n"), "line"),
        (lambda lines: lines.insert(4, b'{"author":"Otto"}\n'), "line"),
        (lambda lines: lines.insert(4, b'{"author":' + b"[" * 100_000 + b"\n"), "line"),
        (lambda lines: lines.__setitem__(-1, lines[-1][:-1]), "line"),
    ],
)
def test_what_no_export_has(
    lines: list[bytes],
    changed: Callable[[list[bytes]], object],
    rule: str,
    another: Callable[[], Journal],
    tmp_path: Path,
) -> None:
    changed(lines)
    path = tmp_path / "wrong"
    path.write_bytes(b"".join(lines))
    assert rule in {told for _, told in problems(another(), path)}


@pytest.mark.parametrize("by", ["report", "merge", "override"])
def test_a_player_who_is_placed_twice(
    by: str, journal: Journal, another: Callable[[], Journal], tmp_path: Path
) -> None:
    """Every command refuses it, and the page of such an award could not be shown."""
    players = ["a", "a" if by == "report" else "b"]
    tables = {
        "tournaments": {"tournament_id": ["T"], "name": ["Prague"], "end_date": ["2019-12-08"]},
        "events": {"event_id": ["T/main"], "tournament_id": ["T"], "name": ["Main"]},
        "placings": {"event_id": ["T/main"] * 2, "player_id": players, "rank": [1, 2]},
    }
    drafts = [Draft(kind="report", subject="T", body={"tables": tables})]
    if by == "merge":
        body = {"player_id": "b", "into": "a", "reason": "one person"}
        drafts.append(Draft(kind="merge", subject="b", body=body))
    elif by == "override":
        pair: Any = {"from": "b", "to": "a"}
        body = {"player": pair, "reason": "a slip"}
        drafts.append(Draft(kind="override", subject="T", body=body))
    journal.record(drafts, OFFICER)
    copy = another()
    with pytest.raises(FactsRejected, match="nothing was recorded") as rejected:
        import_journal(copy, exported(journal, tmp_path / "export"), OFFICER)
    (problem,) = rejected.value.problems
    assert problem.what == "a is placed twice in the main of Main (Prague), lines 1 and 2"
    assert (problem.where, copy.head().sequence) == ("entry 1:2", 0)


def test_a_key_that_came_before(
    journal: Journal, another: Callable[[str], Journal], tmp_path: Path
) -> None:
    """Two entries under one key: whole as a chain, but no database has both."""
    journal.record([Draft(kind="rate", subject="USD", body={}, key="k")], OFFICER)
    journal.record([Draft(kind="rate", subject="USD", body={}, key="l")], OFFICER)
    lines = exported(journal, tmp_path / "a").read_bytes().splitlines()
    line = msgspec.json.decode(lines[2]) | {"key": "k"}
    line.pop("hash")
    line["hash"] = head = sha256(rfc8785.dumps(line)).hexdigest()
    end = rfc8785.dumps({"entries": 2, "head": head})
    path = tmp_path / "b"
    path.write_bytes(b"\n".join([*lines[:2], rfc8785.dumps(line), end, b""]))
    assert problems(another(kind_of(journal)), path) == [("3", "key")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is no export of a journal"),
        (b"rank,player\n1,Ada\n", "is no export of a journal"),
        (b'{"format":2,"palmares":"journal"}\n', "a later palmares wrote it"),
    ],
)
def test_what_is_no_export(
    content: bytes, told: str, another: Callable[[], Journal], tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(Refused, match=told):
        import_journal(another(), tmp_path / "file", OFFICER)


def test_a_file_that_is_not_there(another: Callable[[], Journal], tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        import_journal(another(), tmp_path / "nothing", OFFICER)
    with pytest.raises(Refused, match="cannot be read"):
        import_journal(another(), tmp_path, OFFICER)
    with pytest.raises(Refused, match="is no export of a journal"):
        import_journal(another(), Path("/dev/null"), OFFICER)


def test_a_journal_that_is_not_whole_is_not_exported(full: Journal, tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_text("yesterday's")
    with tampered(full) as connection:
        connection.execute(sa.update(PERSONS).where(PERSONS.c.sequence == 7).values(salt=None))
        with pytest.raises(FactsRejected, match="entry 7"):
            export(Reader(connection), target)
    assert target.read_text() == "yesterday's"
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


def test_a_place_where_nothing_can_be_written(full: Journal, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with full.reading() as reader:
        with pytest.raises(Refused, match="Nothing was written"):
            export(reader, tmp_path / "file" / "a.jsonl")
        with pytest.raises(Refused, match="Nothing was written"):
            export(reader, Path("/dev/full"))
