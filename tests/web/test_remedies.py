"""What somebody is told to do is there where they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palmares.core.messages import hint, msg
from palmares.journal.store.journal import Journal
from palmares.web.http.i18n import FOR_OFFICERS, HINTS, plain
from palmares.web.http.state import AppState
from palmares.web.officer.decisions import DECISIONS
from palmares.web.officer.recording import for_officers
from tests.journal.statements import OFFICER, player
from tests.web.conftest import AsRole
from tests.web.officer.test_officer_queue import TEXT, handed_in, page, season
from tests.web.visits import JSON

__all__ = ["season"]
SOURCES = Path(__file__).parents[2] / "src" / "palmares"
NAMED: dict[str, tuple[str, str]] = {
    "under Names": ("submission.html", 'step="names") if page.readable else "", _("Names")'),
    "eturn the report": ("officer_waiting.html", '{{ _("Return or reject it") }}'),
    "what is wrong below": ("submission_parts.html", '<h2 id="wrong">'),
    "search for players": ("base.html", '{{ _("Find players, events and nations") }}'),
    "page of the account": ("base.html", "{{ to.account() }}"),
    "in the log leads": ("officer_entry.html", "report_cells"),
    "decide “Someone else played”": ("officer_duplicates.html", '{{ _("Someone else played") }}'),
}
"""What messages name, and where it stands."""
SECTION = re.compile(
    r"under [A-Z][a-z]+s\b|[Rr]eturn the report|what is wrong below|search for players"
    r"|page of the account|in the log leads|decide “[^”]+”|[Pp]ress [A-Z]|[Cc]lick (?:on|the)"
)


@pytest.mark.parametrize(("template", "there"), NAMED.values(), ids=NAMED)
def test_what_messages_name_is_there(template: str, there: str) -> None:
    (place,) = (SOURCES / "web").glob(f"*/templates/{template}")
    assert there in place.read_text(encoding="utf-8")


def test_every_message_that_names_a_section_is_known() -> None:
    catalogue = (SOURCES / "web" / "locale" / "de.po").read_text(encoding="utf-8")
    ids = [
        "".join(re.findall(r'"(.*)"', one))
        for one in re.findall(r'^msgid ((?:".*"\n)+)', catalogue, re.MULTILINE)
    ]
    naming = {found[0] for one in ids for found in [SECTION.search(one)] if found}
    assert len(naming) >= len(NAMED)
    assert [one for one in naming if not any(key in one for key in NAMED)] == []


def test_a_decision_that_a_message_names_is_one() -> None:
    assert "Someone else played" in {one.title for one in DECISIONS.values()}


def test_an_officer_is_told_to_return_what_its_director_has_to_say(
    as_role: AsRole, app_state: AppState, season: Journal
) -> None:
    """Another list of a tournament that is recorded: Names is on the page of its director."""
    text = TEXT.replace("[tournament]\n", '[tournament]\nid = "T1"\n')
    path = f"/officer/submissions/{handed_in(app_state, 'Graz', text)}"
    officer = as_role("officer")
    told = page(officer, int(path.rpartition("/")[2]))["refusal"]
    assert told.endswith(
        "If this one is right, return the report:"
        " its director says that it replaces what is there.\nNothing was recorded."
    )
    sent = {"version": "2", "digest": "0" * 64}
    refused = officer.post(f"{path}/approval", data=sent, headers=JSON)
    assert (refused.status_code, refused.json()["problem"]) == (422, told)
    german = officer.get(path, headers={"accept-language": "de"}).text
    assert "unter Namen" not in german
    assert "geben Sie die Meldung zurück" in german
    assert season.head().sequence == 3


def test_a_lookalike_in_the_queue(as_role: AsRole, app_state: AppState, season: Journal) -> None:
    season.record([player("P9", "Dora Benes", "FRA")], OFFICER)
    text = TEXT.replace("Dora <b> (FRA)", "Dora Beneš (FRA)").replace("Ada Novak", "Ada Nowak")
    number = handed_in(app_state, "Graz", text)
    html = as_role("officer").get(f"/officer/submissions/{number}").text
    assert html.count("Who is this?") == 2
    assert "under Names" not in html


def test_a_message_keeps_the_rest_of_what_it_says() -> None:
    told = msg("%(lines)s\n%(remedy)s", lines="3 rows", remedy=hint("say-so", "Say so."))
    assert plain(told) == f"3 rows\n{HINTS['say-so']}"
    assert plain(for_officers(told)) == f"3 rows\n{FOR_OFFICERS['say-so']}"
    assert for_officers("plain") == "plain"
