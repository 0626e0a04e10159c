"""
The schemas that journals have had, and the steps from each to the next (Alembic).

    upgraded    a connection  ->  the revision before, and the present one
    revision    which schema a database has, if it has any

A step is never edited once a journal was made with it; the next change is a new file in `versions`.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

HERE = Path(__file__).parent


def upgraded(connection: sa.Connection, to: str = "head") -> None:
    """Bring the schema of a database forward, within the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def revision(connection: sa.Connection) -> str | None:
    """The revision of the schema in a database; none if there is no journal."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)
