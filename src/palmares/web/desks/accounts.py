"""
The steps of an administrator with the accounts of others, whether by a form or by a program.

    everybody   every account, by name
    invited     a new account, and the token of its one-time link
    relinked    another link for an account
    assigned    another role
    disabled, enabled   closed, and opened again
    uncoded     one-time codes are set up anew
"""

from __future__ import annotations

from collections.abc import Callable

from anyio import to_thread

from palmares.web.accounts import keeping, people
from palmares.web.accounts.people import Person
from palmares.web.desks import Caller


async def everybody(by: Caller) -> list[Person]:
    """Every account, by name."""
    return await by.asked(people.everybody)


async def invited(by: Caller, name: str, role: str) -> tuple[Person, str]:
    """A new account, and the token of its one-time link.

    Raises:
        Refused: the name or the role is not acceptable.
    """
    made = await to_thread.run_sync(keeping.invite, by.site, name, role)
    by.note("invited", role=role)
    return made


async def relinked(by: Caller, number: int) -> tuple[Person, str]:
    """Another link for an account.

    Raises:
        Refused: there is no such account, or it is one's own, or disabled.
    """
    made = await to_thread.run_sync(keeping.relink, by.site, number, by.account.id)
    by.note("new link", account=number)
    return made


async def assigned(by: Caller, number: int, role: str) -> None:
    """Another role.

    Raises:
        Refused: there is no such role or account, or it is one's own.
    """
    await _done(by, "role changed", keeping.assign, number, role)


async def disabled(by: Caller, number: int) -> None:
    """An account is closed.

    Raises:
        Refused: there is no such account, or it is one's own.
    """
    await _done(by, "disabled", keeping.disable, number)


async def enabled(by: Caller, number: int) -> None:
    """An account is opened again.

    Raises:
        Refused: there is no such account, or it is one's own.
    """
    await _done(by, "enabled", keeping.enable, number)


async def uncoded(by: Caller, number: int) -> None:
    """One-time codes are set up anew at the next sign-in.

    Raises:
        Refused: there is no such account, or it is one's own.
    """
    await _done(by, "codes reset", keeping.uncode, number)


async def _done(by: Caller, event: str, act: Callable[..., None], number: int, *more: str) -> None:
    await to_thread.run_sync(act, by.site, number, by.account.id, *more)
    by.note(event, account=number)
