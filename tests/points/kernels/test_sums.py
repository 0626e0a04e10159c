"""Awards by player, sums and order: NumPy, compiled loops and plain Python give the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core import rounding, threads
from palmares.points.kernels import jit, sums, sums_jit
from palmares.points.kernels.rows import ABSENT, Rows

NONE = np.empty(0, np.int64)
INT64 = st.integers(-(2**61), 2**61)


def awards(rows: int, players: int, award_classes: int, seed: int = 1) -> tuple[Any, Rows]:
    """Whose each award is, and the awards, in no order."""
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(min(1, 3 / players), rows), players) - 1  # few have many
    award_class = rng.integers(0, award_classes, rows).astype(np.uint16)
    return codes.astype(np.int32), Rows(
        NONE, NONE, award_class, rng.integers(-(10**12), 10**12, rows)
    )


@pytest.fixture
def by_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "COMPILED_FROM", 0)
    monkeypatch.setattr(sums, "ADDED_FROM_ONCE_LOADED", 0)


class TestByPlayer:
    @pytest.mark.parametrize("timed", [True, False])
    @pytest.mark.parametrize(
        ("rows", "players", "award_classes"),
        [(0, 0, 1), (0, 3, 1), (1, 1, 1), (500, 3, 9), (20_000, 5_000, 700), (9_000, 200_000, 3)],
    )
    def test_both_ways(
        self,
        monkeypatch: pytest.MonkeyPatch,
        rows: int,
        players: int,
        award_classes: int,
        timed: bool,
    ) -> None:
        codes, given_ = awards(rows, max(players, 1), award_classes)
        numpy = sums.by_player(codes, given_, players, timed=timed)
        monkeypatch.setattr(sums, "COMPILED_FROM", 0)
        monkeypatch.setattr(sums, "ADDED_FROM_ONCE_LOADED", 0)
        compiled = sums.by_player(codes, given_, players, timed=timed)
        for one, other in zip(numpy.rows, compiled.rows, strict=True):
            assert one.tolist() == other.tolist()
            assert one.dtype == other.dtype
        assert numpy.reach == compiled.reach

    @pytest.mark.parametrize("timed", [True, False])
    def test_each_player_has_his_own_in_order(self, by_loops: None, timed: bool) -> None:
        codes, given_ = awards(3_000, 1_500, 40)
        found = sums.by_player(codes, given_, 1_500, timed=timed)
        theirs: dict[int, list[tuple[int, int]]] = {player: [] for player in range(1_500)}
        pairs = zip(given_.award_classes.tolist(), given_.nanopoints.tolist(), strict=True)
        for code, pair in zip(codes.tolist(), pairs, strict=True):
            theirs[code].append(pair)
        for player, expected in theirs.items():
            here = slice(found.rows.begin[player], found.rows.end[player])
            cells = (found.rows.award_classes[here].tolist(), found.rows.nanopoints[here].tolist())
            if timed:
                expected.sort(key=lambda pair: pair[0])
            assert list(zip(*cells, strict=True)) == expected
        most = max(sum(abs(points) for _, points in one) for one in theirs.values())
        assert most <= found.reach <= most * 1.00001 + 2

    @pytest.mark.parametrize("timed", [True, False])
    def test_rows_whose_numbers_do_not_fit_beside_their_keys(
        self, monkeypatch: pytest.MonkeyPatch, timed: bool
    ) -> None:
        codes, given_ = awards(3_000, 50, 40)
        expected = sums.by_player(codes, given_, 50, timed=timed)
        monkeypatch.setattr(sums, "WHOLE", 1)
        found = sums.by_player(codes, given_, 50, timed=timed)
        assert all(map(np.array_equal, found.rows, expected.rows))

    def test_the_input_stays_as_it_is(self, by_loops: None) -> None:
        codes, given_ = awards(500, 30, 9)
        before = [codes.copy(), given_.award_classes.copy(), given_.nanopoints.copy()]
        sums.by_player(codes, given_, 30, timed=True)
        for one, other in zip(before, [codes, *given_[2:]], strict=True):
            assert np.array_equal(one, other)


class TestTotals:
    ROWS = Rows(
        np.array([0, 2, 2]),
        np.array([2, 2, 5]),
        np.array([0, 2, 1, 2, 0], np.uint16),
        np.array([7, 11, -3, 0, 5]),
    )

    @pytest.mark.parametrize("compiled", [False, True])
    @pytest.mark.parametrize(
        ("weights", "latest", "expected"),
        [
            ([1, 10, 100], False, [7 + 1100, ABSENT, -30 + 0 + 5]),
            ([0, 0, 1], False, [11, ABSENT, 0]),  # an award of nothing counts
            ([0, 0, 0], False, [ABSENT] * 3),
            ([1, 1, 1], True, [11, ABSENT, 5]),
            ([0, 1, 1], True, [11, ABSENT, 0]),
            ([1, 0, 0], True, [7, ABSENT, 5]),
            ([0, 1, 0], True, [ABSENT, ABSENT, -3]),
        ],
    )
    def test_by_hand(
        self, request: pytest.FixtureRequest, compiled: bool, weights: list[int], latest: bool,
        expected: list[int],
    ) -> None:  # fmt: skip
        if compiled:
            request.getfixturevalue("by_loops")
        found = sums.totals(self.ROWS, np.array(weights), latest=latest, reach=20)
        assert found.tolist() == expected
        plain = np.zeros(3, np.int64)
        loop = sums_jit.last if latest else sums_jit.total
        loop(self.ROWS, np.array(weights), plain)
        assert plain.tolist() == expected

    @pytest.mark.parametrize("latest", [False, True])
    @pytest.mark.parametrize("together", [1, 2, 3])
    def test_pieces_of_the_rows(
        self, monkeypatch: pytest.MonkeyPatch, together: int, latest: bool
    ) -> None:
        """Rows are valued some at a time; whose they are decides where they are cut."""
        whole = sums.totals(self.ROWS, np.array([0, 1, 1]), latest=latest, reach=20)
        monkeypatch.setattr(sums, "TOGETHER", together)
        pieces = sums.totals(self.ROWS, np.array([0, 1, 1]), latest=latest, reach=20)
        assert pieces.tolist() == whole.tolist()

    def test_sums_of_all_may_go_round_64_bits(self) -> None:
        """Twelve players of 2**60 each: together more than 64 bits hold, each of them less."""
        places = np.arange(13)
        rows = Rows(places[:-1], places[1:], np.zeros(12, np.uint16), np.full(12, 2**60))
        found = sums.totals(rows, np.array([3]), latest=False, reach=2**60)
        assert found.tolist() == [3 * 2**60] * 12
        assert found.dtype == np.int64

    def test_what_64_bits_do_not_hold(self) -> None:
        rows = self.ROWS._replace(nanopoints=np.array([2**62, 2**62, -(2**62), 0, 1]))
        found = sums.totals(rows, np.array([5, 5, 5]), latest=False, reach=2**63)
        assert found.tolist() == [10 * 2**62, sums.absent(found), 5 - 5 * 2**62]


class TestOrder:
    TOTALS = INT64 | st.integers(-2, 5_000) | st.just(ABSENT)

    @given(st.lists(TOTALS, max_size=40), st.integers(1, 9), st.booleans())
    def test_both_ways(self, totals: list[int], parts: int, latest: bool) -> None:
        found = np.array(totals, np.int64)
        numpy = sums.ordered(found, parts, latest=latest, compiled=False)
        compiled = sums.ordered(found, parts, latest=latest, compiled=True)
        for one, other in zip(numpy, compiled, strict=True):
            assert one.tolist() == other.tolist()
        least = ABSENT + 1 if latest else 1
        listed = [(player, total) for player, total in enumerate(totals) if total >= least]
        listed.sort(key=lambda pair: -pair[1])
        assert numpy[0].tolist() == [player for player, _ in listed]
        assert numpy[1].tolist() == [
            1 + sum(rounding.outranks(other, total, parts) for _, other in listed)
            for _, total in listed
        ]
        assert numpy[2].tolist() == [rounding.shared(total, parts) for _, total in listed]

    @pytest.mark.parametrize("compiled", [False, True])
    def test_just_a_millionth_apart_is_equal(self, compiled: bool) -> None:
        found = 3 * (1 + rounding.TIE * np.array([2, 1, 0]))
        assert sums.ordered(found, 3, latest=False, compiled=compiled)[1].tolist() == [1, 1, 2]

    @pytest.mark.parametrize("compiled", [False, True])
    def test_half_a_nanopoint_is_rounded_up(self, compiled: bool) -> None:
        """5 / 2 = 2.5 and 3 / 2 = 1.5."""
        listed = sums.ordered(np.array([5, 3]), 2, latest=False, compiled=compiled)
        assert listed[2].tolist() == [3, 2]

    def test_the_totals_stay_as_they_are(self) -> None:
        found = np.array([3, 9, 9, 4])
        sums.ordered(found, 1, latest=False, compiled=True)
        assert found.tolist() == [3, 9, 9, 4]

    def test_the_widest_span(self) -> None:
        found = np.array([-(2**63) + 1, 0, 2**63 - 1])
        assert sums.ordered(found, 2, latest=True, compiled=True)[0].tolist() == [2, 1, 0]

    @pytest.mark.parametrize("whole", [np.int64, object])
    def test_parts_of_which_a_millionth_is_more_than_64_bits(self, whole: Any) -> None:
        """2**60 in parts of 2**60 are one nanopoint: nobody has a millionth of a point more."""
        found = np.array([2**60, 1, 2**61], whole)
        assert sums.ordered(found, 2**60, latest=False, compiled=False)[1].tolist() == [1, 1, 1]


class TestLoops:
    @pytest.fixture
    def afresh(self) -> Iterator[None]:
        """Nothing compiled before, nor kept for those who come after."""
        jit.compiled.cache_clear()
        yield
        jit.compiled.cache_clear()

    def ordered(self) -> list[int]:
        codes = np.empty(3, np.int32)
        players = np.arange(3, dtype=np.int32)
        jit.compiled(sums_jit.__name__).order(np.array([1, 3, 2]), players, codes)
        found: list[int] = codes.tolist()
        return found

    def test_they_are_kept_on_disk(
        self, afresh: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert self.ordered() == [1, 2, 0]
        kept = tmp_path / "palmares" / "kernels"
        assert [len(list(kept.rglob(f"*.{end}"))) for end in ("py", "nbi", "nbc")] == [1, 1, 1]
        for path in kept.rglob("*.nb?"):
            path.write_bytes(b"damaged")
        jit.compiled.cache_clear()
        assert self.ordered() == [1, 2, 0]

    def test_where_nothing_can_be_written(
        self, afresh: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        assert self.ordered() == [1, 2, 0]

    @pytest.mark.parametrize("cores", [1, 2, 3])
    def test_pieces_come_back_in_order(self, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
        monkeypatch.setattr(threads, "cores", lambda: cores)
        assert threads.in_threads(lambda piece: piece * 2, range(7)) == list(range(0, 14, 2))

    @pytest.mark.parametrize("cores", [1, 2, 3])
    def test_any_number_of_cores_sorts_the_same(
        self, by_loops: None, monkeypatch: pytest.MonkeyPatch, cores: int
    ) -> None:
        codes, given_ = awards(2_000, 1_100, 9)
        expected = sums.by_player(codes, given_, 1_100, timed=True)
        monkeypatch.setattr(threads, "cores", lambda: cores)
        found = sums.by_player(codes, given_, 1_100, timed=True)
        assert all(map(np.array_equal, found.rows, expected.rows))
