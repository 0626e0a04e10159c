"""``palmares fund``: a streaming fund: support, donations, payments, statements."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import DAY, LazyGroup, command, complete_players
from palmares.cli.journal.confirm import decision_command
from palmares.cli.options import Output, in_journal, printing, reason_option
from palmares.cli.sources import projection_of
from palmares.core.clock import today
from palmares.core.errors import Refused
from palmares.core.rounding import money_text
from palmares.render.tables import OutputColumn, write_atomically

if TYPE_CHECKING:
    from palmares.fund.books import Books
    from palmares.fund.statement import StatementFigure
    from palmares.journal.projection.project import Projection

SUBCOMMANDS = {  # heading: {name: (module and function, one line of help)}
    "Recording": {
        "ask": ("journal.fund:ask", "Record that a director asks for support."),
        "decide": ("journal.fund:decide", "Grant or refuse support, with a reason."),
        "donate": ("journal.fund:donate", "Record a donation."),
        "contribute": (
            "journal.fund:contribute",
            "Record what a director gave, at its value.",
        ),
        "pay": ("journal.fund:pay", "Record a payment of what was approved."),
        "streamed": (
            "journal.fund:streamed",
            "Record whose matches were streamed on a day.",
        ),
        "forget": ("journal.fund:forget", "Erase a donor's name."),
    },
    "Statements": {
        "statement": (
            "journal.fund:statement",
            "Show the statement of a tournament, or of the fund.",
        ),
        "plan": (
            "journal.fund:plan",
            "Show what a tournament may cost, and if the fund has it.",
        ),
        "letters": (
            "journal.fund:letters",
            "List whom to write to, before and after.",
        ),
        "export": ("journal.fund:export", "Write the books, as CSV or for Beancount."),
    },
}
POSTINGS = (
    OutputColumn("entry", kind="number"),
    OutputColumn("day", kind="date"),
    OutputColumn("tournament"),
    OutputColumn("what"),
    OutputColumn("account"),
    OutputColumn("amount", kind="points"),
    OutputColumn("currency"),
)
STATEMENT_COLUMNS = (
    OutputColumn("figure", priority=0),
    OutputColumn("part"),
    OutputColumn("amount", kind="points", priority=0),
    OutputColumn("currency", hidden=True),
    OutputColumn("clause", priority=2),
    OutputColumn("working", priority=1),
    OutputColumn("readings", priority=2),
    OutputColumn("says", hidden=True),
)
ROWS = (
    OutputColumn("tournament", priority=0),
    OutputColumn("state"),
    OutputColumn("raised", kind="points"),
    OutputColumn("expenses", kind="points"),
    OutputColumn("paid", kind="points"),
    OutputColumn("carried_over", kind="points", priority=0),
    OutputColumn("tournament_id", hidden=True),
)
MONEY = 10_000_000
"""Nanopoints in a cent: amounts are written as points are, in full or with two decimals."""

TOURNAMENT = click.argument("tournament")
CURRENCY = click.option(
    "--currency", default="", metavar="CODE", help="The currency (default: the fund's)."
)
ON = click.option("--day", type=DAY, default=today, show_default="today", help="The day.")
AS_OF = click.option("--as-of", type=DAY, help="The day of the statement (default: today, UTC).")


@click.group(cls=LazyGroup, sections=SUBCOMMANDS)
def fund() -> None:
    """Keep a streaming fund: what is asked for, granted, raised, paid and carried over.

    The policy is that of the USBGF, or your own (PALMARES_FUND).

    \b
    Example, in order:
        palmares fund ask open-2019 --on 2019-11-15 --contributes internet
        palmares fund decide open-2019 --grant --by "Executive Director" --reason "Prime"
        palmares fund donate 180 --tournament open-2019 --source tip-jar
        palmares fund pay open-2019 streamer 100
        palmares fund statement open-2019
    """


FINAL = "This cannot be undone. The name is deleted; the donations stay."

ask = decision_command(
    "fund-ask",
    TOURNAMENT,
    click.option(
        "--on", "streaming", multiple=True, required=True, metavar="DATE",
        help="A day of streaming; may be repeated.",
    ),
    click.option(
        "--contributes", "contributions", multiple=True, metavar="KIND",
        help="What the director contributes, as the policy calls it; may be repeated.",
    ),
    ON,
    click.option("--name", default="", help="Its name, if it is not reported yet."),
    click.option("--from", "start", type=DAY, help="Its first day, if it is not reported yet."),
    click.option("--to", "end", type=DAY, help="Its last day, if it is not reported yet."),
    name="ask",
    text="""Record that a director asks for support of TOURNAMENT.

    The journal may have no report of it yet: then give --name, --from and --to.

    \b
    Example:
        palmares fund ask open-2019 --on 2019-11-15 --on 2019-11-16 --contributes internet \\
            --name "Open 2019" --from 2019-11-15 --to 2019-11-17
    """,
)  # fmt: skip

decide = decision_command(
    "fund-decide",
    TOURNAMENT,
    click.option("--grant", "outcome", flag_value="grant", required=True, help="Support it."),
    click.option("--refuse", "outcome", flag_value="refuse", help="Do not support it."),
    click.option(
        "--by", required=True, metavar="OFFICE", help="The office that decides; write no name."
    ),
    reason_option,
    ON,
    click.option(
        "--guarantee",
        metavar="AMOUNT",
        help="The amount for the streamer, if not that of the policy.",
    ),
    click.option(
        "--baggage", metavar="AMOUNT", help="The baggage fees, if not those of the policy."
    ),
    name="decide",
    text="""Grant or refuse the support of TOURNAMENT; decided again, the later decision counts.

    \b
    Examples:
        palmares fund decide open-2019 --grant --by "Executive Director" --reason "Prime"
        palmares fund decide open-2019 --grant --by President --reason "as paid" --baggage 35
    """,
)

donate = decision_command(
    "fund-donate",
    click.argument("value", metavar="AMOUNT"),
    click.option("--source", required=True, help="Such as letter-before, letter-after, tip-jar."),
    click.option("--tournament", default="", metavar="ID", help="Its id; else the fund itself."),
    ON,
    CURRENCY,
    click.option("--donor", default="", metavar="NAME", help="The donor, if no player."),
    click.option(
        "--player", default="", metavar="PLAYER", help="The donor, if a player: id or name.",
        shell_complete=complete_players,
    ),
    click.option("--named", flag_value="yes", default="", help="The donor may be named in public."),
    name="donate",
    text="""Record a donation of AMOUNT.

    A donor's name is stored apart from the journal's entries and can be erased: fund forget.

    \b
    Examples:
        palmares fund donate 180 --source tip-jar --tournament open-2019
        palmares fund donate 50 --source letter-before --donor "Jane Doe" --named
    """,
)  # fmt: skip

contribute = decision_command(
    "fund-contribute",
    TOURNAMENT,
    click.argument("kind"),
    click.argument("value", metavar="AMOUNT"),
    ON,
    CURRENCY,
    name="contribute",
    text="""Record what the director of TOURNAMENT gave the streaming, at its value.

    It is not money of the fund. A donation per entrant is: record it with fund donate.

    \b
    Example:
        palmares fund contribute open-2019 internet 120
    """,
)

pay = decision_command(
    "fund-pay",
    TOURNAMENT,
    click.argument("use", metavar="streamer|baggage"),
    click.argument("value", metavar="AMOUNT"),
    ON,
    name="pay",
    text="""Record a payment of AMOUNT that was approved for TOURNAMENT.

    \b
    Example:
        palmares fund pay open-2019 streamer 100
    """,
)

streamed = decision_command(
    "fund-streamed",
    TOURNAMENT,
    click.argument("day", metavar="DATE", type=DAY),
    click.argument("players", nargs=-1, metavar="[PLAYER]...", shell_complete=complete_players),
    name="streamed",
    text="""Record whose matches of TOURNAMENT were streamed on DATE; a later record replaces it.

    \b
    Example:
        palmares fund streamed open-2019 2019-11-15 "Ada Novak" P17
    """,
)

forget = decision_command(
    "fund-forget",
    click.argument("donor"),
    reason_option,
    name="forget",
    final=FINAL,
    text="""Erase the name of DONOR from every donation; or name the entry of one donation.

    \b
    Example:
        palmares fund forget "Jane Doe" --reason "asked to be forgotten"
    """,
)


# ── statements ───────────────────────────────────────────────────────────────────────────────────


def _books(projection: Projection, as_of: date | None) -> Books:
    from palmares.fund.books import Books

    return Books(projection.state, as_of or today())


@command()
@click.argument("tournament", required=False)
@in_journal
@AS_OF
@printing
def statement(tournament: str | None, journal: str, as_of: date | None, out: Output) -> None:
    """Show the statement of TOURNAMENT, each figure with its clause; or that of the fund.

    \b
    Examples:
        palmares fund statement open-2019 --journal federation.db
        palmares fund statement --as-of 2019-12-31 --journal federation.db
    """
    from palmares.fund.policy import policy
    from palmares.fund.statement import find_statement, fund_statement

    projection = projection_of(journal)
    tournaments = projection.tables["tournaments"]
    names = dict(tournaments.select("tournament_id", "name").iter_rows())
    of_fund = fund_statement(policy(), _books(projection, as_of), names)
    if tournament is not None:
        of_tournament = find_statement(of_fund, tournament)
        notes = []
        if of_tournament.reason:
            state = of_tournament.state.capitalize()
            notes.append(f"{state} by {of_tournament.by}: {of_tournament.reason}")
        if of_tournament.is_overpaid:
            notes.append("More was paid than is approved. Decide again, or undo a payment.")
        out.emit(
            [_row(figure, of_fund.currency) for figure in of_tournament.figures], STATEMENT_COLUMNS,
            title=f"{of_tournament.name}, {of_fund.as_of}, {of_fund.currency}",
            notes=notes,
        )  # fmt: skip
        return
    rows = [
        {"tournament": each.name, "tournament_id": each.tournament, "state": each.state}
        | {
            name: each.cents(name) * MONEY
            for name in ("raised", "expenses", "paid", "carried_over")
        }
        for each in of_fund.tournaments
    ]
    notes = [
        f"{what}: {money_text(cents)} {of_fund.currency}"
        for what, cents in (
            ("given to the fund itself", of_fund.general),
            ("available", of_fund.available),
            ("still to pay", of_fund.owed),
            ("cash", of_fund.cash),
        )
    ]
    out.emit(rows, ROWS, title=f"Streaming fund, {of_fund.as_of}", notes=notes)


def _row(figure: StatementFigure, currency: str) -> dict[str, Any]:
    return {
        "figure": figure.name.replace("_", " "),
        "part": figure.part,
        "amount": figure.cents * MONEY,
        "currency": currency,
        "clause": f"{figure.clause.split()[-1]} ({figure.label})",
        "working": figure.working,
        "readings": ", ".join(figure.readings),
        "says": figure.says,
    }


@command()
@click.argument("days", type=click.IntRange(min=1))
@in_journal
@AS_OF
@printing
def plan(days: int, journal: str, as_of: date | None, out: Output) -> None:
    """Show what a tournament with DAYS days of streaming may cost, and if the fund has it.

    \b
    Example:
        palmares fund plan 3 --journal federation.db
    """
    from palmares.fund.policy import policy
    from palmares.fund.statement import plan as planned

    budget = planned(policy(), _books(projection_of(journal), as_of), days)
    bears = "bears it" if budget.borne else f"lacks {money_text(budget.missing)} for it"
    note = f"The fund has {money_text(budget.available)} {budget.currency} available and {bears}."
    rows = [_row(figure, budget.currency) for figure in budget.figures]
    out.emit(
        rows, STATEMENT_COLUMNS, title=f"Days of streaming: {days}, {budget.currency}", notes=[note]
    )


@command()
@click.argument("tournament", required=False)
@click.option("--federation", metavar="NAME", help="Only members of this federation.")
@click.option("--day", type=DAY, help="Members on this day (default: today, UTC).")
@in_journal
@printing
def letters(
    tournament: str | None, federation: str | None, day: date | None, journal: str, out: Output
) -> None:
    """List whom to write to: all members; or, after TOURNAMENT, the players who were streamed.

    Players whose names are withheld or erased are left out.

    \b
    Examples:
        palmares fund letters --federation usbgf -o members.xlsx --journal federation.db
        palmares fund letters open-2019 -o streamed.csv --journal federation.db
    """
    from palmares.facts.text import printable
    from palmares.fund.books import members_to_write_to, streamed_players

    projection = projection_of(journal)
    if tournament is None:
        frame = members_to_write_to(projection, day or today(), federation)
    elif federation or day:
        raise click.UsageError("--federation and --day are for members. Leave TOURNAMENT out.")
    else:
        frame = streamed_players(projection, tournament)
    if frame.is_empty() and tournament:
        raise Refused(
            f"Nobody is recorded as streamed at {printable(tournament)}. Check its id, or record"
            " who was streamed: palmares fund streamed."
        )
    if frame.is_empty() and federation:
        raise Refused(
            f"{printable(federation)} has no members on {day or today()}."
            " Check its name and the day."
        )
    out.emit(frame.to_dicts(), [OutputColumn(name) for name in frame.columns])


@command()
@click.option("--beancount", type=click.Path(dir_okay=False), help="Write a file for Beancount.")
@in_journal
@AS_OF
@printing
def export(beancount: str | None, journal: str, as_of: date | None, out: Output) -> None:
    """Write every posting of the fund; those of one entry sum to zero. No names are in it.

    \b
    Examples:
        palmares fund export --format csv --journal federation.db
        palmares fund export --beancount fund.beancount --journal federation.db
    """
    from palmares.fund.books import beancount as ledger
    from palmares.fund.policy import policy

    currency = policy().currency
    postings = _books(projection_of(journal), as_of).all_postings()
    if beancount is not None:
        write_atomically(Path(beancount), ("\n".join(ledger(postings, currency)) + "\n").encode())
        return
    rows = [
        {**asdict(posting), "amount": posting.cents * MONEY, "currency": currency}
        for posting in postings
    ]
    out.emit(rows, POSTINGS)
