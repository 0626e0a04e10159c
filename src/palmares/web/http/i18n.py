"""
Languages: messages from catalogues, numbers and days as a locale writes them.

Catalogues are text (``locale/de.po``), read when the site starts: nothing has to be compiled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl, urlencode

from babel import Locale, localedata
from babel.core import negotiate_locale
from babel.dates import format_date
from babel.languages import get_official_languages
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from litestar import Response
from litestar.datastructures import Cookie
from litestar.status_codes import HTTP_303_SEE_OTHER
from litestar.types import Scope
from markupsafe import Markup, escape

from palmares.core import messages
from palmares.core.errors import Refused, brief
from palmares.core.messages import LocalNumber, Message, capital, msg, plural, reworded
from palmares.core.rounding import MINUS, points_text
from palmares.facts.codes import SPORT
from palmares.facts.schema import FLIGHTS

HINTS: Mapping[str, str] = {
    "correct-report-or-id": msg(
        "If these are two people, correct the report; if the id is another now,"
        " tell an officer: ids elsewhere are changed by command."
    ),
    "replace-no-longer": msg("Say under Names no longer that this is replaced."),
    "say-replaces": msg("If yours is right, say under Names that it replaces what is there."),
    "say-so": msg("If they are one player, say so under Names."),
    "say-so-or-change-id": msg(
        "If they are one player, say so under Names. If not, give this one another id, or none."
    ),
    "say-which-part": msg(
        "%(player)s was not merged into another. Say which of these becomes a separate player"
        " again: %(parts)s. Or decide “Someone else played”, and name the tournaments."
    ),
    "say-who": msg("Say who this is, under Names."),
    "write-or-say": msg(
        "Write the id into the report, %(example)s, or say who this is, under Names."
    ),
}
"""The wording of hints on pages: Names is a section of a director's page."""

FOR_OFFICERS: Mapping[str, str] = {
    "replace-no-longer": msg(
        "Return the report: its director says no longer that this is replaced."
    ),
    "say-replaces": msg(
        "If this one is right, return the report: its director says that it replaces what is there."
    ),
    "say-so": msg("If they are one player, return the report: its director says so."),
    "say-so-or-change-id": msg(
        "If they are one player, return the report: its director says so, or gives this one another"
        " id, or none."
    ),
    "say-who": msg("Return the report: its director says who this is."),
    "write-or-say": msg(
        "Return the report: its director writes the id into it, or says who this is."
    ),
}
"""What hints say to an officer who looks at a report."""


def plain(text: Any) -> str:
    """English text as the site says it.

    Raises:
        NotImplementedError: it is no text.
    """
    return messages.english(reworded(text, HINTS))


WORDS = (
    # disciplines
    msg("backgammon"), msg("bridge"), msg("diplomacy"),
    # where an event was played
    msg("live"), msg("online"),
    # nations in sport
    msg("England"), msg("Scotland"), msg("Wales"), msg("Northern Ireland"), msg("Kosovo"),
    # kinds of points
    msg("performance"), msg("match"), msg("placement"), msg("rating"), msg("total"),
    # kinds of events
    msg("championship"), msg("intermediate"), msg("super jackpot"), msg("other"),
    # how a flight was played
    msg("knockout"), msg("double knockout"), msg("swiss"), msg("round robin"),
    # cells and rows of a corrected report
    msg("empty"), msg("added"), msg("removed"),
    # states of a report
    msg("draft"), msg("submitted"), msg("returned"), msg("rejected"), msg("approved"),
    msg("withdrawn"),
    # kinds of entries
    msg("report"), msg("withdrawal"), msg("player"), msg("erasure"), msg("membership"),
    msg("merge"), msg("apart"), msg("rate"), msg("override"), msg("undo"),
    msg("publication"), msg("draw"), msg("reveal"), msg("notice"),
    # money of a fund
    msg("donation"), msg("payment"), msg("contribution"),
    # roles
    msg("director"), msg("officer"), msg("administrator"),
)  # fmt: skip
"""Words in facts and entries that pages show."""
VALUES = (
    msg("yes"), msg("no"), msg("you"), msg("this match"), msg("the tournament's report"),
    # what says on which day points count
    msg("end_date of the tournament"), msg("completed_on of the event"),
    msg("played_on of its last match"), msg("played_on of the match"),
    msg("date_of_record of the event"), msg("date_of_record of the tournament"),
)  # fmt: skip
"""What goes into a clause, or comes out of it, in words of ours."""


LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "fr": "Français"}
_IN_FULL = {"en": "en_GB"}
"""Where a language writes days in several ways: the one that the regulations use."""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"(?<![\w.,/-])-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?![\w/-]|[.,][0-9])")
"""A number as Python writes it, alone between spaces and brackets."""
_FLIGHT = re.compile(rf"\b(?:{'|'.join(FLIGHTS)})\b")
_SO_MANY = re.compile(r"([0-9]+) numbers\)\Z")
_TERM = re.compile(r"[a-z]+(?: [a-z]+)*")
DAYS = 1000
"""How many days are cached in words: pages show the same ones again and again."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One language."""

    tag: str
    translations: NullTranslations

    @property
    def colon(self) -> str:
        """A colon, with the space that French has before it."""
        return "\u00a0:" if self.tag == "fr" else ":"

    @property
    def semicolon(self) -> str:
        """A semicolon, with the narrow space that French has before it."""
        return "\u202f;" if self.tag == "fr" else ";"

    def text(self, message: str) -> str:
        """A message; in English if the catalogue has no translation."""
        if not isinstance(message, Message):
            return self.translations.gettext(message) if message else ""
        if message.code in HINTS:
            return self.text(reworded(message, HINTS))
        words = (
            self.translations.ngettext(message.message, message.several, message.many)
            if message.several
            else self.text(message.message)
        )
        sentence = words % {name: self._value(value) for name, value in message.values.items()}
        return capital(sentence) if message.begins else sentence

    def _value(self, value: Any) -> str:
        if isinstance(value, tuple):
            return ", ".join(self.text(part) for part in value)
        if isinstance(value, LocalNumber):
            return self.localized(value)
        if isinstance(value, Message):
            return self.text(value)
        return self.number(value) if isinstance(value, int) else str(value)

    def term(self, name: str) -> str:
        """A name of a constant, a table or a number in a formula: ``rank_factor``."""
        return self.translations.pgettext("term", name.replace("_", " ")) if name else ""

    def formula(self, names: str) -> str:
        """The terms of a sum: "grade × format factor"."""
        return _TERM.sub(lambda match: self.term(match[0]), names)

    def points(self, nanopoints: int) -> str:
        """Points, rounded half up to the hundredth, as pages show them."""
        units, _, decimals = points_text(nanopoints).partition(".")
        group, point = _signs(self.tag)
        sign = MINUS if units.startswith("-") else ""  # of -0.50, too
        number = f"{int(units.lstrip('-')):,}".replace(",", group)
        return f"{sign}{number}{point}{decimals}"

    def number(self, value: Any) -> str:
        """A whole number, or another with up to nine decimals."""
        if type(value) is int:  # a list has hundreds of them, and Babel reads its pattern for each
            text = f"{value:,}".replace(",", _signs(self.tag)[0])
        else:
            text = format_decimal(value, format="#,##0.#########", locale=self.tag)
        return text.replace("-", MINUS)

    def localized(self, text: str) -> str:
        """What a clause or a scale made: numbers, "(0.25; 1.5)"; a day; a flight; a yes."""
        if text in VALUES:
            return self.text(text)
        if text in FLIGHTS or text.startswith("{"):
            text = _FLIGHT.sub(lambda match: self.text(match[0].replace("_", " ")), text)
        if many := _SO_MANY.search(text):
            numbers = self.text(plural("%(many)s number", "%(many)s numbers", int(many[1])))
            text = f"{text[: many.start()].removesuffix(': ')}{self.colon} {numbers})"
        return self.when(text) if _DAY.fullmatch(text) else _NUMBER.sub(self._localize, text)

    def _localize(self, match: re.Match[str]) -> str:
        group, point = _signs(self.tag)
        return match[0].translate({ord(","): group, ord("."): point, ord("-"): MINUS})

    def country(self, code: str) -> str:
        """The name of a nation; empty where we know none."""
        two = two_letters().get(code)
        if two:
            return str(_locale(self.tag).territories.get(two, ""))
        return self.text(SPORT.get(code, ""))

    def when(self, text: str) -> str:
        """A day that was typed, in words; a moment or an entry as it is."""
        try:
            return self.day(date.fromisoformat(text))
        except ValueError:
            return text

    def day(self, value: date | None) -> str:
        """A day in words: 31 December 2019."""
        return "" if value is None else _in_words(self.tag, value, "long")

    def dated(self, value: date | None, form: str = "long") -> Markup:
        """A day in words for a page, marked up for programs; in the form "medium": 31 Dec 2019."""
        return _time(value.isoformat(), _in_words(self.tag, value, form)) if value else Markup()

    def moment(self, text: str) -> Markup:
        """A moment in UTC, to the minute, for a page."""
        at = datetime.fromisoformat(text)
        return _time(text, f"{_in_words(self.tag, at.date(), 'medium')}, {at:%H:%M}")


