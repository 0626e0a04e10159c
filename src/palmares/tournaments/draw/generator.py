"""The generator of the draw: from a seed to numbers and orders, all equally likely."""

from __future__ import annotations

from collections.abc import MutableSequence
from hashlib import sha256
from typing import TypeVar

Item = TypeVar("Item")


class Stream:
    """The bytes that follow from a seed, read once each."""

    def __init__(self, seed: str) -> None:
        """Begin.

        Args:
            seed: 64 lower-case hex digits.
        """
        self.seed = seed
        self.bytes_read = 0
        self._buffer = b""
        self._start = 0  # of what is unread, in the buffer
        self._blocks = 0

    def _read(self, count: int) -> int:
        """The next bytes as a big-endian number."""
        while len(self._buffer) - self._start < count:
            block = sha256(f"{self.seed}:draw:{self._blocks}".encode()).digest()
            self._buffer = self._buffer[self._start :] + block
            self._start = 0
            self._blocks += 1
        end = self._start + count
        number = int.from_bytes(self._buffer[self._start : end], "big")
        self._start = end
        self.bytes_read += count
        return number

    def below(self, limit: int) -> int:
        """A number from 0 to one less than the limit, each equally likely.

        Args:
            limit: 1 or more, of any length; nothing is read where it is 1.
        """
        bits = (limit - 1).bit_length()
        if not bits:
            return 0
        mask = (1 << bits) - 1
        while True:
            number = self._read((bits + 7) // 8) & mask
            if number < limit:
                return number

    def shuffle(self, items: MutableSequence[Item]) -> tuple[int, ...]:
        """Put a list into a random order (Fisher-Yates); the numbers drawn, from the last place."""
        drawn = []
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]
            drawn.append(other)
        return tuple(drawn)
