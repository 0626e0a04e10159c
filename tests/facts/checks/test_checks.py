"""Rows that contradict each other, each with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected
from palmares.facts import read_package
from palmares.facts.frames import from_frames
from tests.facts.packs import facts, noticed, package, rejected, told

PLACINGS = "event_id,flight,player_id,rank\n"


def test_a_sound_package_has_no_problem_and_no_notice(tmp_path: Path) -> None:
    sound = facts(tmp_path)
    assert sound.notices == ()
    assert sound["placings"]["rank"].to_list() == [1, 2, 3, 3]


class TestNothingIsThereTwice:
    @pytest.mark.parametrize(
        ("table", "text", "found"),
        [
            ("players", "player_id,name\nada,A\nbob,B\ncyd,C\ndan,D\nada,A\n",
             "players.csv:6: the player ada is listed twice, lines 2 and 6"),
            ("tournaments", "tournament_id,name,end_date\nopen,A,2019-11-17\nopen,B,2019-11-17\n",
             "tournaments.csv:3: the tournament open is there twice, lines 2 and 3"),
            ("events", "event_id,tournament_id,name\nmain,open,A\nmain,open,B\nmain,open,C\n",
             "events.csv:3: the event main is there 3 times, lines 2, 3 and 4"),
            ("flights", "event_id,flight,entrants\nmain,main,4\nmain,Main,4\n",
             "flights.csv:3: the event Main (Open) has the flight main twice, lines 2 and 3"),
            ("placings", PLACINGS + "main,main,ada,1\nmain,main,bob,2\nmain,,ada,3\n",
             "placings.csv:4: ada is placed twice in the main of Main (Open), lines 2 and 4"),
            ("matches", "match_id,event_id,length,winner_id\n1,main,9,ada\n1,main,9,bob\n",
             "matches.csv:3: the match 1 is there twice, lines 2 and 3"),
            ("rates", "currency,date,eur_per_unit\nUSD,2019-11-15,0.9\nusd,2019-11-15,0.8\n",
             "rates.csv:3: the rate of USD on 2019-11-15 is there twice, lines 2 and 3"),
        ],
    )  # fmt: skip
    def test_the_second_row_is_told(
        self, tmp_path: Path, table: str, text: str, found: str
    ) -> None:
        assert found in told(tmp_path, **{table: text})

    def test_a_player_may_play_in_two_flights(self, tmp_path: Path) -> None:
        flights = "event_id,flight,entrants\nmain,main,4\nmain,consolation,3\n"
        placings = PLACINGS + "main,main,ada,1\nmain,consolation,ada,1\n"
        assert told(tmp_path, flights=flights, placings=placings) == []


class TestEveryIdIsKnown:
    @pytest.mark.parametrize(
        ("table", "text", "found"),
        [
            ("events", "event_id,tournament_id,name\nmain,open,A\nside,opne,B\n",
             "events.csv:3: tournament_id 'opne' is not among the tournaments; it is named once"),
            ("flights", "event_id,flight,entrants\nmain,main,4\nx,main,4\n",
             "flights.csv:3: event_id 'x' is not among the events; it is named once"),
            ("placings", PLACINGS + "main,main,ada,1\nmian,main,bob,1\nmian,main,cyd,2\n",
             "placings.csv:3: event_id 'mian' is not among the events; it is named 2 times"),
            ("placings", PLACINGS + "main,main,Ada,1\n",
             "placings.csv:2: player_id 'Ada' is not among the players; it is named once"),
            ("matches", "match_id,event_id,length,winner_id,loser_id\n1,main,9,ada,eve\n",
             "matches.csv:2: loser_id 'eve' is not among the players; it is named once"),
            ("matches", "match_id,event_id,length,winner_id\n1,main,9,eve\n",
             "matches.csv:2: winner_id 'eve' is not among the players; it is named once"),
            ("team_matches", ("match_id,event_id,home,away,boards,home_imps,away_imps\n"
             "1,x,A,B,16,30,20\n"),
             "team_matches.csv:2: event_id 'x' is not among the events; it is named once"),
        ],
    )  # fmt: skip
    def test_an_unknown_id_is_told_once(
        self, tmp_path: Path, table: str, text: str, found: str
    ) -> None:
        assert told(tmp_path, **{table: text}) == [found]

    def test_a_similar_id_is_offered(self, tmp_path: Path) -> None:
        text = "event_id,tournament_id,name\nmain,opne,A\n"
        (problem,) = rejected(tmp_path, events=text)
        assert problem.clause == "facts events.tournament_id"
        assert problem.remedy == "Write open, if that is meant; or add it to tournaments."

    def test_a_table_that_is_not_there_is_told_once(self, tmp_path: Path) -> None:
        assert told(tmp_path, players=None) == [
            "placings.csv:2: these ids refer to a table players that is missing"
        ]

    def test_what_a_broken_file_lacks_is_not_missed(self, tmp_path: Path) -> None:
        players = "player_id,name\nada,A\nbob,B\n" + '"cyd'
        assert told(tmp_path, players=players) == [
            "players.csv:4: a quotation mark opens here and is never closed: the file breaks off"
        ]

    def test_a_member_who_never_played_is_only_noticed(self, tmp_path: Path) -> None:
        members = "player_id,federation,start\nada,usbgf,2019-01-01\neve,usbgf,2019-01-01\n"
        assert noticed(tmp_path, memberships=members) == [
            "memberships.csv:3: 1 member is not among the players: eve"
        ]


class TestRanksLieWithinTheField:
    """'rank is competition rank: ... the next places are skipped (1, 2, 3, 3, 5).'"""

    @pytest.mark.parametrize(
        ("ranks", "entrants", "found"),
        [
            ([1, 2, 3, 3],  4, []),                                   # 3 + 2 - 1 = 4
            ([1, 2, 3, 3],  3, ["4: 2 players share ranks 3 to 4 in a field of 3",
                                "2: 4 players are placed in a field of 3"]),
            ([1, 2, 3, 4],  4, []),
            ([1, 2, 3, 5],  4, ["5: rank 5 in a field of 4"]),
            ([2, 4],        4, []),                                   # 1 and 3 are withheld
            ([1, 1, 1, 1],  4, []),                                   # ties of any size
            ([1, 1, 2, 4],  4, ["4: rank 2 follows 2 players at rank 1"]),
            ([1, 2, 2, 3],  4, ["5: rank 3 follows 2 players at rank 2"]),
            ([1, 2, 2, 4],  4, []),
            ([1, 1, 2, 3],  4, ["4: rank 2 follows 2 players at rank 1"]),  # told once a flight
        ],
    )  # fmt: skip
    def test_ranks(self, tmp_path: Path, ranks: list[int], entrants: int, found: list[str]) -> None:
        rows = zip(("ada", "bob", "cyd", "dan"), ranks, strict=False)
        placings = PLACINGS + "".join(f"main,main,{who},{rank}\n" for who, rank in rows)
        flights = f"event_id,flight,entrants\nmain,main,{entrants}\n"
        problems = told(tmp_path, placings=placings, flights=flights)
        assert len(problems) == len(found)
        assert all(
            one.startswith(f"placings.csv:{start}")
            for one, start in zip(problems, found, strict=True)
        )

    def test_a_dense_rank_cites_the_reading(self, tmp_path: Path) -> None:
        placings = PLACINGS + "main,main,ada,1\nmain,main,bob,1\nmain,main,cyd,2\n"
        (problem,) = rejected(tmp_path, placings=placings)
        assert (
            problem.what
            == "rank 2 follows 2 players at rank 1 in the main of Main (Open); the next place is 3"
        )
        assert problem.clause == "facts placings.rank, reading W14"
        assert "1, 2, 3, 3, 5" in problem.remedy

    @pytest.mark.parametrize(
        ("rows", "found"),
        [
            ("ada,1,\nbob,2,\ncyd,3,2\n", []),                        # 3 and 4 share; one is listed
            ("ada,1,\nbob,2,\ncyd,3,3\n", ["placings.csv:4: 3 players share ranks 3 to 5"]),
            ("ada,1,2\nbob,1,2\ncyd,3,\n", []),
            ("ada,1,2\nbob,2,\ncyd,3,\n", ["placings.csv:3: rank 2 follows 2 players at rank 1"]),
            ("ada,1,1\nbob,1,1\ncyd,3,\n", ["placings.csv:2: tied is 1 at rank 1"]),
            ("ada,1,2\nbob,1,3\ncyd,4,\n", ["placings.csv:2: tied is 2 and 3 at rank 1"]),
        ],
    )  # fmt: skip
    def test_tied_counts_unlisted_players(
        self, tmp_path: Path, rows: str, found: list[str]
    ) -> None:
        lines = "".join(f"main,{row}\n" for row in rows.splitlines())
        problems = told(tmp_path, placings="event_id,player_id,rank,tied\n" + lines)
        assert [one[: len(start)] for one, start in zip(problems, found, strict=True)] == found

    def test_a_main_without_a_row_has_the_entrants_of_the_event(self, tmp_path: Path) -> None:
        events = "event_id,tournament_id,name,entrants\nmain,open,Main,3\n"
        assert told(tmp_path, flights=None, events=events) == [
            "placings.csv:4: 2 players share ranks 3 to 4 in a field of 3, the main of Main (Open)",
            "placings.csv:2: 4 players are placed in a field of 3, the main of Main (Open)",
        ]

    def test_a_consolation_of_unknown_size_is_told_where_it_decides(self, tmp_path: Path) -> None:
        placings = PLACINGS + "main,main,ada,1\nmain,consolation,bob,1\n"
        found = "placings.csv:3: the number of entrants is missing: the consolation of Main (Open)"
        (problem,) = told(tmp_path / "wbgf", placings=placings)
        assert problem.startswith(found)
        (wrong,) = rejected(tmp_path / "column", placings=placings)
        assert wrong.remedy == (
            "Say how many players entered, listed or not: in flights.csv, with event_id, flight"
            " (consolation) and entrants."
        )
        other = "event_id,tournament_id,name,kind\nmain,open,Main,other\n"
        (notice,) = noticed(tmp_path / "usbgf", placings=placings, events=other)
        assert notice.startswith(found)

    def test_a_rank_below_1_is_told(self, tmp_path: Path) -> None:
        placings = PLACINGS + "main,main,ada,1\nmain,main,bob,0\nmain,main,cyd,-1\n"
        assert told(tmp_path, placings=placings) == [
            "placings.csv:3: rank is 0, not from 1 to 1,000,000,000",
            "placings.csv:4: rank is -1, not from 1 to 1,000,000,000",
        ]


class TestFlightsToLookAt:
    """A warning names its tournament."""

    def test_other_flights_earn_nothing(self, tmp_path: Path) -> None:
        placings = PLACINGS + "main,main,ada,1\nmain,Lucky Loser,bob,1\n"
        assert noticed(tmp_path, placings=placings) == [
            ("placings.csv:3: no regulation awards points for the Lucky Loser of Main (Open)")
        ]

    def test_a_rating_knows_a_main_alone(self, tmp_path: Path) -> None:
        placings = PLACINGS + "main,main,ada,1\nmain,consolation,bob,1\n"
        tournaments = "tournament_id,name,end_date,discipline\nopen,Open,2019-11-17,Diplomacy\n"
        flights = "event_id,flight,entrants\nmain,main,4\nmain,consolation,2\n"
        assert noticed(tmp_path, placings=placings, tournaments=tournaments, flights=flights) == [
            "flights.csv:3: no regulation awards points for the consolation of Main (Open)"
        ]

    def test_a_flight_without_entrants_was_not_played(self, tmp_path: Path) -> None:
        flights = "event_id,flight,entrants\nmain,main,4\nmain,last chance,0\n"
        assert noticed(tmp_path, flights=flights) == [
            (
                "flights.csv:3: the last chance of Main (Open) has no entrants and is taken as"
                " not played"
            )
        ]

    def test_two_numbers_of_entrants(self, tmp_path: Path) -> None:
        events = "event_id,tournament_id,name,entrants\nmain,open,Main,5\n"
        assert noticed(tmp_path, events=events) == [
            "flights.csv:2: the main of Main (Open) has 4 entrants, its event has 5"
        ]

    def test_more_players_below_the_main_than_in_it(self, tmp_path: Path) -> None:
        """'unique players' (W7): all of a Consolation were in the Main."""
        flights = "event_id,flight,entrants\nmain,main,4\nmain,consolation,5\nmain,last_chance,4\n"
        assert noticed(tmp_path, flights=flights) == [
            "flights.csv:3: the consolation of Main (Open) has 5 entrants, the Main has 4"
        ]

    def test_a_fee_of_more_than_a_million(self, tmp_path: Path) -> None:
        events = "event_id,tournament_id,name,entry_fee\nmain,open,Main,1000001\n"
        assert noticed(tmp_path, events=events) == [
            "events.csv:2: entry_fee of Main (Open) is 1,000,001; more than 1,000,000 is unusual"
        ]

    @pytest.mark.parametrize(
        ("table", "cells", "found"),
        [
            ("flights", "event_id,flight,entrants,match_length\nmain,main,5,1000000\n",
             ["flights.csv:2: match_length of Main (Open) is 1,000,000; more than 99 is unusual"]),
            ("flights", "event_id,flight,entrants\nmain,main,100000\n",
             ["flights.csv:2: entrants of Main (Open) is 100,000; more than 10,000 is unusual"]),
            ("events", "event_id,tournament_id,name,rounds,bonus_grade\nmain,open,Main,101,10.5\n",
             ["events.csv:2: bonus_grade of Main (Open) is 10.5; more than 10 is unusual",
              "events.csv:2: rounds of Main (Open) is 101; more than 100 is unusual"]),
            ("events", "event_id,tournament_id,name,added_money\nmain,open,Main,10000000.5\n",
             [("events.csv:2: added_money of Main (Open) is 10,000,000.5; more than 10,000,000 is"
               " unusual")]),
            ("tournaments", ("tournament_id,name,end_date,currency,eur_per_unit\n"
             "open,Open,2019-11-17,USD,109\n"),
             ["tournaments.csv:2: eur_per_unit of Open is 109; more than 20 is unusual"]),
            ("tournaments", "tournament_id,name,end_date\nopen,Open,1910-11-17\n",
             ["tournaments.csv:2: Open ends in the year 1910"]),
            ("tournaments", "tournament_id,name,end_date\nopen,Open,2190-11-17\n",
             ["tournaments.csv:2: Open ends in the year 2190"]),
            ("tournaments", ("tournament_id,name,start_date,end_date\n"
             "open,Open,2018-11-16,2019-11-17\n"),
             ["tournaments.csv:2: Open lasts from 2018-11-16 to 2019-11-17"]),
            ("matches", ("match_id,event_id,length,winner_id,loser_id,played_on\n"
             "m1,main,100,ada,bob,2018-11-16\nm2,main,99,ada,bob,2019-11-16\n"),
             ["matches.csv:2: length of Main (Open) is 100; more than 99 is unusual",
              ("matches.csv:2: the match m1 of Main (Open) was played on 2018-11-16, before the"
               " tournament began")]),
        ],
    )  # fmt: skip
    def test_a_number_or_a_day_that_is_hardly_meant(
        self, tmp_path: Path, table: str, cells: str, found: list[str]
    ) -> None:
        assert noticed(tmp_path, **{table: cells}) == found

    def test_a_country_that_we_do_not_know(self, tmp_path: Path) -> None:
        tournaments = "tournament_id,name,end_date,country\nopen,Open,2019-11-17,Atlantis\n"
        assert noticed(tmp_path, tournaments=tournaments) == [
            "tournaments.csv:2: the country 'Atlantis' of open is unknown; it is kept as written"
        ]


class TestDaysOfPlay:
    """No event is completed, and no tournament ends, before one of its matches (usbgf U16)."""

    MATCHES = (
        "match_id,event_id,played_on,length,winner_id,loser_id\n"
        "m1,main,2019-11-16,9,ada,bob\nm2,main,2019-11-17,9,ada,bob\nm3,main,,9,ada,cyd\n"
    )
    EVENTS = "event_id,tournament_id,name,completed_on\nmain,open,Main,{}\n"
    ENDS = "tournament_id,name,end_date\nopen,Open,{}\n"

    @pytest.mark.parametrize(
        ("completed", "end", "found"),
        [
            ("2019-11-17", "2019-11-17", []),
            ("2019-11-18", "2019-11-17",
             [("events.csv:2: main was completed on 2019-11-18, after its tournament ended on"
               " 2019-11-17")]),
            ("", "2019-11-17", []),
            ("2019-11-16", "2019-11-17",
             ["events.csv:2: main was completed on 2019-11-16, before its match m2 of 2019-11-17"]),
            ("", "2019-11-16",
             ["tournaments.csv:2: open ends on 2019-11-16, before its match m2 of 2019-11-17"]),
            ("2019-11-15", "2019-11-15",
             ["events.csv:2: main was completed on 2019-11-15, before its match m2 of 2019-11-17",
              "tournaments.csv:2: open ends on 2019-11-15, before its match m2 of 2019-11-17"]),
        ],
    )  # fmt: skip
    def test_a_match_after_the_end(
        self, tmp_path: Path, completed: str, end: str, found: list[str]
    ) -> None:
        tables = {
            "tournaments": self.ENDS.format(end),
            "events": self.EVENTS.format(completed),
            "matches": self.MATCHES,
        }
        assert told(tmp_path, **tables) == found

    def test_a_match_of_teams(self, tmp_path: Path) -> None:
        matches = "match_id,event_id,home,away,boards,home_imps,away_imps,played_on\n"
        matches += "t1,main,A,B,16,20,10,2019-11-18\n"
        assert told(tmp_path, team_matches=matches) == [
            "tournaments.csv:2: open ends on 2019-11-17, before its match t1 of 2019-11-18"
        ]


@pytest.mark.parametrize(
    ("table", "text", "found"),
    [
        ("tournaments", "tournament_id,name,start_date,end_date\nopen,A,2019-11-18,2019-11-17\n",
         "2: the end, 2019-11-17, is before the start, 2019-11-18"),
        ("memberships", "player_id,federation,start,end\nada,usbgf,2019-01-02,2019-01-01\n",
         "2: the end, 2019-01-01, is before the start, 2019-01-02"),
        ("tournaments", "tournament_id,name,end_date,eur_per_unit\nopen,A,2019-11-17,0.90\n",
         "2: eur_per_unit is 0.9 for EUR"),
        ("tournaments",
         "tournament_id,name,end_date,currency,eur_per_unit\nopen,A,2019-11-17,USD,-1\n",
         "2: eur_per_unit is -1, not above 0"),
        ("rates", "currency,date,eur_per_unit\nUSD,2019-11-15,0\n",
         "2: eur_per_unit is 0, not above 0"),
        ("events", "event_id,tournament_id,name,entry_fee\nmain,open,A,-100\n",
         "2: entry_fee is -100, not from 0 to 999,999,999,999,999"),
        ("events", "event_id,tournament_id,name,event_level\nmain,open,A,7\n",
         "2: event_level is 7, not from 0 to 6"),
        ("events", "event_id,tournament_id,name,division_rank\nmain,open,A,1+\n",
         "2: division_rank is '1+'"),
        ("matches", "match_id,event_id,length,winner_id,loser_id\n1,main,9,ada,ada\n",
         "2: ada plays against themselves"),
        ("matches", "match_id,event_id,length,winner_id,loser_id\n1,main,0,ada,bob\n",
         "2: the length is 0 in a match that was played"),
        ("matches", "match_id,event_id,length,winner_id,loser_id\n1,main,9,,bob\n",
         "2: winner_id is missing"),
        ("matches", "match_id,event_id,length,winner_id,status\n1,main,9,ada,series\n",
         "2: a series has no series_wins"),
        ("matches", "match_id,event_id,length,winner_id,series_wins\n1,main,9,ada,3\n",
         "2: series_wins is 3 in a match whose status is played"),
        ("team_matches", ("match_id,event_id,home,away,boards,home_imps,away_imps\n"
         "1,main,A,A,16,30,20\n"),
         "2: A plays against itself"),
    ],
)  # fmt: skip
def test_a_row_that_contradicts_itself(tmp_path: Path, table: str, text: str, found: str) -> None:
    assert told(tmp_path, **{table: text}) == [f"{table}.csv:{found}"]


_MATCHES = "match_id,event_id,length,winner_id,loser_id,status\n1,main,9,"
_TEAMS = "match_id,event_id,home,away,boards,home_imps,away_imps,status\n1,main,A,,16,"


@pytest.mark.parametrize(
    ("table", "text", "found"),
    [
        ("matches", _MATCHES + "ada,bob,\n", ""),
        ("matches", _MATCHES + "ada,,bye\n", ""),
        ("matches", _MATCHES + "ada,,played\n", ""),
        ("matches", _MATCHES + "ada,,\n",
         "a match that ada won names no loser and no status; it counts as played"),
        ("matches", _MATCHES + "ada,bob,bye\n",
         "ada has a bye, and yet an opponent, bob; no points are won"),
        ("team_matches", _TEAMS + "0,0,bye\n", ""),
        ("team_matches", _TEAMS + "30,4,bye\n", "A has a bye, and its IMPs do not count"),
    ],
)  # fmt: skip
def test_a_row_to_look_at(tmp_path: Path, table: str, text: str, found: str) -> None:
    """U12: 'no match points without a played match'."""
    told = noticed(tmp_path, **{table: text})
    assert told == ([f"{table}.csv:2: {found}"] if found else [])


@pytest.mark.parametrize("divisions", ["1", "2", "1+2", "10+11+12"])
def test_divisions(tmp_path: Path, divisions: str) -> None:
    events = f"event_id,tournament_id,name,division_rank\nmain,open,A,{divisions}\n"
    assert told(tmp_path, events=events) == []


@pytest.mark.parametrize("status", ["bye", "walkover", "Walkover"])
def test_a_match_that_was_not_played_needs_no_length(tmp_path: Path, status: str) -> None:
    matches = f"match_id,event_id,length,winner_id,status\n1,main,0,ada,{status}\n"
    assert told(tmp_path, matches=matches) == []


NO_RESULTS = {"tournaments": None, "events": None, "flights": None, "placings": None}


class TestNobodyIsMergedByGuess:
    @pytest.mark.parametrize(
        ("one", "other", "alike"),
        [
            ("Ada Novák",          "Ada Novak (CZE)",   True),
            ("Ada Novák",          "NOVAK Ada",         True),
            ("Søren Łoś",          "Soren Los",         True),
            ("Jean-Luc d'Arc",     "Jean Luc D’Arc",    True),
            ("Ada Novak",          "Ada Nowak",         False),
            ("Ada Novak (CZE)",    "Ada Novak (USA)",   True),
        ],
    )  # fmt: skip
    def test_names_of_the_same_letters_are_noticed(
        self, tmp_path: Path, one: str, other: str, alike: bool
    ) -> None:
        rows = "".join(f"{who},{who.split(' (')[0]}\n" for who in (one, other))
        players = "player_id,name\n" + rows
        notices = noticed(tmp_path, players=players, **NO_RESULTS)
        assert notices == [f"players.csv:3: {one} and {other}: possibly one person"] * alike

    def test_an_id_in_one_place_and_the_bare_name_in_another(self, tmp_path: Path) -> None:
        players = "player_id,name\nn17,Ada Novak\nAda Novak (CZE),Ada Novak\nn18,Ben Olsen\n"
        assert noticed(tmp_path, players=players, **NO_RESULTS) == [
            "players.csv:3: Ada Novak [n17] and Ada Novak (CZE): possibly one person"
        ]

    def test_ids_that_are_no_names_are_left_alone(self, tmp_path: Path) -> None:
        assert noticed(tmp_path, players="player_id,name\n1,Ada\n2,Ada\n", **NO_RESULTS) == []


class TestResultsThatWereForgotten:
    """Else a report without them is "No problems", and nobody gets a point of it."""

    def test_a_tournament_without_an_event(self, tmp_path: Path) -> None:
        tournaments = "tournament_id,name,end_date\nopen,Open,2019-11-17\ngraz,Graz,2019-11-24\n"
        assert noticed(tmp_path, tournaments=tournaments) == [
            "tournaments.csv:3: Graz has no event"
        ]

    def test_no_event_has_a_result(self, tmp_path: Path) -> None:
        assert noticed(tmp_path, placings=None) == [
            "events.csv:2: Main (Open) has no placing and no match"
        ]


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    package(
        tmp_path,
        tournaments="tournament_id,name,end_date\nopen,A,17.11.2019\n",
        placings=PLACINGS + "main,main,ada,x\nmain,main,bob,5\nside,main,bob,1\n",
    )
    with pytest.raises(FactsRejected) as raised:
        read_package(tmp_path)
    assert str(raised.value).startswith("4 problems, nothing was computed.\n")
    assert len(raised.value.problems) == len(["the date", "the rank x", "the rank 5", "side"])


def test_very_many_problems_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"main,main,ada,{rank}\n" for rank in ["x"] * 1500)
    problems = rejected(tmp_path, placings=PLACINGS + rows)
    assert problems[1000].what == "and 500 more of this kind from here on"


def test_no_facts_at_all_are_sound() -> None:
    assert from_frames({}).notices == ()
