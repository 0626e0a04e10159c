"""
Numbers and days as visitors write them in their language, as programs write them.

    number      "50,5" in German  ->  "50.5"
    day         "29.5.2011" in German, "29 May 2011" in English  ->  "2011-05-29"
    date_of     a day that programs write  ->  the day
    Unclear     it can mean two things; what to write for each

What programs write is taken in every language. What is neither stays as it is, so that whoever
checks it can say what is wrong. Days have years of four digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.dates import get_date_format, parse_date
from babel.numbers import NumberFormatError, parse_decimal

from palmares.core.errors import Refused, brief
from palmares.web.http.messages import msg
from palmares.web.http.parameter_errors import no_day

_LONGEST = 40
_PLAIN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_SPACE = re.compile(r"(?<=[0-9])[ \u00a0\u202f](?=[0-9])")
_NUMERIC = re.compile(r"([0-9]{1,2})([./-])[0-9]{1,2}\2[0-9]{4}")
_IN_WORDS = re.compile(r"([0-9]{1,2})(?:\.|er)?\s+([^\W\d_]{3,12})\.?\s+([0-9]{4})")
_ORDERS = {"en": ("en_GB", "en_US")}
"""Where people of one language write a day in several orders."""


class Unclear(Refused):
    """It can mean two things."""


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def number(tag: str, text: str) -> str:
    """A number as programs write it; what is none stays as it is.

    Args:
        tag: the language of whoever typed it; empty: a program.
        text: what was typed.

    Raises:
        Unclear: a point, where the language groups thousands by it: 1.234.
    """
    text = text.strip()
    value = _own(tag, text) if tag and len(text) <= _LONGEST else None
    if value is None:
        return text
    if not _PLAIN.fullmatch(text):
        return f"{value:f}"
    if Decimal(text) == value:
        return text
    raise Unclear(
        msg(
            "'%(text)s' can be two numbers: write %(one)s or %(other)s.",
            text=text,
            one=f"{value:f}",
            other=text.replace(".", _signs(tag)[0]),
        )
    )


def _own(tag: str, text: str) -> Decimal | None:
    """What a text means in a language, if it is written there as numbers are."""
    point, group = _signs(tag)
    if group.isspace():
        text = _SPACE.sub(group, text)
    written = rf"[+-]?[0-9](?:[0-9{re.escape(group)}]*[0-9])?(?:{re.escape(point)}[0-9]+)?"
    if not re.fullmatch(written, text):
        return None
    try:
        return parse_decimal(text, locale=tag, strict=True)
    except NumberFormatError:
        return None


@cache
def _signs(tag: str) -> tuple[str, str]:
    """What stands before decimals, and between thousands."""
    signs = Locale.parse(tag).number_symbols["latn"]
    return str(signs["decimal"]), str(signs["group"])


# ── days ─────────────────────────────────────────────────────────────────────────────────────────


def day(tag: str, text: str) -> str:
    """A day as programs write it; what is none stays as it is.

    Raises:
        Unclear: a month or a day may come first: 05/04/2011 in English.
    """
    text = text.strip()
    if not tag or len(text) > _LONGEST:
        return text
    found = sorted({*_numeric(tag, text), *_in_words(tag, text)})
    if len(found) > 1:
        one, other = (each.isoformat() for each in found)
        raise Unclear(
            msg(
                "'%(text)s' can be two days: write %(one)s or %(other)s.",
                text=text,
                one=one,
                other=other,
            )
        )
    return found[0].isoformat() if found else text


def date_of(text: str) -> date:
    """A day that programs write.

    Raises:
        Refused: it is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    if told := no_day(text):
        raise Refused(told)
    raise Refused(msg("%(text)s is no day; write it like 2019-12-31.", text=brief(text)))


def _numeric(tag: str, text: str) -> Iterator[date]:
    """The days that figures can mean, in each order that the language has."""
    written = _NUMERIC.fullmatch(text)
    if written is None:
        return
    first = int(written[1])
    for locale in _ORDERS.get(tag, (tag,)):
        try:
            found = parse_date(text, locale=locale, format="short")
        except ValueError:
            continue
        if first == (found.day if _day_first(locale) else found.month):  # Babel turns them round
            yield found


@cache
def _day_first(locale: str) -> bool:
    pattern = str(get_date_format("short", locale=locale).pattern)
    return pattern.index("d") < pattern.index("M")


def _in_words(tag: str, text: str) -> Iterator[date]:
    """The day that is written with the name of its month, as pages write it."""
    written = _IN_WORDS.fullmatch(text)
    month = _months(tag).get(written[2].casefold()) if written else None
    if written is None or month is None:
        return
    try:
        yield date(int(written[3]), month, int(written[1]))
    except ValueError:
        return


READ: Mapping[str, Callable[[str, str], str]] = {
    "day": day, "date": day, "decimal": number, "whole": number
}  # fmt: skip
"""How each kind of field, or of column of the facts, is read."""


@cache
def _months(tag: str) -> dict[str, int]:
    """The months by their names, whole and short."""
    names = Locale.parse(tag).months["format"]
    return {
        name.rstrip(".").casefold(): at
        for width in ("wide", "abbreviated")
        for at, name in names[width].items()
    }
