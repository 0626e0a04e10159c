"""
Change every number of every edition file, one at a time: does a test notice?

    python tests/witness.py [REGULATION...]

`palmares.testing.witness` does it; a regulation's tests are ``tests/regulations/test_<name>*.py``.
Tests that read the edition files themselves, or their hashes, are left out. Exit status 1 if a
number has no witness.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from palmares.regulations import REGULATIONS
from palmares.regulations.editions import rules_directory
from palmares.testing.witness import unseen

TESTS = Path(__file__).parent
LOOKS = ("rules_directory", "read_edition", "sha256", "hashlib")  # at a sheet's text or hash


def asked(regulation: str) -> list[str]:
    """The files of a regulation's tests, but those that look at its sheets themselves."""
    paths = (TESTS / "regulations").glob(f"test_{regulation.replace('-', '_')}*.py")
    texts = {str(path): path.read_text("utf-8") for path in sorted(paths)}
    return [path for path, text in texts.items() if not any(word in text for word in LOOKS)]


def main(names: list[str]) -> int:
    """Try every change of the regulations named, or of all; 1 if a number has no witness."""
    os.environ.setdefault("PALMARES_PERCENT", "4")
    held = {one.name: one for one in REGULATIONS}
    strays = {path.parent.name for path in rules_directory().glob("*/*.toml")} - held.keys()
    if strays:
        print(f"No regulation in the registry has these sheets: {', '.join(sorted(strays))}")
    begun = time.monotonic()
    chosen = [one for name, one in held.items() if not names or name in names]
    found = [change for one in chosen for change in unseen(one, asked(one.name))]
    print(f"\n{time.monotonic() - begun:.0f} s.")
    for change in found:
        print(f"No test notices {change}")
    return 1 if found or strays or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
