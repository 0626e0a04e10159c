"""The drand beacon, chain quicknet: when a round is due, and whether its signature is right."""

from __future__ import annotations

from palmares.core.extras import installed

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
_PUBLIC_KEY = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d"
    "1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8"
    "991ef5ece45a"
)
_FIRST_ROUND, _PERIOD = 1692803367, 3  # Unix time, seconds


def time_of(number: int) -> int:
    """When a round is due, as Unix time."""
    return _FIRST_ROUND + _PERIOD * (number - 1)


def round_at(moment: int) -> int:
    """The first round that is due at a Unix time, or later."""
    return max(1, -(-(moment - _FIRST_ROUND) // _PERIOD) + 1)


def verifies() -> bool:
    """Whether the library that verifies signatures is installed."""
    return installed("draw")


def is_signed(number: int, signature: str) -> bool:
    """Whether a signature is that of a round; BLS12-381, signature in G1 (RFC 9380)."""
    from drand_verify import verify_quicknet

    try:
        return bool(verify_quicknet(number, signature, _PUBLIC_KEY))
    except ValueError:  # no point of the curve, or not the one that was signed
        return False
