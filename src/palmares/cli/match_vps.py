"""``palmares vp --matches``: the victory points of every match of teams."""

from __future__ import annotations

from collections.abc import Sequence

import click

from palmares.cli.options import Running


def refuse_a_mixture(matches: Sequence[str], of_a_table: Sequence[object]) -> None:
    """Refuse what asks for a table and for matches at once, or for neither."""
    if not matches:
        raise click.UsageError("Give --boards N for one match, or --matches PATH for many.")
    if any(one is not None for one in of_a_table):
        raise click.UsageError("--matches goes with --scale and --engine alone.")


def convert_matches(
    paths: Sequence[str],
    scales: Sequence[str],
    run: Running,
    format: str,  # noqa: A002  (the name users type)
    output: str | None,
) -> None:
    """Print or write the margin and both sides' VPs of every match."""
    from palmares import scale, team_vps
    from palmares.cli.sources import Source, warn_first
    from palmares.output import Column, emit

    if len(scales) > 1:
        raise click.UsageError("--matches takes one scale at a time.")
    with run.on(Source(path=tuple(paths))) as engine:
        rows = scale.vps(engine, scales[0])
        warn_first(engine.notices(), "palmares check")
        if output and output.endswith(".parquet"):
            engine.write(rows, output)
            return
        found = engine.collect(rows)
    numbers = ("boards", "margin", "home_vp", "away_vp")
    hidden = ("match_id", "event_id", "scale", "status")
    emit(
        found.to_dicts(),
        [
            Column(name, kind="number" if name in numbers else "text", hidden=name in hidden)
            for name in team_vps.SCHEMA
        ],
        format=format,
        output=output,
        title=f"Victory points, {scales[0]} scale",
    )
