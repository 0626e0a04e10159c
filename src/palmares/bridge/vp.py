"""
WBF victory points for a bridge match.

    continuous(boards)                  the continuous scale for a match of so many boards
    discrete(boards)                    the discrete scale
    scale_of(boards, scale)             either, or a variant, by its name in ``SCALES``
    vps(boards, margin, scale)          both sides' VPs for one margin
    convert(margins, boards, scale)     an array or a column of margins, as hundredths of a VP
    margin_for(boards, points, scale)   the smallest margin that reaches so many VPs
    imps(points)                        a board's difference in points as IMPs
    match_imps(board_scores)            both sides' IMPs of a match, from its board results

A negative margin is the same match seen from the loser's side: winner and loser stay who they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from functools import cache, lru_cache, partial
from operator import index
from typing import Any, SupportsIndex, cast

from palmares.core import threads
from palmares.core.errors import Refused, brief, brief_repr
from palmares.core.extras import pays
from palmares.regulations import wbf_imps, wbf_vp
from palmares.regulations.editions import Rules, rulebook

__all__ = [
    "SCALES",
    "Correction",
    "Range",
    "Scale",
    "Score",
    "continuous",
    "convert",
    "discrete",
    "edition",
    "imps",
    "margin_for",
    "match_imps",
    "scale_of",
    "vps",
]

CONTINUOUS, DISCRETE = "continuous", "discrete"
HALF_MATCH, HALF_MATCH_DISCRETE = "half-match", "half-match-discrete"
SCALES = (CONTINUOUS, DISCRETE, HALF_MATCH, HALF_MATCH_DISCRETE)

MOST_BOARDS = 1_000_000
MOST_IMPS = 1_000_000_000
MOST_VPS = 500  # at a draw, and
MOST_BLITZ = 15_000  # IMPs, where a scale has other parameters than the text's
Parameter = int | float | Decimal | Fraction
"""V0 or X: any number; a float counts as the decimal number it shows."""

_DECIMALS = 2  # of a VP
_LEAST = Decimal(1).scaleb(-_DECIMALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Both sides' VPs for one margin."""

    boards: int
    scale: str
    margin: int  #: in IMPs; negative from the loser's side
    winner: Decimal  #: with the decimals the scale has
    loser: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A range of margins that earn the same."""

    first: int
    last: int | None  #: None for no end
    winner: Decimal
    loser: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One entry of a table that the concavity correction changed."""

    margin: int
    before: Decimal  #: the winner's VPs as rounded
    after: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A whole scale, corrected, and what was corrected."""

    boards: int
    name: str  #: one of SCALES
    draw: Fraction | None = None  #: V0, where it is not the text's
    blitz: Fraction | None = None  #: X, where it is not the text's
    table: tuple[int, ...]  #: the winner's VPs in hundredths, by margin; beyond, the last entry
    full: int  #: VPs of both sides together, in hundredths
    violations: int  #: of concavity, before correcting
    changes: int  #: made by the correction, each of 0.01 VP, or 1 IMP of a range
    corrections: tuple[Correction, ...]
    range_violations: tuple[wbf_vp.RangeViolation, ...]  #: of the discrete scale, kept

    @property
    def parameters(self) -> str:
        """V0 and X in words, where they are not the text's."""
        given = (("V0", self.draw, "VPs"), ("X", self.blitz, "IMPs"))
        stated = [f"{name} = {float(is_):g} {unit}" for name, is_, unit in given if is_ is not None]
        return ", ".join(stated)

    @property
    def sides(self) -> tuple[int, ...]:
        """Hundredths of a side by its margin, from the largest loss to the largest win."""
        winner = (wbf_vp.winner_cells(self.table, margin) for margin in range(1, len(self.table)))
        loser = (wbf_vp.loser_cells(self.full, winner) for winner in reversed(self.table))
        return (*loser, *winner)

    @property
    def is_discrete(self) -> bool:
        """Whether it gives whole VPs."""
        return self.name in {DISCRETE, HALF_MATCH_DISCRETE}

    def text(self, vp: int) -> str:
        """Hundredths of a VP as VPs, with the decimals that the scale has."""
        return str(_as_decimal(vp, integral=self.is_discrete))

    def score(self, margin: int) -> Score:
        """Both sides' VPs for a margin in IMPs."""
        winner = wbf_vp.winner_cells(self.table, margin)
        return Score(
            boards=self.boards,
            scale=self.name,
            margin=margin,
            winner=_as_decimal(winner, integral=self.is_discrete),
            loser=_as_decimal(wbf_vp.loser_cells(self.full, winner), integral=self.is_discrete),
        )

    def scores(self) -> Iterator[Score]:
        """Both sides' VPs for every margin up to the end of the table."""
        return map(self.score, range(len(self.table)))

    def ranges(self) -> Iterator[Range]:
        """The ranges of margins that earn the same, from a draw upwards."""
        firsts = [m for m, vp in enumerate(self.table) if not m or vp > self.table[m - 1]]
        for first, after in zip(firsts, [*firsts[1:], None], strict=True):
            score = self.score(first)
            last = None if after is None else after - 1
            yield Range(first=first, last=last, winner=score.winner, loser=score.loser)

    def margin_for(self, points: float | Decimal) -> int:
        """The smallest margin with which a side has at least so many VPs.

        For a draw or better it is 0 or more; below a draw it is negative: how much one may lose by.

        Raises:
            Refused: the scale does not give so many, or every margin gives them.
        """
        wanted = Decimal(repr(float(points)) if isinstance(points, float) else points)
        top = _as_decimal(self.table[-1], integral=self.is_discrete)
        if not wanted.is_finite() or not 0 <= wanted <= top:
            raise Refused(
                f"The {self.name} scale for {self.boards} boards gives 0 to {top} VPs to a side, "
                f"not {brief(points)} [wbf-vp loser]."
            )
        if wanted == 0:
            raise Refused("Every margin reaches 0 VPs: ask for more [wbf-vp loser].")
        hundredths = int(wanted.quantize(_LEAST, ROUND_CEILING).scaleb(_DECIMALS))
        if hundredths >= self.table[0]:
            return wbf_vp.margin_reaching(self.table, hundredths)
        too_much = wbf_vp.loser_cells(self.full, hundredths) + 1
        return 1 - wbf_vp.margin_reaching(self.table, too_much)


