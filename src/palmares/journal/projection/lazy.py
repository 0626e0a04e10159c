"""Values by name that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

V = TypeVar("V")
Makers = Mapping[str, Callable[[], V]]


class Lazy(Mapping[str, V]):
    """Values by name, each made when it is asked for first."""

    def __init__(self, makers: Makers[V]) -> None:
        self._makers = makers
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        """The value of that name."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Every name."""
        return iter(self._makers)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._makers)


def updated(before: Mapping[str, V], makers: Makers[V]) -> Mapping[str, V]:
    """The values but for some that are made anew: lazily where those before are lazy, else now."""
    after = Lazy({name: partial(before.__getitem__, name) for name in before} | dict(makers))
    return after if isinstance(before, Lazy) else dict(after)
