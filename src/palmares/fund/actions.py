"""What officers record of a streaming fund; everything arrives as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

import polars as pl

from palmares.core.errors import (
    FactsRejected,
    Location,
    Problem,
    Refused,
    brief,
    did_you_mean,
    rejected,
)
from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import ExchangeRate, half_up, money_text
from palmares.facts.cells import FIRST_DAY
from palmares.facts.rates import SOURCE, rate, shipped
from palmares.facts.text import printable, squeezed
from palmares.fund.books import FUND, OWED, USES, Books
from palmares.fund.policy import CENTS, policy
from palmares.fund.statement import granted_figures
from palmares.journal.commands.decisions import check_reasons, checked_reason, checked_text
from palmares.journal.commands.transaction import Transaction, action
from palmares.journal.identity.register import recorded_player_id
from palmares.journal.projection.project import Projection, State
from palmares.journal.store.entries import (
    Erasure,
    PersonalData,
    Streamed,
    SupportDecision,
    SupportRequest,
    Transfer,
    seal,
)
from palmares.regulations.editions import Rules

REMEDIES: Mapping[str, tuple[str, str]] = {  # code: (clause of the policy, what to do)
    "amount": ("fund-raising", msg("Write an amount with at most two decimals: 12.50.")),
    "currency": (
        "fund-raising",
        msg("Record the exchange rate of that day first, or give the amount in %(currency)s."),
    ),
    "day": ("guarantee", msg("Give a day of the tournament.")),
    "when": ("fund-raising", msg("Give the day on which it happened.")),
    "decided": ("decision", msg("Give the day on which it happened.")),
    "outcome": ("decision", msg("Choose one of these.")),
    "use": ("expenses", msg("Choose one of these.")),
    "reported": ("decision", msg("Leave out the name and the days of the tournament.")),
    "tournament": ("decision", msg("Ask for support with its name and its days first.")),
    "source": ("fund-raising", msg("Choose one of these.")),
    "contribution": ("criterion-contribution", msg("Choose among these.")),
    "edition": ("decision", msg("Give a day on which the policy is in force.")),
    "request": ("decision", msg("Record the request for support first.")),
    "approved": ("expenses", msg("Pay less or later, or decide again with another amount.")),
    "paid": ("expenses", msg("Approve at least what was paid, or undo the payment first.")),
    "donor": ("donors", msg("Give the name as it was recorded, or the number of the entry.")),
}
"""What to do about each refusal."""


_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,2})?", re.ASCII)
GRANT, REFUSE = "grant", "refuse"
CONSENTS = "yes"

# ── support ──────────────────────────────────────────────────────────────────────────────────────


@action
def ask(
    transaction: Transaction,
    tournament: str,
    streaming: Sequence[str],
    day: date,
    *,
    contributions: Sequence[str] = (),
    name: str = "",
    start: date | None = None,
    end: date | None = None,
) -> None:
    """Record that a director asks for support; asked again, the later request counts.

    Args:
        transaction: where it is recorded.
        tournament: its id.
        streaming: the days of streaming.
        day: of the request.
        contributions: what the director contributes: clauses of the policy.
        name: of the tournament, where the journal has no report of it yet.
        start: its first day, the same.
        end: its last day, the same.

    Raises, when it is done:
        FactsRejected: the tournament is unknown, a day is outside it, a contribution is unknown.
    """
    _rules(day, tournament)
    _refuse_strange_day(transaction, day, "decided")
    played = _reported(transaction.projection, tournament)
    if played is not None:
        _refuse_another(tournament, played, name, start, end)
    elif name and end:
        tournament = checked_text(msg("id of the tournament"), tournament)
        played = checked_text(msg("name"), name), start or end, end
    if played is None:
        raise _unknown(transaction.projection, tournament)
    if played[1] > played[2]:
        raise _refused("day", msg("its first day is after its last"), tournament)
    days = _streaming_days(tournament, streaming, played)
    for contribution in contributions:
        _refuse_others("contribution", contribution, policy().words("contribution"))
    transaction.add(
        tournament,
        SupportRequest(
            day=day,
            name=played[0],
            start=played[1],
            end=played[2],
            streaming=days,
            contributions=list(dict.fromkeys(contributions)),
        ),
    )


def _streaming_days(tournament: str, texts: Sequence[str], played: TournamentDays) -> list[date]:
    """The days of streaming in order, each a day of the tournament."""
    days = sorted({_day(text, tournament) for text in texts})
    if not days:
        raise _refused("day", msg("no day of streaming is given"), tournament)
    for day in days:
        _refuse_outside(tournament, day, played[1], played[2])
    return days


def _refuse_another(
    tournament: str, report: TournamentDays, name: str, start: date | None, end: date | None
) -> None:
    """Refuse a name or days other than those of the tournament's report."""
    given = (name or report[0], start or report[1], end or report[2])
    if given != report:
        what = msg(
            "the report of this tournament says %(name)s, from %(start)s to %(end)s",
            name=(report[0],),
            start=LocalNumber(report[1].isoformat()),
            end=LocalNumber(report[2].isoformat()),
        )
        raise _refused("reported", what, tournament)


