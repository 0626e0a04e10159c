"""The day of today."""

from datetime import UTC, date, datetime


def today() -> date:
    """Today in UTC, so that the clock's time zone changes no list."""
    return datetime.now(UTC).date()
