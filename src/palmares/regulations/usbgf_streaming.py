"""
USBGF Streaming Funding Policy: what the fund guarantees for a tournament, and what carries over.

    Introduction    expenses
    3.1             guarantee
    3.2             baggage
    4.3             carried over

Units: amounts are of the currency that the edition file names. The numbers the text fixes are in
``rules/usbgf-streaming/<edition>.toml``, with the readings S1 to S12.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from palmares.regulations.protocol import Regulation
from palmares.regulations.tracing import clause


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    streaming_day: Any
    baggage: Any


@clause("usbgf-streaming expenses")
def expenses(guarantee: Any, baggage: Any) -> Any:
    """What a tournament costs the fund."""
    return guarantee + baggage


@clause("usbgf-streaming guarantee")
def guarantee(constants: Constants, days: Any) -> Any:
    """The minimum payment to the streamer for so many days of streaming."""
    return days * constants.streaming_day


@clause("usbgf-streaming baggage")
def baggage(constants: Constants) -> Any:
    """The baggage fees of a tournament."""
    return constants.baggage


@clause("usbgf-streaming carried-over")
def carried_over(raised: Any, expenses: Any) -> Any:
    """What is left for other tournaments; negative: what the fund bears (reading S7)."""
    return raised - expenses


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="usbgf-streaming",
    title="USBGF Streaming Funding Policy",
    discipline="backgammon",
    constants=Constants,
)
