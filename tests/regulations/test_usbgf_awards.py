"""USBGF: from a tournament to its awards: what, when, and under which edition."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from palmares.core.errors import FactsRejected
from palmares.regulations.model import Grant
from palmares.regulations.tracing import traced
from tests.regulations.usbgf_events import (
    DAY,
    awarded,
    book,
    earned,
    event,
    exact_points,
    flight,
    grants,
    told,
    tournament,
    won,
)

F = Fraction

FINAL = flight("main", "1* ada, 2* ben")


class TestMatchPoints:
    """'Match Win Master Points are awarded to players each time they win a match …'"""

    def test_the_wins_of_a_flight_are_one_award(self) -> None:
        """Two wins of 9 points and one of 36 in the Main: 1 + 1 + 2."""
        matches = [won("ada", 9), won("ada", 36), won("ada", 9, match_id="again"), won("ben", 9)]
        [grant] = grants(tournament(event(matches=matches)))
        assert (grant.kind, grant.flight, grant.effective) == ("match", "main", DAY)
        assert grant.players == ["ada", "ben"]
        assert grant.columns == {"matches": [3, 1], "match_win_points": [1 + 1 + 2, 1]}
        assert grant.terms == {
            "event_level": 5,
            "event_weight": F(1),
            "division_rank": 1,
            "division_weight": F(1),
        }

    def test_event_weight_division_weight_and_points_are_multiplied(self) -> None:
        """A 9-point win in the second division of a USBGF Blitz: 0.6 x 0.7 x 1."""
        held = event(event_type="USBGF Blitz", division_ranks=(2,), matches=[won("ada", 9)])
        assert earned(tournament(held), "match") == {"ada": F("0.6") * F("0.7") * 1}

    def test_each_flight_has_its_own_award(self) -> None:
        matches = [won("ada", 9), won("ada", 36, flight="consolation")]
        found = {
            one.flight: one.columns["match_win_points"]
            for one in grants(tournament(event(matches=matches)))
        }
        assert found == {"main": [1], "consolation": [2]}

    @pytest.mark.parametrize("status", ["bye", "walkover"])
    def test_nothing_without_a_played_match(self, status: str) -> None:
        """Reading U12."""
        held = event(matches=[won("ada", 9, status=status), won("ben", 9)])
        assert earned(tournament(held), "match") == {"ben": 1}

    @pytest.mark.parametrize(
        ("wins", "points"),
        [(1, F(17)), (2, F(6) / 3)],  # sqrt((17 + 1) x 2) / 3
    )
    def test_a_series_known_by_its_winner(self, wins: int, points: F) -> None:
        """Reading U13: one win is a match of its length."""
        held = event(matches=[won("ada", 17, status="series", wins=wins)])
        found = earned(tournament(held), "match")["ada"]
        assert found == points if wins > 1 else abs(found**2 - points / 9) < F(1, 10**50)

    def test_a_series_without_its_wins_is_refused(self) -> None:
        held = event(matches=[won("ada", 17, status="series", match_id="m7")])
        with pytest.raises(FactsRejected, match="series m7 of Open has no series_wins"):
            awarded(tournament(held))

    def test_a_trace_shows_each_length(self) -> None:
        held = event(matches=[won("ada", 9), won("ben", 36)])
        with traced() as steps:
            awarded(tournament(held))
        wins = [dict(step.inputs) for step in steps if step.clause == "match-win"]
        assert [(one["player"], one["length"]) for one in wins] == [("ada", 9), ("ben", 36)]


class TestPlacementPoints:
    """'Placement Master Points = Event Weight * Division Weight * Rank Points'"""

    @pytest.mark.parametrize(("edition", "weight"), [("2015-05", F(1)), ("2019-01", F("0.6"))])
    def test_a_final(self, edition: str, weight: F) -> None:
        """ABT Major Jackpot, 32 players, second division: 1.2 x 0.7 x weight x 5 x factor."""
        held = event(event_type="ABT Major Jackpot", division_ranks=(2,), flights=[FINAL])
        assert earned(tournament(held), "placement", book(edition)) == {
            "ada": F("1.2") * F("0.7") * weight * 5 * 1,
            "ben": F("1.2") * F("0.7") * weight * 5 * F("0.7"),
        }

    def test_its_terms(self) -> None:
        [grant] = grants(tournament(event(flights=[FINAL])))
        assert (grant.kind, grant.flight, grant.effective) == ("placement", "main", DAY)
        assert grant.terms["number_of_players"] == 32
        assert grant.terms["event_size_factor"] == 5

    def test_the_players_of_the_event_come_first(self) -> None:
        """Reading U5: 64 unique players, though 128 entries are counted for the Main."""
        held = event(entrants=64, flights=[flight("main", "1* ada", entrants=128)])
        assert earned(tournament(held), "placement") == {"ada": F("0.6") * 6}

    def test_else_those_of_the_main(self) -> None:
        held = event(entrants=None, flights=[flight("main", "1* ada", entrants=128)])
        assert earned(tournament(held), "placement") == {"ada": F("0.6") * 7}

    @pytest.mark.parametrize("line", ["1* ada", "1 ada"])
    def test_refused_where_nobody_knows_how_many(self, line: str) -> None:
        held = event(entrants=None, flights=[flight("main", line, entrants=0)])
        with pytest.raises(FactsRejected, match="no number of players above 0"):
            awarded(tournament(held))

    def test_every_event_that_is_refused_is_named(self) -> None:
        wrong = event(entrants=None, flights=[flight("main", "1* ada", entrants=0)])
        with pytest.raises(FactsRejected) as refused:
            awarded(tournament(wrong, replace(wrong, name="Limited")))
        assert len(refused.value.problems) == 2

    def test_divisions_combined(self) -> None:
        """Reading U14: the second and third together weigh 0.7."""
        held = event(division_ranks=(3, 2), flights=[FINAL])
        assert earned(tournament(held), "placement")["ada"] == F("0.7") * F("0.6") * 5

    @pytest.mark.parametrize(
        ("chosen", "weight"), [({}, F(1, 4)), ({"U1": "quick-reference"}, F(1, 2))]
    )
    def test_the_fifth_division(self, chosen: dict[str, str], weight: F) -> None:
        """Reading U1: 1 / (5 - 1), or 0.5 by the quick reference."""
        held = event(division_ranks=(5,), flights=[FINAL])
        found = earned(tournament(held), "placement", book(chosen=chosen))
        assert found["ada"] == weight * F("0.6") * 5

    def test_the_quick_reference_of_2015_contradicts_nothing(self) -> None:
        held = event(division_ranks=(5,), flights=[FINAL])
        by = book("2015-05", {"U1": "quick-reference"})
        assert earned(tournament(held), "placement", by)["ada"] == F(1, 4) * 5


class TestDivisionNobodyNames:
    """'… only if a tournament's criteria for entry categorizes the players' (reading U33)."""

    @pytest.mark.parametrize("edition", ["2015-05", "2019-01"])
    @pytest.mark.parametrize(
        ("name", "rank"),
        [("Advanced", 2), ("Intermediate", 2), ("Limited", 2), ("Novices", 3), ("Beginner", 3)],
    )
    def test_a_name_that_is_typical_of_a_lower_one(
        self, name: str, rank: int, edition: str
    ) -> None:
        silent, first, second = (
            tournament(event(name=f"Spring {name}", division_ranks=ranks, flights=[FINAL]))
            for ranks in ((), (1,), (2,))
        )
        (what,) = told(silent, book(edition))
        assert told(silent, book(edition, number=float)) == [what]
        assert what.endswith(f"is typical of division {rank}")
        assert told(first, book(edition)) == told(second, book(edition)) == []
        of_silent, of_first = (earned(held, "placement", book(edition)) for held in (silent, first))
        assert of_silent == of_first != {}

    def test_an_event_that_earns_nothing_needs_no_division(self) -> None:
        held = event(name="Limited", event_type="Side Event", flights=[FINAL])
        (what,) = told(tournament(held))
        assert what.startswith("Limited earns no Master Points")

    def test_another_name_is_no_sign_of_one(self) -> None:
        assert told(tournament(event(name="Championship", flights=[FINAL]))) == []