def _refuse_less_than_paid(books: Books, tournament: str, granted: Mapping[str, int]) -> None:
    for use, cents in granted.items():
        if cents < (paid := books.paid(tournament, use)):
            what = msg(
                "%(approved)s would be approved for %(use)s, and %(paid)s is paid already",
                approved=LocalNumber(money_text(cents)),
                use=(use,),
                paid=LocalNumber(money_text(paid)),
            )
            raise _refused("paid", what, tournament)


@action
def decide(
    transaction: Transaction,
    tournament: str,
    outcome: str,
    by: str,
    reason: str,
    day: date,
    *,
    guarantee: str | None = None,
    baggage: str | None = None,
) -> None:
    """Grant or refuse the support of a tournament; decided again, the later decision counts.

    Args:
        transaction: where it is recorded.
        tournament: its id.
        outcome: `GRANT` or `REFUSE`.
        by: the office that decides, such as Executive Director.
        reason: why.
        day: of the decision.
        guarantee: to the streamer in all; by default, as the policy has it for the days asked for.
        baggage: baggage fees; by default, as the policy estimates them.

    Raises, when it is done:
        FactsRejected: nobody asked, no edition is in force, or more was paid already.
        Refused: amounts are given and the support is refused.
    """
    _refuse_others("outcome", outcome, (GRANT, REFUSE))
    rules, why = _rules(day, tournament), checked_reason(reason)
    _refuse_strange_day(transaction, day, "decided")
    books = Books(transaction.state, date.max)
    request = books.request(tournament)
    if request is None:
        raise _refused("request", msg("no support was asked for"), tournament)
    streamer, bags = (figure.cents for figure in granted_figures(rules, len(request.streaming))[:2])
    granted = {
        "streamer": _cents(guarantee, least=0) if guarantee else streamer,
        "baggage": _cents(baggage, least=0) if baggage else bags,
    }
    if outcome == REFUSE:
        if guarantee or baggage:
            raise Refused(msg("Amounts are granted only with support. Leave them out."))
        granted = dict.fromkeys(granted, 0)
    _refuse_less_than_paid(books, tournament, granted)
    transaction.add(
        tournament,
        SupportDecision(
            day=day,
            granted=outcome == GRANT,
            by=checked_text(msg("office"), by),
            reason=why,
            edition=rules.edition.name,
            guarantee=granted["streamer"],
            baggage=granted["baggage"],
        ),
    )


@action
def streamed(transaction: Transaction, tournament: str, day: date, players: Sequence[str]) -> None:
    """Record whose matches were streamed on a day; recorded again, the later record counts.

    Raises, when it is done:
        FactsRejected: the tournament is unknown, or the day is outside it.
        Refused: a player is unknown.
    """
    _, start, end = _tournament_days(transaction, tournament)
    _refuse_outside(tournament, day, start, end)
    _refuse_strange_day(transaction, day, "decided")
    ids = [recorded_player_id(transaction.projection, player) for player in players]
    transaction.add(tournament, Streamed(day=day, players=sorted(set(ids))))


