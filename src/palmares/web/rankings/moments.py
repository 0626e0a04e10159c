"""Seconds since 1970, as pages show them."""

from __future__ import annotations

from datetime import UTC, date, datetime


def day_of(second: int) -> date:
    """The day of a second, in UTC."""
    return datetime.fromtimestamp(second, UTC).date()
