"""
Matches of teams: who meets whom, once a round, for whole IMPs; teams that are known.

A bye has no opponent: nothing, or any word that is no team, stands in its place. Only a bye and a
void match may be without boards and IMPs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import joined, msg, plural
from palmares.facts.problems import Cell, Row, event_name, problems_at, with_event_names
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.text import printable

_CELLS = ("boards", "home_imps", "away_imps")
_SIDES = ("home", "away")


def problems(facts: Facts, incomplete: Collection[str] = ()) -> Iterator[Problem]:
    """Rows of matches of teams, and of teams, that cannot be."""
    if facts.tables["team_matches"].height:
        table = facts.tables["team_matches"].with_columns(pl.col("status").fill_null("played"))
        played = table.filter(pl.col("status") == "played")
        yield from _empty(table, played, facts.tables["boards"])
        yield from _board_results(played, facts.tables["boards"])
        yield from _fractions(played)
        yield from _opponents(table)
        yield from _splits(table)
        yield from _again(table)
        if "teams" not in incomplete:
            yield from _unknown(table, facts.tables["teams"])
    yield from _hundredths(facts)


def _empty(table: pl.DataFrame, played: pl.DataFrame, boards: pl.DataFrame) -> Iterator[Problem]:
    """What every match that was played has; its IMPs may follow from its boards."""
    by_totals = played.join(boards, on="match_id", how="anti")
    for column in _CELLS:
        yield from problems_at(
            (played if column == "boards" else by_totals).filter(pl.col(column).is_null()),
            msg("%(column)s is empty in a match that was played", column=column),
            Cell("team_matches", column),
            msg("Fill it in, or write the status bye or void."),
        )
    yield from problems_at(
        table.filter(pl.col("away").is_null() & (pl.col("status") != "bye")),
        lambda row: msg("%(team)s has no opponent", team=printable(row["home"])),
        Cell("team_matches", "away"),
        msg("Write the other team, or the status bye."),
    )
    yield from problems_at(
        played.filter(pl.col("boards") == 0),
        msg("a match that was played has 0 boards"),
        Cell("team_matches", "boards", "wbf-vp eq3"),
        msg("Write how many boards were played, or the status bye or void."),
    )


def _board_results(played: pl.DataFrame, boards: pl.DataFrame) -> Iterator[Problem]:
    """A match entered by its boards has a result of each of them."""
    results = boards.group_by("match_id").agg(_results=pl.len())
    yield from problems_at(
        played.join(results, on="match_id").filter(pl.col("_results") != pl.col("boards")),
        lambda row: msg(
            "%(boards)s and %(results)s",
            boards=plural("%(many)s board", "%(many)s boards", row["boards"]),
            results=plural("%(many)s board result", "%(many)s board results", row["_results"]),
        ),
        Cell("boards", "board"),
        msg(
            "Add the results that are missing, or correct the number of boards. Where a board has"
            " no result of play, enter the match by its IMPs."
        ),
    )


def _fractions(played: pl.DataFrame) -> Iterator[Problem]:
    for column in ("home_imps", "away_imps"):
        value = pl.col(column)
        yield from problems_at(
            played.filter(value != value.floor()).with_columns(_imps=value),
            lambda row, column=column: msg(  # type: ignore[misc]
                "%(column)s is %(value)s, not a whole number",
                column=column,
                value=f"{row['_imps'].normalize():f}",
            ),
            Cell("team_matches", column, "wbf-standings S3"),
            msg(
                "Boards give whole IMPs. Fractions are allowed in home_carry_imps and"
                " away_carry_imps, and in split_home_imps and split_away_imps."
            ),
        )


def _opponents(table: pl.DataFrame) -> Iterator[Problem]:
    """A team does not meet itself, and a bye has no opponent."""
    bye = pl.col("status") == "bye"
    yield from problems_at(
        table.filter((pl.col("home") == pl.col("away")) & ~bye),
        lambda row: msg("%(team)s plays against itself", team=printable(row["home"])),
        Cell("team_matches", "away"),
        msg("Correct one of the two teams."),
    )
    sides = [table.filter(~bye).select("event_id", team=side) for side in _SIDES]
    teams = pl.concat([*sides, table.filter(bye).select("event_id", team="home")]).unique()
    yield from problems_at(
        table.filter(bye).join(
            teams, left_on=["event_id", "away"], right_on=["event_id", "team"], how="semi"
        ),
        lambda row: msg(
            "%(home)s has a bye against the team %(away)s",
            home=printable(row["home"]),
            away=printable(row["away"]),
        ),
        Cell("team_matches", "status"),
        msg("Leave away empty in a bye, or write the status played or void."),
    )
    yield from problems_at(
        table.filter(bye & (pl.col("away_adjust_vp") != 0)),
        msg("away_adjust_vp is given in a bye, which has no away team"),
        Cell("team_matches", "away_adjust_vp"),
        msg("Write it in home_adjust_vp, or in a match that the other team played."),
    )


def _splits(table: pl.DataFrame) -> Iterator[Problem]:
    no_home, no_away = pl.col("split_home_imps").is_null(), pl.col("split_away_imps").is_null()
    yield from problems_at(
        table.filter(no_home != no_away),
        msg("a split score has only one of split_home_imps and split_away_imps"),
        Cell("team_matches", "split_home_imps", "wbf-standings S2"),
        msg("Write both: the score that counts for the away team."),
    )


def _again(table: pl.DataFrame) -> Iterator[Problem]:
    """The same two teams meet once a round; several meetings have rounds of their own."""
    bye = pl.col("status") == "bye"
    away = pl.when(bye).then(pl.lit("")).otherwise("away")
    pairs = table.filter(pl.col("round").is_not_null() & (pl.col("status") != "void")).with_columns(
        _one=pl.min_horizontal("home", away), _two=pl.max_horizontal("home", away)
    )
    again = pairs.filter(
        ~pl.struct("event_id", "round", "_one", "_two").is_first_distinct()
        & pl.col("_two").is_not_null()
    )
    yield from problems_at(
        again,
        _met_again,
        Cell("team_matches", "round"),
        msg("Remove one of the two rows, or give it another round."),
    )


def _met_again(row: Row) -> str:
    home, away, number = (printable(row[name]) for name in ("home", "away", "round"))
    if row["status"] == "bye":
        return msg("%(team)s has a second bye in round %(round)s", team=home, round=number)
    return msg(
        "%(home)s and %(away)s meet a second time in round %(round)s",
        home=home,
        away=away,
        round=number,
    )


def _unknown(table: pl.DataFrame, teams: pl.DataFrame) -> Iterator[Problem]:
    """Where an event's teams are listed, its matches are between them."""
    entered = teams.select("event_id", "team").drop_nulls()
    rows = table.join(entered.select("event_id").unique(), on="event_id", how="semi")
    for side in _SIDES:
        used = rows if side == "home" else rows.filter(pl.col("status") != "bye")
        lost = used.join(
            entered, left_on=["event_id", side], right_on=["event_id", "team"], how="anti"
        )
        first = (
            lost.drop_nulls(side)
            .group_by("event_id", side, maintain_order=True)
            .agg(pl.col(FILE).first(), pl.col(LINE).first(), pl.len())
        )
        yield from problems_at(
            first,
            lambda row, side=side: plural(  # type: ignore[misc]
                "the team '%(team)s' is not among the teams of %(event)s (%(many)s row)",
                "the team '%(team)s' is not among the teams of %(event)s (%(many)s rows)",
                row["len"],
                team=printable(row[side]),
                event=printable(row["event_id"]),
            ),
            Cell("team_matches", side),
            msg("Correct the name, or add it to teams."),
        )


