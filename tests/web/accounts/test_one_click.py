"""One click signs in to a demonstration, on the machine that serves it and nowhere else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import httpx
import pytest

from palmares.web.accounts import store
from palmares.web.app import site
from palmares.web.settings import Settings

HERE = "http://127.0.0.1:8000"
PEOPLE = {"director": "Dita Marek", "officer": "Otto Lind"}


async def _tried(
    settings: Settings, role: str, asker: str, headers: dict[str, str]
) -> tuple[bool, int, int]:
    """Whether one click is offered, its status, and that of the officer's page then."""
    app = site(settings)
    database = app.state.app_state.journal.database
    with database.writing() as connection:
        for one, name in {**PEOPLE, "administrator": "Rita Hale"}.items():
            store.add(connection, name, one, settings.clock())
    transport = httpx.ASGITransport(cast("Any", app), client=(asker, 50000))
    async with httpx.AsyncClient(
        transport=transport, base_url=settings.public_url, headers=headers
    ) as client:
        page = await client.get("/sign-in")
        assert page.status_code == 200
        form = {"role": role}
        clicked = await client.post("/sign-in/demonstration", data=form)
        officer = await client.get("/officer")
    return "/sign-in/demonstration" in page.text, clicked.status_code, officer.status_code


def tried(
    settings: Settings,
    *,
    root: str = HERE,
    role: str = "officer",
    asker: str = "127.0.0.1",
    headers: dict[str, str] | None = None,
) -> tuple[bool, int, int]:
    """The same at an address, by somebody."""
    here = replace(settings, public_url=root)
    return asyncio.run(_tried(here, role, asker, headers or {}))


@pytest.fixture
def demonstration(settings: Settings) -> Settings:
    """A site that offers one click."""
    return replace(settings, one_click=PEOPLE)


@pytest.mark.parametrize("asker", ["127.0.0.1", "::1"])
def test_one_click_signs_in_on_this_machine(demonstration: Settings, asker: str) -> None:
    assert tried(demonstration, asker=asker) == (True, 303, 200)


def test_a_director_is_no_officer(demonstration: Settings) -> None:
    assert tried(demonstration, role="director") == (True, 303, 403)


def test_nobody_becomes_an_administrator(demonstration: Settings) -> None:
    assert tried(demonstration, role="administrator")[1:] == (404, 303)


def test_a_real_site_offers_nothing(settings: Settings) -> None:
    assert tried(settings) == (False, 404, 303)


@pytest.mark.parametrize(
    "how",
    [
        {"asker": "192.0.2.7"},
        {"root": "http://rankings.example"},
        {"headers": {"X-Forwarded-For": "127.0.0.1"}},
        {"headers": {"X-Forwarded-Host": "127.0.0.1"}},
        {"headers": {"Forwarded": "for=127.0.0.1"}},
        {"headers": {"Via": "1.1 proxy"}},
        {"headers": {"X-Real-IP": "127.0.0.1"}},
    ],
)
def test_others_and_whoever_comes_through_a_proxy_are_refused(
    demonstration: Settings, how: dict[str, Any]
) -> None:
    assert tried(demonstration, **how) == (False, 404, 303)
