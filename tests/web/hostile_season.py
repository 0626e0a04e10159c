"""
A site whose every text attacks, and the same site with harmless ones, filled in by requests.

    Place       a site, who asks it, and what its texts are
    opened      texts  ->  the Place, with a season in its journal
    harmless    as many texts that attack nothing
    DAY         the day it is

Players are called by the texts and have them as ids; so are and have tournaments, cities, events,
teams, accounts, labels, files, notes and reasons.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

from litestar import Litestar

from palmares.fund import actions as fund
from palmares.journal.commands.announcements import declare_race, set_levels
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.entries import Draft
from palmares.journal.store.events import record_event
from palmares.journal.store.journal import Journal
from palmares.lists.publication import make_publication, publish_list
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.tournaments import running
from palmares.tournaments.systems.matches import Outcome
from palmares.tournaments.typed_results import read_setup
from palmares.web.app import site
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from tests.hostile import TAKEN
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.tournaments.draw.test_draw import ROLLED
from tests.web import leagues
from tests.web.api.addresses import start_event
from tests.web.conftest import DAY, ROOT, Client, Clock, signed_in
from tests.web.tournaments.test_draw_pages import announced, revealed
from tests.web.tournaments.test_notices import published
from tests.web.visits import JSON

WITHDRAWN = 3
"""Whose tournament counts no longer."""
TEXTS = tuple(one.text for one in TAKEN)
REPORT = "name: {name}\ndiscipline: backgammon\nend_date: 2020-01-05\nevent: Main\n\n"


def harmless(texts: Sequence[str] = TEXTS) -> tuple[str, ...]:
    """As many texts that attack nothing and look like no other."""
    return tuple(
        "N"
        + sha256(text.encode())
        .hexdigest()
        .translate(str.maketrans("0123456789", "ghijklmnop"))[:15]
        for text in texts
    )


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A site, who asks it, and what its texts are."""

    texts: tuple[str, ...]
    app: Litestar
    log: StringIO
    people: dict[str, Client]  # by role; "visitor"
    submissions: dict[str, int]  # by state
    published: tuple[int, ...]  # entries
    draw: int  # the entry of its announcement

    @property
    def app_state(self) -> AppState:
        """The state of the site."""
        found: AppState = self.app.state.app_state
        return found


def opened(folder: Path, texts: tuple[str, ...]) -> Place:
    """A site with a season in its journal."""
    log = StringIO()
    settings = Settings(journal=str(folder / "federation.db"), secret="0" * 64, public_url=ROOT,
                        day=lambda: DAY, clock=Clock(), fresh=0, log=log)  # fmt: skip
    app = site(settings)
    app_state: AppState = app.state.app_state
    _season(app_state.journal, texts)
    people = {"visitor": Client(app)}
    for role, text in zip(("director", "officer", "administrator"), texts, strict=False):
        somebody = people[role] = Client(app)
        somebody.cookies.set("palmares", signed_in(app_state, role, text))
        assert somebody.get("/").status_code == 200
    _funded(app_state.journal, texts[1])
    _paid(app_state.journal, texts)
    place = Place(texts, app, log, people, {}, (), 0)
    return replace(
        place,
        submissions=_submissions(place),
        published=_published(app_state.journal, texts),
        draw=_drawn(app_state.journal, texts[0]),
    )


