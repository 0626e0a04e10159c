"""
An event with two hundred phones that watch while two directors enter results: is anything lost?

Prints one line of JSON. `palmares serve` runs as a process of its own with one worker. Each phone
holds a stream of server-sent events and loads the page again as `live.js` does. Both directors tap
the matches that can start, often the same one with another winner; every answer is checked against
the journal in the end. Then 4,096 entrants are drawn whose clubs are kept apart for two rounds.

Usage: python benchmarks/limits_events.py
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import httpx
from limits_site import Server, free_port, serving
from processes import palmares

from palmares.core.canonical import canonical
from palmares.journal.store.events import event_records, record_event
from palmares.journal.store.journal import create_journal, open_journal
from palmares.journal.store.verify import verify
from palmares.tournaments import running
from palmares.tournaments.draw.announcement import read
from palmares.tournaments.draw.draw import draw
from palmares.tournaments.draw.places import board_of
from palmares.tournaments.draw.sources import Seed
from palmares.tournaments.typed_results import read_setup
from palmares.web.accounts import sessions, store
from palmares.web.http.state import AppState
from palmares.web.migrations import ready
from palmares.web.settings import Settings, second

PHONES, DIRECTORS, ENTRANTS = 200, 2, 32
PAUSE = 0.5  # seconds between two taps of a director
HOST = "127.0.0.1"
CONTRADICTION = 422


def fill(file: Path) -> list[str]:
    """An event of many entrants, and a session for each director."""
    journal = create_journal(str(file))
    ready(journal.database)
    setup, names = read_setup(
        {
            "event": "open", "name": "Open", "format": "knockout",
            "entrants": [f"Player {number}" for number in range(1, ENTRANTS + 1)],
            "flights": [{"name": "main", "lengths": [7]}],
            "feeds": [{"name": "consolation", "of": "main", "rounds": [1, 2, 3]}],
        },
        "benchmark",
    )  # fmt: skip
    record_event(journal, "open", "Ada", lambda so_far: running.start(so_far, setup), names=names)
    numbers = []
    app_state = AppState(journal, Settings(journal=str(file), secret="0" * 64))
    for number in range(DIRECTORS):
        with journal.database.writing() as connection:
            account = store.add(connection, f"Director {number}", "director", second())
        numbers.append(f"{number:064d}")
        sessions.save_session(app_state, numbers[-1], {"account": account})
    journal.close()
    return numbers


class Phone:
    """A phone that watches: the last record it was told of, and when."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.sequence = 0
        self.heard: dict[int, float] = {}
        self.loaded: list[float] = []  # seconds that pages took
        self.chance = random.Random()
        self.told = asyncio.Event()

    async def watch(self, client: httpx.AsyncClient) -> None:
        """Hold the stream until the event is over."""
        async with client.stream("GET", "/live/open/stream", timeout=None) as stream:
            loading: asyncio.Task[None] | None = None
            try:
                async for line in stream.aiter_lines():
                    if line.startswith("data: "):
                        self.sequence = int(line[6:])
                        self.heard[self.sequence] = time.perf_counter()
                        self.told.set()
                        if loading is None or loading.done():
                            loading = asyncio.create_task(self.load(client))
            finally:
                if loading is not None:
                    loading.cancel()

    async def load(self, client: httpx.AsyncClient) -> None:
        """Load the page, not in the same instant as the others."""
        await asyncio.sleep(self.chance.random())
        begun = time.perf_counter()
        answer = await client.get("/live/open", headers={"Accept": "text/html"}, timeout=60)
        answer.raise_for_status()
        self.loaded.append(time.perf_counter() - begun)


class Director:
    """A director who taps: what was confirmed, what was refused, and how long it took."""

    def __init__(self, number: int, session: str) -> None:
        """Sign in with a session."""
        self.number = number
        self.headers = {"Cookie": f"palmares={session}", "Sec-Fetch-Site": "same-origin"}
        self.confirmed: dict[str, str] = {}  # winner by match
        self.refused = 0
        self.took: list[float] = []
        self.recorded: dict[int, float] = {}  # moment by record

    async def tap(self, client: httpx.AsyncClient) -> None:
        """Tap the winner of the match that waits longest, until none is left."""
        while True:
            data = (await client.get("/api/v1/live/open", timeout=60)).json()
            if not data["next"]:
                return
            match = data["next"][0]
            winner = match["players"][self.number % 2]
            body = {"match": match["id"], "winner": winner, "key": f"{self.number} {match['id']}"}
            begun = time.perf_counter()
            answer = await client.post(
                "/director/live/open/results", data=body, headers=self.headers, timeout=60
            )
            self.took.append(time.perf_counter() - begun)
            if answer.is_redirect:
                self.confirmed[match["id"]] = winner
                confirmed = time.perf_counter()
                data = (await client.get("/api/v1/live/open", timeout=60)).json()
                self.recorded.setdefault(data["sequence"], confirmed)
            elif answer.status_code == CONTRADICTION:
                self.refused += 1
            else:
                answer.raise_for_status()
            await asyncio.sleep(PAUSE)


