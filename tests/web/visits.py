"""
What people do on the site, in tests.

    send    fill in a form
    enter   sign in with a name and a password
    who     who is signed in
"""

from __future__ import annotations

from typing import Any

from tests.web.conftest import GOOD, Client

JSON = {"accept": "application/json"}


def send(client: Client, path: str, **fields: Any) -> Any:
    """Send a form."""
    return client.post(path, data=fields, follow_redirects=False)


def enter(client: Client, name: str, password: str = GOOD, **more: str) -> Any:
    return send(client, "/sign-in", name=name, password=password, **more)


def who(client: Client) -> str | None:
    answer = client.get("/account", headers=JSON, follow_redirects=False)
    return str(answer.json()["name"]) if answer.status_code == 200 else None
