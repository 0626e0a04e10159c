"""
What an administrator does with accounts, on the database.

    invite      a new account, and the token of its link
    relink      another link for an account: whoever has it chooses a new password
    assign      another role
    disable     an account is closed; its sessions and tokens are good no longer
    enable      and opened again
    uncode      one-time codes are set up anew at the next sign-in
    rescue      whoever runs the site makes somebody an administrator, if all have lost their way in

Nobody does any of this to their own account, so there is always an administrator left.
"""

from __future__ import annotations

import sqlalchemy as sa

from palmares.errors import Refused, brief
from palmares.journal.entries import ROLES
from palmares.web.accounts import codes, links, people, sessions, tokens
from palmares.web.accounts.entering import Site
from palmares.web.accounts.people import Person
from palmares.web.messages import said


def invite(site: Site, name: str, role: str) -> tuple[Person, str]:
    """A new account, and the token of the link that its owner chooses a password with.

    Raises:
        Refused: the name or the role is not acceptable.
    """
    with site.database.writing() as connection:
        account = people.add(connection, name, role, site.now())
        token = links.made(connection, account, site.now())
        return _found(connection, account), token


def relink(site: Site, account: int, own: int) -> tuple[Person, str]:
    """Another link for an account; what it had before is good until the link is used."""
    with site.database.writing() as connection:
        person = _other(connection, account, own)
        if person.disabled:
            raise Refused(said("This account is disabled."))
        return person, links.made(connection, account, site.now())


def assign(site: Site, account: int, own: int, role: str) -> None:
    """Another role, from the next sign-in on; whoever is signed in is signed out, tokens end."""
    if role not in ROLES:
        raise Refused(
            said("A role is %(roles)s, not %(asked)s.", roles=tuple(ROLES), asked=brief(role))
        )
    with site.database.writing() as connection:
        _other(connection, account, own)
        people.change(connection, account, role=role)
        sessions.end(connection, account)
        tokens.end(connection, account)


def disable(site: Site, account: int, own: int) -> None:
    """An account is closed; its sessions, links and tokens are good no longer."""
    with site.database.writing() as connection:
        _other(connection, account, own)
        people.change(connection, account, disabled=True)
        links.dropped(connection, account)
        sessions.end(connection, account)
        tokens.end(connection, account)


def enable(site: Site, account: int, own: int) -> None:
    """An account is opened again."""
    with site.database.writing() as connection:
        _other(connection, account, own)
        people.change(connection, account, disabled=False)


def uncode(site: Site, account: int, own: int) -> None:
    """One-time codes are set up anew at the next sign-in."""
    with site.database.writing() as connection:
        _other(connection, account, own)
        people.change(connection, account, secret=None)
        codes.forget(connection, account)
        sessions.end(connection, account)


def rescue(site: Site, name: str) -> str:
    """The token of a link that makes somebody an administrator, with new codes and password.

    Raises:
        Refused: the name is not acceptable.
    """
    with site.database.writing() as connection:
        person = people.named(connection, name)
        if person is None:
            account = people.add(connection, name, "administrator", site.now())
        else:
            account = person.id
            people.change(connection, account, role="administrator", disabled=False, secret=None)
            codes.forget(connection, account)
            sessions.end(connection, account)
            tokens.end(connection, account)
        return links.made(connection, account, site.now())


def _other(connection: sa.Connection, account: int, own: int) -> Person:
    if account == own:
        raise Refused(said("Another administrator has to do that: this is your own account."))
    return _found(connection, account)


def _found(connection: sa.Connection, account: int) -> Person:
    found = people.found(connection, account)
    if found is None:
        raise Refused(said("There is no such account."))
    return found
