"""
The process that draws charts: descriptions in, pictures out.

Run as a file, with the seconds after which it exits if there is nothing to draw. A question is a
line of JSON; an answer is a line that says "picture" or "problem" and how many bytes follow.
"""

from __future__ import annotations

import json
import select
import sys

from palmares.render.charts.drawing import draw


def main(idle: float) -> None:
    """Draw until nothing is asked for a while, or the site is gone."""
    while select.select([sys.stdin], [], [], idle)[0]:
        line = sys.stdin.buffer.readline()
        if not line:
            return
        try:
            what, content = "picture", draw(**json.loads(line))
        except Exception as error:  # noqa: BLE001  the site is told
            what, content = "problem", str(error).encode()
        sys.stdout.buffer.write(f"{what} {len(content)}\n".encode() + content)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]))
