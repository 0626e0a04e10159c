"""Journals that tests of this folder start from; each is closed in the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from palmares.journal.store.journal import Journal, create_journal, open_journal
from tests.databases import CopyOf
from tests.journal.filled import filled


@pytest.fixture
def journal(copy_url: CopyOf) -> Iterator[Journal]:
    """An empty journal, once in each kind of database."""
    made = open_journal(copy_url(create_journal))
    yield made
    made.close()


@pytest.fixture
def full(copy_url: CopyOf) -> Iterator[Journal]:
    """A journal of ten entries, once in each kind of database."""
    made = open_journal(copy_url(filled))
    yield made
    made.close()


@pytest.fixture(scope="module")
def kept(module_url: str) -> Iterator[Journal]:
    """The same for all tests of a module: what they do to it, they undo."""
    made = filled(module_url)
    yield made
    made.close()
