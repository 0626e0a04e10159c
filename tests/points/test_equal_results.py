"""
Equal results share a rank (W16, U17), and on a list is who has points (W20, U32).

Ranks are held against fractions that were never rounded, and against the exact sums of the awards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import palmares
from palmares.core.rounding import NANO, to_nanopoints
from palmares.facts import codes
from palmares.facts.packages import read_package
from palmares.journal.store.journal import create_journal
from palmares.points import history, ledger, master_points
from palmares.points.awards import Awards, Question, award
from palmares.points.rankings import Selection
from tests.amounts import amount
from tests.journal.statements import OFFICER
from tests.packages import BACKGAMMON, rows, run, write
from tests.points import equal_results, slow
from tests.points.random_awards import QUESTIONS, START, Row, awards, seasons, selections

MILLIONTH = Fraction(1, 10**6)
WBGF, _, USBGF, DPTR = QUESTIONS
SHARED = [(1, "a", 1.490711985), (1, "b", 1.490711984), (3, "c", 0.745355992)]
"""Two wins to 5 points, sqrt(5)/3 each: rounded together or one by one, 1.49; and one."""


def ranks_of(points: Mapping[Any, Fraction]) -> dict[Any, int]:
    """The rule as it is written: one more than the number of those higher by over a millionth."""
    return {
        one: 1 + sum(other - mine > MILLIONTH for other in points.values())
        for one, mine in points.items()
    }


def test_the_rule_has_no_groups() -> None:
    """0.9, 0 and -0.9 millionths: the first outranks the last alone."""
    nine = Fraction(9, 10**7)
    assert ranks_of({"a": 1 + nine, "b": Fraction(1), "c": 1 - nine}) == {"a": 1, "b": 1, "c": 2}
    made = awards(USBGF, [usbgf(0, NANO + 900), usbgf(1, NANO), usbgf(2, NANO - 900)])
    assert found(made, Selection(as_of=START))["rank"].to_list() == [1, 1, 2]


def usbgf(player: int, nanopoints: int) -> Row:
    return Row(player, 0, nanopoints, "2019-01", kind="match")


def found(made: Awards, selection: Selection, **more: Any) -> pl.DataFrame:
    return slow.rank(made, selection, **more).frame


class TestTheExample:
    """'A wins two 5-point matches in the Main, B one in the Main and one in the Consolation'"""

    @pytest.fixture
    def package(self, tmp_path: Path) -> Path:
        return equal_results.written(tmp_path / "orlando")

    def listed(self, rows_: Sequence[Mapping[str, Any]], points: str = "points") -> Any:
        return [(row["rank"], row["player_id"], row[points]) for row in rows_]

    def test_in_python(self, package: Path) -> None:
        listed = palmares.rank("usbgf", palmares.read(package), as_of=date(2019, 12, 31))
        assert self.listed(listed.to_dicts()) == SHARED

    @pytest.mark.parametrize("engine", ["", "inprocess", "duckdb"])
    def test_typed(self, package: Path, engine: str) -> None:
        asked = ("usbgf", package, *(("--engine", engine) if engine else ()))
        for more in ((), ("--kind", "match"), ("--setting", "live")):
            assert self.listed(rows("rank", *asked, *more)) == SHARED
        assert self.listed(rows("totals", *asked), "total") == SHARED
        for command in ("rank", "totals"):
            for top, many in ((1, 2), (2, 2), (3, 3)):
                assert len(rows(command, *asked, "--top", top)) == many

    @pytest.mark.parametrize("engine", ["", "inprocess", "duckdb"])
    def test_levels(self, package: Path, tmp_path: Path, engine: str) -> None:
        """U17: 'a threshold is reached from a millionth below it'"""
        sheet = tmp_path / "levels.toml"
        head = '[levels]\nregulation = "usbgf"\ntitle = "T"\nsource = "S"\n'
        for least, reached in (("1.490711985", "ab"), ("1.490712984", "ab"), ("1.490712985", "a")):
            level = f'[[level]]\nname = "Two Wins"\npoints = {least}\n'
            sheet.write_text(head + level, encoding="utf-8")
            asked = ("usbgf", package, *(("--engine", engine) if engine else ()))
            listed = rows("totals", *asked, "--levels", sheet)
            assert "".join(row["player_id"] for row in listed if row["level"]) == reached

    def test_over_time(self, package: Path) -> None:
        asked = ("usbgf", package, "--since", "2019-11-01", "--until", "2019-12-31")
        for player, rank in (("a", 1), ("b", 1), ("c", 3)):
            line = rows("history", *asked, "--player", player)
            assert [row["rank"] for row in line] == [rank, rank]

    def test_in_a_journal(self, tmp_path: Path) -> None:
        url = str(tmp_path / "federation.db")
        with closing(create_journal(url)) as journal:
            journal.record(equal_results.drafts(), OFFICER)
        assert self.listed(rows("rank", "usbgf", "--journal", url)) == SHARED
        assert len(rows("rank", "usbgf", "--journal", url, "--top", "1")) == 2

    def test_in_what_is_published(self, package: Path) -> None:
        facts = palmares.read(package)
        announced = palmares.publish("usbgf", facts, as_of=date(2019, 12, 31))
        assert self.listed(announced.list.to_dicts()) == SHARED
        assert palmares.verify(announced.manifest, facts).identical

    def test_nations(self, tmp_path: Path) -> None:
        package = equal_results.written(tmp_path / "other")
        text = (package / "players.csv").read_text(encoding="utf-8")
        (package / "players.csv").write_text(text.replace("c,Cy,CZE", "c,Cy,"), encoding="utf-8")
        listed = rows("rank", "usbgf", package, "--by", "nation")
        assert [(row["rank"], row["nation"], row["players"]) for row in listed] == [
            (1, "CZE", 1),
            (1, "DEU", 1),
        ]


# ── results that are equal ───────────────────────────────────────────────────────────────────────


AMOUNT = st.fractions(min_value=0, max_value=50, max_denominator=10**6)


class TestEqualResults:
    @given(st.lists(AMOUNT, min_size=1, max_size=40), st.randoms(), st.integers(0, 1094))
    @settings(max_examples=amount(1_000))
    def test_however_awards_are_cut_they_share(
        self, amounts: list[Fraction], chance: Random, age: int
    ) -> None:
        """Up to 1,000 awards each of the same sum, that never were rounded but one by one."""
        total = 1 + sum(amounts)
        made = []
        for player in range(4):
            cuts = sorted(
                Fraction(chance.randrange(10**12), 10**12) for _ in range(chance.randrange(1000))
            )
            edges = [Fraction(0), *cuts, Fraction(1)]
            made += [Row(player, 0, to_nanopoints((b - a) * total)) for a, b in pairwise(edges)]
        asked = Selection(as_of=START + timedelta(days=age))
        assert found(awards(WBGF, made), asked)["rank"].to_list() == [1] * 4

    @pytest.mark.parametrize("age", [0, 1, 500, 1094])
    def test_the_worst_there_is(self, age: int) -> None:
        """A thousand awards that are rounded up by half a nanopoint, a thousand down by almost."""
        half, almost = Fraction(1, 2), Fraction(4999, 10_000)
        up = [to_nanopoints((1000 + half) / NANO)] * 1000
        down = [to_nanopoints((1000 + almost) / NANO)] * 999
        down.append(to_nanopoints((1_000_500 - sum([1000 + almost] * 999)) / NANO))
        assert sum(up) - sum(down) == 999 + 1 - 1
        rows_ = [Row(0, 0, one) for one in up] + [Row(1, 0, one) for one in down]
        asked = Selection(as_of=START + timedelta(days=age))
        assert found(awards(WBGF, rows_), asked)["rank"].to_list() == [1, 1]

    @given(st.integers(0, 10**15), st.integers(-3000, 3000), st.integers(0, 1094))
    @example(NANO, 1000, 0)
    @example(NANO, 1001, 0)
    @example(NANO, 1001, 1)
    def test_further_apart_than_a_millionth_never(self, low: int, more: int, age: int) -> None:
        made = awards(WBGF, [Row(0, 0, low + 3001), Row(1, 0, low + 3001 + more)])
        ranks = found(made, Selection(as_of=START + timedelta(days=age)))["rank"].to_list()
        apart = Fraction(abs(more) * (1095 - age), 1095)
        assert ranks == ([1, 1] if apart <= 1000 else [1, 2])

    def test_a_simulated_season_splits_no_players_of_identical_wins(self, tmp_path: Path) -> None:
        """Every group of players who won matches of the same lengths, in whatever flights."""
        chance = Random(13)  # noqa: S311  made-up facts need no cryptography
        package = a_season(tmp_path / "season", chance)
        wins: dict[str, list[int]] = defaultdict(list)
        facts = read_package(package)
        for winner, length in facts["matches"].select("winner_id", "length").iter_rows():
            wins[winner].append(length)
        frame = found(award(Question(regulation="usbgf"), facts), Selection(as_of=date(2020, 1, 1)))
        groups: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
        for player, rank, nanopoints in frame.select("player_id", "rank", "nanopoints").iter_rows():
            groups[tuple(sorted(wins[player]))].append((rank, nanopoints))
        several = [group for group in groups.values() if len(group) > 1]
        rounded_apart = [group for group in several if len({points for _, points in group}) > 1]
        assert len(several) > 40
        assert len(rounded_apart) > 5
        assert [group for group in several if len({rank for rank, _ in group}) > 1] == []


def a_season(directory: Path, chance: Random) -> Path:
    """Six Main Events of one weight; in each, players win a few matches in several flights."""
    players = [f"p{number:03}" for number in range(300)]
    matches = [
        f"m{number},E{chance.randrange(6)},{chance.choice(('main', 'consolation', 'last_chance'))},"
        f"{chance.choice((5, 7, 9, 11))},{chance.choice(players)},loser\n"
        for number in range(900)
    ]
    return write(
        directory,
        players="player_id,name\nloser,Loser\n" + "".join(f"{one},{one}\n" for one in players),
        memberships="player_id,federation,start\n"
        + "".join(f"{one},usbgf,2010-01-01\n" for one in players),
        tournaments="tournament_id,name,discipline,end_date\nT,Cup,backgammon,2019-06-01\n",
        events="event_id,tournament_id,name,event_type,entrants\n"
        + "".join(f"E{number},T,Main {number},ABT Main Event,64\n" for number in range(6)),
        matches="match_id,event_id,flight,length,winner_id,loser_id\n" + "".join(matches),
    )


# ── every list, against fractions ────────────────────────────────────────────────────────────────


def worths(made: Awards, asked: Selection) -> Iterator[tuple[str, str | None, Fraction]]:
    """Player, nation and worth of the awards that count; of ratings, in the order of time."""
    wanted = asked.nation and codes.nation(asked.nation)
    for row in made.frame.sort("order").iter_rows(named=True):
        if (
            (asked.since or date.min) <= row["effective"]
            and row["effective"] <= min(asked.as_of, asked.until or date.max)
            and asked.setting in (None, row["setting"])
            and asked.kind in ("total", row["kind"])
            and wanted in (None, row["nation_now"])
        ):
            left = days_left(made.question, row["effective"], asked.as_of)
            yield row["player_id"], row["nation_now"], Fraction(row["nanopoints"], NANO) * left


def exact(made: Awards, asked: Selection) -> dict[str, Fraction]:
    """What players of a list have: sums in fractions of those above 0; or the last ratings."""
    if made.question.regulation == "dptr":
        return {player: rating for player, _, rating in worths(made, asked)}
    return above_0((player, worth) for player, _, worth in worths(made, asked))


def above_0(pairs: Iterable[tuple[str, Fraction]]) -> dict[str, Fraction]:
    """Sums by name, those above 0."""
    points: dict[str, Fraction] = defaultdict(Fraction)
    for name, worth in pairs:
        points[name] += worth
    return {name: total for name, total in points.items() if total > 0}


def days_left(question: Question, effective: date, as_of: date) -> Fraction:
    """The part that is left of a result."""
    if question.regulation != "wbgf":
        return Fraction(1)
    days = {effective + timedelta(days=one + 1) for one in range((as_of - effective).days)}
    age = len([day for day in days if not question.chosen or (day.month, day.day) != (2, 29)])
    return max(Fraction(0), 1 - Fraction(age, 1095))


def best(points: Mapping[str, Fraction], top: int) -> set[str]:
    """Who is not more than a millionth below the N-th highest total."""
    ordered = sorted(points.values(), reverse=True)
    least = ordered[top - 1] - MILLIONTH if top <= len(ordered) else 0
    return {player for player, total in points.items() if total >= least}


@given(st.data(), seasons(), st.integers(1, 4))
def test_any_list_is_ranked_by_the_rule(data: st.DataObject, made: Awards, top: int) -> None:
    asked = data.draw(selections(made.question))
    points = exact(made, asked)
    whole = found(made, asked)
    assert dict(whole.select("player_id", "rank").iter_rows()) == ranks_of(points)
    assert [points[one] for one in whole["player_id"]] == sorted(points.values(), reverse=True)
    if made.question.regulation != "dptr":
        assert set(found(made, asked, top=top)["player_id"]) == best(points, top)
    book = ledger.ledger(made)
    assert set(ledger.ranking(book, asked, top).frame["player_id"]) == {
        one for one, rank in ranks_of(points).items() if rank <= top
    }
    names = book.players["player_id"]
    places = history.daily_ranks(book, [asked.as_of], range(len(names)), asked)
    assert {names[code]: rank for _, code, _, rank in places.iter_rows() if rank} == ranks_of(
        points
    )


@given(st.data(), seasons((WBGF, USBGF)))
def test_any_list_of_nations_is_ranked_by_the_rule(data: st.DataObject, made: Awards) -> None:
    asked = data.draw(selections(made.question))
    points = above_0((nation, worth) for _, nation, worth in worths(made, asked) if nation)
    listed = found(made, asked, by="nation")
    assert dict(listed.select("nation", "rank").iter_rows()) == ranks_of(points)


# ── who is on a list ─────────────────────────────────────────────────────────────────────────────


class TestWhoIsOnAList:
    """W20, U32: 'whose points are above 0'"""

    FREE: ClassVar[dict[str, str]] = BACKGAMMON | {
        "events": """\
            event_id,tournament_id,name,kind,entrants,entry_fee
            E,T,Prague Free,championship,4,0
            """
    }

    def test_the_winner_of_a_free_entry_is_not(self, tmp_path: Path) -> None:
        package = write(tmp_path / "p", **self.FREE)
        assert [row["points"] for row in rows("award", "wbgf", package)] == [0] * 4
        for engine in ((), ("--engine", "inprocess"), ("--engine", "duckdb")):
            asked = ("rank", "wbgf", package, "--as-of", "2019-11-15", *engine)
            assert rows(*asked) == []
            assert rows(*asked, "--by", "nation") == []

    def test_a_history_has_a_rank_only_while_there_are_points(self, tmp_path: Path) -> None:
        """A free entry in November 2019, and 40 points in December, which end in 2022."""
        package = write(
            tmp_path / "p",
            **self.FREE
            | {
                "tournaments": "tournament_id,name,discipline,end_date\n"
                "T,Prague,backgammon,2019-11-15\nU,Brno,backgammon,2019-12-20\n",
                "events": "event_id,tournament_id,name,kind,entrants,entry_fee\n"
                "E,T,Free,championship,4,0\nF,U,Main,championship,1,100\n",
                "placings": "event_id,player_id,rank\nE,a,1\nE,b,2\nF,a,1\n",
            },
        )
        line = rows("history", "wbgf", package, "--player", "a", "--until", "2022-12-31")
        ranks = {row["day"]: row["rank"] for row in line}
        assert ranks["2019-11-30"] is None
        assert {rank for day, rank in ranks.items() if "2019-12" <= day < "2022-12-18"} == {1}
        assert ranks["2022-12-31"] is None
        other = rows("history", "wbgf", package, "--player", "b", "--until", "2019-12-31")
        assert [row["rank"] for row in other] == [None, None]
        asked = ("explain", "wbgf", package, "--player", "b", "--as-of", "2019-12-31")
        assert "not on the list" in run(*asked).stdout

    def test_totals(self) -> None:
        made = awards(USBGF, [usbgf(0, 0), usbgf(1, 1), usbgf(2, 5), usbgf(2, -5)])
        listed = master_points.rank_master_points(made, Selection(as_of=START)).frame
        assert listed.select("rank", "player_id").rows() == [(1, "p1")]

    def test_a_nation_counts_those_on_the_list(self) -> None:
        rows_ = [Row(0, 0, 7), Row(3, 0, 0)]  # both of CZE
        listed = found(awards(WBGF, rows_), Selection(as_of=START), by="nation")
        assert listed.select("nation", "players").rows() == [("CZE", 1)]

    def test_whoever_has_a_rating_is(self) -> None:
        """D9; however low it is."""
        made = awards(DPTR, [Row(0, 0, 0, "2019-10", kind="rating")])
        assert found(made, Selection(as_of=START))["rank"].to_list() == [1]
        assert found(made, Selection(as_of=START - timedelta(days=1))).is_empty()
