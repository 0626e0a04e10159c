"""What to do next, for people who type commands: hints of the journal by their code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from palmares.core.errors import FactsRejected, PalmaresError, Problem
from palmares.core.messages import reworded


def _say_who(key: str, ids: Sequence[str], **_: Any) -> str:
    told = " or ".join(f'"{key}={one}"' for one in ids)
    return f"Say who he is: --is {told}."


def _replacing(entries: Sequence[int]) -> str:
    return " ".join(f"--replaces {one}" for one in entries)


def _say_replaces(entries: Sequence[int]) -> str:
    return f"If yours is right, say that it replaces what is there: {_replacing(entries)}."


def _replace_no_longer(entries: Sequence[int]) -> str:
    return f"Leave out {_replacing(entries)}."


def _say_which_part(player: str, merged: Sequence[str], **_: Any) -> str:
    parts = f"{' and '.join(merged)} {'was' if len(merged) == 1 else 'were'} merged"
    return (
        f"{player} was not merged into anybody; {parts} into him. Say which one shall be somebody"
        " of his own again, or name the tournaments that were somebody else's: --tournament ID."
    )


HINTS: Mapping[str, str | Callable[..., str]] = {
    "correct-id-or-name": "If these are two people, correct the id in the report; if his name is"
    " another now: palmares player edit %(player)s --name NAME.",
    "correct-report-or-id": "If these are two people, correct the report; if the id is another"
    " now: palmares player edit %(player)s --id %(scheme)s=ID.",
    "correct-the-id": "Correct the id, or leave it out: 'palmares player find' shows the ids.",
    "find-ids": "'palmares player find' shows the ids.",
    "ids-need-a-name": "The name of %(player)s was erased; ids need a name: --name.",
    "if-nation-changed": "If he changed it: palmares player edit %(player)s --nation %(nation)s.",
    "if-nation-now": "If he is %(nation)s now: palmares player edit %(player)s --nation"
    " %(nation)s.",
    "name-the-whole": "%(player)s is part of %(whole)s. Name %(whole)s instead, or let it be"
    " somebody of his own again: palmares player split %(id)s.",
    "replace-no-longer": _replace_no_longer,
    "say-replaces": _say_replaces,
    "say-so": 'If they are one player: --is "%(form)s=%(other)s".',
    "say-so-or-change-id": 'If they are one player, say so: --is "%(key)s=%(key)s". If not, give'
    " this one another id, or none.",
    "say-the-others-name": "The name of %(player)s was erased; say that of the other: --name.",
    "say-which-part": _say_which_part,
    "say-who": _say_who,
    "take-newer-rates": "Take the bank's newer rates with 'palmares journal rates --from FILE', or"
    " state the tournament's eur_per_unit.",
    "undo-if-unneeded": "If it is no longer needed, undo it first: palmares journal undo"
    " %(entry)s.",
    "undo-the-undo": "Entry %(entry)s is undone already, by entry %(by)s. To let it count again,"
    " undo that one: palmares journal undo %(by)s.",
    "undo-what-keeps-apart": "Entry %(entry)s says that %(one)s and %(other)s are two players. If"
    " that was wrong, undo it first: palmares journal undo %(entry)s.",
    "withhold-the-name": "If it shall not be shown: palmares player edit %(player)s --withheld.",
    "write-or-say": "Write the id into the report, %(form)s [ID], or say it: --is"
    ' "%(form)s=ID" (or "%(form)s=%(new)s").',
}
"""What is said in place of a hint: a message, or what makes one of its values."""


def with_commands(problems: Iterable[Problem]) -> list[Problem]:
    """Problems and notices whose hints name commands."""
    return [
        replace(one, what=reworded(one.what, HINTS), remedy=reworded(one.remedy, HINTS))
        for one in problems
    ]


def told(error: PalmaresError) -> str:
    """What an error says, with commands in its hints."""
    if isinstance(error, FactsRejected):
        return str(FactsRejected(with_commands(error.problems), so=error.so))
    return reworded(str(error), HINTS)
