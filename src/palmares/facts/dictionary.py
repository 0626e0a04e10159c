"""A column of texts as a dictionary: each different text once, and for each row its number."""

from __future__ import annotations

import polars as pl
from msgspec import Struct


class Encoded(Struct, frozen=True):
    """Texts by number: those of row n are ``values[codes[n]]``."""

    codes: pl.Series  # UInt32; null where there is no text
    values: pl.Series  # String: each different text once, in any order


def encoded(texts: pl.Series) -> Encoded:
    """The dictionary of a String column.

    A categorical of its own numbers its texts from 0 without a gap, so that they lie in order.
    """
    words = texts.alias("").cast(pl.Categorical(pl.Categories.random()))
    each = words.unique().drop_nulls()
    order = each.to_physical().arg_sort()
    return Encoded(words.to_physical(), each.gather(order).cast(pl.String))
