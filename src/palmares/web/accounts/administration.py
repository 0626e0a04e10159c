"""
What an administrator does with accounts, for the page and the command line.

Administrators cannot do this to their own account, so one always remains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.accounts import store
from palmares.web.accounts.login import end_access
from palmares.web.accounts.sessions import end_sessions
from palmares.web.accounts.store import AccountRecord
from palmares.web.http.state import AppState

Change = Callable[[sa.Connection, AccountRecord, int, str], str | None]
"""A transaction, the person, the current second, the role asked for  ->  a new link's token."""


def _relink(connection: sa.Connection, person: AccountRecord, now: int, _role: str = "") -> str:
    """Make another link: whoever has it chooses a new password.

    Raises:
        Refused: the account is disabled.
    """
    if person.disabled:
        raise Refused(msg("This account is disabled."))
    return store.create_link(connection, person.id, now)


def _assign(connection: sa.Connection, person: AccountRecord, _now: int, role: str) -> None:
    """Give another role; sessions and tokens end.

    Raises:
        Refused: there is no such role.
    """
    store.refuse_role(role)
    store.update(connection, person.id, role=role)
    end_access(connection, person.id)


def _disable(connection: sa.Connection, person: AccountRecord, _now: int, _role: str) -> None:
    """Close an account; its links, sessions and tokens end."""
    store.update(connection, person.id, disabled=True)
    store.revoke_links(connection, person.id)
    end_access(connection, person.id)


def _enable(connection: sa.Connection, person: AccountRecord, _now: int, _role: str) -> None:
    """Open an account again."""
    store.update(connection, person.id, disabled=False)


def _reset_codes(connection: sa.Connection, person: AccountRecord, _now: int, _role: str) -> None:
    """Forget one-time codes: they are set up anew at the next sign-in."""
    store.update(connection, person.id, secret=None)
    end_sessions(connection, person.id)


CHANGES: Mapping[str, Change] = {
    "link": _relink, "role": _assign, "disable": _disable, "enable": _enable, "codes": _reset_codes,
}  # fmt: skip
"""What an administrator does with the account of another, by the end of its address."""


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
        Refused: there is no such account; it is one's own; or the change refuses.
    """
    if account == own:
        raise Refused(msg("Another administrator has to do that: this is your own account."))
    with app_state.database.writing() as connection:
        person = store.existing(connection, account)
        token = CHANGES[change](connection, person, app_state.clock(), role)
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
            CHANGES[change](connection, person, now, role)
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
        return _relink(connection, person, now, role)
