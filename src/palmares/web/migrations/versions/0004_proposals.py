"""Lists that an officer proposes to publish and a second officer has to approve."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_COUNT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "site_proposals",
        sa.Column("id", _COUNT, primary_key=True),
        sa.Column("created", _COUNT, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("fields", sa.Text, nullable=False),
        sa.Column("account", _COUNT, sa.ForeignKey("site_accounts.id"), nullable=False, index=True),
    )
