"""Days as people write them: ``Sun 8 December 2019``, ``August 13-15, 2004``, ``31/12/2019``."""

from __future__ import annotations

import re
from datetime import date

from palmares.facts.decoding import slug

Span = tuple[date, date]
"""The first and the last day."""

_MONTHS = (
    "january januar janvier enero gennaio", "february februar fevrier febrero febbraio",
    "march marz maerz mars marzo", "april avril abril aprile", "may mai mayo maggio",
    "june juni juin junio giugno", "july juli juillet julio luglio", "august aout agosto",
    "september septembre septiembre settembre", "october oktober octobre octubre ottobre",
    "november novembre noviembre", "december dezember decembre diciembre dicembre",
)  # fmt: skip
"""Their names in five languages, without accents; three letters of one are enough."""
_WEEKDAYS = (
    "monday montag lundi lunes lunedi", "tuesday dienstag mardi martes martedi",
    "wednesday mittwoch mercredi miercoles mercoledi", "thursday donnerstag jeudi jueves giovedi",
    "friday freitag vendredi viernes venerdi", "saturday samstag samedi sabado sabato",
    "sunday sonntag dimanche domingo domenica",
)  # fmt: skip
"""Theirs, of which two letters are enough; "di" may be Tuesday or Sunday."""
_LEAST = 3
_MOST_LETTERS = 120
"""Letters of a line in which days are looked for."""
_MOST_WORDS = 9
"""As in ``from Friday 6 December 2019 to Sunday 8 December 2019``."""
_SEPARATORS = " ,;:-\u2013\u2014|"
"""What separates days from the other words of a line."""
_YEAR = re.compile(r"[12]\d{3}", re.ASCII)
_BETWEEN = frozenset({
    "st", "nd", "rd", "th", "er", "of", "the", "to", "and", "from", "bis", "und", "vom", "le", "du",
    "au", "et", "el", "del", "al", "y", "de", "di", "il", "dal", "all", "a", "e", "o",
})  # fmt: skip
"""What stands between or before the parts; an ordinal sign is read as ``a`` or ``o``."""
_SHAPES = frozenset({"DMY", "MDY", "DDMY", "MDDY", "DMDMY", "MDMDY", "DMYDMY", "MDYMDY"})
"""In what order day, month and year of one or of two days may stand."""
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[T ][\d:.]+)?", re.ASCII)
_NUMBERS = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})", re.ASCII)
_RANGE = re.compile(r"(\d{1,2})\.?[-\u2013](\d{1,2})[./](\d{1,2})[./](\d{4})", re.ASCII)
"""Days of one month: ``17.-19.1.2020``."""
_WORD = re.compile(r"[0-9]+|[^\W\d_]+")


def spans_of(text: str) -> list[Span]:
    """Every first and last day that a text may mean.

    Returns:
        Nothing if it is no day, or not the day of the week that is written beside it; two if day
        and month can be read in either order.
    """
    if written := _ISO.fullmatch(text.strip()):
        return _span(list(map(int, written.groups())))
    if written := _NUMBERS.fullmatch(text.strip()):
        first, second, year = map(int, written.groups())
        return sorted({*_span([year, second, first]), *_span([year, first, second])})
    if written := _RANGE.fullmatch(text.strip()):
        first, last, month, year = map(int, written.groups())
        return _span([year, month, first], [year, month, last])
    words = [word for word in _WORD.findall(slug(text)) if word not in _BETWEEN]
    weekdays = [days for word in words if (days := _weekdays(word))]
    parts = [_part(word) for word in words if not _weekdays(word)]
    if "".join(kind for kind, _ in parts) not in _SHAPES:
        return []
    numbers = [[number for kind, number in parts if kind == wanted] for wanted in "YMD"]
    spans = _span([each[0] for each in numbers], [each[-1] for each in numbers])
    return [
        span
        for span in spans
        if all(day.weekday() in days for day, days in zip(span, weekdays, strict=False))
    ]


def days_within(text: str) -> tuple[Span, str] | None:
    """The days that the words of a line have among them: ``Graz, 6-8 December 2019``.

    Returns:
        The longest run of words that is a day or two, and the other words; none where the run may
        mean two.
    """
    words = text.split()
    ends = [at for at, word in enumerate(words, 1) if _YEAR.search(word)][:_MOST_WORDS]
    for count in range(_MOST_WORDS, 0, -1):
        for end in ends:
            run = " ".join(words[end - count : end] if count <= end else [])
            if len(run) <= _MOST_LETTERS and (spans := spans_of(run.strip(",;:()"))):
                before = " ".join(words[: end - count]).rstrip(_SEPARATORS)
                after = " ".join(words[end:]).lstrip(_SEPARATORS)
                others = ", ".join(filter(None, (before, after)))
                return (spans[0], others) if len(spans) == 1 else None
    return None


def _weekdays(word: str) -> set[int]:
    """Which days of the week a word may be, 0 for Monday; none if it is a month's name."""
    if len(word) < _LEAST - 1 or _part(word)[0] == "M":
        return set()
    return {number for number, names in enumerate(_WEEKDAYS)
            if any(name.startswith(word) for name in names.split())}  # fmt: skip


def _part(word: str) -> tuple[str, int]:
    """What a word is, D, M or Y, and which day, month or year; "-" if it is nothing of a date."""
    if word.isdecimal():
        return {1: "D", 2: "D", 4: "Y"}.get(len(word), "-"), int(word)
    months = [number for number, names in enumerate(_MONTHS, 1)
              if any(name.startswith(word) for name in names.split())]  # fmt: skip
    return ("M", months[0]) if len(months) == 1 and len(word) >= _LEAST else ("-", 0)


def _span(first: list[int], last: list[int] | None = None) -> list[Span]:
    """The span from a day to a last one, if the calendar has both in this order."""
    try:
        begin, end = date(*first), date(*(last or first))
    except ValueError:
        return []
    return [(begin, end)] if begin <= end else []
