"""Functions that a regulation of another package supplies: each that fails names it, and no other.

'One broken plug-in names itself and hurts no other.'
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from palmares import regulations as registry
from palmares.core.errors import Refused
from palmares.regulations import (
    Advice,
    Decay,
    Latest,
    Regulation,
    Sum,
    broken_regulations,
    get_regulation,
    regulations,
)
from palmares.regulations.guard import guarded
from tests.packages import rows, run, write
from tests.regulations import melting

ENORMOUS = 10**400
NUMBERS = [None, 1.5, "ten", float("nan"), -1, ENORMOUS]
PAIRS = [(1,), (1, 0), (-2, -1), (2, 1), (1, ENORMOUS), (1.0, 2)]


def _raises(*_: Any) -> Any:
    raise LookupError("no snow")


def _gives(value: Any) -> Callable[..., Any]:
    def given(*_: Any) -> Any:
        return value

    return given


@pytest.fixture
def season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package installed, and four players of 15 November 2019: 3 x 4 heaps by rank."""
    melting.install(tmp_path, monkeypatch)
    return write(tmp_path / "season", **melting.PACKAGE)


@pytest.fixture
def snow(season: Path) -> Regulation:
    """The regulation of the package, as it is registered."""
    return get_regulation("snow")


def _refused(regulation: Regulation, why: str) -> None:
    with pytest.raises(Refused, match=f"The regulation snow failed: {why}"):
        guarded(regulation)


class TestWhatIsTriedAtOnce:
    """A function that always fails keeps its regulation out, and is named."""

    @pytest.mark.parametrize("value", [*NUMBERS, *PAIRS])
    def test_days_left(self, snow: Regulation, value: Any) -> None:
        wrong = structs.replace(snow, aggregate=Sum(decay=Decay(left=_gives(value))))
        _refused(wrong, "ValueError: aggregate.decay.left gave")

    @pytest.mark.parametrize("value", [None, "ten", float("nan"), ENORMOUS, -ENORMOUS, (1, 2)])
    def test_points(self, snow: Regulation, value: Any) -> None:
        decay = Decay(left=_gives((1, 1)), worth=_gives(value))
        _refused(structs.replace(snow, aggregate=Sum(decay=decay)), ".*decay.worth gave")
        _refused(structs.replace(snow, aggregate=Latest(opening=_gives(value))), ".*opening gave")

    @pytest.mark.parametrize("value", [None, "no", 0, 1.5])
    def test_whether_a_nation_keeps_points(self, snow: Regulation, value: Any) -> None:
        wrong = structs.replace(snow, aggregate=Sum(nation_at_event=_gives(value)))
        _refused(wrong, ".*nation_at_event gave")

    @pytest.mark.parametrize("value", ["Grand Duke", 1, float("nan")])
    def test_a_level(self, snow: Regulation, value: Any) -> None:
        _refused(structs.replace(snow, level=_gives(value)), "ValueError: level gave")

    @pytest.mark.parametrize(
        "parts",
        [
            {"level": _raises},
            {"aggregate": Sum(nation_at_event=_raises)},
            {"aggregate": Sum(decay=Decay(left=_raises))},
            {"aggregate": Sum(decay=Decay(left=_gives((1, 2)), worth=_raises))},
            {"aggregate": Latest(opening=_raises)},
        ],
    )
    def test_what_raises(self, snow: Regulation, parts: dict[str, Any]) -> None:
        _refused(structs.replace(snow, **parts), "LookupError: no snow")

    def test_a_day_that_its_calendar_lacks(self, snow: Regulation) -> None:
        """Three years after 29 February there is no such day."""

        def left(_rules: Any, effective: date, as_of: date) -> tuple[int, int]:
            last = effective.replace(year=effective.year + 3)
            return (last - as_of).days, (last - effective).days

        wrong = structs.replace(snow, aggregate=Sum(decay=Decay(left=left)))
        _refused(wrong, "ValueError: day ")

    @pytest.mark.parametrize("field", ["kinds", "asks", "event_kinds", "settings"])
    def test_one_word_is_not_several(self, snow: Regulation, field: str) -> None:
        with pytest.raises(Refused, match=f"its {field} is 'snow', and must be a tuple of texts"):
            guarded(structs.replace(snow, **{field: "snow"}))

    def test_words_of_no_table(self, snow: Regulation) -> None:
        with pytest.raises(Refused, match="its words name the table 'flakes', which"):
            guarded(structs.replace(snow, words={"event_type": "flakes"}))


def test_it_is_named_among_those_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = melting.MODULE.replace("def fade(rules, effective, as_of):", "def fade(*_): 1 / 0\n\n"
                                    "def unused(rules, effective, as_of):")  # fmt: skip
    melting.install(tmp_path, monkeypatch, module)
    assert "snow" not in regulations()
    assert "ZeroDivisionError" in broken_regulations()["snow"]
    season = write(tmp_path / "season", **melting.PACKAGE)
    for command in ("rank", "explain"):
        player = ("--player", "a") if command == "explain" else ()
        refused = run(command, "snow", season, "--as-of", "2019-11-18", *player)
        assert refused.exit_code == 1
        assert "The regulation snow of club-snow cannot be used" in refused.output
        assert "Traceback" not in refused.output
    assert rows("rank", "wbgf", season, "--as-of", "2019-11-18")


class TestOneThatFailsLater:
    """On one day only: the question is refused, in its name."""

    @pytest.fixture(autouse=True)
    def fails(self, snow: Regulation, monkeypatch: pytest.MonkeyPatch) -> None:
        """It cannot tell what is left on 25 December 2019."""

        def left(_rules: Any, effective: date, as_of: date) -> tuple[int, int]:
            if as_of == date(2019, 12, 25):
                raise LookupError("no snow")
            return max(0, 99 - (as_of - effective).days), 99

        ours = guarded(structs.replace(snow, aggregate=Sum(decay=Decay(left=left))))
        monkeypatch.setattr(registry, "_installed", lambda _: ((ours,), {}))

    @pytest.mark.parametrize("command", [("rank",), ("explain", "--player", "a")])
    def test_it_says_so(self, season: Path, command: tuple[str, ...]) -> None:
        name, *options = command
        refused = run(name, "snow", season, "--as-of", "2019-12-25", *options)
        assert refused.exit_code == 1
        assert "The regulation snow failed: LookupError: no snow. Tell" in refused.output
        assert "Traceback" not in refused.output
        assert rows("rank", "snow", season, "--as-of", "2019-12-24")


@pytest.mark.parametrize("notice", ["melting", None, Advice("melting")])  # type: ignore[arg-type]
def test_advice_that_is_none(snow: Regulation, season: Path, notice: Any,
                             monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    ours = guarded(structs.replace(snow, advice=_gives([notice])))
    monkeypatch.setattr(registry, "_installed", lambda _: ((ours,), {}))
    ranked = run("rank", "snow", season, "--as-of", "2019-11-17")
    assert ranked.exit_code == 0
    assert "the regulation snow failed: TypeError: advice gave" in ranked.output


def test_one_that_works_gives_the_same(snow: Regulation) -> None:
    (rules,) = snow.rulebook(number=Fraction).all
    assert snow.aggregate.left(rules, date(2019, 11, 15), date(2019, 11, 18)) == (7, 10)
    assert snow.modules == ("club_snow",)
