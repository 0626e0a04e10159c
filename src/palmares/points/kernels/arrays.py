"""
Clauses on many tournaments, and formulas on many rows, at once: the same functions, on arrays.

A clause that asks whether something holds, or looks something up, is run again where the answers
differ (`TwoAnswers`); one that needs a single value runs on one tournament at a time
(`SingleValueNeeded`). Formulas do each operation for all rows before the next, on the same doubles
in the same order as row by row, so that the same points are counted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NoReturn

import numpy as np

from palmares.core.rounding import GREATEST, UNCOUNTABLE
from palmares.points.kernels.sums import Array
from palmares.regulations.model import Grant, parameters


class TwoAnswers(Exception):
    """A question has two answers: *holds* has a flag for each tournament."""

    def __init__(self, holds: Array) -> None:
        self.holds = holds
        super().__init__("a clause goes two ways")


class SingleValueNeeded(Exception):
    """A clause needs a single value."""


class Unknown:
    """A value that clauses do not use, such as a name; its use needs tournaments one by one."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise SingleValueNeeded(f"{type(self).__name__} has no single value")

    __getattr__ = _refuse


for _name in ("str", "repr", "format", "bool", "int", "float", "index", "len", "iter", "contains",
              "getitem", "hash", "eq", "ne"):  # fmt: skip
    setattr(Unknown, f"__{_name}__", Unknown._refuse)  # noqa: SLF001


class EncodedColumn(Unknown):
    """Values by number, none of which is none, and the number of each tournament's value."""

    __slots__ = ("codes", "values")

    def __init__(self, values: Sequence[Any], codes: Array) -> None:
        self.values = values
        self.codes = codes

    def of(self, rows: Array) -> EncodedColumn:
        """The values of some of the tournaments."""
        return EncodedColumn(self.values, self.codes[rows])

    def used(self) -> EncodedColumn:
        """The column without values that no tournament has."""
        there = np.bincount(self.codes, minlength=len(self.values)) > 0
        if there.all():
            return self
        values = [self.values[number] for number in np.flatnonzero(there).tolist()]
        return EncodedColumn(values, (np.cumsum(there) - 1)[self.codes])

    def each(self, function: Callable[[Any], Any]) -> EncodedColumn:
        """What a function gives for the values."""
        used = self.used()
        return EncodedColumn([function(value) for value in used.values], used.codes)

    def __iter__(self) -> Iterator[EncodedColumn]:
        """A column for each entry of values that are tuples of one length."""
        used = self.used()
        lengths = {len(value) if isinstance(value, tuple) else -1 for value in used.values}
        if len(lengths) > 1 or -1 in lengths:
            self._refuse()
        return (EncodedColumn(entries, used.codes) for entries in zip(*used.values, strict=True))

    def __hash__(self) -> int:
        """That of the only value there is: what something is looked up by.

        Raises:
            TwoAnswers: there are several; those of the first go one way.
        """
        first = self.used().values[0]
        if not self.each(lambda value: value == first):
            self._refuse()
        return hash(first)

    def __bool__(self) -> bool:
        """Whether it holds for all.

        Raises:
            TwoAnswers: for some it holds, and for others it does not.
        """
        used = self.used()
        holds = [bool(value) for value in used.values]
        if all(holds) or not any(holds):
            return all(holds)
        raise TwoAnswers(np.array(holds)[used.codes])


def _operated(operate: Callable[[Any, Any], Any], *, swapped: bool = False) -> Any:
    """An operator on columns; *swapped* where the other value stands before it."""

    def on_column(this: EncodedColumn, that: Any) -> Any:
        if isinstance(that, Unknown) and not isinstance(that, EncodedColumn):
            return NotImplemented
        if not isinstance(that, EncodedColumn):
            return this.each(
                lambda value: operate(that, value) if swapped else operate(value, that)
            )
        different, codes = np.unique(
            this.codes * len(that.values) + that.codes, return_inverse=True
        )
        pairs = zip(
            *(side.tolist() for side in np.divmod(different, len(that.values))), strict=True
        )
        return EncodedColumn([operate(this.values[a], that.values[b]) for a, b in pairs], codes)

    return on_column


