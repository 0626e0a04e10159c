"""
One field of a form of the officer's desk.

    Field       its name, its kind, and what may stand in it
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from palmares.web.pages.pasted_lines import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form."""

    name: str
    label: str
    kind: str = "text"  # text, day, number, decimal, area, choice
    required: bool = True
    choices: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)  # choices that have a name in words
    hint: str = ""
    columns: tuple[Column, ...] = ()  # of an area: the cells of each line
    seldom: bool = False  # it stands in a fold with others
    quoted: bool = False  # label and choices are words of a regulation, in its language
