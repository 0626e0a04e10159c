"""The chains, which refuse to be changed, and the names, which can be erased."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_COUNT = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SQLITE = (
    "CREATE TRIGGER {table}_no_{verb} BEFORE {VERB} ON {table} BEGIN"
    " SELECT RAISE(ABORT, 'a journal is only ever added to'); END"
)
_FUNCTION = (
    "CREATE FUNCTION palmares_refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION 'a journal is only ever added to'; END $$"
)
_POSTGRESQL = (
    "CREATE TRIGGER {table}_no_{verb} BEFORE {VERB} ON {table}"
    " FOR EACH STATEMENT EXECUTE FUNCTION palmares_refuse()"
)


def upgrade() -> None:
    """Make the tables, their indexes and the triggers."""
    _create_chain_of_entries()
    _create_chains_of_events()
    _refuse_changes("entries", "event_records")


def _create_chain_of_entries() -> None:
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


def _create_chains_of_events() -> None:
    op.create_table(
        "event_records",
        sa.Column("event", sa.Text, primary_key=True),
        sa.Column("sequence", _COUNT, primary_key=True, autoincrement=False),
        sa.Column("recorded_at", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("key", sa.Text),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False, unique=True),
        sa.UniqueConstraint("event", "key"),
    )
    op.create_table(
        "event_names",
        sa.Column("event", sa.Text, primary_key=True),
        sa.Column("entrant", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
    )


def _refuse_changes(*tables: str) -> None:
    template, verbs = _SQLITE, ["update", "delete"]
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        template, verbs = _POSTGRESQL, [*verbs, "truncate"]
    for table in tables:
        for verb in verbs:
            op.execute(template.format(table=table, verb=verb, VERB=verb.upper()))
