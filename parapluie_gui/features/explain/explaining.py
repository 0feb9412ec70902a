"""Between the views that explain a pair and the worker: variants go out, and their scores, or what they make, come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from parapluie_gui.analysis.columns import LENGTH, ColumnMaterial, columns_of, compile_column_formula
from parapluie_gui.analysis.filter.conditions import Node, ZScore
from parapluie_gui.analysis.score_column import Meaning
from parapluie_gui.arrays import Rows
from parapluie_gui.features.explain.asking import AskingView
from parapluie_gui.features.explain.explanation import ExplanationPlan
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.chosen_scores import chosen_scores, only_column, typed_scores
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.window.context import Context, Helper
from parapluie_gui.work.events import Batch
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: What variants have without being scored.
_AT_HAND = frozenset(("source", "hypothesis", LENGTH))


class Explaining(Helper):
    """Scores what a view asks for with what is chosen in Setup; a computed column is worked out from its parts."""

    def __init__(self, context: Context, view: AskingView) -> None:
        super().__init__(context)
        self._view = view
        self._handles: list[Handle] = []
        view.asked.connect(self._ask)
        view.given_up.connect(self._give_up)

    def _ask(self, wanted: ExplanationPlan | Corpus, column: str) -> None:
        self._give_up()
        view, plans = self._view, self._plans(column)
        corpus = wanted.corpus() if isinstance(wanted, ExplanationPlan) else wanted
        turns: Sequence[Sequence[int]] = [range(len(corpus))]
        if isinstance(wanted, ExplanationPlan):
            turns = [rows for rows in wanted.turns() if rows]
        table = ScoreTable(len(corpus))
        for name in plans:
            table.declare(name)
        material = ColumnMaterial(corpus, table, feature_material=self._workspace.feature_material)
        # What each edit does alone has its colour while the other variants are still scored.
        requests = [(name, np.array(rows)) for rows in turns for name in plans]
        for name, rows in requests:
            plan, asked = plans[name]
            handle = self._client.score(corpus.take(rows), plan, urgent=True)
            handle.scored.connect(partial(self._show, column, name, asked, rows, material))
            handle.staged.connect(lambda event: view.show_stage(event.text))
            handle.failed.connect(lambda event: view.show_error(event.text))
            handle.finished.connect(lambda event: self._end(len(requests)))
            self._handles.append(handle)

    def _plans(self, column: str) -> dict[str, tuple[ScoringPlan, str]]:
        """Return how each score is computed that a column is or is made of, and what it is called where it comes."""
        plan, workspace = self._setup.plan, self._workspace
        if (alone := typed_scores(plan)[0].get(column)) is not None:
            return {column: (alone, only_column(alone))}
        known = chosen_scores(plan, workspace)
        return {name: (known[name], only_column(known[name])) for name in _parts(column, workspace) - _AT_HAND}

    def _show(self, column: str, name: str, asked: str, rows: Rows, material: ColumnMaterial, batch: Batch) -> None:
        if asked in batch.values:
            rows = rows[batch.rows]
            material.table.put(rows, {name: batch.values[asked]})
            values = material.table[column] if column == name else columns_of(material)[column].values()
            self._view.show_scores(rows, np.asarray(values, dtype=np.float64)[rows])

    def _end(self, requests: int) -> None:
        if len(self._handles) == requests and all(handle.over for handle in self._handles):
            self._view.show_error("")

    def _give_up(self) -> None:
        for handle in self._handles:
            handle.give_up()
        self._handles.clear()


def explained_columns(plan: ScoringPlan, workspace: Workspace) -> dict[str, Meaning]:
    """Return the computed columns that the variants of a pair can have too, and how they read.

    Their parts are scores that are chosen in Setup, and the sentences; a `zscore` is one among the pairs of a corpus.
    """
    known, columns = {*chosen_scores(plan, workspace), *_AT_HAND}, workspace.columns
    names = [name for name, each in columns.items() if each.expression]
    return {name: columns[name].meaning for name in names if _parts(name, workspace) <= known}


def _parts(column: str, workspace: Workspace) -> frozenset[str]:
    """Return the columns that are no computed ones of which a column is made; itself where other pairs count."""
    of = workspace.columns.get(column)
    if of is None or not of.expression:
        return frozenset((column,))
    formula = compile_column_formula(of.expression, workspace.columns)
    if any(isinstance(node, ZScore) for node in _nodes(formula.tree)):
        return frozenset((column,))
    return frozenset().union(*(_parts(name, workspace) for name in formula.columns))


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for part in node.parts():
        yield from _nodes(part)
