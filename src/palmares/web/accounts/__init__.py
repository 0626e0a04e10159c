"""
Accounts: who signs in, and how the site knows it.

    Account     who somebody is, to pages, guards and the journal
"""

from __future__ import annotations

from dataclasses import dataclass

from palmares.journal.entries import Actor


@dataclass(frozen=True, slots=True)
class Account:
    """Who somebody is: ``request.user``, which is none for a visitor."""

    id: int
    name: str
    role: str  # of palmares.journal.entries.ROLES

    @property
    def actor(self) -> Actor:
        """The same as the journal writes it down."""
        return Actor(self.name, self.role)
