"""The glossary: a page in three languages, to whose lines pages lead."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from docs.catalogues import WEB
from palmares.cli import cli
from palmares.web.http.routing import to
from palmares.web.regulations.glossary import GLOSSARY
from tests.web.conftest import Client

WORDS = {word for words in GLOSSARY.values() for word in words}
ASKED_FOR = {"flight", "facts", "award", "edition", "reading", "journal", "entry", "publication",
             "withheld"}  # fmt: skip


def test_the_glossary_has_the_words_that_were_asked_for() -> None:
    assert ASKED_FOR <= WORDS


@pytest.mark.parametrize(
    ("language", "withheld"),
    [
        ("en", "A player whose name is not shown."),
        ("de", "Eine Person, deren Name nicht gezeigt wird."),
        ("fr", "Une personne dont le nom n’est pas montré."),
    ],
)
def test_each_word_has_a_line_of_its_own(client: Client, language: str, withheld: str) -> None:
    page = client.get(to.glossary(), headers={"accept-language": language}).text
    assert re.findall(r'<dt id="([^"]+)"', page) == [
        word.replace(" ", "-") for words in GLOSSARY.values() for word in words
    ]
    assert withheld in page


def test_pages_and_help_lead_to_it(client: Client) -> None:
    assert f'href="{to.glossary()}"' in client.get("/").text
    assert to.glossary() in CliRunner().invoke(cli, ["--help"]).output


def test_pages_lead_to_words_that_it_has() -> None:
    named = {
        word
        for path in WEB.glob("*/templates/*.html")
        for word in re.findall(r'ui\.term\("([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= {word.replace(" ", "-") for word in WORDS}
