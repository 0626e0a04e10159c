"""
A column: one value for each of many tournaments, in the place of a value.

Clauses run on columns as they are written. An operation is done once for each different set of
values; where a clause asks whether something holds, and it holds for some only, `Split` says for
whom, so that the clause can be run again on either part; so it is where something is looked up by
values. A clause that needs a text or a length gets one tournament at a time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from palmares.points.kernels.rows import Array


class Split(Exception):
    """A question has two answers: *holds* has a flag for each tournament."""

    def __init__(self, holds: Array) -> None:
        self.holds = holds
        super().__init__("a clause goes two ways")


class OneByOne(Exception):
    """A clause needs a single value."""


class Unknown:
    """A value of each of many tournaments that no clause reckons with, such as a name."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise OneByOne(f"{type(self).__name__} has no single value")

    __getattr__ = _refuse


for _name in ("str", "repr", "format", "bool", "int", "float", "index", "len", "iter", "contains",
              "getitem", "hash", "eq", "ne"):  # fmt: skip
    setattr(Unknown, f"__{_name}__", Unknown._refuse)  # noqa: SLF001


class Column(Unknown):
    """Values by number, none of which is none, and the number of each tournament's value."""

    __slots__ = ("codes", "values")

    def __init__(self, values: Sequence[Any], codes: Array) -> None:
        self.values = values
        self.codes = codes

    def of(self, rows: Array) -> Column:
        """The values of some of the tournaments."""
        return Column(self.values, self.codes[rows])

    def used(self) -> Column:
        """The same without values that no tournament has."""
        there = np.bincount(self.codes, minlength=len(self.values)) > 0
        if there.all():
            return self
        values = [self.values[number] for number in np.flatnonzero(there).tolist()]
        return Column(values, (np.cumsum(there) - 1)[self.codes])

    def each(self, function: Callable[[Any], Any]) -> Column:
        """What a function gives for the values."""
        used = self.used()
        return Column([function(value) for value in used.values], used.codes)

    def __iter__(self) -> Iterator[Column]:
        """A column for each entry of values that are tuples."""
        used = self.used()
        if not all(isinstance(value, tuple) for value in used.values):
            self._refuse()
        return (Column(entries, used.codes) for entries in zip(*used.values, strict=True))

    def __hash__(self) -> int:
        """That of the only value there is: what something is looked up by.

        Raises:
            Split: there are several; those of the first go one way.
        """
        first = self.used().values[0]
        if not self.each(lambda value: value == first):
            self._refuse()
        return hash(first)

    def __bool__(self) -> bool:
        """Whether it holds for all.

        Raises:
            Split: for some it holds, and for others it does not.
        """
        used = self.used()
        holds = [bool(value) for value in used.values]
        if all(holds) or not any(holds):
            return all(holds)
        raise Split(np.array(holds)[used.codes])


def _operated(operate: Callable[[Any, Any], Any], *, swapped: bool = False) -> Any:
    """An operator on columns; *swapped* where the other value stands before it."""

    def on_column(this: Column, that: Any) -> Any:
        if isinstance(that, Unknown) and not isinstance(that, Column):
            return NotImplemented
        if not isinstance(that, Column):
            return this.each(
                lambda value: operate(that, value) if swapped else operate(value, that)
            )
        different, codes = np.unique(
            this.codes * len(that.values) + that.codes, return_inverse=True
        )
        pairs = zip(
            *(side.tolist() for side in np.divmod(different, len(that.values))), strict=True
        )
        return Column([operate(this.values[a], that.values[b]) for a, b in pairs], codes)

    return on_column


for _name in ("add", "sub", "mul", "truediv", "floordiv", "pow"):
    setattr(Column, f"__{_name}__", _operated(getattr(operator, _name)))
    setattr(Column, f"__r{_name}__", _operated(getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Column, f"__{_name}__", _operated(getattr(operator, _name)))
