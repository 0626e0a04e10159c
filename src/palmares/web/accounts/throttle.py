"""
Failed tries are counted, so that guessing takes too long.

Limits in a quarter of an hour: five for one name from one address, thirty for one name from
anywhere, thirty for anything from one address. An attacker with six addresses can therefore keep a
name from signing in while the attack lasts; without this limit, one with many addresses could
guess without end. People who are signed in are not affected: their tries are counted separately.
Names and addresses are stored as hashes made with the site's secret.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

import sqlalchemy as sa
from litestar.connection import ASGIConnection

from palmares.web.accounts.store import name_key
from palmares.web.database import ATTEMPTS

SPAN = 15 * 60
HERE, ANYWHERE, AROUND = 5, 30, 300
Limits = tuple[tuple[str, int], ...]
"""What a try is counted for, and after how many failures the next try has to wait."""


def login_limits(secret: str, name: str, address: str) -> Limits:
    """The limits of a sign-in by a name from an address.

    An IPv6 address counts as its /64, which is one house. A rented server comes with a /48, which
    is 65,536 of these; so does a university. A /48 may fail three hundred times: enough for a
    campus, too few to guess a password.
    """
    key = name_key(name)
    limits = [(f"both {address} {key}", HERE), (f"name {key}", ANYWHERE)]
    limits.append((f"address {address}", ANYWHERE))
    if address.endswith("/64"):
        limits.append((f"around {ip_network(address).supernet(new_prefix=48)}", AROUND))
    return limits_of(secret, *limits)


def limits_of(secret: str, *limits: tuple[str, int]) -> Limits:
    """What a try is counted for, hashed, each with so many tries at most."""
    key = secret.encode()
    return tuple(
        (hmac.new(key, who.encode("utf-8", "replace"), sha256).hexdigest(), most)
        for who, most in limits
    )


def seconds_to_wait(connection: sa.Connection, limits: Limits, now: int) -> int:
    """Seconds until the next try is allowed; 0: now."""
    wait = 0
    for who, most in limits:
        query = (
            sa.select(ATTEMPTS.c.at)
            .where(ATTEMPTS.c.who == who, ATTEMPTS.c.at > now - SPAN)
            .order_by(ATTEMPTS.c.at.desc())
            .offset(most - 1)
            .limit(1)
        )
        earliest = connection.execute(query).scalar()
        wait = max(wait, 0 if earliest is None else int(earliest) + SPAN - now)
    return wait


def record_failure(connection: sa.Connection, limits: Limits, now: int) -> None:
    """Record a failed try; delete those older than the span."""
    connection.execute(sa.delete(ATTEMPTS).where(ATTEMPTS.c.at <= now - SPAN))
    connection.execute(sa.insert(ATTEMPTS), [{"who": who, "at": now} for who, _ in limits])


def forget_failures(connection: sa.Connection, limits: Limits) -> None:
    """Forget failed tries of this name from this address: the password was right."""
    connection.execute(sa.delete(ATTEMPTS).where(ATTEMPTS.c.who == limits[0][0]))


def client_address(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    """The address that tries are counted for; of IPv6 the network, which one house has."""
    host = connection.client.host if connection.client else ""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped  # as a proxy for both may say it
        return str(mapped or ip_network((address, 64), strict=False))
    return str(address)