class TestTeams:
    """'… no rank points will be awarded' and match win points 'without regard to …' (U20)."""

    @pytest.mark.parametrize("edition", ["2015-05", "2019-01"])
    @pytest.mark.parametrize("name", ["Team Tournaments", "Nations Cup", "federation  cup"])
    def test_a_type_of_teams_without_a_word_about_them(self, name: str, edition: str) -> None:
        """Reading U31: players earn rank points, and somebody should say whether they do."""
        given = {"event_type": name, "completed_on": DAY, "flights": [FINAL]}
        silent, alone, units = (
            tournament(event(team=team, **given), setting="online") for team in (None, False, True)
        )
        what = "; ".join(told(silent, book(edition)))
        assert what.startswith("Open is of the type")
        assert what.endswith("and nobody says whether teams advanced as units")
        assert told(alone, book(edition)) == told(units, book(edition)) == []
        assert earned(silent, "placement") == earned(alone, "placement") != {}
        assert earned(units, "placement") == {}

    def test_another_type_needs_no_word(self) -> None:
        held = event(event_type="Divisional", completed_on=DAY, flights=[FINAL])
        assert told(tournament(held, setting="online")) == []

    def test_match_points_only(self) -> None:
        held = tournament(event(team=True, flights=[FINAL], matches=[won("ada", 9)]))
        assert exact_points(grants(held)) == {("ada", "match", "main", DAY): 1}
        assert told(held) == []


