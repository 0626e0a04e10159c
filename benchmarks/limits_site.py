"""
The site: what it answers from what it keeps, beside a bare handler; what it makes anew; memory.

Prints one line of JSON for each work. `palmares serve` runs as a process of its own with one
worker, so does the bare handler (`site_bare`), over loopback; they are asked in turn, in pairs.
The journal is made once (`make_season`) and lies beside the other data of the benchmarks; each run
works on a copy. At the end each kind of page is made on `palmares demo --serve`.

Usage: python benchmarks/limits_site.py
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any
from urllib.error import URLError
from urllib.parse import quote

import psutil
from asking import asked, busy, one
from make_season import paste, season
from measure import HERE, RUNS
from processes import environment, palmares, python

from palmares.journal.store.journal import open_journal
from palmares.web.accounts import store
from palmares.web.accounts.sessions import save_session
from palmares.web.http.state import AppState
from palmares.web.settings import Settings, second
from palmares.web.submissions import submissions

DATA = HERE.parent / "build" / "bench" / "site"
DAY = date(2022, 1, 1)
LIST = f"/rankings/wbgf/{DAY}"
HTML = {"Accept": "text/html"}
LISTS = {"JSON": f"/api/v1/rankings/wbgf?as_of={DAY}", "HTML": LIST}
SECONDS, PAIRS = 1.0, 5
PAGES, DAYS = 20, 10
SESSION = "0" * 64
KNOWN, NEW = 270, 30


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers."""

    port: int
    process: psutil.Process
    ready: float  # seconds until it answered
    cpu: float  # of CPU time


@contextmanager
def serving(command: Sequence[str], port: int, path: str) -> Iterator[Server]:
    """A server from its start to its end."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            process = psutil.Process(running.pid)
            _until_it_answers(port, path)
            yield Server(port, process, time.perf_counter() - begun, busy(process))
        finally:
            running.terminate()


def _until_it_answers(port: int, path: str) -> None:
    for _ in range(6_000):
        try:
            one(port, path, {})
        except (URLError, ConnectionError):
            time.sleep(0.01)
        else:
            return
    raise SystemExit(f"Nobody answers at port {port}.")


def free_port() -> int:
    """A port nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


# ── from what is kept ────────────────────────────────────────────────────────────────────────────


def kept(site: Server, place: Path) -> Iterator[dict[str, Any]]:
    """The list from what is kept, and the same bytes from a bare handler, packed and not."""
    for name, path in LISTS.items():
        for packed in (False, True):
            headers = {"Accept-Encoding": "gzip"} if packed else {}
            content, told = one(site.port, path, headers)
            stored = place / "stored"
            stored.write_bytes(content)
            encoding = ["gzip"] if told["Content-Encoding"] == "gzip" else []
            port = free_port()
            command = python(HERE / "site_bare.py", port, stored, told["Content-Type"], *encoding)
            with serving(command, port, LIST) as bare:
                found = _in_turn(site, bare, path, headers)
            yield {
                "work": f"{name}, {'packed' if packed else 'plain'}",
                "bytes": len(content),
            } | found


