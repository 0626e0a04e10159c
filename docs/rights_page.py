"""
The page of who may do what on the site.

    rights_page     the table of rights, with the address of every route
"""

from __future__ import annotations

import re

from docs.markdown import code, table, words
from palmares.web.http.routing import Right, Route
from palmares.web.routes import ROUTES


def rights_page() -> str:
    """Every route with its addresses, what it does, and who may."""
    parts = [
        "# Who may do what",
        (
            "One table in code (`palmares.web.routes`) says who may use which address of the"
            " [site](../how-to/site.md), for pages and API alike. A route that is not in it is"
            " not served. Tests ask every address as a visitor and in every role. A visitor who"
            " may not is asked to sign in (401); somebody who is signed in is told that it is not"
            " for their role (403)."
        ),
        (
            "Programs come with a token (`Authorization: Bearer palmares_…`) to addresses under"
            " `/api/` and to `/metrics`, and have the role of the token's owner; a token that was"
            " made to read writes nothing (403). Everywhere else a token counts for nothing; beside"
            " a token, cookies count for nothing, and without one nothing is written under `/api/`"
            " (401)."
        ),
        (
            "An administrator keeps accounts and nothing else: whoever has to record results as"
            " well has a second account for it. An officer may do whatever a director may."
        ),
    ]
    for right in Right:
        rows = [
            (code(f"{row.method.value} {plain(path)}"), words(_does(row)), code(row.name))
            for row in ROUTES
            if row.right is right
            for path in row.paths
        ]
        if rows:
            heading = right.value[0].upper() + right.value[1:]
            parts.append(f"## {heading}\n\n" + table(("address", "what", "route"), rows))
    return "\n\n".join(parts)


def _does(row: Route) -> str:
    return (row.handler.__doc__ or "").strip().partition("\n")[0]


def plain(path: str) -> str:
    """An address with the names of its parts alone."""
    return re.sub(r":\w+\}", "}", path)
