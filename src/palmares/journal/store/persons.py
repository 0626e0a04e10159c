"""
Names, stored apart from the chain: an entry has the seal of a name, not the name.

The seal (a commitment) is the sha256 of a random salt of 32 bytes and the record in canonical JSON.
To erase a name, salt and record are deleted: the chain stays valid, and no guess can be tested.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from palmares.core.canonical import canonical, is_canonical

SEALING, ERASING = ("player", "transfer"), "erasure"
"""The kinds of entries that have the seals of new names (players, donors), and of erased ones."""
_HEX = re.compile(r"[0-9a-f]{64}")


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The data of a player or donor that can be erased."""

    name: str
    ids: Mapping[str, str] = {}  # elsewhere: {"usbgf": "12345"}
    more: Mapping[str, str] = {}  # additional columns of a report

    def record(self) -> str:
        """The person in canonical JSON, without empty fields."""
        return canonical(msgspec.to_builtins(self))

    @classmethod
    def read(cls, record: str) -> Person:
        """The person of a record."""
        return _PERSON.decode(record)


_PERSON = msgspec.json.Decoder(Person)


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed name; without salt and record, it was erased or left out of an export."""

    commitment: str
    salt: str | None
    record: str | None

    @property
    def is_sound(self) -> bool:
        """Whether the record fits the seal and is a person's, whatever types a database holds."""
        if self.salt is None or self.record is None:
            return self.salt is None and self.record is None
        try:
            Person.read(self.record)
            return (
                _HEX.fullmatch(self.salt) is not None
                and is_canonical(self.record)
                and _commitment(self.salt, self.record) == self.commitment
            )
        except (msgspec.MsgspecError, UnicodeError, TypeError, AttributeError):
            return False

    def person(self) -> Person | None:
        """The person, unless erased or left out."""
        return None if self.record is None else Person.read(self.record)

    def emptied(self) -> Sealed:
        """The seal without the name."""
        return Sealed(self.commitment, None, None)


def seal(person: Person) -> Sealed:
    """A person's record under a fresh salt."""
    salt, record = secrets.token_hex(32), person.record()
    return Sealed(_commitment(salt, record), salt, record)


def _commitment(salt: str, record: str) -> str:
    return sha256(bytes.fromhex(salt) + record.encode()).hexdigest()
