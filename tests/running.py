"""
How the tests are run: which files come first, which process runs which, what coverage looks at.

Coverage looks at regulations while they are imported and while their own tests run, those of
tests/regulations: these run every line of them, and whatever is looked at takes half as long again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from palmares import regulations

TESTS = Path(__file__).parent
LOOKED_AT = TESTS / "regulations"
ON_SPARK = ("engines/test_spark.py", "engines/test_same_bytes.py")
FIRST = (
    *ON_SPARK,
    "web/http/test_parameters.py",
    "browser/test_open_pages.py",
    "browser/test_desk_pages.py",
    "browser/test_desks.py",
    "web/test_noisy_season.py",
    "journal/test_noisy_season.py",
    "journal/test_crashes.py",
    "cli/test_corrupted.py",
    "points/test_determinism.py",
    "docs/test_examples.py",
    "web/test_hostile_pages.py",
    "web/api/test_schema.py",
    "lists/live/test_update.py",
    "journal/test_damaged_files.py",
    "web/test_whole_lists.py",
)
"""Files of tests that take longest: whichever began last would keep one process busy alone."""


class Files(LoadFileScheduling):  # type: ignore[misc]
    """A file to a process, and all that need a Spark to the same one: it takes long to start."""

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
    """Let those of regulations come first, when nothing is kept yet; then the longest."""
    places = {TESTS / file: place for place, file in enumerate(FIRST)}

    def place(item: pytest.Item) -> int:
        looked_at = item.path.is_relative_to(LOOKED_AT)
        return -1 if looked_at else places.get(item.path, len(FIRST))

    items.sort(key=place)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave alone what stays to the end: to look for garbage among it took a tenth of the time."""
    gc.collect()
    gc.freeze()


# ── coverage ─────────────────────────────────────────────────────────────────────────────────────


def pytest_collection(session: pytest.Session) -> None:
    """Import the regulations; what is imported from here on is not looked at."""
    for found in iter_modules(regulations.__path__):
        import_module(f"{regulations.__name__}.{found.name}")
    _look(session.config, "pause")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Look at what the tests of regulations run."""
    if not item.path.is_relative_to(LOOKED_AT):
        return (yield)
    _look(item.config, "resume")
    try:
        return (yield)
    finally:
        _look(item.config, "pause")


def _look(config: pytest.Config, method: str) -> None:
    """Pause or resume coverage, where somebody asked for it."""
    plugin = config.pluginmanager.getplugin("_cov")
    if plugin is not None and plugin.cov_controller is not None:
        getattr(plugin.cov_controller, method)()
