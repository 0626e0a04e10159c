"""Why something about a streaming fund is not recorded: a code, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.core.messages import msg

REMEDIES: Mapping[str, tuple[str, str]] = {  # code: (clause of the policy, what to do)
    "amount": ("fund-raising", msg("Write an amount above 0 with at most two decimals: 12.50.")),
    "currency": (
        "fund-raising",
        msg("Record the exchange rate of that day first, or give the amount in %(currency)s."),
    ),
    "day": ("guarantee", msg("Give a day of the tournament.")),
    "future": ("fund-raising", msg("Give the day on which it happened.")),
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


def refusal(code: str, what: str, where: str, policy: str, **values: str) -> FactsRejected:
    """The refusal with a code.

    Args:
        code: one of `REMEDIES`.
        what: what is wrong, with the values in question.
        where: the tournament, or the field.
        policy: the name of the fund's policy.
        values: of the remedy.
    """
    clause, remedy = REMEDIES[code]
    problem = Problem(
        at=Location(where),
        what=what,
        clause=f"{policy} {clause}",
        remedy=msg(remedy, **values),
        code=f"fund-{code}",
    )
    return FactsRejected([problem], so=msg("nothing was recorded"))
