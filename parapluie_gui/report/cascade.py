"""Two judges one after the other, in tables and figures: accuracy against the share that the second is asked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parapluie_gui.analysis.figure import Chart, Line
from parapluie_gui.analysis.statistics.cascade import CascadeCurve
from parapluie_gui.analysis.statistics.curves import thinned
from parapluie_gui.analysis.table import Cell, Table, number

_CURVE_POINTS = 400


def cascade_grid(curve: CascadeCurve, titles: Callable[[str], str] = str) -> Table:
    """Return the accuracy at some shares, and how far from the centre the scores are that are sent on."""
    some = curve.at()
    low, high = some.interval
    rows: list[tuple[Cell, ...]] = [
        (100 * share, int(sent), None if np.isnan(far) else far, accuracy, below, above)
        for share, sent, far, accuracy, below, above in zip(
            *(each.tolist() for each in (some.share, some.sent, some.distance, some.accuracy, low, high)), strict=True
        )
    ]
    around = f"scores within this distance of {number(curve.centre)} are sent on"
    return Table(
        "cascade",
        f"{titles(curve.first)}, then {titles(curve.then)}: accuracy against the share sent on",
        ("% sent", "pairs sent", "distance", "accuracy", "low", "high"),
        tuple(rows),
        f"Distance: {around}. Low, high: Wilson's 95 % interval. {curve.pairs:,} labelled pairs.",
    )


def cascade_figure(curve: CascadeCurve, titles: Callable[[str], str] = str) -> Chart:
    """Return the curve with the interval around it."""
    places = thinned(len(curve.sent), _CURVE_POINTS)
    share, accuracy = 100 * curve.share[places], curve.accuracy[places]
    low, high = (each[places] for each in curve.interval)
    return Chart(
        "cascade",
        f"{titles(curve.first)}, then {titles(curve.then)}: accuracy against the share sent on",
        (
            Line("95 % interval", share, low, "muted", guide=True),
            Line("", share, high, "muted", guide=True),
            Line("accuracy", share, accuracy, "paraphrase"),
        ),
        "% sent to the second judge",
        "accuracy",
        y_range=(float(np.nanmin(low)), float(np.nanmax(high))),
    )
