"""What a site is started with: its journal, its secret, the day it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime


def today() -> date:
    """Today in UTC."""
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a site is started with."""

    journal: str  # a file, or a URL of PostgreSQL
    secret: str  # signs the tokens of forms; kept beside the journal
    secure: bool = False  # cookies over https only
    day: Callable[[], date] = today  # tests have a day of their own
    fresh: float = 0.5  # seconds after which the head of the journal is looked at again
    pages: int = 2000  # finished pages that are kept
    upload: int = 20 * 2**20  # bytes
