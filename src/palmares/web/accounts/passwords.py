"""
Passwords: which are good, how they are stored, how they are checked.

As NIST SP 800-63B-4 and OWASP advise: long, of any characters, no rules about which; what everybody
uses is refused: zxcvbn knows 30,000 stolen passwords, words and names, spelt with 4 for A and
backwards, too. It also gets the words of this site and the person's name.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from threading import BoundedSemaphore
from typing import Any

from palmares.core.errors import Refused
from palmares.core.messages import msg

SHORTEST = 15
LONGEST = 128
GUESSES = 5 * 10**8
"""Guesses that a password withstands; zxcvbn calls 100 million safely unguessable."""
_FIRST = 50
"""Letters that zxcvbn looks at: of 128 it would take seconds, and more only make it harder."""

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
            msg("A password has at least %(least)s letters; a few words are good.", least=SHORTEST)
        )
    if len(text) > LONGEST:
        raise Refused(msg("A password has at most %(most)s letters.", most=LONGEST))
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


def verify(stored: str | None, password: str) -> tuple[bool, bool]:
    """Whether a password is right, and whether its hash should be renewed.

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
            return False, False
    return stored is not None, stored is not None and bool(_hasher().check_needs_rehash(stored))


@cache
def _hasher() -> Any:
    from argon2 import PasswordHasher  # with parameters of OWASP

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@cache
def _unused_hash() -> str:
    import secrets

    return str(_hasher().hash(secrets.token_hex(16)))


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
