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
from typing import Any, NoReturn, TypeAlias

import numpy as np

from palmares.points.kernels.rows import Array

Values: TypeAlias = "Sequence[Any] | Array"
EXACT = 2**53
"""A double holds every whole number up to this one."""
SAME_BITS = ("add", "sub", "mul", "truediv", "lt", "le", "gt", "ge", "eq", "ne")
"""Operations that give the same on an array of doubles as on each of Python's floats."""


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

    def __init__(self, values: Values, codes: Array) -> None:
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
        return Column(_at(self.values, np.flatnonzero(there)), (np.cumsum(there) - 1)[self.codes])

    def each(self, function: Callable[[Any], Any]) -> Column:
        """What a function gives for the values."""
        used = self.used()
        return Column(_packed([function(value) for value in _listed(used.values)]), used.codes)

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
        holds = np.array([bool(value) for value in _listed(used.values)])
        if holds.all() or not holds.any():
            return bool(holds[0])
        raise Split(holds[used.codes])


def _listed(values: Values) -> Sequence[Any]:
    """Values as Python's own."""
    return values.tolist() if isinstance(values, np.ndarray) else values


def _at(values: Values, places: Array) -> Values:
    """The values at some places."""
    if isinstance(values, np.ndarray):
        return values[places]
    return [values[place] for place in places.tolist()]


def _packed(values: list[Any]) -> Values:
    """Values, as an array if all are floats."""
    return np.array(values) if set(map(type, values)) == {float} else values


def _doubles(values: Values) -> Array | None:
    """Floats, or whole numbers that doubles hold, as an array; none if there are others."""
    if isinstance(values, np.ndarray):
        return values if values.dtype == np.float64 else None
    whole = set(map(type, values)) == {int} and max(map(abs, values)) <= EXACT
    return np.array(values, np.float64) if whole else None


def _operator(name: str, *, swapped: bool = False) -> Any:
    """An operator on columns; *swapped* where the other value stands before it."""
    operate: Callable[[Any, Any], Any] = getattr(operator, name)

    def applied(left: Values, right: Values) -> Values:
        """The operation on pairs of values: on floats as arrays, to the same bits."""
        if name in SAME_BITS and (isinstance(left, np.ndarray) or isinstance(right, np.ndarray)):
            first, second = _doubles(left), _doubles(right)
            if first is not None and second is not None:
                with np.errstate(divide="raise", invalid="raise"):
                    result: Array = operate(first, second)
                return result
        pairs = zip(_listed(left), _listed(right), strict=True)
        return _packed([operate(one, other) for one, other in pairs])

    def on_column(this: Column, that: Any) -> Any:
        if isinstance(that, Unknown) and not isinstance(that, Column):
            return NotImplemented
        if not isinstance(that, Column):
            used = this.used()
            sides = used.values, _packed([that] * len(used.values))
            return Column(applied(*(sides[::-1] if swapped else sides)), used.codes)
        pairs, codes = np.unique(this.codes * len(that.values) + that.codes, return_inverse=True)
        first, second = np.divmod(pairs, len(that.values))
        return Column(applied(_at(this.values, first), _at(that.values, second)), codes)

    return on_column


for _name in ("add", "sub", "mul", "truediv", "floordiv", "pow"):
    setattr(Column, f"__{_name}__", _operator(_name))
    setattr(Column, f"__r{_name}__", _operator(_name, swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Column, f"__{_name}__", _operator(_name))
