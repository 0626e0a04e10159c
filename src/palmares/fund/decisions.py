"""What officers decide about a streaming fund, as forms: command line, site and API read this."""

from __future__ import annotations

from collections.abc import Mapping

from palmares.core.messages import msg
from palmares.fund import actions
from palmares.fund.books import USES
from palmares.fund.policy import policy
from palmares.journal.commands.catalogue import REASON, TOURNAMENT, Decision, Field

_AMOUNT = Field(name="value", label="Amount", kind="decimal")
_DAY = Field(name="day", label="Day", kind="day")
_CURRENCY = Field(
    name="currency", label="Currency", required=False, hint="Three letters; nothing: the fund’s."
)


def _choices(name: str, label: str, choices: tuple[str, ...]) -> Field:
    return Field(name=name, label=label, kind="choice", choices=choices, verbatim=True)


DECISIONS: Mapping[str, Decision] = {
    "fund-ask": Decision(
        entry="support",
        title="Ask for streaming support",
        about="A director asks the streaming fund to support a tournament.",
        fields=(
            TOURNAMENT,
            Field(name="streaming", label="Days of streaming", kind="area",
                  hint="A day a line, such as 2019-11-15."),
            _DAY,
            Field(name="contributions", kind="area", required=False, verbatim=True,
                  label="What the director contributes, one a line: "
                  + ", ".join(policy().words("contribution"))),
            Field(name="name", label="Name of the tournament", required=False,
                  hint="These three where no report of it is recorded yet."),
            Field(name="start", label="First day", kind="day", required=False),
            Field(name="end", label="Last day", kind="day", required=False),
        ),
        action=actions.ask,
    ),
    "fund-decide": Decision(
        entry="grant",
        title="Decide on streaming support",
        about="Grant or refuse what a director asked for. Decided again, the later one counts.",
        fields=(
            TOURNAMENT,
            Field(name="outcome", label="Decision", kind="choice",
                  choices=(actions.GRANT, actions.REFUSE),
                  choice_labels={actions.GRANT: "grant it", actions.REFUSE: "refuse it"}),
            Field(name="by", label="Decided by", hint="The office, such as Executive Director."),
            REASON,
            _DAY,
            Field(name="guarantee", label="To the streamer in all", kind="decimal",
                  required=False, hint="Nothing: as the policy has it."),
            Field(name="baggage", label="Baggage fees", kind="decimal", required=False,
                  hint="Nothing: as the policy has it."),
        ),
        action=actions.decide,
    ),
    "fund-streamed": Decision(
        entry="streamed",
        title="Record who was streamed",
        about="Players whose matches were streamed on a day: the letter afterwards goes to them.",
        fields=(
            TOURNAMENT,
            _DAY,
            Field(name="players", label="Players", kind="area", hint="An id or a name a line."),
        ),
        action=actions.streamed,
    ),
    "fund-donate": Decision(
        entry="transfer",
        title="Record a donation",
        about="Money given to the streaming fund, for a tournament or for the fund itself.",
        fields=(
            _AMOUNT,
            _choices("source", "Source", policy().words("source")),
            _DAY,
            Field(name="tournament", label="Tournament", required=False,
                  hint="Its id; nothing: for the fund itself."),
            _CURRENCY,
            Field(name="donor", label="Donor who is no player", required=False,
                  hint="The name; it can be erased later."),
            Field(name="player", label="Donor who is a player", required=False,
                  hint="An id, or a name that is only theirs."),
            Field(name="named", label="Named in public", kind="choice", required=False,
                  choices=("", actions.CONSENTS),
                  choice_labels={"": "no", actions.CONSENTS: "yes, the donor agrees"}),
        ),
        action=actions.donate,
    ),
    "fund-pay": Decision(
        entry="transfer",
        title="Record a payment of the fund",
        about="What was approved is paid: to the streamer, or for baggage fees.",
        fields=(TOURNAMENT, _choices("use", "For", tuple(USES)), _AMOUNT, _DAY),
        action=actions.pay,
    ),
    "fund-contribute": Decision(
        entry="transfer",
        title="Record a director’s contribution",
        about="What a director gave the streaming at its value; it is no money of the fund.",
        fields=(
            TOURNAMENT,
            _choices("kind", "Kind", actions.in_kind()),
            _AMOUNT,
            _DAY,
            _CURRENCY,
        ),
        action=actions.contribute,
    ),
    "fund-forget": Decision(
        entry="erasure",
        title="Erase a donor’s name",
        about="Deletes the name for good; the donations stay. This cannot be undone.",
        fields=(
            Field(name="donor", label="Donor", hint="The name, or the number of an entry."),
            REASON,
        ),
        action=actions.forget_donor,
    ),
}  # fmt: skip
"""Every decision about the fund, by name."""
GROUP = msg("Streaming fund")
"""Their heading on the officers’ desk."""