def continuous(boards: SupportsIndex) -> Scale:
    """The continuous scale for a match of so many boards."""
    return scale_of(boards, CONTINUOUS)


def discrete(boards: SupportsIndex) -> Scale:
    """The discrete scale for a match of so many boards."""
    return scale_of(boards, DISCRETE)


def vps(boards: SupportsIndex, margin: SupportsIndex, scale: str = CONTINUOUS) -> Score:
    """Both sides' VPs for one margin in IMPs.

    Raises:
        Refused: the boards or the margin are no whole number, or beyond any match.
    """
    return scale_of(boards, scale).score(checked_margin(margin))


def checked_margin(margin: SupportsIndex) -> int:
    """A margin that a match may have.

    Raises:
        Refused: it is not a whole number, or beyond any match.
    """
    won_by = _as_integer(margin, "margin")
    if abs(won_by) > MOST_IMPS:
        raise Refused(f"The margin is at most {MOST_IMPS} IMPs, not {brief(won_by)} [wbf-vp eq1].")
    return won_by


def convert(
    margins: Any,
    boards: SupportsIndex,
    scale: str = CONTINUOUS,
    *,
    draw: Parameter | None = None,
    blitz: Parameter | None = None,
) -> Any:
    """Margins in IMPs as VPs of the side whose margins they are, in hundredths.

    Args:
        margins: whole numbers, a NumPy array of any shape or a Polars column; negative: IMPs lost
            by. Margins beyond the table have its last entry; nulls stay nulls.
        boards: played in each match.
        scale: one of ``SCALES``.
        draw: V0, if it is not the text's.
        blitz: X, if it is not the text's.

    Returns:
        Hundredths of a VP, of the same shape, int16 (int32 beyond 327.67 VPs); the other side has
        the rest.

    Raises:
        Refused: the margins are no whole numbers, or there is no such scale.
    """
    import numpy as np

    table = scale_of(boards, scale, draw=draw, blitz=blitz).sides
    entries = np.array(table, np.int16 if max(table) <= np.iinfo(np.int16).max else np.int32)
    is_column = type(margins).__module__.partition(".")[0] == "polars"
    if is_column and not (hasattr(margins, "is_null") and margins.dtype.is_integer()):
        raise _no_margins(margins)
    given = np.asarray(margins.fill_null(0) if is_column else margins)
    if given.dtype.kind not in "iu" and given.size:
        raise _no_margins(given)
    if given.dtype.kind != "i":  # 2**63 and more have no place in a signed number
        given = np.minimum(given.astype(np.uint64), len(table)).astype(np.int32)
    hundredths = _hundredths(entries, given)
    if not is_column:
        return hundredths
    import polars as pl

    column = pl.Series(margins.name, hundredths)
    return column.set(margins.is_null(), None) if margins.null_count() else column


