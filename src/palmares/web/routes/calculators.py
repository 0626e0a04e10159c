"""Routes to the calculators: each is a form by GET, and an address that can be shared."""

from __future__ import annotations

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.calculators import CALCULATORS, calculators_page
from palmares.web.pages.forms import Sent
from palmares.web.pages.vp_calculator import victory_points
from palmares.web.replies import Visit, answered
from palmares.web.routes.forms import typist


@get("/calculators", name="calculators", include_in_schema=False)
async def calculators(request: Visit) -> Response[bytes]:
    """Every calculator."""
    return await answered(request, lambda _: calculators_page())


@get("/calculators/{calculator:str}", name="calculator", include_in_schema=False)
async def calculator(request: Visit, calculator: FromPath[str]) -> Response[bytes]:
    """A calculator, with what is asked of it."""
    typed = {name: str(value) for name, value in request.query_params.multi_items()}
    given = Sent(typed, typist(request))
    if calculator == "victory-points":
        return await answered(request, lambda _: victory_points(given))
    build = CALCULATORS.get(calculator)
    if build is None:
        raise NotFoundException(said("There is no such calculator."))
    hall: Hall = request.app.state.hall
    return await answered(request, lambda known: build(known, given, hall.today()))
