"""
Routes to the calculators: each is a form by GET, and an address that can be shared.

An address means the same to everybody, so numbers and days in it are those of programs. The form
says in which language it was filled in (``typed=de``); what was typed in an own way is written
plainly then, and the answer leads to the address of that. Where it cannot be, the page says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from palmares.web import addresses, own_ways
from palmares.web.hall import Hall, Known
from palmares.web.messages import said
from palmares.web.pages.calculators import CALCULATORS, CalculatorPage, calculators_page
from palmares.web.pages.forms import Sent
from palmares.web.pages.vp_calculator import VpPage, victory_points
from palmares.web.replies import Visit, answered, redirected, shown
from palmares.web.wording import LANGUAGES

_TYPED = "typed"
"""What an address has beside the fields: the language of the form that sent them."""


@get("/calculators", name="calculators", include_in_schema=False)
async def calculators(request: Visit) -> Response[bytes]:
    """Every calculator."""
    return await answered(request, lambda _: calculators_page())


@get("/calculators/{calculator:str}", name="calculator", include_in_schema=False)
async def calculator(request: Visit, calculator: FromPath[str]) -> Response[bytes]:
    """A calculator, with what is asked of it."""
    hall: Hall = request.app.state.hall
    query = request.scope["query_string"].decode("utf-8", "replace")
    fields = dict(parse_qsl(query, keep_blank_values=True))  # in their order, as the form has them
    language = fields.pop(_TYPED, "")
    given = Sent(fields, language if language in LANGUAGES else "")

    def build(known: Known) -> CalculatorPage | VpPage:
        if calculator == "victory-points":
            return victory_points(given)
        return CALCULATORS[calculator](known, given, hall.today())

    if calculator not in {"victory-points", *CALCULATORS}:
        raise NotFoundException(said("There is no such calculator."))
    if not language:
        return await answered(request, build)
    if not any(_own(given.language, one) for one in fields.values()):
        return redirected(_address(calculator, fields))
    turns = hall.visitors if request.scope["user"] is None else hall.signed_in
    page = await turns.page(build, await hall.now())
    if any(one.problem for one in page.fields):
        return await shown(request, page)
    plain = {one.name: one.plain for one in page.fields if one.name in fields}
    return redirected(_address(calculator, {**fields, **plain}))


def _address(calculator: str, fields: Mapping[str, str]) -> str:
    """A calculator with its fields; an empty one is not the same as none."""
    return f"{addresses.calculator(calculator)}?{urlencode(fields)}"


def _own(language: str, text: str) -> bool:
    """Whether somebody can mean something else by it than a program."""
    try:
        return any(read(language, text) != text.strip() for read in own_ways.READ.values())
    except own_ways.Unclear:
        return True
