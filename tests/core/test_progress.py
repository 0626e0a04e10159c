"""Long work tells of itself; who does not listen pays next to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock

import pytest

from palmares.core.progress import Advance, heard_by, over, task


class Diary:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.steps: list[int] = []
        self.lock = Lock()

    @contextmanager
    def __call__(self, what: str, total: int | None) -> Iterator[Advance]:
        self.lines.append(f"{what} of {total}")
        try:
            yield self.step
        finally:
            self.lines.append(f"{what} end")

    def step(self, done: int = 1, /) -> None:
        with self.lock:
            self.steps.append(done)


@pytest.fixture
def diary() -> Iterator[Diary]:
    found = Diary()
    with heard_by(found):
        yield found


def test_a_task_is_told_with_its_steps(diary: Diary) -> None:
    with task("placings", 3000) as step:
        step(1000)
        step()
    assert diary.lines == ["placings of 3000", "placings end"]
    assert diary.steps == [1000, 1]


def test_an_unknown_total_is_told_as_unknown(diary: Diary) -> None:
    with task("lines"):
        pass
    assert diary.lines[0] == "lines of None"


def test_a_task_ends_where_the_work_fails(diary: Diary) -> None:
    with pytest.raises(ZeroDivisionError), task("placings", 1):
        _ = 1 / 0
    assert diary.lines == ["placings of 1", "placings end"]


def test_a_loop_counts_what_it_has_done(diary: Diary) -> None:
    loop = over(["a", "b"], "tournaments")
    assert next(loop) == "a"
    assert diary.steps == []
    assert next(loop) == "b"
    assert diary.steps == [1]
    assert list(loop) == []
    assert sum(diary.steps) == 2
    assert diary.lines == ["tournaments of 2", "tournaments end"]


def test_a_loop_that_is_left_has_ended(diary: Diary) -> None:
    for _ in over(range(5), "tournaments"):
        break
    assert diary.lines == ["tournaments of 5", "tournaments end"]


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 2500, 123_456])
def test_a_long_loop_is_told_in_batches_and_whole(diary: Diary, count: int) -> None:
    assert sum(1 for _ in over(range(count), "events")) == count
    assert sum(diary.steps) == count
    assert len(diary.steps) <= 1502


def test_a_loop_of_unknown_length(diary: Diary) -> None:
    assert list(over((one for one in "abc"), "rows")) == ["a", "b", "c"]
    assert list(over((one for one in "abc"), "rows", 3)) == ["a", "b", "c"]
    assert diary.lines[::2] == ["rows of None", "rows of 3"]
    assert sum(diary.steps) == 6


def test_steps_from_threads_are_all_told(diary: Diary) -> None:
    with task("placings", 4000) as step, ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: step(10), range(400)))
    assert sum(diary.steps) == 4000


def test_a_thread_hears_the_context_it_was_given(diary: Diary) -> None:
    with ThreadPoolExecutor(1) as threads:
        threads.submit(copy_context().run, lambda: list(over("ab", "rows"))).result()
        threads.submit(lambda: list(over("ab", "others"))).result()
    assert diary.lines == ["rows of 2", "rows end"]


def test_nobody_listens_before_and_after(diary: Diary) -> None:
    other = Diary()
    with heard_by(other), task("inner"):
        pass
    with task("outer"):
        pass
    assert other.lines == ["inner of None", "inner end"]
    assert diary.lines == ["outer of None", "outer end"]


def test_unheard_work_pays_next_to_nothing() -> None:
    """Nothing stands between a loop and its items; all steps are one function that does nothing."""
    rows = range(10_000)
    assert type(over(rows, "rows")) is type(iter(rows))
    with task("placings", 1) as step, task("rows") as another:
        assert step is another
