"""The files of the site: its styles, its scripts."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

import pytest

from tests.web.conftest import Client

SCRIPT = "/assets/vendor/htmx.min.js"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("palmares.css", "text/css; charset=utf-8"),
        ("palmares.svg", "image/svg+xml"),
        ("vendor/htmx.min.js", "text/javascript; charset=utf-8"),
    ],
)
def test_files_come_as_they_are(client: Client, name: str, kind: str) -> None:
    there = files("palmares.web").joinpath("assets", *name.split("/")).read_bytes()
    answer = client.get(f"/assets/{name}")
    assert (answer.content, answer.headers["content-type"]) == (there, kind)
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert answer.headers["etag"] == f'"{sha256(there).hexdigest()[:32]}"'


def test_pages_ask_for_the_version_that_is_there(client: Client) -> None:
    """So a browser may keep it for good, and has the new one at once after an upgrade."""
    mark = sha256(files("palmares.web").joinpath("assets", "palmares.css").read_bytes()).hexdigest()
    address = f"/assets/palmares.css?v={mark[:12]}"
    assert f'href="{address}"' in client.get("/").text
    kept = client.get(address).headers["cache-control"]
    assert kept == "public, max-age=31536000, immutable"
    other = client.get("/assets/palmares.css?v=000000000000").headers["cache-control"]
    assert other == "public, max-age=3600"


def test_who_has_a_file_gets_it_once(client: Client) -> None:
    tag = client.get(SCRIPT).headers["etag"]
    again = client.get(SCRIPT, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)


@pytest.mark.parametrize(
    "name",
    ["", "vendor", "vendor/", "nothing.js", "../app.py", "%2e%2e/app.py", "vendor/README.md"],
)
def test_nothing_else_lies_open(client: Client, name: str) -> None:
    """And nobody is told in which folder it was looked for."""
    answer = client.get(f"/assets/{name}", headers={"accept": "application/json"})
    assert answer.status_code == 404
    assert answer.json()["detail"] == "There is nothing at this address."
