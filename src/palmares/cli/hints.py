"""What to do next, as commands to type: texts by the code of a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from palmares.core.errors import FactsRejected, PalmaresError, Problem
from palmares.core.messages import reworded


def _say_who(key: str, ids: Sequence[str], **_: Any) -> str:
    ids_as_typed = " or ".join(f'"{key}={player}"' for player in ids)
    return f"Say who this is: --is {ids_as_typed}."


def _replacing(entries: Sequence[int]) -> str:
    return " ".join(f"--replaces {entry}" for entry in entries)


def _say_replaces(entries: Sequence[int]) -> str:
    return f"If yours is right, say that it replaces what is there: {_replacing(entries)}."


def _replace_no_longer(entries: Sequence[int]) -> str:
    return f"Leave out {_replacing(entries)}."


def _say_which_part(player: str, merged: Sequence[str], **_: Any) -> str:
    parts = f"{' and '.join(merged)} {'was' if len(merged) == 1 else 'were'} merged"
    return (
        f"{player} was not merged into another; {parts} into them. Say which one becomes a"
        " separate player again, or name the tournaments that someone else played: --tournament ID."
    )


HINTS: Mapping[str, str | Callable[..., str]] = {
    "begin-a-journal": "%(journal)s holds no journal yet. 'palmares journal init %(journal)s' makes"
    " one.",
    "bring-forward": "%(journal)s has tables of an earlier palmares (schema %(schema)s; now"
    " %(now)s). 'palmares journal init %(journal)s' brings them forward and keeps every entry.",
    "choose-encoding": "Save it as UTF-8, or give --encoding: %(readings)s.",
    "convert-matches": "%(regulation)s awards nothing to players. Those that award points:"
    " %(able)s. 'palmares vp' converts matches.",
    "correct-id-or-name": "If these are two people, correct the id in the report; if the name is"
    " another now: palmares player edit %(player)s --name NAME.",
    "correct-report-or-id": "If these are two people, correct the report; if the id is another"
    " now: palmares player edit %(player)s --id %(scheme)s=ID.",
    "correct-the-id": "Correct the id, or leave it out: 'palmares player find' shows the ids.",
    "fill-in-the-rate": "Fill in the tournament's eur_per_unit, or add the rate of that day;"
    " in a journal, 'palmares journal rates --from FILE' takes the bank's newer rates.",
    "find-ids": "'palmares player find' shows the ids.",
    "ids-need-a-name": "The name of %(player)s was erased; ids need a name: --name.",
    "if-nation-now": "If they are %(nation)s now: palmares player edit %(player)s --nation"
    " %(nation)s.",
    "look-into-the-log": "%(journal)s: the connection was lost while this was being recorded. See"
    " whether it is there: 'palmares journal log'.",
    "make-a-journal": "There is no journal at %(journal)s. 'palmares journal init %(journal)s'"
    " makes one.",
    "name-the-whole": "%(player)s was merged into %(whole)s. Name %(whole)s instead, or undo the"
    " merge first: palmares player split %(id)s.",
    "name-the-decimal-mark": "Name it: --decimal point, or --decimal comma.",
    "publish-without-waiting": "%(why)s\nNothing was published. Record what is missing; or publish"
    " the list without these events: --with-waiting-events.",
    "rank-instead": "%(regulation)s keeps no separate totals: ask for them under %(able)s, or for"
    " 'palmares rank %(regulation)s'.",
    "rank-players-of-a-nation": "%(regulation)s: a rating is not summed over a nation. For a"
    " national list, ask for the players of one: --nation CODE.",
    "read-with-duckdb": "Read it with --engine duckdb, which needs less memory.",
    "read-with-duckdb-if-right": "Ask the person who made it. If it is right, read it with"
    " --engine duckdb.",
    "replace-no-longer": _replace_no_longer,
    "say-replaces": _say_replaces,
    "say-so": 'If they are one player: --is "%(form)s=%(other)s".',
    "say-so-or-change-id": 'If they are one player, say so: --is "%(key)s=%(key)s". If not, give'
    " this one another id, or none.",
    "say-the-others-name": "The name of %(player)s was erased. Give the other's with --name.",
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
    "use-no-engine": "%(regulation)s does not name the formula of its fold, so that a player's"
    " events cannot be gathered first: leave --engine out.",
    "verify-the-journal": "The journal was changed by other means than palmares: %(what)s.%(so)s"
    " 'palmares journal verify' shows every fault. Restore the journal from an export or a copy"
    " that verifies.",
    "verify-the-list": "%(list)s: recomputed, the list is not what was published. 'palmares verify'"
    " says where it differs.",
    "withhold-the-name": "To keep it out of lists: palmares player edit %(player)s --withheld.",
    "write-or-say": "Write the id into the report, %(form)s [ID], or say it: --is"
    ' "%(form)s=ID" (or "%(form)s=%(new)s").',
}
"""The text for each hint: a message, or a function that makes one of the hint's values."""


def with_commands(problems: Iterable[Problem]) -> list[Problem]:
    """Problems and notices whose hints name commands."""
    return [
        replace(problem, what=reworded(problem.what, HINTS), remedy=reworded(problem.remedy, HINTS))
        for problem in problems
    ]


def error_text(error: PalmaresError) -> str:
    """The message of an error, with commands in its hints."""
    if isinstance(error, FactsRejected):
        return str(FactsRejected(with_commands(error.problems), so=error.so))
    return reworded(str(error), HINTS)
