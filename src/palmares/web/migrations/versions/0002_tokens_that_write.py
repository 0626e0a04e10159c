"""Tokens that read only, and tokens that write; those that there were read."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "site_tokens", sa.Column("writes", sa.Boolean, nullable=False, server_default=sa.false())
    )
