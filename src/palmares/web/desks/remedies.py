"""What to do about a report that an officer looks at: Names is a section of its director's page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from palmares.errors import FactsRejected, Problem, Refused
from palmares.journal import advice, corrections
from palmares.sentences import Said, counted, either, said

REPLACED: Mapping[str, str] = {
    advice.SAY_SO: said("If they are one player, return the report: its director says so."),
    advice.SAY_SO_OR_ID: said(
        "If they are one player, return the report: its director says so, or gives this one another"
        " id, or none."
    ),
    advice.SAY_WHO: said("Return the report: its director says who this is."),
    advice.WRITE_OR_SAY: said(
        "Return the report: its director writes the id into it, or says who this is."
    ),
    corrections.SAY_REPLACES: said(
        "If this one is right, return the report: its director says that it replaces what is there."
    ),
    corrections.SAY_REPLACES_NO_LONGER: said(
        "Return the report: its director says no longer that this is replaced."
    ),
}
"""What directors are told to do on their page, and what officers do on theirs."""


def for_officers(text: str) -> str:
    """A message with what an officer can do, where it says what a director does under Names."""
    if not isinstance(text, Said):
        return text
    director = text.instead
    officer = REPLACED.get(director.message if isinstance(director, Said) else director)
    if officer is not None:
        return either(str(text), officer)
    values = {
        name: for_officers(one) if isinstance(one, Said) else one
        for name, one in text.values.items()
    }
    if all(values[name] is one for name, one in text.values.items()):
        return text
    if text.several:
        del values["many"]
        return counted(text.message, text.several, text.many, **values)
    return said(text.message, **values)


def problem_for_officers(problem: Problem) -> Problem:
    """A problem with what an officer can do."""
    return replace(problem, what=for_officers(problem.what), remedy=for_officers(problem.remedy))


@contextmanager
def told_officers() -> Iterator[None]:
    """What is refused, with what an officer can do.

    Raises:
        FactsRejected, Refused: the same, in other words.
    """
    try:
        yield
    except FactsRejected as rejected:
        raise FactsRejected(map(problem_for_officers, rejected.problems), so=rejected.so) from None
    except Refused as refused:
        if refused.__cause__ is not None:  # a database that fails
            raise
        raise type(refused)(for_officers(str(refused))) from None
