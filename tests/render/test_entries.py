"""Every entry in a line, as an officer would say it."""

from __future__ import annotations

from collections.abc import Mapping
from gettext import NullTranslations
from typing import Any

import pytest

from palmares.journal.store.entries import KINDS, START, Actor, Draft, Entry, Override, chain
from palmares.journal.store.journal import now
from palmares.render.entries import (
    count_by_kind,
    describe_entry,
    words_of_override,
    words_of_row,
)
from palmares.web.http.i18n import Wording, wording
from tests.journal.statements import tables

NAMES = {
    "P1": "Ada Novak", "P2": "Ben Ode", "P3": "P3", "prague": "Prague Open",
    "prague-main": "Main event",
}  # fmt: skip


def entry(kind: str, subject: str, body: Mapping[str, Any]) -> Entry:
    draft = Draft(kind=kind, subject=subject, body=body)
    return chain(draft, Actor("Otto Officer", "officer"), START, now())


BOARDS = tables("T", {"P1": 1, "P2": 2}) | {
    "team_matches": {"match_id": ["m"]},
    "flights": {"flight": ["main"]},
}
LIST: dict[str, Any] = {
    "regulation": "wbgf", "edition": None, "editions": {},
    "readings": {"chosen": {}, "in_force": {}},
    "selection": {"as_of": "2019-12-31", "since": None, "until": None, "setting": None,
                  "kind": "total", "nation": None, "by": "player"},
    "facts": {}, "facts_sha256": "f", "waiting_events": 0, "palmares": "0.1.0",
    "code": {"package": "palmares", "version": "0.1.0", "sha256": "c"},
}  # fmt: skip
LINES = [
    (
        entry("report", "T", {"tables": tables("T", {"P1": 1}), "replaces": None}),
        "reported T Open, 2019-11-15: 1 event, 1 placing",
    ),
    (
        entry("report", "T", {"tables": BOARDS, "replaces": 12}),
        "reported T Open, 2019-11-15: 1 event, 2 placings, 1 team match; replaces entry 12",
    ),
    (entry("withdrawal", "T", {"reason": "no sanction"}),
     "withdrew T: no sanction"),
    (entry("player", "P1", {"player_id": "P1", "nation": "CZE"}), "Ada Novak [P1] (CZE)"),
    (entry("player", "P3", {"player_id": "P3", "nation": None, "withheld": True}), "P3, withheld"),
    (entry("erasure", "P3", {"reason": "asked", "persons": []}), "erased a name, P3: asked"),
    (
        entry("draw", "D1", {"announcement": "{}", "sha256": "ab" * 32, "replaces": "cd" * 32}),
        "D1: announcement abababababab; replaces cdcdcdcdcdcd",
    ),
    (
        entry("reveal", "D1", {"announcement": "ab" * 32, "randomness": "[]"}),
        "D1: randomness of announcement abababababab",
    ),
    (
        entry("notice", "E1", {"notice": "{}", "sha256": "ab" * 32, "replaces": "cd" * 32,
                               "reason": "later start"}),
        "E1: notice abababababab; replaces cdcdcdcdcdcd: later start",
    ),
    (
        entry("race", "R1", {"race": "r1", "name": "Race to Riga", "regulation": "usbgf"}),
        "R1: Race to Riga",
    ),
    (
        entry("levels", "usbgf", {"title": "Levels", "source": "the board",
                                  "levels": [{"name": "Bronze", "points": "10"}]}),
        "usbgf: Bronze",
    ),
    (
        entry("support", "T1", {"day": "2019-11-01", "name": "Open", "start": "2019-11-15",
                                "end": "2019-11-17", "streaming": ["2019-11-15"],
                                "contributions": ["internet"]}),
        "Open: support for streaming on 2019-11-15; offers internet",
    ),
    (
        entry("grant", "T1", {"day": "2019-11-02", "granted": True, "by": "President",
                              "reason": "Prime", "edition": "usbgf-streaming/2015-04",
                              "guarantee": 10000, "baggage": 5000}),
        "T1 granted by President: Prime; 100.00 to the streamer, 50.00 for baggage",
    ),
    (
        entry("streamed", "T1", {"day": "2019-11-15", "players": ["P1"]}),
        "T1, 2019-11-15: Ada Novak [P1]",
    ),
    (
        entry("transfer", "T1", {"flow": "donation", "day": "2019-11-16", "what": "tip-jar",
                                 "cents": 123456, "currency": "USD", "player_id": "P1"}),
        "T1: donation 1,234.56 USD, tip-jar, 2019-11-16, Ada Novak (not named in public)",
    ),
    (
        entry("membership", "P1", {"player_id": "P1", "federation": "usbgf", "level": "Basic",
                                   "start": "2019-01-01", "end": "2019-12-31"}),
        "Ada Novak [P1]: usbgf from 2019-01-01 to 2019-12-31, Basic",
    ),
    (
        entry("merge", "P2", {"player_id": "P2", "into": "P1", "reason": "married"}),
        "merged Ben Ode [P2] into Ada Novak [P1]: married",
    ),
    (
        entry("apart", "P1", {"players": ["P1", "P3"], "reason": "cousins"}),
        "kept Ada Novak [P1] and P3 apart: cousins",
    ),
    (
        entry("rate", "XAF", {"currency": "XAF", "eur_per_unit": "0.0015",
                              "units_per_eur": None, "source": None,
                              "date": "2019-05-30", "published_on": None}),
        "1 XAF = 0.0015 EUR on 2019-05-30",
    ),
    (
        entry("rate", "USD", {"currency": "USD", "eur_per_unit": None, "units_per_eur": "1.1151",
                              "source": "European Central Bank", "date": "2019-06-02",
                              "published_on": "2019-05-31"}),
        "1 EUR = 1.1151 USD on 2019-06-02, European Central Bank, 2019-05-31",
    ),
    (
        entry("override", "T", {"table": "events", "row": {"event_id": "E"},
                                "set": {"rounds": 3, "name": None}, "reason": "said"}),
        "E, T: name empty, rounds 3; said",
    ),
    (
        entry("override", "prague", {"table": "events", "row": {"event_id": "prague-main"},
                                     "set": {"entry_fee": "375"}, "reason": "the flyer"}),
        "Entry fee of Main event, Prague Open: 375; the flyer",
    ),
    (
        entry("override", "prague", {
            "table": "placings",
            "row": {"event_id": "prague-main", "flight": "main", "player_id": "P1"},
            "set": {"rank": 3}, "reason": "the bracket",
        }),
        "Rank of Ada Novak, Main event, Prague Open: 3; the bracket",
    ),
    (
        entry("override", "prague", {"table": "tournaments", "row": {"tournament_id": "prague"},
                                     "set": {"city": None}, "reason": "online"}),
        "City of Prague Open: empty; online",
    ),
    (
        entry("withdrawal", "prague", {"reason": "not played"}),
        "withdrew Prague Open [prague]: not played",
    ),
    (
        entry("override", "T", {"player": {"from": "P1", "to": "P2"}, "reason": "another"}),
        "Ben Ode [P2] in the place of Ada Novak [P1] in T; another",
    ),
    (entry("undo", "12", {"undoes": 12, "reason": "wrong"}), "undid entry 12: wrong"),
    (
        entry("publication", "wbgf 2019-12-31",
              {**LIST, "list": {"rank": [1, 2, 2]},
               "list_sha256": "0123456789abcdef" * 4, "head": {"sequence": 7, "hash": "f"},
               "note": "late"}),
        "wbgf 2019-12-31: 3 places, as of 2019-12-31, result 0123456789ab, made at entry 7; late",
    ),
    (
        entry("publication", "wbgf 2019-12-31",
              {**LIST, "list": {"rank": [1]},
               "list_sha256": "0123456789abcdef" * 4, "head": None, "note": None}),
        "wbgf 2019-12-31: 1 place, as of 2019-12-31, result 0123456789ab, made of files",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("one", "line"), LINES, ids=[line for _, line in LINES])
def test_what_an_entry_states(one: Entry, line: str) -> None:
    assert describe_entry(one, NAMES) == line


def test_an_override_is_said_in_the_readers_language() -> None:
    """Columns, choices, flights, numbers and an empty cell stand in it as such."""
    german = {
        "entry fee": "Startgeld", "consolation": "Trostrunde", "empty": "leer",
        "%(column)s of %(row)s: %(value)s": "%(row)s, %(column)s: %(value)s",
    }  # fmt: skip

    class German(NullTranslations):
        def gettext(self, message: str) -> str:
            return german.get(message, message)

    wording = Wording("de", German())
    said = Override(table="events", row={"event_id": "prague-main"},
                    cells={"entry_fee": "37.5"}, reason="")  # fmt: skip
    words = words_of_override("prague", said, NAMES)
    assert wording.text(words) == "Main event, Prague Open, Startgeld: 37,5"
    row = {"event_id": "prague-main", "flight": "consolation"}
    words = words_of_row("prague", "flights", row, {"entrants": None}, NAMES, {"entrants": 4})
    assert words == "Entrants of consolation, Main event, Prague Open: 4 → empty"
    assert wording.text(words) == "Trostrunde, Main event, Prague Open, entrants: 4 → leer"


@pytest.mark.parametrize("tag", ["de", "fr"])
def test_entries_are_said_in_the_readers_language(tag: str) -> None:
    """Reasons stay as officers wrote them."""
    languages = {
        "de": "T Open gemeldet, 15. November 2019: 1 Veranstaltung, 1 Platzierung",
        "fr": "rapport sur T Open, 15 novembre 2019\u00a0: 1 épreuve, 1 place",
    }
    said = [wording(tag).text(describe_entry(one, NAMES)) for one, _ in LINES]
    assert said[0] == languages[tag]
    in_english = {line for _, line in LINES}
    same = {line for line in said if line in in_english}
    assert same <= {"Ada Novak [P1] (CZE)", "R1: Race to Riga", "usbgf: Bronze",
                    "T1, 2019-11-15: Ada Novak [P1]"}  # fmt: skip


def test_every_kind_has_words() -> None:
    assert {one.kind for one, _ in LINES} == set(KINDS)


def test_how_many_of_each_kind() -> None:
    assert count_by_kind(one for one, _ in LINES) == (
        "2 reports, 2 withdrawals, 2 players, 1 erasure, 1 membership, 1 merge, 1 apart, 2 rates,"
        " 5 overrides, 1 undo, 2 publications, 1 draw, 1 reveal, 1 race, 1 levels, 1 notice,"
        " 1 support, 1 grant, 1 streamed, 1 transfer"
    )