# ── money ────────────────────────────────────────────────────────────────────────────────────────


@action
def donate(  # noqa: PLR0913  a field of the form each
    transaction: Transaction,
    value: str,
    source: str,
    day: date,
    *,
    tournament: str = "",
    currency: str = "",
    donor: str = "",
    player: str = "",
    named: str = "",
) -> None:
    """Record a donation to a tournament, or to the fund itself.

    Args:
        transaction: where it is recorded.
        value: the amount.
        source: a source of the policy, such as tip-jar.
        day: when it was given.
        tournament: its id; by default, the fund itself.
        currency: of the amount; by default, the fund's.
        donor: the name of a donor who is no player; it is stored apart.
        player: a donor who is a player, by id or name.
        named: `CONSENTS` where the donor may be named in public.

    Raises, when it is done:
        FactsRejected: the amount, the source or the tournament is wrong, or a rate is missing.
        Refused: there is no such player, both a name and a player are given, or neither and the
            donor may be named.
    """
    _refuse_others("source", source, policy().words("source"))
    _refuse_strange_day(transaction, day)
    if donor and player:
        raise Refused(msg("Give the donor's name or a player, not both."))
    if named == CONSENTS and not (donor or player):
        raise Refused(msg("Give the name or the player of a donor who may be named in public."))
    if tournament:
        _tournament_days(transaction, tournament)
    cents, given = _converted(transaction, value, currency, day)
    sealed = [seal(PersonalData(name=checked_text(msg("name"), donor)))] if donor else []
    donation = Transfer(
        flow="donation",
        day=day,
        what=source,
        cents=cents,
        currency=policy().currency,
        given=given,
        person=sealed[0].commitment if sealed else None,
        player_id=recorded_player_id(transaction.projection, player) if player else None,
        named=named == CONSENTS,
    )
    transaction.notices += _same_donation(transaction.state, tournament or FUND, donation)
    transaction.add(tournament or FUND, donation, sealed)


def _same_donation(state: State, subject: str, donation: Transfer) -> list[Problem]:
    """A notice if a donation of the same day, source and amount is recorded already."""
    for entry, recorded in Books(state, date.max).transfers(subject):
        if all(
            getattr(recorded, name) == getattr(donation, name)
            for name in ("flow", "day", "what", "cents", "given", "player_id")
        ):
            return [
                Problem(
                    at=Location(f"entry {entry}"),
                    what=msg("this donation has the same day, source and amount"),
                    clause=f"{policy().rulebook.regulation} fund-raising",
                    remedy=msg("If it is the same donation, undo one of the two entries."),
                    code="fund-twice",
                )
            ]
    return []


@action
def pay(transaction: Transaction, tournament: str, use: str, value: str, day: date) -> None:
    """Record a payment of the fund, in its own currency.

    Args:
        transaction: where it is recorded.
        tournament: its id.
        use: one of `USES`.
        value: the amount.
        day: when it was paid.

    Raises, when it is done:
        FactsRejected: the amount is wrong, or more than what is approved and not paid yet.
    """
    _refuse_others("use", use, tuple(USES))
    _refuse_strange_day(transaction, day)
    _tournament_days(transaction, tournament)
    cents = _cents(value)
    left = _payable(transaction.state, tournament, use, day)
    if cents > left:
        what = msg(
            "%(value)s would be paid for %(use)s, and %(left)s is approved and not paid yet",
            value=LocalNumber(money_text(cents)),
            use=(use,),
            left=LocalNumber(money_text(left)),
        )
        raise _refused("approved", what, tournament)
    body = Transfer(flow="payment", day=day, what=use, cents=cents, currency=policy().currency)
    transaction.add(tournament, body)