@lru_cache(DAYS)
def _in_words(tag: str, value: date, form: str) -> str:
    words = format_date(value, form, locale=_locale(_IN_FULL.get(tag, tag)))
    return words.replace("1", "1er", 1) if tag == "fr" and value.day == 1 else words


@lru_cache(DAYS)
def _time(exact: str, words: str) -> Markup:
    return Markup(f'<time datetime="{escape(exact)}">{escape(words)}</time>')  # noqa: S704


@cache
def two_letters() -> Mapping[str, str]:
    """ISO's codes of two letters by those of three."""
    import pycountry

    return {country.alpha_3: country.alpha_2 for country in pycountry.countries}


def own_names(code: str) -> list[str]:
    """The names of a nation in its official languages; none where we know none."""
    two = two_letters().get(code, "")
    tags = filter(localedata.exists, get_official_languages(two))
    return [str(_locale(tag).territories.get(two, "")) for tag in tags]


@cache
def _locale(tag: str) -> Locale:
    return Locale.parse(tag)


@cache
def _signs(tag: str) -> tuple[str, str]:
    """The separators of thousands and of decimals."""
    symbols = _locale(tag).number_symbols["latn"]
    return str(symbols["group"]), str(symbols["decimal"])


@cache
def wording(tag: str) -> Wording:
    """The wording of a language that we have."""
    if tag == "en":
        return Wording(tag, NullTranslations())
    text = (files("palmares.web") / "locale" / f"{tag}.po").read_bytes()
    return Wording(tag, compiled(read_po(BytesIO(text), locale=tag)))


def compiled(catalogue: Catalog) -> GNUTranslations:
    """A catalogue as gettext reads it."""
    content = BytesIO()
    write_mo(content, catalogue)
    content.seek(0)
    return GNUTranslations(content)


_ACCEPTED = re.compile(r"\s*([\w-]+)\s*(?:;\s*q=([01](?:\.\d*)?)\s*)?", re.ASCII | re.IGNORECASE)
"""A language that a browser accepts, and how much: 0 is not at all."""


@lru_cache(maxsize=256)
def chosen(accepted: str, choice: str | None = None) -> str:
    """The language that is asked for, else the first that a browser accepts, else English."""
    if choice in LANGUAGES:
        return str(choice)
    parts = filter(None, map(_ACCEPTED.fullmatch, accepted.split(",")[:20]))
    wanted = [(-float(part[2] or 1), part[1]) for part in parts]
    tags = [tag for weight, tag in sorted(wanted, key=lambda pair: pair[0]) if weight]
    language = negotiate_locale(tags, list(LANGUAGES), sep="-")
    return language or "en"


# ── where a reader chooses a language ─────────────────────────────────────────────────────────────


COOKIE = "language"
_YEAR = 365 * 24 * 60 * 60


def switch_language(scope: Scope, language: str, *, secure: bool) -> Response[bytes]:
    """Lead to the same address without ``?language=``, and remember the language in a cookie.

    Raises:
        Refused: the site does not have this language.
    """
    if language not in LANGUAGES:
        raise Refused(
            msg(
                "There is no language %(asked)s. There are: %(known)s.",
                asked=brief(language),
                known=", ".join(LANGUAGES),
            )
        )
    cookie = Cookie(
        key=COOKIE, value=language, max_age=_YEAR, path="/",
        secure=secure, httponly=True, samesite="lax",
    )  # fmt: skip
    headers = {"Location": _address(scope), "Cache-Control": "no-store"}
    return Response(b"", status_code=HTTP_303_SEE_OTHER, headers=headers, cookies=[cookie])


def _address(scope: Scope, **language: str) -> str:
    """The address of a request with another language, or with none; always one of this site."""
    given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    rest = [(name, value) for name, value in given if name != COOKIE]
    query = urlencode([*rest, *language.items()])
    path = "/" + scope["path"].lstrip("/")  # with two slashes a browser would go elsewhere
    return f"{path}?{query}" if query else path


def offered(scope: Scope | None = None) -> Mapping[str, str]:
    """The addresses at which a page is said in each language.

    Args:
        scope: of the request for the page; none: the front page.
    """
    return {
        tag: _address(scope, language=tag) if scope else f"/?{COOKIE}={tag}" for tag in LANGUAGES
    }
