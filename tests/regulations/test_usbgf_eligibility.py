"""USBGF: which events award points, and who may have them."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from palmares.core.errors import FactsRejected
from palmares.regulations import usbgf
from palmares.regulations.model import Advice, Membership
from tests.regulations.usbgf_events import (
    ALWAYS,
    DAY,
    Everybody,
    awarded,
    book,
    earned,
    event,
    flight,
    grants,
    told,
    tournament,
    won,
)

F = Fraction

FINAL = flight("main", "1* ada, 2* ben")


class TestEligibleEvents:
    """'If an event class is not listed … that class of event is not Master Points Eligible.'"""

    @pytest.mark.parametrize(
        ("setting", "name", "weight"),
        [
            ("live", "ABT Main Event", F(1)),
            ("live", "abt  main\tevent ", F(1)),
            ("online", "Director’s Cup", F("0.6")),
            ("online", "DIRECTOR'S CUP", F("0.6")),
            ("online", "Director's Cup;", F("0.6")),
            ("live", "ABT Major Jackpot (e.g. Masters, Limited)", F("1.2")),
        ],
    )
    def test_a_name_as_people_write_it(self, setting: str, name: str, weight: F) -> None:
        held = tournament(event(event_type=name, matches=[won("ada", 9, on=DAY)]), setting=setting)
        assert earned(held, "match") == {"ada": weight}
        assert told(held) == []

    @pytest.mark.parametrize(
        ("setting", "name", "words"),
        [
            ("live", "Side Event", "its type Side Event is not in"),
            ("live", None, "it has no event_type"),
            ("online", "ABT Main Event", "for online events"),
            (
                "live",
                "ABT Major Jackpot (Masters)",
                "its type ABT Major Jackpot (Masters) is not in",
            ),
        ],
    )
    def test_another_earns_nothing(self, setting: str, name: str | None, words: str) -> None:
        """Reading U19."""
        held = tournament(
            event(event_type=name, matches=[won("ada", 9)], flights=[FINAL]), setting=setting
        )
        assert awarded(held) == []
        [what] = told(held)
        assert words in what

    def test_an_officer_gives_a_level_to_a_new_type(self) -> None:
        held = tournament(event(event_type="Grand Slam", event_level=3, matches=[won("ada", 9)]))
        assert earned(held, "match") == {"ada": F("0.6")}
        assert told(held) == []

    def test_the_table_governs_a_known_type(self) -> None:
        held = tournament(event(event_level=3, matches=[won("ada", 9)]))
        assert earned(held, "match") == {"ada": 1}
        assert told(held) == ["Open: event_level 3 is left aside, ABT Main Event has level 5"]

    def test_the_same_level_is_fine(self) -> None:
        assert told(tournament(event(event_level=5, matches=[won("ada", 9)]))) == []

    def test_level_0(self) -> None:
        """'Level 0 events are not awarded Master Points.'"""
        held = tournament(event(event_type="Fun", event_level=0, flights=[FINAL]))
        assert awarded(held) == []
        assert told(held) == ["Open earns no Master Points: it is of level 0"]

    def test_a_level_that_is_not_printed_is_refused(self) -> None:
        held = tournament(event(event_type="Fun", event_level=7, flights=[FINAL]))
        with pytest.raises(FactsRejected, match="event_level 7"):
            awarded(held)

    def test_an_event_without_results_is_not_mentioned(self) -> None:
        assert told(tournament(event(event_type="Side Event"))) == []

    def test_a_flight_the_text_does_not_know(self) -> None:
        """Reading U27: match points, no rank points."""
        held = tournament(
            event(
                flights=[FINAL, flight("second_chance", "1* zoe"), flight("jackpot", "1 pat")],
                matches=[won("zoe", 9, flight="second_chance")],
            )
        )
        assert set(earned(held, "placement")) == {"ada", "ben"}
        assert earned(held, "match") == {"zoe": 1}
        assert told(held) == ["the flight second chance of Open earns no rank points"]


def member(first: date, last: date | None, level: str = "Basic", of: str = "usbgf") -> Membership:
    return Membership(of, level, first, last)


# fmt: off
MEMBERSHIPS = [
    ("first day",            member(DAY, None),                                 True),
    ("the day after",        member(date(2019, 5, 20), None),                   False),
    ("last day",             member(date(2018, 5, 20), DAY),                    True),
    ("the day before",       member(date(2018, 5, 19), date(2019, 5, 18)),      False),
    ("another federation",   member(DAY, None, of="WBGF"),                      False),
    ("as people write it",   member(DAY, None, of="USBGF"),                     True),
    ("a higher level",       member(DAY, None, "Life"),                         True),
    ("basic",                member(DAY, None, "BASIC"),                        True),
    ("no level (U25)",       member(DAY, None, ""),                             True),
    ("guest",                member(DAY, None, "Guest"),                        False),
    ("none",                 member(DAY, None, "none"),                         False),
    ("free",                 member(DAY, None, "Free"),                         False),
    ("trial",                member(DAY, None, "Trial"),                        False),
    ("expired",              member(DAY, None, "expired"),                      False),
]
# fmt: on


class TestEligibility:
    """'Only players who are USBGF Basic members (or higher) at the time an event is played …'"""

    @pytest.mark.parametrize("edition", ["2015-05", "2019-01"])
    @pytest.mark.parametrize(("why", "held", "counts"), MEMBERSHIPS)
    def test_on_the_day_of_play(
        self, edition: str, why: str, held: Membership, counts: bool
    ) -> None:
        by = book(edition)
        members = Everybody({"ada": (held,)})
        report = tournament(event(flights=[FINAL], matches=[won("ada", 9), won("ben", 9)]))
        assert ("ada" in earned(report, "placement", by, members)) is counts, why
        assert ("ada" in earned(report, "match", by, members)) is counts, why

    def test_any_of_several_memberships(self) -> None:
        held = (member(date(2017, 1, 1), date(2017, 12, 31)), member(DAY, DAY))
        assert usbgf.is_eligible(book().all[0], {"ada": held}, "ada", DAY)

    def test_the_points_of_others_are_forfeited(self) -> None:
        """Reading U11: a stranger uses up their rank; nobody moves up."""
        report = tournament(event(flights=[flight("main", "1* ada, 2* ben, 3* cid dan")]))
        found = earned(report, "placement", members=Everybody({"ada": (), "cid": ()}))
        assert found == {"ben": F("0.6") * 5 * F("0.7"), "dan": F("0.6") * 5 * F(5, 12)}

    def test_the_day_of_each_match(self) -> None:
        """Reading U26: a member from the second day on, live points count from the last."""
        second = date(2019, 5, 18)
        matches = [won("ada", 9, on=date(2019, 5, 17)), won("ada", 36, on=second)]
        members = {"ada": (member(second, None),)}
        [grant] = grants(tournament(event(matches=matches)), members=members)
        assert (grant.columns, grant.effective) == ({"matches": [1], "match_win_points": [2]}, DAY)

    @pytest.mark.parametrize(("completed", "counts"), [(None, True), (date(2019, 5, 18), False)])
    def test_else_the_last_day_of_the_event_or_the_tournament(
        self, completed: date | None, counts: bool
    ) -> None:
        report = tournament(event(completed_on=completed, flights=[FINAL], matches=[won("ada", 9)]))
        members = {"ada": (member(DAY, None),)}
        assert bool(earned(report, "match", members=members)) is counts
        assert bool(earned(report, "placement", members=members)) is counts

    @pytest.mark.parametrize(("member_until", "counts"), [(17, False), (18, True)])
    def test_rank_points_of_members_on_the_day_of_the_last_match(
        self, member_until: int, counts: bool
    ) -> None:
        """Reading U26: live, too, the places were won on the day of the event's last match."""
        matches = [won("ben", 9, on=date(2019, 5, day)) for day in (16, 18)]
        report = tournament(event(flights=[FINAL], matches=matches))
        members = {"ada": (member(date(2019, 1, 1), date(2019, 5, member_until)),)}
        assert bool(earned(report, "placement", members=members)) is counts

    def test_a_world_without_members_is_told_how_to_record_them(self) -> None:
        report = tournament(event(flights=[FINAL], matches=[won("ada", 9)]))
        [notice] = [one for one in awarded(report, members={}) if isinstance(one, Advice)]
        assert "all points of Open are forfeited" in notice.problem.what
        assert "Add their memberships" in notice.problem.remedy
        assert grants(report, members={}) == []

    def test_one_member_is_enough(self) -> None:
        report = tournament(event(flights=[FINAL], matches=[won("ada", 9)]))
        assert told(report, members={"ben": ALWAYS}) == []
