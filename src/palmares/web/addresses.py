"""The addresses of pages, so that no template and no handler writes one by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import quote, urlencode


def _address(*parts: object, **query: Any) -> str:
    path = "/" + "/".join(quote(str(part), safe="") for part in parts)
    asked = {name: value for name, value in query.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(asked)}" if asked else path


def front() -> str:
    """The front page."""
    return "/"


def ranking(regulation: str, day: date | None = None, **query: Any) -> str:
    """A ranking, as of a day or today."""
    return _address("rankings", regulation, *([day] if day else []), **query)


def player(player_id: str, regulation: str | None = None, **query: Any) -> str:
    """A player, under one regulation."""
    return _address("players", player_id, *([regulation] if regulation else []), **query)


def tournament(tournament_id: str) -> str:
    """A tournament."""
    return _address("tournaments", tournament_id)


def nation(code: str) -> str:
    """A nation."""
    return _address("nations", code)


def nation_list(regulation: str, day: date | None = None, **query: Any) -> str:
    """A ranking of nations, as of a day or today."""
    return _address("rankings", regulation, *([day] if day else []), "nations", **query)


def totals(regulation: str, day: date | None = None, **query: Any) -> str:
    """The four totals of master points, as of a day or today."""
    return _address("rankings", regulation, *([day] if day else []), "totals", **query)


def players(**query: Any) -> str:
    """Where players are found."""
    return _address("players", **query)


def tournaments(**query: Any) -> str:
    """All tournaments."""
    return _address("tournaments", **query)


def published(entry: int | None = None, **query: Any) -> str:
    """A published list by its entry, or all of them."""
    return _address("published", *([entry] if entry else []), **query)


def manifest(entry: int) -> str:
    """The manifest of a published list."""
    return _address("published", entry, "manifest")


def proof(entry: int) -> str:
    """A published list made once more."""
    return _address("published", entry, "proof")


def regulation(name: str) -> str:
    """A regulation with its clauses."""
    return _address("regulations", name)


def asset(name: str) -> str:
    """A file of our own."""
    return f"/assets/{name}"


def sign_in(back: str = "") -> str:
    """Where people sign in, and where they go then."""
    return _address("sign-in", next=back)


def sign_out() -> str:
    """Where the form to sign out is sent."""
    return "/sign-out"


def account() -> str:
    """One's own account."""
    return "/account"


def desk(role: str) -> str:
    """The desk of a role: "director", "officer", "administrator"."""
    return f"/{role}"


ALL: Mapping[str, Any] = {
    "front": front,
    "ranking": ranking,
    "player": player,
    "tournament": tournament,
    "nation": nation,
    "nation_list": nation_list,
    "totals": totals,
    "players": players,
    "tournaments": tournaments,
    "published": published,
    "manifest": manifest,
    "proof": proof,
    "regulation": regulation,
    "asset": asset,
    "sign_in": sign_in,
    "sign_out": sign_out,
    "account": account,
    "desk": desk,
}
"""What templates call them by: ``{{ to.ranking("wbgf") }}``."""
