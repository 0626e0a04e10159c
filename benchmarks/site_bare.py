"""
The least that can be asked of the same libraries: one Litestar handler that returns stored bytes.

No pages, no rights, no sessions, no log: what a site is held against.

Usage: python benchmarks/site_bare.py PORT FILE MEDIA_TYPE [CONTENT_ENCODING]
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn
from litestar import Litestar, Response, get


def bare(content: bytes, media_type: str, encoding: str) -> Litestar:
    """The application."""
    headers = {"Content-Encoding": encoding} if encoding else {}

    @get("/{path:path}")
    async def stored() -> Response[bytes]:
        return Response(content, media_type=media_type, headers=headers)

    return Litestar([stored], openapi_config=None, logging_config=None)


def main(port: int, file: Path, media_type: str, encoding: str = "") -> None:
    """Serve it as `palmares serve` does."""
    listening = socket.create_server(("127.0.0.1", port), backlog=2048)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    config = uvicorn.Config(
        bare(file.read_bytes(), media_type, encoding),
        log_config=None,
        access_log=False,
        server_header=False,
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
