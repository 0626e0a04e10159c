"""
What every answer says beside its own, so that browsers keep others out of it.

    HEADERS     whatever the answer is
    SECURE      the same over https
    lines       as they are sent
"""

from __future__ import annotations

from collections.abc import Mapping

CONTENT_SECURITY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
}
SECURE: Mapping[str, str] = {"Strict-Transport-Security": "max-age=31536000"}


def lines(*, secure: bool) -> list[tuple[bytes, bytes]]:
    """The headers of every answer as they are sent, over https or not."""
    told = {**HEADERS, **(SECURE if secure else {})}
    return [(name.lower().encode(), value.encode()) for name, value in told.items()]