def _no_margins(what: Any) -> Refused:
    kind = getattr(what, "dtype", what)
    return Refused(f"Margins are whole numbers, not {brief(kind)} [wbf-vp eq1].")


COMPILED_FROM = 4_000_000
"""Margins from which a compiled loop pays; it needs no second pass for those beyond the table."""
THREADS = 4
"""At most: memory, not arithmetic, is what is waited for."""


def _hundredths(entries: Any, margins: Any) -> Any:
    """The entry of each signed margin; the middle entry is that of a draw."""
    import numpy as np

    last = len(entries) // 2
    if not pays(margins.size, COMPILED_FROM, COMPILED_FROM):
        return entries[np.clip(margins, -last, last).astype(np.intp) + last]
    flat = np.ascontiguousarray(margins).reshape(-1)
    converted = np.empty(flat.shape, entries.dtype)
    loop = _margin_loop()

    def part(first: int, end: int) -> None:
        loop(entries, last, flat[first:end], converted[first:end])

    threads.share(flat.size, part, min(THREADS, threads.cores()))
    return converted.reshape(margins.shape)


@cache
def _margin_loop() -> Callable[..., None]:
    import numba
    import numpy as np

    def loop(entries: Any, last: int, margins: Any, out: Any) -> None:
        for i in range(len(margins)):
            place = max(min(margins[i], last), -last) + last
            out[i] = entries[np.uint64(place)]  # unsigned: no look from the table's end

    return cast("Callable[..., None]", numba.njit(nogil=True)(loop))


def margin_for(boards: SupportsIndex, points: float | Decimal, scale: str = CONTINUOUS) -> int:
    """The smallest margin with which a side has at least so many VPs."""
    return scale_of(boards, scale).margin_for(points)


def scale_of(
    boards: SupportsIndex,
    scale: str,
    *,
    draw: Parameter | None = None,
    blitz: Parameter | None = None,
) -> Scale:
    """A scale by its name.

    Args:
        boards: played in the match, or in the half of a triangular match for the half-match scales.
        scale: one of ``SCALES``.
        draw: V0, the VPs of a drawn match, if it is not the text's; half VPs will do for a
            continuous scale.
        blitz: X, the margin in IMPs of a maximum win, if it is not the text's.

    Raises:
        Refused: there is no such scale, the boards are no whole number from 1 on, or no scale can
            have such parameters.
    """
    if scale not in SCALES:
        raise Refused(f"There is no scale {brief(scale)}. There are: {', '.join(SCALES)}.")
    number = _as_integer(boards, "number of boards")
    if not 1 <= number <= MOST_BOARDS:
        raise Refused(
            f"The number of boards is 1 to {MOST_BOARDS}, not {brief(number)} [wbf-vp eq3]."
        )
    return _scale(number, scale, _draw(draw, scale), _blitz(blitz))


