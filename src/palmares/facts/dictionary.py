"""A column of texts as a dictionary: each different text once, and for each row its number."""

from __future__ import annotations

from typing import cast

import polars as pl
from msgspec import Struct


class Encoded(Struct, frozen=True):
    """Texts by number: those of row n are ``values[codes[n]]``."""

    codes: pl.Series  # UInt32; null where there is no text
    values: pl.Series  # String: each different text once, in any order


def encoded(texts: pl.Series) -> Encoded:
    """The dictionary of a String column.

    A categorical of its own numbers its texts from 0 without a gap.
    """
    words = texts.alias("").cast(pl.Categorical(pl.Categories.random()))
    codes = words.to_physical()
    most = cast("int | None", codes.max())
    numbers = pl.int_range(0 if most is None else most + 1, dtype=pl.UInt32, eager=True).alias("")
    return Encoded(codes, numbers.cat.to(words.dtype).cast(pl.String))
