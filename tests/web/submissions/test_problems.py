"""What a director sees of a report that is wrong: what it is, where, and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.web.submissions import parse
from tests.formats.sheets.test_workbook import workbook
from tests.formats.test_usebio import document
from tests.web.conftest import AsRole
from tests.web.director.test_director import look, paste
from tests.web.submissions.test_encodings import send
from tests.web.visits import JSON


def test_problems_of_a_workbook_at_their_cells(as_role: AsRole) -> None:
    rows: list[list[Any]] = [
        ["name", "Graz Open"],
        ["discipline", "backgammon"],
        ["end_date", "2020-01-19"],
        ["Place", "Name", "Country"],
        [1, "Ada Novak", "CZE"],
        ["third", "<b>Dag Lie</b>", "NOR"],
    ]
    dita = as_role("director")
    files = {"file": ("graz.xlsx", workbook(rows))}
    answer = dita.post("/director/submissions", files=files, follow_redirects=False)
    address = answer.headers["location"]
    (problem,) = look(dita, address)["problems"]
    assert (problem["cell"], problem["line"], problem["column"]) == ("A6", 6, 1)
    assert (problem["text"], problem["row"], problem["row_index"]) == (
        "third", ["third", "<b>Dag Lie</b>", "NOR"], 0,
    )  # fmt: skip
    html = dita.get(address).text
    assert "Cell A6" in html
    marked = "<mark>third</mark><span>&lt;b&gt;Dag Lie&lt;/b&gt;</span><span>NOR</span>"
    assert f'<span class="cells">{marked}</span>' in html


WRONG = """\
[tournament]
name = "Graz Open"
discipline = "backgammon"
end_date = "2020-02-30"

[[event]]
name = "Main"
entry_fee = "50,5"

[event.main]
entrants = 2
placings = \"\"\"
1 Ada Novak (CZE)
3 Ben Olsen (DEN)
third Dag Lie (NOR)
\"\"\"
"""


class TestInTheLanguageOfTheReader:
    """Readers of files know no language: a problem keeps its sentence and what stands in it."""

    def test_german(self, as_role: AsRole) -> None:
        dita = as_role("director")
        html = dita.get(paste(dita, WRONG), headers={"accept-language": "de"}).text
        for told in (
            "end_date ist „2020-02-30“, diesen Tag gibt es nicht.",
            "entry_fee ist „50,5“, keine Zahl.",
            "Schreiben Sie 50.5 mit einem Punkt, oder lassen Sie das Komma weg.",
            "Platz 3 bei 2 Teilnehmern, das Feld Hauptturnier von Main (Graz Open).",
            "kein Platz und Name in „third Dag Lie (NOR)“.",
        ):
            assert told in html, told

    def test_french(self, as_role: AsRole) -> None:
        dita = as_role("director")
        html = dita.get(paste(dita, WRONG), headers={"accept-language": "fr"}).text
        assert "entry_fee est «\u00a050,5\u00a0», ce n’est pas un nombre." in html

    def test_programs_read_english(self, as_role: AsRole) -> None:
        dita = as_role("director")
        address = paste(dita, WRONG)
        told = dita.get(address, headers={**JSON, "accept-language": "de"}).json()["problems"]
        assert [one["what"] for one in told][:2] == [
            "end_date is '2020-02-30', which is not a day in the calendar",
            "entry_fee is '50,5', not a number",
        ]

    def test_a_name_is_never_taken_for_a_message(self, as_role: AsRole) -> None:
        dita = as_role("director")
        text = WRONG.replace("third Dag", "%(column)s <i>nobody</i>")
        html = dita.get(paste(dita, text), headers={"accept-language": "de"}).text
        assert "„%(column)s &lt;i&gt;nobody&lt;/i&gt; Lie (NOR)“" in html


class TestNoToml:
    """What breaks off, and values as people write them: the line, the key, and what to do."""

    @pytest.mark.parametrize(
        ("text", "line", "what", "remedy"),
        [
            ('[tournament]\nname = "x"\nplacings = """\n1 Ada\n2 Ben\n', 3,
             "what begins here with '\"\"\"' has no end",
             "Close it, or send the report again: its end may be missing."),
            ('a = "it\'s"  # don\'t\nb = "x\n', 2, "what begins here with '\"' has no end",
             "Close it, or send the report again: its end may be missing."),
            ('a = [1]\nb = [\n  "[",\n  {c = 1},\n', 2, "what begins here with '[' has no end",
             "Close it, or send the report again: its end may be missing."),
            ("[tournament]\nend_date = 2011-02-30\n", 2,
             "end_date is '2011-02-30', which is not a day in the calendar",
             "Write a day that the calendar has."),
            ("end_date = 2011-13-01\n", 1,
             "end_date is '2011-13-01', which is not a day in the calendar",
             "Write a day that the calendar has."),
            ("end_date = 29.5.2011\n", 1, "end_date is '29.5.2011', not a date",
             "Write year, month and day, such as 2019-11-15."),
            ("\nentry_fee = 50,5\n", 2, "entry_fee is '50,5', not a number",
             "Write 50.5 with a point, or leave the comma out."),
            ("name = Graz Open\n", 1, "name is 'Graz Open', a text without quotes",
             'Write name = "Graz Open".'),
            ("a = 1\nb = 2\na = 3", 3, "this key or heading is there twice",
             "Keep one of them; write a heading that repeats in double brackets: [[event]]."),
        ],
    )  # fmt: skip
    def test_it_is_told(self, text: str, line: int, what: str, remedy: str) -> None:
        (problem,) = parse.read("toml", text.encode()).problems
        assert (problem.line, problem.what, problem.remedy) == (line, what, remedy)


def test_a_paste_that_is_too_long_is_told_the_limit() -> None:
    """Half a MiB is read: 512 KiB."""
    (problem,) = parse.read("csv", b"1,Ada Novak\n" * 50_000).problems
    assert problem.what == "this has 585 KB, and at most 512 KB are read"
    assert problem.remedy.endswith("an Excel sheet may have 10 MB.")


def test_problems_of_a_scoring_program_in_the_readers_language(as_role: AsRole) -> None:
    dita = as_role("director")
    text = document("", date="<DATE>March</DATE>")
    answer = send(dita, text.encode(), "teams.xml")
    html = dita.get(answer.headers["location"], headers={"accept-language": "fr"}).text
    assert "la DATE de l’épreuve est «\u00a0March\u00a0»" in html
    assert "Écrivez jour, mois et année\u00a0: 05/03/2024." in html
