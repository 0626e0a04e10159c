"""
What an administrator does with accounts, for the page and the command line.

Administrators cannot do this to their own account, so one always remains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.accounts import store
from palmares.web.accounts.login import end_access
from palmares.web.accounts.sessions import end_sessions
from palmares.web.accounts.store import AccountRecord
from palmares.web.http.state import AppState

CHANGES: Mapping[str, Mapping[str, Any]] = {
    "link": {},
    "role": {},
    "disable": {"disabled": True},
    "enable": {"disabled": False},
    "codes": {"secret": None},  # set up anew at the next sign-in
}
"""What an administrator does with the account of another, by the end of its address.

Each with the columns that it sets.
"""


def _change(
    connection: sa.Connection, change: str, person: AccountRecord, now: int, role: str
) -> str | None:
    """Change an account; the token of a new link, with which a new password is chosen.

    Whoever is given another role, or no longer signs in, has no sessions and tokens left.

    Raises:
        Refused: there is no such role, or the account of the link is disabled.
    """
    if change == "link":
        if person.disabled:
            raise Refused(msg("This account is disabled."))
        return store.create_link(connection, person.id, now)
    if change == "role":
        store.refuse_role(role)
    store.update(connection, person.id, **(CHANGES[change] or {"role": role}))
    if change == "disable":
        store.revoke_links(connection, person.id)
    if change in ("role", "disable"):
        end_access(connection, person.id)
    if change == "codes":
        end_sessions(connection, person.id)
    return None


def act(
    app_state: AppState, change: str, account: int, own: int, role: str
) -> tuple[AccountRecord, str | None]:
    """Change an account; the person, and the token of a new link, where one is made.

    Args:
        app_state: of the site.
        change: one of `CHANGES`.
        account: whose account.
        own: the account of the administrator.
        role: that is assigned.

    Raises:
        Refused: there is no such account; it is one's own, or no administrator's any more; or the
            change refuses.
    """
    if account == own:
        raise Refused(msg("Another administrator has to do that: this is your own account."))
    with app_state.database.writing() as connection:
        actor = store.existing(connection, own)
        if actor.disabled or actor.role != "administrator":  # by another one, just before
            raise Refused(msg("You are no administrator any more. Nothing was changed."))
        person = store.existing(connection, account)
        token = _change(connection, change, person, app_state.clock(), role)
        return store.existing(connection, account), token


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
    now = app_state.clock()
    with app_state.database.writing() as connection:
        person = store.find_by_name(connection, name)
        if person is None:
            return store.create_link(connection, store.add(connection, name, role, now), now)
        for change in ("enable", "role", "codes") if role == "administrator" else ():
            _change(connection, change, person, now, role)
        if role == "administrator":  # without codes, the earlier password alone would let one in
            store.update(connection, person.id, password=None)
        person = store.existing(connection, person.id)
        if person.role != role:
            raise Refused(
                msg(
                    "%(name)s has an account as %(role)s. An administrator gives another role on"
                    " the site.",
                    name=person.name,
                    role=person.role,
                )
            )
        return _change(connection, "link", person, now, role) or ""
