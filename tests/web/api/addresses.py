"""
A site with something at every address of the API, and those addresses.

    everything      a journal  ->  the entry of a list that was announced in it
    ADDRESSES       for every operation of the document: addresses of it that answer 200
"""

from __future__ import annotations

from palmares.journal.commands.announcements import declare_race, set_levels
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.events import EventRecord, event_records, record_event
from palmares.journal.store.journal import Journal
from palmares.tournaments import running
from palmares.tournaments.systems.matches import Outcome
from palmares.tournaments.typed_results import read_setup
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.fund.test_fund_pages import supported
from tests.web.leagues import BOARDS, LEAGUE, recorded
from tests.web.publications.test_published_pages import publish
from tests.web.recognition.test_recognition_pages import LEVELS, RACE
from tests.web.seasons import winter
from tests.web.tournaments.test_draw_pages import announced
from tests.web.tournaments.test_notices import published as noticed

P = "/api/v1"
ENTRY = 7
DRAW = 12
EVENT = "Winter%2Fmain"

ADDRESSES: dict[str, tuple[str, ...]] = {
    "about": ("",),
    "rankings": ("/rankings",),
    "ranking": (
        "/rankings/wbgf?as_of=2019-12-31",
        "/rankings/wbgf?as_of=2019-12-31&known_at=%235&nation=DEU",
        "/rankings/dptr?limit=1",
        "/rankings/usbgf?setting=live&kind=match&search=ada",
    ),
    "ranking_nations": ("/rankings/wbgf/nations?as_of=2019-12-31",),
    "list_changes": (
        "/rankings/wbgf/changes?as_of=2019-12-31",
        "/rankings/wbgf/changes?as_of=2019-12-31&known_at=%235&limit=1",
        f"/rankings/wbgf/changes?as_of=2019-12-31&published={ENTRY}",
    ),
    "ranking_totals": ("/rankings/usbgf/totals?as_of=2019-12-31",),
    "search": ("/search?search=novak", "/search"),
    "players": (
        "/players",
        "/players?nation=CZE&letter=N&year=2019",
        "/players?search=ada&limit=2",
    ),
    "player": ("/players/P1", "/players/P1?known_at=%235", "/players/P%2F9"),
    "player_list": ("/players/P1/wbgf?as_of=2019-12-31", "/players/P9/dptr"),
    "player_award": (f"/players/P1/wbgf/awards/{EVENT}/main/performance?as_of=2020-01-31",),
    "player_corrections": ("/players/P1/wbgf/corrections", "/players/P1/dptr/corrections"),
    "player_unawarded": (
        "/players/P1/wbgf/without-points", "/players/P1/usbgf/without-points",
    ),
    "player_gains": ("/players/P1/wbgf/gains", "/players/P1/wbgf/gains?rival=P2&players=8"),
    "player_against": ("/players/P1/wbgf/against/P2", "/players/P1/dptr/against/P2"),
    "nation": ("/nations/DEU",),
    "tournaments": ("/tournaments", "/tournaments?year=2019&search=open",
                    "/tournaments?country=CZE"),
    "tournament": ("/tournaments/Winter", "/tournaments/york", "/tournaments/Winter?known_at=%236"),
    "publications": ("/publications",),
    "publication": (f"/publications/{ENTRY}",),
    "manifest": (f"/publications/{ENTRY}/manifest",),
    "publication_verification": (f"/publications/{ENTRY}/verification",),
    "races": ("/races",),
    "race": ("/races/points-2019", "/races/points-2019?as_of=2019-12-31&limit=1"),
    "levels": ("/levels/usbgf",),
    "draws": ("/draws",),
    "draw": (f"/draws/{DRAW}",),
    "fund": ("/fund", "/fund?days=2&as_of=2019-12-31"),
    "fund_tournament": ("/fund/open%2F2019", "/fund/open%2F2019?as_of=2019-11-15"),
    "live_events": ("/live",),
    "live_event": ("/live/club-night",),
    "notices": ("/notices",),
    "notice": ("/notices/riga-open-2027",),
    "regulations": ("/regulations",),
    "regulation": ("/regulations/usbgf", "/regulations/wbf-vp"),
    "edition": ("/regulations/usbgf/2015-05",),
    "compare_editions": ("/regulations/usbgf/compare",
                         "/regulations/usbgf/compare?a=2015-05&b=2019-01"),
    "calculators": ("/calculators",),
    "performance": ("/calculators/performance",
                    "/calculators/performance?place=3&as_of=2020-12-31"),
    "master_points": ("/calculators/master-points?day=2019-12-31",
                      "/calculators/master-points?day=2001-01-01"),
    "percentile": ("/calculators/percentile?rating_before=52.30",
                   "/calculators/percentile?place=49"),
    "victory_points": ("/calculators/victory-points", "/calculators/victory-points?points=15",
                       "/calculators/victory-points?scale=discrete"),
    "bridge_events": ("/bridge/events", "/bridge/events?limit=1"),
    "bridge_event": ("/bridge/events/york%2Fteams?match=m1&team=Heron",
                     "/bridge/events/water-birds-league-2024-03-05%2Fopen-teams?until=2",
                     "/bridge/events/york%2Fteams?known_at=%2311"),
}  # fmt: skip


def start_event(journal: Journal, *names: str) -> None:
    """An event with one match played."""
    entrants = [*names, "Ada Novak", "Ben Ost", "Cy Dee"]
    setup, typed = read_setup(
        {"event": "club-night", "name": "Club night", "format": "knockout", "entrants": entrants},
        "test",
    )
    record_event(
        journal, "club-night", "Dita", lambda so_far: running.start(so_far, setup), names=typed
    )
    match = running.fold([*_records(journal)]).next[0]
    outcome = Outcome(winner=match.players[0])
    record_event(
        journal, "club-night", "Dita",
        lambda so_far: running.result(running.fold(so_far), match.id, outcome),
    )  # fmt: skip


def _records(journal: Journal) -> list[EventRecord]:
    with journal.reading() as reader:
        return event_records(reader, "club-night")


def everything(journal: Journal) -> None:
    """A winter of backgammon whose list was announced, an id with a slash, leagues of bridge."""
    winter(journal)
    assert publish(journal) == ENTRY
    journal.record([say.player("P/9", "Dan Slash"), say.player("P9", "Eve None")], OFFICER)
    recorded(journal, LEAGUE)
    recorded(journal, BOARDS)
    assert announced(journal, when="2098-11-21T18:00:00Z")[0] == DRAW
    start_event(journal)
    record_entries(journal, OFFICER, declare_race(RACE))
    record_entries(journal, OFFICER, set_levels("usbgf", LEVELS))
    supported(journal)
    noticed(journal)
