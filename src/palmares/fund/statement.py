"""Statements of a streaming fund, a tournament and a plan, each figure by its clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from palmares.core.errors import NotCovered, Refused, did_you_mean
from palmares.core.messages import msg
from palmares.core.rounding import money_text, to_nanopoints
from palmares.facts.text import printable
from palmares.fund.books import CONTRIBUTED, DONATED, FUND, OWED, USES, Books
from palmares.fund.policy import CENTS, Policy
from palmares.journal.store.entries import Transfer
from palmares.points.summary import summed
from palmares.regulations import usbgf_streaming
from palmares.regulations.editions import Rules

LABELS: Mapping[str, str] = {
    "raised": msg("Raised"),
    "guarantee": msg("Guaranteed to the streamer"),
    "baggage": msg("Baggage fees"),
    "expenses": msg("Expenses"),
    "paid": msg("Paid"),
    "owed": msg("Still to pay"),
    "contributed": msg("Contributed by the director"),
    "carried_over": msg("Carried over"),
}
"""The figures of a statement in words, in their order; a figure may have parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFigure:
    """An amount, the clause that it follows from, and how it came about."""

    name: str  # of `LABELS`
    part: str  # such as the source of donations; empty: all
    cents: int
    clause: str  # "usbgf-streaming guarantee"
    label: str  # where it stands in the text: "3.1"
    says: str  # the text's own words
    working: str  # "2 × 50 = 100.00"; empty: there is nothing to work out
    readings: tuple[str, ...]  # of the clause: their ids


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentStatement:
    """The statement of a tournament as of a day."""

    tournament: str
    name: str
    start: date | None  # none: nobody asked for support
    end: date | None
    state: str  # asked | granted | refused; empty: nobody asked
    by: str  # who decided
    reason: str
    edition: str  # of the policy
    streaming: tuple[date, ...]  # days asked for
    streamed: tuple[date, ...]  # days streamed
    contributions: tuple[str, ...]  # of the director
    figures: tuple[StatementFigure, ...]

    @property
    def is_overpaid(self) -> bool:
        """Whether more was paid than is approved: a decision was undone after the payment."""
        return self.cents("owed") < 0

    def cents(self, name: str) -> int:
        """A figure without its parts."""
        figures = (each for each in self.figures if (each.name, each.part) == (name, ""))
        return next(figures).cents


