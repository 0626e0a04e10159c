"""Libraries that come with an extra of the package: ``pip install 'palmares[journal]'``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec

from palmares.core.errors import Refused

EXTRAS: Mapping[str, tuple[str, str]] = {
    "charts": ("vl_convert", "VlConvert"),
    "draw": ("drand_verify", "drand-verify"),
    "duckdb": ("duckdb", "DuckDB"),
    "events": ("networkx", "NetworkX"),
    "excel": ("python_calamine", "python-calamine"),
    "fast": ("numba", "Numba"),
    "journal": ("sqlalchemy", "SQLAlchemy"),
    "pandas": ("pyarrow", "PyArrow"),
    "postgres": ("psycopg", "Psycopg"),
    "print": ("typst", "Typst"),
    "site": ("litestar", "Litestar"),
    "spark": ("pyspark", "PySpark"),
}
"""By extra: a module that comes with it, and what people call it. ``all`` is all of them."""


def installed(extra: str) -> bool:
    """Whether the libraries of an extra are there."""
    return find_spec(EXTRAS[extra][0]) is not None


def pays(rows: int, least: int, once_loaded: int) -> bool:
    """Whether Numba is there, and so many rows are worth its loading.

    Args:
        rows: how many there are.
        least: from how many loading pays.
        once_loaded: the same in a process that has it loaded.
    """
    return rows >= (once_loaded if "numba" in sys.modules else least) and installed("fast")


def needs(extra: str, what: str) -> None:
    """Go on only where the libraries of an extra are there.

    Args:
        extra: one of `EXTRAS`.
        what: what needs them, as a sentence begins: "A journal".

    Raises:
        Refused: they are not; what to install.
    """
    if not installed(extra):
        raise Refused(
            f"{what} needs {EXTRAS[extra][1]}, which is not installed:"
            f" pip install 'palmares[{extra}]'."
        )
