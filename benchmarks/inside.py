"""
The CPU time of a ranking within a process that has made a small one before: all is loaded.

Usage: python benchmarks/inside.py ours|hand SMALL_PACKAGE PACKAGE
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

AS_OF = "2022-01-01"


def ours(package: str) -> None:
    """The ten best by the command, in this process."""
    from palmares.cli import main

    sys.argv = ["palmares", "rank", "wbgf", package, "--as-of", AS_OF, "--top", "10"]
    with suppress(SystemExit):
        main()


def hand(package: str) -> None:
    """The ten best by the script with Polars."""
    from by_hand import ranking_parquet

    print(ranking_parquet(Path(package)))


WAYS: Mapping[str, Callable[[str], None]] = {"ours": ours, "hand": hand}

if __name__ == "__main__":
    way, small, package = sys.argv[1:]
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        WAYS[way](small)
        begun = time.process_time()
        WAYS[way](package)
        took = time.process_time() - begun
    print(took)
