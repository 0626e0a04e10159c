"""The command, also as ``python -m palmares``: quiet on Ctrl-C while the rest is loaded."""

import gc
import os
import signal
import sys

_BETWEEN_COLLECTIONS = 50_000
"""Objects made before Python looks for cycles; at its own 700, that is a tenth of a command."""


def main() -> None:
    """The console script."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing has begun that could be told of
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's spin; we multiply no matrices
    gc.set_threshold(_BETWEEN_COLLECTIONS)
    from palmares.cli import main as cli

    try:
        cli()
    finally:
        if "duckdb" not in sys.modules:  # which prints what is then left over as its leaks
            gc.freeze()  # the process ends, and its memory with it: no cycle is worth looking for


if __name__ == "__main__":
    main()
