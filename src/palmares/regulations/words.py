"""Steps of a computation in a regulation's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmares.core.messages import msg
from palmares.regulations.editions import Reading, Rules
from palmares.regulations.tracing import TraceStep


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseLine:
    """One clause at work."""

    clause: str  #: "wbgf grade"
    label: str  #: where it stands in the text
    says: str  #: the text's own words
    inputs: tuple[tuple[str, Any], ...]
    value: Any
    readings: tuple[str, ...]  #: as ``palmares explain`` prints them, with what we do
    depth: int  #: 0, or how far inside another clause


def worded(
    rules: Sequence[Rules], steps: Sequence[TraceStep], depth: int = 0
) -> Iterator[ClauseLine]:
    """Steps in the regulation's words, inner clauses before the clause that called them.

    Args:
        rules: the editions at work; a clause is told in the words of the first that has it.
        steps: in the order in which they are to be told.
        depth: how far inside other clauses they stand.
    """
    for step in steps:
        yield from worded(rules, in_text_order(rules, step.because), depth + 1)
        edition_rules = next(rule for rule in rules if step.clause in rule.edition.clauses)
        clause = edition_rules.edition.clauses[step.clause]
        yield ClauseLine(
            clause=f"{edition_rules.edition.regulation} {step.clause}",
            label=clause.label,
            says=clause.says,
            inputs=step.inputs,
            value=step.value,
            readings=tuple(
                _reading(edition_rules.chosen, reading)
                for reading in edition_rules.edition.readings.values()
                if reading.clause == step.clause
            ),
            depth=depth,
        )


def in_text_order(rules: Sequence[Rules], steps: Sequence[TraceStep]) -> Sequence[TraceStep]:
    """Steps in the order of the text, which is that of the edition files."""
    if len(steps) <= 1:
        return steps
    clauses = dict.fromkeys(name for rule in rules for name in rule.edition.clauses)
    places = {name: place for place, name in enumerate(clauses)}
    return sorted(steps, key=lambda step: places[step.clause])


def _reading(chosen: Mapping[str, str], reading: Reading) -> str:
    if reading.id in chosen:
        option = chosen[reading.id]
        return msg(
            "%(id)s (%(option)s). %(silent)s Here: %(does)s",
            id=reading.id,
            option=option,
            silent=(reading.silent,),
            does=(reading.options[option],),
        )
    return msg(
        "%(id)s. %(silent)s We: %(we)s",
        id=reading.id,
        silent=(reading.silent,),
        we=(reading.we,),
    )
