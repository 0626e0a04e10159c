"""``python -m palmares``: the command line."""

from palmares.cli import main

if __name__ == "__main__":
    main()
