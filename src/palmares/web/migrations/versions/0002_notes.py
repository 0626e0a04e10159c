"""Notes to the officers about what is wrong on a page."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_COUNT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "site_notes",
        sa.Column("id", _COUNT, primary_key=True),
        sa.Column("created", _COUNT, nullable=False),
        sa.Column("page", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("account", _COUNT, sa.ForeignKey("site_accounts.id"), index=True),
        sa.Column("done", _COUNT, index=True),
        sa.Column("done_by", _COUNT, sa.ForeignKey("site_accounts.id"), index=True),
    )
