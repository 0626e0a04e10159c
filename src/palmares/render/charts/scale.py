"""A scale of victory points as a chart: the continuous curve, and the discrete steps over it."""

from __future__ import annotations

from palmares.bridge.vp import Scale
from palmares.render.charts.style import LINES, WIDTH, Chart, styled

HEIGHT = 400
SCALES = ("continuous scale", "discrete scale")


def scale_chart(continuous: Scale, discrete: Scale) -> Chart:
    """Describe the winner's and the loser's VPs by margin."""
    boards = continuous.boards
    half = "half-match" if continuous.name.startswith("half-match") else ""
    counted = f"{boards} board{'s' * (boards != 1)}"
    title = filter(None, ("WBF victory points", half, counted, continuous.parameters))
    last = max(len(continuous.cells), len(discrete.cells)) - 1
    rows = [
        {"margin": margin, "scale": name, "side": side, "vp": float(getattr(score, side))}
        for name, scale in zip(SCALES, (continuous, discrete), strict=True)
        for margin in range(last + 1)
        for score in (scale.score(margin),)
        for side in ("winner", "loser")
    ]
    curves = {
        "x": {"field": "margin", "type": "quantitative", "title": "margin, IMPs",
              "axis": {"grid": False, "tickMinStep": 1}},
        "y": {"field": "vp", "type": "quantitative", "title": "victory points",
              "scale": {"domainMax": continuous.full / 100, "nice": False},
              "axis": {"tickMinStep": 1}},
        "color": {"field": "scale", "type": "nominal", "title": None, "sort": SCALES,
                  "scale": {"domain": SCALES, "range": LINES[:2]},
                  "legend": {"orient": "bottom"}},
        "detail": {"field": "side"},
    }  # fmt: skip

    def line(name: str, interpolate: str) -> Chart:
        return {
            "transform": [{"filter": {"field": "scale", "equal": name}}],
            "mark": {"type": "line", "interpolate": interpolate},
        }

    sides = {
        "transform": [{"filter": f"datum.margin == {last // 2} && datum.scale == '{SCALES[0]}'"}],
        "mark": {"type": "text", "fontSize": 12, "dy": -20},
        "encoding": {"text": {"field": "side"}, "color": {"value": LINES[-1]}},
    }
    layers = [line(SCALES[0], "monotone"), line(SCALES[1], "step"), sides]
    part = {"width": WIDTH, "height": HEIGHT, "encoding": curves, "layer": layers}
    return styled(
        [part],
        rows,
        title=", ".join(title),
        description="Victory points of the winner and the loser by margin.",
    )
