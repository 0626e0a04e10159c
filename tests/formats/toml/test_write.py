"""Facts of one tournament, written as a TOML report, read back as the same facts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palmares.core.errors import Refused
from palmares.core.toml import BLOCK, Document
from palmares.facts import TABLES, parse_cells
from palmares.facts.decoding import ReportTables
from palmares.facts.schema import Facts, empty, schema
from palmares.formats.toml import read, write
from palmares.formats.toml.read import Cells
from tests.amounts import amount
from tests.packages import run

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "placings": {"flight": "main", "designated": False},
    "matches": {"status": "played"},
    "team_matches": {"status": "played"},
}
"""Empty cells that mean the same as these."""


def facts(**tables: list[dict[str, Any]]) -> Facts:
    """Typed facts from plain rows."""
    frames = {}
    for name, rows in tables.items():
        columns = {**schema(name), **({"origin": pl.String()} if name == "players" else {})}
        filled = [{**dict.fromkeys(columns), **row} for row in rows]
        frames[name] = pl.DataFrame(filled, schema=columns)
    return Facts({name: frames.get(name, empty(name)) for name in TABLES})


def content(given_facts: Facts) -> dict[str, list[Any]]:
    """Every table of the contract as sorted rows, defaults filled in."""
    found = {}
    for name in TABLES:
        frame = given_facts.tables[name]
        extra = ["origin"] if name == "players" and "origin" in frame.columns else []
        frame = frame.select(*TABLES[name], *extra)
        for column, default in DEFAULTS.get(name, {}).items():
            frame = frame.with_columns(pl.col(column).fill_null(default))
        if name == "players" and not extra:
            frame = frame.with_columns(origin=pl.lit(None, pl.String))
        found[name] = sorted(frame.rows(), key=repr)
    return found


def there_and_back(given_facts: Facts) -> Facts:
    text = write.write(given_facts.tables)
    raw = read.read(text, "x.toml")
    draft = parse_cells(raw)
    assert [*raw.problems, *draft.problems] == [], text
    return draft.facts


# ── random facts ─────────────────────────────────────────────────────────────────────────────────

ODD = ["Ada Novak", "Ada", "Ben (IL)", "A & B", "A / B", "x > y", "Doe, Jr.", "Eva, bye", "Z, id 3",
       "C, 2 rounds behind", "9 Lives", "2019-01-05 Day", 'Quo"te', '"""', "back\\slash", "#1",
       "Round 2:", "Final:", "José Ñ", "李 明", "all", "[", "a]b"]  # fmt: skip
NONE = "\u0149\u00b7"  # letters that have no place in a name, or not in every place
NAMES = st.sampled_from(ODD) | st.text(
    st.characters(categories=["L", "N", "P", "Zs"], max_codepoint=0x17F, exclude_characters=NONE),
    min_size=1,
    max_size=12,
).map(lambda text: " ".join(text.split())).filter(bool)
IDS = NAMES.filter(lambda text: "[" not in text and "]" not in text)
NATIONS = st.none() | st.sampled_from(["CZE", "DNK", "ENG", "USA"])
ORIGINS = st.none() | st.sampled_from(["IL", "CA", "Zork"])
MONEY = st.none() | st.decimals(0, 5000, places=2, allow_nan=False)
DAYS = st.dates(date(2015, 1, 1), date(2026, 12, 31))
ROUNDS = st.sampled_from([None, "1", "2", "Final", "round 3", "A: B", "x:"])


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


@st.composite
def tournaments(draw: st.DrawFn) -> Facts:
    """One tournament with everything that a report can hold."""
    keys = draw(st.lists(IDS, min_size=1, max_size=6, unique=True))
    someone = st.sampled_from(keys)
    players = [
        {"player_id": key, "name": draw(st.just(key) | NAMES), "nation": draw(NATIONS),
         "origin": draw(ORIGINS), "withheld": draw(st.sampled_from([None, True, False]))}
        for key in keys
    ]  # fmt: skip
    tournament = draw(IDS)
    row = {"tournament_id": tournament, "name": draw(NAMES), "end_date": draw(DAYS),
           "discipline": draw(optional(st.just("backgammon"))), "eur_per_unit": draw(
               optional(st.decimals("0.1", 9, places=4)))}  # fmt: skip
    row["start_date"] = draw(optional(st.just(row["end_date"])))
    tables: dict[str, list[dict[str, Any]]] = {"players": players, "tournaments": [row]}
    for event in draw(st.lists(IDS, max_size=3, unique=True)):
        _event(draw, tables, tournament, event, someone)
    tables["memberships"] = [
        {"player_id": key, "federation": draw(st.sampled_from(["USBGF", "A B"])),
         "level": draw(optional(st.just("Basic"))), "start": date(2019, 1, 1),
         "end": draw(optional(st.just(date(2019, 12, 31))))}
        for key in draw(st.lists(someone, max_size=4))
    ]  # fmt: skip
    tables["rates"] = [
        {"currency": "USD", "date": draw(DAYS), "eur_per_unit": Decimal("0.9")}
        for _ in range(draw(st.integers(0, 2)))
    ]
    return facts(**tables)