# fmt: off
RECORDED = [
    ("the event's own",   date(2019, 6, 2), date(2019, 6, 1), date(2019, 6, 2)),
    ("the tournament's",  None,             date(2019, 6, 1), date(2019, 6, 1)),
    ("the last day",      None,             None,             DAY),
]
# fmt: on


class TestEffectiveDates:
    """'All Master Points from a given event will take effect as of the date of record …'"""

    @pytest.mark.parametrize(("why", "of_event", "of_tournament", "day"), RECORDED)
    def test_live(
        self, why: str, of_event: date | None, of_tournament: date | None, day: date
    ) -> None:
        report = tournament(
            event(
                date_of_record=of_event,
                flights=[FINAL],
                matches=[won("ada", 9, on=date(2019, 5, 17))],
            ),
            date_of_record=of_tournament,
        )
        assert {(one.kind, one.effective) for one in grants(report)} == {
            ("match", day),
            ("placement", day),
        }, why

    @pytest.mark.parametrize(
        ("completed", "end"), [(date(2019, 5, 9), date(2019, 5, 9)), (None, date(2019, 5, 2))]
    )
    def test_online(self, completed: date | None, end: date) -> None:
        """'Match Points take effect immediately … Rank points … upon the completion …'

        A match without a day of its own was played by the day of the last match (U26).
        """
        report = tournament(
            event(
                event_type="Nations Cup",
                team=False,
                completed_on=completed,
                date_of_record=date(2019, 8, 1),
                flights=[FINAL],
                matches=[won("ada", 9, on=date(2019, 5, 2)), won("ada", 36)],
            ),
            setting="online",
        )
        won_on = {("ada", "match", "main", date(2019, 5, 2)): F(1)}
        last = ("ada", "match", "main", end)
        assert exact_points(grants(report)) == won_on | {last: won_on.get(last, 0) + 2} | {
            ("ada", "placement", "main", end): F("0.6") * 5,
            ("ben", "placement", "main", end): F("0.6") * 5 * F("0.7"),
        }
        assert told(report) == []

    def test_online_where_nothing_says_the_day(self) -> None:
        """Reading U16: the tournament's last day stands for it, and somebody should fill it in."""
        report = tournament(
            event(event_type="Nations Cup", team=False, flights=[FINAL], matches=[won("ada", 9)]),
            setting="online",
        )
        assert {one.effective for one in grants(report)} == {DAY}
        [what] = told(report)
        assert what.startswith("the day of the last match of Open is not known; its points count")
        assert what.endswith("from 2019-05-19, the last day of its tournament")

    def test_live_matters_whose_day_it_is_to_members_alone(self) -> None:
        assert told(tournament(event(flights=[FINAL], matches=[won("ada", 9)]))) == []

    @pytest.mark.parametrize(
        ("setting", "given", "day", "taken_from"),
        [
            ("online", {"completed_on": DAY}, DAY, "completed_on of the event"),
            ("online", {"matches": [won("ada", 9, on=date(2019, 5, 2))]}, date(2019, 5, 2),
             "played_on of its last match"),
            ("online", {}, DAY, "end_date of the tournament"),
            ("live", {"date_of_record": date(2019, 6, 1)}, date(2019, 6, 1),
             "date_of_record of the event"),
            ("live", {"completed_on": date(2019, 5, 2)}, DAY, "end_date of the tournament"),
        ],
    )  # fmt: skip
    def test_the_trace_says_which_day_and_why(
        self, setting: str, given: dict[str, Any], day: date, taken_from: str
    ) -> None:
        name = {"online": "Nations Cup", "live": "ABT Main Event"}[setting]
        held = tournament(event(event_type=name, flights=[FINAL], **given), setting=setting)
        with traced() as steps:
            grants(held)
        last = [one for one in steps if one.clause == f"effective-{setting}"][-1]
        assert (last.value, dict(last.inputs)["taken_from"]) == (day, taken_from)


