"""Where caches are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from palmares.core import files


def test_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache/site")
    assert files.cache_folder() == Path("/var/cache/site/palmares")


@pytest.mark.parametrize("said", ["", "here", "./cache"])
def test_at_home_unless_it_says_a_whole_path(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    monkeypatch.setenv("HOME", "/somewhere/otto")
    assert files.cache_folder() == Path("/somewhere/otto/.cache/palmares")


def test_where_nothing_is_for_who_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", _nobody)
    assert files.cache_folder() == Path("/nonexistent/palmares")


def test_what_somebody_else_put_there_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.write_cached(tmp_path / "code", b"ours")
    assert files.read_cached(tmp_path / "code") == b"ours"
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert files.read_cached(tmp_path / "code") is None


def _nobody(number: int) -> None:
    raise KeyError(number)
