"""Sheets: read, refused with every fault at once, put to work, and chosen by day."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from palmares.core.errors import NotCovered, Refused, RuleError
from palmares.regulations import REGULATIONS, wbgf
from palmares.regulations.editions import (
    Edition,
    Rulebook,
    checked_choices,
    editions,
    read_edition,
    rulebook,
    rules,
    rules_directory,
    table_key,
)
from palmares.regulations.tracing import traced

F = Fraction
SHEET = """
[edition]
regulation  = "cup"
title       = "The Cup"
author      = "A. Federation"
source      = "a letter"
in_force    = 2019-01-01
selected_by = "end date"

[constants]
rate   = { is = 0.1,   unit = "1",      clause = "p1" }
share  = { is = "1/8", unit = "1",      clause = "p1" }
steps  = { is = [1, 0.7], unit = "1",   clause = "p1" }

[tables.levels]
unit   = "level"
clause = "p1"
[tables.levels.is.live]
"Main Event" = 5

[clauses]
p1 = { label = "¶1", kind = "computes", says = "A tenth." }

[[reading]]
id     = "C1"
clause = "p1"
silent = "Whose tenth."
we     = "the winner's"
since  = "somebody's it must be"
options = { last = "the last player's" }

[[example]]
clause = "p1"
given  = { players = 10 }
prints = { points = "1" }
"""


KINDS = "Write one of these: computes, defines, explains."


class Constants(NamedTuple):
    rate: Any
    share: Any
    steps: Any


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Rules of our own, of one regulation with one edition."""
    monkeypatch.setenv("PALMARES_RULES", str(tmp_path))
    editions.cache_clear()
    (tmp_path / "cup").mkdir()
    (tmp_path / "cup" / "2019-01.toml").write_text(SHEET, "utf-8")
    yield tmp_path / "cup"
    editions.cache_clear()


def read(folder: Path, text: str) -> Edition:
    path = folder / "2020-01.toml"
    path.write_text(text, "utf-8")
    return read_edition(path)


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(RuleError) as wrong:
        read(folder, text)
    return [line.partition(": ")[2] for line in str(wrong.value).splitlines()]


