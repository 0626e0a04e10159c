"""Lists and standings on paper, read back page by page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from palmares.core.errors import Refused
from palmares.regulations.editions import editions
from palmares.render import pdf
from palmares.render.tables import OutputColumn, OutputTable, pdf_pages
from tests.packages import run

NAMES = ("Ирина Петрова", "Γιώργος Παππάς", "Ngô Bảo Châu", "Jörg Müller", "გიორგი ბერიძე")
"""In letters that the fonts of Typst itself have."""
EXAMPLES = Path(__file__).parents[2] / "examples"
BACKGAMMON = EXAMPLES / "backgammon"
LETTERS = "bcdefghijk"


def called(rank: int) -> str:
    """The name of who has a rank: several scripts first, then letters for digits."""
    digits = "".join(LETTERS[int(digit)] for digit in str(rank))
    return NAMES[rank - 1] if rank <= len(NAMES) else f"Ada N{digits}"


def list_of(many: int, source: Sequence[pdf.Cited] = ()) -> OutputTable:
    """A list of so many."""
    rows = [{"rank": rank, "player_id": "p", "player": called(rank)} for rank in range(1, many + 1)]
    columns = [
        OutputColumn("rank", kind="number"),
        OutputColumn("player_id", hidden=True),
        OutputColumn("player"),
    ]
    return OutputTable(rows=rows, columns=columns, title="A list, as of 2019-12-31", source=source)


def read(content: bytes) -> tuple[PdfReader, list[str]]:
    """A PDF, and the text of each page in one spelling of spaces."""
    found = PdfReader(BytesIO(content))
    return found, [" ".join(page.extract_text().split()) for page in found.pages]


class TestManyPages:
    """'many-page lists with repeated header, page numbers, the regulation, edition and day'"""

    many = 150
    source = (pdf.Cited("rules/2019-01", "By rules 2019-01."),)
    found, texts = read(pdf.compile_pdf(pdf_pages([list_of(many, source=source)])))

    def test_every_page_says_what_it_is(self) -> None:
        assert len(self.texts) == 3
        for number, text in enumerate(self.texts, start=1):
            title = "A list, as of 2019-12-31 "
            edition = "Regulation rules, edition 2019-01 " * (number == 1)
            assert text.startswith(f"{title}{edition}rank player ")
            assert f"Page {number} of 3" in text
            assert "By rules 2019-01. Made with Palmares" in text

    def test_everybody_is_on_it_once_and_in_order(self) -> None:
        ranks = [int(one) for text in self.texts for one in re.findall(r"(\d+) Ada N", text)]
        assert ranks == list(range(len(NAMES) + 1, self.many + 1))
        assert all(f"{rank} Ada {called(rank)[4:]}" in " ".join(self.texts) for rank in ranks)

    def test_names_in_other_scripts(self) -> None:
        for rank, name in enumerate(NAMES, start=1):
            assert f"{rank} {name}" in self.texts[0]

    def test_a_screen_reader_finds_its_way(self) -> None:
        root = self.found.root_object
        assert str(root["/Lang"]) == "en"
        assert "/StructTreeRoot" in root
        assert self.found.metadata is not None
        assert self.found.metadata.title == "A list, as of 2019-12-31"

    def test_what_is_for_programs_is_left_out(self) -> None:
        assert "player id" not in self.texts[0]

    def test_the_same_bytes_at_every_run(self) -> None:
        page = pdf_pages([list_of(3)])
        assert pdf.compile_pdf(page) == pdf.compile_pdf(page)

    def test_one_page_has_no_number(self) -> None:
        assert "Page" not in read(pdf.compile_pdf(pdf_pages([list_of(3)])))[1][0]


class TestLettersWithoutAFont:
    """'names in other scripts readable (fonts: which are at hand; no fetching)'"""

    table = OutputTable(
        rows=[{"player": "山田太郎"}, {"player": "สมชาย"}, {"player": "Ада"}],
        columns=[OutputColumn("player")],
        title="大会, as of 2019-12-31",
    )

    @pytest.fixture
    def no_other_fonts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A computer that has no fonts but those of Typst."""
        compiled = pdf._compiled
        monkeypatch.setattr(
            pdf, "_compiled", lambda content, **_: compiled(content, system_fonts=False)
        )

    def test_they_are_written_in_latin_letters_and_a_note_says_so(
        self, no_other_fonts: None
    ) -> None:
        _, (text,) = read(pdf.compile_pdf(pdf_pages([self.table])))
        assert "Shan Tian Tai Lang" in text
        assert "Ада" in text  # what can be set is left alone
        assert text.startswith("Da Hui, as of 2019-12-31")
        assert "Written in Latin letters here: 3 texts" in text

    def test_no_box_stands_for_a_letter(self) -> None:
        """Whatever fonts this computer has: a name is there in its letters, or in Latin ones."""
        _, (text,) = read(pdf.compile_pdf(pdf_pages([self.table])))
        assert "山田太郎" in text or "Shan Tian Tai Lang" in text
        latin = any(letters in text for letters in ("Shan Tian Tai Lang", "smchay", "Da Hui"))
        assert ("Written in Latin letters" in text) == latin

    def test_another_fault_of_a_page_is_no_matter_of_fonts(self) -> None:
        from typst import TypstError

        page = {**pdf_pages([list_of(1)]), "title": None}
        with pytest.raises(TypstError):
            pdf.compile_pdf(page)


