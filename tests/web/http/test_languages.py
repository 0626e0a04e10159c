"""Languages: every message can be said in each, and is said in the one that was asked for."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import msgspec
import pytest
from babel.messages import Catalog
from babel.numbers import format_decimal
from litestar import Litestar

from docs.catalogues import LOCALE, WEB, held, messages, updated
from palmares.core.errors import Refused
from palmares.core.messages import msg, plural
from palmares.web.app import site
from palmares.web.http.errors import problem_document
from palmares.web.http.i18n import LANGUAGES, Wording, chosen, compiled, plain, wording
from palmares.web.settings import Settings
from tests.web.conftest import Client
from tests.web.visits import JSON

TOLD = {"Refused", "Failed", "wrong", "Conflict"}
"""What people are told by; and whatever is called an exception."""

CATALOGUE = Catalog(locale="de")
TRANSLATIONS: dict[str | tuple[str, ...], str | tuple[str, ...]] = {
    "At most %(most)s characters, please.": "Höchstens %(most)s Zeichen, bitte.",
    "Fill in: %(fields)s.": "Bitte ausfüllen: %(fields)s.",
    "Player": "Spieler",
    "Reason": "Grund",
    ("Wait %(many)s minute.", "Wait %(many)s minutes."): (
        "%(many)s Minute warten.",
        "%(many)s Minuten warten.",
    ),
}
for english, german in TRANSLATIONS.items():
    CATALOGUE.add(english, german)
GERMAN = Wording("de", compiled(CATALOGUE))


def unmarked(path: Path) -> list[str]:
    """Words for people that no catalogue will have: they are not said."""
    found = []
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name not in TOLD and not name.endswith("Exception"):
            continue
        words = [
            part
            for part in call.args
            if isinstance(part, ast.JoinedStr)
            or (isinstance(part, ast.Constant) and " " in str(part.value))
        ]
        found += [f"{path.name}:{one.lineno}" for one in words]
    return found


class TestMessages:
    def test_what_people_are_told_is_marked(self) -> None:
        startup = {  # in the operator's terminal
            WEB / "app.py", WEB / "settings.py", WEB / "migrations" / "__init__.py"
        }  # fmt: skip
        programs = {*(WEB / "api").rglob("*.py"), *WEB.rglob("api.py")}  # English is what they read
        files = set(WEB.rglob("*.py")) - startup - programs
        assert {one.name: unmarked(one) for one in files if unmarked(one)} == {}

    def test_a_sentence_that_is_not_marked_is_found(self, tmp_path: Path) -> None:
        path = tmp_path / "one.py"
        path.write_text('raise Refused("No such list.")\nform.wrong("day", f"{day} is none")\n')
        assert unmarked(path) == ["one.py:1", "one.py:2"]

    def test_english_is_the_text_itself(self) -> None:
        assert msg("There is no such list.") == "There is no such list."
        assert msg("At most %(most)s characters, please.", most=2000) == (
            "At most 2,000 characters, please."
        )

    def test_a_message_remembers_its_values(self) -> None:
        told = msg("At most %(most)s characters, please.", most=2000)
        assert GERMAN.text(told) == "Höchstens 2.000 Zeichen, bitte."

    def test_an_exception_does_not_forget_them(self) -> None:
        told = str(Refused(msg("At most %(most)s characters, please.", most=15)))
        assert GERMAN.text(told) == "Höchstens 15 Zeichen, bitte."

    def test_words_of_ours_among_the_values_are_translated(self) -> None:
        told = msg("Fill in: %(fields)s.", fields=("Player", "Reason"))
        assert told == "Fill in: Player, Reason."
        assert GERMAN.text(told) == "Bitte ausfüllen: Spieler, Grund."

    def test_words_of_others_are_not(self) -> None:
        told = msg("Fill in: %(fields)s.", fields="Player")
        assert GERMAN.text(told) == "Bitte ausfüllen: Player."

    @pytest.mark.parametrize(
        ("many", "english", "german"),
        [(1, "Wait 1 minute.", "1 Minute warten."), (2, "Wait 2 minutes.", "2 Minuten warten.")],
    )
    def test_one_or_several(self, many: int, english: str, german: str) -> None:
        told = plural("Wait %(many)s minute.", "Wait %(many)s minutes.", many)
        assert (told, GERMAN.text(told)) == (english, german)

    def test_json_has_the_english_text(self) -> None:
        page = problem_document(422, msg("At most %(most)s characters, please.", most=15), "1")
        found = json.loads(msgspec.json.encode(page, enc_hook=plain))
        assert found["detail"] == "At most 15 characters, please."


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de", "de"), ("de-AT, en;q=0.1", "de"), ("fr;q=0.2,de;q=0.9", "de"), ("de; q=0, fr", "fr"),
        ("de;q=0", "en"), ("de;q=0.0, fr;q=0.1", "fr"), ("de;q=much", "en"), ("*, xx", "en"),
    ],
)  # fmt: skip
def test_the_language_that_a_browser_likes_best(accepted: str, language: str) -> None:
    assert chosen(accepted) == language


class TestSwitch:
    def test_a_choice_is_remembered_and_the_page_shown(self, client: Client) -> None:
        answer = client.get("/players?search=ada&language=de", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/players?search=ada")
        cookie = answer.headers["set-cookie"]
        assert {"language=de", "Path=/", "SameSite=lax", "Max-Age=31536000"} <= {
            one.strip() for one in cookie.split(";")
        }
        assert '<html lang="de">' in client.get("/players").text

    def test_the_choice_wins_over_the_browser(self, client: Client) -> None:
        client.get("/?language=fr")
        assert '<html lang="fr">' in client.get("/", headers={"accept-language": "de"}).text

    def test_over_https_the_cookie_goes_over_https_only(self, settings: Settings) -> None:
        with Client(site(replace(settings, public_url="https://testserver.local"))) as client:
            answer = client.get("/?language=de", follow_redirects=False)
        assert "Secure" in answer.headers["set-cookie"]

    @pytest.mark.parametrize(
        ("asked", "shown"),
        [
            ("//elsewhere.example/?language=de", None),
            ("/%2F%2Felsewhere.example/?language=de", None),
            ("/%5Celsewhere.example/?language=de", None),
            ("//players?language=de", "/players"),
            ("//players/elsewhere.example?language=de", "/players/elsewhere.example"),
            ("/players/%0D%0Ax:y?language=de&b=%0D%0A", "/players/%0D%0Ax%3Ay?b=%0D%0A"),
            ("/events/cup%2Fopen%3F?language=de&team=%C3%A4", "/events/cup%2Fopen%3F?team=%C3%A4"),
        ],
    )
    def test_it_never_leads_elsewhere(self, app: Litestar, asked: str, shown: str | None) -> None:
        path, _, query = asked.partition("?")
        assert started(app, path, query.encode()).get("location") == shown

    def test_a_language_that_we_have_not_is_no_choice(self, client: Client) -> None:
        answer = client.get("/players?language=tlh", follow_redirects=False)
        assert answer.status_code == 400
        assert "There is no language tlh. There are: en, de, fr." in answer.text
        assert "set-cookie" not in answer.headers

    def test_a_form_is_no_choice(self, client: Client) -> None:
        answer = client.post("/sign-in?language=de", follow_redirects=False)
        assert answer.status_code == 422  # no name, no password

    @pytest.mark.parametrize("path", ["/", "/players?search=a", "/sign-in", "/events/a%2Fb"])
    def test_every_page_offers_every_language(self, client: Client, path: str) -> None:
        page = client.get(path).text
        more = "&amp;" if "?" in path else "?"
        for tag, name in LANGUAGES.items():
            start = f'<a href="{path}{more}language={tag}" lang="{tag}" hreflang="{tag}"'
            assert re.search(re.escape(start) + f"[^>]*>{name}</a>", page)

    def test_parts_that_come_later_leave_the_choice_at_the_address_shown(self) -> None:
        """What a script fetches brings the choice along; where the address stays, it must not."""
        tags = [
            (path.name, tag)
            for path in WEB.glob("*/templates/*.html")
            for tag in re.findall(r"<[a-z]+ [^<]*hx-get=[^<]*", path.read_text(encoding="utf-8"))
        ]
        assert len(tags) > 5
        for where, tag in tags:
            moves = "hx-push-url" in tag or "hx-replace-url" in tag
            assert moves != ('hx-select-oob="unset"' in tag), where

    def test_kept_pages_are_not_mixed_up(self, client: Client) -> None:
        german = {"accept-language": "de"}
        first = [client.get("/", headers=one).headers["etag"] for one in ({}, german)]
        again = [client.get("/", headers=one).headers["etag"] for one in ({}, german)]
        assert first == again
        assert first[0] != first[1]
        assert "Accept-Language" in client.get("/").headers["vary"]

    @pytest.mark.parametrize("path", ["/", "/calculators/performance?entry_fee=x", "/nothing/here"])
    def test_json_is_the_same_in_every_language(self, client: Client, path: str) -> None:
        told = [client.get(path, headers={**JSON, "accept-language": one}) for one in LANGUAGES]
        bodies = [{**one.json(), "instance": ""} for one in told]
        assert bodies == [bodies[0]] * len(LANGUAGES)


def started(app: Litestar, path: str, query: bytes) -> dict[str, str]:
    """The headers of an answer to a path as it is: clients would mend it first."""
    found: dict[str, str] = {}

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        found.update((name.decode(), value.decode()) for name, value in message.get("headers", ()))

    scope: Any = {"type": "http", "method": "GET", "scheme": "http",
                  "headers": [(b"host", b"testserver.local")],
                  "path": unquote(path), "raw_path": path.encode(), "query_string": query,
                  "state": {}}  # fmt: skip
    anyio.run(app, scope, receive, send)
    return found


class TestFigures:
    @pytest.mark.parametrize(
        ("text", "english", "german", "french"),
        [
            ("12.03", "12.03", "12,03", "12,03"),
            ("-0.5", "\u22120.5", "\u22120,5", "\u22120,5"),
            ("1,234.5", "1,234.5", "1.234,5", "1\u202f234,5"),
            ("(0.25; 1.5)", "(0.25; 1.5)", "(0,25; 1,5)", "(0,25; 1,5)"),
            (
                "0.333333333… (1/3)",
                "0.333333333… (1/3)",
                "0,333333333… (1/3)",
                "0,333333333… (1/3)",
            ),
            ("2019-12-31", "31 December 2019", "31. Dezember 2019", "31 décembre 2019"),
            (
                "(1; 2; …; 64: 64 numbers)",
                "(1; 2; …; 64: 64 numbers)",
                "(1; 2; …; 64: 64 Zahlen)",
                "(1; 2; …; 64\u00a0: 64 nombres)",
            ),
            (
                "the tournament's report",
                "the tournament's report",
                "die Meldung des Turniers",
                "le rapport du tournoi",
            ),
            ("2015-05", "2015-05", "2015-05", "2015-05"),
            ("P1.5", "P1.5", "P1.5", "P1.5"),
            (
                "{main 0.75, last_chance 0.25}",
                "{main 0.75, last chance 0.25}",
                "{Hauptturnier 0,75, Letzte Chance 0,25}",
                "{tableau principal 0,75, dernière chance 0,25}",
            ),
            ("consolation", "consolation", "Trostturnier", "consolante"),
            ("1.2.3", "1.2.3", "1.2.3", "1.2.3"),
        ],
    )
    def test_numbers_in_texts(self, text: str, english: str, german: str, french: str) -> None:
        said_so = [wording(tag).localized(text) for tag in ("en", "de", "fr")]
        assert said_so == [english, german, french]

    def test_the_terms_of_a_formula(self) -> None:
        """The draw of a match is not that of a bracket."""
        assert [wording(tag).term("draw") for tag in LANGUAGES] == ["draw", "Unentschieden", "nul"]
        assert [wording(tag).formula("event weight × rank points / t") for tag in LANGUAGES] == [
            "event weight × rank points / t",
            "Gewicht der Veranstaltung × Rangpunkte / t",
            "poids de l’épreuve × points de rang / t",
        ]

    @pytest.mark.parametrize(
        ("value", "english", "german", "french"),
        [
            (0, "0", "0", "0"),
            (999, "999", "999", "999"),
            (1000, "1,000", "1.000", "1\u202f000"),
            (-1234567, "\u22121,234,567", "\u22121.234.567", "\u22121\u202f234\u202f567"),
            (Decimal("-0.5"), "\u22120.5", "\u22120,5", "\u22120,5"),
            (Decimal("1234.5"), "1,234.5", "1.234,5", "1\u202f234,5"),
        ],
    )
    def test_numbers(self, value: Any, english: str, german: str, french: str) -> None:
        assert [wording(tag).number(value) for tag in ("en", "de", "fr")] == [
            english,
            german,
            french,
        ]

    @pytest.mark.parametrize(
        ("nanopoints", "english", "german", "french"),
        [
            (5_000_000, "0.01", "0,01", "0,01"),  # half a hundredth is rounded up
            (-500_000_000, "\u22120.50", "\u22120,50", "\u22120,50"),
            (999_990_000_000, "999.99", "999,99", "999,99"),
            (
                -1_234_567_891_234_567,
                "\u22121,234,567.89",
                "\u22121.234.567,89",
                "\u22121\u202f234\u202f567,89",
            ),
        ],
    )
    def test_points(self, nanopoints: int, english: str, german: str, french: str) -> None:
        assert [wording(tag).points(nanopoints) for tag in ("en", "de", "fr")] == [
            english,
            german,
            french,
        ]

    @pytest.mark.parametrize("tag", LANGUAGES)
    def test_numbers_are_written_as_babel_writes_them(self, tag: str) -> None:
        """Which reads its pattern anew for each, so that ours are written by hand."""
        for value in (10**n + 7 for n in range(15)):
            assert wording(tag).number(value) == format_decimal(value, locale=tag)
            minus = format_decimal(-value, locale=tag).replace("-", "\u2212")
            assert wording(tag).number(-value) == minus

    def test_the_first_of_a_month_in_french(self) -> None:
        french = wording("fr")
        assert french.day(date(2019, 1, 1)) == "1er janvier 2019"
        assert french.day(date(2019, 11, 11)) == "11 novembre 2019"
        assert str(french.moment("2026-11-01T09:05:00Z")) == (
            '<time datetime="2026-11-01T09:05:00Z">1er nov. 2026, 09:05</time>'
        )

    def test_a_day_is_there_for_programs_too(self) -> None:
        assert wording("de").dated(date(2020, 1, 2)) == (
            '<time datetime="2020-01-02">2. Januar 2020</time>'
        )

    def test_a_moment(self) -> None:
        at = "2020-01-31T09:05:59.123456Z"
        assert [str(wording(tag).moment(at)).partition(">")[2] for tag in ("en", "de", "fr")] == [
            "31 Jan 2020, 09:05</time>",
            "31.01.2020, 09:05</time>",
            "31 janv. 2020, 09:05</time>",
        ]


OTHERS = [tag for tag in LANGUAGES if tag != "en"]
PLACES = re.compile(r"%(?:\(\w+\))?s|%%")


def forms(text: Any) -> list[str]:
    """The forms of a message or of its translation."""
    return [text] if isinstance(text, str) else list(text)


@pytest.mark.parametrize("language", OTHERS)
class TestCatalogues:
    def test_it_has_what_the_site_says_and_nothing_else(self, language: str) -> None:
        """Where this fails: ``python -m docs.catalogues``, then translate what is empty."""
        in_it = {(m.id if isinstance(m.id, str) else tuple(m.id), m.context)
                 for m in held(language) if m.id}  # fmt: skip
        assert in_it == set(messages())

    def test_it_is_as_the_command_writes_it(self, language: str) -> None:
        same = (LOCALE / f"{language}.po").read_bytes() == updated(language)
        assert same, "run python -m docs.catalogues"  # pytest would compare lines for an hour

    def test_everything_is_translated_and_looked_at(self, language: str) -> None:
        for message in held(language):
            if message.id:
                assert all(forms(message.string)), message.id
                assert not message.fuzzy, message.id

    def test_the_same_values_stand_in_each(self, language: str) -> None:
        for message in held(language):
            if message.id:
                wanted = [sorted(PLACES.findall(one)) for one in forms(message.id)]
                found = [sorted(PLACES.findall(one)) for one in forms(message.string)]
                assert found == wanted, message.id

    def test_values_without_names_keep_their_order(self, language: str) -> None:
        """A translation cannot turn them round; what has to be turned has names."""
        for message in held(language):
            for text in forms(message.id):
                assert "%(" not in text or not re.search(r"%s", text), message.id

    def test_plurals_are_those_of_the_language(self, language: str) -> None:
        known = held(language)
        assert known.num_plurals == 2
        for message in known:
            if message.id and not isinstance(message.id, str):
                assert len(forms(message.string)) == 2


_BREAKS = re.compile("[\\w»)][;!?]|[ \\w»)]:(?!//|\\d)| [;!?»]|«[^\u00a0]|[^\u00a0]»")
"""Where French has no space that holds, or a space that breaks."""


def own_texts(language: str) -> list[str]:
    """Every translation, without what it quotes of a regulation in English."""
    texts = (one for m in held(language) if m.id for one in forms(m.string))
    return [re.sub("“[^“”„]*”", "", text) for text in texts]


class TestTypography:
    def test_french_spaces_do_not_break(self) -> None:
        for text in own_texts("fr"):
            assert not _BREAKS.search(text), text
        for wrong in ("mot:", "mot :", "mot!", "« mot\u00a0»", "«\u00a0mot»"):
            assert _BREAKS.search(wrong), wrong

    def test_french_apostrophes_are_round(self) -> None:
        assert [text for text in own_texts("fr") if "'" in text] == []

    def test_german_quotation_marks_come_in_pairs(self) -> None:
        for text in own_texts("de"):
            assert text.count("„") == text.count("“"), text
            assert '"' not in text, text


class TestPlurals:
    @pytest.mark.parametrize(
        ("many", "german", "french"),
        [(0, "%s Probleme", "%s problème"), (1, "%s Problem", "%s problème"),
         (2, "%s Probleme", "%s problèmes"), (1_000_000, "%s Probleme", "%s problèmes")],
    )  # fmt: skip
    def test_nothing_is_many_in_german_and_one_in_french(
        self, many: int, german: str, french: str
    ) -> None:
        told = [
            wording(tag).translations.ngettext("%s problem", "%s problems", many)
            for tag in ("de", "fr")
        ]
        assert told == [german, french]


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["England", "Scotland", "Wales", "Germany"]),
        ("de", ["England", "Schottland", "Wales", "Deutschland"]),
        ("fr", ["Angleterre", "Écosse", "Pays de Galles", "Allemagne"]),
    ],
)
def test_nations_in_sport_have_a_name_too(language: str, names: list[str]) -> None:
    assert [wording(language).country(code) for code in ("ENG", "SCO", "WAL", "DEU")] == names


def test_what_is_no_time_is_refused_in_the_language_of_the_page(client: Client) -> None:
    page = client.get("/rankings/wbgf?known_at=gestern", headers={"accept-language": "de"})
    assert page.status_code == 400
    assert "gestern ist kein Tag wie 2019-12-31, kein Zeitpunkt wie" in page.text
