"""What a regulation yields, where all of it has to be usable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from palmares.core.errors import FactsRejected
from palmares.regulations.model import Unusable


def usable(found: Iterable[Any]) -> list[Any]:
    """Grants and notices; refused with every problem, as files are, if an event is unusable."""
    every = list(found)
    problems = [problem for one in every if isinstance(one, Unusable) for problem in one.problems]
    if problems:
        raise FactsRejected(problems)
    return every
