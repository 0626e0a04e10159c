"""Clauses at work as pages show them: their words, the numbers in, the number out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from palmares.core.rounding import written
from palmares.regulations.words import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedNumber:
    """A number that went into a clause."""

    name: str
    text: str  # as a person reads it, with what it is exactly where that is short


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedLine:
    """One clause at work."""

    clause: str  # "wbgf grade"
    label: str  # where it stands in the text
    says: str  # the text's own words
    again: bool  # its words were told already
    inputs: tuple[WorkedNumber, ...]
    value: str
    readings: tuple[str, ...]  # those not told already
    depth: int  # 0, or how far inside another clause


def worked(lines: Iterable[Line], told: set[str] | None = None) -> tuple[WorkedLine, ...]:
    """Lines for a page; words and readings are told once.

    Args:
        lines: of an explanation, in order.
        told: what was told before on the same page; it grows.
    """
    told = set() if told is None else told
    found = []
    for line in lines:
        found.append(
            WorkedLine(
                clause=line.clause,
                label=line.label,
                says=line.says,
                again=line.says in told,
                inputs=tuple(
                    WorkedNumber(name=name, text=_shown(value)) for name, value in line.inputs
                ),
                value=_shown(line.value),
                readings=tuple(one for one in line.readings if one not in told),
                depth=line.depth,
            )
        )
        told.update((line.says, *line.readings))
    return tuple(found)


def _shown(value: Any) -> str:
    """A number as a person reads it; what nobody gave is a dash."""
    return "–" if value is None else written(value)
