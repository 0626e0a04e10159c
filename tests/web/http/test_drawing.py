"""Pictures come from a process of their own, which may exit or crash."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.context import SpawnProcess
from subprocess import run
from time import sleep
from typing import Any

import pytest

from palmares.render.tables import Column, Table, printed
from palmares.web.http.drawing import PDF, ChartRenderer, NotDrawn

CHART: dict[str, Any] = {
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "data": {"values": [{"day": "2020-01-01", "points": 3}, {"day": "2020-02-01", "points": 5}]},
    "mark": "bar",
    "encoding": {"x": {"field": "day"}, "y": {"field": "points", "type": "quantitative"}},
}


@pytest.fixture
def renderer() -> Iterator[ChartRenderer]:
    found = ChartRenderer()
    yield found
    found.close()


def worker_of(renderer: ChartRenderer) -> SpawnProcess:
    found = renderer._worker
    assert found is not None
    return found


def test_one_worker_draws_all_pictures(renderer: ChartRenderer) -> None:
    assert renderer.draw(CHART, "svg").startswith(b"<svg")
    first = worker_of(renderer)
    assert renderer.draw(CHART, "png").startswith(b"\x89PNG\r\n\x1a\n")
    assert worker_of(renderer) is first


def test_a_page_is_the_last_thing_that_a_worker_makes(renderer: ChartRenderer) -> None:
    """What sets it keeps its memory."""
    page = printed([Table(rows=[{"player": "Ada"}], columns=[Column("player")])])
    assert renderer.draw(page, PDF).startswith(b"%PDF")
    first = worker_of(renderer)
    first.join()
    assert first.exitcode == 0
    assert renderer.draw(page, PDF).startswith(b"%PDF")
    assert worker_of(renderer) is not first


def test_the_site_never_loads_what_draws() -> None:
    program = f"""
import sys
from palmares.web.http.drawing import ChartRenderer
renderer = ChartRenderer()
assert renderer.draw({CHART!r}, "svg").startswith(b"<svg")
renderer.close()
print("vl_convert" in sys.modules)
"""
    told = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def test_no_worker_is_left_behind() -> None:
    renderer = ChartRenderer()
    renderer.draw(CHART, "svg")
    worker = worker_of(renderer)
    del renderer  # without closing it
    gc.collect()
    worker.join(60)
    assert worker.exitcode == 0


def test_a_worker_that_exited_is_started_again() -> None:
    renderer = ChartRenderer(idle=0.5)
    assert renderer.draw(CHART, "svg").startswith(b"<svg")
    first = worker_of(renderer)
    first.join(60)
    assert first.exitcode == 0
    assert renderer.draw(CHART, "svg").startswith(b"<svg")
    assert worker_of(renderer) is not first
    renderer.close()


def test_a_worker_that_crashed_is_replaced(renderer: ChartRenderer) -> None:
    renderer.draw(CHART, "svg")
    worker_of(renderer).kill()
    assert renderer.draw(CHART, "svg").startswith(b"<svg")


def test_nothing_is_fetched(renderer: ChartRenderer) -> None:
    with pytest.raises(NotDrawn, match="External data url not allowed"):
        renderer.draw(CHART | {"data": {"url": "https://example.org/data.json"}}, "svg")
    assert renderer.draw(CHART, "svg").startswith(b"<svg")  # and it goes on


def test_a_picture_takes_only_so_long() -> None:
    renderer = ChartRenderer(seconds=0.001)
    with pytest.raises(NotDrawn, match="was not drawn in 0 seconds"):
        renderer.draw(CHART, "svg")
    assert renderer._worker is None


def test_closing_waits_for_no_picture() -> None:
    renderer = ChartRenderer(seconds=3600)
    endless = CHART | {"data": {"sequence": {"start": 0, "stop": 10**6, "as": "points"}}}
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(renderer.draw, endless, "svg") for _ in range(2)]
        while renderer._worker is None:
            sleep(0.01)
        renderer.close()
        for one in waiting:
            with pytest.raises(NotDrawn, match="the site is closing"):
                one.result()
    assert renderer._worker is None


def test_closing_ends_the_worker(renderer: ChartRenderer) -> None:
    renderer.draw(CHART, "svg")
    worker = worker_of(renderer)
    renderer.close()
    assert not worker.is_alive()
