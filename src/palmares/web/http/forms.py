"""What handlers of forms share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

_LONGEST = 2000
_DIGITS = 18
"""Of a number; what is longer is none of ours."""
_QUOTED = "!#$%&'()*+,/:;=?@[]~"
"""What stands in addresses as it is; a header takes no letters beyond ASCII."""


def field(form: Mapping[str, Any], name: str) -> str:
    """A text of a form; empty if there is none."""
    found = form.get(name, "")
    return found.strip("\r\n") if isinstance(found, str) else ""


def version(form: Mapping[str, Any]) -> int:
    """The version that somebody saw; 0, which none has, where a form brings no number."""
    text = field(form, "version")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else 0


def inside(address: str) -> str:
    """An address of ours, with its query; empty if it leads elsewhere."""
    if not address.startswith("/") or len(address) > _LONGEST or not address.isprintable():
        return ""
    if address.startswith("//") or "\\" in address:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return "" if parts.scheme or parts.netloc else quote(address, safe=_QUOTED)
