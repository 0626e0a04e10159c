"""The federation's name, colour and logo: stored on the site, else as the server was started."""

from __future__ import annotations

from dataclasses import replace

from palmares.web.federation.views import logo_type
from palmares.web.http.state import AppState, Federation, write_site_settings
from tests.web.conftest import Client

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


def store(app_state: AppState, **values: bytes | None) -> None:
    with app_state.journal.database.writing() as connection:
        write_site_settings(connection, values)


def test_without_stored_settings_those_of_the_server_apply(app_state: AppState) -> None:
    app_state.settings = replace(app_state.settings, name="Lakes Federation", accent="#7a1f3d")
    app_state.snapshot(at_once=True)
    assert app_state.federation == Federation(name="Lakes Federation", accent="#7a1f3d")


def test_stored_settings_apply_first_and_at_once(app_state: AppState) -> None:
    before = app_state.version(app_state.snapshot(at_once=True))
    store(app_state, name=b"Hill Club", words=b"Welcome.\nHow we count.")
    after = app_state.version(app_state.snapshot(at_once=True))
    found = app_state.federation
    assert (found.name, found.accent) == ("Hill Club", app_state.settings.accent)
    assert found.words == "Welcome.\nHow we count."
    assert before != after  # so pages that visitors were sent are made again


def test_a_removed_setting_gives_way_to_the_servers(app_state: AppState) -> None:
    store(app_state, accent=b"#102030")
    store(app_state, accent=None)
    app_state.snapshot(at_once=True)
    assert app_state.federation.accent == app_state.settings.accent


def test_the_logo_is_sent_as_what_it_is(client: Client, app_state: AppState) -> None:
    assert client.get("/federation/logo").status_code == 404
    store(app_state, logo=PNG)
    answer = client.get("/federation/logo")
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")


def test_a_page_or_a_drawing_with_scripts_is_no_logo() -> None:
    assert logo_type(b"\xff\xd8\xff\xe0 photo") == "image/jpeg"
    assert logo_type(b"<svg onload='alert(1)'/>") == ""
    assert logo_type(b"") == ""
