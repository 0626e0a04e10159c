"""
The one who draws: descriptions in, pictures out, in a process of its own.

Run as a file, with the seconds after which it goes home if nobody wants anything. A question is a
line of JSON; an answer is a line that says "picture" or "problem" and how many bytes follow. It
imports nothing of this project: what it is for is to take memory that the site need not have.
"""

from __future__ import annotations

import json
import select
import sys
from typing import Any


def picture(chart: dict[str, Any], form: str, scale: float) -> bytes:
    """A description in Vega-Lite as "svg" or "png"; nothing is fetched for it."""
    import vl_convert

    if form == "svg":
        return str(vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])).encode()
    return bytes(vl_convert.vegalite_to_png(chart, scale=scale, allowed_base_urls=[]))


def main(idle: float) -> None:
    """Draw until nobody asks, or whoever asked is gone."""
    while select.select([sys.stdin], [], [], idle)[0]:
        line = sys.stdin.buffer.readline()
        if not line:
            return
        try:
            what, content = "picture", picture(**json.loads(line))
        except Exception as error:  # noqa: BLE001  it is told to whoever asked
            what, content = "problem", str(error).encode()
        sys.stdout.buffer.write(f"{what} {len(content)}\n".encode() + content)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]))
