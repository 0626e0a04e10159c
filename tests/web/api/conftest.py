"""
A site with something at every address, for tests that only read.

    reader      a visitor of it
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from litestar.testing import TestClient

from palmares.web.app import site
from palmares.web.settings import Settings
from tests.web.api.addresses import everything
from tests.web.conftest import DAY, NOW, ROOT, Client


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A visitor of a site that nothing is recorded on any more."""
    journal = tmp_path_factory.mktemp("reader") / "federation.db"
    settings = Settings(
        journal=str(journal),
        secret="0" * 64,
        public_url=ROOT,
        day=lambda: DAY,
        clock=lambda: NOW,
        fresh=0,
    )
    app = site(settings)
    everything(app.state.app_state.journal)
    with TestClient(app) as client:
        yield client