def _event(
    draw: st.DrawFn,
    tables: dict[str, list[dict[str, Any]]],
    tournament: str,
    event: str,
    someone: st.SearchStrategy[str],
) -> None:
    """An event with flights, placings, matches and matches of teams."""
    kind = draw(optional(st.sampled_from(["championship", "other"])))
    tables.setdefault("events", []).append(
        {"event_id": event, "tournament_id": tournament, "name": draw(NAMES), "kind": kind,
         "entrants": draw(optional(st.integers(0, 500))), "entry_fee": draw(MONEY),
         "team": draw(optional(st.booleans()))}
    )  # fmt: skip
    flights = st.sampled_from(["main", "consolation", "last_chance", "lucky loser", "x"])
    for flight in draw(st.lists(flights, max_size=3, unique=True)):
        if draw(st.booleans()):
            tables.setdefault("flights", []).append(
                {"event_id": event, "flight": flight, "entrants": draw(st.integers(0, 99)),
                 "match_length": draw(optional(st.integers(1, 25)))}
            )  # fmt: skip
        for player in draw(st.lists(someone, max_size=4, unique=True)):
            tables.setdefault("placings", []).append(
                {"event_id": event, "flight": flight, "player_id": player,
                 "rank": draw(st.integers(1, 40)), "tied": draw(optional(st.integers(1, 8))),
                 "designated": draw(optional(st.booleans())), "nation": draw(NATIONS),
                 "rounds_behind": draw(optional(st.integers(0, 5)))}
            )  # fmt: skip
    statuses = st.sampled_from([None, "played", "bye", "walkover", "series"])
    for number in range(draw(st.integers(0, 4))):
        status = draw(statuses)
        tables.setdefault("matches", []).append(
            {"match_id": draw(st.sampled_from([f"{event}/m{number + 1}", f"{event} {number}"])),
             "event_id": event, "flight": draw(optional(flights)), "round": draw(ROUNDS),
             "played_on": draw(optional(DAYS)), "length": draw(st.integers(1, 25)),
             "winner_id": draw(someone), "status": status,
             "loser_id": draw(optional(someone)) if status == "bye" else draw(someone),
             "series_wins": draw(optional(st.integers(1, 4))) if status == "series" else None}
        )  # fmt: skip
    for number in range(draw(st.integers(0, 3))):
        status = draw(st.sampled_from([None, "void", "bye"]))
        imps = st.decimals(0, 200, places=1)
        is_bye = status == "bye"
        tables.setdefault("team_matches", []).append(
            {"match_id": f"{event}/t{number + 1}", "event_id": event, "round": draw(ROUNDS),
             "home": draw(NAMES), "away": draw(optional(NAMES)) if is_bye else draw(NAMES),
             "boards": draw(optional(st.integers(0, 32))) if is_bye else draw(st.integers(1, 32)),
             "home_imps": None if is_bye else draw(imps),
             "away_imps": None if is_bye else Decimal(3),
             "home_adjust_vp": draw(optional(st.decimals(-3, 3, places=2))),
             "away_carry_imps": draw(optional(imps)), "split_home_imps": draw(optional(imps)),
             "status": status}
        )  # fmt: skip
    for number in range(draw(st.integers(0, 2))):
        tables.setdefault("teams", []).append(
            {"event_id": event, "team": f"{draw(NAMES)} {number}", "name": draw(optional(NAMES)),
             "carried_vp": draw(optional(st.decimals(-3, 99, places=2))),
             "withdrawn": draw(optional(st.booleans())), "lot": draw(optional(st.integers(1, 9)))}
        )  # fmt: skip