@action
def contribute(
    transaction: Transaction,
    tournament: str,
    kind: str,
    value: str,
    day: date,
    *,
    currency: str = "",
) -> None:
    """Record what a director contributed, at its value; it is no money of the fund.

    Raises, when it is done:
        FactsRejected: the kind, the amount or the tournament is wrong, or a rate is missing.
    """
    _refuse_others("contribution", kind, in_kind())
    _refuse_strange_day(transaction, day)
    _tournament_days(transaction, tournament)
    cents, given = _converted(transaction, value, currency, day)
    transaction.add(
        tournament,
        Transfer(
            flow="contribution",
            day=day,
            what=kind,
            cents=cents,
            currency=policy().currency,
            given=given,
        ),
    )


@action
def forget_donor(transaction: Transaction, donor: str, reason: str) -> None:
    """Erase a donor's name for good; the donations stay.

    Args:
        transaction: where it is recorded.
        donor: the name, in whatever donations it is; or the number of one donation's entry.
        reason: why.

    Raises, when it is done:
        FactsRejected: no donation has such a name.
        Refused: the reason has the name.
    """
    why = checked_reason(reason)
    seals = {
        (subject, statement.sequence): statement.body.person
        for subject, statements in transaction.state.group("transfers").items()
        for statement in statements
        if statement.body.person
    }
    records = transaction.writer.records([*seals.values()])
    wanted = squeezed(donor).casefold()
    persons = {name: PersonalData.read(record) for name, record in records.items()}
    erased = {
        place: name
        for place, name in seals.items()
        if name in persons and wanted in (str(place[1]), persons[name].name.casefold())
    }
    if not erased:
        what = msg("no donation has the name or the number %(donor)s", donor=printable(donor))
        raise _refused("donor", what, "donor")
    check_reasons(transaction, why, [persons[name] for name in erased.values()])
    for (subject, _), name in erased.items():
        transaction.add(subject, Erasure(persons=[name], reason=why))
    transaction.writer.erase([*erased.values()])


def in_kind() -> tuple[str, ...]:
    """The contributions that are no money of the fund: others are donations, with their source."""
    sources = policy().words("source")
    return tuple(kind for kind in policy().words("contribution") if kind not in sources)


# ── what was typed ───────────────────────────────────────────────────────────────────────────────


def _refused(code: str, what: str, where: str, **values: str) -> FactsRejected:
    """The refusal with a code.

    Args:
        code: one of `REMEDIES`.
        what: what is wrong, with the values in question.
        where: the tournament, or the field.
        values: of the remedy.
    """
    clause, remedy = REMEDIES[code]
    return rejected(
        where,
        what,
        f"{policy().rulebook.regulation} {clause}",
        msg(remedy, **values),
        code=f"fund-{code}",
        so=msg("nothing was recorded"),
    )


def _refuse_others(code: str, given: str, offered: Sequence[str]) -> None:
    """Refuse what is not offered."""
    if given not in offered:
        what = msg(
            "%(given)s is none of these: %(offered)s",
            given=printable(given),
            offered=", ".join(offered),
        )
        raise _refused(code, what, code)


def _cents(text: str, least: int = 1) -> int:
    """An amount in cents.

    Raises:
        FactsRejected: it is none, or less than the least.
    """
    stripped = text.strip()
    cents = int(Fraction(stripped) * CENTS) if _AMOUNT.fullmatch(stripped) else -1
    if cents < least:
        what = (
            msg("%(text)s is no amount above 0 with at most two decimals", text=printable(text))
            if least
            else msg("%(text)s is no amount with at most two decimals", text=printable(text))
        )
        raise _refused("amount", what, "amount")
    return cents


def _converted(
    transaction: Transaction, value: str, currency: str, day: date
) -> tuple[int, str | None]:
    """An amount in cents of the fund's currency, and what was given where that was another one.

    Raises:
        FactsRejected: it is no amount, or a rate is missing.
    """
    own, cents, wanted = policy().currency, _cents(value), currency.strip().upper()
    if wanted in ("", own):
        return cents, None
    rates = [_rate(transaction, code, day) for code in (wanted, own)]
    if rates[0] is None or rates[1] is None:
        missing = own if rates[0] is not None else wanted
        what = msg(
            "no exchange rate of %(currency)s is known on %(day)s",
            currency=brief(missing),
            day=LocalNumber(day.isoformat()),
        )
        raise _refused("currency", what, "currency", currency=own)
    exact = cents * rates[0].eur_per_unit / rates[1].eur_per_unit
    sources = " / ".join(dict.fromkeys(rate.source for rate in rates if rate is not None))
    converted = int(half_up(exact, 0))
    if not converted:
        raise _refused(
            "amount", msg("%(text)s is less than a cent", text=printable(value)), "amount"
        )
    return converted, f"{money_text(cents)} {wanted} ({sources})"