def _draw(draw: Parameter | None, scale: str) -> Fraction | None:
    """V0 as a fraction, if it makes a scale of whole or half VPs."""
    if draw is None:
        return None
    value = _fraction(draw, "VPs of a draw")
    least, step = (2, 1) if scale.endswith(DISCRETE) else (1, Fraction(1, 2))
    if not least <= value <= MOST_VPS or value % step:
        raise Refused(
            f"A draw is {least} to {MOST_VPS} VPs in steps of {float(step):g} on the {scale} "
            f"scale, not {brief(draw)} [wbf-vp parameters]."
        )
    return value


def _blitz(blitz: Parameter | None) -> Fraction | None:
    """X as a fraction, if a match can be won by so much."""
    if blitz is None:
        return None
    value = _fraction(blitz, "blitz")
    if not 1 <= value <= MOST_BLITZ:
        raise Refused(
            f"A maximum win is 1 to {MOST_BLITZ} IMPs, not {brief(blitz)} [wbf-vp parameters]."
        )
    return value


def _fraction(value: Parameter, what: str) -> Fraction:
    """A number as it is written: 12.5 is 25/2."""
    try:
        return Fraction(repr(value) if isinstance(value, float) else value)
    except (TypeError, ValueError, OverflowError):
        raise Refused(f"The {what} is a number, not {brief(value)} [wbf-vp parameters].") from None


# ── From the regulation's tables to a scale ──────────────────────────────────────────────────────


def edition() -> Rules:
    """The edition in force, in exact numbers; the text bears no date and covers every day."""
    return rulebook("wbf-vp", wbf_vp.Constants, number=Fraction).all[-1]


def compute_again(scale: Scale) -> Scale:
    """A scale made once more, so that a trace sees every clause of it at work."""
    return _scale.__wrapped__(scale.boards, scale.name, scale.draw, scale.blitz)


@lru_cache(maxsize=256)
def _scale(boards: int, name: str, draw: Fraction | None, blitz: Fraction | None) -> Scale:
    rules = edition()
    curve = wbf_vp.curve(rules, boards, HALF_MATCH if name.startswith(HALF_MATCH) else None)
    curve = curve._replace(
        draw=curve.draw if draw is None else draw, blitz=curve.blitz if blitz is None else blitz
    )
    head = partial(
        Scale,
        boards=boards,
        name=name,
        draw=draw,
        blitz=blitz,
        full=wbf_vp.full_cells(rules.constants, curve.draw),
    )
    return (_discrete if name.endswith(DISCRETE) else _continuous)(rules, curve, head)


def _continuous(rules: Rules, curve: wbf_vp.ExponentialCurve, head: Callable[..., Scale]) -> Scale:
    rounded = wbf_vp.rounded_table(rules.constants, curve)
    table = wbf_vp.concave(rounded)
    return head(
        table=table,
        violations=len(wbf_vp.violations(rounded)),
        changes=sum(table) - sum(rounded),
        corrections=_corrections(rounded, table, integral=False),
        range_violations=(),
    )


def _discrete(rules: Rules, curve: wbf_vp.ExponentialCurve, head: Callable[..., Scale]) -> Scale:
    first = wbf_vp.cusps(rules.constants, curve)
    if any(cusp < place for place, cusp in enumerate(first)):
        raise Refused(
            f"A maximum win of {float(curve.blitz):g} IMPs is too small for {len(first) + 1} whole "
            "scores [wbf-vp discrete-correction]. Take a larger one, or the continuous scale."
        )
    cusps = wbf_vp.widening(first)
    table = wbf_vp.discrete_table(rules.constants, curve.draw, cusps)
    before = wbf_vp.discrete_table(rules.constants, curve.draw, first)
    return head(
        table=table,
        violations=len(wbf_vp.too_wide(first)),
        changes=sum(first) - sum(cusps),
        corrections=_corrections(before, table, integral=True),
        range_violations=tuple(wbf_vp.range_violations(rules.constants, curve, cusps)),
    )


