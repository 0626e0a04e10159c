"""The prizes of an event: as it was reported, or as it was played here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts import Facts
from palmares.facts.text import printable
from palmares.tournaments.formats.matches import MAIN, AnySetup, Knockout, Placing
from palmares.tournaments.notice import (
    Division,
    Notice,
    event_cells,
    hundredths,
    is_money,
    tournament_cells,
)
from palmares.tournaments.prizes import Pool, Prize, pool, prizes, totals
from palmares.tournaments.report import flight_entrants
from palmares.tournaments.running import Drafts, Running, Split, check_over


@dataclass(frozen=True, slots=True, kw_only=True)
class Payout:
    """The prizes of a division, and the pool they come from."""

    notice: Notice
    division: Division
    pool: Pool
    prizes: Sequence[Prize]  #: the main first, the best first


def pay_out(
    notice: Notice,
    division: Division,
    payers: int,
    placings: Sequence[Placing],
    entrants: Mapping[str, int],
    agreed: Mapping[str, int] | None = None,
) -> Payout:
    """The prizes of a division by the rule of its notice, which has one.

    Args:
        notice: of the event.
        division: that was played.
        payers: how many paid its entry fee.
        placings: as `prizes` takes them.
        entrants: how many played in each flight.
        agreed: a split that players agreed on: cents by player.

    Raises:
        Refused: as `pool` and `prizes` do.
    """
    assert notice.prizes is not None  # noqa: S101  the caller looked
    shared = pool(notice.prizes, division, payers)
    paid = prizes(notice.prizes, shared.total, placings, entrants, agreed)
    return Payout(notice=notice, division=division, pool=shared, prizes=paid)


# ── of a report ──────────────────────────────────────────────────────────────────────────────────


def reported(facts: Facts, event: str) -> tuple[list[Placing], dict[str, int]]:
    """The placings of an event as it was reported, and how many played in each flight.

    Args:
        facts: of the report.
        event: its id.

    Raises:
        Refused: players share a rank and not all of them are listed.
    """
    of_event = pl.col("event_id") == event
    entrants = dict(facts["flights"].filter(of_event).select("flight", "entrants").iter_rows())
    if MAIN not in entrants:
        entrants[MAIN] = facts["events"].filter(of_event)["entrants"].item() or 0
    rows = facts["placings"].filter(of_event & pl.col("rank").is_not_null())
    listed = rows.group_by("flight", "rank").agg(pl.len().alias("listed"), pl.col("tied").max())
    for flight, rank, many, tied in listed.sort("flight", "rank").iter_rows():
        if tied is not None and tied > many:
            raise Refused(
                msg(
                    "%(tied)s players share rank %(rank)s of %(flight)s, and %(many)s are listed."
                    " Add the others: each of them is paid.",
                    tied=tied,
                    rank=rank,
                    flight=flight,
                    many=many,
                )
            )
    placings = [
        Placing(flight=flight, player=player, rank=rank, rounds_behind=None, designated=False)
        for flight, player, rank in rows.select("flight", "player_id", "rank").iter_rows()
    ]
    return placings, entrants


# ── of an event that was played here ─────────────────────────────────────────────────────────────


def event_payout(
    running: Running, notice: Notice, agreed: Mapping[str, int] | None = None
) -> Payout:
    """The prizes of an event that is over; every entrant paid the fee of its division.

    Args:
        running: the event.
        notice: of the event, with a rule of prizes.
        agreed: the split; by default, the one that is recorded.

    Raises:
        Refused: it is not clear which division was played, the notice pays a flight that the event
            does not have, the recorded split does not fit, or as `pool` and `prizes` do.
    """
    setup = running.setup
    division = event_division(notice, setup)
    _check_flights(notice, setup)
    payers = sum(who is not None for who in setup.places)
    entrants = flight_entrants(setup, running.matches) | {MAIN: payers}
    split = running.agreed if agreed is None else agreed
    return pay_out(notice, division, payers, running.placings, entrants, split)


def event_division(notice: Notice, setup: AnySetup) -> Division:
    """The division that an event is: the only one of its notice, or the one of its name.

    Raises:
        Refused: none has its name.
    """
    names = [division.name for division in notice.divisions]
    if len(names) > 1 and setup.name not in names:
        raise Refused(
            msg(
                "The notice has several divisions: %(names)s. The event's name is none of them, so"
                " its entry fee is not known. Compute the prizes from the report of the event.",
                names=", ".join(names),
            )
        )
    return notice.division(setup.name if len(names) > 1 else "")


def report_defaults(
    notice: Notice | None, setup: AnySetup
) -> tuple[dict[str, str], dict[str, str]]:
    """What the report of an event takes from its notice: columns of the tournament, of the event.

    Empty columns are left out. Without a notice, or if none of its divisions is the event, the
    event's are empty.
    """
    if notice is None:
        return {}, {}
    try:
        of_event = event_cells(notice, event_division(notice, setup))
    except Refused:
        of_event = {}
    return (
        {name: value for name, value in tournament_cells(notice).items() if value},
        {name: value for name, value in of_event.items() if value},
    )


def _check_flights(notice: Notice, setup: AnySetup) -> None:
    """Refuse a rule that pays a flight that the event does not have."""
    feeds = setup.feeds if isinstance(setup, Knockout) and not setup.final_again else []
    flights = {MAIN, *(feed.name for feed in feeds)}
    for flight in notice.prizes.paid_flights if notice.prizes else ():
        if flight not in flights:
            raise Refused(
                msg(
                    "The notice pays prizes in %(flight)s, and the event has no such flight."
                    " Correct the shares in the notice, with a reason.",
                    flight=flight,
                )
            )


def split(running: Running, notice: Notice | None, amounts: Iterable[tuple[str, str]]) -> Drafts:
    """The record of a split that players agreed on; none if it is recorded already.

    Args:
        running: the event, which is over.
        notice: in force.
        amounts: each with its player, by id or name; empty: the rule of the notice again.

    Raises:
        FactsRejected: the event is not over, or a player is unknown.
        Refused: the notice has no prizes, an amount is none, a player is there twice, or the
            sum is another.
    """
    check_over(running)
    if notice is None or notice.prizes is None:
        raise Refused(msg("The event has no notice with prizes, so there is nothing to split."))
    cents: dict[str, int] = {}
    for name, amount in amounts:
        if not is_money(amount):
            raise Refused(
                msg(
                    "%(amount)s is no amount. Write it like 900 or 900.50.",
                    amount=printable(amount),
                )
            )
        player = running.player(name)
        if player in cents:
            raise Refused(msg("%(name)s is there twice. Give it once.", name=running.name(player)))
        cents[player] = hundredths(amount)
    by_rule = totals(event_payout(running, notice, {}).prizes)
    if without := [running.name(player) for player in cents if player not in by_rule]:
        raise Refused(
            msg(
                "%(player)s has no prize, so they cannot be part of the agreed split.",
                player=without[0],
            )
        )
    cents = {player: amount for player, amount in cents.items() if amount != by_rule[player]}
    event_payout(running, notice, cents)
    return () if cents == running.agreed else [("split", Split(cents=cents))]
