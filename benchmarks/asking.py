"""
Asking a site as fast as it answers: processes of their own, connections that stay open.

    asked       an address, for some seconds  ->  answers a second, and the CPU time of each
    Load        both
    one         an address, once  ->  the answer

A client reads with `select.epoll` from plain sockets and looks at the first line and the length of
every answer, no more: one of them asks some ten times as fast as a site in Python answers, so that
the site is what is measured.

Usage: python benchmarks/asking.py PORT SECONDS CONNECTIONS QUESTION
"""

from __future__ import annotations

import json
import select
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psutil

CONNECTIONS, CLIENTS = 16, 2
MOST = 2**18  # bytes that are read at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a server did."""

    rate: float  # answers a second
    cpu: float  # seconds of its CPU time for each


def asked(
    port: int, server: psutil.Process, path: str, headers: Mapping[str, str], seconds: float
) -> Load:
    """Ask one address over and over.

    Args:
        port: of the server, on this machine.
        server: its process, whose CPU time is looked at.
        path: the address.
        headers: of every request.
        seconds: so long.

    Raises:
        SystemExit: an answer was not 200.
    """
    told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    question = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{told}\r\n"
    each = CONNECTIONS // CLIENTS
    command = [sys.executable, __file__, str(port), str(seconds), str(each), question]
    before = busy(server)
    clients = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(CLIENTS)]
    outputs = [client.communicate()[0] for client in clients]
    took = busy(server) - before
    if any(client.returncode for client in clients):
        raise SystemExit(f"{path} was not answered.")
    found = [json.loads(output) for output in outputs]
    answers = sum(each["answers"] for each in found)
    rate = sum(each["answers"] / each["seconds"] for each in found)
    return Load(rate=rate, cpu=took / answers)


def busy(process: psutil.Process) -> float:
    """Seconds of CPU time that a process took, without its children."""
    times = process.cpu_times()
    return float(times.user + times.system)


def one(port: int, path: str, headers: Mapping[str, str]) -> tuple[bytes, Mapping[str, Any]]:
    """The body and the headers of one answer."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=dict(headers))
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  our own
        return answer.read(), answer.headers


def client(port: int, seconds: float, connections: int, question: bytes) -> tuple[int, float]:
    """Ask for so many seconds; the answers, and the seconds."""
    poll = select.epoll()
    doors: dict[int, socket.socket] = {}
    for _ in range(connections):
        door = socket.create_connection(("127.0.0.1", port))
        door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        doors[door.fileno()] = door
        poll.register(door, select.EPOLLIN)
    held = dict.fromkeys(doors, b"")
    answers, begun = 0, time.perf_counter()
    for door in doors.values():
        door.sendall(question)
    while (took := time.perf_counter() - begun) < seconds:
        for number, _ in poll.poll(1):
            held[number] += doors[number].recv(MOST)
            if _whole(held[number]):
                answers += 1
                held[number] = b""
                doors[number].sendall(question)
    return answers, took


def _whole(held: bytes) -> bool:
    """Whether an answer is there to its end."""
    head, found, body = held.partition(b"\r\n\r\n")
    if not found:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(head.decode("latin-1"))
    _, _, length = head.lower().partition(b"content-length:")
    return len(body) >= int(length.partition(b"\r\n")[0])


if __name__ == "__main__":
    which, lasts, many, words = sys.argv[1:]
    counted, needed = client(int(which), float(lasts), int(many), words.encode())
    print(json.dumps({"answers": counted, "seconds": needed}))
