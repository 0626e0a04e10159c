"""Charts in the reader's language."""

from __future__ import annotations

import re
from typing import Any

import pytest
from vl_convert import vegalite_to_svg

from palmares.journal.store.journal import Journal
from palmares.render.charts.style import styled
from palmares.web.http.i18n import wording
from tests.web.conftest import Client
from tests.web.seasons import winter

ADA = "/players/P1/wbgf/2019-12-31"
TEXT = re.compile(r"<text[^>]*>([^<]+)</text>")


@pytest.fixture(autouse=True)
def season(journal: Journal) -> None:
    """A short season."""
    winter(journal)


def words(client: Client, address: str, language: str) -> list[str]:
    """The texts of a picture."""
    picture = client.get(address, headers={"accept-language": language})
    return TEXT.findall(picture.text)


@pytest.mark.parametrize(
    ("language", "points", "rank", "month"),
    [
        ("en", "points", "rank", "Dec 2019"),
        ("de", "Punkte", "Rang", "Dez. 2019"),
        ("fr", "points", "rang", "déc. 2019"),
    ],
)
def test_axes(client: Client, language: str, points: str, rank: str, month: str) -> None:
    told = words(client, f"{ADA}/history.svg", language)
    assert {points, rank, month} <= set(told)


def test_figures_have_the_signs_of_the_language() -> None:
    bar = {"mark": "bar", "encoding": {"y": {"field": "a", "type": "quantitative"}}}
    told = {
        tag: styled([bar], [{"a": 0.4}, {"a": 1200.1}], "light", wording(tag), description="")
        for tag in ("en", "de", "fr")
    }
    found = {tag: TEXT.findall(vegalite_to_svg(chart)) for tag, chart in told.items()}
    assert "1,200" in found["en"]
    assert "1.200" in found["de"]
    assert "1\u202f200" in found["fr"]


def test_days_of_tips(client: Client) -> None:
    told = client.get(f"{ADA}/points.json", headers={"accept-language": "fr"}).json()
    assert told["data"]["values"][0]["on"] == "15 novembre 2019"
    assert told["data"]["values"][0]["day"] == "2019-11-15"  # where the axis puts it


def test_pictures_of_languages_are_not_mixed_up(client: Client) -> None:
    def asked(language: str) -> Any:
        return client.get(f"{ADA}/history.svg", headers={"accept-language": language})

    first, other = asked("en"), asked("de")
    assert first.headers["etag"] != other.headers["etag"]
    assert asked("en").headers["etag"] == first.headers["etag"]
    assert "Accept-Language" in other.headers["vary"]
