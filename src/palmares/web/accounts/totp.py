"""One-time codes (TOTP, RFC 6238), and recovery codes for who lost the device."""

from __future__ import annotations

import hmac
import secrets
from base64 import b32decode, b32encode

import sqlalchemy as sa

from palmares.web.accounts.store import hash_token
from palmares.web.tables import ACCOUNTS, RECOVERY

SECONDS = 30
ISSUER = "Palmares"
_COUNT = 10
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def new_secret() -> str:
    """A new secret, in base32."""
    import pyotp

    return str(pyotp.random_base32())


def seal(key: str, secret: str) -> str:
    """A secret as it is stored, unreadable in a copy of the journal.

    Hidden under the site's own secret by HMAC-SHA256 in counter mode: one block, used once.
    """
    nonce = secrets.token_bytes(16)
    return f"{nonce.hex()}.{_hidden(key, nonce, b32decode(secret)).hex()}"


def unseal(key: str, stored: str) -> str:
    """A secret that was sealed; another one altogether where the site's own secret changed."""
    nonce, _, hidden = stored.partition(".")
    return b32encode(_hidden(key, bytes.fromhex(nonce), bytes.fromhex(hidden))).decode()


def _hidden(key: str, nonce: bytes, plain: bytes) -> bytes:
    pad = hmac.digest(key.encode(), b"one-time codes" + nonce, "sha256")
    return bytes(byte ^ mask for byte, mask in zip(plain, pad, strict=False))


def provisioning_uri(secret: str, name: str) -> str:
    """What an authenticator reads."""
    import pyotp

    return str(pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=ISSUER))


def qr_code(address: str) -> str:
    """An address as a QR code: SVG to stand in a page, black on white whatever the page's colours.

    Nothing of the address stands in it as text, and no style.
    """
    import segno

    code = segno.make_qr(address, error="m")
    return str(code.svg_inline(omitsize=True, svgclass=None, lineclass=None, light="#fff"))


def grouped(secret: str) -> str:
    """A secret as people type it, four letters at a time."""
    return " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))


def time_step(secret: str, code: str, now: int) -> int | None:
    """The half minute that a code is of: this one, the one before, the next; none if wrong."""
    import pyotp

    typed, totp, now_step = "".join(code.split()).encode(), pyotp.TOTP(secret), now // SECONDS
    steps = range(now_step - 1, now_step + 2)
    right = [hmac.compare_digest(totp.generate_otp(step).encode(), typed) for step in steps]
    return max((step for step, same in zip(steps, right, strict=True) if same), default=None)


def use_code(connection: sa.Connection, account: int, secret: str, code: str, now: int) -> bool:
    """Use a code; whether it was right and unused."""
    step = time_step(secret, code, now)
    if step is None:
        return False
    changed = connection.execute(
        sa.update(ACCOUNTS)
        .where(ACCOUNTS.c.id == account, ACCOUNTS.c.step < step)
        .values(step=step)
    )
    return bool(changed.rowcount)


def new_recovery_codes(connection: sa.Connection, account: int) -> tuple[str, ...]:
    """Ten new recovery codes, of 80 random bits each; only their hashes are stored."""
    forget_recovery_codes(connection, account)
    codes = tuple("".join(secrets.choice(_LETTERS) for _ in range(16)) for _ in range(_COUNT))
    connection.execute(
        sa.insert(RECOVERY), [{"hash": hash_token(code), "account": account} for code in codes]
    )
    return tuple("-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in codes)


def use_recovery_code(connection: sa.Connection, account: int, code: str) -> bool:
    """Use a recovery code; whether there was such a one."""
    plain = "".join(letter for letter in code.lower() if letter in _LETTERS)
    gone = connection.execute(
        sa.delete(RECOVERY).where(
            RECOVERY.c.account == account, RECOVERY.c.hash == hash_token(plain)
        )
    )
    return bool(gone.rowcount)


def forget_recovery_codes(connection: sa.Connection, account: int) -> None:
    """Delete the recovery codes of an account."""
    connection.execute(sa.delete(RECOVERY).where(RECOVERY.c.account == account))
