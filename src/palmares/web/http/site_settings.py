"""The settings of the site that are stored in its database."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from palmares.web.settings import Settings
from palmares.web.tables import SITE_SETTINGS

LOGO = "logo"
"""The setting that is a picture; it is read only when a browser asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Federation:
    """What pages show of the federation."""

    name: str  # heads every page
    accent: str  # "#" and six digits; every colour of the site follows from it
    logo: str = ""  # a digest for `to.logo(v=…)`, where the picture is; empty: there is none
    words: str = ""  # of the front page, as plain text; empty: none
    two_officers: bool = False  # whether a second officer approves each list that is published


def read_federation(connection: sa.Connection, settings: Settings) -> Federation:
    """The stored settings; where there are none, those the server was started with."""
    rows = connection.execute(sa.select(SITE_SETTINGS).where(SITE_SETTINGS.c.name != LOGO))
    stored = {row.name: row.value.decode() for row in rows}
    return Federation(
        name=stored.get("name", settings.name),
        accent=stored.get("accent", settings.accent),
        logo=stored.get("logo_digest", ""),
        words=stored.get("words", ""),
        two_officers="two_officers" in stored,
    )


def write_site_setting(connection: sa.Connection, name: str, value: bytes | None) -> None:
    """Replace a setting, or remove it (no value)."""
    connection.execute(sa.delete(SITE_SETTINGS).where(SITE_SETTINGS.c.name == name))
    if value is not None:
        connection.execute(sa.insert(SITE_SETTINGS).values(name=name, value=value))


def read_logo(connection: sa.Connection) -> bytes | None:
    """The logo's bytes; none where there is no logo."""
    query = sa.select(SITE_SETTINGS.c.value).where(SITE_SETTINGS.c.name == LOGO)
    return connection.execute(query).scalar_one_or_none()
