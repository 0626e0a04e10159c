"""Lists as files: CSV, Excel, JSON, PDF; facts as a package; feeds as Atom."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from multiprocessing import get_context
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import polars as pl
from anyio import to_thread
from litestar import Response

from palmares.core.errors import Refused, brief
from palmares.core.extras import needs
from palmares.core.messages import msg
from palmares.facts import Facts
from palmares.facts.packages import write_package
from palmares.facts.schema import FILE, LINE, WITHHELD
from palmares.render import pdf
from palmares.render.pdf import Cited
from palmares.render.tables import OutputColumn, OutputTable, pdf_pages, table_bytes
from palmares.web.http.i18n import Wording, wording
from palmares.web.http.replies import VARY, language_of, shared_response, with_etag
from palmares.web.http.state import Request, Snapshot
from palmares.web.http.templating import ENVIRONMENT

PDF = "pdf"
FORMATS: Mapping[str, str] = {
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    PDF: "application/pdf",
}
"""The media type of each format."""
PRINT_SECONDS = 30
_NO_DAY = (1980, 1, 1, 0, 0, 0)
"""What a zip file says where it says nothing: the same bytes each time."""
_POINTS = (
    "points", "total", "live_match", "live_placement", "online_match", "online_placement"
)  # fmt: skip
_TEXT = ("player_id", "player", "nation")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, not even escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedList:
    """A list as people save or print it."""

    name: str  # of the file, without its suffix
    title: str
    frame: pl.DataFrame  # points in columns named so, as nanopoints
    notes: Sequence[str]  # what list it is, for whoever finds the file later
    source: Sequence[Cited]  # the editions that it rests on

    def table(self, *, on_paper: bool) -> OutputTable:
        """Its rows and columns; on paper without the ids of players, and with rounded points."""
        frame = self.frame.rename({"nanopoints": "points"}, strict=False)
        exact = () if on_paper else ("Points are as they were counted, not rounded.",)
        return OutputTable(
            rows=frame.to_dicts(),
            columns=[
                OutputColumn(
                    name,
                    kind="points" if name in _POINTS else "text" if name in _TEXT else "number",
                    hidden=name == "player_id",
                )
                for name in frame.columns
            ],
            title=self.title,
            notes=[*self.notes, *exact],
            source=self.source,
        )


async def sent(
    request: Request,
    make: Callable[[Snapshot], SavedList],
    format: str,  # noqa: A002
) -> Response[bytes]:
    """A list as a file.

    Args:
        request: whose answer it is.
        make: what makes the list.
        format: one of `FORMATS`.

    Raises:
        Refused: there is no such format; the list is too long to print.
    """
    check_format(format)
    snapshot = await request.app_state.now()

    def file() -> Response[bytes]:
        saved = make(snapshot)
        content = file_content(saved.table(on_paper=format == PDF), format)
        return with_etag(content, FORMATS[format], attached(f"{saved.name}.{format}"))

    return await shared_response(request, snapshot, file, heavy=True)


def check_format(format: str) -> None:  # noqa: A002
    """Refuse what is none of `FORMATS`."""
    if format not in FORMATS:
        raise Refused(
            msg(
                "%(asked)s: a list comes as %(formats)s.",
                asked=brief(format),
                formats=", ".join(FORMATS),
            )
        )


def file_content(table: OutputTable, format: str) -> bytes:  # noqa: A002
    """A table as a file of one of `FORMATS`."""
    if format == PDF:  # in a process of its own: Typst keeps 400 MB of a long list
        needs("print", "A PDF")
        with get_context("spawn").Pool(1, signal, (SIGINT, SIG_IGN)) as pool:
            return pool.apply_async(pdf.compile_pdf, (pdf_pages([table]),)).get(PRINT_SECONDS)
    return table_bytes(table, format)


def attached(name: str) -> Mapping[str, str]:
    """What makes an answer a file of a name, which is plain ASCII."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def packed(facts: Facts) -> bytes:
    """A package of the facts' tables as a zip file; who is withheld has no name in it.

    Rows are sorted: how a journal was read, and in which process, decides their order otherwise.
    """
    players = facts.tables["players"]
    withheld = pl.col("withheld").fill_null(value=False)
    shown_name = pl.when(withheld).then(pl.lit(WITHHELD)).otherwise("name").alias("name")
    tables = {**facts.tables, "players": players.with_columns(shown_name)}
    in_order = {name: table.sort(pl.exclude(FILE, LINE)) for name, table in tables.items()}
    content = BytesIO()
    with TemporaryDirectory() as folder, ZipFile(content, "w", ZIP_DEFLATED) as archive:
        package = Path(folder) / "facts"
        write_package(Facts(in_order), package)
        for file in sorted(package.iterdir()):
            archive.writestr(ZipInfo(file.name, _NO_DAY), file.read_bytes(), ZIP_DEFLATED)
    return content.getvalue()


async def sent_feed(
    request: Request, template: str, build: Callable[[Snapshot], Any]
) -> Response[bytes]:
    """A feed as Atom.

    Args:
        request: whose answer it is.
        template: of the feed.
        build: makes its view.
    """
    snapshot, language = await request.app_state.now(), wording(language_of(request))
    settings, site = request.app_state.settings, request.app_state.federation.name
    text = await to_thread.run_sync(
        lambda: atom(template, build(snapshot), language, settings.public_url, site)
    )
    return with_etag(text, "application/atom+xml", VARY)


def atom(template: str, page: Any, language: Wording, root: str, site: str) -> bytes:
    """A view as Atom, in a language; `root` is the address of the site, `site` its name."""
    text = ENVIRONMENT.get_template(template).render(
        page=page,
        tag=language.tag,
        colon=language.colon,
        _=language.text,
        day=language.day,
        at=partial(urljoin, root),
        site=site,
    )
    return _NO_XML.sub("\ufffd", text).encode() + b"\n"
