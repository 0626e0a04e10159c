"""Which parameters the address of each page takes; others are refused, as the API refuses them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from palmares.errors import Refused, brief
from palmares.web.charts import THEMES
from palmares.web.languages import COOKIE
from palmares.web.messages import said
from palmares.web.pages.names import LONGEST
from palmares.web.pages.officer_decisions import DECISIONS
from palmares.web.replies import Visit
from palmares.web.wording import LANGUAGES

Names = Collection[str]

FILTERS = ("kind", "subject", "author", "since", "until")
"""What the log of the journal can be narrowed by."""
_JSON = ("as",)
"""What every page takes that is JSON, too."""
_LIST = ("on", "setting", "kind", "known_at", "format", *_JSON)
_CHART = ("known_at", "theme", "size")
_SIZES = ("narrow",)
CALCULATORS: Mapping[str, Names] = {
    "performance": (
        "kind", "fee", "currency", "added", "entrants", "consolation", "last_chance", "flight",
        "place", "tied", "day", "on",
    ),
    "master-points": (
        "day", "setting", "type", "level", "division", "length", "entrants", "format", "place",
        "tied",
    ),
    "percentile": ("entrants", "place", "rounds", "worlds", "day", "before"),
    "victory-points": ("boards", "scale", "margin", "points"),
}  # fmt: skip
"""The fields of each calculator; ``typed`` says in which language a form was filled in."""


def _of_list(*more: str) -> Callable[[Visit], Names]:
    """A list: a file of it has no pages, and a form that chooses a day leads elsewhere."""
    every = {*_LIST, *more}

    def names(request: Visit) -> Names:
        if request.query_params.get("on"):
            return every - {"format", "page", *_JSON}
        return every - {"page", *_JSON} if request.query_params.get("format") else every

    return names


def _of_player(request: Visit) -> Names:
    """A player, on one list, one of their results, or a chart: the address says which."""
    parts = request.scope["raw_path"].decode("latin-1").partition("?")[0].strip("/").split("/")
    if "awards" in parts[3:5]:
        return (_then(request), "effective", *_JSON)
    if parts[-1].startswith(("history.", "points.")) and len(parts) in (4, 5):
        return (_then(request), "theme", "size")
    if len(parts) > len(("players", "P1")):
        return (_then(request), "on", *_JSON)
    return ("known_at", *_JSON)


def _then(request: Visit) -> str:
    """What was known: a published list says it, too."""
    return "published" if request.query_params.get("published") else "known_at"


def _of_tournament(request: Visit) -> Names:
    """A tournament: a page is one of the places of one flight."""
    asked = request.query_params
    turned = ("page",) if asked.get("event") and asked.get("flight") else ()
    return ("known_at", "event", "flight", *turned, *_JSON)


def _of_decision(request: Visit) -> Names:
    """A form for officers: its own fields; where there is none, that is said later."""
    found = DECISIONS.get(str(request.scope["path_params"].get("name")))
    return (*(one.name for one in found.fields), *_JSON) if found else [*request.query_params]


def _of_calculator(request: Visit) -> Names:
    """A calculator: its fields; where there is none, that is said later."""
    found = CALCULATORS.get(str(request.scope["path_params"].get("calculator")))
    return (*found, "typed", *_JSON) if found else [*request.query_params]


PARAMETERS: Mapping[str, Names | Callable[[Visit], Names]] = {
    # what anyone sees
    "front": _JSON,
    "ranking": _of_list("nation", "search", "page"),
    "nation_list": _of_list(),
    "totals": lambda request: set(_of_list("search", "page")(request)) - {"setting", "kind"},
    "players": ("search", "page", *_JSON),
    "player": _of_player,
    "tournaments": ("search", "year", "discipline", "country", "page", *_JSON),
    "tournament": _of_tournament,
    "nation": ("known_at", *_JSON),
    "nation_course": ("known_at", *_JSON),
    "nation_chart": _CHART,
    "published": _JSON,
    "publication": ("page", *_JSON),
    "proof": _JSON,
    "regulations": _JSON,
    "regulation": _JSON,
    "editions": ("a", "b", "whole", *_JSON),
    "bridge": _JSON,
    "event": ("scale", "until", "team", "match", "known_at", *_JSON),
    "running_chart": ("event", "scale", "until", *_CHART),
    "calculators": _JSON,
    "calculator": _of_calculator,
    "guide": _JSON,
    # files
    "trimmed_rankings": (),
    "trimmed_nations": (),
    "feed": (),
    "manifest": (),
    "facts": (),
    "assets": ("v",),
    "robots": (),
    "health": (),
    "metrics": (),
    # whoever signs in
    "sign_in": ("next", *_JSON),
    "code": _JSON,
    "set_up": _JSON,
    "welcome": _JSON,
    "account": _JSON,
    "own_codes": _JSON,
    "administrator": _JSON,
    "director": _JSON,
    "submission": _JSON,
    "officer": _JSON,
    "log": (*FILTERS, "before", *_JSON),
    "entry": _JSON,
    "verification": _JSON,
    "alike": _JSON,
    "report_cells": _JSON,
    "decision": _of_decision,
    "queue": _JSON,
    "waiting": _JSON,
}
"""Every page by the name of its route; what is sent in forms goes without parameters."""


async def checked(request: Visit) -> None:
    """Refuse parameters that a page does not take, and values that it cannot use.

    Raises:
        Refused: whoever asked would see another page than they asked for.
    """
    if request.method == "OPTIONS":
        return
    asked = request.query_params.get(COOKIE)
    if asked is not None and asked not in LANGUAGES:
        raise Refused(
            said(
                "There is no language %(asked)s. There are: %(known)s.",
                asked=brief(asked),
                known=", ".join(LANGUAGES),
            )
        )
    found = PARAMETERS.get(str(request.scope["route_handler"].name), ())
    refuse_others(request, found(request) if callable(found) else found)
    for name, value in request.query_params.items():
        if value and name in _USABLE and not _USABLE[name](value):
            raise Refused(
                said(
                    "%(name)s=%(value)s cannot be used here. Write %(remedy)s.",
                    name=name,
                    value=brief(value),
                    remedy=(_REMEDIES[name],),
                )
            )


def refuse_others(request: Visit, there_are: Names) -> None:
    """Refuse a parameter that there is none of, or that is there twice.

    Raises:
        Refused: whoever sent it would get another answer than they asked for.
    """
    given: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name not in there_are:
            raise Refused(_unknown(name, there_are))
        if name in given:
            raise Refused(said("%(name)s is there twice. Give it once.", name=name))
        given.add(name)


def _unknown(name: str, there_are: Names) -> str:
    if not there_are:
        return said("%(name)s is no parameter of this address. It takes none.", name=brief(name))
    return said(
        "%(name)s is no parameter of this address. There are: %(known)s.",
        name=brief(name),
        known=", ".join(sorted(there_are)),
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < len("1000000000") and int(text) > 0


_USABLE: Mapping[str, Callable[[str], bool]] = {
    "page": _is_number,
    "published": _is_number,
    "year": lambda text: _is_number(text) and len(text) == len("2019"),
    "search": lambda text: len(text) <= LONGEST,
    "theme": lambda text: text in THEMES,
    "size": lambda text: text in _SIZES,
    "whole": lambda text: text == "yes",
    "typed": lambda text: text in LANGUAGES,
    "as": lambda text: text == "json",
}  # fmt: skip
"""Values that pages would pass over; all others are judged where they are used."""
_REMEDIES: Mapping[str, str] = {
    "page": said("a number from 1"),
    "published": said("a number from 1"),
    "year": said("a year such as 2019"),
    "search": said("at most %(most)s letters", most=LONGEST),
    "theme": ", ".join(THEMES),
    "size": ", ".join(_SIZES),
    "whole": "whole=yes",
    "typed": ", ".join(LANGUAGES),
    "as": "json",
}
