"""The link between explanation views and the worker: requests scores of variants and shows the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from parapluie_gui.analysis.columns import LENGTH, ColumnMaterial, columns_of, compile_column_formula
from parapluie_gui.analysis.filter.conditions import FilterNode, ZScore
from parapluie_gui.analysis.score_column import ColumnMeaning
from parapluie_gui.arrays import Rows
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.features.explain.variant_view import VariantView
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.chosen_scores import chosen_scores, only_column, typed_scores
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.work.events import ScoreBatch
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: The columns that variants have without being scored.
_TEXT_COLUMNS = frozenset(("source", "hypothesis", LENGTH))


class VariantScorer(WindowController):
    """Scores the variants that a view requests with the choices in Setup, for a computed column, its parts."""

    def __init__(self, context: WindowContext, view: VariantView) -> None:
        super().__init__(context)
        self._view = view
        self._handles: list[RequestHandle] = []
        view.requested.connect(self._score)
        view.cancelled.connect(self._cancel)

    def _score(self, variants: ExplanationPlan | Corpus, column: str) -> None:
        self._cancel()
        view, plans = self._view, self._plans(column)
        corpus = variants.corpus() if isinstance(variants, ExplanationPlan) else variants
        batches: Sequence[Sequence[int]] = [range(len(corpus))]
        if isinstance(variants, ExplanationPlan):
            batches = [rows for rows in variants.batches() if rows]
        table = ScoreTable(len(corpus))
        for name in plans:
            table.declare(name)
        material = ColumnMaterial(corpus, table, feature_material=self._workspace.feature_material)
        # Single edits come first, so that each edit has its colour while the other variants are still being scored.
        requests = [(name, np.array(rows)) for rows in batches for name in plans]
        for name, rows in requests:
            plan, score = plans[name]
            handle = self._client.score(corpus.take(rows), plan, urgent=True)
            handle.scored.connect(partial(self._show, column, name, score, rows, material))
            handle.staged.connect(lambda event: view.show_stage(event.text))
            handle.failed.connect(lambda event: view.show_error(event.text))
            handle.finished.connect(lambda event: self._end(len(requests)))
            self._handles.append(handle)

    def _plans(self, column: str) -> dict[str, tuple[ScoringPlan, str]]:
        """Return the plan of each score that a column needs, with the name of the score in the answer."""
        plan, workspace = self._setup.plan, self._workspace
        if (alone := typed_scores(plan)[0].get(column)) is not None:
            return {column: (alone, only_column(alone))}
        known = chosen_scores(plan, workspace)
        return {name: (known[name], only_column(known[name])) for name in _parts(column, workspace) - _TEXT_COLUMNS}

    def _show(
        self, column: str, name: str, score: str, rows: Rows, material: ColumnMaterial, batch: ScoreBatch
    ) -> None:
        if score in batch.values:
            rows = rows[batch.rows]
            material.table.put(rows, {name: batch.values[score]})
            values = material.table[column] if column == name else columns_of(material)[column].values()
            self._view.show_scores(rows, np.asarray(values, dtype=np.float64)[rows])

    def _end(self, requests: int) -> None:
        if len(self._handles) == requests and all(handle.over for handle in self._handles):
            self._view.show_error("")

    def _cancel(self) -> None:
        for handle in self._handles:
            handle.give_up()
        self._handles.clear()


def explainable_columns(plan: ScoringPlan, workspace: CorpusWorkspace) -> dict[str, ColumnMeaning]:
    """Return the computed columns that can be explained, with their direction and threshold.

    They use only scores chosen in Setup and the sentences, and no `zscore`, which needs the pairs of a corpus.
    """
    known, columns = {*chosen_scores(plan, workspace), *_TEXT_COLUMNS}, workspace.columns
    names = [name for name, properties in columns.items() if properties.expression]
    return {name: columns[name].meaning for name in names if _parts(name, workspace) <= known}


def _parts(column: str, workspace: CorpusWorkspace) -> frozenset[str]:
    """Return the columns, none of them computed, that a column is made of; a column with `zscore` is its own part."""
    properties = workspace.columns.get(column)
    if properties is None or not properties.expression:
        return frozenset((column,))
    formula = compile_column_formula(properties.expression, workspace.columns)
    if any(isinstance(node, ZScore) for node in _nodes(formula.tree)):
        return frozenset((column,))
    return frozenset().union(*(_parts(name, workspace) for name in formula.columns))


def _nodes(node: FilterNode) -> Iterator[FilterNode]:
    yield node
    for part in node.parts():
        yield from _nodes(part)
