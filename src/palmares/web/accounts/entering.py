"""
Signing in, step by step, on the database; requests and pages are elsewhere.

    Site        the database and the settings that every step needs
    Failed      a step failed; its words are for people
    TooOften    so many times that the next try has to wait
    password    a name and a password  ->  the person
    code        a one-time code or a recovery code, after the password
    begin_codes the code of a new secret is right: codes are needed from now on
    welcome     a one-time link and a new password  ->  the person
    proven      whoever is signed in types the password once more
    own_codes   the same, and codes are needed from now on
    end_codes   the same, and they are needed no longer
    change      a new password for whoever knows the old one
    issue       a token for a program, for whoever knows the password
    first_link  the token that makes the first administrator; none if there is one
"""

from __future__ import annotations

from dataclasses import dataclass

from palmares.errors import Refused
from palmares.journal.databases import Database
from palmares.web.accounts import attempts, codes, links, passwords, people, sessions, tokens
from palmares.web.accounts.people import CODED, Person
from palmares.web.messages import counted, said
from palmares.web.settings import Settings

WRONG = said("The name or the password is wrong.")
WRONG_CODE = said("That code is wrong, or was used before. Wait for the next one.")
NOT_YOURS = said("That is not your password.")
GONE = said("This link is good no longer. Ask an administrator for another one.")


class Failed(Refused):
    """A step failed; the form is shown again."""