def _season(journal: Journal, texts: tuple[str, ...]) -> None:
    """Every player in every tournament, in the same order: nobody ties."""
    start_event(journal, *texts)
    drafts = [say.player(text, text, "CZE") for text in texts]
    drafts += [
        say.player("twin", f"{texts[0]} Twin", "CZE"),
        say.player("twins", f"{texts[0]} Twins", "CZE"),
    ]
    drafts += [say.membership(text, "2010-01-01") for text in texts]
    for number, text in enumerate(texts):
        drafts.append(
            _report(text, texts, date(2019, 12, 1) + timedelta(days=number), "backgammon")
        )
    drafts.append(_report(f"{texts[0]} dipl", texts, date(2019, 11, 1), "diplomacy"))
    journal.record(drafts, OFFICER)
    reason = {"reason": texts[1]}
    slip = say.override(texts[2], entry_fee="50")
    event = {"row": {"event_id": f"{texts[2]}/main"}}
    journal.record([replace(slip, body={**slip.body, **event, **reason})], OFFICER)
    gone = say.withdrawal(texts[WITHDRAWN])
    journal.record([replace(gone, body=reason)], OFFICER)
    merged = say.merge("twins", "twin")
    journal.record([replace(merged, body={**merged.body, **reason})], OFFICER)
    undone = say.undo(journal.head().sequence)
    journal.record([replace(undone, body={**undone.body, **reason})], OFFICER)
    race = f'race = "hostile"\nname = {json.dumps(texts[5])}\nregulation = "usbgf"\n'
    record_entries(journal, OFFICER, declare_race(race))
    levels = (
        f'[levels]\nregulation = "usbgf"\ntitle = {json.dumps(texts[6])}\n'
        f"source = {json.dumps(texts[7])}\n[[level]]\nname = {json.dumps(texts[8])}\npoints = 0\n"
    )
    record_entries(journal, OFFICER, set_levels("usbgf", levels))
    rate = say.rate("CZK", "2019-12-01", "0.04")
    journal.record([replace(rate, body={**rate.body, "source": texts[4]})], OFFICER)
    leagues.recorded(journal, _league(texts))
    leagues.recorded(journal, _boards(texts))


def _report(text: str, texts: Sequence[str], day: date, discipline: str) -> Draft:
    ranks = {one: place for place, one in enumerate(texts, 1)}
    found = say.tables(text, ranks, day=str(day))
    found["tournaments"] |= {
        "name": [text],
        "city": [text],
        "country": ["CZE"],
        "discipline": [discipline],
    }
    found["events"] |= {"name": [text], "event_type": ["ABT Main Event"], "rounds": [2]}
    return say.reported(text, found, source=text)


def _league(texts: Sequence[str]) -> str:
    """An event of bridge teams, all called by texts; JSON's strings are TOML's."""
    a, b, c, d = (json.dumps(one) for one in texts[4:8])
    matches = [
        ("1", a, b, 3),
        ("1", c, d, 12),
        ("2", a, c, 5),
        ("2", b, d, -5),
        ("3", a, d, 0),
        ("3", b, c, 1),
    ]
    played = "".join(
        f'[[event.team_match]]\nround = "{round_}"\nhome = {home}\naway = {away}\nboards = 16\n'
        f"home_imps = {20 + imps}\naway_imps = 20\n\n"
        for round_, home, away, imps in matches
    )
    name = json.dumps(f"{texts[8]} league")
    return (
        f'[tournament]\nid = {name}\nname = {name}\ndiscipline = "bridge"\nend_date = 2019-04-05\n'
        f"city = {json.dumps(texts[9])}\n\n[[event]]\nid = {json.dumps(texts[10])}\n"
        f"name = {name}\n\n{played}"
    )


def _boards(texts: Sequence[str]) -> str:
    """A match of two of them, board by board."""
    name, home, away = (json.dumps(one) for one in (f"{texts[11]} boards", *texts[4:6]))
    return (
        f'[tournament]\nid = {name}\nname = {name}\ndiscipline = "bridge"\n'
        f"end_date = 2019-05-05\n\n[[event]]\nid = {name}\nname = {name}\n\n"
        f'[[event.team_match]]\nid = {home}\nround = "1"\n'
        f"home = {home}\naway = {away}\nboards = 2\n"
        'board_results = """\n1 420 450\n2 620 100\n"""\n'
    )


# ── reports on their way, and lists ──────────────────────────────────────────────────────────────


def sheet(texts: Sequence[str], name: str) -> bytes:
    """A sheet of placings whose names are texts."""
    text = StringIO()
    text.write(REPORT.format(name=name))
    writer = csv.writer(text)
    writer.writerow(["rank", "name", "nation"])
    writer.writerows((place, one, "CZE") for place, one in enumerate(texts, 1))
    return text.getvalue().encode()