async def play(port: int, session_numbers: list[str]) -> tuple[list[Phone], list[Director], float]:
    """All phones and directors, until the event is over and every phone has heard of it."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=f"http://{HOST}:{port}", limits=limits) as client:
        phones = [Phone() for _ in range(PHONES)]
        watching = [asyncio.create_task(phone.watch(client)) for phone in phones]
        await asyncio.gather(*(phone.told.wait() for phone in phones))
        directors = [Director(number, session) for number, session in enumerate(session_numbers)]
        begun = time.perf_counter()
        await asyncio.gather(*(director.tap(client) for director in directors))
        took = time.perf_counter() - begun
        last = (await client.get("/api/v1/live/open", timeout=60)).json()["sequence"]
        for _ in range(100):
            if all(phone.sequence == last for phone in phones):
                break
            await asyncio.sleep(0.1)
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return phones, directors, took


def draw_time(clubs: int, size: int) -> float:
    """Seconds of CPU time that a draw of 4,096 entrants takes."""
    entries = [f"p{number}" for number in range(1, 4097)]
    members = [entries[100 + club * size :][:size] for club in range(clubs)]
    announced = read(
        canonical({
            "palmares_draw": 1, "draw": "d", "event": "Open", "format": "knockout",
            "entries": entries, "seeding": "placed", "byes": "highest", "seeds": entries[:64],
            "apart": [{"who": who, "rounds": 2, "why": "club"} for who in members],
            "randomness": [{
                "kind": "numbers", "source": "16 dice", "when": "2026-11-21T18:00:00Z",
                "count": 16, "from": 1, "to": 6, "repeats": True, "ascending": False,
            }],
        }).encode()
    )  # fmt: skip
    board = board_of(announced.content)
    start = time.process_time()
    draw(announced, board, Seed(text="", seed="ab" * 32))
    return time.process_time() - start


def main() -> None:
    """Play the event; print what was measured."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "federation.db"
        session_numbers = fill(file)
        port = free_port()
        command = palmares(
            "serve", "--journal", file, "--port", port, "--quiet",
            "--public-url", f"http://{HOST}:{port}",
        )  # fmt: skip
        with serving(command, port, "/live") as server:
            phones, directors, took = asyncio.run(play(port, session_numbers))
            report(file, server, phones, directors, took)


def report(
    file: Path, server: Server, phones: list[Phone], directors: list[Director], took: float
) -> None:
    """Compare what was confirmed with what is recorded."""
    journal = open_journal(str(file))
    with journal.reading() as reader:
        verify(reader)
        records = event_records(reader, "open")
    journal.close()
    outcomes = running.fold(records).progress.outcomes
    confirmed = [(name, who) for one in directors for name, who in one.confirmed.items()]
    lost = sum(name not in outcomes or outcomes[name].winner != who for name, who in confirmed)
    last = records[-1].sequence
    times = [
        phone.heard[number] - moment
        for director in directors
        for number, moment in director.recorded.items()
        for phone in phones
        if number in phone.heard
    ]
    taps = [seconds for director in directors for seconds in director.took]
    pages = [seconds for phone in phones for seconds in phone.loaded]
    print(
        json.dumps(
            {
                "phones": PHONES,
                "results": len(outcomes),
                "taps": len(taps),
                "refused": sum(director.refused for director in directors),
                "lost": lost,
                "behind": sum(phone.sequence != last for phone in phones),
                "seconds": took,
                "tap": median(taps),
                "tap_95": quantiles(taps, n=20)[-1],
                "heard": median(times),
                "heard_95": quantiles(times, n=20)[-1],
                "pages": len(pages),
                "page": median(pages),
                "page_95": quantiles(pages, n=20)[-1],
                "memory": server.process.memory_info().rss,
                "draw_100_clubs": draw_time(100, 8),
                "draw_4_nations": draw_time(4, 300),
            }
        )
    )
    if lost:
        sys.exit("A confirmed result is lost.")


if __name__ == "__main__":
    main()
