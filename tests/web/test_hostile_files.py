"""Forty hostile names in files: sheets, pictures, manifests, and what the command line writes."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from defusedxml.ElementTree import fromstring

from palmares.render.tables import neutral
from palmares.web.http.routing import to
from tests.hostile import TAKEN
from tests.packages import run
from tests.web.conftest import DAY
from tests.web.hostile_season import TEXTS, Place
from tests.web.hostile_visits import shape

FORMULAS = ("=", "+", "-", "@")
LIST = "/rankings/wbgf/2020-01-31"


def got(place: Place, address: str) -> Any:
    answer = place.people["visitor"].get(address)
    assert answer.status_code == 200, answer.text
    return answer


def test_no_cell_of_csv_is_a_formula(hostile_place: Place) -> None:
    answer = got(hostile_place, f"{LIST}?format=csv")
    rows = list(csv.DictReader(StringIO(answer.text)))
    assert [row["player"] for row in rows] == [neutral(text) for text in TEXTS]
    assert [row["player_id"] for row in rows] == [neutral(text) for text in TEXTS]
    cells = [cell for row in rows for cell in row.values()]
    assert [cell for cell in cells if cell.startswith(FORMULAS)] == []
    assert len([text for text in TEXTS if neutral(text) != text]) == 4


@pytest.mark.parametrize("sign", "=+-@\uff1d\uff0b\uff0d\uff20\t\r\n")
def test_signs_that_begin_a_formula(sign: str) -> None:
    assert neutral(f"{sign}1") == f"'{sign}1"
    assert neutral(f"1{sign}") == f"1{sign}"


def test_no_cell_of_a_workbook_is_a_formula(hostile_place: Place) -> None:
    book = openpyxl.load_workbook(BytesIO(got(hostile_place, f"{LIST}?format=xlsx").content))
    header, *rows = list(book.active.iter_rows())
    names = [cell.value for cell in header]
    shown = [dict(zip(names, row, strict=True)) for row in rows]
    assert [row["player"].value for row in shown] == [neutral(text) for text in TEXTS]
    assert {cell.data_type for row in shown for cell in row.values()} == {"s", "n"}
    assert {row["player"].data_type for row in shown} == {"s"}
    assert [cell for row in rows for cell in row if cell.hyperlink] == []


def test_json_has_names_as_they_are(hostile_place: Place) -> None:
    rows = json.loads(got(hostile_place, f"{LIST}?format=json").content)
    assert [row["player"] for row in rows] == list(TEXTS)


def test_files_are_called_by_plain_letters(hostile_place: Place) -> None:
    for text in TEXTS:
        answer = got(hostile_place, to.ranking("wbgf", DAY, search=text, format="csv"))
        told = answer.headers["content-disposition"]
        name = told.removeprefix('attachment; filename="').removesuffix('.csv"')
        assert name.replace("-", "").replace("_", "").isalnum()
        assert name.isascii()


def test_manifests_are_json(hostile_place: Place) -> None:
    for entry in hostile_place.published:
        answer = got(hostile_place, to.manifest(entry))
        assert json.loads(answer.content)["publication"]["note"] in TEXTS


# ── the command line ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def url(hostile_place: Place) -> str:
    """The journal of the site."""
    return hostile_place.app_state.settings.journal


def ranked(url: str, *more: object) -> str:
    done = run("rank", "wbgf", "--journal", url, "--as-of", "2020-01-31", *more)
    assert done.exit_code == 0, done.output
    return str(done.stdout)


def test_lists_on_standard_output(url: str) -> None:
    """A line a player, whatever he is called; nothing that moves a cursor."""
    table = ranked(url)
    assert [text for text in TEXTS if text not in table] == []
    assert len(table.splitlines()) == 3 + len(TEXTS)
    rows = list(csv.DictReader(StringIO(ranked(url, "--format", "csv"))))
    assert [row["player"] for row in rows] == [neutral(text) for text in TEXTS]
    assert [row["player"] for row in json.loads(ranked(url, "--format", "json"))] == list(TEXTS)
    made = shape(ranked(url, "--format", "html"))
    assert [text for text in TEXTS if text not in made.words] == []
    kinds = {element[0].removeprefix("/") for element in made.elements}
    assert kinds == {"declaration", "html", "meta", "title", "table", "caption", "thead", "tbody",
                     "tr", "th", "td"}  # fmt: skip
    marked = ranked(url, "--format", "md").splitlines()
    assert {line.replace("\\|", "").count("|") for line in marked if line.startswith("|")} == {5}


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "json", "html", "md", "parquet", "txt"])
def test_lists_in_files(url: str, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"list.{suffix}"
    ranked(url, "-o", file)
    assert len(file.read_bytes()) > 1000
    if suffix == "xlsx":
        cells = [cell for row in openpyxl.load_workbook(file).active for cell in row]
        assert {cell.data_type for cell in cells} == {"s", "n"}


def test_the_log_and_the_reasons(url: str) -> None:
    done = run("journal", "log", "--journal", url, "--limit", "200")
    assert done.exit_code == 0, done.output
    assert [text for text in TEXTS if text not in done.stdout] == []
    assert all(one.isprintable() or one == "\n" for one in done.stdout)
    for text in (TEXTS[0], TEXTS[16], TEXTS[29]):
        told = run("explain", "wbgf", "--journal", url, "--player", text, "--as-of", "2020-01-31")
        assert told.exit_code == 0, told.output
        assert told.stdout.startswith(f"{text} (CZE): ")
        assert all(one.isprintable() or one == "\n" for one in told.stdout)


def test_pictures_of_the_command_line(url: str, tmp_path: Path) -> None:
    for text in (TEXTS[0], TEXTS[1], TEXTS[15], TEXTS[20]):
        file = tmp_path / "history.svg"
        done = run("history", "wbgf", "--journal", url, "--player", text, "--chart", file)
        assert done.exit_code == 0, done.output
        root = fromstring(file.read_bytes())
        assert not [one for one in root.iter() if one.tag.endswith("script")]


def test_terminals_are_told_no_codes() -> None:
    """What is taken for a name holds no letter that a terminal or a log obeys."""
    for one in TAKEN:
        assert one.text.isprintable(), one.attacks
