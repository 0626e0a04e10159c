"""A manifest: everything in it can be formed again with a library for JSON and one for sha256."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Refused
from palmares.journal.store.journal import Journal
from palmares.lists.publication.manifests import (
    MOST_BYTES,
    manifest_text,
    parse_manifest,
    read_manifest,
)
from tests.lists.published import publish, started


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """Four players and their tournament: entries 1 to 5."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = started(str(tmp_path / "journal.db"))
    yield found
    found.close()


def test_the_hash_of_the_entry_is_of_the_file(journal: Journal) -> None:
    """As docs/how-to/publish.md tells an outsider to form it."""
    found = json.loads(manifest_text(publish(journal, note="Übersicht")))
    entry = {**found["entry"], "body": found["publication"]}
    claimed = entry.pop("hash")
    assert hashlib.sha256(rfc8785.dumps(entry)).hexdigest() == claimed
    with journal.reading() as reader:
        assert reader.entry(6).hash == claimed


def test_how_it_is_laid_out_means_nothing(journal: Journal) -> None:
    published = publish(journal)
    found = json.loads(manifest_text(published))
    assert parse_manifest(json.dumps(found, indent=9).encode(), "list.json") == published


def test_it_comes_back_as_it_was(journal: Journal) -> None:
    published = publish(journal, note='a "note" – and a \\ line')
    assert parse_manifest(manifest_text(published).encode(), "list.json") == published


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("{", "[{", "the file is not a table"),
        ('"format"', "format", "it is not JSON"),
        ("palmares manifest 1", "palmares manifest 2", "format is not one of its words"),
        ('"format"', '"from"', "there is no key from"),
        ('"2019-11-15"', '"15.11.2019"', "publication.selection.as_of is not a day"),
        ('"rank":[1,2,3,3]', '"rank":[1,2,3]', "damaged: its list is no table"),
        ('"rank":[1,2,3,3]', '"rank":[1,2,3,9007199254740993]', "list.rank is more than"),
        ('"rank":[1,2,3,3]', '"ranks":[1,2,3,3]', "no key publication.list.ranks"),
        ('"by":"player"', '"by":"nation"', "damaged: its list is no table"),
        ('"regulation"', '"regulator"', "no key publication.regulator"),
    ],
)
def test_what_is_none(journal: Journal, before: str, after: str, says: str) -> None:
    content = manifest_text(publish(journal))
    assert before in content
    with pytest.raises(Refused) as refused:
        parse_manifest(content.replace(before, after, 1).encode(), "list.json")
    assert str(refused.value).startswith("list.json: ")
    assert says in str(refused.value)


def test_one_that_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as opened:
        opened.truncate(MOST_BYTES + 1)
    with pytest.raises(Refused, match="more than 104,857,600 bytes are too many for a manifest"):
        read_manifest(str(file))


@given(st.binary(max_size=60))
def test_any_bytes(content: bytes) -> None:
    with pytest.raises(Refused, match="this is no manifest"):
        parse_manifest(content, "list.json")
