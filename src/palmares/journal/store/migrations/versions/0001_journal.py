"""The chain, which refuses to be changed, and names beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_COUNT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SQLITE = (
    "CREATE TRIGGER entries_no_{verb} BEFORE {VERB} ON entries BEGIN"
    " SELECT RAISE(ABORT, 'a journal is only ever added to'); END"
)
_FUNCTION = (
    "CREATE FUNCTION palmares_refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION 'a journal is only ever added to'; END $$"
)
_POSTGRESQL = (
    "CREATE TRIGGER entries_no_{verb} BEFORE {VERB} ON entries"
    " FOR EACH STATEMENT EXECUTE FUNCTION palmares_refuse()"
)


def upgrade() -> None:
    """Make the two tables, their indexes and the triggers."""
    op.create_table(
        "entries",
        sa.Column("sequence", _COUNT, primary_key=True, autoincrement=False),
        sa.Column("recorded_at", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False, index=True),
        sa.Column("key", sa.Text, unique=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False, unique=True),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "persons",
        sa.Column("commitment", sa.Text, primary_key=True),
        sa.Column(
            "sequence", _COUNT, sa.ForeignKey("entries.sequence"), nullable=False, index=True
        ),
        sa.Column("salt", sa.Text),
        sa.Column("record", sa.Text),
    )
    template, verbs = _SQLITE, ["update", "delete"]
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        template, verbs = _POSTGRESQL, [*verbs, "truncate"]
    for verb in verbs:
        op.execute(template.format(verb=verb, VERB=verb.upper()))