class TooOften(Refused):
    """So many times that the next try has to wait."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(
            counted(
                "That was too often. Wait %(many)s minute.",
                "That was too often. Wait %(many)s minutes.",
                max(1, round(seconds / 60)),
            )
        )


@dataclass(frozen=True, slots=True)
class Site:
    """The database and the settings that every step needs."""

    database: Database
    settings: Settings

    def now(self) -> int:
        """The second it is."""
        return self.settings.clock()


def password(site: Site, name: str, typed: str, address: str) -> Person:
    """The person of a name and a password.

    Raises:
        Failed: one of them is wrong; nobody learns which.
        TooOften: too many tries.
    """
    with site.database.reading() as connection:
        seconds = attempts.wait(connection, site.settings.secret, name, address, site.now())
        person = people.named(connection, name)
    if seconds:
        raise TooOften(seconds)
    able = person is not None and not person.disabled
    right, stale = passwords.verified(person.password if person and able else None, typed)
    with site.database.writing() as connection:
        seconds = attempts.wait(connection, site.settings.secret, name, address, site.now())
        if seconds:  # many tried at the same time
            raise TooOften(seconds)
        if person is None or not right:
            attempts.failed(connection, site.settings.secret, name, address, site.now())
        else:
            if person.role not in CODED and person.secret is None:  # else the code is to come
                attempts.forgotten(connection, site.settings.secret, name, address)
            if stale:
                people.change(connection, person.id, password=passwords.hashed(typed))
            people.change(connection, person.id, seen=site.now())
    if person is None or not right:
        raise Failed(WRONG)
    return person


def code(site: Site, account: int, typed: str, address: str) -> Person:
    """The person whose one-time code, or recovery code, was typed.

    Raises:
        Failed: it is wrong, or was used.
        TooOften: too many tries.
    """
    with site.database.writing() as connection:
        person = people.found(connection, account)
        if person is None or person.disabled or person.secret is None:
            raise Failed(WRONG)
        secret, now = site.settings.secret, site.now()
        seconds = attempts.wait(connection, secret, person.name, address, now)
        if seconds:
            raise TooOften(seconds)
        own = codes.opened(secret, person.secret)
        right = codes.spend(connection, account, own, typed, now) or codes.recover(
            connection, account, typed
        )
        if right:
            attempts.forgotten(connection, secret, person.name, address)
        else:
            attempts.failed(connection, secret, person.name, address, now)
    if not right:
        raise Failed(WRONG_CODE)
    return person


def begin_codes(site: Site, account: int, secret: str, typed: str) -> tuple[str, ...]:
    """Codes are needed from now on; the recovery codes, shown once.

    Raises:
        Failed: the code is not one of the new secret, or the account has codes already.
    """
    step = codes.step_of(secret, typed, site.now())
    if step is None:
        raise Failed(WRONG_CODE)
    with site.database.writing() as connection:
        person = people.found(connection, account)
        if person is None or person.disabled or person.secret is not None:
            raise Failed(GONE)
        stored = codes.sealed(site.settings.secret, secret)
        people.change(connection, account, secret=stored, step=step)
        return codes.recovery(connection, account)


def welcome(site: Site, token: str, name: str, chosen: str) -> Person:
    """The person of a one-time link, with a new password; the link is good no longer.

    Whoever came in with the old one comes no more: sessions and tokens end.

    Raises:
        Failed: the link is not good.
        Refused: the name or the password is not acceptable.
    """
    with site.database.reading() as connection:
        invited = links.good(connection, token, site.now())
    if invited is None:
        raise Failed(GONE)
    called = invited.person.name if invited.person else name
    passwords.refuse(chosen, called)
    stored = passwords.hashed(chosen)
    with site.database.writing() as connection:
        again = links.good(connection, token, site.now())
        if again is None:
            raise Failed(GONE)
        account = (
            again.person.id
            if again.person
            else people.add(connection, name, "administrator", site.now())
        )
        links.dropped(connection, again.person.id if again.person else None)
        people.change(connection, account, password=stored, seen=site.now())
        sessions.end(connection, account)
        tokens.end(connection, account)
        person = people.found(connection, account)
    assert person is not None  # noqa: S101  made or found in this very transaction
    return person


def proven(site: Site, account: int, typed: str, address: str) -> Person:
    """Whoever is signed in, by the password once more: a session alone changes no way in.

    What others tried at the door does not count here.

    Raises:
        Failed: it is wrong.
        TooOften: too many tries.
    """
    secret = site.settings.secret
    with site.database.reading() as connection:
        person = people.found(connection, account)
        if person is None:
            raise Failed(WRONG)
        seconds = attempts.proof_wait(connection, secret, account, address, site.now())
    if seconds:
        raise TooOften(seconds)
    right, _ = passwords.verified(person.password, typed)
    with site.database.writing() as connection:
        seconds = attempts.proof_wait(connection, secret, account, address, site.now())
        if seconds:  # many tried at the same time
            raise TooOften(seconds)
        if not right:
            attempts.proof_failed(connection, secret, account, address, site.now())
    if not right:
        raise Failed(NOT_YOURS)
    return person


def own_codes(
    site: Site, account: int, typed: str, secret: str, code: str, address: str
) -> tuple[str, ...]:
    """Whoever wants codes needs them from now on; every session ends. The recovery codes.

    Raises:
        Failed: the password or the code is wrong, or the account has codes already.
        TooOften: too many tries.
    """
    proven(site, account, typed, address)
    made = begin_codes(site, account, secret, code)
    with site.database.writing() as connection:
        sessions.end(connection, account)
    return made


def end_codes(site: Site, account: int, typed: str, address: str) -> None:
    """Whoever need not have codes needs them no longer; every session ends.

    Raises:
        Failed: the password is wrong, or the role needs codes.
        TooOften: too many tries.
    """
    person = proven(site, account, typed, address)
    if person.role in CODED:
        raise Failed(said("Your role needs one-time codes. Another administrator resets them."))
    with site.database.writing() as connection:
        people.change(connection, account, secret=None)
        codes.forget(connection, account)
        sessions.end(connection, account)


def change(site: Site, account: int, old: str, chosen: str, address: str, *, revoke: bool) -> None:
    """A new password for whoever knows the old one; every session and link of theirs ends.

    Tokens end if they say so: programs in daily use would stop without a word.

    Raises:
        Failed: the old one is wrong.
        TooOften: too many tries.
        Refused: the new one is not acceptable.
    """
    person = proven(site, account, old, address)
    passwords.refuse(chosen, person.name)
    stored = passwords.hashed(chosen)
    with site.database.writing() as connection:
        people.change(connection, account, password=stored)
        links.dropped(connection, account)
        sessions.end(connection, account)
        if revoke:
            tokens.end(connection, account)


def issue(
    site: Site, account: int, typed: str, address: str, label: str, days: int, *, writes: bool
) -> str:
    """A token for a program, for whoever knows the password: it outlasts every session.

    Raises:
        Failed: the password is wrong.
        TooOften: too many tries.
        Refused: the label is none, or there are too many tokens; a year is the longest.
    """
    person = proven(site, account, typed, address)
    return tokens.issued(site.database, person.id, label, site.now(), days, writes=writes)


def first_link(site: Site) -> str | None:
    """The token that makes the first administrator; none if there is one."""
    with site.database.writing() as connection:
        if links.governed(connection):
            return None
        return links.made(connection, None, site.now())