class TestSizes:
    def test_the_longest_list_there_is_and_one_more(self) -> None:
        assert len(pdf_pages([list_of(pdf.MOST_ROWS)])["tables"][0]["blocks"][0]) == pdf.MOST_ROWS
        with pytest.raises(Refused, match=r"at most 5,000 rows; this table has 5,001\."):
            pdf_pages([list_of(pdf.MOST_ROWS + 1)])

    @pytest.mark.parametrize(
        ("columns", "size", "flipped"),
        [(4, 10.0, False), (12, 8.0, True), (16, 6.0, True)],
    )
    def test_many_columns_are_set_smaller_and_broadside(
        self, columns: int, size: float, flipped: bool
    ) -> None:
        heads = [OutputColumn(f"c{at}") for at in range(columns)]
        page = pdf_pages(
            [OutputTable(rows=[dict.fromkeys([c.key for c in heads], "x" * 14)], columns=heads)]
        )
        assert page["flipped"] is flipped
        assert round(page["tables"][0]["size"], 0) == size
        found, (text,) = read(pdf.compile_pdf(page))
        box = found.pages[0].mediabox
        assert (box.width > box.height) is flipped
        assert text.replace(" ", "").count("x") == 14 * columns

    def test_columns_for_which_there_is_no_room_are_left_out_by_priority_and_named(self) -> None:
        heads = [OutputColumn(f"c{at}", priority=0 if at == 29 else 1) for at in range(30)]
        page = pdf_pages(
            [OutputTable(rows=[{head.key: "x" * 14 for head in heads}], columns=heads)]
        )
        shown = page["tables"][0]["headings"]
        assert shown == [*(f"c{at}" for at in range(len(shown) - 1)), "c29"]
        assert page["tables"][0]["size"] >= pdf.SMALLEST
        missing = ", ".join(f"c{at}" for at in range(len(shown) - 1, 29))
        (note,) = page["notes"]
        assert note == f"No room for {missing}: .xlsx and .html files have every column."

    def test_one_long_name_takes_more_lines_and_makes_no_other_smaller(self) -> None:
        names = ["Ada Novak"] * 40 + [" ".join(["Wolfeschlegelstein"] * 12)]
        columns = [
            OutputColumn("rank", kind="number"),
            OutputColumn("player"),
            OutputColumn("points", kind="number"),
        ]
        rows = [{"rank": at, "player": name, "points": "10.95"} for at, name in enumerate(names)]
        page = pdf_pages([OutputTable(rows=rows, columns=columns)])
        assert page["flipped"] is False
        assert page["tables"][0]["size"] == pdf.LARGEST
        _, (text,) = read(pdf.compile_pdf(page))
        assert text.count("Wolfeschlegelstein") == 12

    @pytest.mark.parametrize("columns", [3, 17])
    def test_a_long_name_without_spaces_stays_in_its_column(self, columns: int) -> None:
        name, heads = "m" * 200, [OutputColumn(f"c{at}") for at in range(columns)]
        rows = [{head.key: "Bo" for head in heads} | {"c1": one} for one in (name, "Bo")]
        page = pdf_pages([OutputTable(rows=rows, columns=heads, title="W" * 150)])
        size = page["tables"][0]["size"]
        room = pdf.LANDSCAPE - columns * pdf.GUTTER * size
        text = read(pdf.compile_pdf(page))[1][0]
        lines = re.findall("m{2,}", text)
        assert "".join(lines) == name
        assert max(map(len, lines)) * 0.8 * size <= room  # an m is 0.8 em wide
        assert "".join(re.findall("W{2,}", text)) == "W" * 150

    def test_names_with_signs_of_the_typesetter_are_only_names(self) -> None:
        names = ["#import x", "*a* _b_ $c$", "= Head", "a // b", "@ref <label>", "{{ 7*7 }} \\ #7"]
        table = OutputTable(
            rows=[{"player": name} for name in names], columns=[OutputColumn("player")]
        )
        _, (text,) = read(pdf.compile_pdf(pdf_pages([table])))
        assert [name for name in names if " ".join(name.split()) not in text] == []


