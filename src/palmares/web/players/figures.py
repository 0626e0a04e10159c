"""What players ask of their own page: movement, losses, gains, a rival."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Annotated, Any, Literal

import polars as pl
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.journal.store.journal import Journal
from palmares.lists.figures.gains import (
    MOST_PLAYERS,
    Gains,
    NextEvent,
    PlaceGain,
    gains,
    main_format,
)
from palmares.lists.figures.movement import Movement, movement
from palmares.lists.figures.players import (
    PERIODS,
    LossPeriod,
    NextExpiry,
    Peak,
    PlayerResults,
    Rivalry,
    against,
    losses,
    national_rank,
    next_above,
    next_expiry,
    peak,
)
from palmares.points.history import days
from palmares.points.inputs import left_out_of, of_discipline
from palmares.regulations import Regulation
from palmares.regulations.model import Membership, levels_held
from palmares.web.http.state import Snapshot
from palmares.web.shared.history import HistoryPoint, earlier, totals_on
from palmares.web.shared.lists import awarding, days_ahead, listable_day, moved_since
from palmares.web.shared.names import (
    EventName,
    RankedPlayer,
    ShownPlayer,
    extended,
    rows_of_player,
    shown_row,
    with_name,
)
from palmares.web.shared.parameters import AsOf, PlayerId, RegulationName
from palmares.web.shared.results import player_results

RIVAL_MONTHS = 36
"""Months of the curves of two players beside each other."""
LIKE = 12
"""Past events offered as models of an event to come."""
_AMOUNT = re.compile(r"[0-9]{1,7}([.,][0-9]{1,2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerIdentity(ShownPlayer):
    """A player as they may be shown."""

    withheld: bool


def person(snapshot: Snapshot, player_id: str) -> PlayerIdentity:
    """A player as they may be shown; of a merged record the one that it is part of.

    Raises:
        NotFoundException: there is none of that id.
    """
    row = shown_row(snapshot, player_id)
    if row is None:
        raise nobody()
    shown_id, player, nation, withheld = row
    return PlayerIdentity(player_id=shown_id, player=player, nation=nation, withheld=withheld)


def memberships(snapshot: Snapshot, player_id: str) -> tuple[Membership, ...]:
    """The memberships of a player, the latest first."""
    rows = rows_of_player(snapshot.facts["memberships"], player_id)
    times = (
        Membership(federation, level or "", start, end)
        for federation, level, start, end in rows[["federation", "level", "start", "end"]].rows()
    )
    return tuple(sorted(times, key=lambda time: time.start, reverse=True))


def nobody() -> NotFoundException:
    """The error for a player or a result that does not exist."""
    return NotFoundException(msg("There is no such player, or no such result of theirs."))


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAboveRow(RankedPlayer):
    """The player next above on the list."""

    gap: Nanopoints  # between them


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFigures:
    """Where a player stands beyond rank and points."""

    national_rank: int | None  # among those of the nation; none: not on the list, or no nation
    peak: Peak | None  # the most points ever; none: never any
    best_rank: HistoryPoint | None  # the first month whose end had it
    movement: Movement | None  # since the list that movement on lists is measured from, too
    since_entry: int | None  # that published that one; none: it is as known now
    next_expiry: NextExpiry | None  # none: nothing of theirs ends
    above: NextAboveRow | None  # none: nobody is
    losses: tuple[LossPeriod, ...]  # in 30, 90 and 365 days; nothing where results never fade


def player_figures(
    journal: Journal,
    snapshot: Snapshot,
    regulation: str,
    who: PlayerIdentity,
    day: date,
    today: date,
    history: Iterable[HistoryPoint],
) -> PlayerFigures:
    """Where a player stands on a day beyond rank and points.

    Args:
        journal: where official lists are read.
        snapshot: what is known.
        regulation: of the list.
        who: the player.
        day: of the list.
        today: the day it is.
        history: of the player, up to the day.
    """
    player = player_results(snapshot, regulation, who.player_id)
    now = totals_on(snapshot, regulation, day)
    periods = () if player.fades.lasts else PERIODS
    ahead = [totals_on(snapshot, regulation, day + timedelta(days=each)) for each in periods]
    above = next_above(player, now)
    return PlayerFigures(
        national_rank=national_rank(player, now, who.nation) if who.nation else None,
        peak=peak(player, day),
        best_rank=min(
            (point for point in history if point.rank),
            key=lambda point: (point.rank, point.day),
            default=None,
        ),
        movement=movement(player, earlier(journal, snapshot, regulation, day, today), now),
        since_entry=moved_since(snapshot, regulation, day, today)[1],
        next_expiry=next_expiry(player, day),
        above=with_name(NextAboveRow, snapshot, above) if above else None,
        losses=losses(player, now, ahead),
    )


# ── what they could gain ─────────────────────────────────────────────────────────────────────────


Like = Annotated[
    str,
    QueryParameter(
        description="The id of an event to go by: its kind, level, flights and currency are those"
        " of the event to come. The last that the player played, if it is not given.",
        max_length=1000,
    ),
]
Players = Annotated[
    int,
    QueryParameter(
        description="How many enter; as many as in the event to go by, if it is not given.",
        ge=0,
        le=MOST_PLAYERS,
    ),
]
Fee = Annotated[
    str,
    QueryParameter(
        description="The entry fee, in the currency of the event to go by; as there, if it is not"
        " given.",
        max_length=20,
    ),
]
Format = Annotated[
    Literal["", "knockout", "double_knockout", "swiss", "round_robin"],
    QueryParameter(
        description="The format of the Main; as in the event to go by, if it is not given. It has"
        " no effect where no matches are played, as in Diplomacy.",
    ),
]
Held = Annotated[
    date | None,
    QueryParameter(
        description="The day on which the event ends; in four weeks, if it is not given.",
        examples=[Example(value="2026-12-13")],
    ),
]
Rival = Annotated[
    str,
    QueryParameter(
        description="The id of a player to be passed: `needed` is the last place that does.",
        max_length=1000,
    ),
]
RivalId = Annotated[
    str, PathParameter(description="The id of another player.", examples=[Example(value="P2")])
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LikeEvent(EventName):
    """An event to go by."""

    day: date
    entrants: int | None
    entry_fee: str | None
    format: str  # empty: no matches are played, as in Diplomacy
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerGains:
    """What the places of an event to come would give a player, if nobody else plays until then."""

    like: LikeEvent | None  # none: there is no event to go by
    events: tuple[LikeEvent, ...]  # to choose from
    held: date  # the day on which it ends
    players: int
    fee: str
    format: str
    as_of: date | None  # from which all of it counts: of totals and ranks; none: no places
    nanopoints: Nanopoints  # on that day without it
    rank: int | None
    places: tuple[PlaceGain, ...]
    problems: tuple[str, ...]  # why there are no places
    earns: bool  # whether any place gives points
    members_of: str  # who alone earn points, and the player is none then; empty: they earn them
    match_points: bool  # whether matches that are won give points, too, which are not counted here
    rival: NextAboveRow | None  # whom they want to pass, on that day; none: nobody
    needed: PlaceGain | None  # the last place that passes them; none: no place does
    already_ahead: bool


_NO_PLACES: Mapping[str, Any] = {
    "as_of": None, "nanopoints": 0, "rank": None, "places": (), "earns": False, "members_of": "",
    "match_points": False, "rival": None, "needed": None, "already_ahead": False,
}  # fmt: skip


def player_gains(
    snapshot: Snapshot,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    like: Like = "",
    players: Players = 0,
    fee: Fee = "",
    format: Format = "",  # noqa: A002
    held: Held = None,
    rival: Rival = "",
) -> PlayerGains:
    """What each place of an event to come would give a player: points, total and rank.

    The event is awarded as any other and never recorded; nobody else plays until then.

    Raises:
        NotFoundException: there is no such player, or no such rival.
    """
    player = player_results(snapshot, awarding(regulation), person(snapshot, player_id).player_id)
    events = _to_go_by(snapshot, player, like)
    chosen = next((event for event in events if like in ("", event.event_id)), None)
    held = held or today + timedelta(days=28)
    players = players or (chosen.entrants if chosen else None) or 0
    played, amount = format or (chosen.format if chosen else ""), _fee(fee)
    form: dict[str, Any] = {
        "like": chosen, "events": events, "held": held, "players": players, "format": played,
        "fee": fee or (chosen.entry_fee if chosen else None) or "",
    }  # fmt: skip
    above = person(snapshot, rival) if rival else None
    problem = msg("There is no event to go by. Choose one that was played.")
    if chosen is None or (problem := _why_not(fee, held, today)):
        return PlayerGains(**form, **_NO_PLACES, problems=(problem,))
    event = NextEvent(
        like=chosen.event_id, day=held, entrants=players, entry_fee=amount, format=played
    )
    try:
        offered = gains(player, event, above.player_id if above else None)
    except Refused as refused:
        return PlayerGains(**form, **_NO_PLACES, problems=(str(refused),))
    return extended(
        PlayerGains, offered, **form, as_of=offered.day, nanopoints=offered.total,
        problems=tuple(problem.sentences for problem in offered.problems),
        members_of=_only_members_of(snapshot, player, held),
        match_points="match" in player.given.question.get_regulation().kinds,
        rival=_outranked(above, offered) if above else None,
    )  # fmt: skip


def _only_members_of(snapshot: Snapshot, player: PlayerResults, day: date) -> str:
    """The federation whose members alone earn points, if a player is none on a day; else empty."""
    federation = player.given.question.get_regulation().members_of
    theirs = {player.player_id: memberships(snapshot, player.player_id)}
    return "" if levels_held(theirs, player.player_id, federation, day) else federation


def _why_not(fee: str, held: date, today: date) -> str:
    """Why nobody can say what an event would give; empty: it can be said."""
    if fee and _fee(fee) is None:
        return msg("'%(fee)s' is no amount, such as 100 or 99.50.", fee=fee)
    return msg("Choose a day that is still to come.") if held < today else ""


def _outranked(rival: PlayerIdentity, offered: Gains) -> NextAboveRow | None:
    """The player to be passed, on the day from which all of the event counts."""
    total = offered.rival_total
    if total is None:
        return None
    gap = max(total - offered.total, 0)
    return extended(NextAboveRow, rival, rank=offered.rival_rank or 0, nanopoints=total, gap=gap)


def _fee(text: str) -> Fraction | None:
    """An amount that was typed; none: it is none."""
    amount = _AMOUNT.fullmatch(text.strip())
    return Fraction(amount[0].replace(",", ".")) if amount else None


def _to_go_by(snapshot: Snapshot, player: PlayerResults, wanted: str) -> tuple[LikeEvent, ...]:
    """Events to go by that count: the player's last, else the last of all, and a wanted one."""
    given, tables = player.given, snapshot.facts.tables
    rules = given.question.get_regulation()
    seen = of_discipline(rules)
    counted = tables["events"].filter(~left_out_of(rules.name))
    latest = [result.event_id for result in reversed(player.results)]
    if not latest:
        events = given.names.events.join(
            tables["tournaments"].filter(seen), on="tournament_id", how="semi"
        ).join(counted, on="event_id", how="semi")
        latest = events.sort("end_date", "event_id", descending=True)["event_id"].to_list()
    chosen = pl.col("event_id").is_in([wanted, *list(dict.fromkeys(latest))[:LIKE]])
    columns = ["event_id", "name", "tournament_id", "entrants", "entry_fee"]
    rows = counted[columns].filter(chosen)
    its = pl.col("tournament_id").is_in(rows["tournament_id"].to_list())
    tournaments = {
        row["tournament_id"]: row
        for row in tables["tournaments"].filter(its, seen).iter_rows(named=True)
    }
    mains = {
        row["event_id"]: row
        for row in tables["flights"].filter(chosen, flight="main").iter_rows(named=True)
    }
    offered = (
        _like_event(rules, row, tournaments[row["tournament_id"]], mains.get(row["event_id"], {}))
        for row in rows.iter_rows(named=True)
        if row["tournament_id"] in tournaments
    )
    return tuple(sorted(offered, key=lambda event: (event.day, event.event_id), reverse=True))