@dataclass(frozen=True, slots=True, kw_only=True)
class FundStatement:
    """The fund as of a day: what it has, what it owes, and the tournaments behind both."""

    as_of: date
    currency: str
    cash: int  # received less paid
    owed: int  # granted and not paid yet
    general: int  # given to the fund itself
    available: int  # cash less owed
    tournaments: tuple[TournamentStatement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a planned tournament may cost, and whether the fund bears it."""

    days: int
    currency: str
    figures: tuple[StatementFigure, ...]
    cost: int
    available: int
    borne: bool
    missing: int  # to be raised before the fund bears it


def statement(policy: Policy, books: Books, tournament: str, name: str = "") -> TournamentStatement:
    """The statement of a tournament, as of the day of the books.

    Args:
        policy: of the fund.
        books: of the fund.
        tournament: its id.
        name: of the tournament, if known; by default, that of the request.
    """
    request, decided = books.request(tournament), books.decision(tournament)
    rules = (policy.rulebook.on(decided.day) if decided else None) or policy.latest
    state = "asked" if request else ""
    if decided:
        state = "granted" if decided.granted else "refused"
    return TournamentStatement(
        tournament=tournament,
        name=name or (request.name if request else tournament),
        start=request.start if request else None,
        end=request.end if request else None,
        state=state,
        by=decided.by if decided else "",
        reason=decided.reason if decided else "",
        edition=rules.edition.name,
        streaming=tuple(request.streaming) if request else (),
        streamed=tuple(books.streamed(tournament)),
        contributions=tuple(request.contributions) if request else (),
        figures=tuple(_figures(rules, books, tournament)),
    )


def fund_statement(
    policy: Policy, books: Books, names: Mapping[str, str] | None = None
) -> FundStatement:
    """The fund as of the day of the books.

    Args:
        policy: of the fund.
        books: of the fund.
        names: of tournaments, by id, as their reports have them.
    """
    names = names or {}
    statements = [statement(policy, books, key, names.get(key, "")) for key in books.tournaments()]
    statements.sort(key=lambda each: (each.end or date.min, each.tournament), reverse=True)
    general = books.balance(FUND, DONATED)
    cash = general + sum(each.cents("raised") - each.cents("paid") for each in statements)
    owed = sum(max(0, each.cents("owed")) for each in statements)
    return FundStatement(
        as_of=books.as_of,
        currency=policy.currency,
        cash=cash,
        owed=owed,
        general=general,
        available=cash - owed,
        tournaments=tuple(statements),
    )


def find_statement(fund: FundStatement, tournament: str) -> TournamentStatement:
    """The statement of a tournament.

    Raises:
        Refused: nothing is recorded of it.
    """
    by_id = {each.tournament: each for each in fund.tournaments}
    if tournament in by_id:
        return by_id[tournament]
    unknown = msg(
        "Nothing about the tournament %(tournament)s is recorded in the streaming fund.",
        tournament=printable(tournament),
    )
    meant = did_you_mean(tournament, by_id)
    raise Refused(msg("%(what)s%(meant)s", what=unknown, meant=meant) if meant else unknown)


def plan(policy: Policy, books: Books, days: int) -> Plan:
    """What a tournament with so many days of streaming may cost.

    Raises:
        NotCovered: no edition of the policy is in force on the day of the books.
    """
    rules = policy.rulebook.on(books.as_of)
    if rules is None:
        raise NotCovered(
            msg(
                "No edition of %(policy)s is in force on %(day)s.",
                policy=policy.rulebook.regulation,
                day=books.as_of.isoformat(),
            )
        )
    figures = granted_figures(rules, days)
    cost = figures[-1].cents
    available = fund_statement(policy, books).available
    return Plan(
        days=days,
        currency=policy.currency,
        figures=figures,
        cost=cost,
        available=available,
        borne=cost <= available,
        missing=max(0, cost - available),
    )


def granted_figures(rules: Rules, days: int) -> tuple[StatementFigure, ...]:
    """What the policy itself guarantees for so many days of streaming, and the sum."""
    constants = rules.constants
    streamer = _computed(
        rules, "guarantee", usbgf_streaming.guarantee, constants=constants, days=Fraction(days)
    )
    baggage = int(usbgf_streaming.baggage(constants) * CENTS)
    return (
        streamer,
        _plain(rules, "baggage", "baggage", baggage),
        _sum(rules, streamer.cents, baggage),
    )


def _figures(rules: Rules, books: Books, tournament: str) -> list[StatementFigure]:
    request, decided = books.request(tournament), books.decision(tournament)
    transfers = [body for _, body in books.transfers(tournament)]
    raised = books.balance(tournament, DONATED)
    streamer, baggage, expenses = granted_figures(rules, len(request.streaming) if request else 0)
    if decided is None or (decided.guarantee, decided.baggage) != (streamer.cents, baggage.cents):
        cents = (decided.guarantee, decided.baggage) if decided else (0, 0)
        working = msg("as decided") if decided else ""
        streamer, baggage = (
            _plain(rules, clause, clause, at, working)
            for clause, at in zip(("guarantee", "baggage"), cents, strict=True)
        )
        expenses = _sum(rules, *cents)
    owed = books.balance(tournament, OWED)
    given = books.balance(tournament, CONTRIBUTED)
    return [
        _plain(rules, "raised", "fund-raising", raised),
        *_parts(rules, "raised", "source", "donation", transfers),
        streamer,
        baggage,
        expenses,
        _plain(rules, "paid", "expenses", books.paid(tournament)),
        *_parts(rules, "paid", "", "payment", transfers),
        _plain(rules, "owed", "expenses", owed),
        _plain(rules, "contributed", "criterion-contribution", given),
        *_parts(rules, "contributed", "contribution", "contribution", transfers),
        _computed(
            rules, "carried_over", usbgf_streaming.carried_over,
            raised=Fraction(raised, CENTS), expenses=Fraction(expenses.cents, CENTS),
        ),
    ]  # fmt: skip


def _parts(
    rules: Rules, name: str, prefix: str, flow: str, transfers: list[Transfer]
) -> list[StatementFigure]:
    """The parts of a sum, by what they were for, each with its summands."""
    by_part: dict[str, list[int]] = {}
    for body in transfers:
        if body.flow == flow:
            by_part.setdefault(body.what, []).append(body.cents)
    return [
        _plain(
            rules, name, f"{prefix}-{part}" if prefix else USES[part], sum(all_cents),
            " + ".join(map(money_text, all_cents)) if len(all_cents) > 1 else "", part,
        )
        for part, all_cents in sorted(by_part.items())
    ]  # fmt: skip


def _sum(rules: Rules, streamer: int, baggage: int) -> StatementFigure:
    return _computed(
        rules, "expenses", usbgf_streaming.expenses,
        guarantee=Fraction(streamer, CENTS), baggage=Fraction(baggage, CENTS),
    )  # fmt: skip


def _computed(
    rules: Rules, name: str, formula: Callable[..., Any], **given: Any
) -> StatementFigure:
    """A figure that a clause computes, with its numbers filled in."""
    value = formula(**given)
    working = summed(formula, given, to_nanopoints(value), 1, 1).numbers
    clause: str = formula.clause  # type: ignore[attr-defined]
    return _plain(rules, name, clause, int(value * CENTS), working)


def _plain(
    rules: Rules, name: str, clause: str, cents: int, working: str = "", part: str = ""
) -> StatementFigure:
    """A figure in the words of a clause, if the policy still has that clause."""
    edition = rules.edition
    words = edition.clauses.get(clause)
    return StatementFigure(
        name=name,
        part=part,
        cents=cents,
        clause=f"{edition.regulation} {clause}",
        label=words.label if words else "",
        says=words.says if words else "",
        working=working,
        readings=tuple(
            reading.id for reading in edition.readings.values() if reading.clause == clause
        ),
    )
