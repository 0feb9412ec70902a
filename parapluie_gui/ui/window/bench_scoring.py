"""Between the Bench and the worker: a typed pair goes out, its scores, evidence and prompts come back."""

from __future__ import annotations

from PySide6.QtCore import QObject

from parapluie_gui import places
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.evidence_reader import EvidenceReader
from parapluie_gui.ui.state.scoring import BenchPair, Scoring
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.work.job import Batch


class BenchScoring(QObject):
    """Scores the pairs typed in the Bench with the metrics, judge and templates chosen in Setup."""

    def __init__(
        self,
        bench: BenchView,
        scoring: Scoring,
        setup: Setup,
        settings: SessionSettings,
        evidence: EvidenceReader,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench, self._scoring, self._setup = bench, scoring, setup
        self._settings, self._evidence = settings, evidence
        bench.score_requested.connect(self._ask)
        bench.history_changed.connect(self._keep)
        scoring.bench_scored.connect(self._show)
        scoring.typed_staged.connect(bench.show_stage)
        scoring.typed_ended.connect(self._end)

    def _ask(self, request: int, source: str, hypothesis: str) -> None:
        setup = self._setup
        self._scoring.score_pair(
            request,
            source,
            hypothesis,
            setup.metrics_for_one_pair(),
            setup.judge_settings(),
            setup.chosen_templates(),
            # A session holds the scores of its corpora only.
            (places.score_cache(),),
        )

    def _show(self, pair: BenchPair, batch: Batch) -> None:
        column = next(iter(batch.values))
        evidence = batch.evidence[0] if batch.evidence else None
        prompt = None
        if evidence is not None:
            prompt = self._evidence.prompt_of(pair.signatures[column], pair.source, pair.hypothesis, evidence)
        self._bench.show_scores(
            pair.request,
            {name: float(numbers[0]) for name, numbers in batch.values.items()},
            {} if evidence is None else {column: evidence},
            {} if prompt is None else {column: prompt},
        )

    def _end(self, request: int, error: str) -> None:
        if error:
            self._bench.show_error(request, error)
        else:
            self._bench.finish(request)

    def _keep(self, entries: list[BenchEntry]) -> None:
        self._settings.keep_bench([entry.as_dict() for entry in entries])
