"""The books of a streaming fund in Beancount's plain-text format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from palmares.core.money import amount
from palmares.fund.books import Posting


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
            yield f"  {posting.account}  {amount(posting.cents).replace(',', '')} {currency}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
