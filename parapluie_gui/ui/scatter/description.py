"""The scatter in words, for people who do not see it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QCoreApplication

from parapluie_gui.ui.scatter.axes import axis_title, format_count
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.state.workspace import CorpusWorkspace

translate = QCoreApplication.translate
_CONTEXT = "Scatter"


def describe_scatter(
    workspace: CorpusWorkspace, cloud: PointCloud, legend: Iterable[str], threshold: str, current: int
) -> str:
    """Describe a scatter: axes, number of points, legend, correlation, threshold, selection and selected pair.

    Args:
        workspace: The workspace shown.
        cloud: The points drawn.
        legend: The parts of the legend, such as "paraphrase 1,147".
        threshold: The numbers at the threshold, such as "accuracy 0.8, TP 68"; "" for nothing.
        current: The selected pair, or NO_PAIR.
    """
    x, y = (axis_title(workspace, column) for column in (workspace.x, workspace.y))
    if not len(cloud):
        return translate(_CONTEXT, "{y} against {x}: no points").format(x=x, y=y)
    text = translate(_CONTEXT, "{y} against {x}: {count} points").format(x=x, y=y, count=format_count(len(cloud)))
    parts = [text, ", ".join(legend)]
    if not math.isnan(cloud.correlation):
        text = translate(_CONTEXT, "Correlation (Pearson) {0}")
        parts.append(text.format(_format_signed(cloud.correlation)))
    text = translate(_CONTEXT, "Threshold {0}").format(_format_signed(workspace.threshold))
    parts.append(f"{text}: {threshold}" if threshold else text)
    if (rule := workspace.selection.rule) is not None:
        count = format_count(int(np.count_nonzero(workspace.selection.mask)))
        parts.append(translate(_CONTEXT, "Selection {name}: {count} pairs").format(name=rule.name, count=count))
    if current != NO_PAIR and workspace.corpus is not None and current < len(workspace.corpus):
        parts.append(translate(_CONTEXT, "Selected pair {0}").format(", ".join(pair_facts(workspace, cloud, current))))
    return ". ".join(part.rstrip(".") for part in parts if part)


def pair_facts(workspace: CorpusWorkspace, cloud: PointCloud, row: int) -> list[str]:
    """Describe a pair as the scatter shows it: its id, its numbers on both axes and its label."""
    corpus = workspace.corpus
    assert corpus is not None
    place = cloud.index_of_row(row)
    if place < 0:
        facts = [corpus.id[row], translate(_CONTEXT, "without a point")]
    else:
        axes = (workspace.y, cloud.y[place]), (workspace.x, cloud.x[place])
        shown = [
            f"{workspace.title(axis)} "
            + score_names.format_bound(score_names.format_plain(float(value)), workspace.table, axis, row)
            for axis, value in axes
        ]
        facts = [corpus.id[row], *shown]
    label = score_names.label_words(int(workspace.labels()[row]))
    return [*facts, label] if label else facts


def describe_visited(workspace: CorpusWorkspace, cloud: PointCloud, row: int) -> str:
    """Describe the pair that the arrow keys went to, with both sentences and the number of pairs at its place."""
    corpus = workspace.corpus
    if corpus is None or row == NO_PAIR or row >= len(corpus):
        return ""
    parts = [", ".join(pair_facts(workspace, cloud, row)), corpus.source[row], corpus.hypothesis[row]]
    same = cloud.at_same_place(row)
    if len(same) > 1:
        text = translate(_CONTEXT, "{0} of {1} pairs at this place")
        parts.append(text.format(int((same == row).argmax()) + 1, len(same)))
    return ". ".join(part.rstrip(". ") for part in parts)


def _format_signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