CLEAR = [at for at, one in enumerate(TEXTS) if "," not in one and one[-1] not in ")]"]
"""Names that a sheet takes as they are: a comma is asked about, brackets at the end are no name."""


def _submissions(place: Place) -> dict[str, int]:
    """A report in every state; their files are called by texts."""
    found = {}
    for number, state in enumerate(("draft", "submitted", "returned", "approved", "wrong")):
        clear = tuple(place.texts[at] for at in CLEAR)
        texts = clear if state != "wrong" else (*clear, clear[0])
        file = (f"{place.texts[number]}.csv", sheet(texts, place.texts[20 + number]))
        answer = place.people["director"].post(
            "/director/submissions", files={"file": file}, follow_redirects=False
        )
        assert answer.status_code == 303, answer.text
        found[state] = int(answer.headers["location"].rpartition("/")[2])
        if state in ("submitted", "returned", "approved"):
            _move(place, found[state], "submitted")
    _settle(place, found["returned"], "return", reason=place.texts[5])
    seen = page(place.people["officer"], f"/officer/submissions/{found['approved']}")
    assert seen["preview"], seen
    _settle(place, found["approved"], "approval", digest=seen["preview"]["digest"])
    return found


def page(somebody: Client, address: str) -> Any:
    """A page as JSON."""
    answer = somebody.get(address, headers=JSON)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _move(place: Place, number: int, to: str) -> None:
    address = f"/director/submissions/{number}"
    director = place.people["director"]
    form = {"to": to, "version": page(director, address)["version"]}
    answer = director.post(f"{address}/move", data=form, follow_redirects=False, headers=JSON)
    assert answer.status_code == 303, answer.text


def _settle(place: Place, number: int, what: str, **form: str) -> None:
    address = f"/officer/submissions/{number}"
    officer = place.people["officer"]
    form = {"version": page(officer, address)["version"], **form}
    answer = officer.post(f"{address}/{what}", data=form, follow_redirects=False, headers=JSON)
    assert answer.status_code == 303, answer.text


def _funded(journal: Journal, text: str) -> None:
    """A streamed tournament, an office, a reason and a donor that a text names."""
    day = date(2019, 11, 15)
    for action in (
        fund.ask("streamed", [day.isoformat()], day, name=text, end=day),
        fund.decide("streamed", "grant", text, text, day),
        fund.donate("5", "tip-jar", day, tournament="streamed", donor=text, named="yes"),
    ):
        record_entries(journal, OFFICER, action)


def _paid(journal: Journal, texts: Sequence[str]) -> None:
    """An event of two of them that is over, and a notice that states its prizes."""
    told = {"event": "paid", "name": texts[2], "format": "knockout", "entrants": [*texts[4:6]]}
    setup, typed = read_setup(told, "test")
    record_event(journal, "paid", "Dita", lambda past: running.start(past, setup), names=typed)
    won = Outcome(winner=next(iter(setup.names)))
    record_event(
        journal, "paid", "Dita", lambda past: running.result(running.fold(past), "main:1:1", won)
    )
    division = {"name": texts[3], "may_enter": texts[4], "entry_fee": 20}
    prizes = {"shares": {"main": [100]}}
    published(journal, event="paid", divisions=[division], prizes=prizes, regulations=[])


def _drawn(journal: Journal, text: str) -> int:
    """A draw and a notice of events that a text names."""
    entry, sha256 = announced(journal, event=text)
    revealed(journal, sha256, ROLLED)
    published(journal, name=text, place=text, departures=[text])
    return entry


def _published(journal: Journal, texts: Sequence[str]) -> tuple[int, ...]:
    """Lists by player and by nation, with notes."""
    from palmares.journal.projection.snapshots import load_projection

    found = []
    for by, note in (("player", texts[0]), ("nation", texts[4])):
        now = load_projection(journal)
        given = make_publication(
            Question(regulation="wbgf"),
            now.facts,
            Selection(as_of=date(2019, 12, 31)),
            by=by,
            head=now.state.head,
            note=note,
        )
        done = record_entries(journal, OFFICER, publish_list(given.publication))
        found.append(done.entries[-1].sequence)
    return tuple(found)
