"""
What lies at some paths, as packages of Parquet.

    sources     paths  ->  Sources, and what reading had to say
    Sources     packages of Parquet, and their tables that no tournament owns

What is no package of Parquet (reports, CSV) is read and checked in process, and written as one; its
rows keep the file and line they came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.engines.duckdb.tables import Source
from palmares.engines.shards import beside
from palmares.facts import Facts, is_package
from palmares.facts.cells import typed_frames
from palmares.facts.packages import Part, is_address, located, read_parts
from palmares.facts.schema import SHARED_TABLES
from palmares.formats.load import beside_package, gathered


class Sources(NamedTuple):
    """Packages of Parquet."""

    packages: Sequence[Source]

    def beside(self) -> tuple[Facts, tuple[Problem, ...]]:
        """The tables that no tournament owns, and what is wrong with them."""
        try:
            frames = list(self._beside())
        except FactsRejected as rejected:
            return Facts(), tuple(rejected.problems)
        try:
            return beside(frames), ()
        except FactsRejected as rejected:
            players = [{"players": one["players"]} for one in frames if "players" in one]
            tables = [typed_frames(one).facts["players"] for one in players]
            known = {"players": pl.concat(tables, how="diagonal")} if tables else {}
            return Facts(known), tuple(rejected.problems)

    def _beside(self) -> Iterator[Mapping[str, pl.DataFrame]]:
        """Their raw frames, package by package."""
        for package in self.packages:
            frames = {}
            for name in SHARED_TABLES:
                if found := package.tables.get(name):
                    sheet = read_parts(found, told=package.told)
                    if sheet.problems:
                        raise FactsRejected(sheet.problems)
                    if sheet.frame is not None:
                        frames[name] = sheet.frame
            yield frames


def sources(
    paths: Sequence[str], scratch: Path, encoding: str | None
) -> tuple[Sources, list[Problem]]:
    """The packages at some paths.

    Raises:
        FactsRejected: something that is no package of Parquet is wrong.
    """
    found: list[Source] = []
    others: list[str] = []
    notices: list[Problem] = []
    for path in paths:
        packed = is_address(path) or (Path(path).is_dir() and is_package(Path(path)))
        tables = located(path) if packed else None
        if tables is None:
            others.append(path)
            continue
        if not is_address(path):
            notices += beside_package(Path(path))
        found.append(Source(tables))
    if others:
        facts = gathered(*others, encoding=encoding)
        notices += facts.notices
        folder = scratch / "read"
        folder.mkdir()
        written = {}
        for name in facts:
            facts[name].write_parquet(folder / f"{name}.parquet")
            written[name] = [Part(str(folder / f"{name}.parquet"))]
        found.append(Source(written, told=True))
    return Sources(found), notices
