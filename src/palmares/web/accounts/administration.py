"""
What an administrator does with accounts, for the page, the API and the command line.

Administrators cannot do this to their own account, so one always remains.
"""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.accounts import store
from palmares.web.accounts.login import end_access, remove_codes
from palmares.web.accounts.store import AccountRecord
from palmares.web.http.state import AppState

Change = Callable[[sa.Connection, AccountRecord, int], str | None]
"""A transaction, the person, the current second  ->  a link's token, where one is made."""


def relink(connection: sa.Connection, person: AccountRecord, now: int) -> str:
    """Make another link: whoever has it chooses a new password.

    Raises:
        Refused: the account is disabled.
    """
    if person.disabled:
        raise Refused(msg("This account is disabled."))
    return store.create_link(connection, person.id, now)


def assign(connection: sa.Connection, person: AccountRecord, _now: int, *, role: str) -> None:
    """Give another role; sessions and tokens end.

    Raises:
        Refused: there is no such role.
    """
    store.refuse_role(role)
    store.update(connection, person.id, role=role)
    end_access(connection, person.id)


def disable(connection: sa.Connection, person: AccountRecord, _now: int) -> None:
    """Close an account; its links, sessions and tokens end."""
    store.update(connection, person.id, disabled=True)
    store.revoke_links(connection, person.id)
    end_access(connection, person.id)


def enable(connection: sa.Connection, person: AccountRecord, _now: int) -> None:
    """Open an account again."""
    store.update(connection, person.id, disabled=False)


def reset_codes(connection: sa.Connection, person: AccountRecord, _now: int) -> None:
    """Forget one-time codes: they are set up anew at the next sign-in."""
    remove_codes(connection, person.id)


def act(app_state: AppState, change: Change, account: int, own: int) -> str | None:
    """Do something with an account; the token of a new link, where one is made.

    Args:
        app_state: of the site.
        change: what is done.
        account: whose account.
        own: the account of the administrator.

    Raises:
        Refused: there is no such account; it is one's own; or the change refuses.
    """
    if account == own:
        raise Refused(msg("Another administrator has to do that: this is your own account."))
    with app_state.database.writing() as connection:
        person = store.existing(connection, account)
        return change(connection, person, app_state.clock())


def invite(app_state: AppState, name: str, role: str) -> tuple[AccountRecord, str]:
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

    For the command line; on the site, administrators invite. An account that is invited as an
    administrator becomes one, with new codes and password, whatever it was: so a site is opened
    again that no administrator can sign in to.

    Raises:
        Refused: the name or the role is not acceptable; the account has another role, or is
            disabled.
    """
    with app_state.database.writing() as connection:
        now, person = app_state.clock(), store.find_by_name(connection, name)
        if person is None:
            return store.create_link(connection, store.add(connection, name, role, now), now)
        if role == "administrator":
            enable(connection, person, now)
            assign(connection, person, now, role=role)
            reset_codes(connection, person, now)
            return store.create_link(connection, person.id, now)
        if person.role != role:
            raise Refused(
                msg(
                    "%(name)s has an account as %(role)s. An administrator gives another role on"
                    " the site.",
                    name=person.name,
                    role=person.role,
                )
            )
        return relink(connection, person, now)
