"""A client that sends as browsers do, and shows what a page was made from."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import httpx
import msgspec
from litestar import Litestar
from litestar.testing import TestClient

from palmares.web.http import errors, replies
from palmares.web.http.i18n import plain

_VIEWS: dict[str, tuple[str, bytes]] = {}
"""The digest of a page's HTML  ->  its media type as data, and its view as JSON."""
_rendered = replies.rendered


def _recorded(template: str, page: Any, request: Any, **more: Any) -> bytes:
    """Render a page, and keep what it was made from."""
    html = _rendered(template, page, request, **more)
    kind = errors.PROBLEM_JSON if template == "problem.html" else replies.JSON
    _VIEWS[sha256(html).hexdigest()] = kind, msgspec.json.encode(page, enc_hook=plain)
    return html


for module in (replies, errors):
    setattr(module, "rendered", _recorded)  # noqa: B010  each has it


class Client(TestClient[Litestar]):
    """A browser on a page of the site; asked for JSON, it gives the view that a page shows."""

    def __init__(self, app: Litestar, **options: Any) -> None:
        super().__init__(app, **options)
        self.headers["sec-fetch-site"] = "same-origin"

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        wants_view = request.headers.get(
            "accept"
        ) == replies.JSON and not request.url.path.startswith("/api/")
        if wants_view:
            request.headers["accept"] = replies.HTML
        answer = super().send(request, **options)
        return view(answer) if wants_view else answer


def view(answer: httpx.Response) -> httpx.Response:
    """The answer with the view that its page was made from, if it is a page."""
    known = _VIEWS.get(sha256(answer.content).hexdigest())
    if known is None:
        return answer
    kind, content = known
    dropped = {"content-type", "content-length", "content-encoding"}
    headers = [one for one in answer.headers.multi_items() if one[0].lower() not in dropped]
    shown = httpx.Response(
        answer.status_code,
        headers=[*headers, ("content-type", kind)],
        content=content,
        request=answer.request,
    )
    shown.history = answer.history
    return shown