class TestReadSheet:
    def test_as_published(self, folder: Path) -> None:
        held = read_edition(folder / "2019-01.toml")
        assert held.name == "cup/2019-01"
        assert held.in_force == date(2019, 1, 1)
        assert held.path == "rules/cup/2019-01.toml"
        assert held.sha256 == hashlib.sha256(SHEET.encode()).hexdigest()
        assert held.clauses["p1"].says == "A tenth."
        assert held.readings["C1"].options == {"last": "the last player's"}
        assert held.examples[0].prints == {"points": "1"}

    def test_every_number_is_exact(self, folder: Path) -> None:
        held = read_edition(folder / "2019-01.toml")
        assert held.constants["rate"].value == F(1, 10)
        assert held.constants["share"].value == F(1, 8)
        assert held.constants["steps"].value == (F(1), F(7, 10))
        assert held.tables["levels"].value == {"live": {"Main Event": F(5)}}
        assert (held.constants["rate"].unit, held.constants["rate"].clause) == ("1", "p1")

    def test_without_a_date_it_covers_every_day(self, folder: Path) -> None:
        assert read(folder, SHEET.replace("in_force    = 2019-01-01\n", "")).in_force is None

    def test_no_toml(self, folder: Path) -> None:
        (fault,) = faults(folder, "rate = =")
        assert "the value after = cannot be read" in fault

    def test_no_text(self, folder: Path) -> None:
        (folder / "2020-01.toml").write_bytes(b"\xff\xfe")
        with pytest.raises(RuleError, match=r"2020-01\.toml:1: .*decode"):
            read_edition(folder / "2020-01.toml")

    @pytest.mark.parametrize("key", ["regulation", "title", "author", "source", "selected_by"])
    def test_a_head_without_its_parts(self, folder: Path, key: str) -> None:
        lines = [line for line in SHEET.splitlines() if not line.startswith(key)]
        assert faults(folder, "\n".join(lines)) == [
            f"edition.{key} is missing. Add it and try again."
        ]

    @pytest.mark.parametrize("number", ["true", '"a third"', '"1/0"', "nan", "inf", "2019-01-01"])
    def test_a_constant_that_is_no_number(self, folder: Path, number: str) -> None:
        (fault,) = faults(folder, SHEET.replace("is = 0.1", f"is = {number}"))
        assert fault.startswith("constant rate: ")
        assert fault.endswith(" is not a number")

    @pytest.mark.parametrize(
        ("old", "new", "fault"),
        [
            ("is = 0.1,   unit", "unit", "constants.rate.is is missing. Add it and try again."),
            (
                '0.1,   unit = "1",      clause = "p1"',
                "0.1",
                "constants.rate.unit is missing. Add it and try again.",
            ),
            ('unit   = "level"\n', "", "tables.levels.unit is missing. Add it and try again."),
            ('kind = "computes", ', "", "clauses.p1.kind is missing. Add it and try again."),
            (
                '"computes"',
                '"guesses"',
                f"clauses.p1.kind is not one of its words. {KINDS}",
            ),
            ('silent = "Whose tenth."\n', "", "reading.silent is missing. Add it and try again."),
            ('id     = "C1"\n', "", "reading.id is missing. Add it and try again."),
            (
                'clause = "p1"\nsilent',
                'clause = "p2"\nsilent',
                "clause 'p2', cited for C1, is not among [clauses]",
            ),
            (
                '"1/8", unit = "1",      clause = "p1"',
                '"1/8", unit = "1",      clause = "p3"',
                "clause 'p3', cited for share, is not among [clauses]",
            ),
        ],
    )
    def test_what_is_missing_is_named(self, folder: Path, old: str, new: str, fault: str) -> None:
        assert old in SHEET
        assert fault in faults(folder, SHEET.replace(old, new, 1))

    @pytest.mark.parametrize(
        ("old", "new", "fault"),
        [
            (
                "in_force  ",
                "in_forse  ",
                "7: there is no key edition.in_forse. Did you mean in_force?",
            ),
            ("[[reading]]", "[[readings]]", "24: there is no table readings. There are: "),
            (
                "2019-01-01",
                '"2019-01-01"',
                "7: edition.in_force is not a day such as 2027-03-12. Correct it",
            ),
            ("2019-01-01", "2019-01-01 10:00:00", "7: edition.in_force is not a day such as"),
            (
                "[edition]",
                "edition = 3\n[[example]]",
                "2: edition is not written as [edition]. There are: ",
            ),
            ("[edition]", "[[example]]", "1: edition.regulation is missing."),
            ("[[reading]]", "[reading]", "24: reading is not written as [[reading]]. There are: "),
            (
                "[constants]",
                "[constants]\ncap = 3",
                "11: constants.cap is not a table.",
            ),
            (
                'says = "A',
                'tells = "A',
                "22: there is no key clauses.p1.tells. There are: label, kind, says.",
            ),
            (
                'since  = "',
                'why    = "',
                "29: there is no key reading.why. There are: id, clause, silent, ",
            ),
            (
                'unit   = "level"',
                'units  = "level"',
                "16: there is no key tables.levels.units. Did you mean unit?",
            ),
            ('"cup"', '"wbgf"', "3: the folder is that of cup"),
            ('"The Cup"', "5", "4: edition.title is not a text between quotes."),
            ('"Whose tenth."', "[1]", "27: reading.silent is not a text between quotes."),
            ("{ last = ", "{ last = 3, l = ", "30: reading.options is not a text."),
            ('{ last = "the last player\'s" }', '["last"]', "30: reading.options is not a table."),
            ("is = 0.1", "is = true", "11: constant rate: True is not a number"),
            (
                '"1/8", unit = "1",      clause = "p1"',
                '"1/8", unit = "1", clause = "p3"',
                "12: clause 'p3', cited for share, is not among [clauses]",
            ),
            (
                "[[example]]",
                SHEET[SHEET.index("[[reading]]") : SHEET.index("[[example]]")] + "[[example]]",
                "33: reading C1 stands there twice",
            ),
        ],
    )
    def test_what_a_sheet_may_not_say(self, folder: Path, old: str, new: str, fault: str) -> None:
        """A slip of the pen would else be no sheet's business: the text governs every day."""
        assert old in SHEET
        with pytest.raises(RuleError) as wrong:
            read(folder, SHEET.replace(old, new, 1))
        assert str(wrong.value).startswith(f"{folder / '2020-01.toml'}:{fault}")

    def test_all_faults_at_once(self, folder: Path) -> None:
        text = SHEET.replace("is = 0.1,   unit", "unit").replace(
            'author      = "A. Federation"', ""
        )
        assert faults(folder, text) == [
            "edition.author is missing. Add it and try again.",
            "constants.rate.is is missing. Add it and try again.",
        ]


