"""An event of a journal that a regulation cannot use waits; every other event counts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import palmares
from palmares.core.errors import FactsRejected, Location, PalmaresWarning, Refused
from palmares.journal.projection.project import EMPTY, Projection, apply_entries
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from palmares.lists import live, publication
from palmares.lists.publication import manifests
from palmares.points import awards, ledger, master_points, rankings
from palmares.points.awards import Question, say_waiting
from palmares.points.rankings import Selection
from palmares.regulations import usbgf
from palmares.regulations.editions import rulebook
from palmares.regulations.model import Event, Flight, Match, Tournament, Unusable
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.packages import run
from tests.points import slow
from tests.regulations.usbgf_events import Everybody

WBGF, USBGF, DPTR = (Question(regulation=name) for name in ("wbgf", "usbgf", "dptr"))
DAY = "2019-11-15"
BEFORE, ON, LATER = (Selection(as_of=date(2019, 11, day)) for day in (14, 15, 16))


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the journal is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return str(tmp_path / "federation.db")


@pytest.fixture
def journal(url: str) -> Iterator[Journal]:
    """Two players: entries 1 and 2."""
    found = create_journal(url)
    found.record([say.player("P1", nation="CZE"), say.player("P2", nation="DEU")], OFFICER)
    yield found
    found.close()


def known(journal: Journal) -> Projection:
    """The facts now."""
    with journal.reading() as reader:
        return apply_entries(EMPTY, reader).after


def reported(tournament: str, day: str = DAY, *, event: Any = None, **cells: Any) -> Draft:
    """A championship that P1 won, with other cells of its tournament and of its event."""
    tables = say.tables(tournament, {"P1": 1, "P2": 2}, day)
    tables["tournaments"] |= {name: [value] for name, value in cells.items()}
    tables["events"] |= {name: [value] for name, value in (event or {}).items()}
    return say.reported(tournament, tables)


FREE = {"entry_fee": None}


def listed(journal: Journal, selection: Selection, question: Question = WBGF) -> rankings.Ranking:
    given = awards.award(question, known(journal).facts)
    return slow.rank(given, selection)


class TestTheList:
    def test_is_made_without_the_event_and_says_so(self, journal: Journal) -> None:
        journal.record([reported("Autumn")], OFFICER)
        alone = listed(journal, ON).frame
        journal.record([reported("Winter", event=FREE)], OFFICER)
        found = listed(journal, ON)
        assert found.frame.equals(alone)
        head, why = say_waiting(found.waiting)
        assert head == "1 event waits and is not in this list:"
        assert why == (
            "Main (Winter Open, 2019-11-15): Main has no entry fee. "
            "Fill in entry_fee: the entry fee alone, without registration; 0 if it was free."
        )

    def test_of_a_day_before_is_not_touched(self, journal: Journal) -> None:
        journal.record([reported("Autumn", "2019-11-01"), reported("Winter", event=FREE)], OFFICER)
        found = listed(journal, BEFORE)
        assert found.waiting == ()
        assert found.frame["player_id"].to_list() == ["P1", "P2"]

    @pytest.mark.parametrize(
        ("selection", "waits"),
        [
            (LATER, True),
            (structs.replace(LATER, setting="live"), True),
            (structs.replace(LATER, setting="online"), False),
            (structs.replace(LATER, until=date(2019, 11, 14)), False),
            (structs.replace(LATER, since=date(2019, 11, 15)), True),
            (structs.replace(LATER, since=date(2019, 11, 16)), False),
            (Selection(as_of=date(2022, 11, 13)), True),  # the 1,094th day
            (Selection(as_of=date(2022, 11, 14)), False),  # the 1,095th: nothing would be left
        ],
    )
    def test_names_what_would_be_in_it(
        self, journal: Journal, selection: Selection, waits: bool
    ) -> None:
        journal.record([reported("Winter", event=FREE)], OFFICER)
        given = awards.award(WBGF, known(journal).facts)
        kept = live.award_all(WBGF, known(journal))
        for found in (
            slow.rank(given, selection),
            slow.rank(given, selection, by="nation"),
            ledger.ranking(ledger.ledger(given), selection),
            live.ranking(kept, selection),
            live.ranking(kept, selection, by="nation"),
        ):
            assert [one.tournament_id for one in found.waiting] == ["Winter"] * waits

    def test_other_events_of_the_tournament_count(self, journal: Journal) -> None:
        """The Intermediate takes its grade from the fee of a Main of which nobody knows the size.

        Two players at EUR 100: G = 1, F = 0.3, s = 2; 10 x 2 x 0.3 are 6 points in all.
        """
        tables = say.tables("Winter", {"P1": 1, "P2": 2}, DAY)
        tables["events"] = {
            "event_id": ["Winter/main", "Winter/intermediate"],
            "tournament_id": ["Winter"] * 2,
            "name": ["Main", "Intermediate"],
            "kind": ["championship", "intermediate"],
            "entrants": [None, 2],
            "entry_fee": ["100", None],
        }
        tables["placings"]["event_id"] = ["Winter/intermediate"] * 2
        journal.record([say.reported("Winter", tables)], OFFICER)
        found = awards.award(WBGF, known(journal).facts)
        assert [one.event_id for one in found.waiting] == ["Winter/main"]
        assert set(found.frame["event_id"]) == {"Winter/intermediate"}
        factor = Fraction(str(WBGF.rulebook().all[-1].constants.intermediate_factor))
        assert found.frame["nanopoints"].sum() == 20 * factor * 10**9

    def test_no_points_of_an_event_count_if_some_cannot_be_told(self, journal: Journal) -> None:
        """P1 won a match of the USBGF; nobody knows how many entered, so no place counts either."""
        journal.record([say.membership("P1", "2015-01-01")], OFFICER)
        report = reported("Winter", event={"entrants": None, "event_level": 3})
        report.body["tables"]["matches"] = {
            "match_id": ["m1"], "event_id": ["Winter/main"], "length": [7],
            "winner_id": ["P1"], "loser_id": ["P2"],
        }  # fmt: skip
        journal.record([report], OFFICER)
        found = awards.award(USBGF, known(journal).facts)
        assert found.frame.is_empty()
        (waiting,) = master_points.rank_master_points(found, ON).waiting
        assert "has no number of players above 0" in waiting.why
        journal.record([say.override("Winter", entrants=2)], OFFICER)
        assert set(awards.award(USBGF, known(journal).facts).frame["kind"]) == {
            "match",
            "placement",
        }

    def test_points_that_are_no_number_wait(self, journal: Journal) -> None:
        """10 x 2 x 10^11 are above nine thousand million."""
        report = reported("Winter", event={"bonus_grade": "100000000000"})
        journal.record([reported("Autumn"), report], OFFICER)
        found = listed(journal, ON)
        assert [one.tournament_id for one in found.waiting] == ["Winter"]
        assert "come to no number" in found.waiting[0].why
        assert len(found.frame) == 2

    def test_a_rating_goes_on_without_the_event(self, journal: Journal) -> None:
        rounds = {"rounds": 3}
        first = reported("A", "2019-01-15", event=rounds, discipline="diplomacy")
        third = reported("C", "2019-03-15", event=rounds, discipline="diplomacy")
        journal.record([first, third], OFFICER)
        alone = listed(journal, ON, DPTR).frame
        journal.record([reported("B", "2019-02-15", discipline="diplomacy")], OFFICER)
        found = listed(journal, ON, DPTR)
        assert found.frame.equals(alone)
        assert "how many rounds" in found.waiting[0].why

    def test_of_files_is_refused(self, journal: Journal) -> None:
        journal.record([reported("A", event=FREE), reported("B", event=FREE)], OFFICER)
        facts = replace(known(journal).facts, may_wait=False)
        with pytest.raises(FactsRejected) as refused:
            awards.award(WBGF, facts)
        assert len(refused.value.problems) == 2


def test_a_module_that_rejects_a_tournament_makes_all_its_events_wait() -> None:
    """A regulation of another package may raise instead of yielding what it cannot use."""

    def award(*_: object) -> Iterator[Any]:
        yield from ()
        raise FactsRejected([])

    theirs = structs.replace(WBGF.get_regulation(), award=award)
    events = tuple(
        Event(event_id=one, name=one, where=Location("events.csv", 2)) for one in ("a", "b")
    )
    held = Tournament(
        tournament_id="t", name="T", where=Location("t.csv", 2), end_date=date(2019, 1, 2),
        events=events,
    )  # fmt: skip
    found = list(awards.outcomes(theirs, WBGF.rulebook(), held, {}))
    assert [one.event.event_id for one in found if isinstance(one, Unusable)] == ["a", "b"]
    assert awards.usable(found) == []


def test_an_online_event_waits_from_its_first_day_of_play_on() -> None:
    """Matches of 2 and 9 May, in a tournament that ended on 19 May."""
    matches = tuple(
        Match(
            match_id=f"m{day}", flight="main", played_on=date(2019, 5, day), length=7,
            winner="ada", status="series", series_wins=None,
        )
        for day in (9, 2)
    )  # fmt: skip
    event = Event(
        event_id="e", name="Open", where=Location("events.csv", 2), event_level=3, matches=matches,
        flights=(Flight(name="main", entrants=8),), completed_on=date(2019, 5, 10),
    )  # fmt: skip
    held = Tournament(
        tournament_id="t", name="T", where=Location("t.csv", 2), end_date=date(2019, 5, 19),
        setting="online", events=(event,),
    )  # fmt: skip
    rules = rulebook("usbgf", usbgf.Constants)
    (found,) = (one for one in usbgf.award(rules, held, Everybody()) if isinstance(one, Unusable))
    assert (found.first, found.last) == (date(2019, 5, 2), date(2019, 5, 10))


class TestWhatWasRecordedBefore:
    """'Entries already recorded stay readable, correctable, mergeable.'"""

    def test_a_report_without_a_discipline(self, journal: Journal, url: str) -> None:
        report = reported("Old")
        del report.body["tables"]["tournaments"]["discipline"]
        journal.record([report, say.player("P3", nation="CZE")], OFFICER)
        assert len(listed(journal, ON).frame) == 2
        assert [one.event for one in listed(journal, ON, DPTR).waiting] == ["Main"]
        reason = ("--reason", "a slip", "--yes", "--journal", url)
        for words in (
            (
                "journal",
                "override",
                "Old",
                "events",
                "--row",
                "event_id=Old/main",
                "--set",
                "entry_fee=200",
            ),
            ("player", "merge", "P3", "P1"),
            ("journal", "withdraw", "Old"),
        ):
            done = run(*words, *reason)
            assert (done.exit_code, words) == (0, words), done.stderr
        assert run("journal", "verify", "--journal", url).exit_code == 0

    def test_a_report_that_is_refused_today(self, journal: Journal, url: str) -> None:
        """Ranks 1, 3: after one player at rank 1 the next place is 2."""
        tables = say.tables("Old", {"P1": 1, "P2": 3}, DAY)
        more = [say.player(one, nation="CZE") for one in ("P3", "P4")]
        journal.record([say.reported("Old", tables), *more], OFFICER)
        assert len(listed(journal, ON).frame) == 2
        reason = ("--reason", "a slip", "--yes", "--journal", url)
        place = ("journal", "override", "Old", "placings", "--row", "player_id=P2")
        wrong = run(*place, "--set", "rounds_behind=1", *reason)
        other = run(*place, "--set", "player_id=P1", *reason)
        assert (wrong.exit_code, other.exit_code) == (0, 1), other.stderr
        for words in (
            ("journal", "override", "Old", "events", "--row", "event_id=Old/main",
             "--set", "entry_fee=200"),
            ("player", "merge", "P3", "P1"),
            (*place, "--set", "rank=2"),
            ("player", "merge", "P4", "P2"),
            ("journal", "withdraw", "Old"),
        ):  # fmt: skip
            done = run(*words, *reason)
            assert (done.exit_code, words) == (0, words), done.stderr


class TestPublishing:
    def test_is_refused_unless_it_is_asked_for(self, journal: Journal) -> None:
        journal.record([reported("Autumn"), reported("Winter", event=FREE)], OFFICER)
        facts = known(journal).facts
        with pytest.raises(Refused, match=r"(?s)1 event waits.*the list without these events"):
            publication.make_publication(WBGF, facts, ON)
        assert publication.make_publication(WBGF, facts, BEFORE).publication.waiting_events == 0
        made = publication.make_publication(WBGF, facts, ON, with_waiting_events=True)
        assert made.publication.waiting_events == 1

    @pytest.mark.parametrize("day", [BEFORE, ON])
    def test_is_verified(self, journal: Journal, day: Selection) -> None:
        journal.record([reported("Winter", event=FREE), reported("Autumn", "2019-11-01")], OFFICER)
        before = known(journal)
        made = publication.make_publication(
            WBGF, before.facts, day, head=before.state.head, with_waiting_events=True
        )
        found, _ = manifests.record_publication(journal, made.publication, OFFICER, before)
        with journal.reading() as reader:
            assert manifests.verify_in_journal(found, reader).identical
        downloaded = replace(before.facts, may_wait=False)
        assert manifests.verify_with_facts(found, downloaded).identical
        other = replace(downloaded, tables=known(journal).tables)
        journal.record([say.override("Winter", entry_fee="100")], OFFICER)
        other = replace(known(journal).facts, may_wait=False)
        assert "facts" in manifests.verify_with_facts(found, other).different()

    @pytest.mark.filterwarnings("ignore:entry 3", "ignore:wbgf. no event counts yet")
    def test_of_the_library(self, journal: Journal, url: str) -> None:
        journal.record([reported("Winter", event=FREE)], OFFICER)
        given: dict[str, Any] = {"journal": url, "author": "Rita", "as_of": date(2019, 11, 15)}
        with pytest.raises(Refused, match="1 event waits"):
            palmares.publish("wbgf", **given)
        with pytest.warns(PalmaresWarning, match="1 event waits"):
            done = palmares.publish("wbgf", **given, with_waiting_events=True)
        assert json.loads(done.manifest)["publication"]["waiting_events"] == 1


class TestTheCommandLine:
    @pytest.mark.parametrize(
        "words",
        [
            ("rank", "wbgf"),
            ("rank", "wbgf", "--by", "nation"),
            ("rank", "wbgf", "--engine", "inprocess"),
            ("award", "wbgf"),
            ("explain", "wbgf", "--player", "P1"),
            ("history", "wbgf", "--player", "P1"),
            ("diff", "wbgf", "2019-11-14", "2019-11-16"),
        ],
    )
    def test_says_how_many_wait_and_why(
        self, journal: Journal, url: str, words: tuple[str, ...]
    ) -> None:
        journal.record([reported("Autumn"), reported("Winter", event=FREE)], OFFICER)
        day = {"history": ("--until", "2019-11-16"), "award": (), "diff": ()}
        more = day.get(words[0], ("--as-of", "2019-11-16"))
        done = run(*words, *more, "--journal", url)
        assert done.exit_code == 0, done.stderr
        assert "Warning: 1 event waits and is not in this list:" in done.stderr
        assert "Main has no entry fee" in done.stderr
        if words[0] == "rank":
            assert "; 1 event waits and is not in this list" in done.stdout.splitlines()[0]
            plain = run("rank", *words[1:], *more, "--journal", url, "--format", "json")
            assert len(json.loads(plain.stdout)) == 2

    def test_adds_a_report_of_which_an_event_waits(
        self, journal: Journal, url: str, tmp_path: Path
    ) -> None:
        (tmp_path / "winter.toml").write_text(
            '[tournament]\nname = "Winter Open"\ndiscipline = "backgammon"\n'
            'end_date = 2019-11-15\n\n[[event]]\nname = "Main"\nkind = "championship"\n\n'
            '[event.main]\nentrants = 2\nplacings = """\n1 Ada Novak (CZE)\n2 Ben Ode (DEU)\n"""\n'
        )
        done = run("add", str(tmp_path / "winter.toml"), "--journal", url, "--yes")
        assert done.exit_code == 0, done.stderr
        assert "WBGF Backgammon World Ranking: this event will wait: Main (Winter Open" in (
            done.stderr
        )
