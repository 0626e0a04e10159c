"""
The page of the addresses of the API, from its OpenAPI document.

    api_page    every address, what is there, and what can be asked; every problem
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from docs.markdown import code, table
from palmares.web.api.description import PROBLEMS, description
from palmares.web.routes import ROUTES


def api_page() -> str:
    """Every address of the API, by what it is about."""
    document = description(ROUTES)
    parts = [
        "# API",
        (
            "Every address under `/api/v1`, as the site's own document says it"
            " (`/api/v1/openapi.json`, OpenAPI 3.1; for reading, `/api`). A guide:"
            " [Read the site from a program](../how-to/api.md)."
        ),
    ]
    for tag in document["tags"]:
        rows = [
            _row(method, path, one)
            for path, ways in document["paths"].items()
            for method, one in ways.items()
            if tag["name"] in one["tags"]
        ]
        parts.append(f"## {tag['name']}\n\n{tag['description']}\n\n" + table(_HEAD, rows))
    wrong = [(status, says) for status, says in PROBLEMS.items()]
    parts.append(
        "## Problems\n\nEvery answer of 400 and above is a problem document (RFC 9457):"
        " `type`, `title`, `status`, `detail`, `instance`, and `problems`, each with `where`,"
        " `what`, `clause` and `remedy`.\n\n" + table(("status", "what"), wrong)
    )
    return "\n\n".join(parts)


_FOR = {row.name: row.right.value for row in ROUTES}
_HEAD = ("address", "what", "asks for", "for")


def _row(method: str, path: str, one: Mapping[str, Any]) -> tuple[str, ...]:
    asked = [part["name"] for part in one.get("parameters", ()) if part["in"] != "path"]
    return (
        code(f"{method.upper()} {path}"),
        one["summary"].replace("|", "\\|"),
        ", ".join(code(name) for name in asked),
        _FOR[f"api_{one['operationId']}"],
    )
