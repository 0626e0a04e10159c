"""The made-up season of the demonstration: the same for a day, alive up to it, and in order."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from palmares.cli.demo import calendar, season
from palmares.cli.demo.calendar import NAMES, VARIANTS, WITHHELD, players
from palmares.cli.demo.tour import examples
from palmares.facts.schema import WITHHELD as NO_NAME
from palmares.journal.identity.duplicates import suggestions
from palmares.journal.identity.register import Register
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.events import event_records
from palmares.journal.store.journal import Journal, create_journal
from palmares.journal.store.verify import verify
from palmares.tournaments.running import fold
from palmares.web.submissions import parse

TODAY = date(2026, 11, 24)  # a Tuesday


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """The journal of the demonstration on a day."""
    clock = season.Clock()
    found = create_journal(str(tmp_path_factory.mktemp("season") / "demo.db"), clock)
    season.record_all(found, examples(), clock, TODAY)
    assert clock.moment is None
    return found


def test_the_next_day_has_the_same_season_a_day_longer() -> None:
    whole, later = (calendar.season(TODAY + timedelta(days=more)) for more in (0, 7))
    assert later[-1].end == whole[-1].end + timedelta(days=7)
    assert [one for one in later if one.end <= TODAY] == [
        one for one in whole if one.end >= later[0].end
    ]


def test_every_name_is_used_once_and_the_special_ones_are_there() -> None:
    names = [one.name for one in players()]
    assert len(names) == len(set(names)) == 24 * len(NAMES)
    assert {*VARIANTS, WITHHELD} <= set(names)


def test_there_is_a_tournament_each_week_up_to_today(journal: Journal) -> None:
    ends = load_projection(journal).facts["tournaments"]["end_date"]
    made_up = sorted(one for one in ends if one > season.first_day(TODAY))
    assert TODAY - made_up[-1] < timedelta(days=7)
    gaps = [(later - one).days for one, later in pairwise(made_up)]
    assert max(gaps) <= 7
    assert len(made_up) > 150


def test_the_chain_is_sound_and_no_entry_is_of_tomorrow(journal: Journal) -> None:
    with journal.reading() as reader:
        assert verify(reader).erased == 0  # and each entry and name is as it was recorded
        moments = [one.recorded_at for one in reader.entries()]
    assert moments == sorted(moments)
    assert moments[0][:10] == "2023-11-18"
    assert moments[-1][:10] <= "2026-11-24"


def test_no_entry_is_of_an_evening_that_is_still_ahead() -> None:
    clock = season.Clock()
    clock.set(datetime.now(UTC).date() + timedelta(days=1))
    assert clock() <= datetime.now(UTC)


def test_lists_are_published_every_month_of_the_last_year(journal: Journal) -> None:
    with journal.reading() as reader:
        lists = {one.subject for one in reader.of_kinds(["publication"])}
    months = {f"wbgf {day}" for day in ("2025-12-31", "2026-02-28", "2026-09-30", "2026-10-31")}
    assert months <= lists
    assert {"usbgf 2026-09-30", "dptr 2025-12-31"} <= lists


def test_officers_find_corrections_duplicates_and_a_withheld_name(journal: Journal) -> None:
    now = load_projection(journal)
    with journal.reading() as reader:
        kinds = Counter(one.kind for one in reader.entries())
        replaced = [
            one for one in reader.of_kinds(["report"]) if one.read().get("replaces") is not None
        ]
        pairs = suggestions(Register.of(now, reader))
    people = now.facts["players"]
    names = dict(people.select("player_id", "name").iter_rows())
    assert (len(replaced), kinds["override"]) == (2, 1)
    assert set(VARIANTS.items()) & {
        pair
        for one in pairs
        for pair in ((names[one.player], names[one.other]), (names[one.other], names[one.player]))
    }
    assert people.filter("withheld")["name"].to_list() in ([WITHHELD], [NO_NAME])


def test_reports_that_wait_can_be_read() -> None:
    waiting = season.waiting_reports(TODAY)
    assert len(waiting) == 2
    for name, content in waiting.items():
        assert name.isascii()
        assert parse.kind_of_file(name, content) == "toml"
        assert b"[tournament]" in content


def test_an_event_with_a_notice_is_running(journal: Journal) -> None:
    with journal.reading() as reader:
        event = fold(event_records(reader, season.DRAW))
    notice = load_projection(journal).state.in_force("notices", season.DRAW)
    assert notice is not None
    assert (event.state, len(event.progress.outcomes)) == ("running", season.PLAYED)
    assert {match.flight for match in event.matches} == {"main", "consolation"}
    assert event.next
