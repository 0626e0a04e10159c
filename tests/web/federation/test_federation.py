"""An administrator sets the federation's name, colour, logo and words on a page of the site."""

from __future__ import annotations

import pytest

from palmares.web.federation.views import contrast
from palmares.web.http.state import AppState, Federation
from tests.web.conftest import AsRole, Client
from tests.web.visits import JSON

PAGE = "/administrator/federation"
PNG = b"\x89PNG\r\n\x1a\n" + b"picture"


def test_settings_are_saved_and_shown_at_once(
    app_state: AppState, as_role: AsRole, client: Client
) -> None:
    administrator = as_role("administrator")
    form = {"name": " Hill   Club ", "accent": "#ffd000", "words": "Welcome.", "two_officers": "1"}
    answer = administrator.post(
        PAGE, data=form, files={"logo": ("club.png", PNG, "image/png")}, follow_redirects=False
    )
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}?saved=true")
    assert "Saved. Every page shows it" in administrator.get(answer.headers["location"]).text
    assert "Saved." not in administrator.get(PAGE).text
    found = app_state.federation
    assert (found.name, found.accent, found.words) == ("Hill Club", "#ffd000", "Welcome.")
    assert found.two_officers
    assert client.get(f"/federation/logo?v={found.logo}").content == PNG
    page = administrator.get(PAGE, headers=JSON).json()
    assert (page["text_colour"], page["federation"]["name"]) == ("black", "Hill Club")
    assert 'value="#ffd000"' in administrator.get(PAGE).text
    assert client.get("/federation.css").text == ":root { --accent: #ffd000; }\n"


def test_what_is_left_blank_is_as_the_server_was_started(
    app_state: AppState, as_role: AsRole
) -> None:
    administrator = as_role("administrator")
    administrator.post(PAGE, data={"name": "Hill Club", "two_officers": "1"})
    administrator.post(PAGE, data={"name": "", "accent": "", "words": ""})
    found = app_state.federation
    assert (found.name, found.accent) == (app_state.settings.name, app_state.settings.accent)
    assert not found.two_officers


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"name": "a" * 61}, "at most 60 visible characters"),
        ({"accent": "red; background: url(x)"}, "is no colour"),
        ({"words": "a" * 1001}, "at most 1,000 characters"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    app_state: AppState, as_role: AsRole, form: dict[str, str], words: str
) -> None:
    answer = as_role("administrator").post(PAGE, data=form)
    assert answer.status_code == 422
    assert words in answer.text
    assert app_state.federation == Federation(name="Palmares", accent=app_state.settings.accent)


def test_the_contrast_is_that_of_the_colour_that_was_typed(as_role: AsRole) -> None:
    answer = as_role("administrator").post(PAGE, data={"name": "a" * 61, "accent": "#ffffff"})
    assert 'value="#ffffff"' in answer.text
    assert "Text on this colour is black, with a contrast of 21.0 to 1." in answer.text


def test_a_drawing_with_scripts_is_no_logo(app_state: AppState, as_role: AsRole) -> None:
    files = {"logo": ("logo.png", b"<svg onload='alert(1)'/>", "image/png")}
    answer = as_role("administrator").post(PAGE, data={"name": "Hill Club"}, files=files)
    assert answer.status_code == 422
    assert "A logo is a PNG, JPEG or GIF picture of at most 200 KiB." in answer.text
    assert app_state.federation == Federation(name="Palmares", accent=app_state.settings.accent)


def test_a_photograph_is_too_large_and_costs_no_words(as_role: AsRole) -> None:
    files = {"logo": ("logo.png", PNG + b"0" * 3_000_000, "image/png")}
    answer = as_role("administrator").post(PAGE, data={"words": "Welcome."}, files=files)
    assert answer.status_code == 422
    assert "A logo is a PNG, JPEG or GIF picture of at most 200 KiB." in answer.text
    assert "Welcome." in answer.text


def test_only_administrators_set_it(as_role: AsRole) -> None:
    assert as_role("officer").post(PAGE, data={"name": "Mine"}).status_code == 403


def test_contrast_is_as_wcag_defines_it() -> None:
    assert contrast("#000000") == ("white", 21.0)
    assert contrast("#ffffff") == ("black", 21.0)
    assert contrast("#767676") == ("black", 4.6)  # white on it: 4.54
    assert contrast("#0c5a78")[0] == "white"


def test_a_refused_field_costs_no_other(as_role: AsRole) -> None:
    answer = as_role("administrator").post(
        PAGE,
        data={"name": "Hill Club", "accent": "#ffd000", "words": "Long words."},
        files={"logo": ("club.svg", b"<svg/>", "image/svg+xml")},
    )
    assert answer.status_code == 422
    for typed in ("Hill Club", "#ffd000", "Long words."):
        assert typed in answer.text
