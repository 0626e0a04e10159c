"""
The site as an ASGI application.

    site        settings  ->  the application
    ROUTES      every handler of a page, literally; those of the API: `palmares.web.api.routes`
    routes      an application  ->  its routes by name, with methods and addresses
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litestar import Litestar
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State
from litestar.exceptions import ImproperlyConfiguredException
from litestar.middleware.base import DefineMiddleware

from palmares.journal.store import created
from palmares.web.accounts.attempts import Tries
from palmares.web.accounts.door import Door
from palmares.web.accounts.sessions import Sessions
from palmares.web.api.checks import Exact
from palmares.web.api.guide import guide
from palmares.web.api.router import router
from palmares.web.bounds import Bounded
from palmares.web.errors import HANDLERS
from palmares.web.hall import Hall
from palmares.web.headers import lines
from palmares.web.hosts import HostCheck
from palmares.web.languages import Switch
from palmares.web.logs import Outermost, Written
from palmares.web.migrations import ready
from palmares.web.parameters import checked
from palmares.web.repeats import Repeats
from palmares.web.rights import RIGHTS
from palmares.web.routes import (
    administrator,
    assets,
    bridge,
    calculators,
    crawlers,
    director,
    finding,
    lists,
    nations,
    officer,
    officer_decisions,
    officer_queue,
    operations,
    own_codes,
    players,
    published,
    regulations,
    sign_in,
    tournaments,
    trimmed,
)
from palmares.web.settings import Settings

ROUTES: tuple[Any, ...] = (
    lists.front,
    lists.ranking,
    lists.nation_list,
    lists.totals,
    finding.players,
    finding.tournaments,
    nations.nation,
    nations.nation_course,
    nations.nation_chart,
    players.player,
    tournaments.tournament,
    published.published,
    published.feed,
    published.publication,
    published.manifest,
    published.facts,
    published.proof,
    sign_in.sign_in,
    sign_in.sign_in_send,
    sign_in.code,
    sign_in.code_send,
    sign_in.set_up,
    sign_in.set_up_send,
    sign_in.welcome,
    sign_in.welcome_send,
    sign_in.sign_out,
    sign_in.account,
    sign_in.account_password,
    own_codes.own_codes,
    own_codes.own_codes_send,
    own_codes.own_codes_end,
    sign_in.token_issue,
    sign_in.token_revoke,
    administrator.administrator,
    administrator.invite,
    administrator.account_link,
    administrator.account_role,
    administrator.account_disable,
    administrator.account_enable,
    administrator.account_uncode,
    director.director,
    director.submission_draft,
    director.submission,
    director.submission_save,
    director.submission_names,
    director.submission_move,
    officer.officer,
    officer.log,
    officer.entry,
    officer.verification,
    officer.alike,
    officer.report_cells,
    officer_decisions.decision,
    officer_decisions.decision_send,
    officer_queue.queue,
    officer_queue.waiting,
    officer_queue.approve,
    officer_queue.give_back,
    regulations.regulations,
    regulations.regulation,
    regulations.editions,
    bridge.bridge,
    bridge.event,
    calculators.calculators,
    calculators.calculator,
    bridge.chart,
    guide,
    assets.assets,
    crawlers.robots,
    trimmed.rankings,
    trimmed.nations,
    operations.health,
    operations.metrics,
)
"""Every handler of a page."""


def site(settings: Settings) -> Litestar:
    """The site on a journal; the journal is made if there is none.

    Raises:
        Refused: the journal cannot be opened.
    """
    hall = Hall(created(settings.journal), settings)
    database = hall.journal.database
    ready(database)
    written = Written(settings.log, requests=settings.requests)
    app = Litestar(
        route_handlers=[*ROUTES, router()],
        state=State({"hall": hall, "written": written}),
        exception_handlers=HANDLERS,
        before_request=checked,
        middleware=[DefineMiddleware(Door, database=database, settings=settings)],
        stores={"sessions": Sessions(database, settings), "tries": Tries()},
        multipart_form_part_limit=settings.parts,
        request_max_body_size=settings.upload,
        compression_config=CompressionConfig(backend="gzip", minimum_size=1000),
        openapi_config=None,
        on_shutdown=[hall.close],
        logging_config=None,
        debug=False,
    )
    app.asgi_handler = Outermost(
        HostCheck(
            Repeats(Bounded(Exact(Switch(app.asgi_handler, settings.secure))), hall),
            settings.public_url,
        ),
        written,
        lines(secure=settings.secure),
    )
    _refuse_unlisted(app)
    return app


def routes(app: Litestar) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Every route by name: its methods and addresses, as the application has them."""
    found: dict[str, set[tuple[str, str]]] = {}
    for route in app.routes:
        for handler in getattr(route, "route_handlers", ()):
            for method in sorted(handler.http_methods - {"OPTIONS", "HEAD"}):
                found.setdefault(str(handler.name), set()).add((method, route.path))
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def _refuse_unlisted(app: Litestar) -> None:
    """Refuse routes that nobody said who may use."""
    missing = sorted(routes(app).keys() - RIGHTS.keys())
    if missing:
        raise ImproperlyConfiguredException(f"No line in the table of rights: {missing}")
