"""The addresses of pages, so that no template and no handler writes one by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import quote, urlencode

from palmares.web.asset_files import version

_SAFE = re.compile(r"[A-Za-z0-9_.~-]*").fullmatch
"""Texts that stand in an address as they are: nearly all, and a page has hundreds."""


def _address(*parts: object, **query: Any) -> str:
    path = "/" + "/".join([_quoted(str(part)) for part in parts])
    asked = {name: value for name, value in query.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(asked)}" if asked else path


def _quoted(part: str) -> str:
    return part if _SAFE(part) else quote(part, safe="")


def front() -> str:
    """The front page."""
    return "/"


def ranking(regulation: str, day: date | None = None, **query: Any) -> str:
    """A ranking, as of a day or today."""
    return _address("rankings", regulation, *([day] if day else []), **query)


def player(player_id: str, *more: Any, **query: Any) -> str:
    """A player; then, one part after another: under a regulation, as of a day, and what is his."""
    return _address("players", player_id, *(one for one in more if one), **query)


def award(player_id: str, regulation: str, day: date, *award: str, **query: Any) -> str:
    """Why a player has the points of one result: its event, flight and kind."""
    return _address("players", player_id, regulation, day, "awards", *award, **query)


def player_chart(
    player_id: str, regulation: str, day: date, name: str, form: str, **query: Any
) -> str:
    """A picture of a player's "history" or "points": "svg", "png", or "json", its description."""
    return _address("players", player_id, regulation, day, f"{name}.{form}", **query)


def tournament(tournament_id: str, **query: Any) -> str:
    """A tournament."""
    return _address("tournaments", tournament_id, **query)


def nation(code: str, **query: Any) -> str:
    """A nation."""
    return _address("nations", code, **query)


def nation_course(code: str, regulation: str, day: date, **query: Any) -> str:
    """A nation's points and rank over time, as a table."""
    return _address("nations", code, regulation, day, "history", **query)


def nation_chart(code: str, regulation: str, day: date, form: str, **query: Any) -> str:
    """A nation's points and rank over time: "svg", "png", or "json", its description."""
    return _address("nations", code, regulation, day, f"history.{form}", **query)


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


def link(root: str, token: str) -> str:
    """A one-time link, whole: it is sent to somebody who is nowhere yet."""
    return f"{root.rstrip('/')}/welcome/{token}"


def published(entry: int | None = None, **query: Any) -> str:
    """A published list by its entry, or all of them."""
    return _address("published", *([entry] if entry else []), **query)


def feed() -> str:
    """The feed of published lists."""
    return "/published.atom"


def manifest(entry: int) -> str:
    """The manifest of a published list."""
    return _address("published", entry, "manifest")


def facts(entry: int) -> str:
    """The facts that a published list was made of."""
    return _address("published", entry, "facts")


def proof(entry: int) -> str:
    """A published list made once more."""
    return _address("published", entry, "proof")


def regulations() -> str:
    """Every regulation."""
    return "/regulations"


def regulation(name: str, edition: str | None = None) -> str:
    """A regulation with its clauses: the edition in force, or another."""
    return _address("regulations", name, *([edition] if edition else []))


def clause(reference: str, edition: str | None = None) -> str:
    """A clause by its reference: "wbgf grade"."""
    name, _, which = reference.partition(" ")
    return f"{regulation(name, edition)}#{quote(which, safe='')}"


def editions(name: str, a: str | None = None, b: str | None = None, **query: Any) -> str:
    """Two editions of a regulation side by side."""
    return _address("regulations", name, "compare", a=a, b=b, **query)


def calculators() -> str:
    """Every calculator."""
    return "/calculators"


def calculator(name: str, **query: Any) -> str:
    """A calculator, with what is asked of it."""
    return _address("calculators", name, **query)


def bridge() -> str:
    """Every event of bridge teams."""
    return "/bridge"


def event(event_id: str, **query: Any) -> str:
    """An event; one of bridge teams has its standings there."""
    return _address("events", event_id, **query)


def running_chart(event_id: str, form: str, scale: str | None = None, **query: Any) -> str:
    """The running totals of an event: its form is "svg", "png" or "json"."""
    return _address("charts", f"running.{form}", event=event_id, scale=scale, **query)


def guide() -> str:
    """Every address of the API, as a page."""
    return "/api"


def document() -> str:
    """The description of the API."""
    return "/api/v1/openapi.json"


def asset(name: str) -> str:
    """A file of our own, in the version that is there now."""
    return f"/assets/{name}?v={version(name)}"


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


def queue() -> str:
    """Reports that wait for an officer."""
    return "/officer/submissions"


def waiting(number: int, *what: str) -> str:
    """One of them, and what is done with it: "approval" or "return"."""
    return _address("officer", "submissions", number, *what)


def log(**query: Any) -> str:
    """The log of the journal."""
    return _address("officer", "log", **query)


def entry(sequence: int) -> str:
    """One entry of the journal."""
    return _address("officer", "log", sequence)


def verification() -> str:
    """Whether the chain of the journal holds."""
    return "/officer/verification"


def alike() -> str:
    """Players who may be one."""
    return "/officer/players"


def report_cells(tournament_id: str) -> str:
    """The rows of a tournament's report, to be corrected."""
    return _address("officer", "reports", tournament_id)


def decision(name: str, **query: Any) -> str:
    """A form by which an officer decides, filled in."""
    return _address("officer", "decisions", name, **query)


def submissions() -> str:
    """Where a report is sent that a director brings."""
    return "/director/submissions"


def submission(number: int) -> str:
    """A report on its way to the journal."""
    return _address("director", "submissions", number)


ALL: Mapping[str, Any] = {
    "front": front,
    "ranking": ranking,
    "player": player,
    "award": award,
    "player_chart": player_chart,
    "tournament": tournament,
    "nation": nation,
    "nation_course": nation_course,
    "nation_chart": nation_chart,
    "nation_list": nation_list,
    "totals": totals,
    "players": players,
    "tournaments": tournaments,
    "published": published,
    "feed": feed,
    "manifest": manifest,
    "facts": facts,
    "proof": proof,
    "regulations": regulations,
    "regulation": regulation,
    "clause": clause,
    "editions": editions,
    "calculators": calculators,
    "calculator": calculator,
    "bridge": bridge,
    "event": event,
    "running_chart": running_chart,
    "guide": guide,
    "document": document,
    "asset": asset,
    "sign_in": sign_in,
    "sign_out": sign_out,
    "account": account,
    "desk": desk,
    "submissions": submissions,
    "submission": submission,
    "queue": queue,
    "waiting": waiting,
    "log": log,
    "entry": entry,
    "verification": verification,
    "alike": alike,
    "report_cells": report_cells,
    "decision": decision,
}
"""What templates call them by: ``{{ to.ranking("wbgf") }}``."""
