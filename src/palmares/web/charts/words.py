"""
Charts in the reader's language: what Vega needs to write numbers and days as he does.

    locale      a language  ->  the part "locale" of a chart's configuration
    days        a language  ->  how an axis of days writes each of its steps
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from babel import Locale

_DAY_AND_MONTH: Mapping[str, str] = {"de": "%-d. %b"}
"""Where a day has a sign of its own."""
_SUNDAY_FIRST = (6, 0, 1, 2, 3, 4, 5)


def days(tag: str) -> dict[str, str]:
    """How an axis of days writes each of its steps: years, months, or days."""
    day = _DAY_AND_MONTH.get(tag, "%-d %b")
    return {
        "year": "%Y",
        "quarter": "%b %Y",
        "month": "%b %Y",
        "week": day,
        "date": day,
        "day": day,
    }


@cache
def locale(tag: str) -> Mapping[str, Any]:
    """The signs of numbers and the names of days and months, as d3 takes them."""
    found = Locale.parse(tag)
    signs = found.number_symbols["latn"]
    names, months = found.days["format"], found.months["format"]
    return {
        "number": {
            "decimal": str(signs["decimal"]),
            "thousands": str(signs["group"]),
            "grouping": [3],
            "currency": ["", ""],
        },
        "time": {
            "dateTime": "%-d %B %Y, %H:%M",
            "date": "%-d %B %Y",
            "time": "%H:%M",
            "periods": ["AM", "PM"],
            "days": [names["wide"][day] for day in _SUNDAY_FIRST],
            "shortDays": [names["abbreviated"][day] for day in _SUNDAY_FIRST],
            "months": [months["wide"][month] for month in range(1, 13)],
            "shortMonths": [months["abbreviated"][month] for month in range(1, 13)],
        },
    }
