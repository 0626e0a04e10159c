"""A thousand reads while an officer publishes: a list is there whole, or not at all."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import msgspec
import pytest

from palmares.journal.store.journal import Journal, create_journal
from palmares.lists.publication.manifests import parse_manifest
from tests.amounts import amount
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.processes import free_port
from tests.web.publications.test_published_pages import publish

READERS, READS = 200, amount(100_000)
BEFORE = READS // 3
PLAYERS = 60
LIST = "/rankings/wbgf/2019-12-31"
API, JSON = "/api/v1", "application/json"
MISSING = b"missing"

Asked = tuple[str, str]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    found = create_journal(str(tmp_path / "federation.db"))
    ids = [f"P{number}" for number in range(PLAYERS)]
    found.record([say.player(one, f"Player the {one}th", "CZE") for one in ids], OFFICER)
    ranks = {one: rank for rank, one in enumerate(ids, 1)}
    found.record([say.report("Autumn", ranks)], OFFICER)
    yield found
    found.close()


@contextmanager
def served(file: Path) -> Iterator[int]:
    """The site in a process of its own; the port it answers at."""
    port = free_port()
    command = [sys.executable, "-m", "palmares", "serve", "--journal", str(file), "--quiet"]
    with subprocess.Popen(
        [*command, "--port", str(port)], stdout=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stdout is not None
            assert running.stdout.readline().startswith("http://")  # the door is open
            yield port
        finally:
            running.kill()


def once(port: int, asked: Asked) -> bytes:
    """One answer."""
    path, kind = asked
    url = f"http://127.0.0.1:{port}{path}"
    request = urllib.request.Request(url, headers={"Accept": kind})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            found: bytes = answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        return MISSING if error.code == HTTPStatus.NOT_FOUND else str(error).encode()
    return found


@dataclass
class Crowd:
    """Readers, and what they have seen."""

    port: int
    asked: tuple[Asked, ...]
    old: dict[Asked, bytes]
    new: dict[Asked, set[bytes]] = field(default_factory=dict)
    reads: int = 0
    late: list[Asked] = field(default_factory=list)  # old, asked for after something new was seen
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def done(self) -> bool:
        return self.reads >= READS and self.new.keys() == self.old.keys()

    async def reader(self, number: int) -> None:
        """Ask one address after another over one connection until all have seen the new list."""
        lines, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while not self.done:
            asked = self.asked[number % len(self.asked)]
            number += 1
            known = bool(self.new)
            path, kind = asked
            head = f"Host: 127.0.0.1:{self.port}\r\nAccept: {kind}"
            writer.write(f"GET {path} HTTP/1.1\r\n{head}\r\n\r\n".encode())
            self._saw(asked, await _answer(lines), known=known)
        writer.close()
        await writer.wait_closed()

    def _saw(self, asked: Asked, body: bytes, *, known: bool) -> None:
        self.reads += 1
        if body != self.old[asked]:
            self.new.setdefault(asked, set()).add(body)
        elif known:
            self.late.append(asked)
        if self.reads >= BEFORE:
            self.enough.set()


async def _answer(lines: asyncio.StreamReader) -> bytes:
    """A body to its end, as long as its head says."""
    head = (await lines.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
    body = await lines.readexactly(length)
    if head.startswith(b"http/1.1 404"):
        return MISSING  # each with an id of its own
    assert head.startswith(b"http/1.1 200"), head
    return body


async def read_while(crowd: Crowd, journal: Journal) -> int:
    """Everybody reads; in their midst the officer publishes. The number of his entry."""
    async with asyncio.TaskGroup() as tasks, asyncio.timeout(300):
        for number in range(READERS):
            tasks.create_task(crowd.reader(number))
        await crowd.enough.wait()
        return await asyncio.to_thread(publish, journal)


def test_a_published_list_appears_whole_or_not_at_all(journal: Journal, tmp_path: Path) -> None:
    entry = journal.head().sequence + 1
    page, manifest = (f"{API}/publications/{entry}", JSON), (f"/published/{entry}/manifest", JSON)
    listed = (f"{API}/rankings/wbgf?as_of=2019-12-31", JSON)
    asked = ((LIST, "text/html"), listed, (f"{API}/publications", JSON), page, manifest)
    with served(tmp_path / "federation.db") as port:
        crowd = Crowd(port, asked, {one: once(port, one) for one in asked})
        assert asyncio.run(read_while(crowd, journal)) == entry
        last = {one: once(port, one) for one in asked}
    assert crowd.reads >= READS
    assert crowd.new == {one: {body} for one, body in last.items()}  # two bodies, no third
    assert crowd.old[page] == crowd.old[manifest] == MISSING
    assert crowd.late == []

    rows = msgspec.json.decode(last[page])["items"]
    announced = parse_manifest(last[manifest], "manifest").publication.rows
    assert [one["nanopoints"] for one in rows] == list(announced.nanopoints)
    assert len(rows) == PLAYERS
    assert [(one["player_id"], one["nanopoints"]) for one in rows] == [
        (one["player_id"], one["nanopoints"]) for one in msgspec.json.decode(last[listed])["items"]
    ]
    assert msgspec.json.decode(crowd.old[listed])["publication"] is None
    assert msgspec.json.decode(last[listed])["publication"] == entry
