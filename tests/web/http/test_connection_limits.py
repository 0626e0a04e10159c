"""What begins a request and does not end is not read for ever, nor waited for."""

from __future__ import annotations

import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import Any

import pytest
import uvicorn

from palmares.cli.serve import listen, server_config
from palmares.web.http.security import (
    CONNECTIONS,
    FILES,
    LimitedProtocol,
    connection_limit,
)

BEGUN = b"POST / HTTP/1.1\r\nHost: x\r\n"
CHUNKED = BEGUN + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n"


async def counted(scope: Any, receive: Any, send: Any) -> None:
    """An application that says how many bytes it was sent."""
    if scope["type"] != "http":
        return
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    body = b"%d bytes" % size
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def asked(**options: Any) -> Iterator[socket.socket]:
    """A connection to an application, as the command serves it."""
    with listen("127.0.0.1", 0) as door:
        server = uvicorn.Server(server_config(counted, None, lifespan="off", **options))
        running = Thread(target=server.run, args=([door],))
        running.start()
        try:
            with socket.create_connection(door.getsockname(), timeout=60) as connection:
                yield connection
        finally:
            server.should_exit = True
            running.join()


def answer(connection: socket.socket) -> bytes:
    """What is said until the connection is closed or an answer is whole; nothing if broken off."""
    found = b""
    with suppress(ConnectionError):
        while not found.endswith(b"bytes") and (piece := connection.recv(65536)):
            found += piece
    return found


def poured(connection: socket.socket, piece: bytes, times: int) -> None:
    """Send a piece again and again, as long as somebody takes it."""
    with suppress(ConnectionError):
        for _ in range(times):
            connection.sendall(piece)


@pytest.mark.parametrize("begun", [BEGUN + b"X: ", b"GET /", CHUNKED + b"0\r\nX: "])
def test_a_line_without_end_is_broken_off(begun: bytes) -> None:
    with asked() as connection:
        connection.sendall(begun)
        poured(connection, b"a" * 65_536, 16)
        poured(connection, b" HTTP/1.1\r\n\r\n", 1)
        assert answer(connection) == b""


@pytest.mark.parametrize("begun", [BEGUN, CHUNKED + b"0\r\n"])
def test_headers_and_trailers_without_end_are_broken_off(begun: bytes) -> None:
    with asked() as connection:
        connection.sendall(begun)
        poured(connection, b"X: y\r\n" * 10_000, 16)
        poured(connection, b"\r\n", 1)
        assert answer(connection) == b""


def test_a_long_body_and_requests_one_after_another_are_read() -> None:
    with asked() as connection:
        for size in (0, 5_000_000, 300_000):
            connection.sendall(BEGUN + b"Content-Length: %d\r\n\r\n" % size + b"a" * size)
            assert answer(connection).endswith(b"\r\n\r\n%d bytes" % size)


@pytest.mark.parametrize("begun", [b"", b"GE", BEGUN, BEGUN + b"X: "])
def test_nobody_waits_for_the_rest_of_a_head(begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedProtocol, "seconds", 0.05)
    with asked() as connection:
        connection.sendall(begun)
        assert answer(connection) == b""


def test_nor_for_that_of_the_next_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedProtocol, "seconds", 0.05)
    with asked() as connection:
        connection.sendall(BEGUN + b"Content-Length: 1\r\n\r\na")
        assert answer(connection).endswith(b"1 bytes")
        connection.sendall(BEGUN)
        assert answer(connection) == b""


def test_who_is_one_too_many_is_told_so() -> None:
    with (
        asked(limit_concurrency=2) as first,
        socket.create_connection(first.getpeername(), timeout=60) as second,
    ):
        second.sendall(BEGUN + b"\r\n")
        assert answer(second).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        first.sendall(BEGUN + b"Content-Length: 1\r\n\r\na")
        assert answer(first).endswith(b"1 bytes")  # who was there before stays


def test_far_too_many_are_closed_at_once() -> None:
    with asked(limit_concurrency=1) as first, ExitStack() as opened:
        more = [
            opened.enter_context(socket.create_connection(first.getpeername(), timeout=60))
            for _ in range(2)
        ]
        poured(more[1], BEGUN + b"\r\n", 1)
        assert answer(more[1]) == b""


def test_there_is_room_for_as_many_as_files_may_be_open() -> None:
    found = connection_limit()
    assert 0 < found <= CONNECTIONS
    assert 2 * found + FILES <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]