for _name in ("add", "sub", "mul", "truediv", "floordiv", "pow"):
    setattr(EncodedColumn, f"__{_name}__", _operated(getattr(operator, _name)))
    setattr(EncodedColumn, f"__r{_name}__", _operated(getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(EncodedColumn, f"__{_name}__", _operated(getattr(operator, _name)))


# ── formulas on many rows ─────────────────────────────────────────────────────────────────────────


_WHOLE = 2**31  # products of two such whole numbers, and their sums, still fit in 64 bits
_EXACT = 2.0**53  # a whole number may have become a float on the way: below, it is still itself
TOGETHER = 2**13
"""Rows worked out at once: larger arrays leave the processor's cache, and memory that is reused."""


class Lookup:
    """A table for each row."""

    def __init__(self, entries: Array, first: Array | int, size: Array | int) -> None:
        self.entries, self.first, self.size = entries, first, size

    def __getitem__(self, place: Any) -> Any:
        """The entry of each row's own table."""
        if np.any((place < 0) | (place >= self.size)):
            raise IndexError("a place outside a table")
        return self.entries[self.first + place]


def worked(
    grant: Grant, columns: Mapping[str, Array], sizes: Array
) -> tuple[dict[str, Array], Array]:
    """What the formulas of a grant of many events give: derived values, and nanopoints.

    Args:
        grant: its terms and tables may be columns with a value for each event.
        columns: an entry a row.
        sizes: how many rows each event has.

    Raises:
        SingleValueNeeded: rows must be worked out one by one.
    """
    functions = [*grant.derived.values(), grant.formula]
    if any(getattr(each, "plain_only", True) for each in functions):
        raise SingleValueNeeded("a formula takes rows each by each")
    needed = {name for each in functions for name in parameters(each)}
    by_event = {name: _of_events(value) for name, value in grant.terms.items() if name in needed}
    by_event |= {name: _tables(value) for name, value in grant.tables.items() if name in needed}
    by_row = {name: _checked(column) for name, column in columns.items()}
    ends = starts(sizes)
    edges = np.searchsorted(ends, np.arange(0, ends[-1], TOGETHER), side="right") - 1
    pieces: list[list[Array]] = []
    for first, past in pairwise([*np.unique(edges).tolist(), len(sizes)]):
        events, rows = slice(first, past), slice(ends[first], ends[past])
        given: dict[str, Any] = {"constants": grant.rules.constants}
        given |= {name: each(events, sizes[events]) for name, each in by_event.items()}
        given |= {name: column[rows] for name, column in by_row.items()}
        with np.errstate(divide="raise", invalid="raise"):
            for name, function in grant.derived.items():
                given[name] = _applied(function, given, rows.stop - rows.start)
            points = _applied(grant.formula, given, rows.stop - rows.start)
        pieces.append([*(given[name] for name in grant.derived), _counted(points)])
    results = [np.concatenate(each) for each in zip(*pieces, strict=True)]
    return dict(zip(grant.derived, results[:-1], strict=True)), results[-1]


def starts(sizes: Iterable[int]) -> Array:
    """Where each piece of some sizes begins, and where the last one ends."""
    return np.array(list(accumulate(sizes, initial=0)), np.int64)


def number_array(pieces: Iterable[Sequence[Any]]) -> Array | None:
    """Numbers laid end to end, as int64 if all are whole, else float64; none for anything else."""
    try:
        arrays = [np.asarray(each) for each in pieces if len(each)]
        entries = np.concatenate(arrays) if arrays else np.empty(0, np.int64)
    except (ValueError, TypeError):
        return None
    if entries.ndim != 1 or any(array.dtype.kind not in "bif" for array in arrays):
        return None
    array = entries.astype(np.float64 if entries.dtype.kind == "f" else np.int64, copy=False)
    greatest = _WHOLE if array.dtype.kind == "i" else _EXACT
    fits = not (len(array) and (array.min() <= -greatest or array.max() >= greatest))
    return array if fits else None


def _checked(values: Any) -> Array:
    array = number_array([values])
    if array is None:
        raise SingleValueNeeded("not all are numbers that arrays hold")
    return array


def _of_events(value: Any) -> Callable[[slice, Array], Any]:
    """A function that gives a term for the rows of some events."""
    if not isinstance(value, EncodedColumn):
        return lambda _events, _sizes: value
    values = _checked(value.values)[value.codes]
    return lambda events, sizes: np.repeat(values[events], sizes)


def _tables(value: Any) -> Callable[[slice, Array], Lookup]:
    """A function that gives a table for the rows of some events."""
    if not isinstance(value, EncodedColumn):
        entries = _checked(value)
        return lambda _events, _sizes: Lookup(entries, 0, len(entries))
    ends = starts(map(len, value.values))
    entries = _checked([entry for table in value.values for entry in table])
    first, size = ends[value.codes], np.diff(ends)[value.codes]
    return lambda events, sizes: Lookup(
        entries, np.repeat(first[events], sizes), np.repeat(size[events], sizes)
    )


def _applied(function: Callable[..., Any], given: Mapping[str, Any], rows: int) -> Array:
    try:
        value = function(*(given[name] for name in parameters(function)))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise SingleValueNeeded(f"{function.__name__} takes no columns, or not these") from error
    return np.broadcast_to(value, rows)


def _counted(points: Array) -> Array:
    """Points as whole nanopoints; see `palmares.core.rounding.countable_nanopoints`."""
    if points.dtype.kind != "f":
        raise SingleValueNeeded("whole points are counted one by one")
    fits = np.abs(points) < GREATEST
    if fits.all():
        return np.floor(points * 1e9 + 0.5).astype(np.int64)
    counted = np.floor(np.where(fits, points, 0.0) * 1e9 + 0.5).astype(np.int64)
    return np.where(fits, counted, UNCOUNTABLE)
