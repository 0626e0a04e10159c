"""
One-time codes (TOTP, RFC 6238), and codes for who lost the device.

    fresh       a new secret
    sealed      a secret as it is stored
    opened      and back
    address     what an authenticator reads: otpauth://…
    picture     the same to be photographed
    grouped     a secret as people type it
    spend       use a code; none is good twice
    recovery    ten new recovery codes; those before are good no longer
    recover     use a recovery code
"""

from __future__ import annotations

import hmac
import secrets
from base64 import b32decode, b32encode
from hashlib import sha256

import sqlalchemy as sa

from palmares.web.tables import ACCOUNTS, RECOVERY

SECONDS = 30
ISSUER = "Palmares"
_COUNT = 10
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def fresh() -> str:
    """A new secret, in base32."""
    import pyotp

    return str(pyotp.random_base32())


def sealed(key: str, secret: str) -> str:
    """A secret as it is stored: nobody reads it in a copy of the journal.

    Hidden under the site's own secret by HMAC-SHA256 in counter mode: one block, used once.
    """
    nonce = secrets.token_bytes(16)
    return f"{nonce.hex()}.{_hidden(key, nonce, b32decode(secret)).hex()}"


def opened(key: str, stored: str) -> str:
    """A secret that was sealed; another one altogether where the site's own secret changed."""
    nonce, _, hidden = stored.partition(".")
    return b32encode(_hidden(key, bytes.fromhex(nonce), bytes.fromhex(hidden))).decode()


def _hidden(key: str, nonce: bytes, plain: bytes) -> bytes:
    pad = hmac.digest(key.encode(), b"one-time codes" + nonce, "sha256")
    return bytes(one ^ other for one, other in zip(plain, pad, strict=False))


def address(secret: str, name: str) -> str:
    """What an authenticator reads."""
    import pyotp

    return str(pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=ISSUER))


def picture(address: str) -> str:
    """An address as a QR code: SVG to stand in a page, black on white whatever the page's colours.

    Nothing of the address stands in it as text, and no style.
    """
    import segno

    found = segno.make_qr(address, error="m")
    return str(found.svg_inline(omitsize=True, svgclass=None, lineclass=None, light="#fff"))


def grouped(secret: str) -> str:
    """A secret as people type it, four letters at a time."""
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


def step_of(secret: str, code: str, now: int) -> int | None:
    """The half minute that a code is of: this one, the one before, the next; none if wrong."""
    import pyotp

    typed = "".join(code.split())
    made = pyotp.TOTP(secret)
    found = None
    for step in range(now // SECONDS - 1, now // SECONDS + 2):
        if hmac.compare_digest(made.generate_otp(step).encode(), typed.encode()):
            found = step
    return found


def spend(connection: sa.Connection, account: int, secret: str, code: str, now: int) -> bool:
    """Use a code; whether it was right, and not used before."""
    step = step_of(secret, code, now)
    if step is None:
        return False
    changed = connection.execute(
        sa.update(ACCOUNTS)
        .where(ACCOUNTS.c.id == account, ACCOUNTS.c.step < step)
        .values(step=step)
    )
    return bool(changed.rowcount)


def recovery(connection: sa.Connection, account: int) -> tuple[str, ...]:
    """Ten new recovery codes, of 80 random bits each; only their hashes are stored."""
    forget(connection, account)
    made = tuple("".join(secrets.choice(_LETTERS) for _ in range(16)) for _ in range(_COUNT))
    connection.execute(
        sa.insert(RECOVERY), [{"hash": _hashed(one), "account": account} for one in made]
    )
    return tuple("-".join(one[at : at + 4] for at in range(0, 16, 4)) for one in made)


def recover(connection: sa.Connection, account: int, code: str) -> bool:
    """Use a recovery code; whether there was such a one."""
    plain = "".join(one for one in code.lower() if one in _LETTERS)
    gone = connection.execute(
        sa.delete(RECOVERY).where(RECOVERY.c.account == account, RECOVERY.c.hash == _hashed(plain))
    )
    return bool(gone.rowcount)


def forget(connection: sa.Connection, account: int) -> None:
    """Recovery codes are good no longer."""
    connection.execute(sa.delete(RECOVERY).where(RECOVERY.c.account == account))


def _hashed(code: str) -> str:
    return sha256(code.encode()).hexdigest()