class TestCommands:
    def test_a_ranking_cites_the_editions_that_count(self, tmp_path: Path) -> None:
        file = tmp_path / "list.pdf"
        asked = ("--as-of", "2019-12-31", "-o", file)
        result = run("rank", "usbgf", EXAMPLES / "usbgf", *asked)
        assert (result.exit_code, result.stdout) == (0, "")
        _, (text,) = read(file.read_bytes())
        assert text.startswith("USBGF Master Points, as of 2019-12-31")
        for edition in editions("usbgf"):
            assert f"{edition.name},editionfilesha256{edition.sha256}." in text.replace(" ", "")

    @pytest.mark.parametrize(
        ("asked", "head"),
        [
            (("diff", "wbgf", "2005-09-30", "2005-12-31", BACKGAMMON),
             "rank A rank B player points A points B change why 1 1 Ed O'Laughlin 97.30 88.09"),
            (("history", "wbgf", BACKGAMMON, "--player", "Todd Obadal", "--until", "2005-12-31"),
             "day points rank results expired 2005-05-31"),
            (("explain", "wbgf", BACKGAMMON, "--player", "Todd Obadal", "--as-of", "2005-12-31"),
             "event flight kind clause label says inputs value Championship main"),
            (("compare", "wbgf", "theirs.csv", BACKGAMMON, "--as-of", "2005-12-31"),
             "status player"),
        ],
    )  # fmt: skip
    def test_regulation_and_edition_stand_under_the_title(
        self,
        asked: tuple[str | Path, ...],
        head: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("theirs.csv").write_text("Rank,Name,Points\n1,Ed O'Laughlin,90\n", encoding="utf-8")
        assert run(*asked, "-o", "page.pdf").exit_code in (0, 1)
        found, texts = read(Path("page.pdf").read_bytes())
        assert f"Regulation wbgf, edition undated {head}" in texts[0].replace("’", "'")
        assert "wbgf/undated,editionfilesha256" in texts[-1].replace(" ", "")
        assert found.metadata is not None

    def test_an_edition_that_is_not_in_force_yet_is_not_cited(self, tmp_path: Path) -> None:
        file = tmp_path / "list.pdf"
        run("rank", "usbgf", EXAMPLES / "usbgf", "--as-of", "2018-12-31", "-o", file)
        _, (text,) = read(file.read_bytes())
        assert "usbgf/2015-05" in text
        assert "usbgf/2019-01" not in text

    def test_standings_have_list_crosstable_rounds_and_ties(self, tmp_path: Path) -> None:
        file = tmp_path / "standings.pdf"
        result = run("standings", EXAMPLES / "bridge", "-o", file)
        assert (result.exit_code, result.output) == (0, "")
        _, (text,) = read(file.read_bytes())
        editions = "wbf-standings, edition undated; wbf-vp, edition undated"
        assert text.startswith(f"Open Teams, continuous scale Regulation {editions} rank team VP")
        assert "1 Kingfisher 64.87 5 4 0 1 159 96" in text
        assert "Victory points of each match" in text
        assert "Kingfisher x 15.74 9.39 16.88 10.31 12.55 64.87" in text
        assert "Victory points by round, adjustments included" in text
        assert "Kingfisher ahead on VPs between the tied teams: 15.74 to 4.26" in text
        assert "wbf-vp/undated" in text.replace(" ", "")
        assert "wbf-standings/undated" in text.replace(" ", "")

    def test_the_crosstable_alone(self, tmp_path: Path) -> None:
        file = tmp_path / "crosstable.pdf"
        run("standings", EXAMPLES / "bridge", "--crosstable", "-o", file)
        _, (text,) = read(file.read_bytes())
        assert "1 Kingfisher x 15.74" in text
        assert "played" not in text
