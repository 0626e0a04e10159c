"""Clauses at work as pages show them: their words, the numbers in, the number out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from palmares.core.rounding import number_text
from palmares.regulations.words import ClauseLine


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedLine:
    """One clause at work."""

    clause: str  # "wbgf grade"
    label: str  # where it stands in the text
    says: str  # the text's own words
    repeated: bool  # its words were shown already
    inputs: Mapping[str, str]  # by name the numbers that went in, as a person reads them
    value: str
    readings: tuple[str, ...]  # those not shown already
    depth: int  # 0, or how far inside another clause


@dataclass(frozen=True, kw_only=True)
class WorkedAward:
    """How an award came about."""

    edition: str  # "wbgf/undated"
    sha256: str  # of the edition file
    summary: str  # "Place 2 of 48: 1.5 × 0.75 × … ≈ 54.76; 746 of 1,095 days are left: 37.31"
    formula: str  # "grade × format factor × …", the terms of that sum; empty: no arithmetic
    lines: tuple[WorkedLine, ...]
    fading: tuple[WorkedLine, ...]  # none where it is not valued on a day, or does not fade


def worked(lines: Iterable[ClauseLine], seen: set[str] | None = None) -> tuple[WorkedLine, ...]:
    """Lines for a page; each text and each reading is shown once.

    Args:
        lines: of an explanation, in order.
        seen: texts and readings already on the page; those of these lines are added.
    """
    seen = set() if seen is None else seen
    worked_lines = []
    for line in lines:
        worked_lines.append(
            WorkedLine(
                clause=line.clause,
                label=line.label,
                says=line.says,
                repeated=line.says in seen,
                inputs={name: _shown(value) for name, value in line.inputs},
                value=_shown(line.value),
                readings=tuple(reading for reading in line.readings if reading not in seen),
                depth=line.depth,
            )
        )
        seen.update((line.says, *line.readings))
    return tuple(worked_lines)


def _shown(value: Any) -> str:
    """A number as a person reads it; what nobody gave is a dash."""
    return "–" if value is None else number_text(value)
