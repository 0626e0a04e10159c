"""What directors, officers and administrators do, by a form or by a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from anyio import to_thread
from litestar.types import Scope

from palmares.journal.store.entries import Actor
from palmares.web.accounts.store import AccountStore
from palmares.web.http import logs
from palmares.web.http.routing import Account
from palmares.web.http.state import AppState, Visit
from palmares.web.submissions.submissions import Submission

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """Who takes a step, by whatever request."""

    app_state: AppState
    account: Account
    scope: Scope  # of the request, whose id stands beside what is written down

    @property
    def officer(self) -> Actor:
        """The author of what is recorded at an officer's desk."""
        return Actor(self.account.name, "officer")

    def owns(self, one: Submission) -> bool:
        """Whether a report is one's own; others should see when somebody decides of it."""
        return one.account == self.account.id

    @property
    def accounts(self) -> AccountStore:
        """The database and the settings of accounts."""
        return AccountStore(self.app_state.journal.database, self.app_state.settings)

    def note(self, event: str, **what: Any) -> None:
        """Write down a step that was done, for whoever runs the site."""
        logs.event(self.scope, event, by=self.account.id, **what)

    async def long(self, work: Callable[..., T], *what: Any, **told: Any) -> T:
        """Something that takes long, such as a dry run, one after another."""
        return await self.app_state.signed_in.long(partial(work, *what, **told))

    async def asked(self, ask: Callable[[sa.Connection], T]) -> T:
        """What the database answers, asked in a thread."""

        def work() -> T:
            with self.app_state.journal.database.reading() as connection:
                return ask(connection)

        return await to_thread.run_sync(work)

    async def changed(self, do: Callable[[sa.Connection, int], T]) -> T:
        """A change of the database and the second it is, in a thread and one transaction."""

        def work() -> T:
            with self.app_state.journal.database.writing() as connection:
                return do(connection, self.app_state.settings.clock())

        return await to_thread.run_sync(work)


def caller(request: Visit) -> RequestContext:
    """Who takes a step by a request."""
    return RequestContext(request.app_state, request.user, request.scope)