def _corrections(
    before: tuple[int, ...], after: tuple[int, ...], *, integral: bool
) -> tuple[Correction, ...]:
    return tuple(
        Correction(
            margin=margin,
            before=_as_decimal(was, integral=integral),
            after=_as_decimal(now, integral=integral),
        )
        for margin, was in enumerate(before)
        if (now := wbf_vp.winner_cells(after, margin)) != was
    )


def _as_decimal(hundredths: int, *, integral: bool) -> Decimal:
    """Hundredths as VPs, with two decimals or none."""
    points = Decimal(hundredths).scaleb(-_DECIMALS)
    return points.quantize(Decimal(1)) if integral else points


def _as_integer(value: SupportsIndex, what: str) -> int:
    try:
        return int(index(value))
    except TypeError:
        raise Refused(
            f"The {what} is a whole number, not {brief_repr(value)} [wbf-vp eq1]."
        ) from None


# ── International Matchpoints ─────────────────────────────────────────────────────────────────────

MOST_POINTS = 1_000_000_000

Board = SupportsIndex | tuple[SupportsIndex, SupportsIndex]
"""A board's result: the difference in points, or the two scores (home's, away's)."""


def imps(points: SupportsIndex) -> int:
    """The IMPs of a difference in points; negative where the difference is.

    Args:
        points: our score less theirs on one board, both seen from the same direction.

    Raises:
        Refused: no two scores differ by so much (reading I1).
    """
    side, other = board_imps(points)
    return side - other


def match_imps(board_scores: Iterable[Board]) -> tuple[int, int]:
    """Both sides' IMPs of a match of teams, from the results of its boards.

    Args:
        board_scores: one entry a board: the difference in points, positive where home did better;
            or the two scores (home's, away's) of the same direction, each at its own table.

    Returns:
        The IMPs of home and of away, each the sum of the boards it won (reading I2).

    Raises:
        Refused: an entry that two scores cannot make; says which board, counted from 1.
    """
    home = away = 0
    for number, entry in enumerate(board_scores, start=1):
        try:
            won, lost = board_imps(*entry) if isinstance(entry, tuple) else board_imps(entry)
        except Refused as refused:
            raise Refused(f"Board {number}: {refused}") from None
        home += won
        away += lost
    return home, away


def board_imps(home: SupportsIndex, away: SupportsIndex = 0) -> tuple[int, int]:
    """Both sides' IMPs of one board, from their scores of the same direction.

    Raises:
        Refused: one of them is no score.
    """
    newest = imps_edition()
    difference = _score(home, newest) - _score(away, newest)
    return wbf_imps.match(newest.tables["scale"], [difference])


@cache
def imps_edition() -> Rules:
    """The newest edition, in exact numbers; its scale serves matches of any day (reading I3)."""
    return rulebook("wbf-imps", wbf_imps.Constants, number=Fraction).all[-1]


def _score(points: SupportsIndex, rules: Rules) -> int:
    """A score, or a difference of two, as a whole number."""
    try:
        number = index(points)
    except TypeError:
        number = MOST_POINTS + 1
    if abs(number) > MOST_POINTS:
        raise Refused(f"A score is a whole number of points, not {brief(points)} [wbf-imps scale].")
    if not wbf_imps.is_of_two_scores(rules.constants, number):
        raise Refused(
            f"No score is {number} points: every one is a multiple of "
            f"{rules.constants.points_step} [wbf-imps scale, reading I1]. Look at the score again."
        )
    return number
