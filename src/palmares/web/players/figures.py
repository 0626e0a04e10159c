"""What players ask of their own page: movement, losses, gains, a rival, corrections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.journal.store.journal import Journal
from palmares.lists.figures.gains import MOST_PLAYERS, Gains, NextEvent, PlaceGain, gains
from palmares.lists.figures.movement import Movement, movement
from palmares.lists.figures.players import (
    PERIODS,
    CommonEvent,
    LossPeriod,
    NextExpiry,
    Peak,
    against,
    losses,
    national_rank,
    next_above,
    next_expiry,
    peak,
)
from palmares.points.history import days
from palmares.web.http.state import Snapshot
from palmares.web.shared.history import HistoryPoint, earlier, totals_on
from palmares.web.shared.lists import days_ahead
from palmares.web.shared.names import (
    ShownPlayer,
    extended,
    rows_with,
    shown_player,
    shown_players,
    with_name,
)
from palmares.web.shared.results import merged_into, player_results

RIVAL_MONTHS = 36
"""So many months two players are shown beside each other."""
LIKE = 12
"""So many events are offered to go by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BestRank:
    """The best rank of a player at the end of a month, and the first month that had it."""

    day: date
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAboveRow(ShownPlayer):
    """The player next above on the list."""

    rank: int
    nanopoints: Nanopoints
    gap: Nanopoints  # between them


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow:
    """What was changed in a tournament of a player after it was first reported."""

    tournament_id: str
    tournament: str
    entry: int  # of the journal
    kind: str  # report: reported again; override: a value that an officer set
    day: date  # on which it was recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerFigures:
    """Where a player stands beyond rank and points."""

    national_rank: int | None  # among those of the nation; none: not on the list, or no nation
    peak: Peak | None  # the most points ever; none: never any
    best_rank: BestRank | None
    movement: Movement | None  # since the last published list, else since a week ago
    next_expiry: NextExpiry | None  # none: nothing of theirs ends
    above: NextAboveRow | None  # none: nobody is
    losses: tuple[LossPeriod, ...]  # in 30, 90 and 365 days; nothing where results never fade
    corrections: tuple[CorrectionRow, ...]  # of their tournaments, the latest first


def player_figures(
    journal: Journal,
    snapshot: Snapshot,
    regulation: str,
    player_id: str,
    day: date,
    history: Iterable[HistoryPoint],
) -> PlayerFigures:
    """Where a player stands on a day beyond rank and points.

    Args:
        journal: where published lists are read.
        snapshot: what is known.
        regulation: of the list.
        player_id: who.
        day: of the list.
        history: of the player, up to the day.
    """
    player = player_results(snapshot, regulation, player_id)
    now = totals_on(snapshot, regulation, day)
    ahead = [totals_on(snapshot, regulation, day + timedelta(days=period)) for period in PERIODS]
    best = min(((point.rank, point.day) for point in history if point.rank), default=None)
    above, nation = next_above(player, now), shown_player(snapshot, player_id).nation
    return PlayerFigures(
        national_rank=national_rank(player.given, now, player_id, nation) if nation else None,
        peak=peak(player, day),
        best_rank=BestRank(rank=best[0], day=best[1]) if best else None,
        movement=movement(player, earlier(journal, snapshot, regulation, day), now),
        next_expiry=next_expiry(player, day),
        above=with_name(NextAboveRow, snapshot, above) if above else None,
        losses=() if player.fades.lasts else losses(player, now, ahead),
        corrections=corrections_of(journal, snapshot, regulation, player_id),
    )


def corrections_of(
    journal: Journal, snapshot: Snapshot, regulation: str, player_id: str
) -> tuple[CorrectionRow, ...]:
    """What was reported again, or set by an officer, in the tournaments of a player's results."""
    state = snapshot.projection.state
    player = player_results(snapshot, regulation, player_id)
    own = {result.tournament_id for result in player.results}
    statements = [
        (statement.sequence, statement.kind, tournament)
        for tournament in own
        for statement in (*state.not_undone("tournaments", tournament)[1:],
                    *state.not_undone("overrides", tournament))
    ]  # fmt: skip
    if not statements:
        return ()
    with journal.reading() as reader:
        entries = reader.by_number([sequence for sequence, *_ in statements])
        recorded = {each.sequence: date.fromisoformat(each.recorded_at[:10]) for each in entries}
    table = snapshot.facts["tournaments"].filter(pl.col("tournament_id").is_in(list(own)))
    names = dict(table.select("tournament_id", "name").iter_rows())
    return tuple(
        CorrectionRow(
            tournament_id=tournament,
            tournament=names[tournament],
            entry=sequence,
            kind=kind,
            day=recorded[sequence],
        )
        for sequence, kind, tournament in sorted(statements, reverse=True)
    )