def _rate(transaction: Transaction, currency: str, day: date) -> ExchangeRate | None:
    recorded = rate(transaction.projection.facts, currency, day)
    if recorded is not None:
        return recorded
    figure = shipped().figure(currency, day)
    if figure is None:
        return None
    source = f"{SOURCE}, {figure.published_on}"
    return ExchangeRate(eur_per_unit=1 / Fraction(figure.units_per_eur), source=source)


# ── tournaments and days ─────────────────────────────────────────────────────────────────────────

TournamentDays = tuple[str, date, date]
"""Name, first and last day of a tournament."""


def _reported(projection: Projection, tournament: str) -> TournamentDays | None:
    rows = projection.tables["tournaments"].filter(pl.col("tournament_id") == tournament)
    if rows.is_empty():
        return None
    row = rows.row(0, named=True)
    return row["name"], row["start_date"] or row["end_date"], row["end_date"]


def _tournament_days(transaction: Transaction, tournament: str) -> TournamentDays:
    """A tournament, from its report or the request for its support.

    Raises:
        FactsRejected: there is neither.
    """
    if reported := _reported(transaction.projection, tournament):
        return reported
    request = Books(transaction.state, date.max).request(tournament)
    if request is None:
        raise _unknown(transaction.projection, tournament)
    return request.name, request.start, request.end


def _unknown(projection: Projection, tournament: str) -> FactsRejected:
    ids = [*projection.tables["tournaments"]["tournament_id"], *projection.state.group("support")]
    what = msg("there is no tournament %(tournament)s", tournament=printable(tournament))
    if meant := did_you_mean(tournament, ids):
        what = msg("%(what)s.%(meant)s", what=what, meant=meant)
    return _refused("tournament", what, tournament)


def _refuse_outside(tournament: str, day: date, start: date, end: date) -> None:
    if not start <= day <= end:
        what = msg(
            "%(day)s is no day of this tournament, which is from %(start)s to %(end)s",
            day=LocalNumber(day.isoformat()),
            start=LocalNumber(start.isoformat()),
            end=LocalNumber(end.isoformat()),
        )
        raise _refused("day", what, tournament)


def _refuse_strange_day(transaction: Transaction, day: date, code: str = "when") -> None:
    """Refuse a day in the future: today's statement would not show it; or before 1900."""
    if day < FIRST_DAY:
        what = msg("%(day)s is before the year 1900", day=LocalNumber(day.isoformat()))
        raise _refused(code, what, "day")
    if day > (today := transaction.writer.clock().date()):
        what = msg(
            "%(day)s is in the future; today is %(today)s (UTC)",
            day=LocalNumber(day.isoformat()),
            today=LocalNumber(today.isoformat()),
        )
        raise _refused(code, what, "day")


def _day(text: str, tournament: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        what = msg("%(text)s is no day; write it like 2019-12-31", text=printable(text))
        raise _refused("day", what, tournament) from None


def _rules(day: date, tournament: str) -> Rules:
    rules = policy().rulebook.on(day)
    if rules is None:
        what = msg("the policy is not in force on %(day)s", day=LocalNumber(day.isoformat()))
        raise _refused("edition", what, tournament)
    return rules


def _payable(state: State, tournament: str, use: str, day: date) -> int:
    """What may be paid on a day, less what later decisions and payments take of it."""
    recorded = [
        statement.body.day
        for group in ("grants", "transfers")
        for statement in state.not_undone(group, tournament)
    ]
    days = {day, *(each for each in recorded if each > day)}
    return min(Books(state, each).balance(tournament, f"{OWED}:{use.title()}") for each in days)
