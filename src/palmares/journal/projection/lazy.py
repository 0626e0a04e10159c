"""A mapping whose values are computed on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

V = TypeVar("V")
Makers = Mapping[str, Callable[[], V]]


class Lazy(Mapping[str, V]):
    """A mapping whose values are computed on first use."""

    def __init__(self, makers: Makers[V]) -> None:
        self._makers = makers
        self._values: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        """The value of a name."""
        if name not in self._values:
            self._values[name] = self._makers[name]()
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        """Every name."""
        return iter(self._makers)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._makers)


def updated(before: Mapping[str, V], makers: Makers[V]) -> Mapping[str, V]:
    """A copy with some values replaced; lazy if the mapping is."""
    after = Lazy({name: partial(before.__getitem__, name) for name in before} | dict(makers))
    return after if isinstance(before, Lazy) else dict(after)