# ── what they could gain ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class GainsQuery:
    """An event to come, as a form or a program asks for it."""

    like: str = ""  # an event to go by; empty: the player's last
    players: int = 0  # who enter; 0: as many as there; negative: what was typed is no number
    fee: str = ""  # empty: as there
    format: str = ""  # empty: as there
    held: date | None = None  # the day on which it ends; none: in four weeks
    rival: str = ""  # whom they want to pass: an id


@dataclass(frozen=True, slots=True, kw_only=True)
class LikeEvent:
    """An event to go by."""

    event_id: str
    event: str
    tournament: str
    day: date
    entrants: int | None
    entry_fee: str | None
    format: str
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
    as_of: date | None  # from which all of it counts: of totals and ranks; none: nothing was made
    nanopoints: Nanopoints  # on that day without it
    rank: int | None
    places: tuple[PlaceGain, ...]
    problems: tuple[str, ...]  # why there are no places
    earns: bool  # whether any place gives points
    rival: NextAboveRow | None  # whom they want to pass, on that day; none: nobody
    needed: PlaceGain | None  # the last place that passes them; none: no place does
    already_ahead: bool


def player_gains(
    snapshot: Snapshot, regulation: str, player_id: str, query: GainsQuery, today: date
) -> PlayerGains:
    """What each place of an event to come would give a player.

    Raises:
        NotFoundException: there is no such rival.
        Refused: no such event, or too many players.
    """
    events = _to_go_by(snapshot, regulation, player_id, query.like)
    like = next((event for event in events if event.event_id == query.like), None)
    like = like or (events[0] if events and not query.like else None)
    held = query.held or today + timedelta(days=28)
    players = query.players or (like.entrants if like else None) or 0
    format, fee = query.format or (like.format if like else ""), _fee(query.fee)  # noqa: A001
    form: dict[str, Any] = {
        "like": like, "events": events, "held": held, "players": max(players, 0), "format": format,
        "fee": query.fee or (like.entry_fee if like else None) or "",
    }  # fmt: skip
    rival = _rival(snapshot, query.rival) if query.rival else None
    problem = ""
    if like is None:
        problem = msg("There is no event to go by. Choose one that was played.")
    elif not 0 < players <= MOST_PLAYERS:
        problem = msg("Say how many players enter: from 1 to %(most)s.", most=MOST_PLAYERS)
    elif query.fee and fee is None:
        problem = msg("'%(fee)s' is no amount, such as 100 or 99.50.", fee=query.fee[:20])
    elif held < today:
        problem = msg("Choose a day that is still to come.")
    if like is None or problem:
        return PlayerGains(
            **form, as_of=None, nanopoints=0, rank=None, places=(), problems=(problem,),
            earns=False, rival=None, needed=None, already_ahead=False,
        )  # fmt: skip
    event = NextEvent(
        like=like.event_id, day=held, entrants=players, entry_fee=fee, format=format
    )  # fmt: skip
    player = player_results(snapshot, regulation, player_id)
    offered = gains(player, event, rival.player_id if rival else None)
    return PlayerGains(
        **form,
        as_of=offered.day,
        nanopoints=offered.total,
        rank=offered.rank,
        places=offered.places,
        problems=tuple(problem.sentences for problem in offered.problems),
        earns=offered.earns,
        rival=_outranked(rival, offered) if rival else None,
        needed=offered.needed,
        already_ahead=offered.already_ahead,
    )


def _outranked(rival: ShownPlayer, found: Gains) -> NextAboveRow | None:
    """The player to be passed, on the day from which all of the event counts."""
    total = found.rival_total
    if total is None:
        return None
    gap = max(total - found.total, 0)
    return extended(NextAboveRow, rival, rank=found.rival_rank or 0, nanopoints=total, gap=gap)