def _hundredths(facts: Facts) -> Iterator[Problem]:
    """VPs have two decimals at most."""
    for name, columns in (
        ("team_matches", ("home_adjust_vp", "away_adjust_vp")),
        ("teams", ("carried_vp",)),
    ):
        for column in columns:
            value = pl.col(column)
            rows = facts.tables[name].filter((value * 100) != (value * 100).floor())
            yield from problems_at(
                rows.with_columns(_vp=value),
                lambda row, column=column: msg(  # type: ignore[misc]
                    "%(column)s is %(value)s VPs",
                    column=column,
                    value=f"{row['_vp'].normalize():f}",
                ),
                Cell(name, column),
                msg("VPs have two decimals at most: round it as the conditions of contest say."),
            )


def possible_duplicates(facts: Facts) -> Iterator[Problem]:
    """Teams of an event whose names differ in capitals and spaces only."""
    table = facts.tables["team_matches"]
    met = pl.col("status").fill_null("played") != "bye"
    sides = [table, table.filter(met)]
    used = pl.concat(
        matches.select("event_id", FILE, LINE, team=side)
        for matches, side in zip(sides, _SIDES, strict=True)
    )
    plain = pl.col("team").str.to_lowercase().str.replace_all(r"\s+", "")
    alike = (
        used.drop_nulls("team")
        .sort(FILE, LINE)
        .with_columns(_plain=plain)
        .group_by("event_id", "_plain", maintain_order=True)
        .agg(pl.col("team").unique(maintain_order=True), pl.col(FILE).last(), pl.col(LINE).last())
        .filter(pl.col("team").list.len() > 1)
    )
    yield from problems_at(
        with_event_names(alike, facts.tables["events"]),
        lambda row: msg(
            "%(teams)s in %(event)s: possibly one team",
            teams=joined([f"'{printable(team)}'" for team in row["team"]]),
            event=event_name(row),
        ),
        Cell("team_matches", "home"),
        msg("If so, write its name in one way."),
    )
