"""'Identity does not depend on spelling or batching.'"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.facts import Facts
from palmares.journal.commands.transaction import record_entries
from palmares.journal.identity.resolve import NEW
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal, create_journal
from tests.amounts import amount
from tests.journal.reports import arrived
from tests.journal.statements import OFFICER

SPELLINGS = {
    "Ada Novak": (" (CZE)", " (Czechia)", ", CZE"),
    "Ben Olsen": (" (DEN)", " (DNK)", " (Denmark)", ", Denmark"),
    "Cy Pell": (" (GER)", " (DEU)", " (Germany)", ", GER"),
    "Ana Gil": (" (ESP)", " (Spain)", ", Spain"),
    "Gia Pappa": (" (GRE)", " (GRC)", " (Greece)", ", GRE"),
    "Tom Owen": (" (ENG)", " (England)", ", England"),
    "Martin, Jean-Luc": (" (FRA)", " (France)"),
}
"""Each name, and its nation as directors write it; the same player every time."""
COLUMNS = {
    "Ada Novak": ("CZE", "CZ", "Czechia"),
    "Ben Olsen": ("DEN", "DK", "Denmark"),
    "Cy Pell": ("GER", "D", "Germany"),
    "Ana Gil": ("ESP", "E", "Spain"),
    "Gia Pappa": ("GRE", "GR", "Greece"),
    "Tom Owen": ("ENG", "England"),
    "Jean-Luc Martin": ("FRA", "F", "France"),
}
"""The same in a column of nations."""

Person = tuple[str, str]  # name and nation, as they are written


def toml(number: int, people: Sequence[Person]) -> str:
    lines = "\n".join(f"{rank} {name}{nation}" for rank, (name, nation) in enumerate(people, 1))
    return (
        f'[tournament]\nname = "Cup {number}"\ndiscipline = "diplomacy"\n'
        f'end_date = 2019-01-{number + 1:02}\n[[event]]\nname = "Main"\nentrants = 9\nrounds = 2\n'
        f"[event.main]\nplacings = '''\n{lines}\n'''\n"
    )


def csv(number: int, people: Sequence[Person]) -> str:
    lines = "\n".join(f"{rank},{name},{nation}" for rank, (name, nation) in enumerate(people, 1))
    return (
        f"name: Cup {number}\ndiscipline: diplomacy\nend_date: 2019-01-{number + 1:02}\n"
        f"event: Main\nentrants: 9\nrounds: 2\n\nRank,Name,Nation\n{lines}\n"
    )


@st.composite
def reports(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Suffix and text of some reports that name the same people in many spellings."""
    found = []
    for number in range(draw(st.integers(2, 4))):
        suffix, spellings = draw(st.sampled_from([(".toml", SPELLINGS), (".csv", COLUMNS)]))
        names = draw(st.lists(st.sampled_from(sorted(spellings)), min_size=1, unique=True))
        people = [(one, draw(st.sampled_from(spellings[one]))) for one in names]
        found.append((suffix, (toml if suffix == ".toml" else csv)(number, people)))
    return found


def placed(facts: Facts) -> list[tuple[str, int, str]]:
    """Who was where, players called by number in the order in which they come."""
    rows = facts["placings"].select("event_id", "rank", "player_id").sort("event_id", "rank").rows()
    numbers: dict[str, int] = {}
    return [
        (event, rank, f"player {numbers.setdefault(player, len(numbers))}")
        for event, rank, player in rows
    ]


def people(facts: Facts) -> list[tuple[str, str]]:
    return sorted(facts["players"].select("name", "nation").rows())


@settings(max_examples=amount(300), deadline=None)
@given(reports(), st.data())
def test_a_folder_at_once_and_in_parts(texts: list[tuple[str, str]], data: st.DataObject) -> None:
    """However the reports are handed in, there is one player to each of the names."""
    cuts = data.draw(st.lists(st.integers(1, len(texts)), max_size=2).map(sorted))
    found = []
    with TemporaryDirectory() as folder:
        place = Path(folder)
        files = []
        for number, (suffix, text) in enumerate(texts):
            files.append(place / f"{number}{suffix}")
            files[-1].write_text(text, encoding="utf-8")
        one_by_one = list(range(1, len(files)))
        for number, parts in enumerate(([], cuts, one_by_one)):
            journal = create_journal(str(place / f"{number}.db"))
            for start, end in zip([0, *parts], [*parts, len(files)], strict=True):
                if files[start:end]:
                    record_entries(journal, OFFICER, arrived(*files[start:end]))
            found.append(load_projection(journal).facts)
            journal.close()
    at_once, in_parts, alone = found
    assert placed(at_once) == placed(in_parts) == placed(alone)
    assert people(at_once) == people(in_parts) == people(alone)
    names = at_once["players"]["name"].to_list()
    assert len(names) == len(set(names))


def report(folder: Path, name: str, *lines: str) -> Path:
    file = folder / name
    people = [("", line.partition(" ")[2]) for line in lines]
    file.write_text(toml(len(name), people), encoding="utf-8")
    return file


def test_ids_of_packages_that_are_names(journal: Journal, tmp_path: Path) -> None:
    """A package may name one person in two ways: what one by one is known is known at once."""
    package = tmp_path / "package"
    package.mkdir()
    tables = {
        "players": "player_id,name,nation\nBen Olsen,Ben Olsen,DEN\n"
                   "Ben Olsen (Denmark),Ben Olsen,DNK\n",
        "tournaments": "tournament_id,name,discipline,end_date\nT,Cup,diplomacy,2019-01-01\n",
        "events": "event_id,tournament_id,name,entrants,rounds\nE,T,A,9,2\nF,T,B,9,2\n",
        "placings": "event_id,player_id,rank\nE,Ben Olsen,1\nF,Ben Olsen (Denmark),2\n",
    }  # fmt: skip
    for name, text in tables.items():
        (package / f"{name}.csv").write_text(text, encoding="utf-8")
    record_entries(journal, OFFICER, arrived(package))
    facts = load_projection(journal).facts
    assert people(facts) == [("Ben Olsen", "DNK")]
    assert facts["placings"]["player_id"].unique().to_list() == ["P1"]


@pytest.mark.parametrize("word", ["Ben Olsen (DEN)", "Ben Olsen (Denmark)", "Ben Olsen, DNK"])
def test_a_word_is_understood_in_any_spelling(journal: Journal, tmp_path: Path, word: str) -> None:
    record_entries(journal, OFFICER, arrived(report(tmp_path, "a.toml", "1 Ben Olsen (DNK)")))
    again = report(tmp_path, "bb.toml", "1 Ben Olsen (DEN)")
    record_entries(journal, OFFICER, arrived(again, chosen={word: NEW}))
    assert people(load_projection(journal).facts) == [("Ben Olsen", "DNK")] * 2