@settings(max_examples=amount(2_000), deadline=None, suppress_health_check=list(HealthCheck))
@given(tournaments())
def test_a_report_reads_back_to_the_same_facts(given_facts: Facts) -> None:
    assert content(there_and_back(given_facts)) == content(given_facts)


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


def test_a_doubt_about_a_name_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        '[tournament]\nname = "G"\nend_date = 2020-01-02\n[[event]]\nname = "Open"\n'
        'entrants = 2\n[event.main]\nplacings = """\n1 Ben 007 Olsen\n"""\n',
        encoding="utf-8",
    )
    done = run("convert", tmp_path / "a.toml", tmp_path / "b.toml")
    assert (done.exit_code, done.stderr.count("the number in 'Ben 007 Olsen'")) == (0, 1)


def test_the_written_report_is_what_a_director_would_write() -> None:
    text = """\
[tournament]
name     = "An Open"
end_date = 2019-01-06

[[event]]
name      = "Main"
entry_fee = 100

[event.main]
entrants = 8
placings = \"\"\"
1     Ada Novak (CZE)
2*    Ben Olsen (DEN) [n17]
3-4   Eva Kos, 2 rounds behind
\"\"\"
matches = \"\"\"
Round 1:
2019-01-05  9  Ada Novak (CZE) > Eva Kos
\"\"\"
"""
    draft = parse_cells(read.read(text, "x.toml"))
    assert write.write(draft.facts.tables) == text.replace("(DEN)", "(DNK)")


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"tournaments": [{"tournament_id": key, "name": key} for key in "ab"]},
        {
            "tournaments": [{"tournament_id": "t", "name": "T"}],
            "players": [{"player_id": "a[b]", "name": "A"}],
        },
        {
            "tournaments": [{"tournament_id": "t", "name": "T"}],
            "events": [{"event_id": "e", "tournament_id": "t", "name": "E"}],
            "flights": [{"event_id": "e", "flight": "entrants", "entrants": 3}],
        },
    ],
)
def test_what_no_report_can_hold(tables: dict[str, list[dict[str, Any]]]) -> None:
    with pytest.raises(Refused):
        write.write(facts(**tables).tables)


class TestPositions:
    """'Find the line of each key in the file.'"""

    def test_keys_tables_and_blocks(self) -> None:
        text = 'a = 1 # x = 2\n[t]\nb = """\nc = 3\n"""\n"d e" = [\n 1, "]",\n]\n'
        text += "f.g = { h = '}' }\n[[x]]\ni = '''y'''\n[[x]]\n[x.z]\nj = 4\n"
        cells = Cells(Document({}, text), ReportTables("x.toml"))
        assert cells.line("a") == 1
        assert (cells.line("t"), cells.line("t", "b"), cells.line("t", "b", BLOCK)) == (2, 3, 4)
        assert (cells.line("t", "d e"), cells.line("t", "d e", BLOCK)) == (6, 6)
        assert cells.line("t", "f", "g", "h") == 9
        assert (cells.line("x", 0, "i"), cells.line("x", 1), cells.line("x", 1, "z", "j")) == (
            11, 12, 14,
        )  # fmt: skip


@pytest.mark.parametrize("nation", [None, "CZE"])
@pytest.mark.parametrize(
    "name", ["Bye", "N.N.", "None", "a?b", "ZoÃ«", "Ed DQ", "Ada 2 Ben Olsen", "?", "Ada 🏆"]
)
def test_a_name_that_no_list_may_have_is_written_so_that_it_is_read(
    name: str, nation: str | None
) -> None:
    """A table, or a journal from before, may name anyone."""
    given_facts = facts(
        tournaments=[{"tournament_id": "t", "name": "T", "end_date": date(2020, 1, 1)}],
        events=[{"event_id": "e", "tournament_id": "t", "name": "E"}],
        players=[{"player_id": "p1", "name": name, "nation": nation}],
        placings=[{"event_id": "e", "player_id": "p1", "rank": 1, "nation": nation}],
    )
    read_again = there_and_back(given_facts)
    assert content(read_again)["players"] == content(given_facts)["players"]
    told = [notice.what for notice in read_again.notices if notice.clause == "report players"]
    assert any(f"'{name}'" in what for what in told) or "🏆" in name
