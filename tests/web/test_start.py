"""The start of a site: what visitors want first is made, and what is there is left in peace."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from litestar import Litestar

from palmares.cli.serve import _warm_up
from palmares.journal.store.journal import Journal
from palmares.web.api.description import description
from palmares.web.http.state import AppState
from tests.web.seasons import winter


@pytest.fixture(autouse=True)
def looking() -> Iterator[None]:
    """Cycles of objects are looked for, among all objects, in other tests."""
    yield
    gc.enable()
    gc.unfreeze()


def test_the_lists_of_the_front_page_are_there(app: Litestar, journal: Journal) -> None:
    winter(journal)
    _warm_up(app)
    app_state: AppState = app.state.app_state
    assert app_state.snapshot().awarded.cached("wbgf") is not None


def test_the_document_of_the_api_is_there(app: Litestar) -> None:
    description.cache_clear()
    _warm_up(app)
    assert description.cache_info().misses == 1
    description(app.state.routes)
    assert description.cache_info().misses == 1


def test_cycles_are_looked_for_again_and_not_among_what_is_there(app: Litestar) -> None:
    gc.disable()  # as whoever makes the site has done
    assert not gc.isenabled()
    _warm_up(app)
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


def test_where_the_journal_cannot_be_read_too(app: Litestar, journal: Journal) -> None:
    winter(journal)
    assert journal.database.file is not None
    journal.close()
    journal.database.file.write_bytes(b"no database" * 1000)
    gc.disable()  # as whoever makes the site has done
    _warm_up(app)
    assert gc.isenabled()
