"""The books of a streaming fund, where each entry sums to zero, and whom the fund writes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import polars as pl

from palmares.core.rounding import money_text
from palmares.journal.projection.project import (
    Projection,
    State,
    Statement,
    canonical_ids,
    subject_of,
)
from palmares.journal.store.entries import SupportDecision, SupportRequest, Transfer

CASH = "Assets:Fund"
DONATED, GIVEN = "Income:Donations", "Income:Contributions"
GRANTED, CONTRIBUTED, OWED = "Expenses:Granted", "Expenses:Contributed", "Liabilities"
USES = {"streamer": "guarantee", "baggage": "baggage"}
"""What the fund pays for, and the clause of each."""
FUND = "(fund)"
"""The subject of what concerns no tournament; no tournament has such an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """An amount on an account; those of one entry sum to zero."""

    entry: int
    day: date
    tournament: str  # or `FUND`
    what: str  # donation: tip-jar
    account: str
    cents: int  # of the fund's currency; income and liabilities are negative


@dataclass(frozen=True, slots=True)
class Books:
    """What a journal says of a streaming fund, as of a day."""

    state: State
    as_of: date

    def tournaments(self) -> list[str]:
        """Every tournament that something is recorded of, by id."""
        groups = ("support", "grants", "transfers")
        subjects = {subject for name in groups for subject in self.state.group(name)} - {FUND}
        return [
            subject
            for subject in sorted(subjects)
            if self.request(subject) or self.decision(subject) or self.transfers(subject)
        ]

    def request(self, tournament: str) -> SupportRequest | None:
        """The last request for support of a tournament."""
        last = self._last("support", tournament)
        return None if last is None else last.body

    def decision(self, tournament: str) -> SupportDecision | None:
        """The last decision on a tournament."""
        last = self._last("grants", tournament)
        return None if last is None else last.body

    def transfers(self, tournament: str) -> list[tuple[int, Transfer]]:
        """Donations, payments and contributions, with the numbers of their entries, by day."""
        counting = self._until("transfers", tournament)
        rows = [(statement.sequence, statement.body) for statement in counting]
        return sorted(rows, key=lambda row: (row[1].day, row[0]))

    def streamed(self, tournament: str) -> dict[date, list[str]]:
        """The players whose matches were streamed, by day."""
        bodies = [
            statement.body
            for key, statement in self.state.all_in_force("streamed")
            if subject_of(key) == tournament and statement.body.day <= self.as_of
        ]
        return {body.day: body.players for body in sorted(bodies, key=lambda body: body.day)}

    def postings(self, tournament: str) -> Iterator[Posting]:
        """The postings about a tournament, or of `FUND`, by day."""
        last = self._last("grants", tournament)
        if last is not None:
            for use, cents in (("Streamer", last.body.guarantee), ("Baggage", last.body.baggage)):
                yield from _pair(
                    last.sequence, last.body.day, tournament, f"granted: {use.lower()}",
                    (f"{GRANTED}:{use}", f"{OWED}:{use}"), cents,
                )  # fmt: skip
        for sequence, body in self.transfers(tournament):
            what = f"{body.flow}: {body.what}"
            yield from _pair(sequence, body.day, tournament, what, _accounts(body), body.cents)

    def all_postings(self) -> list[Posting]:
        """The postings of all tournaments and of the fund itself, by day and entry."""
        subjects = (*self.tournaments(), FUND)
        postings = [posting for subject in subjects for posting in self.postings(subject)]
        return sorted(postings, key=lambda posting: (posting.day, posting.entry))

    def balance(self, tournament: str, account: str) -> int:
        """The sum of an account and those below it, of a tournament; income is positive."""
        total = sum(
            posting.cents
            for posting in self.postings(tournament)
            if f"{posting.account}:".startswith(f"{account}:")
        )
        return -total if account.startswith(("Income", OWED)) else total

    def paid(self, tournament: str, use: str = "") -> int:
        """What was paid of what is granted, for one use or for all."""
        of_use = f":{use.title()}" if use else ""
        granted, owed = (self.balance(tournament, f"{name}{of_use}") for name in (GRANTED, OWED))
        return granted - owed

    def _until(self, group: str, tournament: str) -> list[Statement]:
        statements = self.state.not_undone(group, tournament)
        return [statement for statement in statements if statement.body.day <= self.as_of]

    def _last(self, group: str, tournament: str) -> Statement | None:
        """The last statement by its day, of those until the day of the books."""
        until = self._until(group, tournament)
        return max(until, key=lambda last: (last.body.day, last.sequence), default=None)


