"""Twelve files as a federation has them: reports, sheets, lines, a page, tables; two are broken."""

from __future__ import annotations

import shutil
from pathlib import Path

import xlsxwriter

from tests.packages import write

EXAMPLES = Path(__file__).parents[2] / "examples"
COPIED = (
    "backgammon/2005-carolina-invitational.toml",
    "backgammon/2008-nordic-open.toml",
    "backgammon/2011-dubrovnik-open.toml",
    "diplomacy/1996-world-dipcon-vi.toml",
    "diplomacy/2004-tempest-in-a-teapot.txt",
    "formats/2022-merit-open-ladies.toml",
    "formats/2022-merit-open-ladies.csv",
)
LINE = "discipline: backgammon\n"
"""What the example of a result line leaves open, and a journal asks for."""
CLUB = (
    ("name", "Club Evening"),
    ("discipline", "backgammon"),
    ("end_date", "2010-03-05"),
    ("Rank", "Name", "Nation"),
    (1, "Tom Dugan", "ENG"),
    (2, "Bob Brown", "ENG"),
)
"""An event that earns nothing: the sheet does not say that it is a championship."""
TEAMS = {
    "tournaments": """\
        tournament_id,name,discipline,end_date
        league,Village League,bridge,2012-02-02
        """,
    "events": """\
        event_id,tournament_id,name,team
        league/a,league,A,yes
        """,
    "team_matches": """\
        match_id,event_id,round,home,away,boards,home_imps,away_imps
        m1,league/a,1,Owls,Larks,16,40,33
        """,
}
BROKEN = {
    "broken.toml": '[tournament]\nname = "Lakeside Open\n',
    "skipped.csv": (
        "name: Autumn Cup\ndiscipline: backgammon\nend_date: 2011-09-04\n\n"
        "Rank,Name\n1,Ada Novak\n2,Ben Olsen\n2,Cy Pell\n3,Dee Rix\n"
    ),
}
"""A quotation mark that nobody closes; two players at rank 2, and then a rank 3."""


def mixed_results(folder: Path) -> Path:
    """Put the twelve into a folder; the package of tables counts as one."""
    folder.mkdir()
    for name in COPIED:
        shutil.copy(EXAMPLES / name, folder)
    line = (EXAMPLES / "formats/chicago-point.txt").read_text(encoding="utf-8")
    (folder / "2005-chicago-open.txt").write_text(LINE + line, encoding="utf-8")
    with xlsxwriter.Workbook(str(folder / "club.xlsx")) as book:
        sheet = book.add_worksheet()
        for number, cells in enumerate(CLUB):
            sheet.write_row(number, 0, cells)
    write(folder / "league", **TEAMS)
    for name, text in BROKEN.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
