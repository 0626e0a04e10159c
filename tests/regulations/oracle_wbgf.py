"""
The WBGF World Ranking worked out a second time, with nothing of palmares in it.

Exact fractions, from the text's closed formulas: gamma functions at k plus a whole number are
repeated products times gamma of k, which cancels. What depends on a whole number alone is kept:
every placing of every field asks for it again.
"""

from __future__ import annotations

from calendar import isleap
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from math import factorial

K = Fraction(3, 4)  # 'Let k = 0.75'
T = 10  # 'Let t = 10'

FORMAT_FACTORS = {  # the printed table, column by column: which flights there are -> the flight's F
    ("main",): {"main": Fraction(1)},
    ("main", "consolation"): {"main": Fraction(75, 100), "consolation": Fraction(25, 100)},
    ("main", "last_chance"): {"main": Fraction(90, 100), "last_chance": Fraction(10, 100)},
    ("main", "consolation", "last_chance"): {
        "main": Fraction(70, 100),
        "consolation": Fraction(20, 100),
        "last_chance": Fraction(10, 100),
    },
}
INTERMEDIATE = Fraction(3, 10)


def grade(fee: Fraction, added: Fraction, entrants: int, bonus: Fraction = Fraction(0)) -> Fraction:
    """G: (fee + added / entrants) / 100, at most 5, then the bonus."""
    before_capping = (fee + added / entrants) / 100
    return (before_capping if before_capping < 5 else Fraction(5)) + bonus


@cache
def harmonic(n: int) -> Fraction:
    """H_n = 1/1 + 1/2 + ... + 1/n."""
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


def size(n: int) -> Fraction:
    """s(n) = n up to 128, 128 (H_n - H_128 + 1) beyond."""
    return Fraction(n) if n <= 128 else 128 * (harmonic(n) - harmonic(128) + 1)


@cache
def rising(n: int) -> Fraction:
    """Gamma(n + k) / Gamma(k) = k (k + 1) ... (k + n - 1)."""
    product = Fraction(1)
    for i in range(n):
        product *= K + i
    return product


def reward(n: int, rank: int) -> Fraction:
    """R(r) = Gamma(N + k) Gamma(r) / (Gamma(N) Gamma(k + r)), the closed form."""
    return rising(n) * factorial(rank - 1) / (factorial(n - 1) * rising(rank))


def total(n: int) -> Fraction:
    """The sum of R(r): 1/(k - 1) (Gamma(N + k) / (Gamma(N) Gamma(k)) - N)."""
    return (rising(n) / factorial(n - 1) - n) / (K - 1)


def points(g: Fraction, f: Fraction, n_main: int, n: int, rank: int, tied: int) -> Fraction:
    """PP_r, m tied: the full formula as printed, each gamma function divided by Gamma(k)."""
    front = rising(n) / (tied * (rising(n) - factorial(n)))
    here = Fraction(factorial(rank - 1)) / rising(rank - 1)
    behind = Fraction(factorial(rank + tied - 1)) / rising(rank + tied - 1)
    return g * f * T * size(n_main) * front * (here - behind)


def wr(pp: Fraction, end: date, today: date, *, skip_29_february: bool = False) -> Fraction:
    """WR = PP max(0, 1 - age/1095), the days counted one by one."""
    age, day = 0, end
    while day < today:
        day += timedelta(days=1)
        if not (skip_29_february and isleap(day.year) and (day.month, day.day) == (2, 29)):
            age += 1
    return pp * max(Fraction(0), 1 - Fraction(age, 1095))
