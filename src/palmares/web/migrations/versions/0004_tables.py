"""All tables of the site: until the first release as the code has them, then written out here."""

from alembic import op

from palmares.web.database import METADATA

revision = "0004"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    METADATA.create_all(op.get_bind())
