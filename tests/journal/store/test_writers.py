"""Eight programs write at once: no entry is lost, none is recorded twice, and each has its turn."""

from __future__ import annotations

import threading
from collections import Counter

from palmares.journal.store.journal import Journal
from palmares.journal.store.verify import verify
from tests.journal.programs import PROGRAMS, heard, hurrying, started

WRITERS = 8
SECONDS = 4.0


def test_eight_writers(journal: Journal) -> None:
    go = PROGRAMS.Barrier(WRITERS)
    names = [f"Writer {number}" for number in range(WRITERS)]
    running = [started(hurrying, journal.url, name, go, SECONDS) for name in names]
    said: dict[str, list[int]] = {}

    def listen(place: int) -> None:
        said[names[place]] = heard(running[place][1])

    ears = [threading.Thread(target=listen, args=(place,)) for place in range(WRITERS)]
    for ear in ears:
        ear.start()
    for ear, (process, _) in zip(ears, running, strict=True):
        ear.join()
        process.join()

    assert [process.exitcode for process, _ in running] == [0] * WRITERS
    with journal.reading() as reader:
        verify(reader)
        by = {one.sequence: one.author for one in reader.entries()}
    assert by == {sequence: name for name, found in said.items() for sequence in found}
    assert sorted(by) == list(range(1, len(by) + 1))
    fewest = min(Counter(by.values())[name] for name in names)
    assert fewest >= len(by) / WRITERS / 5, Counter(by.values())
