"""Pictures come from a process of their own, which may go home or fall over."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from subprocess import Popen, run
from time import sleep
from typing import Any

import pytest

from palmares.web.http.drawing import Easel, NotDrawn

CHART: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "data": {"values": [{"day": "2020-01-01", "points": 3}, {"day": "2020-02-01", "points": 5}]},
    "mark": "bar",
    "encoding": {"x": {"field": "day"}, "y": {"field": "points", "type": "quantitative"}},
}


@pytest.fixture
def easel() -> Iterator[Easel]:
    found = Easel()
    yield found
    found.close()


def child_of(easel: Easel) -> Popen[bytes]:
    found = easel._child
    assert found is not None
    return found


def test_one_draws_all_pictures(easel: Easel) -> None:
    assert easel.drawn(CHART, "svg").startswith(b"<svg")
    first = child_of(easel)
    assert easel.drawn(CHART, "png").startswith(b"\x89PNG\r\n\x1a\n")
    assert child_of(easel) is first


def test_who_asks_never_loads_what_draws() -> None:
    program = f"""
import sys
from palmares.web.http.drawing import Easel
easel = Easel()
assert easel.drawn({CHART!r}, "svg").startswith(b"<svg")
easel.close()
print("vl_convert" in sys.modules)
"""
    told = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_nobody_is_left_behind() -> None:
    easel = Easel()
    easel.drawn(CHART, "svg")
    child = child_of(easel)
    del easel  # and nobody closed it
    gc.collect()
    assert child.returncode is not None


def test_who_went_home_is_called_again() -> None:
    easel = Easel(idle=0.5)
    assert easel.drawn(CHART, "svg").startswith(b"<svg")
    first = child_of(easel)
    assert first.wait(60) == 0
    assert easel.drawn(CHART, "svg").startswith(b"<svg")
    assert child_of(easel) is not first
    easel.close()


def test_who_fell_over_is_replaced(easel: Easel) -> None:
    easel.drawn(CHART, "svg")
    child_of(easel).kill()
    assert easel.drawn(CHART, "svg").startswith(b"<svg")


def test_nothing_is_fetched(easel: Easel) -> None:
    with pytest.raises(NotDrawn, match="External data url not allowed"):
        easel.drawn(CHART | {"data": {"url": "https://example.org/data.json"}}, "svg")
    assert easel.drawn(CHART, "svg").startswith(b"<svg")  # and it goes on


def test_a_picture_takes_only_so_long() -> None:
    easel = Easel(seconds=0.001)
    with pytest.raises(NotDrawn, match="was not drawn in 0 seconds"):
        easel.drawn(CHART, "svg")
    assert easel._child is None


def test_who_closes_waits_for_no_picture() -> None:
    easel = Easel(seconds=3600)
    endless = CHART | {"data": {"sequence": {"start": 0, "stop": 10**6, "as": "points"}}}
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(easel.drawn, endless, "svg") for _ in range(2)]
        while easel._child is None:
            sleep(0.01)
        easel.close()
        for one in waiting:
            with pytest.raises(NotDrawn, match="the site is closing"):
                one.result()
    assert easel._child is None


def test_closed_is_gone(easel: Easel) -> None:
    easel.drawn(CHART, "svg")
    child = child_of(easel)
    easel.close()
    assert child.poll() is not None
