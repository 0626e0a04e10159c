"""Races: which results count, as of which day, and the final that is published."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from palmares.core.errors import FactsRejected
from palmares.formats.load import gathered
from palmares.journal.commands.announcements import parse_race
from palmares.journal.store.entries import Race
from palmares.lists import races
from palmares.lists.publication import make_publication
from palmares.lists.publication.manifests import Manifest, verify_with_facts
from palmares.points.awards import Question, award
from palmares.points.ledger import rank
from palmares.points.rankings import Selection

HEAD = 'race = "points"\nname = "Points race"\nregulation = "usbgf"\n'
EXAMPLE = Path(__file__).parents[2] / "examples" / "race-2019.toml.example"


def race(**more: object) -> Race:
    return msgspec.convert(
        {"race": "points", "name": "Points race", "regulation": "usbgf", **more}, Race
    )


def test_the_example_is_one() -> None:
    given = parse_race(EXAMPLE.read_text(encoding="utf-8"))
    assert races.race_selection(given, date(2019, 5, 5)) == Selection(
        as_of=date(2019, 5, 5),
        since=date(2019, 1, 1),
        until=date(2019, 12, 31),
        setting="live",
        divisions=(1, 2),
    )


def test_after_its_last_day_a_race_is_final() -> None:
    given = race(until=date(2019, 12, 31))
    assert races.race_selection(given, date(2026, 1, 1)).as_of == date(2019, 12, 31)


def test_one_kind_of_two() -> None:
    assert races.race_selection(race(kinds=["match"]), date(2019, 1, 1)).kind == "match"
    assert (
        races.race_selection(race(kinds=["placement", "match"]), date(2019, 1, 1)).kind == "total"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("race = 5", "r.toml:1: race is not a text"),
        (HEAD.replace("usbgf", "elo"), "there is no elo with a ranking"),
        (HEAD + 'kinds = ["rating"]', "usbgf has no points of the kind rating"),
        (HEAD + 'setting = "moon"', "it is live or online, not moon"),
        (HEAD + "since = 2019-12-31\nuntil = 2019-01-01", "since is after until"),
        (HEAD + "divisions = [0]", "divisions is less than 1"),
        (HEAD + "divisions = [1, 1]", "one of them stands there twice"),
        (HEAD.replace("usbgf", "dptr") + "divisions = [1]", "a rating goes on"),
        (HEAD + "untl = 2019-01-01", "there is no key untl [race]\n    Did you mean until?"),
        ("race = ", "r.toml:1: the value after = cannot be read"),
    ],
)
def test_what_is_no_race(text: str, message: str) -> None:
    with pytest.raises(FactsRejected) as refused:
        parse_race(text, "r.toml")
    assert message in str(refused.value)


class TestDivisions:
    """The Hope-N-Open of 2019 and the Advanced Divisional: divisions 1, 2 and 3."""

    FACTS = gathered("examples/usbgf")

    def test_each_division_by_itself_and_together(self) -> None:
        given = award(Question(regulation="usbgf"), self.FACTS)

        def total(*divisions: int) -> int:
            selection = Selection(as_of=date(2019, 12, 31), divisions=divisions)
            return sum(rank(given, selection).frame["nanopoints"].to_list())

        parts = [total(division) for division in (1, 2, 3)]
        assert sum(parts) == total()
        assert all(part > 0 for part in parts)
        assert total(1, 2) == parts[0] + parts[1]

    def test_of_an_event_across_the_end_the_matches_inside_count(self) -> None:
        """Online, a match counts on its day: the semifinals of 10 and 12 November, no final.

        Level 2 weighs 0.4, the second division 0.7, a match of 15 points sqrt(15) / 3.
        """
        given = award(Question(regulation="usbgf"), self.FACTS)
        selection = races.race_selection(
            race(setting="online", until=date(2019, 11, 12)), date(2019, 12, 31)
        )
        won = round(0.4 * 0.7 * 15**0.5 / 3, 9)
        assert rank(given, selection).published().select("player", "points").rows() == [
            ("Jasper Watertor", won),
            ("Kara Schultz", won),
        ]

    def test_a_published_final_is_verified(self) -> None:
        given = parse_race(EXAMPLE.read_text(encoding="utf-8"))
        selection = races.race_selection(given, date(2020, 6, 1))
        made = make_publication(Question(regulation="usbgf"), self.FACTS, selection)
        assert made.publication.name == (
            "usbgf 2019-12-31 since 2019-01-01 until 2019-12-31 live division 1+2"
        )
        assert verify_with_facts(Manifest(publication=made.publication), self.FACTS).identical
