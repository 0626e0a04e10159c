"""What a site is started with: its journal, its secret, its address, the day it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from ipaddress import ip_address
from typing import TextIO
from urllib.parse import urlsplit

from palmares.core.clock import today
from palmares.core.errors import Refused, brief
from palmares.core.settings import SETTINGS

PALMARES = "Palmares"
HERE = "http://127.0.0.1:8000"
_PORTS = {"http": 80, "https": 443}
_SHORTEST = 32  # characters of a secret
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_FORM = "Write the address at which browsers reach the site, like https://rankings.example"


def public_url(text: str) -> str:
    """An address of a site in one spelling: in small letters, without a slash at its end.

    Args:
        text: the address as typed, such as "https://Rankings.example/".

    Raises:
        Refused: it is no address of a whole site.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise Refused(f"{brief(text)} is no address. {_FORM}.") from error
    host = parts.hostname or ""
    plain = host.isascii() and host.replace(":", "").replace("-", "").replace(".", "").isalnum()
    if parts.scheme not in _PORTS or not plain or "@" in parts.netloc:
        raise Refused(f"{brief(text)} is no address of a site. {_FORM}.")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise Refused(f"{brief(text)}: the site is a whole host, not a part of one. {_FORM}.")
    return f"{parts.scheme}://{_netloc(host, port, parts.scheme)}"


def address(given: str | None, host: str, port: int) -> str:
    """The address of a site: as given, or where it listens if only this machine reaches that.

    Args:
        given: the address as typed, if any.
        host: where the site listens.
        port: where it listens there.

    Raises:
        Refused: it is no address of a site, or other machines come in and none was given.
    """
    if given is not None:
        return public_url(given)
    if not is_loopback(host):
        raise Refused(
            f"--host {brief(host)} lets other machines in. Add --public-url URL, the address at"
            " which browsers reach the site, like https://rankings.example."
        )
    return f"http://{_netloc(host, port, 'http')}"


def check_secret(secret: str) -> str:
    """The secret of a site.

    Raises:
        Refused: it is too short.
    """
    if len(secret) < _SHORTEST:
        raise Refused(
            f"A secret has at least {_SHORTEST} characters:"
            " python3 -c 'import secrets; print(secrets.token_hex(32))' makes one."
        )
    return secret


def is_loopback(host: str) -> bool:
    """Whether a host name or an address is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _netloc(host: str, port: int | None, scheme: str) -> str:
    """Host and port as browsers send them: no port where the scheme says it."""
    host_name = f"[{host}]" if ":" in host else host
    return host_name if port in (None, _PORTS[scheme]) else f"{host_name}:{port}"


def hosts(url: str) -> frozenset[bytes]:
    """What ``Host`` may be at an address; this machine alone has several names."""
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or _PORTS[parts.scheme]
    names = {f"[{host}]" if ":" in host else host}
    if is_loopback(host):
        names.update(_LOOPBACK)
    allowed = {f"{name}:{port}" for name in names}
    if port == _PORTS[parts.scheme]:
        allowed |= names
    return frozenset(name.encode() for name in allowed)


def second() -> int:
    """The time now, in whole seconds since 1970."""
    return int(time.time())


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a site is started with."""

    journal: str  # a file, or a URL of PostgreSQL
    secret: str  # signs the tokens of forms; kept beside the journal
    name: str = PALMARES  # whose site it is, such as a federation; it heads every page
    accent: str = SETTINGS["accent"].default  # its colour, "#" and six digits
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
    one_click: Mapping[str, str] = field(default_factory=dict)  # in a demonstration: who may be
    # signed in as by one click on this machine, by role; elsewhere nobody

    @property
    def secure(self) -> bool:
        """Whether browsers come over https: then cookies go no other way."""
        return self.public_url.startswith("https:")

    def cookie(self, name: str) -> str:
        """The name of a cookie; over https one that no neighbour under our domain can set."""
        return f"__Host-{name}" if self.secure else name
