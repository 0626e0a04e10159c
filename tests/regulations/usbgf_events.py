"""USBGF events as the tests write them: short lines in, a tournament out, points back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from palmares.core.errors import Location
from palmares.points.awards import work
from palmares.regulations import usbgf
from palmares.regulations.editions import Rulebook, Rules, rulebook
from palmares.regulations.model import (
    Advice,
    Event,
    Flight,
    Grant,
    Match,
    Membership,
    Memberships,
    Tournament,
)
from tests.regulations.usable import usable

DAY = date(2019, 5, 19)
ALWAYS = (Membership("USBGF", "Basic", date(2000, 1, 1), None),)


class Everybody(dict[str, Sequence[Membership]]):
    """The memberships of a world in which everybody is a member, but those named."""

    def get(self, player: str, default: Any = ()) -> Any:
        return super().get(player, ALWAYS)


def book(
    edition: str | None = None,
    chosen: Mapping[str, str] | None = None,
    number: type[float | Fraction] = Fraction,
) -> Rulebook:
    """The rulebook, on exact numbers."""
    return rulebook("usbgf", usbgf.Constants, number=number, chosen=chosen, edition=edition)


def rules(edition: str) -> Rules:
    """One edition on exact numbers."""
    return next(one for one in book().all if one.edition.id == edition)


def flight(name: str, line: str, entrants: int = 32, format: str = "knockout") -> Flight:  # noqa: A002
    """A flight from a line such as ``1* ada, 2* ben, 3=2* cid dan``: rank, tied, designated."""
    rows: list[tuple[int, str, int, bool]] = []
    for part in filter(None, (part.strip() for part in line.split(","))):
        place, *players = part.split()
        rank, _, tied = place.rstrip("*").partition("=")
        rows += [
            (int(rank), player, int(tied or len(players)), place.endswith("*"))
            for player in players
        ]
    return Flight(
        name=name,
        entrants=entrants,
        format=format,
        players=tuple(player for _, player, _, _ in rows),
        ranks=tuple(rank for rank, *_ in rows),
        tied=tuple(tied for _, _, tied, _ in rows),
        designated=tuple(taken for *_, taken in rows),
        rounds_behind=(None,) * len(rows),
    )


def won(
    winner: str,
    length: int,
    *,
    flight: str = "main",
    on: date | None = None,
    status: str = "played",
    wins: int | None = None,
    match_id: str | None = None,
) -> Match:
    """One match, by its winner."""
    return Match(
        match_id=match_id or f"{winner}-{length}-{flight}-{on}",
        flight=flight,
        played_on=on,
        length=length,
        winner=winner,
        status=status,
        series_wins=wins,
    )


def event(**given: Any) -> Event:
    """An ABT Main Event of 32 players; matches and flights as lists."""
    said: dict[str, Any] = {
        "event_id": "e",
        "name": "Open",
        "where": Location("events.csv", 2),
        "event_type": "ABT Main Event",
        "entrants": 32,
        **given,
    }
    for name in ("flights", "matches"):
        said[name] = tuple(said.get(name, ()))
    return Event(**said)


def tournament(*events: Event, **given: Any) -> Tournament:
    """A live tournament of 2019."""
    said: dict[str, Any] = {
        "tournament_id": "t",
        "name": "Ohio State",
        "where": Location("tournaments.csv", 2),
        "end_date": DAY,
        **given,
    }
    return Tournament(events=events, **said)


def awarded(
    held: Tournament, by: Rulebook | None = None, members: Memberships | None = None
) -> list[Grant | Advice]:
    """Everything the regulation says of a tournament; everybody is a member unless said."""
    members = Everybody() if members is None else members
    return usable(usbgf.award(by or book(), held, members))


def grants(
    held: Tournament, by: Rulebook | None = None, members: Memberships | None = None
) -> list[Grant]:
    """The grants that have players."""
    return [one for one in awarded(held, by, members) if isinstance(one, Grant) and one.players]


def exact_points(given: Iterable[Grant]) -> dict[tuple[str, str, str, date], Any]:
    """Uncounted points by player, kind, flight and day, by the formulas of the grants."""
    found = {}
    for grant in given:
        for row, player in enumerate(grant.players):
            known: dict[str, Any] = {"constants": grant.rules.constants}
            known |= {**grant.terms, **grant.tables}
            known |= {name: column[row] for name, column in grant.columns.items()}
            for name, function in (*grant.derived.items(), ("points", grant.formula)):
                names = function.__wrapped__.__code__.co_varnames  # type: ignore[attr-defined]
                count = function.__wrapped__.__code__.co_argcount  # type: ignore[attr-defined]
                known[name] = function(**{key: known[key] for key in names[:count]})
            key = (player, grant.kind, grant.flight, grant.effective)
            assert key not in found, key
            found[key] = known["points"]
    return found


def earned(
    held: Tournament,
    kind: str,
    by: Rulebook | None = None,
    members: Memberships | None = None,
) -> dict[str, Any]:
    """The points of one kind by player, over all flights and days."""
    total: dict[str, Any] = {}
    for (player, of, _, _), points in exact_points(grants(held, by, members)).items():
        if of == kind:
            total[player] = total.get(player, 0) + points
    return total


def factors(held: Tournament, by: Rulebook | None = None) -> dict[str, Any]:
    """The rank factor of every ranked finisher."""
    return {
        player: factor
        for one in work(grants(held, by))
        if one.grant.kind == "placement"
        for player, factor in zip(one.grant.players, one.columns["rank_factor"], strict=True)
    }


def told(
    held: Tournament, by: Rulebook | None = None, members: Memberships | None = None
) -> list[str]:
    """What officers should look at, in words."""
    held_by = by or book()
    notices = [one for one in awarded(held, held_by, members) if isinstance(one, Advice)]
    notices += usbgf.advice(held_by, held)
    return [one.problem.what for one in notices]
