"""The command, also as ``python -m palmares``: quiet on Ctrl-C while the rest is loaded."""

import signal


def main() -> None:
    """The console script."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing has begun that could be told of
    from palmares.cli import main as cli

    cli()


if __name__ == "__main__":
    main()
