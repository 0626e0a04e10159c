"""Recipes that several tests of kernels look at."""

from __future__ import annotations

from palmares.points.kernels import compiled
from palmares.regulations import wbf_vp

CELLS = compiled.KernelSpec(
    module=wbf_vp.__name__,
    derived=(("winner", "winner_cells"),),
    formula=None,
    tables=("cells",),
    columns=("margin",),
    outputs=("winner",),
    alone=True,
    checked=False,  # the clause itself stays inside
)
"""The winner's victory points of matches, each with a table of its own."""
