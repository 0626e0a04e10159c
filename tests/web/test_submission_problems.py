"""What a director sees of a report that is wrong: what it is, where, and what to do."""

from __future__ import annotations

from typing import Any

from tests.reports.test_gate import workbook
from tests.web.conftest import AsRole
from tests.web.test_director import look


def test_problems_of_a_workbook_at_their_cells(as_role: AsRole) -> None:
    rows: list[list[Any]] = [
        ["name", "Graz Open"],
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
    assert (problem["cell"], problem["line"], problem["column"]) == ("A5", 5, 1)
    assert (problem["text"], problem["row"], problem["at"]) == (
        "third", ["third", "<b>Dag Lie</b>", "NOR"], 0,
    )  # fmt: skip
    html = dita.get(address).text
    assert "Cell A5" in html
    marked = "<mark>third</mark><span>&lt;b&gt;Dag Lie&lt;/b&gt;</span><span>NOR</span>"
    assert f'<span class="cells">{marked}</span>' in html
