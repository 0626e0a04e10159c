"""
Names beside the chain: an entry has the seal of a name, not the name.

    Person      what a journal knows of a player beyond his id: name, ids elsewhere, the rest
    Sealed      a person's record, its salt, and the commitment that an entry carries
    seal        Person  ->  Sealed, with a fresh salt
    seals       a kind of entry and its body  ->  the commitments that the body holds
    BRINGS      the kind of entry beside which names are laid
    ERASES      the kind of entry that throws them away

A commitment is the sha256 of 32 random bytes followed by the record, in canonical JSON. Without the
salt nobody can find out by trying whose name it was: to erase a person, both are thrown away, and
the chain still holds.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from palmares.errors import Refused, brief
from palmares.journal.entries import canonical, is_canonical

BRINGS, ERASES = "player", "erasure"
_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What is known of a player and may be erased."""

    name: str
    ids: Mapping[str, str] = field(default_factory=dict)  # elsewhere: {"usbgf": "12345"}
    more: Mapping[str, str] = field(default_factory=dict)  # what a report said beside the contract

    def record(self) -> str:
        """The person in canonical JSON; what is empty is left out."""
        found: dict[str, Any] = {"name": self.name}
        if self.ids:
            found["ids"] = dict(self.ids)
        if self.more:
            found["more"] = dict(self.more)
        return canonical(found)

    @classmethod
    def read(cls, record: str) -> Person:
        """The person of a record."""
        found = msgspec.json.decode(record)
        return cls(name=found["name"], ids=found.get("ids", {}), more=found.get("more", {}))


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


def seals(kind: str, body: Mapping[str, Any]) -> tuple[str, ...]:
    """The commitments that a body holds: of a player's name, or of every name that was erased.

    Raises:
        Refused: something else stands where commitments do.
    """
    found: Any = ()
    if kind == BRINGS:
        one = body.get("person")
        found = () if one is None else (one,)
    elif kind == ERASES:
        found = body.get("persons")
    if not isinstance(found, list | tuple):
        raise Refused(f"'persons' is a list of seals, not {brief(found)}.")
    for one in found:
        if not (isinstance(one, str) and _HEX.fullmatch(one)):
            raise Refused(f"A seal has 64 letters 0-9a-f, not {brief(one)}.")
    return tuple(found)