def _like_event(
    rules: Regulation,
    event: Mapping[str, Any],
    tournament: Mapping[str, Any],
    main: Mapping[str, Any],
) -> LikeEvent:
    fee = event["entry_fee"]
    return LikeEvent(
        event_id=event["event_id"],
        event=event["name"],
        tournament_id=event["tournament_id"],
        tournament=tournament["name"],
        day=tournament["end_date"],
        entrants=event["entrants"] or main.get("entrants"),
        entry_fee=None if fee is None else f"{fee.normalize():f}",
        format=main_format(rules, main.get("format")),
        currency=tournament["currency"] or "EUR",
    )


# ── against somebody ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAgainst(Rivalry):
    """A player beside another one: their points over time, and the events of both."""

    rival: PlayerIdentity
    rank: int | None  # of the rival; none: not on the list
    nanopoints: Nanopoints | None


def player_against(
    snapshot: Snapshot,
    today: date,
    player_id: PlayerId,
    regulation: RegulationName,
    rival: RivalId,
    as_of: AsOf = None,
) -> PlayerAgainst:
    """Two players beside each other: points month by month, and the events that both played.

    Raises:
        NotFoundException: there is no such player.
    """
    day, regulation = listable_day(as_of, today), awarding(regulation)
    who, other_person = person(snapshot, player_id), person(snapshot, rival)
    first = day.replace(year=max(day.year - RIVAL_MONTHS // 12, 1), day=1)
    on = list(days(first, day, "month"))[-RIVAL_MONTHS - 1 :]
    player, other = (
        player_results(snapshot, regulation, each.player_id) for each in (who, other_person)
    )
    now = totals_on(snapshot, regulation, day)
    return extended(
        PlayerAgainst,
        against(player, other, on),
        rival=other_person,
        rank=now.rank(other.number),
        nanopoints=now.nanopoints(other.number),
    )


# ── as nobody plays ──────────────────────────────────────────────────────────────────────────────


def projection(
    snapshot: Snapshot, regulation: str, player_id: str, day: date
) -> tuple[HistoryPoint, ...]:
    """A player's points and rank at the ends of the months to come, if nothing is added."""
    player = player_results(snapshot, regulation, player_id)
    return tuple(
        HistoryPoint(
            day=ahead,
            nanopoints=player.nanopoints(ahead),
            rank=totals_on(snapshot, regulation, ahead).rank(player.number),
        )
        for ahead in days_ahead(day)
    )