class TestRules:
    def test_numbers_of_the_kind_asked_for(self, folder: Path) -> None:
        held = read_edition(folder / "2019-01.toml")
        exact, fast = rules(held, Constants, F), rules(held, Constants)
        assert exact.constants == Constants(F(1, 10), F(1, 8), (F(1), F(7, 10)))
        assert fast.constants == Constants(0.1, 0.125, (1.0, 0.7))
        assert exact.number(1) / 3 == F(1, 3)
        assert fast.tables["levels"]["live"] == {"Main Event": 5.0}

    def test_the_module_and_the_sheet_name_the_same_constants(self, folder: Path) -> None:
        class Others(NamedTuple):
            rate: Any
            cap: Any

        with pytest.raises(RuleError) as wrong:
            rules(read_edition(folder / "2019-01.toml"), Others)
        assert str(wrong.value).splitlines() == [
            "rules/cup/2019-01.toml: the module needs ['cap'], the file has no such entry",
            "rules/cup/2019-01.toml: ['share', 'steps'] is in the file but no clause uses it",
        ]

    def test_a_constant_that_an_older_text_does_not_know(self, folder: Path) -> None:
        """The next edition fixes a cap; the sheet of this one stays as it was published."""

        class Later(NamedTuple):
            rate: Any
            share: Any
            steps: Any
            cap: Any = 100

        assert rules(read_edition(folder / "2019-01.toml"), Later, F).constants.cap == F(100)
        later = SHEET.replace(
            "[constants]", '[constants]\ncap = { is = 7, unit = "1", clause = "p1" }'
        )
        assert rules(read(folder, later), Later, F).constants.cap == F(7)

    def test_a_reading_chosen(self, folder: Path) -> None:
        held = read_edition(folder / "2019-01.toml")
        assert rules(held, Constants, chosen={"C1": "last"}).reads("C1", "last")
        assert not rules(held, Constants).reads("C1", "last")
        others = rules(held, Constants, chosen={"C1": "second", "C2": "last"})
        assert not others.reads("C1", "second")
        assert not others.reads("C2", "last")


class TestCheckedChoices:
    def test_what_an_edition_offers(self, folder: Path) -> None:
        assert checked_choices(editions("cup"), {"C1": "last"}) == {"C1": "last"}

    @pytest.mark.parametrize("chosen", [{"C1": "second"}, {"C9": "last"}])
    def test_what_none_offers(self, folder: Path, chosen: dict[str, str]) -> None:
        (wanted,) = [f"{reading}={option}" for reading, option in chosen.items()]
        with pytest.raises(Refused) as refused:
            rulebook("cup", Constants, chosen=chosen)
        assert str(refused.value) == f"cup has no reading {wanted}. There are: C1=last."

    def test_where_there_is_no_choice(self, folder: Path) -> None:
        text = SHEET.replace('options = { last = "the last player\'s" }\n', "")
        (folder / "2019-01.toml").write_text(text, "utf-8")
        with pytest.raises(Refused, match=r"There are: none\."):
            rulebook("cup", Constants, chosen={"C1": "last"})


