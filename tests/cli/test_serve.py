"""serve: the site is there, says how to begin, keeps its secret, and ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from palmares.cli import cli
from palmares.cli.serve import listen, site_secret
from palmares.core.errors import Refused
from tests.journal.filled import filled
from tests.packages import run
from tests.processes import at_the_end, free_port


@pytest.fixture(autouse=True)
def no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may have one."""
    monkeypatch.delenv("PALMARES_SECRET", raising=False)


def test_a_site_is_served_and_stopped(tmp_path: Path) -> None:
    journal, port = tmp_path / "federation.db", free_port()
    command = [sys.executable, "-m", "palmares", "serve", "--journal", str(journal)]
    with at_the_end(
        subprocess.Popen(
            [*command, "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        first, second, third = (running.stdout.readline() for _ in range(3))
        try:
            assert first == f"http://127.0.0.1:{port} (Ctrl-C ends it)\n"
            link = re.fullmatch(r"The first administrator: (http://\S+/welcome/\S{43})\n", second)
            assert link is not None
            assert third == "(good once, for an hour)\n"
            with _opened(link[1], {"X-Forwarded-For": "203.0.113.7"}) as answer:
                assert answer.status == 200
                number = answer.headers["x-request-id"]
                assert b"The first administrator" in answer.read()
            written = running.stderr.readline()
            line = json.loads(written)
        finally:
            running.send_signal(signal.SIGINT)
            assert running.wait(60) == 128 + signal.SIGINT
        assert running.stderr.read().splitlines()[-1] == "The site has stopped."
    assert (line["route"], line["status"], line["request"]) == ("welcome", 200, number)
    assert link[1].rpartition("/")[2] not in written
    mode = (tmp_path / "federation.db-secret").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_a_port_that_is_taken_is_said_plainly(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        asked = ["serve", "--journal", str(tmp_path / "federation.db"), "--port", port]
        result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 1
    why = "Address already in use. Choose another --port."
    assert result.output == f"Error: 127.0.0.1:{port}: {why}\n"


def test_a_journal_that_was_changed_is_not_served(tmp_path: Path) -> None:
    """Every page would fail, and only the log would say so."""
    path = tmp_path / "federation.db"
    filled(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER entries_no_update")
        connection.execute("UPDATE entries SET author = 'Somebody Else' WHERE sequence = 2")
    asked = ["serve", "--journal", path, "--port", str(free_port())]
    command = [sys.executable, "-m", "palmares", *map(str, asked)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "Entry 2 is not as it was recorded." in refused.stderr


def test_a_colour_that_is_none_is_refused(tmp_path: Path) -> None:
    for text in ("red", "#12345", "#0c5a78;}"):
        result = run("serve", "--journal", tmp_path / "federation.db", "--accent", text)
        assert result.exit_code == 2
        assert "is no colour, such as #0c5a78." in " ".join(result.stderr.split())


def test_other_machines_come_in_only_at_an_address_that_is_said(tmp_path: Path) -> None:
    journal = tmp_path / "federation.db"
    result = CliRunner().invoke(cli, ["serve", "--journal", str(journal), "--host", "192.0.2.1"])
    assert result.exit_code == 1
    assert result.output == (
        "Error: --host 192.0.2.1 lets other machines in. Add --public-url URL, the address at which"
        " browsers reach the site, like https://rankings.example.\n"
    )
    assert not journal.exists()


def test_links_are_made_from_the_address_that_is_said(tmp_path: Path) -> None:
    """By two workers; `tests/deploy` asks a site of one."""
    journal, port = tmp_path / "federation.db", free_port()
    command = [sys.executable, "-m", "palmares", "serve", "--journal", str(journal)]
    with at_the_end(
        subprocess.Popen(
            [*command, "--port", str(port), "--workers", "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ
            | {"PYTHONUNBUFFERED": "1", "PALMARES_PUBLIC_URL": "https://Rankings.example/"},
        )
    ) as running:
        assert running.stdout is not None
        first, second = (running.stdout.readline() for _ in range(2))
        try:
            assert first == "https://rankings.example (Ctrl-C ends it)\n"
            link = re.fullmatch(
                r"The first administrator: https://rankings.example(/welcome/\S{43})\n", second
            )
            assert link is not None
            here = f"http://127.0.0.1:{port}{link[1]}"
            with _opened(here, {"Host": "rankings.example"}) as answer:
                assert answer.headers["strict-transport-security"]
            with pytest.raises(urllib.error.HTTPError, match="421"):
                _opened(here, {})
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)


def test_answers_leave_at_once() -> None:
    """Else the second piece of each waits 40 ms for a browser to confirm the first."""
    with (
        listen("127.0.0.1", 0) as door,
        socket.create_connection(door.getsockname()[:2]),
        door.accept()[0] as server,
    ):
        assert server.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def _opened(url: str, headers: dict[str, str]):  # type: ignore[no-untyped-def]
    """The answer of a server that is starting."""
    request = urllib.request.Request(url, headers=headers)  # noqa: S310  our own
    for _ in range(600):
        try:
            return urllib.request.urlopen(request, timeout=60)  # noqa: S310
        except ConnectionRefusedError:
            pass
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            if not isinstance(getattr(error, "reason", None), ConnectionRefusedError):
                raise
        time.sleep(0.05)
    raise AssertionError("nobody answers")


def test_a_secret_is_made_once(tmp_path: Path) -> None:
    journal = str(tmp_path / "federation.db")
    made = site_secret(journal, None)
    assert len(made) == 64
    assert site_secret(journal, None) == made == site_secret(f"sqlite:///{journal}", None)
    assert site_secret(journal, tmp_path / "another") != made


def test_a_secret_that_others_can_read_is_none(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("x" * 64)
    file.chmod(0o644)
    with pytest.raises(Refused, match="Others can read"):
        site_secret("federation.db", file)


def test_nothing_is_made_beside_another_programs_database(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE books (title TEXT)")
    done = CliRunner().invoke(cli, ["serve", "--journal", str(file), "--port", str(free_port())])
    assert "another program: it has the table books" in done.output
    assert [*tmp_path.iterdir()] == [file]


def test_a_short_secret_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_SECRET", "short")
    with pytest.raises(Refused, match="at least 32 characters"):
        site_secret("federation.db", None)
    monkeypatch.setenv("PALMARES_SECRET", "x" * 32)
    assert site_secret("federation.db", None) == "x" * 32


def test_a_site_on_postgresql_has_to_be_given_one() -> None:
    with pytest.raises(Refused, match="needs a secret"):
        site_secret("postgresql://db/federation", None)


def test_a_secret_cannot_be_made_in_no_folder(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="No such file"):
        site_secret("federation.db", tmp_path / "nowhere" / "secret")


@pytest.mark.parametrize("given", ["", "dirty_decay_ms:500,narenas:9,"])
def test_polars_is_not_loaded_before_it_is_told_to_be_modest(given: str) -> None:
    """What it allocates with reads its settings as it is loaded; the last word of them counts."""
    code = (
        "import os, sys, palmares.cli.serve as it; assert 'polars' not in sys.modules;"
        " it.prepare_polars(); print(os.environ['_RJEM_MALLOC_CONF']); import polars"
    )
    environment = os.environ | {"_RJEM_MALLOC_CONF": given.rstrip(",")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{given}dirty_decay_ms:0,muzzy_decay_ms:0,narenas:1\n"
    assert done.stderr == ""  # it would say what it does not know


@pytest.mark.parametrize(("given", "threads"), [({}, 1), ({"POLARS_MAX_THREADS": "3"}, 3)])
def test_polars_works_on_one_thread_unless_told_otherwise(
    given: dict[str, str], threads: int
) -> None:
    """What it wakes further threads for, dozens of times a page, is over before they find it."""
    code = (
        "import palmares.cli.serve as it; it.prepare_polars();"
        " import polars; print(polars.thread_pool_size())"
    )
    bare = {name: value for name, value in os.environ.items() if name != "POLARS_MAX_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=bare | given, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{threads}\n"
