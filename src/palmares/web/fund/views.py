"""The statement of the streaming fund, and that of a tournament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import QueryParameter

from palmares.core.errors import NotCovered, Refused
from palmares.core.messages import msg
from palmares.fund.books import FUND, Books
from palmares.fund.policy import policy
from palmares.fund.statement import (
    LABELS,
    FundStatement,
    Plan,
    TournamentStatement,
    find_statement,
    fund_statement,
    plan,
)
from palmares.journal.projection.project import canonical_ids
from palmares.journal.store.entries import PersonalData, Transfer
from palmares.journal.store.journal import Reader
from palmares.regulations.usbgf_streaming import REGULATION
from palmares.web.http.state import AppState, Snapshot, cached
from palmares.web.shared.names import extended, shown_players
from palmares.web.shared.parameters import TournamentId


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicDonor:
    """A donation whose donor agreed to be named."""

    name: str
    player_id: str | None  # none: no player
    day: date
    source: str
    cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FundPage(FundStatement):
    """The streaming fund as of a day; amounts are in cents of its currency."""

    today: bool  # whether no other day was asked for
    policy: str  # the regulation with the clauses; empty: a policy of the federation's own
    plan: Plan | None  # what so many days of streaming would cost
    plan_problem: str  # why there is no plan; empty: there is one, or none was asked for
    donors: tuple[PublicDonor, ...]  # to the fund itself
    unnamed: int  # donations of others to it


@dataclass(frozen=True, slots=True, kw_only=True)
class FundTournamentPage(TournamentStatement):
    """The statement of a tournament; amounts are in cents of the fund's currency."""

    as_of: date
    today: bool  # whether no other day was asked for
    currency: str
    policy: str  # the regulation with the clauses; empty: a policy of the federation's own
    is_tournament: bool  # whether the journal has its report
    labels: Mapping[str, str]  # the names of figures in words
    donors: tuple[PublicDonor, ...]
    unnamed: int  # donations of others


Day = Annotated[
    date | None,
    QueryParameter(
        description="The day of the statement. Today, if it is not given.",
        examples=[Example(value="2019-12-31")],
    ),
]
Days = Annotated[
    int | None,
    QueryParameter(
        description="Days of streaming of a planned tournament: what it may cost, and whether the"
        " fund bears it.",
        ge=1,
        le=99,
        examples=[Example(value=2)],
    ),
]


def fund_page(
    snapshot: Snapshot, app_state: AppState, today: date, as_of: Day = None, days: Days = None
) -> FundPage:
    """The streaming fund as of a day: what it has and owes, tournament by tournament."""
    day = as_of or today
    books = Books(snapshot.projection.state, day)
    planned, problem = None, ""
    try:
        planned = plan(policy(), books, days) if days else None
    except NotCovered as error:
        problem = str(error)
    donors, unnamed = _donors(app_state, snapshot, books, FUND)
    return extended(
        FundPage,
        _statement(snapshot, day),
        today=as_of is None,
        policy=_policy_name(),
        plan=planned,
        plan_problem=problem,
        donors=donors,
        unnamed=unnamed,
    )


def tournament_page(
    snapshot: Snapshot,
    app_state: AppState,
    today: date,
    tournament_id: TournamentId,
    as_of: Day = None,
) -> FundTournamentPage:
    """The statement of a tournament, each figure by its clause, and the donors who may be named.

    Raises:
        NotFoundException: nothing is recorded of it.
    """
    day = as_of or today
    of_fund = _statement(snapshot, day)
    try:
        statement = find_statement(of_fund, tournament_id)
    except Refused:
        raise NotFoundException(msg("There is no such statement.")) from None
    clauses = policy().latest.edition.clauses
    offered = (clauses.get(f"contribution-{kind}") for kind in statement.contributions)
    books = Books(snapshot.projection.state, day)
    donors, unnamed = _donors(app_state, snapshot, books, tournament_id)
    return extended(
        FundTournamentPage,
        statement,
        as_of=day,
        today=as_of is None,
        currency=of_fund.currency,
        policy=_policy_name(),
        is_tournament=snapshot.projection.state.report(tournament_id) is not None,
        contributions=tuple(clause.says for clause in offered if clause),
        labels=LABELS,
        donors=donors,
        unnamed=unnamed,
    )


@cached
def _statement(snapshot: Snapshot, as_of: date) -> FundStatement:
    tournaments = snapshot.projection.tables["tournaments"]
    names = dict(tournaments.select("tournament_id", "name").iter_rows())
    return fund_statement(policy(), Books(snapshot.projection.state, as_of), names)


def _policy_name() -> str:
    name = policy().rulebook.regulation
    return name if name == REGULATION.name else ""


def _donors(
    app_state: AppState, snapshot: Snapshot, books: Books, tournament: str
) -> tuple[tuple[PublicDonor, ...], int]:
    """The donors of a tournament, or of the fund itself, who may be named; how many may not."""
    transfers = books.transfers(tournament)
    donations = tuple(transfer for _, transfer in transfers if transfer.flow == "donation")
    donors = app_state.read(_public_donors, snapshot, donations)
    return donors, len(donations) - len(donors)


def _public_donors(
    reader: Reader, snapshot: Snapshot, donations: tuple[Transfer, ...]
) -> tuple[PublicDonor, ...]:
    agreed = [donation for donation in donations if donation.named]
    records = reader.records({donation.person for donation in agreed if donation.person})
    players = shown_players(snapshot)
    names = dict(players.remove("hidden").select("player_id", "player").iter_rows())
    merged = canonical_ids(snapshot.projection.state.merges())
    donors = []
    for donation in agreed:
        player = merged.get(donation.player_id or "", donation.player_id)
        if donation.person in records:
            name = PersonalData.read(records[donation.person or ""]).name
        elif player in names:
            name = names[player or ""]
        else:
            continue
        donors.append(
            PublicDonor(
                name=name, player_id=player, day=donation.day, source=donation.what,
                cents=donation.cents,
            )
        )  # fmt: skip
    return tuple(donors)
