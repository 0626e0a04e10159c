"""
What an administrator does with accounts: one table for the page, the API and the command line.

Administrators cannot do this to their own account, so one always remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.accounts import store
from palmares.web.accounts.login import end_access, remove_codes
from palmares.web.accounts.store import Person
from palmares.web.http.state import AppState

Apply = Callable[[sa.Connection, Person, str, int], str | None]
"""A transaction, the person, the role that was sent, the current second  ->  a link's token."""


@dataclass(frozen=True, slots=True)
class Action:
    """What an administrator does with another account."""

    summary: str  # of its form
    event: str  # in the log
    apply: Apply


def _relink(connection: sa.Connection, person: Person, _role: str, now: int) -> str:
    if person.disabled:
        raise Refused(msg("This account is disabled."))
    return store.create_link(connection, person.id, now)


def _assign(connection: sa.Connection, person: Person, role: str, _now: int) -> None:
    store.refuse_role(role)
    store.update(connection, person.id, role=role)
    end_access(connection, person.id)


def _disable(connection: sa.Connection, person: Person, _role: str, _now: int) -> None:
    store.update(connection, person.id, disabled=True)
    store.revoke_links(connection, person.id)
    end_access(connection, person.id)


def _enable(connection: sa.Connection, person: Person, _role: str, _now: int) -> None:
    store.update(connection, person.id, disabled=False)


def _reset_codes(connection: sa.Connection, person: Person, _role: str, _now: int) -> None:
    remove_codes(connection, person.id)


ACTIONS: Mapping[str, Action] = {
    "link": Action(
        "Another link: whoever has it chooses a new password.",
        "new link",
        _relink,
    ),
    "role": Action("Another role.", "role changed", _assign),
    "disable": Action("An account is closed.", "disabled", _disable),
    "enable": Action("An account is opened again.", "enabled", _enable),
    "codes": Action(
        "One-time codes are set up anew at the next sign-in.",
        "codes reset",
        _reset_codes,
    ),
}
"""Every action by the last part of its address."""


def act(app_state: AppState, action: str, account: int, own: int, role: str = "") -> str | None:
    """Do something with an account; the token of a new link, where one is made.

    Args:
        app_state: of the site.
        action: one of ACTIONS.
        account: whose account.
        own: the account of the administrator.
        role: the new role, where one is assigned.

    Raises:
        Refused: there is no such account or role; it is one's own; a link, and it is disabled.
    """
    if account == own:
        raise Refused(msg("Another administrator has to do that: this is your own account."))
    with app_state.database.writing() as connection:
        person = store.existing(connection, account)
        return ACTIONS[action].apply(connection, person, role, app_state.clock())


def invite(app_state: AppState, name: str, role: str) -> tuple[Person, str]:
    """A new account, and the token of the link that its owner chooses a password with.

    Raises:
        Refused: the name or the role is not acceptable.
    """
    with app_state.database.writing() as connection:
        account = store.add(connection, name, role, app_state.clock())
        token = store.create_link(connection, account, app_state.clock())
        return store.existing(connection, account), token


def link_of(app_state: AppState, name: str, role: str) -> str:
    """The token of a link for the account of a name, which is made if there is none.

    For the command line; on the site, administrators invite.

    Raises:
        Refused: the name or the role is not acceptable; the account has another role, or is
            disabled.
    """
    with app_state.database.reading() as connection:
        person = store.find_by_name(connection, name)
    if person is None:
        return invite(app_state, name, role)[1]
    if person.role != role:
        raise Refused(
            msg(
                "%(name)s has an account as %(role)s. An administrator gives another role on the"
                " site.",
                name=person.name,
                role=person.role,
            )
        )
    with app_state.database.writing() as connection:
        return _relink(connection, person, role, app_state.clock())


def rescue(app_state: AppState, name: str) -> str:
    """The token of a link that makes an administrator, with new codes and password.

    For the command line, when no administrator can sign in any more.

    Raises:
        Refused: the name is not acceptable.
    """
    with app_state.database.writing() as connection:
        person = store.find_by_name(connection, name)
        if person is None:
            account = store.add(connection, name, "administrator", app_state.clock())
        else:
            account = person.id
            for action in ("enable", "role", "codes"):
                ACTIONS[action].apply(connection, person, "administrator", app_state.clock())
        return store.create_link(connection, account, app_state.clock())
