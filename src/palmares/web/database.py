"""
The tables of the site, in the database of its journal; moments are seconds since 1970.

    accounts        who may sign in, in which role
    sessions        who is signed in, by the hash of the cookie
    links           one-time links: the first administrator, invitations
    tokens          of programs, hashed
    attempts        sign-ins that failed, to slow down guessing
    submissions     reports on their way to the journal
    notes           mistakes that readers report; messages about a report
    proposals       lists that wait for a second officer
    settings        what an administrator sets on the site: its name, colour, logo and words

`palmares.web.migrations` makes them; a test compares the two.
"""

from __future__ import annotations

from datetime import UTC, date, datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
)

METADATA = MetaData()
_COUNT = BigInteger().with_variant(Integer(), "sqlite")

ACCOUNTS = Table(
    "site_accounts",
    METADATA,
    Column("id", _COUNT, primary_key=True),
    Column("name", Text, nullable=False),
    Column("key", Text, nullable=False, unique=True),  # the name without capitals: never two alike
    Column("role", Text, nullable=False),
    Column("password", Text),  # argon2id; none: invited, not here yet
    Column("secret", Text),  # of the one-time codes, sealed; none: not set up
    Column("step", _COUNT, nullable=False),  # the last code that was used: none is good twice
    Column("disabled", Boolean, nullable=False),
    Column("created", _COUNT, nullable=False),
    Column("seen", _COUNT),  # the last sign-in
)

SESSIONS = Table(
    "site_sessions",
    METADATA,
    Column("hash", Text, primary_key=True),
    Column("account", _COUNT, ForeignKey("site_accounts.id"), index=True),
    Column("data", LargeBinary, nullable=False),
    Column("created", _COUNT, nullable=False),
    Column("seen", _COUNT, nullable=False, index=True),
)

LINKS = Table(
    "site_links",
    METADATA,
    Column("hash", Text, primary_key=True),
    Column("account", _COUNT, ForeignKey("site_accounts.id"), index=True),  # none: the first one
    Column("expires", _COUNT, nullable=False),
)

TOKENS = Table(
    "site_tokens",
    METADATA,
    Column("id", _COUNT, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("account", _COUNT, ForeignKey("site_accounts.id"), nullable=False, index=True),
    Column("label", Text, nullable=False),
    Column("created", _COUNT, nullable=False),
    Column("expires", _COUNT, nullable=False),
    Column("seen", _COUNT),
    Column("writes", Boolean, nullable=False, server_default=false()),  # or reads only
)

ATTEMPTS = Table(
    "site_attempts",
    METADATA,
    Column("id", _COUNT, primary_key=True),
    Column("who", Text, nullable=False, index=True),  # a hash: of a name, or of an address
    Column("at", _COUNT, nullable=False, index=True),
)

SUBMISSIONS = Table(
    "site_submissions",
    METADATA,
    Column("id", _COUNT, primary_key=True),
    Column("account", _COUNT, ForeignKey("site_accounts.id"), nullable=False, index=True),
    Column("created", _COUNT, nullable=False),
    Column("updated", _COUNT, nullable=False),
    Column(
        "state", Text, nullable=False, index=True
    ),  # draft submitted returned rejected approved withdrawn
    Column("version", _COUNT, nullable=False),  # grows with every change: stale edits are refused
    Column("filename", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("matches", Text, nullable=False),  # JSON: which name is which player
    Column("reason", Text),  # why it was returned or rejected
    Column("entry", _COUNT),  # of the journal, once approved
)

NOTES = Table(
    "site_notes",
    METADATA,
    Column("id", _COUNT, primary_key=True),
    Column("created", _COUNT, nullable=False),
    Column("page", Text, nullable=False),  # its address on the site
    Column("text", Text, nullable=False),
    Column("account", _COUNT, ForeignKey("site_accounts.id"), index=True),  # none: a visitor
    Column("submission", _COUNT, ForeignKey("site_submissions.id"), index=True),  # none: of a page
    Column("done", _COUNT, index=True),  # when an officer was done with it; none: it is open
    Column("done_by", _COUNT, ForeignKey("site_accounts.id"), index=True),
)

SITE_SETTINGS = Table(
    "site_settings",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),  # UTF-8, or the bytes of a logo
)

PROPOSALS = Table(
    "site_proposals",
    METADATA,
    Column("id", _COUNT, primary_key=True),
    Column("account", _COUNT, ForeignKey("site_accounts.id"), nullable=False, index=True),
    Column("created", _COUNT, nullable=False),
    Column("title", Text, nullable=False),
    Column("fields", Text, nullable=False),  # JSON, of the form of a publication
)

SCHEMA = "0004"
"""The revision of `palmares.web.migrations` that makes these tables."""


def day_of(second: int) -> date:
    """The day of a second, in UTC."""
    return datetime.fromtimestamp(second, UTC).date()
