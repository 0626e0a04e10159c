"""
The schemas that the site's tables have had, and the steps from each to the next (Alembic).

    ready       a database  ->  its tables of the site are there, and the present ones

They have a history of their own (table ``site_version``), beside that of the journal: a journal is
made, copied and checked without any site. A step is never edited once a site was made with it.
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.journal.store.databases import Database
from palmares.web.tables import SCHEMA

HERE = Path(__file__).parent
VERSIONS = "site_version"


def ready(database: Database) -> None:
    """Make the tables of the site, or bring them forward.

    Raises:
        Refused: they are of a later version of palmares.
    """
    with database.reading() as connection:
        found = _revision(connection)
    if found == SCHEMA:
        return
    if found is not None and found > SCHEMA:
        raise Refused(
            f"{database.shown} has tables of a later palmares (site {found}; this one knows"
            f" {SCHEMA}). Install the newer version."
        )
    with database.writing() as connection:
        upgraded(connection)


def upgraded(connection: sa.Connection, to: str = "head") -> None:
    """Bring the tables forward, within the transaction of the connection."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _revision(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSIONS):
        return None
    found = connection.execute(sa.text("SELECT version_num FROM site_version")).scalar()
    return None if found is None else str(found)
