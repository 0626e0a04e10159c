"""award, rank, totals, explain, history: questions about points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import DAY, command, complete_players
from palmares.cli.options import (
    EngineChoice,
    Output,
    asking,
    chart_option,
    cited,
    in_race,
    printing,
    ranked_options,
    running,
    selecting,
    top_option,
    write_chart,
)
from palmares.cli.sources import Source, warn, warn_first
from palmares.core.clock import today
from palmares.core.messages import english
from palmares.core.rounding import exact_text, number_text
from palmares.render.explanation import clauses, headed, heading, lines
from palmares.render.tables import FOR_PEOPLE, OutputColumn, exact_points

if TYPE_CHECKING:
    import polars as pl

    from palmares.engines import Engine
    from palmares.engines.queries import EngineAwards
    from palmares.facts import Facts
    from palmares.lists.live import JournalAwards
    from palmares.points import explain as explanations
    from palmares.points import history as histories
    from palmares.points import rankings
    from palmares.points.awards import Awards, Question
    from palmares.points.master_points import MasterPoints
    from palmares.points.rankings import Selection
    from palmares.regulations.words import ClauseLine


NAMES = {"player_id": "id", "nanopoints": "points"}
KINDS = (
    dict.fromkeys(("player_id", "player", "event_id", "event", "flight", "kind"), "text")
    | dict.fromkeys(("edition", "nation", "level"), "text")
    | dict.fromkeys(("effective", "day"), "date")
    | dict.fromkeys(("live_match", "live_placement", "online_match", "online_placement"), "points")
    | dict.fromkeys(("points", "total", "lifetime"), "points")
)
FIRST = ("rank", "player", "event", "points", "before", "change", "total")
"""The columns that a narrow terminal shows before all others."""


def columns(keys: Sequence[str], hidden: Sequence[str] = ()) -> list[OutputColumn]:
    """Output columns by key; those that `KINDS` does not name are numbers."""
    return [
        OutputColumn(
            key, NAMES.get(key, ""), KINDS.get(key, "number"), key in hidden, int(key not in FIRST)
        )
        for key in keys
    ]


def rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """A frame as rows, with nanopoints under the key ``points``."""
    return frame.rename({"nanopoints": "points"}, strict=False).to_dicts()


@command()
@asking
@running
@click.option(
    "--partition-by",
    multiple=True,
    metavar="COLUMN",
    help="With -o FOLDER: Parquet, a folder for each value, such as edition; may be repeated.",
)
@printing
def award(
    source: Source,
    question: Question,
    run: EngineChoice,
    partition_by: tuple[str, ...],
    out: Output,
) -> None:
    """Show every award of REGULATION for the reports at PATH, with its terms.

    \b
    Examples:
        palmares award wbgf examples/backgammon
        palmares award wbgf season --engine duckdb -o awards --partition-by edition
    """
    from palmares.library import answers
    from palmares.points.awards import KEYS

    if partition_by and out.output is None:
        raise click.UsageError("--partition-by needs a folder to write: -o FOLDER.")
    with run.on(source) as facts:
        given = answers.award(question, facts)
        _warn(source, question, facts, given)
        keys = (*KEYS, *given.terms)
        if unknown := set(partition_by) - set(keys):
            raise click.UsageError(f"Awards have no column {', '.join(sorted(unknown))}.")
        if partition_by or str(out.output).endswith(".parquet"):
            answers.write_awards(given, str(out.output), partition_by)
            return
        frame = given.frame
    out.emit(
        rows(frame),
        columns(keys, ("player_id", "event_id", "edition", "effective")),
        title=headed(f"{question.get_regulation().title}: awards", given.waiting),
        source=cited(question, today()),
    )


def _warn(
    source: Source,
    question: Question,
    facts: Facts | Engine | JournalAwards,
    answer: Awards | EngineAwards | rankings.Ranking | MasterPoints,
) -> None:
    """Show the notices of the facts and of the regulation, the same with every engine."""
    from palmares.facts import Facts

    of_facts = facts.notices if isinstance(facts, Facts) else ()
    check = "" if source.journal else f"palmares check --for {question.regulation}"
    warn_first((*of_facts, *answer.notices), check, answer.waiting)
    warn(getattr(answer, "empty", ()))


@command()
@asking
@top_option
@ranked_options
@selecting
@running
@printing
def rank(
    source: Source,
    question: Question,
    run: EngineChoice,
    chosen: rankings.Selection,
    by: str,
    race: str | None,
    top: int | None,
    out: Output,
) -> None:
    """Rank players, or nations, by REGULATION and the reports at PATH.

    \b
    Examples:
        palmares rank wbgf examples/backgammon --as-of 2005-12-31 --top 10
        palmares rank wbgf examples/backgammon --as-of 2005-12-31 --by nation
        palmares rank usbgf examples/usbgf --setting live --kind placement
        palmares rank usbgf examples/usbgf --race examples/race-2019.toml.example
        palmares rank wbgf season --engine duckdb --memory 4GB --top 100
    """
    from palmares.library import answers
    from palmares.points import rankings

    chosen = in_race(race, question, chosen)
    rankings.refuse_nonsense(question, chosen, by)
    # Kept awards have no nation, which a nation needs where it keeps the points won under it.
    kept = source.journal and not (by == "nation" and rankings.by_event(question))
    with source.kept_awards(question) if kept and not run.engine else run.on(source) as facts:
        ranking = answers.rank(question, facts, chosen, by=by, top=top)
        _warn(source, question, facts, ranking)
    emit_list(ranking, out)


def emit_list(ranking: rankings.Ranking, out: Output) -> None:
    """A ranked list with names; its title says how many events are missing in it."""
    from palmares.points import rankings

    keys = rankings.PLAYER_KEYS if ranking.by == "player" else rankings.NATION_KEYS
    by_nation = " by nation" * (ranking.by == "nation")
    title = f"{ranking.question.get_regulation().title}{by_nation}, {describe(ranking.selection)}"
    out.emit(
        rows(ranking.frame),
        columns(keys, hidden=("player_id",)),
        title=headed(title, ranking.waiting),
        source=cited(ranking.question, ranking.selection.as_of),
    )


def describe(selection: rankings.Selection) -> str:
    """A selection in words: "as of 2019-12-31, live, match points"."""
    from palmares.points import rankings

    parts = (
        f"as of {selection.as_of}",
        selection.since and f"since {selection.since}",
        selection.until and f"until {selection.until}",
        selection.setting,
        selection.kind != rankings.TOTAL and f"{selection.kind} points",
        selection.nation,
        selection.divisions and f"division {'+'.join(map(str, selection.divisions))}",
    )
    return ", ".join(part for part in parts if part)


@command()
@asking
@click.option("--as-of", type=DAY, help="The day of the list (default: today, UTC).")
@click.option("--since", type=DAY, help="First day of a race.")
@click.option("--until", type=DAY, help="Last day of a race.")
@click.option("--levels", type=click.Path(), help="A file of recognition levels (TOML).")
@top_option
@running
@printing
def totals(
    source: Source,
    question: Question,
    run: EngineChoice,
    as_of: date | None,
    since: date | None,
    until: date | None,
    levels: str | None,
    top: int | None,
    out: Output,
) -> None:
    """Show master points: live and online, match and placement, their sum, and levels.

    \b
    Example:
        palmares totals usbgf examples/usbgf --since 2019-01-01 --until 2019-12-31
    """
    from palmares.library import answers
    from palmares.points import master_points, rankings
    from palmares.regulations import levels as recognition

    chosen = rankings.Selection(as_of=as_of or today(), since=since, until=until)
    master_points.refuse_others(question)
    thresholds = recognition.read_levels(levels, question.regulation) if levels else None
    with run.on(source) as facts:
        ranked = answers.rank_master_points(question, facts, chosen, thresholds)
        _warn(source, question, facts, ranked)
    hidden = ("player_id",) if levels else ("player_id", "level")
    out.emit(
        [row for row in rows(ranked.frame) if top is None or row["rank"] <= top],
        columns(master_points.keys(question), hidden),
        title=headed(f"{question.get_regulation().title}, {describe(chosen)}", ranked.waiting),
        source=cited(question, chosen.as_of),
    )


NESTED = (
    *map(OutputColumn, ("regulation", "player_id", "player", "nation", "as_of", "rank", "ranked")),
    OutputColumn("points", kind="points"),
    OutputColumn("awards"),
    OutputColumn("unawarded"),
)
FLAT = tuple(
    map(OutputColumn, ("event", "flight", "kind", "clause", "label", "says", "inputs", "value"))
)


@command()
@asking
@click.option(
    "--player",
    required=True,
    shell_complete=complete_players,
    metavar="ID_OR_NAME",
    help="The player.",
)
@selecting
@printing
def explain(
    source: Source,
    question: Question,
    player: str,
    chosen: Selection,
    out: Output,
) -> None:
    """Explain a player's points: each clause, the numbers in it, its result.

    \b
    Example:
        palmares explain wbgf examples/backgammon --player "Todd Obadal" --as-of 2005-12-31
    """
    from palmares.points import explain as explanations
    from palmares.points.rankings import refuse_nonsense

    refuse_nonsense(question, chosen, "player")
    why = explanations.explain(question, source.facts(), player, chosen)
    warn(why.notices, why.waiting)
    if out.kind == "table":
        out.print(lines(why))
        return
    as_rows = ([as_json(why)], NESTED) if out.kind == "json" else (list(flat(why)), FLAT)
    out.emit(*as_rows, title=heading(why), source=cited(question, chosen.as_of))


# ── For programs ─────────────────────────────────────────────────────────────────────────────────


def as_json(why: explanations.PlayerExplanation) -> dict[str, Any]:
    """The whole explanation as plain values; points are numbers with at most nine decimals."""
    awards = [
        {
            "event_id": entry.event_id,
            "event": entry.event,
            "tournament": entry.tournament,
            "flight": entry.flight,
            "kind": entry.kind,
            "effective": entry.effective,
            "edition": entry.edition,
            "sha256": entry.sha256,
            "points": exact_points(entry.nanopoints),
            "counts": entry.counts,
            "worth": exact_points(entry.worth),
            "summary": english(entry.summary.sentence),
            "formula": entry.summary.formula,
            "steps": [step_values(line) for line in entry.lines],
            "fading": [step_values(line) for line in entry.fading] if entry.parts > 1 else [],
        }
        for entry in why.entries
    ]
    return {
        "regulation": why.regulation,
        "player_id": why.player_id,
        "player": why.player,
        "nation": why.nation,
        "as_of": why.as_of,
        "rank": why.rank,
        "ranked": why.ranked,
        "points": why.nanopoints,
        "awards": awards,
        "unawarded": [{**asdict(result), "why": english(result.why)} for result in why.unawarded],
    }


def step_values(line: ClauseLine) -> dict[str, Any]:
    """A clause at work as plain values."""
    return {
        "clause": line.clause,
        "label": line.label,
        "says": line.says,
        "inputs": dict(line.inputs),
        "value": line.value,
        "exact": str(line.value) if isinstance(line.value, Fraction) else None,
        "readings": line.readings,
        "depth": line.depth,
    }


def flat(why: explanations.PlayerExplanation) -> Iterator[dict[str, Any]]:
    """One row an award that says it in one sentence, then one a clause, for spreadsheets."""
    for entry in why.entries:
        head = {"event": entry.event, "flight": entry.flight, "kind": entry.kind}
        yield head | {
            "label": "In short",
            "says": english(entry.summary.sentence),
            "inputs": entry.summary.formula,
            "value": exact_text(entry.worth),
        }
        yield from (head | step_row(line) for line in clauses(entry))
    for result in why.unawarded:
        yield {"event": result.event, "label": "No points", "says": english(result.why)}


def step_row(line: ClauseLine) -> dict[str, str]:
    """A clause at work as cells."""
    return {
        "clause": line.clause,
        "label": line.label,
        "says": line.says,
        "inputs": ", ".join(f"{name} {number_text(value)}" for name, value in line.inputs),
        "value": number_text(line.value),
    }


MOST_NAMES = 3  # in a title


@command()
@asking
@click.option(
    "--player",
    "players",
    required=True,
    multiple=True,
    metavar="ID_OR_NAME",
    shell_complete=complete_players,
    help="The player; may be repeated.",
)
@click.option(
    "--every",
    type=click.Choice(["day", "week", "month", "result"]),
    help="A row for each; result: for each day on which results change the points, and by how much"
    " (default: month; of a rating, as a table: result).",
)
@click.option("--since", type=DAY, help="First day (default: the first result).")
@click.option("--until", type=DAY, help="Last day (default: today, UTC).")
@click.option("--ahead", type=DAY, help="Continue to this day, as if no one played any more.")
@click.option(
    "--expiries", is_flag=True, help="Show when results stop counting, after --until, instead."
)
@chart_option("Also draw a chart: FILE.svg or .png.")
@printing
def history(
    source: Source,
    question: Question,
    players: tuple[str, ...],
    every: str | None,
    since: date | None,
    until: date | None,
    ahead: date | None,
    expiries: bool,  # noqa: FBT001
    chart: Path | None,
    out: Output,
) -> None:
    """Show points and rank over time, on the last day of each step, with what changed them.

    A rating stays until the next event: its table shows each change.

    \b
    Examples:
        palmares history dptr examples/diplomacy --player "Andy BARTALONE" --until 2019-12-31
        palmares history dptr examples/diplomacy --player "Tom KOBRIN" --chart kobrin.svg
        palmares history wbgf examples/backgammon --player "Phil Simborg" --until 2006-12-31
            --ahead 2009-12-31 --expiries
    """
    from palmares.points import history as histories
    from palmares.render.history_chart import players_chart, refuse_too_many

    if chart:
        refuse_too_many(len(dict.fromkeys(players)))
    if expiries and every and not chart:
        raise click.UsageError("--every is for steps; --expiries shows each result on its day.")
    if every is None:
        is_read = out.kind in FOR_PEOPLE and not expiries  # for scripts steps stay months
        every = "result" if is_read and question.aggregate.latest else "month"
    period = histories.Period(every=every, since=since, until=until or today(), ahead=ahead)
    careers = histories.careers(question, source.facts(), players, period)
    warn(careers.notices, careers.waiting)
    timeline = histories.history(careers) if chart or not expiries else None
    if timeline and chart:
        write_chart(chart, players_chart(timeline))
    frame = timeline.frame if timeline and not expiries else histories.expiries(careers)
    keys = histories.CHANGE_KEYS if every == histories.RESULT else histories.KEYS
    reason = histories.nothing_expires(careers) if expiries or ahead else None
    if reason:
        click.echo(f"Note: {reason}", err=True)
    out.emit(
        rows(histories.worded(frame)),
        _history_columns(careers, histories.EXPIRY_KEYS if expiries else keys),
        title=headed(_history_title(careers, expiries=expiries), careers.waiting),
        source=cited(question, period.last),
    )


def _history_columns(careers: histories.Careers, keys: Sequence[str]) -> list[OutputColumn]:
    """What to write; people see neither ids nor what is the same in every row."""
    from palmares.points import history as histories

    fades = histories.lasting(careers.question) is None
    hidden = {
        "player_id": True,
        "player": len(careers.people) == 1,
        "faded": not fades,
        "expired": not fades,
        "projected": not careers.period.ahead,
    }
    kinds = {"day": "date", "rank": "number"}
    kinds |= dict.fromkeys(("faded", "change", "points"), "points")
    headings = (
        {"faded": "faded before", "change": "change that day"} if fades and "faded" in keys else {}
    )
    return [
        OutputColumn(key, headings.get(key, ""), kinds.get(key, "text"), hidden.get(key, False))
        for key in keys
    ]


def _history_title(careers: histories.Careers, *, expiries: bool) -> str:
    """Whose points these are, under what, and by which steps or from which day."""
    names = [*careers.people.values()]
    who = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} players"
    what = careers.question.get_regulation().title
    if not expiries:
        return f"{who}: {what} by {careers.period.every}"
    return f"{who}: {what}, what expires after {careers.period.until} if nobody plays"