class TestRulebook:
    @pytest.fixture
    def book(self, folder: Path) -> Rulebook:
        """Editions of 2019 and, named earlier, of 2021."""
        later = SHEET.replace("2019-01-01", "2021-07-01").replace("is = 0.1", "is = 0.2")
        (folder / "2018-draft.toml").write_text(later, "utf-8")
        return rulebook("cup", Constants, number=F)

    @pytest.mark.parametrize(
        ("day", "rate"),
        [
            (date(2018, 12, 31), None),
            (date(2019, 1, 1), F(1, 10)),
            (date(2021, 6, 30), F(1, 10)),
            (date(2021, 7, 1), F(1, 5)),
            (date(2100, 1, 1), F(1, 5)),
        ],
    )
    def test_the_edition_of_a_day(self, book: Rulebook, day: date, rate: F | None) -> None:
        """In force from its first day, until the next edition's."""
        held = book.on(day)
        assert (held and held.constants.rate) == rate

    def test_the_earliest_comes_first(self, book: Rulebook) -> None:
        assert [one.edition.id for one in book.all] == ["2019-01", "2018-draft"]

    def test_two_of_one_day_are_refused(self, folder: Path) -> None:
        (folder / "2019-b.toml").write_text(SHEET, "utf-8")
        with pytest.raises(RuleError) as wrong:
            editions("cup")
        path = folder / "2019-b.toml"
        assert (
            str(wrong.value) == f"{path}:7: it is in force from 2019-01-01, and so is 2019-01.toml"
        )

    def test_an_edition_asked_for_governs_every_day(self, book: Rulebook) -> None:
        forced = rulebook("cup", Constants, number=F, edition="2019-01")
        for day in (date(1999, 1, 1), date(2022, 1, 1)):
            held = forced.on(day)
            assert held is not None
            assert held.edition.id == "2019-01"

    def test_an_edition_that_is_not_there(self, book: Rulebook) -> None:
        with pytest.raises(NotCovered) as wrong:
            rulebook("cup", Constants, edition="2020")
        assert str(wrong.value) == "cup has no edition 2020. There are: 2019-01, 2018-draft."

    def test_an_undated_text_covers_every_day(self, folder: Path) -> None:
        (folder / "2019-01.toml").write_text(
            SHEET.replace("in_force    = 2019-01-01\n", ""), "utf-8"
        )
        assert rulebook("cup", Constants).on(date.min) is not None

    def test_a_regulation_without_a_sheet(self, folder: Path) -> None:
        with pytest.raises(RuleError, match="rules/bowl: there is no edition file"):
            rulebook("bowl", Constants)


class TestNamed:
    TABLE = ("Director's Cup", "ABT Main Event")

    @pytest.mark.parametrize(
        ("wanted", "key"),
        [
            ("Director's Cup", "Director's Cup"),
            ("director’s  cup ", "Director's Cup"),
            ("abt main EVENT", "ABT Main Event"),
            ("Main Event", None),
            ("", None),
            (None, None),
        ],
    )
    def test_case_apostrophes_and_spaces_apart(self, wanted: str | None, key: str | None) -> None:
        assert table_key(dict.fromkeys(self.TABLE, 1), wanted) == key


class TestOurSheets:
    @pytest.mark.parametrize("held", REGULATIONS, ids=lambda held: held.name)
    def test_load_into_their_modules(self, held: Any) -> None:
        book = rulebook(held.name, held.constants)
        assert {one.edition.regulation for one in book.all} == {held.name}

    def test_are_beside_the_module_unless_told_otherwise(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("PALMARES_RULES", raising=False)
        assert (rules_directory() / "wbgf" / "undated.toml").is_file()
        monkeypatch.setenv("PALMARES_RULES", "elsewhere")
        assert rules_directory() == Path("elsewhere")


class TestOnce:
    """A clause of a whole number is worked out once, and every time somebody watches."""

    def test_once_and_watched(self) -> None:
        held = rulebook("wbgf", wbgf.Constants).all[-1]
        assert held.once(wbgf.rank_rewards, 9) is held.once(wbgf.rank_rewards, 9)
        assert held.once(wbgf.rank_rewards, 9) == wbgf.rank_rewards(held.constants, 9)
        with traced() as steps:
            held.once(wbgf.rank_rewards, 9)
        assert [one.clause for one in steps] == ["rank-reward"]

    def test_great_fields_are_not_kept(self) -> None:
        held = rulebook("wbgf", wbgf.Constants).all[-1]
        assert held.once(wbgf.size_scaling, 1_001) == held.once(wbgf.size_scaling, 1_001)
        assert not [number for _, number in held.cache if number > 1_000]
