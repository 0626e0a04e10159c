"""
An object store that speaks as much of S3 as reading and writing files needs, on this machine.

    served      within it there is a store with one bucket; what is in it, by key
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

Files = dict[str, bytes]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    files: Files

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        bucket, _, key = unquote(address.path).lstrip("/").partition("/")
        if bucket != "bucket":
            self._answer(404, b"<Error><Code>NoSuchBucket</Code></Error>")
        elif not key:
            self._answer(200, self._listing(parse_qs(address.query)))
        elif key not in self.files:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            self._part(self.files[key])

    do_HEAD = do_GET  # noqa: N815  the name that http.server asks for

    def do_PUT(self) -> None:
        key = unquote(urlsplit(self.path).path).lstrip("/").partition("/")[2]
        self.files[key] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b"", {"ETag": '"1"'})

    def _listing(self, query: dict[str, list[str]]) -> bytes:
        prefix = query.get("prefix", [""])[0]
        rows = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{len(data)}</Size><ETag>1</ETag>"
            "<LastModified>2019-01-01T00:00:00.000Z</LastModified></Contents>"
            for key, data in sorted(self.files.items())
            if key.startswith(prefix)
        )
        head = (
            f"<Name>bucket</Name><Prefix>{escape(prefix)}</Prefix><IsTruncated>false</IsTruncated>"
        )
        return f"<ListBucketResult>{head}{rows}</ListBucketResult>".encode()

    def _part(self, data: bytes) -> None:
        wanted = self.headers.get("Range")
        if not wanted:
            self._answer(200, data)
            return
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1 if first and last else len(data), len(data))
        self._answer(
            206, data[start:end], {"Content-Range": f"bytes {start}-{end - 1}/{len(data)}"}
        )

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        said = {"Last-Modified": formatdate(usegmt=True), "ETag": '"1"', **(headers or {})}
        for name, value in {**said, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[tuple[Files, dict[str, str]]]:
    """A store: what is in it, and the environment in which ``s3://bucket`` leads to it."""
    files: Files = {}
    handler = type("Handler", (_Handler,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield (
                files,
                {
                    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
                    "AWS_ALLOW_HTTP": "true",
                    "AWS_ACCESS_KEY_ID": "key",
                    "AWS_SECRET_ACCESS_KEY": "secret",
                    "AWS_REGION": "us-east-1",
                },
            )
        finally:
            server.shutdown()
            thread.join()
