"""A row that is given as text, cell by cell, through the checks that tables go through."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from palmares.core.errors import FactsRejected
from palmares.core.messages import msg
from palmares.facts import check
from palmares.facts.cells import typed_frames
from palmares.facts.schema import FILE, LINE


def checked_row(
    table: str,
    cells: Mapping[str, str | None],
    *,
    named: str = "",
    only: Collection[str] | None = None,
) -> dict[str, Any]:
    """A row of a table, typed; empty text is no value.

    Args:
        table: its name.
        cells: the text of its cells.
        named: what problems call it, if not by its table.
        only: the columns that are looked at, of a row that has no others yet; without it, all,
            and the row has to be valid on its own.

    Raises:
        FactsRejected: a cell is wrong.
    """
    texts = {name: (text or "").strip() or None for name, text in cells.items()}
    frame = pl.DataFrame(
        {**{name: [text] for name, text in texts.items()}, FILE: [named or table], LINE: [1]},
        schema={**dict.fromkeys(texts, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = typed_frames({table: frame})
    if only is None:
        problems = draft.problems or check(draft.facts).problems
    else:
        problems = tuple(
            replace(one, at=replace(one.at, file=f"{table} {one.at.key}", line=0))
            for one in draft.problems
            if one.at.key in only
        )
    if problems:
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    return draft.facts[table].row(0, named=True)
