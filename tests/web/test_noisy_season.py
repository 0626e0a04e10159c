"""The same season, brought to the site: nobody is there twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.submissions.parse import read
from palmares.web.submissions.preview import ReportedName, agreed, preview_report
from palmares.web.submissions.submissions import Matches, Submission
from tests.journal.noisy_season import (
    ONE_BY_ONE,
    Human,
    Report,
    Season,
    decide,
    mistakes,
    season,
    who_is_who,
)
from tests.journal.statements import OFFICER

TODAY = date(2020, 1, 31)


def brought(report: Report) -> Submission:
    """A report as its director sends it."""
    return Submission(
        id=1, account=1, author="Dita", created=0, updated=0, state="draft", version=1,
        filename=report.file, format="toml", content=report.text.encode(), matches=Matches(),
        reason=None, entry=None,
    )  # fmt: skip


def who(one: ReportedName, human: Human, people: dict[str, set[Human]]) -> str:
    """What a director says of a name who knows everybody: one of the candidates, or a new one."""
    known = (each.player_id for each in one.candidates if people.get(each.player_id) == {human})
    return next(known, "new")


def hand_in(journal: Journal, app_state: AppState, report: Report, of: Season) -> int:
    """Bring a report, decide on each name that looks like a known one, and have it approved."""
    one = brought(report)
    facts = read("toml", one.content).facts
    assert facts is not None
    known = app_state.snapshot(at_once=True)
    seen = preview_report(journal, known, Actor("Dita", "director"), facts, one, TODAY)
    undecided = [each for each in seen.people if each.undecided]
    assert seen.ready == (not undecided)
    if undecided:
        placed = facts["placings"].select("player_id", "rank").iter_rows()
        really = {key: report.players[rank - 1] for key, rank in placed}
        people = who_is_who(known.projection, of)
        names = {each.key: who(each, really[each.key], people) for each in undecided}
        one = replace(one, matches=Matches(names=names))
    record_entries(journal, OFFICER, agreed(facts, one), start=known.projection)
    return len(undecided)


def test_submissions_of_a_site(journal: Journal, app_state: AppState) -> None:
    """Directors decide on what is asked; the officer looks at what is left."""
    noisy = season(14)
    asked = sum(hand_in(journal, app_state, one, noisy) for one in noisy.reports[:ONE_BY_ONE])
    assert asked > ONE_BY_ONE
    decide(journal, noisy)
    twins, merged = mistakes(journal, noisy)
    assert merged == []
    assert len(twins) <= 2, twins
