"""Records computed analyses as JSON, in one format that the manual describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from parapluie_gui.analysis.base import Analysis, Run
from parapluie_gui.analysis.figure import BarList, Chart, CurveLine, Figure, HeatMap, HistogramBars, Mark
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.curves import thin_places
from parapluie_gui.analysis.statistics.summary import ScoreSummary
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.version import __version__

#: Version of the format; increase it when a key changes its meaning or is removed, not for new keys.
FORMAT = 2

#: Maximum number of points of a curve that are written.
POINTS = 500

#: An analysis with one run of it.
AnalysisRun = tuple[Analysis[Any, Any], Run[Any, Any]]


def record_analyses(done: Sequence[AnalysisRun]) -> dict[str, object]:
    """Convert runs of analyses to dicts, lists, numbers, texts and None (for undefined values)."""
    materials = list({id(run.material): run.material for _, run in done}.values())
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "draws": materials[0].draws,
        "seed": materials[0].seed,
        "corpora": {name: corpus for material in materials for name, corpus in _corpora(material)},
        "scores": {name: score for material in materials for name, score in _scores(material)},
        "analyses": [
            {
                "name": analysis.name,
                "title": analysis.title,
                "corpora": list(run.material.parts),
                "options": plain(asdict(run.options)),
                "finding": analysis.finding(run),
                "tables": {table.name: _table(table) for table in analysis.tables(run)},
                "figures": {figure.name: _figure(figure) for figure in analysis.figures(run)},
                **({"details": details} if (details := analysis.details(run)) else {}),
            }
            for analysis, run in done
        ],
    }


def _corpora(material: AnalysisMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    for name, where in material.parts.items():
        labels = material.labels[where]
        counts = {"paraphrases": int((labels == 1).sum()), "others": int((labels == 0).sum())}
        yield name, {"pairs": len(labels), **counts}


def _scores(material: AnalysisMaterial) -> Iterator[tuple[str, dict[str, object]]]:
    for column in material.score_columns:
        least, most = column.bound_counts
        signature = material.signatures.get(column.name)
        yield (
            column.name,
            {
                "title": column.title,
                "higher_is_closer": column.higher_is_closer,
                "natural_threshold": plain(column.threshold),
                "chosen_threshold": plain(material.given.get(column.name)),
                "signature": None if signature is None else dict(signature.fields),
                "remarks": [] if signature is None else list(signature.remarks),
                "cost": None if signature is None else signature.cost or None,
                "at_least": least,
                "at_most": most,
            },
        )


def _table(table: Table) -> dict[str, object]:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return {"title": table.title, "header": list(table.header), "rows": rows, "note": table.note}


def _cell(cell: Cell) -> object:
    if isinstance(cell, Estimate):
        return {"value": plain(cell.value), "low": plain(cell.low), "high": plain(cell.high)}
    if isinstance(cell, ScoreSummary):
        numbers = {name: plain(getattr(cell, name)) for name in ("mean", "low", "median", "high", "scored", "missing")}
        return {"sd": plain(cell.std), **numbers}
    return plain(cell)


def _figure(figure: Figure) -> dict[str, object]:
    if isinstance(figure, Chart):
        axes = {"x": figure.x, "y": figure.y, "ticks": list(figure.ticks)}
        rules = [{"axis": axis, "at": plain(at)} for axis, at in figure.rules]
        return {"title": figure.title, **axes, "rules": rules, "marks": [_mark(mark) for mark in figure.marks]}
    if isinstance(figure, HeatMap):
        lines = [line for line in figure.lines if not isinstance(line, str)]
        return {
            "title": figure.title,
            "columns": [column.title for column in figure.columns],
            "rows": [line.title for line in lines],
            "values": [
                [plain(figure.values.get((column.key, line.key))) for column in figure.columns] for line in lines
            ],
            "note": figure.note,
        }
    return _bar_list(figure)


def _mark(mark: Mark) -> dict[str, object]:
    if isinstance(mark, HistogramBars):
        return {"kind": "bars", "name": mark.name, "edges": plain(mark.edges), "heights": plain(mark.heights)}
    places = thin_places(len(mark), POINTS)
    kind = "line" if isinstance(mark, CurveLine) else "points"
    return {
        "kind": kind,
        "name": mark.name,
        "points": len(mark),
        "x": plain(mark.x[places]),
        "y": plain(mark.y[places]),
    }


def _bar_list(figure: BarList) -> dict[str, object]:
    return {
        "title": figure.title,
        "keys": [name for name, _ in figure.keys],
        "heads": list(figure.heads),
        "blocks": [
            {
                "title": block.title,
                "bars": [
                    {"title": bar.title, "values": plain(bar.values), "cells": list(bar.cells)} for bar in block.bars
                ],
                "note": block.note,
            }
            for block in figure.blocks
        ],
        "note": figure.note,
    }
