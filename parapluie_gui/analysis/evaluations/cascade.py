"""Two scores one after the other: accuracy against the share of pairs that the second is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, TWO_SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.curves import cascade_blocks
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import score
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.cascade import CascadeCurve, cascade_curve


def _other(material: Material) -> str:
    return next((name for name in material.names if name != material.y), "")


@dataclass(frozen=True)
class Options:
    """Which score comes first, and which after it."""

    first: str = score("&First", "the first score")
    second: str = score("S&econd", "the second score", usual=_other)


class Cascades(Analysis[Options, CascadeCurve]):
    """As if the second score decided what the first doubts."""

    name = "cascade"
    title = "A second judge"
    group = "Judges"
    about = "Accuracy if the second score decided what the first doubts, by the share sent on"
    manual = "cluster"
    needs = (SCORES, PAIRS, LABELS, TWO_SCORES)
    options = Options
    in_window = False
    in_report = False
    in_analyse = False

    def compute(self, material: Material, options: Options, tick: Tick) -> CascadeCurve:
        first, second = map(material.score_column, (options.first, options.second))
        return cascade_curve(first, second, material.labels)

    def blocks(self, run: Run[Options, CascadeCurve]) -> Sequence[Block]:
        return cascade_blocks(run.material, run.result)