# fmt: off
IN_FORCE = [
    ("last day before any",      date(2015, 4, 30),  None,      None),
    ("first day of 2015-05",     date(2015, 5, 1),   "2015-05", F(5)),
    ("last day of 2015-05",      date(2018, 12, 31), "2015-05", F(5)),
    ("first day of 2019-01",     date(2019, 1, 1),   "2019-01", F("0.6") * 5),
]
# fmt: on


class TestEditions:
    """'Effective May 2015', 'Effective January, 2019' (reading U16)."""

    @pytest.mark.parametrize(("why", "day", "edition", "points"), IN_FORCE)
    def test_the_one_in_force_on_the_date_of_record(
        self, why: str, day: date, edition: str | None, points: F | None
    ) -> None:
        report = tournament(event(flights=[FINAL], date_of_record=day), end_date=day)
        assert earned(report, "placement").get("ada") == points, why
        assert {one.rules.edition.id for one in grants(report)} == ({edition} - {None})

    def test_before_the_first_a_notice(self) -> None:
        report = tournament(
            event(flights=[FINAL], matches=[won("ada", 9)]), end_date=date(2015, 4, 30)
        )
        assert awarded(report) == []
        assert told(report) == ["Open earns no Master Points for days before 2015-05-01"]

    def test_the_date_of_record_not_the_last_day(self) -> None:
        report = tournament(
            event(flights=[FINAL], date_of_record=date(2019, 1, 2)), end_date=date(2018, 12, 30)
        )
        assert [one.rules.edition.id for one in grants(report)] == ["2019-01"]

    def test_online_each_match_has_its_own(self) -> None:
        """Circuit Monthly is of level 2 in 2018 and of level 3 in 2019."""
        old, new = date(2018, 12, 31), date(2019, 1, 1)
        report = tournament(
            event(
                event_type="Circuit Monthly",
                completed_on=new,
                flights=[FINAL],
                matches=[won("ada", 9, on=old), won("ada", 9, on=new)],
            ),
            setting="online",
        )
        assert exact_points(grants(report)) == {
            ("ada", "match", "main", old): F("0.4"),
            ("ada", "match", "main", new): F("0.6"),
            ("ada", "placement", "main", new): F("0.6") * F("0.6") * 5,
            ("ben", "placement", "main", new): F("0.6") * F("0.6") * 5 * F("0.7"),
        }

    def test_online_rank_points_are_of_the_edition_of_the_last_match(self) -> None:
        """The last match on 29 December 2018, in a tournament that ends on 31 January 2019."""
        last = date(2018, 12, 29)
        report = tournament(
            event(
                event_type="Circuit Monthly",
                flights=[FINAL],
                matches=[won("ada", 9, on=date(2018, 12, 1)), won("ada", 9, on=last)],
            ),
            setting="online",
            end_date=date(2019, 1, 31),
        )
        assert exact_points(grants(report)) == {
            ("ada", "match", "main", date(2018, 12, 1)): F("0.4"),
            ("ada", "match", "main", last): F("0.4"),
            ("ada", "placement", "main", last): F("0.4") * 5,
            ("ben", "placement", "main", last): F("0.4") * 5 * F("0.7"),
        }

    def test_part_of_an_online_event_before_the_first(self) -> None:
        report = tournament(
            event(
                event_type="Divisional",
                matches=[won("ada", 9, on=date(2015, 4, 30)), won("ada", 9, on=date(2015, 5, 1))],
            ),
            setting="online",
            end_date=date(2015, 5, 1),
        )
        assert earned(report, "match") == {"ada": F("0.6")}
        assert told(report) == ["Open earns no Master Points for days before 2015-05-01"]

    def test_an_edition_that_was_asked_for_governs_every_day(self) -> None:
        report = tournament(event(flights=[FINAL]), end_date=date(2010, 1, 1))
        assert earned(report, "placement", book("2019-01"))["ada"] == F("0.6") * 5
        assert told(report, book("2019-01")) == []


class TestSeparation:
    """'Separate Master Points statistics shall be maintained for Match Points and Rank Points.'"""

    def test_one_award_a_player_flight_kind_and_day(self) -> None:
        report = tournament(
            event(flights=[FINAL], matches=[won("ada", 9), won("ben", 9, match_id="x")])
        )
        given = [one for one in awarded(report) if isinstance(one, Grant)]
        assert [(one.kind, list(one.players)) for one in given] == [
            ("match", ["ada", "ben"]),
            ("placement", ["ada", "ben"]),
        ]
