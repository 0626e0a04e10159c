"""Forms: only our own are taken, and no more of them than is sensible."""

from __future__ import annotations

from litestar.testing import TestClient

from palmares.web.accounts import store
from palmares.web.app import site
from palmares.web.settings import Settings
from tests.web.conftest import GOOD, Client, signed_in
from tests.web.http.test_errors import changed
from tests.web.visits import JSON, enter


def test_a_form_without_its_token_is_refused(client: Client, director: store.Person) -> None:
    fields = {"name": director.name, "password": GOOD}
    assert client.post("/sign-in", data=fields, headers=JSON).status_code == 403
    client.get("/sign-in")
    assert client.post("/sign-in", data=fields, headers=JSON).status_code == 403
    forged = fields | {"_csrf_token": "0" * 128}
    assert client.post("/sign-in", data=forged, headers=JSON).status_code == 403


def test_nor_one_from_elsewhere(client: Client, director: store.Person) -> None:
    client.get("/sign-in")
    fields = {"name": director.name, "password": GOOD, "_csrf_token": client.cookies["forms"]}
    headers = JSON | {"sec-fetch-site": "cross-site"}
    assert client.post("/sign-in", data=fields, headers=headers).status_code == 403


def test_a_form_of_visitors_is_small(client: Client) -> None:
    client.get("/sign-in")
    fields = {"name": "x" * 70_000, "_csrf_token": client.cookies["forms"]}
    assert client.post("/sign-in", data=fields, headers=JSON).status_code == 413


def test_forms_have_not_too_many_parts(client: Client) -> None:
    client.get("/sign-in")
    headers = JSON | {"x-csrftoken": client.cookies["forms"]}
    files = {f"f{number}": ("", b"x") for number in range(201)}
    assert client.post("/sign-in", files=files, headers=headers).status_code == 413


def test_a_part_in_no_language_is_the_senders_mistake(client: Client) -> None:
    client.get("/sign-in")
    part = (
        b'--x\r\nContent-Disposition: form-data; name="name"\r\n'
        b"Content-Type: text/plain; charset=martian\r\n\r\n\xff\r\n--x--\r\n"
    )
    headers = JSON | {
        "content-type": "multipart/form-data; boundary=x",
        "x-csrftoken": client.cookies["forms"],
    }
    assert client.post("/sign-in", content=part, headers=headers).status_code == 400


def test_hostile_names_do_no_harm(client: Client, director: store.Person) -> None:
    for name in (
        "<script>alert(1)</script>",
        "' OR 1=1 --",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        "𝓓" * 9000,
    ):
        answer = enter(client, name[:5000])
        assert answer.status_code == 422
        assert "<script>alert" not in answer.text


def test_nothing_has_a_nul_in_it(client: Client) -> None:
    assert enter(client, "Di\x00ta").status_code == 400
    assert client.get("/sign-in?next=%00").status_code == 400
    assert client.get("/assets/%00").status_code == 400


def test_an_upload_is_as_large_as_the_site_says(settings: Settings) -> None:
    """Also of somebody who may, and whatever the sender says of its length."""
    app = site(changed(settings, upload=5000))
    with TestClient(app) as client:
        client.cookies.set("palmares", signed_in(app.state.app_state, "administrator"))
        client.get("/")
        headers = JSON | {"x-csrftoken": client.cookies["forms"]}
        files = {"file": ("report.toml", b"x" * 5001)}
        path = "/administrator/invitations"
        assert client.post(path, files=files, headers=headers).status_code == 413
        small = {"file": ("report.toml", b"x" * 4000)}
        assert client.post(path, files=small, headers=headers).status_code == 422