def _accounts(body: Transfer) -> tuple[str, str]:
    """The accounts that a transfer is debited and credited to."""
    what = body.what.title()
    if body.flow == "donation":
        return CASH, f"{DONATED}:{what}"
    if body.flow == "payment":
        return f"{OWED}:{what}", CASH
    return f"{CONTRIBUTED}:{what}", f"{GIVEN}:{what}"


def _pair(
    entry: int, day: date, tournament: str, what: str, accounts: tuple[str, str], cents: int
) -> Iterator[Posting]:
    """Two postings that sum to zero: to the first account, from the second."""
    for account, signed in zip(accounts, (cents, -cents) if cents else (), strict=False):
        yield Posting(
            entry=entry, day=day, tournament=tournament, what=what, account=account, cents=signed
        )


# ── letters ───────────────────────────────────────────────────────────────────────────────────────


def members_to_write_to(
    projection: Projection, day: date, federation: str | None = None
) -> pl.DataFrame:
    """The members of a federation, or of any, on a day.

    Returns:
        player_id, player, nation, federation and level, by name.
    """
    members = projection.tables["memberships"].filter(
        (pl.col("start") <= day) & (pl.col("end").is_null() | (pl.col("end") >= day))
    )
    if federation is not None:
        members = members.filter(pl.col("federation").str.to_lowercase() == federation.lower())
    members = members.select("player_id", "federation", "level").unique(maintain_order=True)
    return _with_names(projection, members)


def streamed_players(projection: Projection, tournament: str) -> pl.DataFrame:
    """The players whose matches of a tournament were streamed.

    Returns:
        player_id, player, nation and their days, by name.
    """
    merged = canonical_ids(projection.state.merges())
    days: dict[str, list[str]] = {}
    for day, players in Books(projection.state, date.max).streamed(tournament).items():
        for player in dict.fromkeys(merged.get(player, player) for player in players):
            days.setdefault(player, []).append(day.isoformat())
    rows = pl.DataFrame(
        {"player_id": list(days), "days": [", ".join(of) for of in days.values()]},
        {"player_id": pl.String, "days": pl.String},
    )
    return _with_names(projection, rows)


def _with_names(projection: Projection, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with the players' names; those whose name is withheld or erased get no letter."""
    players = projection.tables["players"].filter(~pl.col("withheld").fill_null(value=False))
    names = players.select("player_id", pl.col("name").alias("player"), "nation")
    rest = [name for name in rows.columns if name != "player_id"]
    with_names = rows.join(names, on="player_id").select("player_id", "player", "nation", *rest)
    return with_names.sort("player", "player_id")


# ── Beancount's format ────────────────────────────────────────────────────────────────────────────


def beancount(postings: Iterable[Posting], currency: str) -> Iterator[str]:
    """The lines of a ledger that Beancount reads.

    Args:
        postings: in the order of their days and entries.
        currency: of the fund.
    """
    rows = list(postings)
    yield 'option "title" "Streaming fund"'
    yield f'option "operating_currency" "{currency}"'
    first: dict[str, Posting] = {}
    for posting in rows:
        first.setdefault(posting.account, posting)
    for account, posting in sorted(first.items()):
        yield f"{posting.day} open {account} {currency}"
    for (day, entry, what, tournament), of_entry in groupby(
        rows, lambda row: (row.day, row.entry, row.what, row.tournament)
    ):
        yield ""
        yield f'{day} * "{what}"'
        yield f"  entry: {entry}"
        yield f"  tournament: {_quoted(tournament)}"
        for posting in of_entry:
            yield f"  {posting.account}  {money_text(posting.cents).replace(',', '')} {currency}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
