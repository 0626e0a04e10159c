"""Guards: the chain refuses to be changed; look-ups by subject and by entry."""

from alembic import op

revision = "0002"
down_revision = "0001"

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
    """Make the triggers and the indexes."""
    op.create_index("ix_entries_subject", "entries", ["subject"])
    op.create_index("ix_persons_sequence", "persons", ["sequence"])
    template, verbs = _SQLITE, ["update", "delete"]
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        template, verbs = _POSTGRESQL, [*verbs, "truncate"]
    for verb in verbs:
        op.execute(template.format(verb=verb, VERB=verb.upper()))
