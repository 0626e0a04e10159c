"""The settings of the site that are stored in its database."""

from __future__ import annotations

import sqlalchemy as sa

from palmares.web.tables import SITE_SETTINGS

LOGO = "logo"
"""The setting that is a picture; it is read only when a browser asks for it."""
StoredSettings = tuple[tuple[str, str], ...]


def read_site_settings(connection: sa.Connection) -> StoredSettings:
    """Names and values of all settings but the logo, in the order of their names."""
    query = sa.select(SITE_SETTINGS).where(SITE_SETTINGS.c.name != LOGO)
    rows = connection.execute(query.order_by(SITE_SETTINGS.c.name))
    return tuple((row.name, row.value.decode()) for row in rows)


def write_site_setting(connection: sa.Connection, name: str, value: bytes | None) -> None:
    """Replace a setting, or remove it (no value)."""
    connection.execute(sa.delete(SITE_SETTINGS).where(SITE_SETTINGS.c.name == name))
    if value is not None:
        connection.execute(sa.insert(SITE_SETTINGS).values(name=name, value=value))


def read_logo(connection: sa.Connection) -> bytes | None:
    """The logo's bytes; none where there is no logo."""
    query = sa.select(SITE_SETTINGS.c.value).where(SITE_SETTINGS.c.name == LOGO)
    return connection.execute(query).scalar_one_or_none()
