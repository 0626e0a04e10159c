"""Signing in, step by step, on the database; requests and pages are elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa
from litestar.exceptions import TooManyRequestsException

from palmares.core.errors import Refused
from palmares.core.messages import msg, plural
from palmares.web.accounts import credentials, sessions, store, throttle
from palmares.web.accounts.store import AccountRecord
from palmares.web.accounts.throttle import Limits
from palmares.web.http.state import AppState

WRONG = msg("The name or the password is wrong.")
WRONG_CODE = msg("That code is wrong, or was used before. Wait for the next one.")
NOT_YOURS = msg("That is not your password.")


class TooManyAttempts(TooManyRequestsException):
    """So many times that the next try has to wait."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            plural(
                "That was too often. Wait %(many)s minute.",
                "That was too often. Wait %(many)s minutes.",
                max(1, round(seconds / 60)),
            ),
            headers={"Retry-After": str(seconds)},
        )


def _refuse_too_many(app_state: AppState, connection: sa.Connection, limits: Limits) -> None:
    seconds = throttle.seconds_to_wait(connection, limits, app_state.clock())
    if seconds:
        raise TooManyAttempts(seconds)


def _verified(
    app_state: AppState,
    limits: Limits,
    find: Callable[[sa.Connection], AccountRecord | None],
    typed: str,
    problem: str,
) -> AccountRecord:
    """The person whose password was typed.

    Limits are checked twice, since many may try at the same time; and the work is the same whether
    there is such a person or not.

    Raises:
        Refused: the password is wrong, or there is no such person.
        TooManyAttempts: too many tries.
    """
    with app_state.database.reading() as connection:
        _refuse_too_many(app_state, connection, limits)
        person = find(connection)
    able = person is not None and not person.disabled
    right = credentials.verify(person.password if person and able else None, typed)
    with app_state.database.writing() as connection:
        _refuse_too_many(app_state, connection, limits)
        if not right:
            throttle.record_failure(connection, limits, app_state.clock())
        elif person is not None and credentials.is_outdated(person.password):
            store.update(connection, person.id, password=credentials.hash_password(typed))
    if person is None or not right:
        raise Refused(problem)
    return person


def check_password(app_state: AppState, name: str, typed: str, address: str) -> AccountRecord:
    """The person of a name and a password.

    Raises:
        Refused: one of them is wrong; the message does not say which.
        TooManyAttempts: too many tries.
    """
    limits = throttle.login_limits(app_state.settings.secret, name, address)
    person = _verified(
        app_state, limits, lambda connection: store.find_by_name(connection, name), typed, WRONG
    )
    with app_state.database.writing() as connection:
        if not person.needs_codes:  # else the code is to come
            throttle.forget_failures(connection, limits)
        store.update(connection, person.id, seen=app_state.clock())
    return person


def check_code(app_state: AppState, account: int, typed: str, address: str) -> AccountRecord:
    """The person whose one-time code was typed after the password.

    Raises:
        Refused: it is wrong, or was used.
        TooManyAttempts: too many tries.
    """
    secret, now = app_state.settings.secret, app_state.clock()
    with app_state.database.writing() as connection:
        person = store.find(connection, account)
        if person is None or person.disabled or person.secret is None:
            raise Refused(WRONG)
        limits = throttle.login_limits(secret, person.name, address)
        _refuse_too_many(app_state, connection, limits)
        own = credentials.unseal(secret, person.secret)
        if credentials.use_code(connection, account, own, typed, now):
            throttle.forget_failures(connection, limits)
            return person
        throttle.record_failure(connection, limits, now)
    raise Refused(WRONG_CODE)


def set_up_codes(app_state: AppState, account: int, secret: str, typed: str) -> AccountRecord:
    """The person who signs in with one-time codes from now on; their sessions end.

    Raises:
        Refused: the code is not one of the new secret, or the account has codes already.
    """
    step = credentials.time_step(secret, typed, app_state.clock())
    if step is None:
        raise Refused(WRONG_CODE)
    with app_state.database.writing() as connection:
        person = store.find(connection, account)
        if person is None or person.disabled or person.coded:
            raise Refused(store.GONE)
        stored = credentials.seal(app_state.settings.secret, secret)
        store.update(connection, account, secret=stored, step=step)
        sessions.end_sessions(connection, account)
        return person


def accept_link(app_state: AppState, token: str, name: str, chosen: str) -> AccountRecord:
    """The person of a one-time link, with a new password; the link stops working.

    Sessions and tokens made with the old password end.

    Raises:
        Refused: the link is not good, or the name or the password is not acceptable.
    """
    with app_state.database.reading() as connection:
        invitee = store.invitee(connection, token, app_state.clock())
    credentials.refuse_weak(chosen, invitee.name if invitee else name)
    stored, now = credentials.hash_password(chosen), app_state.clock()
    with app_state.database.writing() as connection:
        person = store.invitee(connection, token, now)
        account = person.id if person else store.add(connection, name, "administrator", now)
        store.revoke_links(connection, person.id if person else None)
        store.update(connection, account, password=stored, seen=now)
        end_access(connection, account)
        return store.existing(connection, account)


def end_access(connection: sa.Connection, account: int) -> None:
    """End all sessions and tokens of an account."""
    sessions.end_sessions(connection, account)
    sessions.revoke_tokens(connection, account)


def confirm_password(app_state: AppState, account: int, typed: str, address: str) -> AccountRecord:
    """The signed-in person, after typing the password again: a session alone is not enough.

    Only tries with a session of the account count, so that others cannot use them up.

    Raises:
        Refused: it is wrong.
        TooManyAttempts: too many tries.
    """
    limits = throttle.limits_of(
        app_state.settings.secret,
        (f"proof {account} {address}", throttle.HERE),
        (f"proof {account}", throttle.ANYWHERE),
    )
    return _verified(
        app_state, limits, lambda connection: store.find(connection, account), typed, NOT_YOURS
    )


def change_password(
    app_state: AppState, person: AccountRecord, chosen: str, *, revoke: bool
) -> None:
    """Change the password of an account; its sessions and links end.

    Tokens end only on request: programs in daily use would stop without notice.

    Raises:
        Refused: the new password is not acceptable.
    """
    credentials.refuse_weak(chosen, person.name)
    stored = credentials.hash_password(chosen)
    with app_state.database.writing() as connection:
        store.update(connection, person.id, password=stored)
        store.revoke_links(connection, person.id)
        sessions.end_sessions(connection, person.id)
        if revoke:
            sessions.revoke_tokens(connection, person.id)


def first_link(app_state: AppState) -> str | None:
    """The token that makes the first administrator; none if there is one."""
    with app_state.database.writing() as connection:
        if store.has_administrator(connection):
            return None
        return store.create_link(connection, None, app_state.clock())
