"""
Processes that a test starts.

    at_the_end      one that is gone at the end, whatever went wrong
    free_port       a port for it to listen at
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import AnyStr


@contextmanager
def at_the_end(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """One that should have ended by itself is killed: else a test would wait for it for ever."""
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def free_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
