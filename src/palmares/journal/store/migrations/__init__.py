"""
The schemas that journals have had, and the steps from each to the next (Alembic).

A step is never edited once a journal was made with it; the next change is a new file in `versions`.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

HERE = Path(__file__).parent


def upgraded(connection: sa.Connection, scripts: Path = HERE) -> None:
    """Bring the schema of a database forward, within the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revision(connection: sa.Connection, table: str = "alembic_version") -> str | None:
    """The revision of the schema that a table names; none if there is no such table."""
    if not sa.inspect(connection).has_table(table):
        return None
    version = sa.column("version_num", sa.Text)
    return connection.execute(sa.select(version).select_from(sa.table(table))).scalar()
