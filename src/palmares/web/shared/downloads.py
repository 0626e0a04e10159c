"""
Lists as files: CSV, Excel, JSON; facts as a package.

    sent        a request and what makes its rows  ->  a response with a file
    attached    a name  ->  the header that makes an answer a file
    packed      facts  ->  a package of tables as a zip file, the same bytes each time
    FORMATS     what can be asked for, and its media type
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import polars as pl
from litestar import Response

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.facts import Facts
from palmares.facts.packages import write_package
from palmares.facts.schema import FILE, LINE, WITHHELD
from palmares.render.tables import Column, emit
from palmares.web.http.replies import Content, finished, repeated
from palmares.web.http.state import Snapshot, Visit

FORMATS: Mapping[str, str] = {
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
"""The media type of each format."""
_NO_DAY = (1980, 1, 1, 0, 0, 0)
"""What a zip file says where it says nothing: the same bytes each time."""
_POINTS = (
    "points", "total", "live_match", "live_placement", "online_match", "online_placement"
)  # fmt: skip
_TEXT = ("player_id", "player", "nation")


async def sent(
    request: Visit,
    rows: Callable[[Snapshot], pl.DataFrame],
    name: str,
    format: str,  # noqa: A002
    notes: Callable[[Snapshot], Sequence[str]],
) -> Response[bytes]:
    """A list as a file.

    Args:
        request: whose answer it is.
        rows: what makes the rows, points in columns named so, as nanopoints.
        name: of the file, without its suffix.
        format: one of `FORMATS`.
        notes: what makes the lines that say what list it is, for a sheet of their own.

    Raises:
        Refused: there is no such format.
    """
    if format not in FORMATS:
        raise Refused(
            msg(
                "%(asked)s: a list comes as %(formats)s.",
                asked=brief(format),
                formats=", ".join(FORMATS),
            )
        )
    snapshot = await request.app_state.now()

    def make() -> Content:
        frame = rows(snapshot).rename({"nanopoints": "points"}, strict=False)
        columns = [_column(column) for column in frame.columns]
        with TemporaryDirectory() as folder:
            file = Path(folder) / f"list.{format}"
            emit(frame.to_dicts(), columns, output=file, title=name, notes=notes(snapshot))
            return finished(file.read_bytes(), FORMATS[format])

    return await repeated(request, snapshot, make, attached(f"{name}.{format}"), heavy=True)


def attached(name: str) -> Mapping[str, str]:
    """What makes an answer a file of a name, which is plain ASCII."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def packed(facts: Facts) -> bytes:
    """A package of the facts' tables as a zip file; who is withheld has no name in it.

    Rows are sorted: how a journal was read, and in which process, decides their order otherwise.
    """
    players = facts.tables["players"]
    withheld = pl.col("withheld").fill_null(value=False)
    named = pl.when(withheld).then(pl.lit(WITHHELD)).otherwise("name").alias("name")
    tables = {**facts.tables, "players": players.with_columns(named)}
    in_order = {name: table.sort(pl.exclude(FILE, LINE)) for name, table in tables.items()}
    content = BytesIO()
    with TemporaryDirectory() as folder, ZipFile(content, "w", ZIP_DEFLATED) as archive:
        package = Path(folder) / "facts"
        write_package(Facts(in_order), package)
        for file in sorted(package.iterdir()):
            archive.writestr(ZipInfo(file.name, _NO_DAY), file.read_bytes(), ZIP_DEFLATED)
    return content.getvalue()


def _column(key: str) -> Column:
    kind = "points" if key in _POINTS else "text" if key in _TEXT else "number"
    return Column(key, kind=kind)
