"""The European Central Bank's file: what it says of a day, how far it reaches, what is no such."""

from __future__ import annotations

import zipfile
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected, Refused
from palmares.facts.rates import NO_BANK, Figure, read_bank, shipped

TEXT = """Date,USD,JPY,RUB,
2026-10-30,1.1500,N/A,N/A,
2026-10-29,1.1600,177.50,N/A,
2026-10-21,1.1700,178.10,90.5,
"""


def written(folder: Path, text: str = TEXT) -> Path:
    file = folder / "eurofxref-hist.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_blank_lines_and_spaces_mean_nothing(tmp_path: Path) -> None:
    text = "Date, USD, JPY\n2026-10-30,1.1500, N/A\n,,\n2026-10-29, 1.1600,177.50\n\n"
    bank = read_bank(written(tmp_path, text))
    assert bank.figure("USD", date(2026, 10, 29)) == Figure(date(2026, 10, 29), Decimal("1.1600"))
    assert bank.figure("JPY", date(2026, 10, 30)) == Figure(date(2026, 10, 29), Decimal("177.50"))


@pytest.mark.parametrize(
    ("why", "currency", "day", "found"),
    [
        ("a Friday",              "USD", "2026-10-30", ("2026-10-30", "1.1500")),
        ("the Saturday after it", "USD", "2026-10-31", ("2026-10-30", "1.1500")),
        ("the Sunday after it",   "USD", "2026-11-01", ("2026-10-30", "1.1500")),
        ("past the end",          "USD", "2026-11-02", None),
        ("well past the end",     "USD", "2027-11-02", None),
        ("no figure that day",    "JPY", "2026-10-30", ("2026-10-29", "177.50")),
        ("a hole in the data",    "USD", "2026-10-28", ("2026-10-21", "1.1700")),
        ("7 days back",           "RUB", "2026-10-28", ("2026-10-21", "90.5")),
        ("8 days back",           "RUB", "2026-10-29", None),
        ("before the data",       "USD", "2026-10-20", None),
        ("nobody's currency",     "ZZZ", "2026-10-30", None),
    ],
)  # fmt: skip
def test_figures(
    why: str, currency: str, day: str, found: tuple[str, str] | None, tmp_path: Path
) -> None:
    expected = Figure(date.fromisoformat(found[0]), Decimal(found[1])) if found else None
    assert read_bank(written(tmp_path)).figure(currency, date.fromisoformat(day)) == expected, why


@pytest.mark.parametrize(
    ("last", "reached"),
    [
        ("2026-10-28", 0),  # a Wednesday: nobody knows Thursday's rate yet
        ("2026-10-29", 0),  # a Thursday, perhaps before a holiday
        ("2026-10-30", 2),  # a Friday: its rate holds on the weekend, for good
    ],
)
def test_data_reach_over_a_weekend_and_no_further(last: str, reached: int, tmp_path: Path) -> None:
    bank = read_bank(written(tmp_path, f"Date,USD\n{last},1.15\n"))
    until = date.fromisoformat(last)
    days = [bank.figure("USD", until + timedelta(days=ahead)) for ahead in range(8)]
    assert [one is not None for one in days] == [True] * (reached + 1) + [False] * (7 - reached)


@pytest.mark.parametrize(
    ("why", "currency", "day", "found"),
    [
        ("a Friday",              "USD", "2019-11-22", ("2019-11-22", "1.1058")),
        ("a Sunday",              "USD", "2019-11-24", ("2019-11-22", "1.1058")),
        ("before the euro",       "USD", "1998-12-31", None),
        ("first day of the euro", "USD", "1999-01-04", ("1999-01-04", "1.1789")),
        ("Easter Monday",         "USD", "2019-04-22", ("2019-04-18", "1.1250")),
        ("7 days after the last", "RUB", "2022-03-08", ("2022-03-01", "117.201")),
        ("8 days after the last", "RUB", "2022-03-09", None),
    ],
)  # fmt: skip
def test_what_comes_with_palmares(
    why: str, currency: str, day: str, found: tuple[str, str] | None
) -> None:
    expected = Figure(date.fromisoformat(found[0]), Decimal(found[1])) if found else None
    assert shipped().figure(currency, date.fromisoformat(day)) == expected, why


def test_an_archive_is_read_as_its_file(tmp_path: Path) -> None:
    packed = tmp_path / "eurofxref-hist.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("eurofxref-hist.csv", TEXT)
    bank = read_bank(packed)
    assert bank.figure("USD", date(2026, 10, 29)) == Figure(date(2026, 10, 29), Decimal("1.16"))


def test_no_data_know_nothing() -> None:
    assert NO_BANK.until is None
    assert NO_BANK.figure("USD", date(2019, 11, 22)) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not the European Central Bank's file"),
        ("Day,USD\n2026-10-30,1.1\n", "not the European Central Bank's file"),
        ("Date,Dollar\n2026-10-30,1.1\n", "not the European Central Bank's file"),
        ('Date,USD\n"2026-10-30,1.1' + "x" * 200_000, "not the European Central Bank's file"),
        ("Date,USD\n2026-10-28,1.1,2\n", "not the European Central Bank's file"),
        ("Date,USD\n" + "," * 20_000_001, "more than 20,000,000 bytes are too many"),
    ],
)
def test_another_file_is_refused(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=says):
        read_bank(written(tmp_path, text))


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        read_bank(tmp_path / "nowhere.csv")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"Date,USD\xe9\n")
    with pytest.raises(Refused, match="not the European Central Bank's file"):
        read_bank(latin)
    two = tmp_path / "two.zip"
    with zipfile.ZipFile(two, "w") as archive:
        archive.writestr("a.csv", TEXT)
        archive.writestr("b.csv", TEXT)
    with pytest.raises(Refused, match="2 CSV files are in it"):
        read_bank(two)
    damaged = tmp_path / "damaged.zip"
    content = bytearray(two.read_bytes())
    content[0:4] = b"PKxx"
    damaged.write_bytes(content)
    with pytest.raises(Refused, match="damaged"):
        read_bank(damaged)


def test_every_wrong_line_is_named(tmp_path: Path) -> None:
    lines = ["Date,USD", "2026-13-30,1.1", "2026-10-30,1.1", "2026-10-29,0", "2026-10-28"]
    file = written(tmp_path, "\n".join([*lines, "2026-10-27,abc", "2026-10-26,-1\n"]))
    with pytest.raises(FactsRejected) as rejected:
        read_bank(file)
    found = [problem.at.line for problem in rejected.value.problems]
    assert found == [2, 4, 5, 6, 7]
