"""The setup of an event: from a file, from a draw, or from entrants in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.facts.text import squeezed
from palmares.tournaments.draw import announcement as draws
from palmares.tournaments.draw.announcement import read
from palmares.tournaments.draw.draw import Drawn
from palmares.tournaments.draw.places import line_numbers
from palmares.tournaments.formats.matches import MAIN, AnySetup, Flight, Groups, Knockout, Swiss

BYES = ("", "-", "bye")
"""Words for a place that nobody has."""
LENGTHS = [7]
"""Points of a match where nothing else is said."""


def read_setup(document: Any, file: str) -> tuple[AnySetup, dict[str, str]]:
    """The setup that a file describes, and the names of entrants it gives.

    The file has the keys of a setup. Instead of ``places`` and ``names`` it may have ``entrants``,
    a list of names in order.

    Raises:
        Refused: a key is missing or wrong.
    """
    try:
        content = msgspec.convert(document, dict[str, Any])
        if "entrants" in content:
            entrants = msgspec.convert(content.pop("entrants"), list[str])
            knockout = content.get("format") == "knockout"
            content["places"], content["names"] = placed(entrants, bracket=knockout)
        content["places"] = [
            None if isinstance(who, str) and who.casefold() in BYES else who
            for who in content.get("places", ())
        ]
        content.setdefault("names", {})
        content.setdefault("flights", [{"name": MAIN, "lengths": LENGTHS}])
        setup: AnySetup = msgspec.convert(content, AnySetup)
    except msgspec.ValidationError as error:
        raise Refused(
            msg(
                "%(file)s: %(why)s. Correct the file and try again.",
                file=file,
                why=brief(error, 200),
            )
        ) from None
    return setup, setup.names


def placed(entrants: Sequence[str], *, bracket: bool) -> tuple[list[str | None], dict[str, str]]:
    """Places and names of entrants in order, with ids 1, 2, 3, ...

    Args:
        entrants: names; an empty one, ``-`` or ``bye`` is a place that nobody has.
        bracket: of a bracket; what is missing to 2, 4, 8, ... places become byes of the places with
            the lowest numbers, and the others keep their order.
    """
    named = [None if squeezed(name).casefold() in BYES else squeezed(name) for name in entrants]
    names = {str(number): name for number, name in enumerate(filter(None, named), 1)}
    ids = iter(names)
    places = [next(ids) if name else None for name in named]
    lines = 1 << (len(places) - 1).bit_length() if places else 0
    if bracket and len(places) < lines:
        numbers = line_numbers(lines)
        byes = {numbers.index(number) ^ 1 for number in range(1, lines - len(places) + 1)}
        rest = iter(places)
        places = [None if line in byes else next(rest) for line in range(lines)]
    return places, names


def setup_of_draw(
    drawn: Drawn, bracket: str, lengths: Mapping[str, list[int]], rounds: int
) -> AnySetup:
    """The setup of an event on the places of a draw.

    Args:
        drawn: the draw.
        bracket: the announcement that states the feeds; of late entries that of the bracket they
            join, of others their own.
        lengths: points of a match by flight, round by round.
        rounds: of a Swiss.
    """
    draw, stated = drawn.announced.content, read(bracket.encode()).content
    feeds = list(stated.feeds or ()) if isinstance(stated, draws.Knockout) else []
    flights = [
        Flight(name=name, lengths=lengths.get(name, lengths.get(MAIN, LENGTHS)))
        for name in (MAIN, *(feed.name for feed in feeds))
    ]
    common: dict[str, Any] = {
        "event": draw.draw, "name": draw.event, "places": list(drawn.places), "flights": flights,
        "names": {who: who for who in drawn.places if who}, "draw": drawn.announced.sha256,
    }  # fmt: skip
    if isinstance(draw, draws.Knockout | draws.Late):
        return Knockout(**common, feeds=feeds)
    if isinstance(draw, draws.Pairs):
        return Swiss(**common, rounds=rounds)
    return Groups(**common, groups=draw.groups if isinstance(draw, draws.Groups) else 1)
