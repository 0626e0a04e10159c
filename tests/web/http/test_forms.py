"""Forms: no larger than is sensible, in text that can be read."""

from __future__ import annotations

from palmares.web.accounts import store
from palmares.web.app import site
from palmares.web.settings import Settings
from tests.web.conftest import Client, signed_in
from tests.web.http.test_errors import changed
from tests.web.visits import JSON, enter


def test_a_form_of_visitors_is_small(client: Client) -> None:
    fields = {"name": "x" * 70_000}
    assert client.post("/sign-in", data=fields, headers=JSON).status_code == 413


def test_forms_have_not_too_many_parts(client: Client) -> None:
    files = {f"f{number}": ("", b"x") for number in range(201)}
    assert client.post("/sign-in", files=files, headers=JSON).status_code == 413


def test_a_part_in_no_language_is_the_senders_mistake(client: Client) -> None:
    part = (
        b'--x\r\nContent-Disposition: form-data; name="name"\r\n'
        b"Content-Type: text/plain; charset=martian\r\n\r\n\xff\r\n--x--\r\n"
    )
    headers = JSON | {
        "content-type": "multipart/form-data; boundary=x",
    }
    assert client.post("/sign-in", content=part, headers=headers).status_code == 400


def test_hostile_names_do_no_harm(client: Client, director: store.AccountRecord) -> None:
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
    with Client(app) as client:
        client.cookies.set("palmares", signed_in(app.state.app_state, "administrator"))
        files = {"file": ("report.toml", b"x" * 5001)}
        path = "/administrator/invitations"
        assert client.post(path, files=files, headers=JSON).status_code == 413
        small = {"file": ("report.toml", b"x" * 4000)}
        assert client.post(path, files=small, headers=JSON).status_code == 422
