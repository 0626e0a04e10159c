"""The site on the demonstration's journal, asked as browsers and programs ask it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from httpx import Response
from litestar import Litestar

from palmares.cli.demo import season
from palmares.cli.demo.tour import examples
from palmares.web.app import site
from palmares.web.http import replies
from palmares.web.routes import ROUTES
from palmares.web.settings import Settings
from tests.structure.demo_journal import demo_journal, steady
from tests.structure.shapes import digest, shape
from tests.web.clients import view
from tests.web.conftest import NOW, ROOT, Client, signed_in
from tests.web.visits import JSON
from tests.web.ways import WAYS

ADDRESSES: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("addresses.json").read_text(encoding="utf-8")
)
"""What is asked: ``pages`` and ``api``, as whom, where."""
KEYS_ONLY = ("/api", "/director/live/club-night")
"""Pages with something made for whoever asks, and with a document that has its own snapshot."""
DAY = date(2020, 1, 31)
ROLES = (*season.PEOPLE,)
_CARELESS = ("description", "summary", "title", "example", "examples")
"""What the document of the API says in words."""


@contextmanager
def _demo_site() -> Iterator[Litestar]:
    with demo_journal() as folder:
        settings = Settings(
            journal=str(folder / "federation.db"),
            secret="0" * 64,
            public_url=ROOT,
            day=lambda: DAY,
            clock=lambda: NOW,
        )
        app = site(settings)
        season.add_people(app.state.app_state, examples())
        with Client(app):
            yield app


def _somebody(app: Litestar, role: str) -> Client:
    client: Client = Client(app)
    if role != "visitor":
        client.cookies.set("palmares", signed_in(app.state.app_state, role, season.PEOPLE[role]))
    return client


# ── data ─────────────────────────────────────────────────────────────────────────────────────────


def api() -> dict[str, Any]:
    """What the API answers, as its data, by role and address."""
    return _asked(ADDRESSES["api"])


def pages() -> dict[str, Any]:
    """What pages know, as their JSON, by role and address."""
    return {name: known for name, (known, _) in _looked_at().items()}


def forms() -> dict[str, Any]:
    """The forms of pages, by role and address: where they go, and what they ask for."""
    return {name: forms for name, (_, forms) in _looked_at().items() if forms is not None}


def _asked(addresses: dict[str, list[str]]) -> dict[str, Any]:
    found = {}
    with _demo_site() as app:
        for role, asked in addresses.items():
            client = _somebody(app, role)
            for address in asked:
                answer = client.get(address, headers=JSON, follow_redirects=False)
                found[f"{role} {address}"] = _answered(answer, address)
    return found


@cache
def _looked_at() -> dict[str, tuple[dict[str, Any], list[Any] | None]]:
    """What each page knows, and its forms if it is one: it is made once, and shown both ways."""
    found = {}
    with _demo_site() as app:
        for role, addresses in ADDRESSES["pages"].items():
            client = _somebody(app, role)
            for address in addresses:
                page = client.get(address, headers={"accept": replies.HTML}, follow_redirects=False)
                known = _answered(view(page), address)
                found[f"{role} {address}"] = known, _forms_of(page)
    return found


def _forms_of(page: Response) -> list[Any] | None:
    if not page.headers.get("content-type", "").startswith(replies.HTML):
        return None
    reader = _Forms()
    reader.feed(page.text)
    return [page.status_code, *sorted(set(reader.forms))]


def _answered(answer: Response, address: str) -> dict[str, Any]:
    kind = answer.headers.get("content-type", "").partition(";")[0]
    said: dict[str, Any] = {"status": answer.status_code, "type": kind}
    if answer.is_redirect:
        return said | {"to": answer.headers["location"]}
    if address in KEYS_ONLY:
        return said | {"data": sorted(answer.json())}
    if kind.endswith("json"):
        return said | {"data": shape(json.loads(steady(answer.text)))}
    return said | ({"data": digest(steady(answer.text))} if kind == "text/csv" else {})


class _Forms(HTMLParser):
    """Reads the forms of a page: method, address and names of fields; which come with each page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            method = (given.get("method") or "get").upper()
            self.forms.append(f"{method} {given.get('action') or ''}")
        elif self.forms and tag in ("input", "select", "textarea", "button") and given.get("name"):
            value = f"={given.get('value')}" if tag == "button" else ""
            self.forms[-1] += f" {given['name']}{value}"


# ── routes, rights, document ─────────────────────────────────────────────────────────────────────


def routes() -> dict[str, Any]:
    """Every method and address of the table, and who may use it: by session, and by token.

    `tests/web/test_rights.py` asks every route as every role, and holds the site to this table.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for row in ROUTES:
        allowed = [role for role in (None, *ROLES) if row.right.allows(role)]
        in_words = [role or "visitor" for role in allowed]
        for method, path in WAYS[row.name]:
            is_api = path.startswith("/api/")
            by_token = [role for role in allowed if role] if is_api or path == "/metrics" else []
            found[_named(method, path)] = {
                "session": [] if is_api and method != "GET" else in_words,
                "token": by_token,
            }
    return dict(sorted(found.items()))


def document() -> Any:
    """The description of the API, without what it says in words."""
    with _demo_site() as app:
        return _wordless(_somebody(app, "visitor").get("/api/v1/openapi.json").json())


def unasked() -> list[str]:
    """Addresses of the site that no snapshot of data asks for."""
    with _demo_site() as app:
        paths = {path for method, path in _ways(app) if method == "GET"}
    asked = [
        one.partition("?")[0]
        for what in ADDRESSES.values()
        for addresses in what.values()
        for one in addresses
    ]
    return sorted(
        path for path in paths if not any(re.fullmatch(_pattern(path), one) for one in asked)
    )


def _ways(app: Litestar) -> set[tuple[str, str]]:
    return {
        (method, route.path)
        for route in app.routes
        for handler in getattr(route, "route_handlers", ())
        for method in handler.http_methods - {"OPTIONS", "HEAD"}
    }


def _named(method: str, path: str) -> str:
    return method + " " + re.sub(r"\{\w+:", "{", path)


def _pattern(path: str) -> str:
    return re.sub(r"\{\w+(?::(\w+))?\}", lambda found: _ANY.get(found[1], "[^/]+"), path)


_ANY = {"int": r"\d+", "path": ".+"}


def _wordless(data: Any, *, names: bool = False) -> Any:
    """A document without its texts; ``names``: its keys are names that somebody gave."""
    if isinstance(data, list):
        return [_wordless(one) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        key: _wordless(value, names=key in ("properties", "schemas") and not names)
        for key, value in sorted(data.items())
        if names or key not in _CARELESS
    }
