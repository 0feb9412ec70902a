"""The figures of the Analysis tab in words, for people who do not see them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.figure import BarList, Chart, CurveLine, Figure, HeatMap
from parapluie_gui.report.heat_map import cell_text

translate = QCoreApplication.translate
_CONTEXT = "FigureWords"

#: Maximum number of bars read out; more would take minutes.
_MOST_BARS = 40


def describe_figure(figure: Figure) -> str:
    """Describe a figure without its title: axes and series of a chart, the size of a heat map, the texts of bars."""
    if isinstance(figure, Chart):
        return _describe_chart(figure)
    if isinstance(figure, HeatMap):
        rows = sum(not isinstance(line, str) for line in figure.lines)
        text = translate(_CONTEXT, "A map of {0} columns and {1} rows: {2}")
        return text.format(len(figure.columns), rows, ", ".join(column.title for column in figure.columns))
    return ". ".join(_describe_bars(figure)[:_MOST_BARS])


def describe_cell(figure: HeatMap, column: int, row: int) -> str:
    """Describe a cell of a heat map: its row, its column and its text."""
    line = figure.lines[row]
    assert not isinstance(line, str)
    return f"{line.title}, {figure.columns[column].title}: {cell_text(figure, column, row)}"


def _describe_chart(chart: Chart) -> str:
    axes = translate(_CONTEXT, "{y} against {x}").format(y=chart.y, x=chart.x) if chart.x and chart.y else ""
    series = [
        translate(_CONTEXT, "{0}: {1} points").format(mark.name, len(mark)) if mark.name else ""
        for mark in chart.marks
        if len(mark) and not (isinstance(mark, CurveLine) and mark.guide)
    ]
    rules = [f"{chart.x if side == 'x' else chart.y} {value:.2f}" for side, value in chart.rules if value == value]
    lines = translate(_CONTEXT, "Line at {0}").format(", ".join(rules)) if rules else ""
    return ". ".join(filter(None, [axes or chart.y or chart.x, *series, lines]))


def _describe_bars(figure: BarList) -> list[str]:
    texts = []
    for block in figure.blocks:
        texts += [text for text in (block.title, block.about, block.note) if text]
        texts += [f"{shaded.caption}: {shaded.text}" for shaded in block.texts]
        for bar in block.bars:
            numbers = bar.texts or tuple(f"{value:.1f}" for value in bar.values)
            texts.append(f"{bar.title}: {', '.join([*numbers, *bar.cells])}")
    return texts
