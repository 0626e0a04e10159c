"""Accounts and what belongs to them; reports on their way to the journal."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_COUNT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ACCOUNT = "site_accounts.id"


def upgrade() -> None:
    """Make the tables."""
    _accounts()
    op.create_table(
        "site_submissions",
        sa.Column("id", _COUNT, primary_key=True),
        sa.Column("account", _COUNT, sa.ForeignKey(_ACCOUNT), nullable=False, index=True),
        sa.Column("created", _COUNT, nullable=False),
        sa.Column("updated", _COUNT, nullable=False),
        sa.Column("state", sa.Text, nullable=False, index=True),
        sa.Column("version", _COUNT, nullable=False),
        sa.Column("filename", sa.Text, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("matches", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("entry", _COUNT),
    )


def _accounts() -> None:
    op.create_table(
        "site_accounts",
        sa.Column("id", _COUNT, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False, unique=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("password", sa.Text),
        sa.Column("secret", sa.Text),
        sa.Column("step", _COUNT, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("created", _COUNT, nullable=False),
        sa.Column("seen", _COUNT),
    )
    op.create_table(
        "site_sessions",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("account", _COUNT, sa.ForeignKey(_ACCOUNT), index=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("created", _COUNT, nullable=False),
        sa.Column("seen", _COUNT, nullable=False, index=True),
    )
    op.create_table(
        "site_recovery",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("account", _COUNT, sa.ForeignKey(_ACCOUNT), nullable=False, index=True),
    )
    op.create_table(
        "site_links",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("account", _COUNT, sa.ForeignKey(_ACCOUNT), index=True),
        sa.Column("expires", _COUNT, nullable=False),
    )
    op.create_table(
        "site_tokens",
        sa.Column("id", _COUNT, primary_key=True),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.Column("account", _COUNT, sa.ForeignKey(_ACCOUNT), nullable=False, index=True),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("created", _COUNT, nullable=False),
        sa.Column("expires", _COUNT, nullable=False),
        sa.Column("seen", _COUNT),
        sa.Column("writes", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "site_attempts",
        sa.Column("id", _COUNT, primary_key=True),
        sa.Column("who", sa.Text, nullable=False, index=True),
        sa.Column("at", _COUNT, nullable=False, index=True),
    )
