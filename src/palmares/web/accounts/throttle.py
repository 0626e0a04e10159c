"""
Sign-ins that failed: whoever guesses has to wait.

    wait        seconds that somebody has to wait before the next try; 0: none
    failed      note a try that failed
    forgotten   what was noted of a name counts no longer, for whoever got it right
    token_wait, token_failed    the same of tokens, by the address they come from
    proof_wait, proof_failed    the same of passwords that the signed-in type once more
    from_where  a request  ->  the address that tries are counted for
    Tries       where Litestar counts requests of a minute, right or wrong

Counted in a quarter of an hour: five for one name from one address, thirty for one name from
anywhere, thirty for anything from one address. So whoever knows a name and has six addresses can
keep it from signing in, from every address, for as long as they go on; without this limit, whoever
has many could guess without end. Whoever is signed in already stays so and is not held up: tries of
theirs are counted apart. Names and addresses are stored as hashes that the site's secret goes into.

Of IPv6 an address is its /64, which one house has. Whoever rents a server gets a /48 with 65,536 of
these; but a university has one, too. So a /48 has three hundred, as ten houses have: enough for a
campus, and little for whoever guesses.
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic
from typing import Any

import sqlalchemy as sa
from litestar.connection import ASGIConnection
from litestar.stores.base import Store

from palmares.web.accounts.people import key_of
from palmares.web.tables import ATTEMPTS

SPAN = 15 * 60
HERE, ANYWHERE, AROUND = 5, 30, 300
MOST = 10_000
"""Addresses whose requests of the last minute are counted; about 5 MB."""

Counted = tuple[tuple[str, int], ...]
"""Whom a try is counted for, and how many of them have failed when the next one has to wait."""


def wait(connection: sa.Connection, secret: str, name: str, address: str, now: int) -> int:
    """Seconds that somebody has to wait before the next try; 0: none."""
    return _longest(connection, _counted(secret, name, address), now)


def _longest(connection: sa.Connection, counted: Counted, now: int) -> int:
    return max(_left(connection, who, most, now) for who, most in counted)


def _left(connection: sa.Connection, who: str, most: int, now: int) -> int:
    """Seconds until fewer than so many tries of somebody count."""
    query = (
        sa.select(ATTEMPTS.c.at)
        .where(ATTEMPTS.c.who == who, ATTEMPTS.c.at > now - SPAN)
        .order_by(ATTEMPTS.c.at.desc())
        .offset(most - 1)
        .limit(1)
    )
    earliest = connection.execute(query).scalar()
    return 0 if earliest is None else int(earliest) + SPAN - now


def failed(connection: sa.Connection, secret: str, name: str, address: str, now: int) -> None:
    """Note a try that failed; what is older than the span goes."""
    _noted(connection, _counted(secret, name, address), now)


def _noted(connection: sa.Connection, counted: Counted, now: int) -> None:
    connection.execute(sa.delete(ATTEMPTS).where(ATTEMPTS.c.at <= now - SPAN))
    connection.execute(sa.insert(ATTEMPTS), [{"who": who, "at": now} for who, _ in counted])


def forgotten(connection: sa.Connection, secret: str, name: str, address: str) -> None:
    """What was noted of a name from this address counts no longer."""
    who, _ = _counted(secret, name, address)[0]
    connection.execute(sa.delete(ATTEMPTS).where(ATTEMPTS.c.who == who))


def token_wait(connection: sa.Connection, secret: str, address: str, now: int) -> int:
    """Seconds that programs of an address have to wait after too many wrong tokens; 0: none.

    Nobody guesses a token. But a program whose token has run out asks on and on; a good token is
    taken meanwhile, and nobody's sign-in is slowed down by it.
    """
    return _left(connection, _hidden(secret, f"token {address}"), ANYWHERE, now)


def token_failed(connection: sa.Connection, secret: str, address: str, now: int) -> None:
    """Note a wrong token; what is older than the span goes."""
    _noted(connection, ((_hidden(secret, f"token {address}"), ANYWHERE),), now)


def proof_wait(connection: sa.Connection, secret: str, account: int, address: str, now: int) -> int:
    """Seconds that somebody who is signed in has to wait before typing the password again; 0: none.

    Five from one address and thirty from anywhere, of those that came with a session of the
    account: nobody else adds to them.
    """
    return _longest(connection, _proofs(secret, account, address), now)


def proof_failed(
    connection: sa.Connection, secret: str, account: int, address: str, now: int
) -> None:
    """Note a wrong password of somebody who is signed in; what is older than the span goes."""
    _noted(connection, _proofs(secret, account, address), now)


def from_where(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """The address that tries are counted for; of IPv6 the network, which one house has."""
    host = connection.client.host if connection.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped:  # as a proxy for both may say it
        return str(address.ipv4_mapped)
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)


class Tries(Store):
    """Where Litestar counts requests of a minute by address: what is over goes, and the oldest.

    Its own store keeps every address that ever came.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()

    async def set(
        self, key: str, value: str | bytes, expires_in: int | timedelta | None = None
    ) -> None:
        """Keep what was counted of an address; all of it is kept for the same time."""
        seconds = expires_in.seconds if isinstance(expires_in, timedelta) else expires_in or SPAN
        now = self._clock()
        self._kept.pop(key, None)
        self._kept[key] = now + seconds, value.encode() if isinstance(value, str) else value
        while len(self._kept) > MOST or next(iter(self._kept.values()))[0] <= now:
            self._kept.popitem(last=False)

    async def get(self, key: str, renew_for: int | timedelta | None = None) -> bytes | None:
        """What was counted of an address; it is never kept for longer."""
        del renew_for
        until, value = self._kept.get(key, (0.0, b""))
        return value if until > self._clock() else None

    async def delete(self, key: str) -> None:
        """Forget an address."""
        self._kept.pop(key, None)

    async def delete_all(self) -> None:
        """Forget all of them."""
        self._kept.clear()

    async def exists(self, key: str) -> bool:
        """Whether anything is counted of an address."""
        return await self.get(key) is not None

    async def expires_in(self, key: str) -> int | None:
        """Seconds until it is over."""
        until, _ = self._kept.get(key, (0.0, b""))
        left = until - self._clock()
        return int(left) if left > 0 else None


def _proofs(secret: str, account: int, address: str) -> Counted:
    return (
        (_hidden(secret, f"proof {account} {address}"), HERE),
        (_hidden(secret, f"proof {account}"), ANYWHERE),
    )


def _counted(secret: str, name: str, address: str) -> Counted:
    key = key_of(name)
    found = (
        (_hidden(secret, f"both {address} {key}"), HERE),
        (_hidden(secret, f"name {key}"), ANYWHERE),
        (_hidden(secret, f"address {address}"), ANYWHERE),
    )
    if not address.endswith("/64"):
        return found
    around = ip_network(address).supernet(new_prefix=48)
    return (*found, (_hidden(secret, f"around {around}"), AROUND))


def _hidden(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), text.encode("utf-8", "replace"), sha256).hexdigest()
