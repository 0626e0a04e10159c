"""
The journal as officers look at it, whether on a page or by a program.

    verified    whether the chain holds
    alike       players who may be one
    cells       a tournament  ->  the rows of its report, to be corrected
"""

from __future__ import annotations

from litestar.exceptions import NotFoundException

from palmares.errors import FactsRejected, Refused
from palmares.journal.bodies import changed
from palmares.journal.chain import verify
from palmares.journal.decisions import report_of
from palmares.journal.lookalikes import suggestions
from palmares.journal.projection import tables_of
from palmares.journal.register import Register
from palmares.journal.words import names_in
from palmares.web.hall import Hall
from palmares.web.pages.officer import (
    AlikePage,
    CellsPage,
    VerifiedPage,
    alike_page,
    cells_page,
)


def verified(hall: Hall) -> VerifiedPage:
    """Whether the chain holds; every entry is hashed anew."""
    with hall.journal.reading() as reader:
        head = reader.head()
        try:
            found = verify(reader)
        except FactsRejected as rejected:
            return VerifiedPage(
                entries=head.sequence, head=head.hash, names=0, erased=0, absent=0,
                problems=tuple(rejected.problems),
            )  # fmt: skip
    return VerifiedPage(
        entries=found.head.sequence,
        head=found.head.hash,
        names=found.names,
        erased=found.erased,
        absent=found.absent,
    )


def alike(hall: Hall) -> AlikePage:
    """Players who may be one, and whom nobody has merged or kept apart."""
    known = hall.known(at_once=True)
    with hall.journal.reading() as reader:
        register = Register.of(known.projection, reader)
        return known.once("players who may be one", lambda: alike_page(suggestions(register)))


def cells(hall: Hall, tournament: str) -> CellsPage:
    """The rows of a tournament's report, as they count now.

    Raises:
        NotFoundException: there is no report of it.
    """
    projection = hall.known(at_once=True).projection
    state = projection.state
    try:
        sequence = report_of(state, tournament)
    except Refused as error:
        raise NotFoundException(str(error)) from None
    with hall.journal.reading() as reader:
        tables = changed(tables_of(reader.entry(sequence)), state.overrides(tournament))
    return cells_page(tournament, tables, names_in(projection))