def _in_turn(site: Server, bare: Server, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    pairs = [
        [asked(server.port, server.process, path, headers, SECONDS) for server in (site, bare)]
        for _ in range(PAIRS + 1)
    ][1:]  # the first is not counted
    return {
        "ours": median(ours.rate for ours, _ in pairs),
        "bare": median(theirs.rate for _, theirs in pairs),
        "ratio": median(ours.rate / theirs.rate for ours, theirs in pairs),
        "cpu": median(ours.cpu for ours, _ in pairs),
        "cpu_bare": median(theirs.cpu for _, theirs in pairs),
        "cpu_ratio": median(theirs.cpu / ours.cpu for ours, theirs in pairs),
    }


# ── made anew ────────────────────────────────────────────────────────────────────────────────────


def _at_rest(process: psutil.Process) -> None:
    """Wait for what a site makes before anybody asks: it is not the work of a page."""
    before = -1.0
    while (now := busy(process)) > before:
        before = now
        time.sleep(0.5)


def made(site: Server) -> Iterator[dict[str, Any]]:
    """Pages that nobody has asked for before."""
    one(site.port, f"{LIST}?page=2", HTML)
    _at_rest(site.process)
    begun = busy(site.process)
    for number in range(PAGES):  # the clock of CPU time has steps of 10 ms
        one(site.port, f"{LIST}?page={number + 3}", HTML)
    cpu = (busy(site.process) - begun) / PAGES
    yield {
        "work": "a page of 50 rows as HTML, its list made before",
        "cpu": cpu,
        "goal": "10 ms CPU",
    }
    times, begun = [], busy(site.process)
    for number in range(DAYS):
        day = DAY - timedelta(days=31 * (number + 1))
        times.append(_timed(site, f"/rankings/wbgf/{day}", HTML))
    cpu = (busy(site.process) - begun) / DAYS
    work = "the first 50 of another day, as HTML"
    yield {"work": work, "ours": median(times), "most": max(times), "cpu": cpu, "goal": "200 ms"}


def preview(site: Server, file: Path) -> Iterator[dict[str, Any]]:
    """A report of 300 players on a director's desk, with all that it would do."""
    number = submitted(file)
    headers = HTML | {"Cookie": f"palmares={SESSION}"}
    address = f"/director/submissions/{number}"
    begun = busy(site.process)
    times = [_timed(site, address, headers) for _ in range(RUNS + 1)]
    cpu = (busy(site.process) - begun) / len(times)
    work = f"the preview of a report of {KNOWN + NEW} players, {NEW} of them new"
    yield {"work": work, "ours": median(times), "most": max(times), "cpu": cpu, "goal": "500 ms"}


def submitted(file: Path) -> int:
    """A director who is signed in, and a report of his."""
    journal, now = open_journal(str(file)), second()
    try:
        with journal.database.writing() as connection:
            account = store.add(connection, "Dita", "director", now)
            content = paste(KNOWN, NEW).encode()
            number = submissions.create(connection, account, "", "toml", content, now)
        settings = Settings(journal=str(file), secret="0" * 64)
        save_session(AppState(journal, settings), SESSION, {"account": account})
    finally:
        journal.close()
    return number


def _timed(site: Server, path: str, headers: Mapping[str, str]) -> float:
    begun = time.perf_counter()
    one(site.port, path, headers)
    return time.perf_counter() - begun


# ── every kind of page, on the demonstration ─────────────────────────────────────────────────────

ASKED = 15
MONTH = timedelta(days=30)
PAST_THE_CACHE = HTML | {"Accept-Encoding": "gzip", "Accept-Language": "en, " + "x" * 400}
"""No answer is kept for a header so long."""


def each_page(site: Server) -> Iterator[dict[str, Any]]:
    """Each kind of page as its reader has it first: the lists of the day are made, it is not.

    The first of a kind is not counted; where there are fewer addresses, they come again.
    """
    for kind, addresses in _kinds(site.port).items():
        times = []
        for address in islice(cycle(addresses), ASKED + 1):
            begun = _nanoseconds(site.process)
            one(site.port, address, PAST_THE_CACHE)
            times.append((_nanoseconds(site.process) - begun) / 1e9)
        yield {"page": kind, "cpu": median(times[1:]), "most": max(times[1:])}


def _nanoseconds(process: psutil.Process) -> int:
    """The CPU time of all threads: the clock of `busy` has steps of 10 ms."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(file.read_text("ascii").split()[0]) for file in threads)


def _kinds(port: int) -> dict[str, list[str]]:
    """The addresses of each kind of page, of different players, nations and events."""

    def data(path: str) -> Any:
        return json.loads(one(port, f"/api/v1{path}", {})[0])

    rows = data("/rankings/wbgf")["items"][: ASKED + 1]
    players = [f"/players/{row['player_id']}/wbgf" for row in rows]
    awards = [(player, data(player)["results"][0]) for player in players]
    official = data("/publications")["items"]
    played = data("/tournaments")["items"]
    calculators = ("performance", "master-points", "percentile", "victory-points")
    return {
        "front page": ["/"],
        "list": [f"/rankings/wbgf?page={number}" for number in (1, 2, 3)],
        "list, a row open": [f"/rankings/wbgf?open={row['player_id']}" for row in rows],
        "list of nations": ["/rankings/wbgf/nations", "/rankings/usbgf/nations"],
        "four totals": ["/rankings/usbgf/totals"],
        "changes of a list": [
            f"/rankings/{each['regulation']}/{each['as_of']}/changes?published={each['entry']}"
            for each in official
        ],
        "changes since a day before": [
            f"/rankings/wbgf/{day}/changes?since={day - MONTH}"
            for day in (date.fromisoformat(each["as_of"]) for each in official)
        ],
        "player": players,
        "player, the chart": [f"{player}/curve" for player in players],
        "player, what they could gain": [f"{player}?ask=yes" for player in players],
        "award, explained": [
            f"{player}/awards/{quote(award['event_id'], safe='')}/{award['flight']}/{award['kind']}"
            for player, award in awards
        ],
        "players": [f"/players?letter={letter}" for letter in "ABCDEFGHKLMNOPRS"],
        "search": [f"/search?search={quote(row['player'].split()[-1])}" for row in rows],
        "nation": [f"/nations/{nation}" for nation in {row["nation"]: 0 for row in rows}],
        "tournaments": ["/tournaments"],
        "tournament": [f"/tournaments/{each['tournament_id']}" for each in played],
        "official lists": ["/published"],
        "official list": [f"/published/{each['entry']}" for each in official],
        **{
            f"calculator: {name}": [
                f"/calculators/{name}?{field}={number}" for number in range(20, 20 + ASKED + 1)
            ]
            for name in calculators
            for field in ["boards" if name == "victory-points" else "entrants"]
        },
        "regulation": ["/regulations/wbgf", "/regulations/usbgf", "/regulations/dptr"],
    }


# ── all of it ────────────────────────────────────────────────────────────────────────────────────


def started(command: Sequence[str], port: int, path: str, work: str) -> dict[str, Any]:
    """How long it takes until it answers an address."""
    runs = []
    for _ in range(RUNS):
        with serving(command, port, path) as site:
            runs.append((site.ready, site.cpu))
    ready, cpu = sorted(runs)[RUNS // 2]
    return {"work": work, "ours": ready, "cpu": cpu, "goal": "2 s"}


def held(site: Server, work: str) -> dict[str, Any]:
    """What the worker takes now: all pages that are in memory, and those that are its own."""
    memory = site.process.memory_full_info()
    return {"work": work, "memory": memory.rss, "own": memory.uss, "goal": "200 MiB"}


def main() -> None:
    """Measure, and throw the copy away."""
    season(DATA / "season.db")
    place = DATA / "run"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    os.environ["XDG_CACHE_HOME"] = str(place / "cache")
    try:
        for found in measured(place):
            print(json.dumps(found), flush=True)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def measured(place: Path) -> Iterator[dict[str, Any]]:
    """Everything, in one run."""
    file, port = place / "federation.db", free_port()
    shutil.copy(DATA / "season.db", file)
    command = palmares("serve", "--journal", file, "--port", port)
    with serving(command, port, "/ready") as site:
        one(site.port, LIST, {})  # facts and awards are kept beside the journal from now on
    yield started(command, port, "/ready", "ready, from its start")
    yield started(command, port, "/", "the front page, from its start")
    with serving(command, port, "/ready") as site:
        one(site.port, LIST, {})
        yield from made(site)
        yield held(site, "memory, after these")
        yield from preview(site, file)
        yield held(site, "after that")
        yield from kept(site, place)
        yield held(site, "after all")
    port = free_port()
    with serving(palmares("demo", "--serve", "--port", port), port, "/ready") as site:
        one(site.port, "/", HTML)
        _at_rest(site.process)
        yield from each_page(site)


if __name__ == "__main__":
    sys.exit(main())
