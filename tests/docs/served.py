"""
What the examples of a page ask: a site that a page began, and curl as far as it is shown.

    Served      the site of a page: `palmares serve --journal federation.db`
    curl        what curl prints, where there is none

The pages say port 8000; here it is one that is free. They say ``palmares_of_a_director``; here it
is a token of somebody in that role, which writes. They say ``postgresql://palmares@localhost/``;
here it is a database of the test's own.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from palmares.journal.store.journal import open_journal
from palmares.web.accounts import sessions, store
from tests.processes import at_the_end, free_port

HERE = "127.0.0.1:8000"
DATABASE = "postgresql://palmares@localhost/federation"
SERVES = re.compile("palmares (serve|demo --serve)")
_TOKEN = re.compile("palmares_of_an?_(director|officer|administrator)")
PATIENCE = 60
"""Seconds until a site that does not answer has failed."""
_CLIENT = httpx.Client(verify=False, limits=httpx.Limits(max_keepalive_connections=0))  # noqa: S501
"""One for all, for each reads every certificate that there is; no address here is https."""


class Served:
    """The site of a page, if it begins one; the next one takes its place."""

    def __init__(self, database: str = DATABASE) -> None:
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.journal = ""
        self.database = database

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """Stop it, if it runs."""
        if self.process is not None:
            with at_the_end(self.process) as running:
                running.terminate()
                running.wait(PATIENCE)

    def begin(self, typed: str) -> str:
        """Start it, and wait until it answers; what it printed."""
        self.end()
        self.port = free_port()
        _, *given = shlex.split(typed.removesuffix("&"))
        self.journal = given[given.index("--journal") + 1] if "--journal" in given else ""
        with Path("served.log").open("wb") as log, Path("served.out").open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "palmares", *given, "--port", str(self.port)],
                stdout=out,
                stderr=log,
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )
        for _ in range(PATIENCE * 10):
            if self.process.poll() is None and self._answers():
                return Path("served.out").read_text()
            time.sleep(0.1)
        raise AssertionError(Path("served.log").read_text())

    def _answers(self) -> bool:
        try:
            return _CLIENT.get(f"http://127.0.0.1:{self.port}/health").is_success
        except httpx.TransportError:
            return False

    def there(self, text: str) -> str:
        """What a page says, with the port, the database and the tokens that there are."""
        found = text.replace(HERE, f"127.0.0.1:{self.port}").replace(DATABASE, self.database)
        return _TOKEN.sub(lambda one: self._token(one[1]), found)

    def _token(self, role: str) -> str:
        """A token of somebody in a role, who is called by it."""
        journal = open_journal(self.journal)
        now = int(time.time())
        with journal.database.writing() as connection:
            known = store.find_by_name(connection, role)
            account = known.id if known else store.add(connection, role, role, now)
        token = sessions.issue_token(journal.database, account, "an example", now, writes=True)
        journal.close()
        return token

    def back(self, printed: str) -> str:
        """What was printed, with the port and the database that the page says."""
        return printed.replace(f"127.0.0.1:{self.port}", HERE).replace(self.database, DATABASE)


def curl(given: list[str]) -> str:
    """What curl prints: -s, -i, -X, -H, -d, --json, --data-binary, of text or of @ and a file."""
    method, headers, data, heads, address = "", {}, None, False, ""
    options = iter([one for long in given for one in _apart(long)])
    for one in options:
        if one == "-i":
            heads = True
        elif one in ("-X", "--request"):
            method = next(options)
        elif one in ("-H", "--header"):
            name, _, value = next(options).partition(":")
            headers[name.strip()] = value.strip()
        elif one == "--json":
            data = next(options).encode()
            headers |= {"Content-Type": "application/json", "Accept": "application/json"}
        elif one in ("-d", "--data", "--data-binary"):
            text = next(options)
            data = Path(text[1:]).read_bytes() if text.startswith("@") else text.encode()
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        elif one.startswith("-"):
            assert one == "-s", f"the examples know no curl {one}"
        else:
            address = one
    method = method or ("GET" if data is None else "POST")
    answer = _CLIENT.request(method, address, headers={"Accept": "*/*", **headers}, content=data)
    if not heads:
        return answer.text
    first = f"{answer.http_version} {answer.status_code} {answer.reason_phrase}"
    told = [first, *(f"{name}: {value}" for name, value in answer.headers.items())]
    return "\n".join(told) + "\n\n" + answer.text


def _apart(option: str) -> list[str]:
    """Options that stand together: -si is -s -i."""
    together = len(option) > len("-s") and option[0] == "-" and option[1] != "-"
    return [f"-{one}" for one in option[1:]] if together else [option]
