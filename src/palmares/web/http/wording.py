"""
Languages: messages from catalogues, numbers and days as a locale writes them.

    LANGUAGES   the languages of the site, by tag
    Wording     one language: its messages, points, numbers, days
    wording     a tag  ->  Wording
    chosen      what a browser asks for  ->  the tag of a language that we have

Catalogues are text (``locale/de.po``), read when the site starts: nothing has to be compiled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Any

from babel import Locale
from babel.core import negotiate_locale
from babel.dates import format_date
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from markupsafe import Markup

from palmares.core.messages import reworded
from palmares.core.rounding import shown
from palmares.facts.codes import SPORT
from palmares.web.http.hints import HINTS
from palmares.web.http.messages import LocalNumber, Message, capital

LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "fr": "Français"}
_IN_FULL = {"en": "en_GB"}
"""Where a language writes days in several ways: the one that the regulations use."""
CONTEXT = "\x04"
"""Between a context and its message, as gettext has it."""
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER = re.compile(r"(?<![\w.,/-])-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?![\w/,-]|\.[0-9])")
"""A number as Python writes it, alone between spaces and brackets."""
DAYS = 1000
"""So many days are remembered in words: the same ones stand on page after page."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One language."""

    tag: str
    messages: Mapping[Any, Any]

    def text(self, message: str) -> str:
        """A message; English stands where the catalogue has nothing."""
        if isinstance(message, Message):
            return self._said(message)
        return self.messages.get(message) or message

    def _said(self, told: Message) -> str:
        if told.code in HINTS:
            return self.text(reworded(told, HINTS))
        found = self._filled(told)
        return capital(found) if told.begins else found

    def _filled(self, told: Message) -> str:
        words = (
            self.texts(told.message, told.several, told.many)
            if told.several
            else self.text(told.message)
        )
        return words % {name: self._value(value) for name, value in told.values.items()}

    def _value(self, value: Any) -> str:
        if isinstance(value, tuple):
            return ", ".join(self.text(one) for one in value)
        if isinstance(value, LocalNumber):
            return self.figures(value)
        if isinstance(value, Message):
            return self.text(value)
        return self.number(value) if isinstance(value, int) else str(value)

    def text_of(self, context: str, message: str) -> str:
        """A message that means several things: the context says which."""
        return self.messages.get(f"{context}{CONTEXT}{message}") or message

    def texts(self, one: str, several: str, many: int) -> str:
        """A message for one thing or for several, as the language counts."""
        forms = self.messages.get((one, several))
        single = _locale(self.tag).plural_form(many) == "one"
        if forms and all(forms):
            return str(forms[0] if single else forms[-1])
        return one if many == 1 else several

    def points(self, nanopoints: int, places: int = 2) -> str:
        """Points, rounded half up to the hundredth, as lists show them."""
        whole, _, part = shown(nanopoints).partition(".")
        group, point = _signs(self.tag)
        sign = "-" if whole.startswith("-") else ""  # of -0.50, too
        number = f"{int(whole.lstrip('-')):,}".replace(",", group)
        return f"{sign}{number}{point}{part[:places]}" if part else f"{sign}{number}"

    def number(self, value: Any) -> str:
        """A whole number, or another with up to nine decimals."""
        if type(value) is int:  # a list has hundreds of them, and Babel reads its pattern for each
            return f"{value:,}".replace(",", _signs(self.tag)[0])
        return format_decimal(value, format="#,##0.#########", locale=self.tag)

    def figures(self, text: str) -> str:
        """Numbers in a text that a clause or a scale made, "(0.25; 1.5)"; a day; a yes."""
        if text in ("yes", "no"):
            return self.text(text)
        return self.when(text) if _DAY.fullmatch(text) else _NUMBER.sub(self._figure, text)

    def _figure(self, found: re.Match[str]) -> str:
        group, point = _signs(self.tag)
        whole, _, part = found[0].partition(".")
        return whole.replace(",", group) + (point + part if part else "")

    def country(self, code: str) -> str:
        """The name of a nation; empty where we know none."""
        two = _two_letters().get(code)
        return str(_locale(self.tag).territories.get(two, "")) if two else SPORT.get(code, "")

    def when(self, text: str) -> str:
        """A day that was typed, in words; a moment or an entry as it is."""
        try:
            return self.day(date.fromisoformat(text))
        except ValueError:
            return text

    def day(self, value: date | None) -> str:
        """A day in words: 31 December 2019."""
        return "" if value is None else _in_words(self.tag, value)

    def dated(self, value: date | None) -> Markup:
        """The same for a page, with the day as programs read it."""
        return _marked(self.tag, value) if value else Markup()

    def moment(self, text: str) -> Markup:
        """A moment in UTC, to the minute, for a page."""
        at = datetime.fromisoformat(text)
        day = format_date(at, "medium", locale=_IN_FULL.get(self.tag, self.tag))
        return _time(text, f"{day}, {at:%H:%M}")


@lru_cache(DAYS)
def _in_words(tag: str, value: date) -> str:
    return format_date(value, "long", locale=_IN_FULL.get(tag, tag))


@lru_cache(DAYS)
def _marked(tag: str, value: date) -> Markup:
    return _time(value.isoformat(), _in_words(tag, value))


def _time(exact: str, words: str) -> Markup:
    return Markup('<time datetime="{}">{}</time>').format(exact, words)


@cache
def _two_letters() -> Mapping[str, str]:
    """ISO's codes of two letters by those of three."""
    import pycountry

    return {one.alpha_3: one.alpha_2 for one in pycountry.countries}


@cache
def _locale(tag: str) -> Locale:
    return Locale.parse(tag)


@cache
def _signs(tag: str) -> tuple[str, str]:
    """What stands between groups of three figures, and before decimals."""
    symbols = _locale(tag).number_symbols["latn"]
    return str(symbols["group"]), str(symbols["decimal"])


@cache
def wording(tag: str) -> Wording:
    """The wording of a language that we have."""
    if tag == "en":
        return Wording(tag, {})
    text = (files("palmares.web") / "locale" / f"{tag}.po").read_bytes()
    catalogue = read_po(BytesIO(text), locale=tag)
    found: dict[Any, Any] = {}
    for message in catalogue:
        if message.id and message.string:
            key = tuple(message.id) if isinstance(message.id, (list, tuple)) else message.id
            if message.context:
                key = f"{message.context}{CONTEXT}{key}"
            found[key] = message.string
    return Wording(tag, found)


@lru_cache(maxsize=256)
def chosen(accepted: str, asked: str | None = None) -> str:
    """The language that is asked for, else the first that a browser accepts, else English."""
    if asked in LANGUAGES:
        return str(asked)
    wanted = []
    for part in accepted.split(",")[:20]:
        tag, _, weight = part.strip().partition(";q=")
        try:
            wanted.append((-float(weight or 1), tag.strip()))
        except ValueError:
            continue
    tags = [tag for _, tag in sorted(wanted, key=lambda one: one[0]) if tag]
    found = negotiate_locale(tags, list(LANGUAGES), sep="-")
    return found or "en"
