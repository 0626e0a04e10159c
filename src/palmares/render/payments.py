"""The list of payments of an event: who is paid what, and why."""

from __future__ import annotations

from collections.abc import Mapping

from palmares.core.rounding import NANO
from palmares.render.tables import Column, Table
from palmares.tournaments.prizes import Payout

COLUMNS = (
    Column("flight", priority=2),
    Column("rank", kind="number", priority=0),
    Column("player_id", hidden=True),
    Column("player", priority=0),
    Column("amount", kind="points", priority=0),  # two decimals for people, as points have
    Column("currency", priority=2),
    Column("agreed", hidden=True),  # shown where players agreed on a split
    Column("why"),
)


def payment_list(payout: Payout, names: Mapping[str, str]) -> Table:
    """The payments of a division; *names* by player."""
    is_split = any(prize.agreed for prize in payout.prizes)
    return Table(
        rows=[
            {
                "flight": prize.flight,
                "rank": prize.rank,
                "player_id": prize.player,
                "player": names.get(prize.player, prize.player),
                "amount": prize.cents * NANO // 100,
                "currency": payout.notice.currency,
                "agreed": "agreed" if prize.agreed else "",
                "why": prize.why,
            }
            for prize in payout.prizes
        ],
        columns=[
            Column("agreed") if column.key == "agreed" and is_split else column
            for column in COLUMNS
        ],
        title=f"{payout.notice.name}, {payout.division.name}: prizes",
        notes=[payout.pool.why],
    )
