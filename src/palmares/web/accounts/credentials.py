"""
Passwords and one-time codes: which are good, how they are stored and checked.

Passwords follow NIST SP 800-63B-4 and OWASP: long, any characters, common ones refused (zxcvbn,
with the words of this site and the name of the person). One-time codes are TOTP (RFC 6238); for
people who lose their device, an administrator has them set up anew.
"""

from __future__ import annotations

import hmac
import secrets
import unicodedata
from base64 import b32decode, b32encode
from functools import cache
from threading import BoundedSemaphore
from typing import Any

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.database import ACCOUNTS

SHORTEST = 15
LONGEST = 128
GUESSES = 5 * 10**8
"""Guesses that a password withstands; zxcvbn calls 100 million safely unguessable."""
_FIRST = 50
"""Characters that zxcvbn looks at: of 128 it would take seconds, and more only make it harder."""

COMMON = (
    "password", "passwort", "motdepasse", "contrasena", "qwertyuiop", "qwertzuiop", "azertyuiop",
    "asdfghjkl", "zxcvbnm", "qwerty", "qwertz", "azerty", "1q2w3e4r5t", "1qaz2wsx", "letmein",
    "iloveyou", "welcome", "willkommen", "bienvenue", "admin", "administrator", "administrateur",
    "officer", "director", "palmares", "backgammon", "diplomacy", "bridge", "tournament", "secret",
    "geheim", "football", "baseball", "superman", "batman", "dragon", "monkey", "sunshine",
    "princess", "master", "login", "changeme", "default", "trustno1", "correct", "horse",
    "battery", "staple",
)  # fmt: skip
"""Words in most lists of stolen passwords, and words of this site."""

_AT_ONCE = BoundedSemaphore(2)  # each takes 19 MiB


def refuse_weak(password: str, name: str) -> None:
    """Refuse a password that is easily guessed.

    Raises:
        Refused: says why.
    """
    from zxcvbn import zxcvbn

    text = _normalized(password)
    if len(text) < SHORTEST:
        raise Refused(
            msg(
                "A password has at least %(least)s characters; a few words are good.",
                least=SHORTEST,
            )
        )
    if len(text) > LONGEST:
        raise Refused(msg("A password has at most %(most)s characters.", most=LONGEST))
    words = [*COMMON, *_normalized(name).casefold().split()]
    letters = "".join(text.casefold().split())[:_FIRST]
    if zxcvbn(letters, user_inputs=words)["guesses"] < GUESSES:
        raise Refused(
            msg(
                "That password is easily guessed: it is made of your name, of words that everybody"
                " uses, or of rows of letters. Take a few words that do not belong together."
            )
        )


def hash_password(password: str) -> str:
    """A password as it is stored."""
    with _AT_ONCE:
        return str(_hasher().hash(_normalized(password)))


def verify(stored: str | None, password: str) -> bool:
    """Whether a password is right.

    Args:
        stored: the hash; none for an unknown name, which takes the same work.
        password: what was typed.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    text = _normalized(password)
    if len(text) > LONGEST:
        text = ""
    with _AT_ONCE:
        try:
            _hasher().verify(stored or _unused_hash(), text)
        except (VerificationError, InvalidHashError):
            return False
    return stored is not None


def is_outdated(stored: str | None) -> bool:
    """Whether a right password should be hashed anew, with the parameters of today."""
    return stored is not None and bool(_hasher().check_needs_rehash(stored))


@cache
def _hasher() -> Any:
    from argon2 import PasswordHasher  # with parameters of OWASP

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@cache
def _unused_hash() -> str:
    return str(_hasher().hash(secrets.token_hex(16)))


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


# ── one-time codes ───────────────────────────────────────────────────────────────────────────────

SECONDS = 30
ISSUER = "Palmares"


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
