"""
Names beside the chain: an entry has the seal of a name, not the name.

A commitment is the sha256 of 32 random bytes followed by the record, in canonical JSON. Without the
salt nobody can find out by trying whose name it was: to erase a person, both are thrown away, and
the chain still holds.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from palmares.core.canonical import canonical, is_canonical

BRINGS, ERASES = "player", "erasure"
_HEX = re.compile(r"[0-9a-f]{64}")


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a player and may be erased."""

    name: str
    ids: Mapping[str, str] = {}  # elsewhere: {"usbgf": "12345"}
    more: Mapping[str, str] = {}  # what a report said beside the contract

    def record(self) -> str:
        """The person in canonical JSON; what is empty is left out."""
        return canonical(msgspec.to_builtins(self))

    @classmethod
    def read(cls, record: str) -> Person:
        """The person of a record."""
        return _PERSON.decode(record)


_PERSON = msgspec.json.Decoder(Person)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A record beside the chain; without salt and record, it was erased or withheld."""

    commitment: str
    salt: str | None
    record: str | None

    @property
    def sound(self) -> bool:
        """Whether the record is the one that was sealed; nothing is left to check of one erased."""
        if self.salt is None or self.record is None:
            return self.salt is None and self.record is None
        if not (_HEX.fullmatch(self.salt) and is_canonical(self.record)):
            return False
        return _commitment(self.salt, self.record) == self.commitment

    def person(self) -> Person | None:
        """Whose record it is, if it is still there."""
        return None if self.record is None else Person.read(self.record)


def seal(person: Person) -> Sealed:
    """A person's record under a fresh salt."""
    salt, record = secrets.token_hex(32), person.record()
    return Sealed(_commitment(salt, record), salt, record)


def _commitment(salt: str, record: str) -> str:
    return sha256(bytes.fromhex(salt) + record.encode()).hexdigest()
