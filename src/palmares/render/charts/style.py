"""
Pictures: SVG and PNG, the same bytes at every run.

    scale_chart     a continuous scale as a curve, the steps of its discrete twin over it
    blank           an empty picture in the style of all our pictures
    style           that style, for what is drawn into it
    drawn           a picture  ->  the bytes of a file

Colours are told apart by people who are colour-blind, and lines also by their form. Matplotlib is
loaded when a picture is drawn, never before.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from palmares.bridge.vp import Scale
from palmares.core.errors import Refused

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png")
INK, GREY, GRID = "#222222", "#767676", "#E4E4E4"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, the two most unlike first."""

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 11,
    "text.color": INK,
    "text.parse_math": False,  # a name with two dollar signs is no formula
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "svg.fonttype": "none",  # text stays text: to search, to copy, to read aloud
    "svg.hashsalt": "palmares",
    "path.simplify": False,
}


@contextmanager
def style() -> Iterator[None]:
    """The style of all our pictures, for as long as something is drawn into one."""
    from matplotlib import rc_context

    with rc_context(_STYLE):
        yield


def blank(across: str, up: str, *, title: str = "") -> tuple[Figure, Axes]:
    """An empty picture.

    Args:
        across: what the horizontal axis counts, with its unit.
        up: what the vertical axis counts.
        title: one line above, at the left.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells where it keeps its fonts
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(8, 5), dpi=160, layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.set_title(title, loc="left", fontsize=13, fontweight="bold", pad=12)
    return figure, axes


def drawn(figure: Figure, suffix: str) -> bytes:
    """A picture as the bytes of a file.

    Raises:
        Refused: the suffix is none of `SUFFIXES`.
    """
    kind = suffix.lower()
    if kind not in SUFFIXES:
        raise Refused(f"A picture is {' or '.join(SUFFIXES)}, not {suffix or 'without a suffix'}.")
    content = BytesIO()
    nobody = {"Software": None} if kind == ".png" else {"Date": None, "Creator": "Palmares"}
    with style():
        figure.savefig(content, format=kind[1:], metadata=nobody)
    return content.getvalue()


def scale_chart(continuous: Scale, discrete: Scale, suffix: str) -> bytes:
    """The winner's and the loser's VPs by margin: the curve, and the steps over it.

    Raises:
        Refused: the suffix is none of `SUFFIXES`.
    """
    boards = continuous.boards
    half = "half-match" if continuous.name.startswith("half-match") else ""
    counted = f"{boards} board{'s' * (boards != 1)}"
    what = filter(None, ("WBF victory points", half, counted, continuous.parameters))
    figure, axes = blank("margin, IMPs", "victory points", title=", ".join(what))
    last = max(len(continuous.cells), len(discrete.cells)) - 1
    margins = range(last + 1)
    for side in ("winner", "loser"):
        curve = [float(getattr(continuous.score(margin), side)) for margin in margins]
        steps = [float(getattr(discrete.score(margin), side)) for margin in margins]
        axes.plot(margins, curve, color=COLOURS[0], linewidth=2.2)
        axes.step(margins, steps, color=COLOURS[1], linewidth=1.6, where="mid")
        over = 1 if side == "winner" else -1
        axes.annotate(
            side,
            (last // 2, curve[last // 2]),
            (0, 40 * over),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=12,
        )
    full = continuous.full / 100
    axes.set_xlim(0, last * 1.01)
    axes.set_ylim(-0.02 * full, 1.02 * full)
    axes.locator_params(axis="y", integer=True, nbins=11)
    axes.locator_params(axis="x", integer=True)
    axes.legend(
        axes.get_lines()[:2],
        ["continuous scale", "discrete scale"],
        loc="center right",
        frameon=False,
        fontsize=11,
    )
    return drawn(figure, suffix)
