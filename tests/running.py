"""
How the tests are run: in how many processes, which files first, and what coverage measures.

Coverage measures regulations while they are imported and while their own tests run, those of
tests/regulations: these run every line of them, and measured code takes half as long again.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from palmares import regulations

TESTS = Path(__file__).parent
MEASURED = TESTS / "regulations"
ON_SPARK = ("engines/spark/test_engine.py", "engines/test_same_bytes.py")
FIRST = (
    *ON_SPARK,
    "browser/test_pages.py",
    "docs/test_examples.py",
    "browser/test_visitor.py",
    "browser/test_desks.py",
    "package/test_package.py",
    "cli/test_start.py",
    "browser/test_running.py",
    "structure/test_structure.py",
    "web/test_hostile_pages.py",
    "engines/test_queries.py",
    "cli/test_workers.py",
    "web/http/test_parameters.py",
    "web/director/test_director.py",
    "points/kernels/test_sums.py",
    "cli/journal/test_decisions.py",
    "cli/demo/test_season.py",
    "cli/demo/test_tour.py",
    "deploy/test_deploy.py",
    "engines/spark/test_session.py",
    "web/api/test_schema.py",
    "cli/test_interrupt.py",
    "cli/test_serve.py",
    "web/test_noisy_season.py",
    "journal/commands/test_noisy_season.py",
    "journal/store/test_damaged_files.py",
    "web/test_whole_lists.py",
    "journal/store/test_crashes.py",
    "lists/test_live_update.py",
    "engines/test_outofcore_wrong.py",
    "cli/lists/test_publications.py",
    "cli/test_without_posix.py",
    "points/test_determinism.py",
)
"""Files of tests that take longest: one that began last would keep one process busy alone."""
MOST_PROCESSES = 4
SELDOM = 100_000, 20, 20


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: tests wait for Spark, browsers, databases and servers."""
    return min((os.cpu_count() or 1) + 1, MOST_PROCESSES)


class Files(LoadFileScheduling):  # type: ignore[misc]
    """A file to a process, and all that need Spark to the same one: it takes long to start."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "spark" if file.endswith(ON_SPARK) else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Files | None:
    """Share files out among processes, in the order they are collected in."""
    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False  # a file of few tests may take longest
    return Files(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put those of regulations first, while no cache is filled; then the longest."""
    places = {TESTS / file: place for place, file in enumerate(FIRST)}

    def place(item: pytest.Item) -> int:
        is_measured = item.path.is_relative_to(MEASURED)
        return -1 if is_measured else places.get(item.path, len(FIRST))

    items.sort(key=place)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the collector search seldom, and never what stays: it took a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)


# ── coverage ─────────────────────────────────────────────────────────────────────────────────────


def pytest_collection(session: pytest.Session) -> None:
    """Import the regulations; what is imported from here on is not measured."""
    for module in iter_modules(regulations.__path__):
        import_module(f"{regulations.__name__}.{module.name}")
    _coverage(session.config, "pause")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Measure what the tests of regulations run."""
    if not item.path.is_relative_to(MEASURED):
        return (yield)
    _coverage(item.config, "resume")
    try:
        return (yield)
    finally:
        _coverage(item.config, "pause")


def _coverage(config: pytest.Config, method: str) -> None:
    """Pause or resume coverage, if it runs."""
    plugin = config.pluginmanager.getplugin("_cov")
    if plugin is not None and plugin.cov_controller is not None:
        getattr(plugin.cov_controller, method)()
