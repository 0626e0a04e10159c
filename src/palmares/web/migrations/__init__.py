"""
The schemas that the site's tables have had, and the steps from each to the next (Alembic).

They have a history of their own (table ``site_version``), beside that of the journal: a journal is
made, copied and checked without any site. A step is never edited once a site was made with it.
"""

from __future__ import annotations

from pathlib import Path

from palmares.core.errors import Refused
from palmares.journal.store.databases import Database
from palmares.journal.store.migrations import revision, upgraded
from palmares.web.database import SCHEMA

HERE = Path(__file__).parent
VERSIONS = "site_version"


def ready(database: Database) -> None:
    """Make the tables of the site, or bring them forward.

    Raises:
        Refused: they are of a later version of palmares.
    """
    with database.reading() as connection:
        schema = revision(connection, VERSIONS)
    if schema == SCHEMA:
        return
    if schema is not None and schema > SCHEMA:
        raise Refused(
            f"{database.safe_url} has tables of a later palmares (site {schema}; this one knows"
            f" {SCHEMA}). Install the newer version."
        )
    with database.writing() as connection:
        upgraded(connection, scripts=HERE)