def _fee(text: str) -> Fraction | None:
    """An amount that was typed; none: it is none."""
    plain = text.strip().replace(",", ".")
    whole, _, part = plain.partition(".")
    digits = whole.isascii() and whole.isdigit() and len(whole) < 8  # noqa: PLR2004
    rest = not part or (part.isascii() and part.isdigit() and len(part) < 3)  # noqa: PLR2004
    return Fraction(plain.rstrip(".")) if digits and rest else None


def _rival(snapshot: Snapshot, player_id: str) -> ShownPlayer:
    """Another player, or the one whose record theirs was merged into.

    Raises:
        NotFoundException: there is none of that id.
    """
    rival_id = merged_into(snapshot).get(player_id, player_id)
    if rows_with(shown_players(snapshot), "player_id", rival_id).is_empty():
        raise NotFoundException(msg("There is no such player, or no such result of theirs."))
    return shown_player(snapshot, rival_id)


def _to_go_by(
    snapshot: Snapshot, regulation: str, player_id: str, wanted: str
) -> tuple[LikeEvent, ...]:
    """Events to go by: the player's last, else the last of all, and a wanted one."""
    given = snapshot.awards(regulation)
    player = player_results(snapshot, regulation, player_id)
    own = [result.event_id for result in player.results]
    table, tables = given.names.events, snapshot.facts.tables
    discipline = pl.col("discipline").str.to_lowercase()
    its = given.question.get_regulation().discipline
    seen = tables["tournaments"].filter(discipline.is_null() | (discipline == its))
    if not own:
        table = table.join(seen.select("tournament_id"), on="tournament_id", how="semi")
    ids = table.filter(pl.col("event_id").is_in(own)) if own else table
    latest = ids.sort("end_date", "event_id", descending=True)["event_id"].unique(
        maintain_order=True
    )
    chosen = [*([wanted] if wanted and wanted in table["event_id"] else []), *latest.head(LIKE)]
    tournaments = seen.select(
        "tournament_id",
        "end_date",
        pl.col("currency").fill_null("EUR"),
        tournament="name",
    )
    main = tables["flights"].filter(pl.col("flight") == "main")
    rows = (
        tables["events"]
        .filter(pl.col("event_id").is_in(chosen))
        .select("event_id", "tournament_id", "entrants", "entry_fee", event="name")
        .join(tournaments, on="tournament_id")
        .join(main.select("event_id", "format", field="entrants"), on="event_id", how="left")
        .sort("end_date", "event_id", descending=True)
    )
    return tuple(
        LikeEvent(
            event_id=row["event_id"],
            event=row["event"],
            tournament=row["tournament"],
            day=row["end_date"],
            entrants=row["entrants"] or row["field"],
            entry_fee=None if row["entry_fee"] is None else f"{row['entry_fee'].normalize():f}",
            format=row["format"] or "knockout",
            currency=row["currency"],
        )
        for row in rows.iter_rows(named=True)
    )


# ── against somebody ─────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalMonth:
    """The points of two players at the end of a month, or on the last day."""

    day: date
    own: Nanopoints
    theirs: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerAgainst:
    """A player beside another one: their points over time, and the events of both."""

    rival: ShownPlayer
    rank: int | None  # of the rival; none: not on the list
    nanopoints: Nanopoints | None
    months: tuple[RivalMonth, ...]  # the earliest first
    ahead: int  # in so many events of both the player was placed better
    behind: int
    events: tuple[CommonEvent, ...]  # the latest first


def player_against(
    snapshot: Snapshot, regulation: str, player_id: str, rival_id: str, day: date
) -> PlayerAgainst:
    """A player beside another one.

    Raises:
        NotFoundException: there is no such player.
    """
    rival = _rival(snapshot, rival_id)
    first = day.replace(year=max(day.year - RIVAL_MONTHS // 12, 1), day=1)
    on = list(days(first, day, "month"))[-RIVAL_MONTHS - 1 :]
    player, other = (
        player_results(snapshot, regulation, each) for each in (player_id, rival.player_id)
    )
    rivalry, now = against(player, other, on), totals_on(snapshot, regulation, day)
    return PlayerAgainst(
        rival=rival,
        rank=now.rank(other.number),
        nanopoints=now.nanopoints(other.number),
        months=tuple(
            RivalMonth(day=at, own=own, theirs=theirs)
            for at, own, theirs in zip(rivalry.days, rivalry.own, rivalry.theirs, strict=True)
        ),
        ahead=rivalry.ahead,
        behind=rivalry.behind,
        events=rivalry.events,
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
