"""Cells of a row against each other: dates, rates, divisions, matches, also of teams."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from difflib import get_close_matches

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import LocalNumber, joined, msg, plural
from palmares.facts.problems import (
    NO_RESULTS,
    Cell,
    Row,
    Text,
    event_name,
    problems_at,
    with_event_names,
)
from palmares.facts.rates import LOOK_BACK
from palmares.facts.schema import FILE, LINE, TABLES, Facts
from palmares.facts.text import printable

DISCIPLINES = ("backgammon", "bridge", "diplomacy")
"""Those that the regulations we ship are for."""
_SIDES = ("home", "away")
_RESULTS = ("placings", "matches", "team_matches")
_CORRECT_DAY = msg("Correct the day that is wrong.")
_LOOK_AT_YEAR = msg("Look at the year again.")
_FILL_IN = msg("Fill it in, or write the status bye or void.")
_USUAL = [
    (Cell(table, column.name), column)
    for table, columns in TABLES.items()
    for column in columns.values()
    if column.usual is not None
]
_LONG = timedelta(days=300)
"""No tournament lasts longer: a year is wrong far more often."""
_YEARS = (1950, 2100)
"""Those of the tournaments that lists are made of."""


def notices(facts: Facts, incomplete: Collection[str] = ()) -> Iterator[Problem]:
    """Cells that a person should look at, and tournaments without results."""
    tournaments = facts.tables["tournaments"]
    words = tournaments["discipline"].drop_nulls().unique().to_list()
    close = {
        word: near[0]
        for word in words
        if word.lower() not in DISCIPLINES
        and (near := get_close_matches(word.lower(), DISCIPLINES, n=1, cutoff=0.7))
    }
    yield from problems_at(
        tournaments.filter(pl.col("discipline").is_in(list(close))),
        lambda row: msg(
            "no list of %(usual)s has a tournament of '%(discipline)s'",
            usual=close[row["discipline"]],
            discipline=printable(row["discipline"]),
        ),
        Cell("tournaments", "discipline"),
        lambda row: msg("Write %(usual)s, if that is meant.", usual=close[row["discipline"]]),
    )
    yield from _unusual_numbers(facts)
    yield from _unusual_days(tournaments)
    yield from _early_matches(facts)
    for strange, what, cell, remedy in _NOTICES:
        table = facts.tables[cell.table]
        if table.height:
            yield from problems_at(table.filter(strange), what, cell, remedy)
    yield from _twice_a_round(facts)
    if not incomplete:
        yield from _without_results(facts)


def _unusual_numbers(facts: Facts) -> Iterator[Problem]:
    """Numbers that are larger than those of their column ever are."""
    for cell, column in _USUAL:
        table = facts.tables[cell.table]
        if (table[cell.key].max() or 0) > column.usual:  # type: ignore[operator]
            rows = table.filter(pl.col(cell.key) > column.usual)
            yield from problems_at(
                with_event_names(rows, facts) if "event_id" in rows.columns else rows,
                lambda row, column=column: msg(  # type: ignore[misc]
                    "%(column)s of %(name)s is %(value)s; more than %(usual)s is unusual",
                    column=column.name,
                    name=event_name(row) if "_event" in row else _name(row),
                    value=LocalNumber(f"{Decimal(row[column.name]).normalize():,f}"),
                    usual=LocalNumber(f"{column.usual:,}"),
                ),
                cell,
                msg("If it is wrong, correct it: %(means)s.", means=(column.means,)),
            )


def _name(row: Row) -> str:
    """A tournament; in a row of rates, a currency."""
    return printable(row.get("name") or row.get("tournament_id") or row["currency"])


def _unusual_days(tournaments: pl.DataFrame) -> Iterator[Problem]:
    """Tournaments that end in a year without lists, or last longer than any does."""
    last = pl.col("end_date")
    yield from problems_at(
        tournaments.filter(~last.dt.year().is_between(*_YEARS)),
        lambda row: msg(
            "%(name)s ends in the year %(year)s", name=_name(row), year=str(row["end_date"].year)
        ),
        Cell("tournaments", "end_date"),
        _LOOK_AT_YEAR,
    )
    yield from problems_at(
        tournaments.filter(last - pl.col("start_date") > _LONG),
        lambda row: msg(
            "%(name)s lasts from %(start)s to %(end)s",
            name=_name(row),
            start=LocalNumber(row["start_date"]),
            end=LocalNumber(row["end_date"]),
        ),
        Cell("tournaments", "start_date"),
        _LOOK_AT_YEAR,
    )


def _early_matches(facts: Facts) -> Iterator[Problem]:
    """The first match of each event that was played before its tournament began."""
    first_day = pl.col("start_date").fill_null(pl.col("end_date") - _LONG)
    begins = facts.tables["tournaments"].select("tournament_id", begins=first_day)
    events = facts.tables["events"].select("event_id", "tournament_id")
    for name in ("matches", "team_matches"):
        table = facts.tables[name].select("event_id", "match_id", "played_on", FILE, LINE)
        early = (
            table.drop_nulls(["event_id", "played_on"])
            .join(events, on="event_id")
            .join(begins, on="tournament_id")
            .filter(pl.col("played_on") < pl.col("begins"))
            .sort("played_on", LINE)
            .unique("event_id", keep="first", maintain_order=True)
        )
        yield from problems_at(
            with_event_names(early, facts),
            lambda row: msg(
                "the match %(match)s of %(event)s was played on %(day)s, before the tournament"
                " began",
                match=printable(row["match_id"]),
                event=event_name(row),
                day=LocalNumber(row["played_on"]),
            ),
            Cell(name, "played_on"),
            _CORRECT_DAY,
        )


def _without_results(facts: Facts) -> Iterator[Problem]:
    """Tournaments without an event, and a first event where no event has a result.

    One without results among others is known to have been played, and no more.
    """
    tournaments, events = facts.tables["tournaments"], facts.tables["events"]
    yield from problems_at(
        tournaments.join(events, on="tournament_id", how="anti"),
        lambda row: msg("%(tournament)s has no event", tournament=_name(row)),
        Cell("tournaments", "name"),
        msg("Add its events and their results."),
    )
    if not any(facts.tables[table].height for table in _RESULTS):
        yield from problems_at(
            with_event_names(events.head(1), facts),
            lambda row: msg("%(event)s has no placing and no match", event=event_name(row)),
            Cell("events", "name"),
            msg("Add its results."),
            code=NO_RESULTS,
        )


def _with_number(text: str, column: str) -> Text:
    """A message that names a column and its decimal number."""
    return lambda row: msg(text, column=column, value=f"{row[column].normalize():f}")


def _is(status: str) -> pl.Expr:
    return pl.col("status").fill_null("played") == status


_PLAYED, _BYE, _SERIES = _is("played"), _is("bye"), _is("series")
_HUNDREDTHS = (
    ("team_matches", "home_adjust_vp"), ("team_matches", "away_adjust_vp"), ("teams", "carried_vp"),
)  # fmt: skip
_CHECKS: Sequence[tuple[pl.Expr, Text, Cell, str]] = (
    *(
        (
            pl.col(end) < pl.col(start),
            lambda row, start=start, end=end: msg(
                "the end, %(end)s, is before the start, %(start)s",
                end=LocalNumber(row[end]),
                start=LocalNumber(row[start]),
            ),
            Cell(table, end),
            msg("Correct one of the two days."),
        )
        for table, start, end in (
            ("tournaments", "start_date", "end_date"),
            ("memberships", "start", "end"),
        )
    ),
    *(
        (
            (pl.col("currency").fill_null(usual) == "EUR") & (pl.col("eur_per_unit") != 1),
            _with_number(msg("%(column)s is %(value)s for EUR"), "eur_per_unit"),
            Cell(table, "eur_per_unit"),
            msg("Write the currency of the fees, or leave the rate of the euro out."),
        )
        for table, usual in (("tournaments", "EUR"), ("rates", ""))
    ),
    (
        pl.col("eur_per_unit").is_null() == pl.col("units_per_eur").is_null(),
        lambda row: (
            msg("eur_per_unit is empty")
            if row["eur_per_unit"] is None
            else msg("eur_per_unit and units_per_eur are both filled in")
        ),
        Cell("rates", "eur_per_unit"),
        msg("Fill in eur_per_unit: euro per unit of the currency."),
    ),
    (
        ~(pl.col("date") - pl.col("published_on")).dt.total_days().is_between(0, LOOK_BACK),
        lambda row: msg(
            "published_on, %(published)s, is not %(day)s or one of the 7 days before",
            published=LocalNumber(row["published_on"]),
            day=LocalNumber(row["date"]),
        ),
        Cell("rates", "published_on"),
        msg("Leave published_on out of a rate of your own."),
    ),
    (
        ~pl.col("division_rank").str.contains(r"^[1-9][0-9]?(\+[1-9][0-9]?)*$"),
        lambda row: msg(
            "%(column)s is '%(text)s'", column="division_rank", text=printable(row["division_rank"])
        ),
        Cell("events", "division_rank"),
        msg("Write 1 for the highest division, 2 for the next; 1+2 for two played as one."),
    ),
    (
        pl.col("winner_id") == pl.col("loser_id"),
        lambda row: msg("%(name)s plays against themselves", name=printable(row["winner_id"])),
        Cell("matches", "loser_id"),
        msg("Correct one of the two ids."),
    ),
    (
        (pl.col("rank") == 1) & (pl.col("rounds_behind") > 0),
        lambda row: msg(
            "%(name)s has rank 1, and is %(rounds)s behind the winner",
            name=printable(row["player_id"]),
            rounds=plural("%(many)s round", "%(many)s rounds", row["rounds_behind"]),
        ),
        Cell("placings", "rounds_behind"),
        msg("The winner is behind nobody. Correct the rank, or leave the rounds out."),
    ),
    (
        (_PLAYED | _SERIES) & (pl.col("length") < 1),
        lambda row: (
            msg("the length is %(length)s in a match that was a series", length=row["length"])
            if row["status"] == "series"
            else msg("the length is %(length)s in a match that was played", length=row["length"])
        ),
        Cell("matches", "length"),
        msg("Write the points that win it, or the status bye or walkover."),
    ),
    (
        _SERIES & pl.col("series_wins").is_null(),
        msg("a series has no series_wins"),
        Cell("matches", "series_wins"),
        msg("Write how many matches win the series: 3 for a best of five."),
    ),
    (
        ~_SERIES & pl.col("series_wins").is_not_null(),
        lambda row: msg(
            "series_wins is %(wins)s in a match whose status is %(status)s",
            wins=row["series_wins"],
            status=row["status"] or "played",
        ),
        Cell("matches", "series_wins"),
        msg("Write the status series, or leave series_wins empty."),
    ),
    (
        _PLAYED & pl.col("boards").is_null(),
        msg("%(column)s is empty in a match that was played", column="boards"),
        Cell("team_matches", "boards"),
        _FILL_IN,
    ),
    (
        pl.col("away").is_null() & ~_BYE,
        lambda row: msg("%(team)s has no opponent", team=printable(row["home"])),
        Cell("team_matches", "away"),
        msg("Write the other team, or the status bye."),
    ),
    (
        _PLAYED & (pl.col("boards") == 0),
        msg("a match that was played has 0 boards"),
        Cell("team_matches", "boards", "wbf-vp eq3"),
        msg("Write how many boards were played, or the status bye or void."),
    ),
    *(
        (
            _PLAYED & (pl.col(column) != pl.col(column).floor()),
            _with_number(msg("%(column)s is %(value)s, not a whole number"), column),
            Cell("team_matches", column, "wbf-standings S3"),
            msg(
                "Boards give whole IMPs. Fractions are allowed in home_carry_imps and"
                " away_carry_imps, and in split_home_imps and split_away_imps."
            ),
        )
        for column in ("home_imps", "away_imps")
    ),
    (
        (pl.col("home") == pl.col("away")) & ~_BYE,
        lambda row: msg("%(team)s plays against itself", team=printable(row["home"])),
        Cell("team_matches", "away"),
        msg("Correct one of the two teams."),
    ),
    (
        _BYE & (pl.col("away_adjust_vp") != 0),
        msg("away_adjust_vp is given in a bye, which has no away team"),
        Cell("team_matches", "away_adjust_vp"),
        msg("Write it in home_adjust_vp, or in a match that the other team played."),
    ),
    (
        pl.col("split_home_imps").is_null() != pl.col("split_away_imps").is_null(),
        msg("a split score has only one of split_home_imps and split_away_imps"),
        Cell("team_matches", "split_home_imps", "wbf-standings S2"),
        msg("Write both: the score that counts for the away team."),
    ),
    *(
        (
            pl.col(column) * 100 != (pl.col(column) * 100).floor(),
            _with_number(msg("%(column)s is %(value)s VPs"), column),
            Cell(table, column),
            msg("VPs have two decimals at most: round it as the conditions of contest say."),
        )
        for table, column in _HUNDREDTHS
    ),
)
"""Which rows contradict themselves, what is wrong with one, the cell, and what to do."""


_NOTICES: Sequence[tuple[pl.Expr, Text, Cell, str]] = (
    (
        pl.col("loser_id").is_null() & pl.col("status").is_null(),
        lambda row: msg(
            "a match that %(name)s won names no loser and no status; it counts as played",
            name=printable(row["winner_id"]),
        ),
        Cell("matches", "loser_id"),
        msg("Write who lost, or the status: bye, or played if nobody knows."),
    ),
    (
        _BYE & pl.col("loser_id").is_not_null(),
        lambda row: msg(
            "%(home)s has a bye, and yet an opponent, %(away)s; no points are won",
            home=printable(row["winner_id"]),
            away=printable(row["loser_id"]),
        ),
        Cell("matches", "status"),
        msg("Leave loser_id empty in a bye, or write the status played or walkover."),
    ),
    (
        _BYE & ((pl.col("home_imps") > 0) | (pl.col("away_imps") > 0)),
        lambda row: msg(
            "%(home)s has a bye, and its IMPs do not count", home=printable(row["home"])
        ),
        Cell("team_matches", "status"),
        msg("Leave the IMPs empty in a bye, or write the status played, and who was played."),
    ),
)
"""What a person should look at: which rows, what it is, the cell, and what to do."""


def problems(facts: Facts, incomplete: Collection[str] = ()) -> Iterator[Problem]:
    """Rows that contradict themselves, and matches of teams that contradict each other.

    A bye of teams has no opponent: nothing, or any word that is no team, stands in its place.
    """
    for wrong, what, cell, remedy in _CHECKS:
        table = facts.tables[cell.table]
        if table.height:  # a small report has few tables, and a filter takes its time
            yield from problems_at(table.filter(wrong), what, cell, remedy)
    if facts.tables["team_matches"].height:
        table = facts.tables["team_matches"]
        yield from _board_results(table.filter(_PLAYED), facts.tables["boards"])
        yield from _byes_of_opponents(table)
        yield from _met_again(table)
        if "teams" not in incomplete:
            yield from _unknown_teams(facts)


def _twice_a_round(facts: Facts) -> Iterator[Problem]:
    """Rounds in which a team has several matches: a match of three teams, or a slip."""
    table = facts.tables["team_matches"].filter(pl.col("round").is_not_null() & ~_is("void"))
    sides = (table, table.filter(~_BYE))
    teams = pl.concat(
        matches.select("event_id", "round", FILE, LINE, team=side)
        for matches, side in zip(sides, _SIDES, strict=True)
    ).drop_nulls("team")
    again = teams.sort(FILE, LINE).filter(
        ~pl.struct("event_id", "round", "team").is_first_distinct()
    )
    rounds = again.group_by("event_id", "round", maintain_order=True).agg(
        pl.col("team").unique(maintain_order=True), pl.col(FILE).first(), pl.col(LINE).first()
    )
    yield from problems_at(
        with_event_names(rounds, facts),
        lambda row: msg(
            "several matches in round %(round)s of %(event)s: %(teams)s",
            round=printable(row["round"]),
            event=event_name(row),
            teams=joined([printable(team) for team in row["team"]]),
        ),
        Cell("team_matches", "round"),
        msg("If a team did not meet two others in one round, correct the team or the round."),
    )


_DAYS_IN_ORDER = (
    ("events", "played_on", "completed_on",
     msg("%(id)s was completed on %(day)s, before its match %(match)s of %(other)s"),
     Cell("events", "completed_on")),
    ("events", "completed_on", "end_date",
     msg("%(id)s was completed on %(other)s, after its tournament ended on %(day)s"),
     Cell("events", "completed_on")),
    ("tournaments", "played_on", "end_date",
     msg("%(id)s ends on %(day)s, before its match %(match)s of %(other)s"),
     Cell("tournaments", "end_date")),
)  # fmt: skip
"""Rows whose first day is never after the second; what is said if it is, and of which cell."""


def day_problems(facts: Facts) -> Iterator[Problem]:
    """Each event that was completed, and each tournament that ended, on a day that cannot be."""
    # an id that is there twice is a problem already
    events = facts.tables["events"].unique("event_id", keep="none", maintain_order=True)
    ends = facts.tables["tournaments"].unique("tournament_id", keep="none", maintain_order=True)
    ends = ends.select("tournament_id", "end_date", FILE, LINE)
    events = events.select("event_id", "tournament_id", "completed_on", FILE, LINE)
    columns = ("event_id", "match_id", "played_on")
    tables = (facts.tables[name].select(columns) for name in ("matches", "team_matches"))
    played = events.drop(FILE, LINE, "completed_on").join(
        pl.concat(tables).drop_nulls().sort("played_on", "match_id"), on="event_id"
    )
    of_events, of_tournaments = (
        rows.join(
            played.unique(key, keep="last").select(key, "match_id", "played_on"),
            on=key, how="left", maintain_order="left",
        )
        for rows, key in ((events, "event_id"), (ends, "tournament_id"))
    )  # fmt: skip
    of_events = of_events.join(
        ends.drop(FILE, LINE), on="tournament_id", how="left", maintain_order="left"
    )
    rows = {"events": of_events, "tournaments": of_tournaments}
    for table, other, day, what, cell in _DAYS_IN_ORDER:
        yield from problems_at(
            rows[table].filter(pl.col(day) < pl.col(other)),
            lambda row, day=day, other=other, what=what: msg(  # type: ignore[misc]
                what,
                id=printable(row.get("event_id") or row["tournament_id"]),
                day=LocalNumber(row[day]),
                other=LocalNumber(row[other]),
                match=printable(row["match_id"]),
            ),
            cell,
            _CORRECT_DAY,
        )


def _board_results(played: pl.DataFrame, boards: pl.DataFrame) -> Iterator[Problem]:
    """A match that was played has IMPs, or a result of each of its boards."""
    for column in ("home_imps", "away_imps"):
        yield from problems_at(
            played.join(boards, on="match_id", how="anti").filter(pl.col(column).is_null()),
            msg("%(column)s is empty in a match that was played", column=column),
            Cell("team_matches", column),
            _FILL_IN,
        )
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


def _byes_of_opponents(table: pl.DataFrame) -> Iterator[Problem]:
    """A bye has no opponent that is a team of the event."""
    sides = [table.filter(~_BYE).select("event_id", team=side) for side in _SIDES]
    teams = pl.concat([*sides, table.filter(_BYE).select("event_id", team="home")]).unique()
    yield from problems_at(
        table.filter(_BYE).join(
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


def _met_again(table: pl.DataFrame) -> Iterator[Problem]:
    """The same two teams meet once a round; several meetings have rounds of their own."""
    away = pl.when(_BYE).then(pl.lit("")).otherwise("away")
    pairs = table.filter(pl.col("round").is_not_null() & ~_is("void")).with_columns(
        _one=pl.min_horizontal("home", away), _two=pl.max_horizontal("home", away)
    )
    yield from problems_at(
        pairs.filter(
            ~pl.struct("event_id", "round", "_one", "_two").is_first_distinct()
            & pl.col("_two").is_not_null()
        ),
        lambda row: msg(
            msg("%(team)s has a second bye in round %(round)s")
            if row["status"] == "bye"
            else msg("%(home)s and %(away)s meet a second time in round %(round)s"),
            team=printable(row["home"]),
            home=printable(row["home"]),
            away=printable(row["away"]),
            round=printable(row["round"]),
        ),
        Cell("team_matches", "round"),
        msg("Remove one of the two matches, or give it another round."),
    )


def _unknown_teams(facts: Facts) -> Iterator[Problem]:
    """Where an event's teams are listed, its matches are between them."""
    table = facts.tables["team_matches"]
    entered = facts.tables["teams"].select("event_id", "team").drop_nulls()
    rows = table.join(entered.select("event_id").unique(), on="event_id", how="semi")
    for side in _SIDES:
        used = rows if side == "home" else rows.filter(~_BYE)
        lost = used.join(
            entered, left_on=["event_id", side], right_on=["event_id", "team"], how="anti"
        )
        first = (
            lost.drop_nulls(side)
            .group_by("event_id", side, maintain_order=True)
            .agg(pl.col(FILE).first(), pl.col(LINE).first(), pl.len())
        )
        yield from problems_at(
            with_event_names(first, facts),
            lambda row, side=side: plural(  # type: ignore[misc]
                "the team '%(team)s' is not among the teams of %(event)s (%(many)s match)",
                "the team '%(team)s' is not among the teams of %(event)s (%(many)s matches)",
                row["len"],
                team=printable(row[side]),
                event=event_name(row),
            ),
            Cell("team_matches", side),
            msg("Correct the name, or add it to teams."),
        )


def similar_teams(facts: Facts) -> Iterator[Problem]:
    """Teams of an event whose names differ in capitals and spaces only."""
    table = facts.tables["team_matches"]
    sides = [table, table.filter(~_BYE)]
    used = pl.concat(
        matches.select("event_id", FILE, LINE, team=side)
        for matches, side in zip(sides, _SIDES, strict=True)
    )
    plain = pl.col("team").str.to_lowercase().str.replace_all(r"\s+", "")
    duplicates = (
        used.drop_nulls("team")
        .sort(FILE, LINE)
        .with_columns(_plain=plain)
        .group_by("event_id", "_plain", maintain_order=True)
        .agg(pl.col("team").unique(maintain_order=True), pl.col(FILE).last(), pl.col(LINE).last())
        .filter(pl.col("team").list.len() > 1)
    )
    yield from problems_at(
        with_event_names(duplicates, facts),
        lambda row: msg(
            "%(teams)s in %(event)s: possibly one team",
            teams=joined([f"'{printable(team)}'" for team in row["team"]]),
            event=event_name(row),
        ),
        Cell("team_matches", "home"),
        msg("If so, write its name in one way."),
    )
