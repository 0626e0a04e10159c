"""
What a site is started with: its journal, its secret, the day and the second it is.

    Settings    all of it
    today       the day it is
    second      the second it is
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TextIO

from palmares.web.http.public_url import HERE


def today() -> date:
    """Today in UTC."""
    return datetime.now(UTC).date()


def second() -> int:
    """The second it is, since 1970."""
    return int(time.time())


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a site is started with."""

    journal: str  # a file, or a URL of PostgreSQL
    secret: str  # signs the tokens of forms; kept beside the journal
    public_url: str = HERE  # where browsers reach it; links and feeds are made from it
    day: Callable[[], date] = today  # tests have a day of their own
    clock: Callable[[], int] = second  # and a clock, for what expires
    log: TextIO | None = None  # lines of JSON
    requests: bool = True  # one for every request, too
    fresh: float = 0.5  # seconds after which the head of the journal is looked at again
    upload: int = 20 * 2**20  # bytes
    patience: float = 120  # seconds in which all of a form has to come
    parts: int = 200  # fields of a form
    idle: int = 60 * 60  # seconds without a request after which a sign-in is over
    absolute: int = 12 * 60 * 60  # seconds after which it is over anyway

    @property
    def secure(self) -> bool:
        """Whether browsers come over https: then cookies go no other way."""
        return self.public_url.startswith("https:")
