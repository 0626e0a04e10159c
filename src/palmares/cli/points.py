"""award, rank, totals: points and lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from palmares.cli import options
from palmares.cli.options import (
    Asked,
    Output,
    Running,
    Selected,
    asking,
    printing,
    running,
    selecting,
)
from palmares.cli.sources import headed, warn, warn_first, warn_of_waiting
from palmares.render.tables import Column

if TYPE_CHECKING:
    import polars as pl

    from palmares.core.errors import Problem
    from palmares.engines.queries import Awarded
    from palmares.facts import Facts
    from palmares.points.awards import Awards, Question, Waiting
    from palmares.points.rankings import Ranking, Selection

NAMES = {"player_id": "id", "nanopoints": "points"}
TEXT = {
    "player_id",
    "player",
    "event_id",
    "event",
    "flight",
    "kind",
    "edition",
    "nation",
    "level",
}
DATES = {"effective", "day"}


def columns(keys: Sequence[str], hidden: Sequence[str] = ()) -> list[Column]:
    """Output columns by key: nanopoints, words and dates as named above; all else is a number."""
    points = {"points", "live_match", "live_placement", "online_match", "online_placement", "total"}
    kinds = dict.fromkeys(TEXT, "text") | dict.fromkeys(DATES, "date")
    kinds |= dict.fromkeys(points, "points")
    return [
        Column(key, NAMES.get(key, ""), kinds.get(key, "number"), key in hidden) for key in keys
    ]


def rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """A frame as rows, with nanopoints under the key ``points``."""
    return frame.rename({"nanopoints": "points"}, strict=False).to_dicts()


@click.command()
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
    asked: Asked,
    run: Running,
    partition_by: tuple[str, ...],
    out: Output,
) -> None:
    """Every award of REGULATION for the reports at PATH, with the terms that led to it.

    \b
    Examples:
        palmares award wbgf examples/backgammon
        palmares award wbgf season --engine duckdb -o awards --partition-by edition
    """
    from palmares.points import awards

    if partition_by and out.output is None:
        raise click.UsageError("--partition-by needs a folder to write: -o FOLDER.")
    question = asked.question()
    if run.engine or partition_by:
        _award_on_engine(asked, run, partition_by, out)
        return
    facts = asked.rated(asked.read())
    given = awards.award(question, facts)
    _warn(asked, (*facts.notices, *given.notices), given.waiting)
    _emit_awards(question, given, given.frame, out)


def _award_on_engine(
    asked: Asked,
    run: Running,
    partition_by: Sequence[str],
    out: Output,
) -> None:
    """Awards by an engine: Parquet is written by the engine itself, all else from this process."""
    from palmares.engines import queries
    from palmares.points import awards

    question = asked.question()
    with run.asked(asked) as (engine, waiting):
        given = queries.award(engine, question, waiting)
        _warn(asked, given.notices, given.waiting)
        keys = (*awards.KEYS, *given.terms)
        if unknown := set(partition_by) - set(keys):
            raise click.UsageError(f"Awards have no column {', '.join(sorted(unknown))}.")
        if partition_by or (out.output and out.output.endswith(".parquet")):
            engine.write(engine.laid_out(given.rows, keys), str(out.output), partition_by)
            return
        frame = engine.collect(given.rows).drop("points")
    _emit_awards(question, given, frame, out)


def _warn(
    asked: Asked,
    notices: Iterable[Problem],
    waiting: Sequence[Waiting],
    empty: Sequence[Problem] = (),
) -> None:
    """Show what reports and the regulation had to say; the same with every engine."""
    warn_first(notices, "" if asked.journal else f"palmares check --for {asked.regulation}")
    warn_of_waiting(waiting)
    warn(empty)


def _emit_awards(
    question: Question,
    given: Awards | Awarded,
    frame: pl.DataFrame,
    out: Output,
) -> None:
    from palmares.points.awards import KEYS

    out.emit(
        rows(frame),
        columns([*KEYS, *given.terms], ("player_id", "event_id", "edition", "effective")),
        title=headed(f"{question.held().title}: awards", given.waiting),
    )


@click.command()
@asking
@selecting
@click.option("--by", type=click.Choice(["player", "nation"]), default="player", show_default=True)
@click.option("--nation", metavar="CODE", help="Only players of this nation, such as GER.")
@click.option("--top", type=click.IntRange(min=1), help="Only ranks up to this one.")
@running
@printing
def rank(
    asked: Asked,
    run: Running,
    selected: Selected,
    by: str,
    nation: str | None,
    top: int | None,
    out: Output,
) -> None:
    """The ranking of REGULATION for the reports at PATH, as of a day.

    \b
    Examples:
        palmares rank wbgf examples/backgammon --as-of 2005-12-31 --top 10
        palmares rank wbgf examples/backgammon --as-of 2005-12-31 --by nation
        palmares rank usbgf examples/usbgf --setting live --kind placement
        palmares rank wbgf season --engine duckdb --memory 4GB --top 100
    """
    from palmares.engines import queries
    from palmares.points import rankings

    question = asked.question()
    chosen = selected.selection(nation)
    rankings.refuse_nonsense(question, chosen, by)
    of_facts: tuple[Problem, ...] = ()
    if run.engine:
        with run.asked(asked) as (engine, waiting):
            ranking = queries.rank(engine, question, chosen, by=by, top=top, waiting=waiting)
    elif asked.journal:
        ranking = _kept(asked, question, chosen, by, top)
    else:
        facts = asked.rated(asked.read())
        of_facts = facts.notices
        ranking = _of_facts(question, facts, chosen, by, top)
    _warn(asked, (*of_facts, *ranking.notices), ranking.waiting, ranking.empty)
    emit_list(ranking, out)


def emit_list(ranking: Ranking, out: Output) -> None:
    """A ranked list with names."""
    from palmares.points.rankings import NATION_KEYS, PLAYER_KEYS

    keys = PLAYER_KEYS if ranking.by == "player" else NATION_KEYS
    out.emit(rows(ranking.frame), columns(keys, hidden=("player_id",)), title=list_title(ranking))


def _kept(
    asked: Asked, question: Question, chosen: Selection, by: str, top: int | None
) -> Ranking:  # fmt: skip
    """The list from awards that are kept beside the facts of a journal."""
    from palmares.lists.live import cache, query
    from palmares.points import rankings
    from palmares.points.empty_lists import explained

    of_facts = by == "nation" and rankings.by_event(question)
    if of_facts:
        return _of_facts(question, asked.facts(), chosen, by, top)
    with asked.opened() as journal:
        held = cache.held(journal, question, asked.known_at)
    ranking = query.ranking(held, chosen, top, by=by)
    return explained(ranking, question, lambda: query.found_evidence(held))


def _of_facts(
    question: Question, facts: Facts, chosen: Selection, by: str, top: int | None
) -> Ranking:
    """The list from awards that are made at once."""
    from palmares.points import awards, ledger
    from palmares.points.empty_lists import evidence, explained

    given = awards.award(question, facts, terms=False)
    ranking = ledger.rank(given, chosen, by=by, top=top)
    return explained(ranking, question, lambda: evidence(question, facts, given.frame))


def list_title(ranking: Ranking) -> str:
    """What a list is of, and how many events are missing in it."""
    by_nation = " by nation" * (ranking.by == "nation")
    title = f"{ranking.question.held().title}{by_nation}, {describe(ranking.selection)}"
    return headed(title, ranking.waiting)


def describe(selection: Any) -> str:
    """A selection in words: "as of 2019-12-31, live, match points"."""
    parts = [f"as of {selection.as_of}"]
    parts += [
        f"{word} {day}"
        for word, day in (("since", selection.since), ("until", selection.until))
        if day
    ]
    parts += [selection.setting] if selection.setting else []
    parts += [f"{selection.kind} points"] if selection.kind != "total" else []
    parts += [selection.nation] if selection.nation else []
    return ", ".join(parts)


@click.command()
@asking
@click.option("--as-of", type=options.DAY, help="The day of the list (default: today, UTC).")
@click.option("--since", type=options.DAY, help="First day of a race.")
@click.option("--until", type=options.DAY, help="Last day of a race.")
@click.option("--levels", type=click.Path(), help="A sheet of recognition levels (TOML).")
@click.option("--top", type=click.IntRange(min=1), help="Only ranks up to this one.")
@running
@printing
def totals(
    asked: Asked,
    run: Running,
    as_of: date | None,
    since: date | None,
    until: date | None,
    levels: str | None,
    top: int | None,
    out: Output,
) -> None:
    """Master points: live and online, match and placement, their sum, and levels.

    \b
    Example:
        palmares totals usbgf examples/usbgf --since 2019-01-01 --until 2019-12-31
    """
    from palmares.engines import queries
    from palmares.points import awards
    from palmares.points import totals as adding
    from palmares.points.empty_lists import evidence, explained
    from palmares.points.rankings import Selection
    from palmares.regulations import levels as recognition

    question = asked.question()
    chosen = Selection(as_of=as_of or options.today(), since=since, until=until)
    adding.refuse_others(question)
    thresholds = recognition.read_levels(levels, question.regulation) if levels else None
    of_facts: tuple[Problem, ...] = ()
    if run.engine:
        with run.asked(asked) as (engine, waiting):
            found = queries.total(engine, question, chosen, thresholds, waiting=waiting)
    else:
        facts = asked.rated(asked.read())
        of_facts = facts.notices
        given = awards.award(question, facts, terms=False)
        found = adding.totals(given, chosen, thresholds)
        found = explained(found, question, lambda: evidence(question, facts, given.frame))
    _warn(asked, (*of_facts, *found.notices), found.waiting, found.empty)
    kept = [row for row in rows(found.frame) if top is None or row["rank"] <= top]
    out.emit(
        kept,
        columns(adding.keys(question), hidden=("player_id", *([] if levels else ["level"]))),
        title=headed(f"{question.held().title}, {describe(chosen)}", found.waiting),
    )
